"""Frames of pandas, polars and pyarrow as Arrow tables, and back."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.ipc
import pyarrow.json
import pyarrow.parquet

from ._errors import InputError

_ROWS = 65536  # of a batch


def library(frame: Any) -> str:
    """pandas, polars or pyarrow."""
    name = type(frame).__module__.split(".")[0]
    if name not in ("pandas", "polars", "pyarrow") or not hasattr(type(frame), "columns"):
        raise InputError(
            [f"{type(frame).__name__} is no frame: give one of pandas or polars, or a table of pyarrow"]
        )
    return name


def names(frame: Any) -> list[str]:
    """The names of the columns."""
    of = library(frame)
    if of == "polars" and hasattr(frame, "collect_schema"):
        return list(frame.collect_schema().names())
    return list(frame.column_names if of == "pyarrow" else frame.columns)


def table(frame: Any, columns: Iterable[str] | None) -> pa.Table:
    """The named columns as an Arrow table, those that are there; None: all.

    Neither an index nor attributes of the frame come with it.
    """
    of, there = library(frame), names(frame)
    if columns is not None:
        wanted = set(columns)
        there = [name for name in there if name in wanted]
    for name in there:
        if not isinstance(name, str):
            raise InputError([f"column {name!r}: the names of columns must be texts"])
        with _one_type(name, ""):
            name.encode()
    if len(set(there)) != len(there):
        raise InputError(["a column is there twice: columns need different names"])
    if of == "pandas":
        return _of_pandas(frame, there)
    if of == "polars":
        selected = frame.select(there)
        selected = selected.collect() if hasattr(selected, "collect") else selected
        return _of_polars(selected)
    chosen = frame.select(there)
    return pa.Table.from_batches([chosen]) if isinstance(frame, pa.RecordBatch) else chosen


def with_others(sent: pa.Table, frame: Any) -> pa.Table:
    """The table with the other columns of the frame, as far as their values are texts or have some:
    nobody named them, so that none is a reason to refuse the frame."""
    if hasattr(frame, "collect"):
        frame = frame.collect()
    for name in dict.fromkeys(names(frame)):
        if name not in sent.column_names:
            with suppress(InputError, pa.ArrowException):
                sent = sent.append_column(name, _readable(table(frame, [name]).column(0)))
    return sent


def _readable(column: Any) -> Any:
    """A column as the command can read it, or an error."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_primitive(kind) or pa.types.is_decimal(kind):
        return column
    if not is_flat(kind):
        raise InputError(["it has several values a row, or such as have no texts"])
    texts = column.cast(pa.large_string())
    texts.validate(full=True)
    if pyarrow.compute.any(pyarrow.compute.match_substring(texts, "\0")).as_py():
        raise InputError(["it has a NUL character"])
    return texts


def refuse_extensions(data: pa.Table) -> None:
    """Refuses columns of a library's own types, such as the periods of pandas: what Arrow has of
    them are numbers that nobody sees in the frame."""
    for field in data.schema:
        if own := _extension(field.type):
            raise InputError(
                [f"column {field.name!r} holds values of the type {own}, which has no texts here: "
                 f"make them texts first: df[{field.name!r}].astype(str)"]
            )  # fmt: skip


def _extension(kind: Any) -> str:
    """The name of the extension type in a type of Arrow; none, or one of texts: nothing."""
    if isinstance(kind, pa.BaseExtensionType):
        texts = pa.types.is_string(kind.storage_type) or pa.types.is_large_string(kind.storage_type)
        return "" if texts else kind.extension_name
    return _extension(kind.value_type) if is_list(kind) or pa.types.is_dictionary(kind) else ""


def _of_pandas(frame: Any, there: Sequence[str]) -> pa.Table:
    arrays = []
    for name in there:
        series = frame[name]
        if series.dtype == object:
            first = next((v for v in series if not _missing(v)), None)
            if isinstance(first, (set, frozenset)):
                series = series.map(list, na_action="ignore")
        with _one_type(name, f'df[{name!r}] = df[{name!r}].astype("string")'):
            arrays.append(pa.Array.from_pandas(series))
    return pa.table(dict(zip(there, arrays)))


