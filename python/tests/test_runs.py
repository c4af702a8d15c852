"""What happens when a run fails, is stopped, or is looked at from outside."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import SHOP, parents

import mingle
from mingle import _frames, _make, _program


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[_program.Child]:
    """Every child that was started."""
    made: list[_program.Child] = []
    begin = _program.Child.__init__

    def noted(self: _program.Child, words: list[str], feed: Any) -> None:
        begin(self, words, feed)
        made.append(self)

    monkeypatch.setattr(_program.Child, "__init__", noted)
    return made


def ended(child: _program.Child) -> bool:
    return child._process.poll() is not None


@pytest.mark.parametrize(
    "options, kind, text",
    [
        ({"k": 50_000, "m": 2}, mingle.Refused, "is more than the number of transactions"),
        ({"k": 5, "m": 2, "fail_if": {"ncp": ">0"}}, mingle.Refused, "does not pass its thresholds"),
        ({"k": 5, "m": 2, "memory": "little"}, mingle.InputError, "memory"),
        ({"k": 5}, mingle.InputError, "needs --m"),
        ({"k": "x", "m": 2}, mingle.InputError, "must be a whole number"),
        ({"k": 5, "m": 2, "person_colum": "c"}, mingle.InputError, "did you mean --person-column"),
        ({"k": 5, "m": 2, "unheard_of": False}, mingle.InputError, "knows no flag --unheard-of"),
        ({"k": 5, "m": 2, "person_column": "c"}, mingle.InputError, 'there is no column "c"'),
        ({"k": 5, "m": 2, "family": "kmm"}, mingle.InputError, "there is no family"),
        ({"k": 5, "m": 2, "output": "x.csv"}, mingle.InputError, "no option here"),
        ({"k": 5, "m": 2, "sensitive": ["a\nb"], "l": 2}, mingle.InputError, "line end"),
        ({"k": 5, "m": 2, "sensitive": ["unheard of"], "l": 2}, mingle.InputError, "neither"),
        ({"k": 5, "m": 2, "seed": object()}, mingle.InputError, "neither a text"),
        ({"k": 5, "m": 2, "seed": b"12"}, mingle.InputError, "neither a text"),
        ({"k": {"5": "6"}, "m": 2}, mingle.InputError, "neither a text"),
        ({"k": 5, "m": 2, "keep_columns": 3}, mingle.InputError, 'no column "3"'),
        ({"k": 5, "m": 2, "keep_columns": pd.DataFrame()}, mingle.InputError, "nor a list"),
        ({"k": 5, "m": 2, "sensitive": b"flu", "l": 2}, mingle.InputError, "nor a list"),
        ({"k": 5, "m": 2, "fail_if": {"ncp": None}}, mingle.InputError, "nor a list"),
        ({"k": 5, "m": 2, "statements": {"owner": object()}}, mingle.InputError, "statements"),
        ({"k": 5, "m": 2, "help": True}, mingle.InputError, "no option here"),
        ({"k": 5, "m": 2, "progress": 5}, mingle.InputError, "must be True"),
        ({"k": 5, "m": 2, "null": ["\0"]}, mingle.InputError, "'--null=.*' has a NUL character"),
        ({"k": 5, "m": 2, "null": ["\ud800"]}, mingle.InputError, "'--null=.*' has half a character"),
        ({"k": 5, "m": 2, "a\0b": 1}, mingle.InputError, "has a NUL character"),
    ],
)
def test_errors_are_the_commands(
    options: dict[str, Any], kind: type[mingle.Error], text: str, lists: pd.DataFrame,
    tree: dict[str, str], private: Path, children: list[_program.Child],
) -> None:  # fmt: skip
    with pytest.raises(kind, match=text) as caught:
        mingle.anonymize(lists, items="items", hierarchy=tree, **options)
    assert "mingle:" not in str(caught.value) and caught.value.messages
    assert str(private) not in str(caught.value)
    assert not list(private.iterdir()) and all(map(ended, children))


def test_no_such_program(monkeypatch: pytest.MonkeyPatch, lists: pd.DataFrame) -> None:
    monkeypatch.setenv("MINGLE_PROGRAM", "/nowhere/mingle")
    with pytest.raises(mingle.InternalError, match="cannot start /nowhere/mingle"):
        mingle.inspect(lists, items="items")


def test_a_program_that_says_no_json(
    monkeypatch: pytest.MonkeyPatch, lists: pd.DataFrame, tmp_path: Path
) -> None:
    if sys.platform == "win32":
        pytest.skip("a script of the shell")
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\ncat > /dev/null\necho Usage:\n")
    other.chmod(0o700)
    monkeypatch.setenv("MINGLE_PROGRAM", str(other))
    with pytest.raises(mingle.InternalError, match="no JSON: Usage:"):
        mingle.inspect(lists, items="items")


def test_a_program_that_ends_at_once(
    monkeypatch: pytest.MonkeyPatch, lists: pd.DataFrame, tmp_path: Path
) -> None:
    if sys.platform == "win32":
        pytest.skip("a script of the shell")
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\nexit 0\n")
    other.chmod(0o700)
    monkeypatch.setenv("MINGLE_PROGRAM", str(other))
    large = pd.DataFrame({"items": [["a" * 1000]] * 1000})  # more than a pipe holds
    with pytest.raises(mingle.InternalError, match="ended before it had read its input"):
        mingle.inspect(large, items="items")


def test_no_place_for_temporary_files(
    monkeypatch: pytest.MonkeyPatch, lists: pd.DataFrame, tree: dict[str, str], tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    with pytest.raises(mingle.InputError, match="none: set TMP"):
        mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=tree)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    refused = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def fail(*_: object) -> None:
        raise refused

    monkeypatch.setattr("pathlib.Path.write_bytes", fail)
    with pytest.raises(mingle.InternalError, match="cannot write hierarchy.csv: No space left"):
        mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=tree)


def test_version() -> None:
    said = subprocess.run([mingle.program(), "version"], capture_output=True, text=True, check=True)
    assert said.stdout.split()[:2] == ["mingle", mingle.__version__]


def test_hierarchies_that_are_wrong(lists: pd.DataFrame, tree: dict[str, str]) -> None:
    del tree["Shampoo travel"]
    with pytest.raises(mingle.InputError, match="Shampoo travel"):
        mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=tree)
    with pytest.raises(mingle.InputError, match="must be one label"):
        mingle.anonymize(lists, items="items", k=5, m=2, hierarchy={"a": {"b": "c"}})
    with pytest.raises(mingle.InputError, match="^hierarchy.csv: the hierarchy is empty"):
        mingle.anonymize(lists, items="items", k=5, m=2, hierarchy={})
    with pytest.raises(mingle.InputError, match="several values"):
        mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=lists)
    with pytest.raises(mingle.InputError, match="nowhere.csv"):
        mingle.anonymize(lists, items="items", k=5, m=2, hierarchy="nowhere.csv")
    with pytest.raises(mingle.InputError, match="has a NUL character"):
        mingle.anonymize(lists, items="items", k=5, m=2, hierarchy="a\0b")


def test_a_breach_is_an_exception(lists: pd.DataFrame, tree: dict[str, str]) -> None:
    with pytest.raises(mingle.Breach, match="fewer than 5") as caught:
        mingle.verify(lists, items="items", hierarchy=tree, k=5, m=2)
    verdict = caught.value.verdict
    assert verdict is not None and not verdict and verdict.breaches[0]["needed"] == 5
    release = mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=tree)
    with pytest.raises(mingle.InputError, match="there is no family"):
        mingle.verify(release, lists, family="kmm", k=5, m=2)
    other = lists.iloc[::-1].reset_index(drop=True)
    with pytest.raises(mingle.Breach):
        mingle.verify(release, other, k=5, m=2)


def test_the_original_is_on_no_disk(
    lists: pd.DataFrame, tree: dict[str, str], private: Path
) -> None:
    """While it runs there is one directory, of nobody else, without the data; then there is none."""
    rows = pd.DataFrame({"items": [["Shampoo travel", "Pears 500 g"]] * 40 + list(lists["items"])})
    rows["ward"] = "a secret place"
    modes: set[int] = set()
    seen: list[bytes] = []

    def look(stage: str, done: int, total: int) -> None:
        for path in private.rglob("*"):
            if path.is_dir():
                modes.add(stat.S_IMODE(path.stat().st_mode))
            elif not path.name.startswith(("release", ".mingle-")):
                seen.append(path.read_bytes())

    release = mingle.anonymize(
        rows, items="items", k=5, m=2, hierarchy=tree, keep_columns="ward", progress=look
    )
    assert modes == {0o700}
    assert seen and not any(b"a secret place" in text for text in seen)
    assert not list(private.iterdir())
    assert b"a secret place" in release.published  # it was asked for


def test_an_exception_ends_the_child(
    lists: pd.DataFrame, tree: dict[str, str], private: Path, children: list[_program.Child]
) -> None:
    def fail(stage: str, done: int, total: int) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=tree, progress=fail)
    assert children and all(map(ended, children)) and not list(private.iterdir())


def test_half_a_stream_is_no_release(
    lists: pd.DataFrame, tree: dict[str, str], private: Path, children: list[_program.Child],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A stream that breaks off between batches reads like one that is whole."""
    whole = _frames.write_stream

    def half(data: Any, to: BinaryIO) -> None:
        whole(data.slice(0, 700), to)
        to.flush()
        raise MemoryError

    monkeypatch.setattr(_frames, "write_stream", half)
    with pytest.raises(MemoryError):
        mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=tree)
    assert children and all(map(ended, children)) and not list(private.iterdir())


