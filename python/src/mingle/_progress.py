"""How far a run is: a bar of tqdm, or a function of the caller."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from ._errors import InputError

Told = Callable[[str, int, int], None]


class Progress(Protocol):
    """Is called with a stage, how much of it is done, and the whole (0: not known)."""

    def __call__(self, stage: str, done: int, total: int) -> None: ...

    def close(self) -> None: ...


def choose(progress: bool | Told | None) -> Progress | None:
    """A bar, a function, or nothing.

    None: a bar where somebody looks (a terminal, a notebook) and tqdm is installed.
    """
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise InputError([f"progress ({progress!r}) must be True, False, None or a function"])
    if progress is False or (progress is None and not _watched()):
        return None
    if callable(progress):
        return _Function(progress)
    try:
        from tqdm.auto import tqdm
    except ImportError:
        if progress is None:
            return None
        raise
    return _Bar(tqdm)


def _watched() -> bool:
    asked = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = asked() if asked is not None else None
    return hasattr(shell, "kernel") or (sys.stderr is not None and sys.stderr.isatty())


class _Function:
    def __init__(self, tell: Told) -> None:
        self._tell = tell

    def __call__(self, stage: str, done: int, total: int) -> None:
        self._tell(stage, done, total)

    def close(self) -> None:
        pass


class _Bar:
    """One bar that begins anew with each stage."""

    def __init__(self, tqdm: Any) -> None:
        self._bar = tqdm(total=None, leave=False)
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self._stage = stage
            self._bar.reset(total or None)
            self._bar.set_description(stage)
        self._bar.update(max(0, done - self._bar.n))

    def close(self) -> None:
        with suppress(Exception):  # it must not hide why the run ended
            self._bar.close()
