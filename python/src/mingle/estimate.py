"""Counts over a release: what is certain, and what is guessed. See docs/using-a-release.md."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from . import _check, _options, _program
from ._errors import InputError
from ._release import Release


@dataclass(frozen=True)
class Support:
    """In how many transactions of the original all of some items are.

    lower and upper are certain. upper is None where occurrences were left out of the release: more
    may have had the items then. uniform is no bound but the usual guess: each item below a group of
    n items is there with the probability 1/n, whatever else is; n leaves out what is below a child
    of the group that the line has a label of. It errs by a lot below large groups.
    """

    lower: int
    upper: int | None
    uniform: float


def support(release: Release[Any], items: Iterable[Any] | int) -> Support:
    """Counts the transactions with all of the items or groups, from a k^m release alone.

    A text or a number is one item.
    """
    return supports(release, [items])[0]


def supports(release: Release[Any], queries: Iterable[Iterable[Any] | int]) -> list[Support]:
    """The same of many queries at once, by one run of mingle query: each a list of items, or one.

    Raises InputError for what neither the hierarchy nor the release has.
    """
    if isinstance(queries, (str, int)):  # a query of one item, or of many: who asks must say it
        raise InputError([f"queries: {queries!r} is one item: give a list of queries"])
    if not isinstance(release, Release):
        raise InputError([f"release: {type(release).__name__} is no Release of mingle.anonymize"])
    asked = [
        [_options.label(item) for item in _options.several("items", items)]
        for items in _options.several("queries", queries)
    ]
    if not all(asked):
        raise InputError(["items: name at least one"])
    if release.report["guarantee"]["model"] != "km":
        raise InputError(["supports are counted of k^m-anonymous releases alone"])
    if not asked:
        return []
    layout = _check.layout_of(release, release.items, release.by, "km", release.format)
    with _options.private() as where:
        lines = where / "queries.jsonl"
        text = "".join(json.dumps({"items": one}) + "\n" for one in asked)
        _options.write(lines, text.encode())
        given = _options.files(release.options, release.hierarchy, where)
        tree = {
            name: value
            for name, value in given.items()
            if name.startswith("hierarchy") or name == "add_root"
        }
        flags = {**layout, **tree, "queries": lines, "suppressed": _left_out(release)}
        words = ["query", "-", *_options.words(flags)]
        found = _program.run(words, _check.feed_of(release.published))["answers"]
    return [
        Support(one["at_least"], None if one.get("suppressed") else one["at_most"], one["estimate"])
        for one in found
    ]


def _left_out(release: Release[Any]) -> bool:
    """Whether occurrences may be missing: asked for, or done to keep what is promised."""
    options = release.options
    return bool(options.get("suppress") or options.get("sensitive_known"))
