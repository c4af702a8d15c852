"""What docs/python.md shows is run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import LONG, SHOP, columns, parents

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(blocks) >= 4
    shutil.copy(SHOP / "catalogue.csv", tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"df": pd.DataFrame(columns(LONG)), "tree": parents()}
    for block in blocks:
        exec(compile(block, PAGE.name, "exec"), names)
    assert (tmp_path / "page.html").exists()
