"""Options of Python as flags of the command, and what the command reads as files."""

from __future__ import annotations

import csv
import io
import json
import numbers
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Union

from . import _frames
from ._errors import Error, InputError, of_system

Path_ = Union[str, "os.PathLike[str]"]

# Flags that name a file with one item a line, which may be given as a list.
LISTS = ("sensitive", "not_sensitive_values", "private")
# Flags that take several values apart at commas, and quotes as in CSV.
APART = ("clean", "hierarchy_columns", "keep_columns", "null")
# Flags of thresholds, which a dictionary may say: {"ncp": ">0.05"}.
CONDITIONS = ("fail_if",)
# Flags that name columns of the original.
COLUMNS = ("person_column", "sensitive_column", "keep_columns", "label")


@contextmanager
def private() -> Iterator[Path]:
    """A directory that nobody else may read, removed at the end. Errors do not name it."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="mingle-")
    except OSError as err:
        variable = "TMP" if os.name == "nt" else "TMPDIR"
        at = f" in {os.path.dirname(err.filename)}" if err.filename else ""
        what = f"no folder for temporary files can be made{at}: set {variable} to another place"
        raise of_system(what, err) from err
    with folder as name:
        try:
            yield Path(name)
        except Error as err:
            err.messages = [line.replace(name + os.sep, "") for line in err.messages]
            err.args = ("\n".join(err.messages),)
            raise


def write(path: Path, text: bytes) -> None:
    """Writes a file in that directory."""
    try:
        path.write_bytes(text)
    except OSError as err:
        raise of_system(f"cannot write {path}", err) from err


def whole(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with lists in place of what can be gone through once: they are read twice."""
    return {
        name: list(value) if isinstance(value, Iterator) else value
        for name, value in options.items()
    }


def words(options: Mapping[str, Any]) -> list[str]:
    """Flags of the command: person_column="x" is --person-column=x. None is no flag."""
    if "help" in options:
        raise InputError(["help is no option here: call the command with --help"])
    out: list[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        out.extend(_word(f"{flag}={text}") for text in _texts(name, value))
    return out


def _word(word: str) -> str:
    """A word of a command, which no system lets have a NUL character or half of one."""
    try:
        if b"\0" in os.fsencode(word):
            raise InputError([f"{word!r} has a NUL character"])
    except UnicodeEncodeError as err:
        raise InputError([f"{word!r} has half a character: {err}"]) from err
    return word


def _texts(name: str, value: Any) -> list[str]:
    if value is None:
        return []
    value = _python(value)
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, timedelta):
        return [f"{value.total_seconds():f}s"]
    if isinstance(value, (str, numbers.Real)):
        return [str(value)]
    if isinstance(value, os.PathLike):
        return [os.fspath(value)]
    if isinstance(value, Mapping) and name in CONDITIONS:  # a list for several of a figure
        return [f"{k}{c}" for k, v in value.items() for c in several(name, v)]
    return [_apart(name, text) for one in several(name, value) for text in _texts(name, one)]


def _python(value: Any) -> Any:
    """A value of numpy as one of Python where the two are written differently."""
    return bool(value) if type(value).__name__ in ("bool", "bool_") else value


def several(name: str, value: Any) -> list[Any]:
    """The values of a list. A text or a number is one value: the characters of a text are none."""
    value = _python(value)
    if isinstance(value, (str, numbers.Real, os.PathLike)):
        return [value]
    frame = hasattr(value, "columns")  # which gives the names of its columns, or the columns
    if frame or isinstance(value, (bytes, bytearray, Mapping)) or not isinstance(value, Iterable):
        kind = type(value).__name__
        raise InputError([f"{name}: {kind} is neither a text, a number nor a list"])
    try:
        return list(value)
    except TypeError:  # an array of numpy without dimensions
        raise InputError([f"{name}: {value!r} is no list: give one"]) from None