LONG_WORK = """
import os, random, sys
sys.path[:0] = {paths!r}
import conftest, mingle, pandas

draw = random.Random(1)
items = sorted({{label for row in conftest.baskets() for label in row}})
rows = [draw.sample(items, 5) for _ in range(20000)]

def tell(stage, done, total):
    print(stage, flush=True)

try:
    release = mingle.anonymize(
        pandas.DataFrame({{"items": rows}}), items="items", k=5, m=3,
        hierarchy=conftest.parents(), algorithm="local", effort=1000000, progress=tell, {more})
    print("released", release.verdict.holds, flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
@pytest.mark.parametrize("more, outcome", [("", "interrupted"), ("keep_best=True", "released True")])
def test_ctrl_c(more: str, outcome: str, tmp_path: Path) -> None:
    """It ends the child, or asks it for the best so far. The work would take minutes."""
    here = Path(__file__).parent
    script = LONG_WORK.format(paths=[str(here), *sys.path], more=more)
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    stdout = process.stdout
    assert stdout is not None
    try:
        for line in stdout:
            if "specialising" in line:
                process.send_signal(signal.SIGINT)
                break
        assert stdout.read().splitlines()[-1] == outcome
        assert process.wait(60) == 0
        assert not list(tmp_path.iterdir())
    finally:
        process.kill()
        stdout.close()


def test_in_a_thread(lists: pd.DataFrame, tree: dict[str, str]) -> None:
    made: list[bool] = []

    def work() -> None:
        release = mingle.anonymize(
            lists, items="items", k=5, m=2, hierarchy=tree, keep_best=True, algorithm="local"
        )
        made.append(release.verdict.holds)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [True, True]


def test_progress(lists: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:
    stages: list[str] = []
    mingle.inspect(lists, items="items", progress=lambda stage, done, total: stages.append(stage))
    assert stages
    mingle.inspect(lists, items="items")
    assert capsys.readouterr().err == ""  # nobody looks
    mingle.inspect(lists, items="items", progress=True)
    assert "reading" in capsys.readouterr().err


def test_inspect(lists: pd.DataFrame, long: pd.DataFrame) -> None:
    one = mingle.inspect(lists, items="items", m=2)
    other = mingle.inspect(long, items="item", by="invoice", m=2)
    assert one["transactions"] == len(lists) and one["unique"] == other["unique"]
    lists["customer"] = [i % 400 for i in range(len(lists))]
    assert mingle.inspect(lists, items="items")["persons"]


def test_inspect_passes_over_columns_that_nobody_named(lists: pd.DataFrame) -> None:
    """It looks whether they are of persons, and does not refuse the frame for what they hold."""
    n = len(lists)
    frame: dict[str, Any] = {
        "mixed": [7, "7a"] * (n // 2), "bytes": [b"\xff"] * n, "nul": ["a\0b"] * n,
        "month": pd.period_range("2020-01", periods=n, freq="D"), "objects": [object()] * n,
        "more": [["a"]] * n, "large": [2**70] * n, "customer": [i % 400 for i in range(n)],
    }  # fmt: skip
    beside = lists.assign(**frame)
    beside = pd.concat([beside, pd.DataFrame([[1, 2, 3]] * n, columns=["twice", "twice", 7])], axis=1)
    found = mingle.inspect(beside, items="items")
    assert [person["name"] for person in found["persons"]] == ["customer"]
    assert found["transactions"] == n
    wide = pl.DataFrame({"items": lists["items"].to_list(), "wide": [1] * n}).with_columns(
        pl.col("wide").cast(pl.Int128)
    )
    assert mingle.inspect(wide, items="items")["transactions"] == n
    with pytest.raises(mingle.InputError, match="'wide' has a type that has none in Arrow"):
        mingle.inspect(wide, items="items", label="wide")
    beside["invoice"], beside["item"] = range(n), ["a", "b"] * (n // 2)
    sent, _, _ = _make.source(beside, "item", "invoice", "km", {})
    assert sent.column_names == ["invoice", "item"]
    sent, _, _ = _make.source(beside, "items", None, "km", {})
    assert sent.column_names == ["items"]  # as anonymize and verify send it


def test_save(lists: pd.DataFrame, tree: dict[str, str], tmp_path: Path) -> None:
    release = mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=tree)
    published, report, page = (tmp_path / n for n in ("out.arrows", "report.json", "page.html"))
    release.save(published, report=report, page=page)
    assert published.read_bytes() == release.published
    checked = subprocess.run(
        [mingle.program(), "report", "--check", str(report), str(published)], capture_output=True
    )
    assert checked.returncode == 0, checked.stderr
    assert json.loads(report.read_text()) == release.report
    assert page.read_text().startswith("<!DOCTYPE html>") and page.read_text() == release.page
    with pytest.raises(mingle.InputError, match="is there already"):
        release.save(tmp_path / "new.arrows", report=report)
    assert not (tmp_path / "new.arrows").exists()
    release.save(published, report=report, force=True)
    with pytest.raises(mingle.InputError, match="output_format"):
        release.save(tmp_path / "out.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["out.arrows", "report.json", "page.html"]
    )


def test_two_files_are_two_places(
    lists: pd.DataFrame, tree: dict[str, str], tmp_path: Path
) -> None:
    """Else the last one would be all that is left, whatever the names are."""
    release = mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=tree)
    published, other = tmp_path / "out.arrows", tmp_path / "out.json"
    for link in (os.symlink, os.link):
        published.write_bytes(b"before")
        link(published, other)
        with pytest.raises(mingle.InputError, match="and the report would both be written to"):
            release.save(published, report=other, force=True)
        assert published.read_bytes() == b"before"
        other.unlink()
    with pytest.raises(mingle.InputError, match="and the page would both be written to"):
        release.save(published, report=tmp_path / "x", page=tmp_path / "." / "x", force=True)
    other.symlink_to("new.arrows")  # which is not there yet
    with pytest.raises(mingle.InputError, match="name two files"):
        release.save(tmp_path / "new.arrows", report=other)
    for wrong in ("out.arrows", "q.pdf", "q.html"):
        with pytest.raises(mingle.InputError, match="the report is written as .json"):
            release.save(published, report=tmp_path / wrong, force=True)
    with pytest.raises(mingle.InputError, match="the page is written as .html"):
        release.save(published, page=tmp_path / "q.pdf", force=True)
    assert published.read_bytes() == b"before"


@pytest.mark.skipif(sys.platform == "win32", reason="rights are those of POSIX")
def test_what_is_replaced_keeps_its_rights_and_its_place(
    lists: pd.DataFrame, tree: dict[str, str], tmp_path: Path
) -> None:
    release = mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=tree)
    mask = os.umask(0o022)
    try:
        release.save(tmp_path / "new.arrows")
        for before, after in [(0o600, 0o600), (0o777, 0o644), (0o640, 0o640)]:
            path, link = tmp_path / f"{before:o}.arrows", tmp_path / f"link{before:o}.arrows"
            path.touch()
            path.chmod(before)
            link.symlink_to(path.name)
            release.save(link, force=True)
            assert link.is_symlink() and path.read_bytes() == release.published
            assert stat.S_IMODE(path.stat().st_mode) == after
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new.arrows").stat().st_mode) == 0o644
    os.mkfifo(tmp_path / "pipe.arrows")
    with pytest.raises(mingle.InputError, match="is no ordinary file"):
        release.save(tmp_path / "pipe.arrows", force=True)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="root may give groups")
def test_another_group_gets_what_everybody_had(
    lists: pd.DataFrame, tree: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=tree)
    kept, other = tmp_path / "kept.arrows", tmp_path / "other.arrows"
    for path in (kept, other):
        path.touch()
        path.chmod(0o640)
        os.chown(path, -1, 12345)
    release.save(kept, force=True)
    assert kept.stat().st_gid == 12345 and stat.S_IMODE(kept.stat().st_mode) == 0o640

    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("os.chown", refused)
    release.save(other, force=True)
    assert other.stat().st_gid != 12345 and stat.S_IMODE(other.stat().st_mode) == 0o600


@pytest.mark.parametrize("links", [True, False])
def test_what_appears_meanwhile_is_not_replaced(
    lists: pd.DataFrame,
    tree: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    links: bool,
) -> None:
    release = mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=tree)
    path, sync = tmp_path / "out.arrows", os.fsync
    if not links:  # as a file system without them says it

        def refused(*_: object) -> None:
            raise PermissionError

        monkeypatch.setattr("os.link", refused)
    release.save(tmp_path / "first.arrows")
    assert (tmp_path / "first.arrows").read_bytes() == release.published

    def meanwhile(handle: int) -> None:
        sync(handle)
        path.write_bytes(b"of another")

    monkeypatch.setattr("os.fsync", meanwhile)
    with pytest.raises(mingle.InputError, match="is there already: force=True"):
        release.save(path)
    assert path.read_bytes() == b"of another"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["first.arrows", "out.arrows"]
    release.save(path, force=True)
    assert path.read_bytes() == release.published


def test_where_nothing_can_be_saved(
    lists: pd.DataFrame, tree: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the caller named wrongly is InputError; what the machine refuses is not."""
    release = mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=tree)
    (tmp_path / "directory.arrows").mkdir()
    good = tmp_path / "out.arrows"
    for name, text in [("none/out.arrows", "there is no directory"),
                       ("directory.arrows", "it is a directory")]:  # fmt: skip
        with pytest.raises(mingle.InputError, match=text) as caught:
            release.save(tmp_path / name)
        assert ".mingle-" not in str(caught.value)
    with pytest.raises(mingle.InputError, match="there is no directory"):
        release.save(good, page=tmp_path / "none" / "page.html")
    with pytest.raises(mingle.InputError, match="is no path"):
        release.save(io.BytesIO())  # type: ignore[arg-type]
    for name in ("a\0.arrows", "\ud800.arrows"):
        with pytest.raises(mingle.InputError, match="is no path"):
            release.save(tmp_path / name)
    assert not good.exists()
    for number, kind in [(errno.ENOSPC, mingle.InternalError), (errno.EACCES, mingle.InputError)]:
        refused = OSError(number, os.strerror(number))

        def fail(*_: object, _err: OSError = refused) -> None:
            raise _err

        monkeypatch.setattr("os.fsync", fail)
        with pytest.raises(kind, match=os.strerror(number)):
            release.save(good)
        assert [path.name for path in tmp_path.iterdir()] == ["directory.arrows"]


