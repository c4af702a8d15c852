"""What the module costs over the command: processor seconds of whole processes, in pairs.

usage: python overhead.py DATA.dat HIERARCHY [PAIRS]

DATA is a fimi file. The command reads it from the disk; the other process starts Python, imports
the module and a library, reads the same data as a Parquet file, and takes the release as a frame.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

import mingle

PROMISE = {"k": 5, "m": 2}
WAYS = {
    "pandas, a row an item": "pandas.read_parquet('long.parquet'), items='item', by='tx'",
    "polars, lists": "polars.read_parquet('lists.parquet'), items='items'",
}


def seconds(words: list[str], where: str) -> tuple[float, str]:
    """Processor seconds of a process and of those that it started, and what it printed."""
    before = os.times()
    said = subprocess.run(words, cwd=where, check=True, stdout=subprocess.PIPE, text=True).stdout
    after = os.times()
    user = after.children_user - before.children_user
    return user + after.children_system - before.children_system, said


def main() -> None:
    data, tree = (str(Path(name).resolve()) for name in sys.argv[1:3])
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    rows = [line.split() for line in Path(data).read_text().splitlines()]
    long = [(i, item) for i, row in enumerate(rows) for item in row]
    with tempfile.TemporaryDirectory() as where:
        pyarrow.parquet.write_table(pa.table({"items": rows}), f"{where}/lists.parquet")
        columns = {"tx": [i for i, _ in long], "item": [item for _, item in long]}
        pyarrow.parquet.write_table(pa.table(columns), f"{where}/long.parquet")
        for way, source in WAYS.items():
            command = [mingle.program(), "anonymize", "km", data, "-H", tree, "-k5", "-m2", "--force"]
            command += ["-o", "out.arrows", "--report", "report.json", "--quiet"]
            script = f"import mingle, os, {way.split(',')[0]}\nmingle.anonymize({source}, "
            script += f"hierarchy={tree!r}, **{PROMISE}).frame\n"
            script += "print(os.times().user + os.times().system)"
            ratios, shares = [], []
            for _ in range(pairs):
                one, _ = seconds(command, where)
                other, own = seconds([sys.executable, "-c", script], where)
                ratios.append(other / one)
                shares.append(float(own) / one)
                print(f"{way}: command {one:.2f} s; Python {other:.2f} s, {own.strip()} its own",
                      flush=True)  # fmt: skip
            more, share = (100 * statistics.median(of) for of in (ratios, shares))
            print(f"{way}: median of {pairs} pairs {more - 100:+.1f} %, {share:.1f} % its own")



if __name__ == "__main__":
    main()
