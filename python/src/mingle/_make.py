"""mingle.anonymize: from a frame to a release."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, TypeVar

from . import _frames, _options, _program
from ._errors import InputError
from ._progress import Told, choose
from ._release import Made, Release

FrameT = TypeVar("FrameT")

FAMILIES = ("km", "coherence", "nonreciprocal", "continuous")

# Options that this module gives itself.
_OWN = {
    "output": "the release is .frame, and .save writes it",
    "report": "the report is .report and .page, and .save writes it",
    "json": "progress= shows it",
    "quiet": "progress=False",
    "input_format": "frames go as Arrow",
    "set_column": "items= names it",
    "item_column": "items= names it",
    "value_column": "items= names it",
    "transaction_column": "by= names it",
    "record_column": "by= names it",
    "print_release": "call the command",
}
EXTENSIONS = {
    "arrow": ".arrows", "parquet": ".parquet", "jsonl": ".jsonl", "long": ".csv", "table": ".csv",
    "basket": ".csv", "fimi": ".dat", "spmf": ".txt", "xlsx": ".xlsx",
}  # fmt: skip
MISSING = "values are missing among the items, and were passed over: see .notes"


def anonymize(
    df: FrameT,
    *,
    items: str,
    by: str | None = None,
    family: str = "km",
    hierarchy: Any = None,
    progress: bool | Told | None = None,
    **options: Any,
) -> Release[FrameT]:
    """Makes a release of a frame, and has it judged before it is returned.

    df: a frame of pandas or polars, or a table of pyarrow.
    items: its column of items. Without by the column holds lists, a transaction a row; texts with
        several items need inner_delimiter.
    by: the column of the transaction, where a row is an item.
    family: km, coherence, nonreciprocal or continuous, as the commands are called.
    hierarchy: a file, a dictionary of children and their parents, or a frame whose columns go from
        the items up (with columns child and parent: pairs).
    progress: True, False, or a function of (stage, done, total); None: a bar of tqdm where it is
        installed and somebody looks.
    options: the flags of the command, such as k=5, m=2, person_column="customer",
        keep_columns=["age"], sensitive=["flu"], time_limit="10m", fail_if={"ncp": ">0.05"}.

    Only the columns that are named go to the command, through its standard input. Raises
    InputError, Refused, InternalError, or KeyboardInterrupt, with the command's own text. Warns
    where values are missing among the items: .notes of the release count them.
    """
    if family not in FAMILIES:
        raise InputError([no_family(family)])
    for name, instead in _OWN.items():
        if name in options:
            raise InputError([f"{name} is no option here: {instead}"])
    options = _options.whole(options)
    sent, flags, feed = source(df, items, by, family, options)
    form = str(options.get("output_format") or form_of(family, by))
    with _options.private() as where:
        published = where / ("release" + EXTENSIONS.get(form, ""))
        report = where / "report.json"
        given = _options.files(options, hierarchy, where)
        words = ["anonymize", family, "-", *_options.words({**flags, **given})]
        words += [f"--output={published}", f"--report={report}"]
        keep_best = bool(options.get("keep_best"))
        outcome = _program.run(words, feed, choose(progress), keep_best=keep_best)
        made = Made(published.name, form, published.read_bytes(), report.read_bytes())
    release: Release[FrameT] = Release(
        made,
        outcome,
        like=_frames.like(df, sent),
        kept=_options.names("keep_columns", options.get("keep_columns")),
        items=items,
        by=by,
        hierarchy=hierarchy,
        options=options,
    )
    if _frames.lacks(sent, items):  # a notebook keeps what a warning says, and notes are secret
        warnings.warn(MISSING, stacklevel=2)
    return release


def no_family(family: object) -> str:
    """The message about a family that is none."""
    return f"there is no family {family!r}: there are {', '.join(FAMILIES)}"


def source(
    df: Any, items: str, by: str | None, family: str, options: Mapping[str, Any], *,
    every: bool = False,
) -> tuple[Any, dict[str, str], _program.Feed]:  # fmt: skip
    """What goes to the command: a table, the flags that say what it is, and how it is written.

    The table has the columns that are named; with every the others, too, that can be read.
    """
    wanted = [items, *([by] if by else []), *_options.columns(options)]
    there = _frames.names(df)
    if missing := [name for name in wanted if name not in there]:
        raise InputError(
            [f'there is no column "{name}": the columns are {", ".join(map(str, there))}'
             for name in missing]
        )  # fmt: skip
    sent = _frames.table(df, wanted)
    _frames.refuse_extensions(sent)
    if every:
        sent = _frames.with_others(sent, df)
    if by is None and not _frames.is_list(sent.schema.field(items).type):
        if "inner_delimiter" not in options:
            raise InputError(
                [f"column {items!r} has no lists, so that each row would be a transaction of its own:"
                 " name the column of the transaction (by=), or what is between the items of a text"
                 " (inner_delimiter=)"]
            )  # fmt: skip
    flags = layout(items, by, family, form_of(family, by) if family == "continuous" else "arrow")
    write = {"arrow": _frames.write_stream, "jsonl": _frames.write_json, "long": _frames.write_csv}
    return sent, flags, lambda stdin: write[flags["input_format"]](sent, stdin)


def layout(items: str, by: str | None, family: str, form: str) -> dict[str, str]:
    """The flags that say where the items are in a file of a format."""
    record, item = ("record", "value") if family == "continuous" else ("transaction", "item")
    if by is not None:
        return {"input_format": form, f"{record}_column": by, f"{item}_column": items}
    return {"input_format": form, "value_column" if record == "record" else "set_column": items}


def form_of(family: str, by: str | None) -> str:
    """The format of what is published: Arrow, but for families that write text alone."""
    if family == "continuous":  # which reads text alone, too
        return "jsonl" if by is None else "long"
    return "jsonl" if family == "nonreciprocal" else "arrow"
