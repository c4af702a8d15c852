"""mingle.verify and mingle.inspect."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from . import _frames, _make, _options, _program
from ._errors import Breach, InputError
from ._progress import Told, choose
from ._verdict import Verdict

if TYPE_CHECKING:
    from ._release import Release


def verify(
    published: Any,
    original: Any = None,
    *,
    items: str | None = None,
    by: str | None = None,
    family: str = "km",
    hierarchy: Any = None,
    progress: bool | Told | None = None,
    **options: Any,
) -> Verdict:
    """Judges a release, or a frame that was published, from the definition alone.

    With the original it also checks that line i of what was published is a recoding of line i. Of a
    Release items, by and hierarchy are known; the promise (k, m, ...) must be said again. Options
    are the flags of mingle verify. Raises Breach, with the verdict, where the promise is not kept.
    """
    options = _options.whole(options)
    if hasattr(published, "custodian"):
        release = cast("Release[Any]", published)
        items, by = items or release.items, by or release.by
        hierarchy = release.hierarchy if hierarchy is None else hierarchy
    if family not in _make.FAMILIES:
        raise InputError([_make.no_family(family)])
    if items is None:
        raise InputError(["items: name the column of the items"])
    text, form = _published(published, items, by, family, options)
    layout = layout_of(published, items, by, family, form)
    inputs, feed = ["-"], feed_of(text)
    with _options.private() as where:
        given = _options.files(options, hierarchy, where)
        if original is not None:
            _, layout, feed = _make.source(original, items, by, family, options)
            if form != _make.form_of(family, by):
                layout["output_format"] = form
            path = where / ("published" + _make.EXTENSIONS[form])
            _options.write(path, text)
            inputs.append(str(path))
        words = ["verify", family, *inputs, *_options.words({**layout, **given})]
        found = Verdict(_program.run(words, feed, choose(progress), verdict=True))
    if not found.holds:
        messages = [str(b["message"]) for b in found.breaches[:20] if "message" in b]
        raise Breach([f"{found.promise} does not hold", *messages], found)
    return found


def _published(
    published: Any, items: str, by: str | None, family: str, options: Mapping[str, Any]
) -> tuple[bytes, str]:
    """A published file and its format: of a release as it was judged, of a frame as Arrow."""
    if hasattr(published, "custodian"):
        return published.published, published.format
    if family in ("nonreciprocal", "continuous"):
        raise InputError([f"a frame is no {family} release as it was published: give the Release"])
    _, _, write = _make.source(published, items, by, family, options)
    out = io.BytesIO()
    write(out)
    return out.getvalue(), "arrow"


def layout_of(
    published: Any, items: str, by: str | None, family: str, form: str
) -> dict[str, str]:
    """Where the items are in what was published: another format may have columns of its own."""
    if by is not None and form in ("long", "xlsx") and family == "km":
        return {"input_format": form}
    if form in ("fimi", "spmf", "basket") or (by is not None and form == "jsonl"):
        return {"input_format": form}  # it names no columns, and has no transactions' column
    if by is not None and form == "parquet":
        columns = published.table.column_names
        if by not in columns:
            return _make.layout(columns[0], None, family, form)
    return _make.layout(items, by, family, form)


def feed_of(text: bytes) -> _program.Feed:
    def write(stdin: BinaryIO) -> None:
        stdin.write(text)

    return write


def inspect(
    df: Any,
    *,
    items: str,
    by: str | None = None,
    progress: bool | Told | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Describes a frame: size, lengths, supports, and how many transactions are singled out.

    Options are the flags of mingle inspect, such as m=3. unique has the transactions that one, up to
    two, ... known items single out; persons the other columns of a frame with lists that look like
    those of persons, for which all columns go to the command. It tells of the original, and is as
    secret.
    """
    options = _options.whole(options)
    _, layout, feed = _make.source(df, items, by, "km", options, every=by is None)
    words = ["inspect", "-", *_options.words({**layout, **options})]
    return dict(_program.run(words, feed, choose(progress)))
