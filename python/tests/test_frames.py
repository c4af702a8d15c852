"""Frames go in and come back as they were, and are the release that the command makes."""

from __future__ import annotations

import datetime
import decimal
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from conftest import ITEMS, LIBRARIES, LONG, SHOP, columns

import mingle


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("form", [ITEMS, LONG])
def test_same_bytes_as_the_command(
    library: str, form: tuple[str, str | None], tmp_path: Path, tree: dict[str, str]
) -> None:
    data = columns(form)
    frame = LIBRARIES[library](data)
    release = mingle.anonymize(
        frame, items=form[0], by=form[1], k=5, m=2, hierarchy=tree, algorithm="aa"
    )
    with pa.ipc.new_stream(tmp_path / "original.arrows", pa.table(data).schema) as writer:
        writer.write_table(pa.table(data))
    flags = ["--set-column=items"]
    if form[1]:
        flags = ["--transaction-column=invoice", "--item-column=item"]
    command = [mingle.program(), "anonymize", "km", str(tmp_path / "original.arrows"), "-k=5", "-m=2"]
    command += ["--algorithm=aa"]
    command += [f"--hierarchy={SHOP / 'catalogue.csv'}", f"--output={tmp_path / 'out.arrows'}"]
    subprocess.run([*command, *flags], check=True, capture_output=True)
    assert release.published == (tmp_path / "out.arrows").read_bytes()
    assert type(release.frame) is type(frame)
    assert release.verdict
    assert mingle.verify(release, frame, k=5, m=2).holds
    assert mingle.verify(release, k=5, m=2).holds
    frame_alone = mingle.verify(
        release.frame, frame, items=form[0], by=form[1], hierarchy=tree, k=5, m=2
    )
    assert frame_alone.holds


def test_rows_stay_in_place(lists: pd.DataFrame, tree: dict[str, str]) -> None:
    release = mingle.anonymize(lists, items="items", k=5, m=1, hierarchy=tree)
    assert len(release.frame) == len(lists)
    for before, after in zip(lists["items"], release.frame["items"]):
        assert isinstance(after, list)
        for label in after:
            if label in tree and label not in tree.values():  # an item as it is
                assert label in before


def test_long_form_has_new_numbers(long: pd.DataFrame, tree: dict[str, str]) -> None:
    release = mingle.anonymize(long, items="item", by="invoice", k=5, m=2, hierarchy=tree)
    assert release.frame["invoice"].dtype == np.int64
    assert sorted(set(release.frame["invoice"])) == list(range(1, long["invoice"].nunique() + 1))


def beside(rows: int) -> dict[str, Any]:
    """Columns of every type that the command takes beside the sets, by few values."""
    moment = datetime.datetime(2026, 3, 5, 10, 31, 59, 250000)
    few = [i % 3 for i in range(rows)]
    return {
        "whole": pa.array([few_ + 40 for few_ in few], pa.int16()),
        "gaps": pa.array([None if f == 0 else f for f in few], pa.int64()),
        "float": pa.array([(0.1, 7.0, 1e-7)[f] for f in few], pa.float64()),
        "truth": pa.array([f == 1 for f in few]),
        "text": pa.array([("a", "ü \U0001f600", 'b"c,d')[f] for f in few], pa.large_string()),
        "date": pa.array([datetime.date(2026, 3, 5 + f) for f in few]),
        "moment": pa.array([moment + datetime.timedelta(days=f) for f in few], pa.timestamp("us")),
        "universal": pa.array([moment] * rows, pa.timestamp("ms", "UTC")),
        "time": pa.array([datetime.time(10, f) for f in few], pa.time64("us")),
        "decimal": pa.array([decimal.Decimal("12.50") + f for f in few], pa.decimal128(8, 2)),
        "category": pa.array([("x", "y", "x")[f] for f in few]).dictionary_encode(),
    }


