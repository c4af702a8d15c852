"""The first release in Python, run as a notebook."""

from __future__ import annotations

import base64
import os
import re
from pathlib import Path
from typing import Any

import nbclient
import nbformat

SOURCE = Path(__file__).parents[2] / "examples" / "notebook.py"


def notebook(text: str) -> Any:
    """The cells of a script of the percent format."""
    made = nbformat.v4.new_notebook()
    for mark, body in re.findall(r"^# %%(.*)\n((?:(?!# %%).*\n)*)", text, re.M):
        if "markdown" in mark:
            made.cells.append(nbformat.v4.new_markdown_cell(re.sub(r"^# ?", "", body, flags=re.M)))
        else:
            made.cells.append(nbformat.v4.new_code_cell(body.strip()))
    return made


def test_notebook(tmp_path: Path) -> None:
    made = notebook(SOURCE.read_text(encoding="utf-8"))
    made.cells.insert(0, nbformat.v4.new_code_cell("%matplotlib inline"))
    environment = {**os.environ, "TMPDIR": str(tmp_path), "IPYTHONDIR": str(tmp_path / "ipython")}
    nbclient.NotebookClient(made, timeout=300).execute(env=environment)
    outputs = [output for cell in made.cells for output in cell.get("outputs", [])]
    pictures = [o["data"]["image/png"] for o in outputs if "image/png" in o.get("data", {})]
    assert len(pictures) == 3
    folder = os.environ.get("MINGLE_PICTURES")  # for somebody to look at
    for i, picture in enumerate(pictures):
        text = base64.b64decode(picture)
        assert text.startswith(b"\x89PNG") and len(text) > 5000
        if folder:
            (Path(folder) / f"notebook-{i + 1}.png").write_bytes(text)
    assert any("Verified: 10^2-anonymity" in o.get("data", {}).get("text/html", "") for o in outputs)
    assert any("10^2-anonymity holds" in o.get("data", {}).get("text/plain", "") for o in outputs)
    for name in ("published.arrows", "report.json", "page.html"):
        assert name in outputs[-1]["data"]["text/plain"]
    kept = nbformat.writes(made)  # what somebody would save and share
    assert "Traceback" not in kept and str(tmp_path) not in kept
