"""Bounds of counts hold, for every item and every pair."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import ITEMS, LIBRARIES, LONG, SHOP, baskets, columns

import mingle


@pytest.mark.parametrize("form", [ITEMS, LONG])
@pytest.mark.parametrize("algorithm", ["local", "aa"])
def test_bounds(form: tuple[str, str | None], algorithm: str) -> None:
    rows = [set(row) for row in baskets(600)]
    release = mingle.anonymize(
        LIBRARIES["polars"](columns(form, 600)), items=form[0], by=form[1], k=20, m=2,
        hierarchy=SHOP / "catalogue.csv", algorithm=algorithm,
    )  # fmt: skip
    items = sorted(set().union(*rows))
    wide = 0
    for size in (1, 2):
        queries = list(itertools.combinations(items[:40], size))
        for asked, found in zip(queries, mingle.estimate.supports(release, queries)):
            true = sum(row.issuperset(asked) for row in rows)
            assert found.upper is not None
            assert found.lower <= true <= found.upper, asked
            assert found.lower <= found.uniform <= found.upper
            wide += found.lower < found.upper
    assert wide


def test_a_worked_example() -> None:
    """Groups of two and of three: a line with a group has each of its items with 1/n."""
    tree = {"a": "A", "b": "A", "c": "C", "d": "C", "e": "C", "A": "*", "C": "*"}
    rows = [["a", "c"]] * 2 + [["b", "d"]] * 2 + [["c", "e"], ["a", "e"]]
    release = mingle.anonymize(
        LIBRARIES["pandas"]({"items": rows}), items="items", k=4, m=1, hierarchy=tree, algorithm="aa"
    )
    assert {label for row in release.frame["items"] for label in row} == {"A", "C"}
    for asked, upper, uniform in [(["a"], 5, 5 / 2), (["c"], 6, 6 / 3), (["a", "c"], 5, 5 / 6)]:
        found = mingle.estimate.support(release, asked)
        assert (found.lower, found.upper) == (0, upper)
        assert found.uniform == pytest.approx(uniform)


def test_groups_and_labels_of_any_text() -> None:
    """A group is in the lines that publish it, or anything below it."""
    tree = {'a, "b" -': "A;B", "-c": "A;B", "d": "*", "A;B": "*"}
    rows = [['a, "b" -'], ["-c"], ["-c", "d"], ["d"], ["d"]]
    release = mingle.anonymize(
        LIBRARIES["pandas"]({"items": rows}), items="items", k=3, m=1, hierarchy=tree, algorithm="aa"
    )
    for asked, found in [(["A;B"], (3, 3)), (["-c"], (0, 3)), (['a, "b" -', "d"], (0, 1))]:
        support = mingle.estimate.support(release, asked)
        assert (support.lower, support.upper) == found
    assert mingle.estimate.supports(release, []) == []


def test_a_text_or_a_number_is_one_item() -> None:
    """Its characters are none, though the hierarchy has them."""
    tree = {**{str(i): "*" for i in range(13)}}
    rows = [["1", "2"], ["1", "2"], ["12", "4"], ["12"], ["12", "1", "2"], ["4"]]
    release = mingle.anonymize(
        LIBRARIES["pandas"]({"items": rows}), items="items", k=2, m=1, hierarchy=tree
    )
    of_twelve = mingle.estimate.support(release, ["12"])
    assert of_twelve.upper == 3
    ways: list[Any] = ["12", 12, np.int64(12), ("12",), np.array(["12"]), pd.Series(["12"])]
    for asked in ways:
        assert mingle.estimate.support(release, asked) == of_twelve, asked
    four, pair = (mingle.estimate.support(release, asked) for asked in (["4"], ["1", "2"]))
    assert mingle.estimate.supports(release, ["12", "4", ["1", "2"]]) == [of_twelve, four, pair]
    for wrong in ("12", 12, None, {"12": 1}, b"12"):
        with pytest.raises(mingle.InputError):
            mingle.estimate.supports(release, wrong)  # type: ignore[arg-type]
    for bad in (b"12", {"12": 1}, None, np.array("12"), pd.DataFrame({"12": [1]}), [["12"]]):
        with pytest.raises(mingle.InputError):
            mingle.estimate.support(release, bad)  # type: ignore[arg-type]
    with pytest.raises(mingle.InputError, match="no Release"):
        mingle.estimate.support(release.frame, ["12"])


def test_no_upper_bound_where_something_was_left_out(tree: dict[str, str]) -> None:
    data: Any = LIBRARIES["pandas"](columns(ITEMS))
    release = mingle.anonymize(
        data, items="items", k=5, m=2, hierarchy=tree, suppress="items", max_suppressed="5%"
    )
    assert mingle.estimate.support(release, ["Pears 500 g"]).upper is None


def test_what_cannot_be_counted(tree: dict[str, str]) -> None:
    data: Any = LIBRARIES["pandas"](columns(ITEMS))
    release = mingle.anonymize(data, items="items", k=5, m=1, hierarchy=tree)
    for asked, text in [(["unheard of"], "neither in the hierarchy"), ([], "at least one")]:
        with pytest.raises(mingle.InputError, match=text):
            mingle.estimate.support(release, asked)
    base_sets = mingle.anonymize(data, items="items", family="nonreciprocal", k=4)
    with pytest.raises(mingle.InputError, match="alone"):
        mingle.estimate.support(base_sets, ["Pears 500 g"])
