"""What goes wrong, by the exit codes of the command. The texts are the command's own."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._verdict import Verdict


class Error(Exception):
    """An error of the command: messages has its lines, exit_code its code."""

    def __init__(self, messages: list[str], exit_code: int = 2) -> None:
        super().__init__("\n".join(messages))
        self.messages = messages
        self.exit_code = exit_code


class InputError(Error, ValueError):
    """Wrong usage or bad input (exit code 2). Nothing was written."""


class Refused(Error):
    """The promise cannot be kept with these parameters, or a threshold was not met (code 3)."""


class Breach(Error):
    """A published file does not keep its promise (code 3 of verify): verdict says where."""

    def __init__(self, messages: list[str], verdict: Verdict | None = None) -> None:
        super().__init__(messages, 3)
        self.verdict = verdict


class InternalError(Error):
    """A fault of the program or the machine, such as no space on the disk (code 1)."""


_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EMFILE, errno.ENFILE)


def of_system(what: str, err: OSError) -> Error:
    """The exception of what the system refused: of the machine, or of what was asked for."""
    messages = [f"{what}: {err.strerror or err}"]
    return InternalError(messages, 1) if err.errno in _MACHINE else InputError(messages)


def of_code(exit_code: int, messages: list[str]) -> BaseException:
    """The exception of an exit code; 130 is what Ctrl-C raises."""
    if exit_code == 130:
        return KeyboardInterrupt("\n".join(messages))
    if exit_code == 2:
        return InputError(messages)
    if exit_code == 3:
        return Refused(messages, 3)
    return InternalError(messages, exit_code)
