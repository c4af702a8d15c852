"""The shop of examples/shop as frames of each library, in both forms."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

SHOP = Path(__file__).parents[2] / "examples" / "shop"
ITEMS = ("items", None)  # a row a transaction
LONG = ("item", "invoice")  # a row an item


def baskets(most: int = 1500) -> list[list[str]]:
    with open(SHOP / "baskets.csv", newline="", encoding="utf-8") as lines:
        return [[label for label in row if label] for row in csv.reader(lines)][:most]


def parents() -> dict[str, str]:
    tree: dict[str, str] = {}
    for line in (SHOP / "catalogue.csv").read_text(encoding="utf-8").splitlines():
        way = line.split(";")
        tree.update(zip(way, way[1:]))
    return tree


def columns(form: tuple[str, str | None], most: int = 1500) -> dict[str, list[Any]]:
    rows = baskets(most)
    if form[1] is None:
        return {"items": rows}
    pairs = [(7 * i, label) for i, row in enumerate(rows) for label in row]
    return {"invoice": [pair[0] for pair in pairs], "item": [pair[1] for pair in pairs]}


LIBRARIES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


@pytest.fixture
def tree() -> dict[str, str]:
    return parents()


@pytest.fixture
def lists() -> pd.DataFrame:
    return pd.DataFrame(columns(ITEMS))


@pytest.fixture
def long() -> pd.DataFrame:
    return pd.DataFrame(columns(LONG))


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory in which the module's own directories are, for a test to look into."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path
