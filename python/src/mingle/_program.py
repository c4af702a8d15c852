"""Runs the command: data in, events out, no child left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from importlib import metadata
from pathlib import Path
from typing import Any, BinaryIO

from ._errors import InternalError, of_code
from ._progress import Progress

Feed = Callable[[BinaryIO], None]

_WINDOWS = sys.platform == "win32"
_PATIENCE = 3.0  # seconds a child that was told to end may take; the command needs less than one


def find() -> str:
    """Path of the command: that which MINGLE_PROGRAM names, else the one of this wheel.

    None that only happens to be on the path is taken: it may be of another version.
    """
    named = os.environ.get("MINGLE_PROGRAM")
    if named:
        return named
    name = "mingle.exe" if _WINDOWS else "mingle"
    for path in (_installed(name), Path(__file__).parents[1] / "bin" / name):
        if path is not None and path.is_file():
            return str(path)
    raise InternalError(
        [f"the wheel's own command {name} is missing: install the wheel of this platform again, or"
         " set MINGLE_PROGRAM"], 1,
    )  # fmt: skip


def _installed(name: str) -> Path | None:
    """Where the installer says that it put the command."""
    with suppress(metadata.PackageNotFoundError):
        for path in metadata.files("mingle") or ():
            if path.name == name and path.parent.name != "mingle":
                return Path(os.path.normpath(str(path.locate())))
    return None


def run(
    words: list[str],
    feed: Feed | None = None,
    progress: Progress | None = None,
    *,
    keep_best: bool = False,
    verdict: bool = False,
) -> Any:
    """Runs the command with --json and returns its result.

    feed writes its standard input. With verdict, exit code 3 is a result too. With keep_best the
    first Ctrl-C asks for the best result so far. Raises the exception of its exit code.
    """
    child = Child([*words, "--json"], feed)
    result: Any = None
    messages: list[str] = []
    try:
        with child.first_interrupt_asks() if keep_best else nullcontext():
            for line in child.lines():
                event = _event(line)
                if event["event"] == "progress" and progress is not None:
                    progress(event["stage"], event["done"], event["total"])
                elif event["event"] == "result":
                    result = event["result"]
                elif event["event"] == "error":
                    messages = event["messages"]
            code = child.wait()
    finally:
        child.end()
        if progress is not None:
            progress.close()
    if code != 0 and not (verdict and code == 3 and result is not None):
        raise of_code(code, messages or child.said())
    if result is None:
        raise InternalError(["the command ended without a result"], 1)
    return result


def _event(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError as err:
        said = line[:80].decode("utf-8", "replace")
        raise InternalError([f"the command said what is no JSON: {said}"], 1) from err


def plain(words: list[str], given: bytes | None = None) -> bytes:
    """Runs the command without --json and returns its standard output."""
    child = Child(words, None if given is None else lambda stdin: _write(stdin, given))
    try:
        out = b"".join(child.chunks())
        code = child.wait()
    finally:
        child.end()
    if code != 0:
        raise of_code(code, child.said())
    return out


def _write(stdin: BinaryIO, given: bytes) -> None:
    stdin.write(given)


class Child:
    """One run of the command. Ctrl-C reaches it through this process alone, at a terminal too."""

    def __init__(self, words: list[str], feed: Feed | None) -> None:
        group: dict[str, Any] = {"start_new_session": True}
        if _WINDOWS:
            group = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
        command = find()
        try:
            self._process = subprocess.Popen(
                [command, *words],
                stdin=subprocess.DEVNULL if feed is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                **group,
            )
        except OSError as err:
            raise InternalError([f"cannot start {command}: {err.strerror or err}"], 1) from err
        self._errors = bytearray()
        self._unfed: BaseException | None = None
        self._threads = [threading.Thread(target=self._listen, daemon=True)]
        if feed is not None:
            self._threads.append(threading.Thread(target=self._feed, args=(feed,), daemon=True))
        for thread in self._threads:
            thread.start()

    def _listen(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        with suppress(OSError, ValueError):
            for chunk in iter(lambda: stderr.read1(65536), b""):  # type: ignore[attr-defined]
                self._errors += chunk
                del self._errors[:-65536]

    def _feed(self, feed: Feed) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            feed(stdin)  # type: ignore[arg-type]
        except BaseException as err:
            # The pipe stays open until the child has ended: a part of the data must not look whole.
            self._unfed = err
            self.interrupt(signal.SIGTERM)
            return
        try:
            stdin.close()
        except OSError as err:
            self._unfed = err

    def chunks(self) -> Iterator[bytes]:
        """Standard output as it comes."""
        stdout = self._process.stdout
        assert stdout is not None
        while chunk := os.read(stdout.fileno(), 1 << 16):
            yield chunk

    def lines(self) -> Iterator[bytes]:
        """Standard output by lines."""
        begun: list[bytes] = []  # a line of which the end has not come
        for chunk in self.chunks():
            *whole, rest = chunk.split(b"\n")
            for line in whole:
                yield b"".join([*begun, line])
                begun = []
            begun.append(rest)
        if any(begun):
            yield b"".join(begun)

    @contextmanager
    def first_interrupt_asks(self) -> Iterator[None]:
        """Passes the first Ctrl-C on to the child and goes on; the second is as ever.

        Signals come to the main thread; in others there is nothing to do.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.getsignal(signal.SIGINT)

        def ask(*_: object) -> None:
            signal.signal(signal.SIGINT, before)
            self.interrupt(signal.SIGINT)

        signal.signal(signal.SIGINT, ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def interrupt(self, with_signal: signal.Signals) -> None:
        """Asks the child to end."""
        with suppress(OSError, ValueError):
            if _WINDOWS:
                self._process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", with_signal))
            else:
                self._process.send_signal(with_signal)

    def wait(self) -> int:
        """The exit code, after the child ended by itself; raises why its input was not whole."""
        code = self._process.wait()
        for thread in self._threads:
            thread.join(_PATIENCE)
        gone = isinstance(self._unfed, (BrokenPipeError, ConnectionError)) or (
            isinstance(self._unfed, OSError) and _WINDOWS
        )
        if gone and code == 0:
            raise InternalError(["the command ended before it had read its input"], 1) from self._unfed
        if self._unfed is not None and not gone:
            raise self._unfed
        return code if code >= 0 else 128 - code

    def end(self) -> None:
        """Ends the child if it has not ended, and closes its pipes."""
        if self._process.poll() is None:
            self.interrupt(signal.SIGTERM)
            try:
                self._process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        for thread in self._threads:
            thread.join(_PATIENCE)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(OSError, ValueError):
                if pipe is not None:
                    pipe.close()

    def said(self) -> list[str]:
        """What the child said on standard error."""
        text = self._errors.decode("utf-8", "replace").rstrip("\n")
        lines = [line.removeprefix("mingle: ") for line in text.split("\n")]
        return lines if text else ["the command ended, and did not say why"]