def _apart(name: str, text: str) -> str:
    """One of several values, which a comma in it does not take apart."""
    if name in APART and any(c in text for c in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def columns(options: Mapping[str, Any]) -> list[str]:
    """The columns that options name."""
    return [one for name in COLUMNS for one in names(name, options.get(name))]


def names(option: str, value: Any) -> list[str]:
    """The names in an option: a list of them, or one text, which the command may take apart."""
    if value is None or isinstance(value, bool):
        return []
    if not isinstance(value, str):
        return [str(one) for one in several(option, value)]
    return next(csv.reader([value]), []) if option in APART else [value]


def files(options: dict[str, Any], hierarchy: Any, where: Path) -> dict[str, Any]:
    """Options in which what is no path is a file in the directory where, and the hierarchy's."""
    out = dict(options)
    for name in LISTS:
        value = out.get(name)
        if value is not None and not isinstance(value, (str, bool, os.PathLike)):
            out[name] = where / f"{name}.txt"
            write(out[name], _lines(name, value).encode())
    statements = out.get("statements")
    if isinstance(statements, Mapping):
        out["statements"] = where / "statements.json"
        write(out["statements"], _json("statements", statements).encode())
    out.update(tree(hierarchy, where, out))
    return out


def _json(name: str, value: Mapping[Any, Any]) -> str:
    try:
        return json.dumps(dict(value))
    except (TypeError, ValueError) as err:
        raise InputError([f"{name}: {err}: give texts"]) from err


def _lines(name: str, value: Any) -> str:
    lines = [label(one) for one in several(name, value)]
    for line in lines:
        if "\n" in line or "\r" in line:
            raise InputError([f"{name}: {line!r} has a line end, and a list has one item a line"])
    return "".join(line + "\n" for line in lines)


def tree(hierarchy: Any, where: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """The flags of a hierarchy: a path, children with their parents, or a frame of levels."""
    if hierarchy is None:
        return {}
    if isinstance(hierarchy, (str, os.PathLike)):
        return {"hierarchy": hierarchy}
    path = where / "hierarchy.csv"
    if isinstance(hierarchy, Mapping):
        write(path, pairs(hierarchy).encode())
        return {
            "hierarchy": path,
            "hierarchy_format": "pairs",
            "hierarchy_separator": ",",
        }
    table = _frames.table(hierarchy, None)
    _frames.refuse_extensions(table)
    for field in table.schema:
        if not _frames.is_flat(field.type):
            raise InputError([f"hierarchy: column {field.name!r} has several values a row"])
    write(path, _frames.as_csv("hierarchy", table))
    named = list(table.column_names)
    if [name.lower() for name in named] == ["child", "parent"]:
        return {"hierarchy": path, "hierarchy_format": "pairs", "hierarchy_separator": ","}
    return {
        "hierarchy": path,
        "hierarchy_separator": ",",
        "hierarchy_columns": given.get("hierarchy_columns") or named,
    }


def pairs(hierarchy: Mapping[Any, Any]) -> str:
    """Children and parents as lines of CSV; a root's parent is None, or it is no child at all."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n")
    for child, parent in hierarchy.items():
        if isinstance(parent, (Mapping, list, tuple, set, frozenset)):
            raise InputError(
                [f"hierarchy: the parent of {child!r} is {parent!r}: it must be one label, as in"
                 ' {"apple": "fruit", "fruit": "*"}']
            )  # fmt: skip
        writer.writerow([label(child), "" if parent is None else label(parent)])
    return out.getvalue()


def label(value: Any) -> str:
    """An item or a group as the command spells it: numbers as it spells those of columns."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as err:
            raise InputError([f"{value!r} has half a character, and is no text: {err}"]) from err
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    scalar = hasattr(value, "item") and getattr(value, "ndim", 0) == 0
    number = value.item() if scalar else value  # numpy's
    if isinstance(number, int):
        return str(number)
    if isinstance(number, float) and number.is_integer() and abs(number) < 2**53:
        return str(int(number))
    raise InputError([f"{value!r} is neither a text nor a whole number: give its label as a text"])