def test_what_a_notebook_shows_is_public(lists: pd.DataFrame) -> None:
    release = mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=parents())
    shown = release._repr_html_()
    assert "5^2-anonymity" in shown
    for value in release.losses.values():
        assert f"{value:.4g}" not in shown
    release.report["warnings"] = ["<script>alert(1)</script>"]
    assert "<script>" not in release._repr_html_()


def test_signed(lists: pd.DataFrame, tree: dict[str, str]) -> None:
    release = mingle.anonymize(lists, items="items", k=5, m=2, hierarchy=tree)
    assert "The shop of Anna" in release.signed({"owner": "The shop of Anna"})
    with pytest.raises(mingle.Error):
        release.signed({"owner": "The shop of Anna"}, final=True)


def test_the_audit_file_is_the_owners(
    lists: pd.DataFrame, tree: dict[str, str], tmp_path: Path
) -> None:
    audit = tmp_path / "audit.json"
    release = mingle.anonymize(
        lists, items="items", k=5, m=2, hierarchy=SHOP / "catalogue.csv", audit=audit, shuffle=True,
        seed="1",
    )  # fmt: skip
    assert stat.S_IMODE(audit.stat().st_mode) == 0o600
    assert mingle.verify(release, lists, k=5, m=2, audit=audit)


def test_options_are_flags() -> None:
    """What the module knows of single flags is so."""
    from mingle import _options

    text = subprocess.run(
        [mingle.program(), "anonymize", "km", "--help"], capture_output=True, text=True, check=True
    ).stdout
    apart = {
        line.split()[0].removeprefix("--").replace("-", "_")
        for line in text.splitlines()
        if line.split()[1:2] == ["strings"] and line.lstrip().startswith("--")
    }
    assert apart == set(_options.APART)
    assert _options.words({"keep_columns": ["a,b", 'c"d'], "k": 5, "gap": True, "memory": None}) == [
        '--keep-columns="a,b"', '--keep-columns="c""d"', "--k=5", "--gap=true",
    ]  # fmt: skip
    numbers = {"k": np.int64(5), "h": np.float32(0.1), "gap": np.bool_(True)}
    assert _options.words(numbers) == ["--k=5", "--h=0.1", "--gap=true"]
    assert _options.words({"null": "NA,NULL"}) == ["--null=NA,NULL"]  # as on the command line
    assert _options.columns({"keep_columns": 'age,"a,b"', "label": "x,y"}) == ["age", "a,b", "x,y"]