def test_columns_that_are_kept_have_their_types(tree: dict[str, str]) -> None:
    data = columns(ITEMS, 600)
    kept = beside(600)
    frame = pa.table({**data, **kept, "secret": list(range(600))})
    release = mingle.anonymize(
        frame, items="items", k=5, m=1, hierarchy=tree, keep_columns=list(kept), keep_identifiers=True
    )
    assert set(release.frame.column_names) == {"items", *kept}
    for name in kept:
        assert release.frame[name].type == frame[name].type or name == "category"
        assert release.frame[name].to_pylist() == frame[name].to_pylist(), name
    of_polars = mingle.anonymize(
        pl.from_arrow(frame), items="items", k=5, m=1, hierarchy=tree, keep_columns=list(kept),
        keep_identifiers=True,
    ).frame  # fmt: skip
    before = pl.from_arrow(frame)
    assert isinstance(of_polars, pl.DataFrame) and isinstance(before, pl.DataFrame)
    assert of_polars.select(list(kept)).equals(before.select(list(kept)))
    assert of_polars.schema["date"] == pl.Date and of_polars.schema["category"] == pl.Categorical


def test_types_of_pandas(tree: dict[str, str]) -> None:
    frame = pd.DataFrame(columns(ITEMS, 600))
    frame["nullable"] = pd.array([None if i % 3 else 4 for i in range(600)], dtype="Int64")
    frame["text"] = pd.array(["a", "b"] * 300, dtype="string")
    frame["day"] = pd.to_datetime(["2026-03-05", "2026-03-06"] * 300)
    frame["real"] = [0.5, float("nan")] * 300
    kept = ["nullable", "text", "day", "real"]
    release = mingle.anonymize(frame, items="items", k=5, m=1, hierarchy=tree, keep_columns=kept,
                               keep_identifiers=True)  # fmt: skip
    for name in kept:
        pd.testing.assert_series_equal(release.frame[name], frame[name])


def test_nothing_of_the_original_comes_along(tree: dict[str, str]) -> None:
    """Neither its index, nor its categories, nor attributes: they name what was not published."""
    long = pd.DataFrame(columns(LONG))
    long["item"] = long["item"].astype("category")
    long.index = pd.Index([f"customer {i}" for i in range(len(long))], name="customer")
    long.attrs["owner"] = "customer 1"
    release = mingle.anonymize(long, items="item", by="invoice", k=200, m=1, hierarchy=tree)
    assert release.frame["item"].dtype == "category"
    assert set(release.frame["item"].cat.categories) == set(release.frame["item"].dropna())
    assert set(long["item"].cat.categories) - set(release.frame["item"].cat.categories)
    assert isinstance(release.frame.index, pd.RangeIndex) and not release.frame.attrs
    assert b"customer" not in release.published
    wide = pl.DataFrame(columns(LONG)).with_columns(pl.col("item").cast(pl.Categorical))
    published = mingle.anonymize(wide, items="item", by="invoice", k=200, m=1, hierarchy=tree).frame
    assert published.schema["item"] == pl.Categorical
    assert set(published["item"].drop_nulls().to_list()) == set(release.frame["item"].dropna())


def test_items_that_are_numbers() -> None:
    tree = {**{i: i % 3 + 100 for i in range(12)}, 100: "*", 101: "*", 102: "*"}
    rows = [[i % 12, (i * 5) % 12, (i * 7 + 1) % 12] for i in range(300)]
    levels = pd.DataFrame({"item": range(12), "group": [i % 3 + 100 for i in range(12)], "all": "*"})
    pairs = pd.DataFrame(tree.items(), columns=["child", "parent"]).astype("string")
    same: dict[str, Any] = {"items": "n", "k": 5, "m": 2, "algorithm": "aa"}
    by_dict = mingle.anonymize(pd.DataFrame({"n": rows}), hierarchy=tree, **same)
    by_frame = mingle.anonymize(pl.DataFrame({"n": rows}), hierarchy=levels, **same)
    by_pairs = mingle.anonymize(pd.DataFrame({"n": rows}), hierarchy=pairs, **same)
    assert by_dict.published == by_frame.published == by_pairs.published


@pytest.mark.parametrize("kind", [set, frozenset, tuple, np.array])
def test_sets_of_any_kind(kind: Any, lists: pd.DataFrame, tree: dict[str, str]) -> None:
    other = pd.DataFrame({"items": [kind(row) for row in lists["items"]]})
    one, two = (
        mingle.anonymize(df, items="items", k=5, m=1, hierarchy=tree, algorithm="aa")
        for df in (lists, other)
    )
    assert one.published == two.published


