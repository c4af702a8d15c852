"""What anonymize returns."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar

from . import _files, _frames, _options, _program
from ._errors import InputError
from ._verdict import Verdict

FrameT = TypeVar("FrameT")


@dataclass(frozen=True)
class Made:
    """The files that the command made: the published one, as the verifier read it, and the report."""

    name: str
    form: str  # its format
    published: bytes
    report: bytes


class Release(Generic[FrameT]):
    """A release that the verifier has judged.

    What a notebook shows of it is safe to publish, as .frame, .report and .page are. .losses,
    .notes and .custodian tell something of the original: they are for its owner.
    """

    def __init__(
        self,
        made: Made,
        outcome: Mapping[str, Any],
        *,
        like: _frames.Like,
        kept: Iterable[str],
        items: str,
        by: str | None,
        hierarchy: Any,
        options: Mapping[str, Any],
    ) -> None:
        self._made = made
        self._like = like
        self._kept = list(kept)
        self.items = items
        self.by = by
        self.hierarchy = hierarchy
        self.options = dict(options)
        self.report: dict[str, Any] = json.loads(made.report)
        """The report: a function of what is published. Safe to publish."""
        self.custodian: dict[str, Any] = dict(outcome.get("custodian") or {})
        """What the owner of the original sees. As secret as the original."""

    @cached_property
    def table(self) -> Any:
        """The published file as a table of pyarrow, as the command wrote it: texts."""
        if self._made.form == "long":
            return _frames.read_csv(self._made.published)
        return _frames.read(self._made.name, self._made.form, self._made.published)

    @cached_property
    def frame(self) -> FrameT:
        """The release, of the library and the types of the original."""
        frame: FrameT = _frames.back(self.table, self._like, self._kept, self.by)
        return frame

    @property
    def published(self) -> bytes:
        """The bytes that the verifier judged and the report names: those that .save writes."""
        return self._made.published

    @property
    def format(self) -> str:
        """The format of these bytes, as the command calls it."""
        return self._made.form

    @property
    def verdict(self) -> Verdict:
        """What the verifier found: it holds, or there would be no release."""
        return Verdict(dict(self.report["verification"]))

    @property
    def losses(self) -> dict[str, float]:
        """What was lost against the original, by name. Secret; the report has what may be told."""
        return {loss["name"]: loss["value"] for loss in self.custodian.get("losses") or []}

    @property
    def warnings(self) -> list[str]:
        """What the report warns of. What was found in the original is in notes."""
        return [str(warning) for warning in self.report.get("warnings") or []]

    @property
    def notes(self) -> list[str]:
        """What its owner is to know: what was left out as the data were read, and what was done.

        Secret: they count what is in the original.
        """
        return [str(note) for note in self.custodian.get("warnings") or []]

    @cached_property
    def page(self) -> str:
        """The page to sign (HTML), with empty statements."""
        return _program.plain(["report", "-", "--output=-"], self._made.report).decode()

    def signed(self, statements: Mapping[str, str], *, final: bool = False) -> str:
        """The page with the statements of those who sign; final: none may be empty."""
        with _options.private() as where:
            given = _options.files({"statements": statements, "final": final}, None, where)
            words = ["report", "-", "--output=-", *_options.words(given)]
            return _program.plain(words, self._made.report).decode()

    def save(
        self,
        published: str | os.PathLike[str],
        *,
        report: str | os.PathLike[str] | None = None,
        page: str | os.PathLike[str] | None = None,
        force: bool = False,
    ) -> None:
        """Writes the published file, the report (JSON) and the page.

        The bytes are those that were judged, so that the extension must be of their format:
        output_format="parquet" in anonymize makes a .parquet file. The report is named .json, the
        page .html. What is there is not replaced without force, and then gives nobody more rights
        than before. Each file appears whole or not.
        """
        named = {"published file": published, "report": report, "page": page}
        paths = {role: _files.path_of(p) for role, p in named.items() if p is not None}
        self._named(paths)
        texts = {
            "published file": self._made.published,
            "report": self._made.report,
            "page": b"" if page is None else self.page.encode(),
        }
        files = [_files.File(role, path, texts[role]) for role, path in paths.items()]
        _files.write(files, force)

    def _named(self, paths: Mapping[str, Path]) -> None:
        """Refuses extensions that say something else than what is written."""
        published = paths["published file"]
        right = Path(self._made.name).suffix
        others = {".arrows": (".arrow", ".feather")}.get(right, ())
        if right and published.suffix != right:
            if published.suffix in others:
                raise InputError([f"{published}: what was judged is a stream: name it {right}"])
            raise InputError(
                [f"{published}: what was judged is {self.format}, which is named {right}: give"
                 " output_format to anonymize for another"]
            )  # fmt: skip
        for role, of_role in {"report": (".json",), "page": (".html", ".htm")}.items():
            path = paths.get(role)
            if path is not None and path.suffix and path.suffix.lower() not in of_role:
                raise InputError([f"{path}: the {role} is written as {of_role[0]} here"])

    def __repr__(self) -> str:
        count = self.report["published"]
        return (
            f"<mingle.Release: {self.report['guarantee']['statement']},"
            f" {count.get('transactions', 0):,} transactions, {self._made.form}>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows, and keeps when it is saved: of the public report alone."""
        report, text = self.report, html.escape
        rows = [(text(str(k)), _number(v)) for k, v in report["published"].items() if _is_number(v)]
        losses = [(text(x["name"]), _number(x["value"])) for x in report.get("losses") or []]
        parts = [
            "<div style='max-width:46em'>",
            f"<p><b>Verified: {text(report['guarantee']['statement'])}.</b> ",
            f"{text(report['guarantee']['words'])}</p>",
            *(f"<p>&#9888; {text(warning)}</p>" for warning in self.warnings),
            "<table>",
            *(f"<tr><td>{name}</td><td style='text-align:right'>{v}</td></tr>" for name, v in rows),
            *(f"<tr><td>{n}</td><td style='text-align:right'>{v}</td></tr>" for n, v in losses),
            "</table><details><summary>What is not covered</summary><ul>",
            *(f"<li>{text(line)}</li>" for line in report["guarantee"]["not_covered"]),
            "</ul></details></div>",
        ]
        return "".join(parts)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if _is_number(value) else html.escape(str(value))