def _of_polars(frame: Any) -> pa.Table:
    """polars hands objects of Python, such as sets, over as their addresses: these go by value."""
    import polars

    objects = [name for name, kind in frame.schema.items() if kind == polars.Object]
    columns = dict.fromkeys(frame.columns)
    for name in columns:
        if name not in objects:
            columns[name] = _of_arrow(frame[name].to_frame(), name)
    for name in objects:
        values = [list(v) if isinstance(v, (set, frozenset)) else v for v in frame[name].to_list()]
        way = f"pl.col({name!r}).map_elements(str, return_dtype=pl.String)"
        with _one_type(name, way):
            columns[name] = pa.array(values, from_pandas=True)
    return pa.table(columns)


def _of_arrow(frame: Any, name: str) -> Any:
    """A column of polars, whose type Arrow need not have."""
    try:
        return frame.to_arrow().column(name)
    except pa.ArrowException as err:
        raise InputError(
            [f"column {name!r} has a type that has none in Arrow: {err}",
             f"make it texts first: pl.col({name!r}).cast(pl.String)"]
        ) from err  # fmt: skip


@contextmanager
def _one_type(name: str, way: str) -> Iterator[None]:
    """Says which column has values that make no array, and a way to texts."""
    try:
        yield
    except OverflowError as err:
        raise InputError([f"column {name!r} has a number of more than 64 bits: {way}"]) from err
    except UnicodeEncodeError as err:
        raise InputError([f"column {name!r} has half a character: {err}"]) from err
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as err:
        raise InputError(
            [f"column {name!r} has values of several types, which would be different items: {err}",
             f"make them texts first: {way}"]
        ) from err  # fmt: skip


def _missing(value: Any) -> bool:
    """None, NaN, or the NA and NaT of pandas; a list of any kind is none of these."""
    unequal = isinstance(value, float) and value != value
    return value is None or unequal or type(value).__name__ in ("NAType", "NaTType")


def lacks(data: pa.Table, items: str) -> bool:
    """Whether an item, or a list of items, is missing."""
    column = data.column(items)
    if column.null_count or not is_list(column.type):
        return bool(column.null_count)
    return any(chunk.flatten().null_count for chunk in column.chunks)


def is_list(kind: Any) -> bool:
    """Whether a type of Arrow is one of lists."""
    t = pa.types
    views = [getattr(t, name, None) for name in ("is_list_view", "is_large_list_view")]
    return (
        t.is_list(kind)
        or t.is_large_list(kind)
        or t.is_fixed_size_list(kind)
        or any(view is not None and view(kind) for view in views)
    )


def is_flat(kind: Any) -> bool:
    """Whether a type of Arrow has one value a row."""
    return not (is_list(kind) or pa.types.is_nested(kind) or _extension(kind))


def write_stream(data: pa.Table, to: BinaryIO) -> None:
    """Writes an Arrow IPC stream."""
    with pa.ipc.new_stream(to, data.schema) as writer:
        writer.write_table(data, max_chunksize=_ROWS)


def as_csv(name: str, data: pa.Table) -> bytes:
    """A table as CSV, numbers and texts as they are; name is what errors call it."""
    out = pa.BufferOutputStream()
    try:
        pyarrow.csv.write_csv(data, out)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as err:
        raise InputError([f"{name}: {err}", "make its columns texts first"]) from err
    return bytes(out.getvalue())


def write_csv(data: pa.Table, to: BinaryIO) -> None:
    """Writes CSV with a header."""
    pyarrow.csv.write_csv(data, to)


def read_csv(text: bytes) -> pa.Table:
    """CSV with a header as a table of texts."""
    names = pyarrow.csv.open_csv(pa.BufferReader(text)).schema.names
    return pyarrow.csv.read_csv(
        pa.BufferReader(text),
        convert_options=pyarrow.csv.ConvertOptions(column_types={n: pa.string() for n in names}),
    )


def write_json(data: pa.Table, to: BinaryIO) -> None:
    """Writes an object a line, for the one command that reads no columns."""
    for batch in data.to_batches(max_chunksize=_ROWS):
        for row in batch.to_pylist():
            to.write(json.dumps(row, default=_moment).encode() + b"\n")