@pytest.mark.parametrize("kind", [set, frozenset, list])
def test_sets_of_polars(kind: Any, lists: pd.DataFrame, tree: dict[str, str]) -> None:
    """Objects of Python, which polars hands over as their addresses."""
    rows = [kind(row) for row in lists["items"]]
    frame = pl.DataFrame({"n": range(len(rows)), "items": pl.Series(rows, dtype=pl.Object)})
    one, two = (
        mingle.anonymize(df, items="items", k=5, m=1, hierarchy=tree, algorithm="aa")
        for df in (lists, frame)
    )
    assert one.published == two.published
    assert isinstance(two.frame, pl.DataFrame) and two.frame.schema["items"] == pl.List(pl.String)
    other = frame.with_columns(pl.Series("other", [object()] * len(rows), dtype=pl.Object))
    with pytest.raises(mingle.InputError, match="'other' has values of several types"):
        mingle.anonymize(other, items="items", k=5, m=1, hierarchy=tree, keep_columns="other")


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NaT, pd.NA])
def test_missing_items_are_noted(missing: Any) -> None:
    """In .notes, which are secret: a warning says that there are some, and no number."""
    tree = {"a": "*", "b": "*"}
    frame = pd.DataFrame({"bill": [i // 2 for i in range(24)], "what": ["a", "b", missing] * 8})
    with pytest.warns(UserWarning, match="values are missing among the items") as warned:
        release = mingle.anonymize(frame, items="what", by="bill", k=2, m=1, hierarchy=tree)
    assert release.notes == ["8 rows have no item; their transactions are kept"]
    assert release.warnings == [] and "8" not in str(warned[0].message)
    assert warned[0].filename == __file__
    assert "8 rows" not in release._repr_html_() + repr(release) + release.page
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = mingle.anonymize(
            frame.dropna(), items="what", by="bill", k=2, m=1, hierarchy=tree
        )
        shuffled = mingle.anonymize(
            frame.dropna(), items="what", by="bill", k=2, m=1, hierarchy=tree, shuffle=True
        )
    assert whole.notes == []
    assert "random order" in shuffled.notes[0]  # which nobody has to be warned of


def test_missing_values_elsewhere() -> None:
    """What docs/python.md says of them."""
    tree = {"a": "*", "b": "*"}
    bags = pd.DataFrame({"items": [["a", None, "b"], None, [], ["a", "b", float("nan")]] * 4})
    with pytest.warns(UserWarning, match="values are missing among the items"):
        release = mingle.anonymize(bags, items="items", k=2, m=1, hierarchy=tree)
    assert list(release.frame["items"]) == [["a", "b"], [], [], ["a", "b"]] * 4
    assert release.notes == ["8 elements of lists are NULL or empty, and were passed over"]
    no_bill = pd.DataFrame({"bill": [1, 1, None, 2], "what": list("abab")})
    with pytest.raises(mingle.InputError, match="no transaction"):
        mingle.anonymize(no_bill, items="what", by="bill", k=2, m=1, hierarchy=tree)


def test_what_is_gone_through_once_is_a_list() -> None:
    """A generator names columns twice: to what is sent, and to the command."""
    tree = {"a": "*", "b": "*"}
    frame = pd.DataFrame({"who": list(range(12)), "what": [["a", "b"]] * 12})
    release = mingle.anonymize(
        frame, items="what", k=2, m=1, hierarchy=tree, person_column=(c for c in ["who"])
    )
    assert "of persons" in str(release.report["guarantee"])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_numbers_of_more_than_64_bits(library: str) -> None:
    """They are an error of the program's own, as all values are that have no type."""
    values = [[2**70], [1]]
    frame: Any = pd.DataFrame({"items": values})
    if library == "polars":
        frame = pl.DataFrame({"items": pl.Series([set(v) for v in values], dtype=pl.Object)})
    with pytest.raises(mingle.InputError, match="more than 64 bits"):
        mingle.anonymize(frame, items="items", k=2, m=1, hierarchy={"1": "*"})


def test_durations_are_no_texts(lists: pd.DataFrame, tree: dict[str, str]) -> None:
    lists["stay"] = pd.to_timedelta([1] * len(lists), unit="s")
    with pytest.raises(mingle.InputError, match="it holds durations"):
        mingle.anonymize(lists, items="items", k=5, m=1, hierarchy=tree, keep_columns="stay")


def test_periods_are_no_texts() -> None:
    """Arrow has them as numbers, which nobody sees in the frame: as items, too, in a hierarchy."""
    months = pd.period_range("2020-01", periods=4, freq="M")
    long = pd.DataFrame({"bill": [i // 2 for i in range(24)], "month": list(months) * 6})
    long["who"], long["what"] = long.month, ["a", "b"] * 12
    tree: Any = {str(month): "*" for month in months} | {"600": "*", "a": "*", "b": "*"}
    of_periods: list[dict[str, Any]] = [
        {"items": "month", "by": "bill"},
        {"items": "what", "by": "month"},
        {"items": "what", "by": "bill", "person_column": "who"},
        {"items": "what", "by": "bill", "keep_columns": "who"},
    ]
    for named in of_periods:
        with pytest.raises(mingle.InputError, match="astype"):
            mingle.anonymize(long, k=2, m=1, hierarchy=tree, **named)
    ordered = long.assign(month=long.month.astype("category"))
    with pytest.raises(mingle.InputError, match="astype"):
        mingle.anonymize(ordered, items="month", by="bill", k=2, m=1, hierarchy=tree)
    levels = pd.DataFrame({"child": months, "parent": "*"})
    texts = long.assign(month=long.month.astype(str))
    with pytest.raises(mingle.InputError, match="astype"):
        mingle.anonymize(texts, items="month", by="bill", k=2, m=1, hierarchy=levels)
    levels["child"] = levels.child.astype(str)
    release = mingle.anonymize(texts, items="month", by="bill", k=2, m=1, hierarchy=levels)
    assert set(release.frame["month"]) <= {*map(str, months), "*"}
    assert mingle.inspect(long, items="what", by="bill", m=1)  # which passes the others over


def test_half_a_character_is_no_text() -> None:
    half: Any = {"\ud800": "*", "a": "*"}
    names = pd.Series(list(half), dtype=object)
    long = pd.DataFrame({"bill": [0, 1], "what": ["a", "a"]})
    for given in (half, pd.DataFrame({"child": names, "parent": "*"})):
        with pytest.raises(mingle.InputError, match="half a character"):
            mingle.anonymize(long, items="what", by="bill", k=2, m=1, hierarchy=given)
    long["what"] = names
    with pytest.raises(mingle.InputError, match="half a character"):
        mingle.anonymize(long, items="what", by="bill", k=2, m=1, hierarchy={"a": "*"})


def test_lazy_frames(tree: dict[str, str]) -> None:
    lazy = pl.DataFrame(columns(LONG)).lazy()
    release = mingle.anonymize(lazy, items="item", by="invoice", k=5, m=1, hierarchy=tree)
    assert isinstance(release.frame, pl.DataFrame)


def test_a_batch_is_a_table() -> None:
    """A batch of records has the columns of a table, and is one."""
    rows = [["a", "b"], ["b"]] * 12
    tree = pa.record_batch({"item": ["a", "b"], "group": ["*", "*"]})
    same: dict[str, Any] = {"items": "items", "k": 2, "m": 1, "hierarchy": tree}
    batch, table = pa.record_batch({"items": rows}), pa.table({"items": rows})
    of_batch = mingle.anonymize(batch, **same)
    assert of_batch.published == mingle.anonymize(table, **same).published
    assert isinstance(of_batch.frame, pa.Table)
    assert mingle.verify(of_batch, batch, k=2, m=1)
    assert mingle.inspect(batch, items="items")["occurrences"] == 36


def test_a_frame_that_is_none_or_has_mixed_values(tree: dict[str, str]) -> None:
    with pytest.raises(mingle.InputError, match="no frame"):
        mingle.anonymize([["a"]], items="items", k=5, m=1, hierarchy=tree)
    mixed = pd.DataFrame({"invoice": [1, 2], "item": [7, "7a"]})
    with pytest.raises(mingle.InputError, match="several types"):
        mingle.anonymize(mixed, items="item", by="invoice", k=2, m=1, hierarchy=tree)
    twice = pd.DataFrame([[1, 2, 3]], columns=["invoice", "item", "item"])
    with pytest.raises(mingle.InputError, match="twice"):
        mingle.anonymize(twice, items="item", by="invoice", k=2, m=1, hierarchy=tree)


def test_a_row_an_item_needs_its_transaction(long: pd.DataFrame, tree: dict[str, str]) -> None:
    """Else each row would be a transaction of one item, and the promise worth nothing."""
    with pytest.raises(mingle.InputError, match="by="):
        mingle.anonymize(long, items="item", k=5, m=2, hierarchy=tree)
    joined = pd.DataFrame({"set": ["|".join(row) for row in columns(ITEMS)["items"]]})
    of_text = mingle.anonymize(joined, items="set", inner_delimiter="|", k=5, m=2, hierarchy=tree)
    assert mingle.verify(of_text, joined, inner_delimiter="|", k=5, m=2)


def test_parquet(lists: pd.DataFrame, tree: dict[str, str], tmp_path: Path) -> None:
    release = mingle.anonymize(
        lists, items="items", k=5, m=2, hierarchy=tree, output_format="parquet"
    )
    release.save(tmp_path / "out.parquet")
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert table["items"].to_pylist() == release.frame["items"].to_list()


@pytest.mark.parametrize("form", ["parquet", "long", "jsonl", "fimi", "basket", "table", "xlsx"])
def test_every_format_can_be_judged(form: str) -> None:
    tree = {label: "*" for label in "abcd"}
    long = pd.DataFrame({"bill": [i // 2 for i in range(40)], "what": list("abcdabdcbd") * 4})
    release = mingle.anonymize(
        long, items="what", by="bill", k=2, m=2, hierarchy=tree, output_format=form
    )
    assert mingle.verify(release, long, k=2, m=2)
    if form != "table":  # whose delimiter would have to be named
        assert mingle.verify(release, k=2, m=2)


def test_persons(long: pd.DataFrame, tree: dict[str, str]) -> None:
    long["customer"] = long["invoice"] // 7 % 400
    release = mingle.anonymize(
        long, items="item", by="invoice", k=5, m=2, hierarchy=tree, person_column="customer"
    )
    assert list(release.frame.columns) == ["invoice", "item"]
    assert "distinct persons" in str(release.report["guarantee"])


def test_other_promises(lists: pd.DataFrame, tree: dict[str, str]) -> None:
    base_sets = mingle.anonymize(lists, items="items", family="nonreciprocal", k=4, seed="1")
    assert {"items", "uncertain", "threshold"} <= set(base_sets.frame.columns)
    assert mingle.verify(base_sets, lists, family="nonreciprocal", k=4)
    coherent = mingle.anonymize(
        lists, items="items", family="coherence", private=["Shampoo travel"], h=0.8, k=5, p=2,
        nugget_support="1%",
    )  # fmt: skip
    assert mingle.verify(
        coherent, lists, family="coherence", private=["Shampoo travel"], h=0.8, k=5, p=2
    )
    private = mingle.anonymize(
        lists, items="items", k=5, m=1, l=3, hierarchy=tree, sensitive=["Shampoo travel"]
    )
    assert private.report["guarantee"]["parameters"]["l"] == 3


def test_numbers(tmp_path: Path) -> None:
    payments = pd.DataFrame(
        {"account": [i // 3 for i in range(600)], "paid": [10.5 * (i % 40) for i in range(600)]}
    )
    release = mingle.anonymize(payments, items="paid", by="account", family="continuous", k=5, m=1)
    assert list(release.frame.columns) == ["account", "paid"]
    assert release.frame["account"].nunique() == 200
    assert mingle.verify(release, payments, family="continuous", k=5, m=1)
    bags = pl.DataFrame({"paid": [[10.5 * (i % 40), 3.0] for i in range(200)]})
    assert mingle.anonymize(bags, items="paid", family="continuous", k=5, m=1).verdict