def _moment(value: Any) -> str:
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    raise InputError([f"{value!r} is neither a number, a text, a date nor a moment"])


def read(name: str, form: str, text: bytes) -> pa.Table:
    """A published file as a table."""
    source = pa.BufferReader(text)
    if form == "arrow":
        if text.startswith(b"ARROW1"):
            return pa.ipc.open_file(source).read_all()
        return pa.ipc.open_stream(source).read_all()
    if form == "parquet":
        return pyarrow.parquet.read_table(source)
    if form == "jsonl":
        if not text:
            return pa.table({})
        return pyarrow.json.read_json(source, pyarrow.json.ReadOptions(block_size=1 << 27))
    raise InputError(
        [f"{name} is no frame: its format is {form}. Save it, or use output_format arrow or parquet"]
    )


@dataclass(frozen=True)
class Like:
    """What is kept of an original, so that its release can be a frame like it: no values."""

    library: str
    schema: Any  # of the columns that were sent
    dtypes: Mapping[str, Any]  # of pandas; none of categories, whose list is of the original


def like(frame: Any, sent: pa.Table) -> Like:
    """What a frame like this one is."""
    of, dtypes = library(frame), {}
    if of == "pandas":
        import pandas

        dtypes = {
            name: frame[name].dtype
            for name in sent.column_names
            if not isinstance(frame[name].dtype, pandas.CategoricalDtype)
        }
    return Like(of, sent.schema, dtypes)


def back(data: pa.Table, original: Like, kept: Iterable[str], numbers: str | None) -> Any:
    """A published table as a frame of the original's library, its columns of the original's types.

    Items are texts, since groups stand beside them. Columns that were kept have the type they had;
    the column numbers, new numbers of the transactions, is of integers. Categories are those that
    were published: the original's own list would name items that were not.
    """
    kept = set(kept)
    for i, name in enumerate(data.column_names):
        if name == numbers and name not in kept:
            data = data.set_column(i, name, data[name].cast(pa.int64()))
        elif name in original.schema.names:
            kind = original.schema.field(name).type
            data = data.set_column(i, name, _typed(data[name], kind, name in kept))
    if original.library == "pyarrow":
        return data
    if original.library == "polars":
        import polars

        return polars.from_arrow(data)
    return _to_pandas(data, original.dtypes, kept)


def _typed(column: Any, kind: Any, kept: bool) -> Any:
    t = pa.types
    if t.is_dictionary(kind):
        value = kind.value_type if kept else pa.string()
        return _cast(column, value).dictionary_encode()
    if kept and not t.is_nested(kind):
        return _cast(column, kind)
    return column


def _cast(column: Any, kind: Any) -> Any:
    try:
        if pa.types.is_time(kind):  # which has no way from a text but that of a moment
            of_day = pyarrow.compute.binary_join_element_wise("1970-01-01T", column, "")
            return of_day.cast(pa.timestamp(kind.unit)).cast(kind)
        return column.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return column  # it has no way back from its text: that is what was published


def _to_pandas(data: pa.Table, dtypes: Mapping[str, Any], kept: set[str]) -> Any:
    import pandas

    columns: dict[str, Any] = {}
    for name in data.column_names:
        column = data[name]
        if is_list(column.type):
            columns[name] = pandas.Series(lists(column), dtype=object)
            continue
        series, dtype = column.to_pandas(), dtypes.get(name)
        text = isinstance(dtype, pandas.StringDtype) or dtype == object
        extension = isinstance(dtype, pandas.api.extensions.ExtensionDtype)
        if text or (extension and name in kept):
            series = series.astype(dtype)
        columns[name] = series
    return pandas.DataFrame(columns)


def lists(column: Any) -> list[Any]:
    """A column of lists as lists of Python, equal texts being one object; None where it is null."""
    out: list[Any] = []
    for chunk in column.chunks:
        codes = chunk.flatten().dictionary_encode()
        labels = codes.dictionary.to_pylist()
        items = [labels[code] for code in codes.indices.to_pylist()]
        at = 0
        for length in chunk.value_lengths().to_pylist():
            out.append(None if length is None else items[at : at + length])
            at += length or 0
    return out
