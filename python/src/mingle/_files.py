"""Files that are saved: where each goes, and with which rights."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ._errors import InputError, of_system


@dataclass
class File:
    """A file to be written."""

    role: str  # what messages call it
    path: Path  # as the caller named it
    text: bytes
    real: str = field(init=False)  # with symbolic links followed
    there: os.stat_result | None = field(init=False)  # what is there

    def __post_init__(self) -> None:
        try:
            self.real = os.path.realpath(self.path)
            self.there = _stat(self.path)
        except OSError as err:
            raise of_system(f"cannot write {self.path}", err) from err

    def same(self, other: File) -> bool:
        """Whether both are one file: by its name, or by links that lead to it."""
        if self.there and other.there:
            return os.path.samestat(self.there, other.there)
        return os.path.normcase(self.real) == os.path.normcase(other.real)

    def faults(self, force: bool) -> list[str]:
        """Why it cannot be there."""
        above = os.path.dirname(self.real)
        if not os.path.isdir(above):
            return [f"cannot write {self.path}: there is no directory {above}"]
        if self.there is None:
            return []
        if stat.S_ISDIR(self.there.st_mode):
            return [f"cannot write {self.path}: it is a directory"]
        if not stat.S_ISREG(self.there.st_mode):
            return [f"cannot write {self.path}: it is no ordinary file"]
        return [] if force else [f"{self.path} is there already: force=True replaces it"]


def path_of(given: object) -> Path:
    """A path as one of Python, if it is one of a file."""
    if not isinstance(given, (str, os.PathLike)):
        raise InputError([f"{type(given).__name__} is no path: name a file"])
    try:
        path = Path(given)
        if b"\0" in os.fsencode(path):
            raise InputError([f"{given!r} is no path: it has a NUL character"])
    except (TypeError, UnicodeEncodeError) as err:
        raise InputError([f"{given!r} is no path: {err}"]) from err
    return path


def write(files: Sequence[File], force: bool) -> None:
    """Writes all files, after it has looked at all of them."""
    faults = [
        f"the {one.role} and the {other.role} would both be written to {other.path}: name two files"
        for i, other in enumerate(files)
        for one in files[:i]
        if one.same(other)
    ]
    for file in files:
        faults += file.faults(force)
    if faults:
        raise InputError(faults)
    for file in files:
        try:
            _put(file, force)
        except FileExistsError as err:  # it appeared meanwhile
            raise InputError([f"{file.path} is there already: force=True replaces it"]) from err
        except OSError as err:
            raise of_system(f"cannot write {file.path}", err) from err


def _stat(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _put(file: File, force: bool) -> None:
    """Writes a file: a temporary one beside it, in its place when it is whole."""
    handle, name = tempfile.mkstemp(prefix=".mingle-", dir=os.path.dirname(file.real))
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(file.text)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(name, _mode(file.real, name))
        _appear(name, file.real, force)
    except BaseException:
        os.unlink(name)
        raise


def _appear(name: str, real: str, force: bool) -> None:
    """Gives the file at name the name real, in place of what is there only with force."""
    if not force:
        try:
            os.link(name, real)  # unlike a rename this replaces nothing
        except FileExistsError:
            raise
        except OSError:  # the file system has no links
            if _stat(real):
                raise FileExistsError(real) from None
        else:
            os.unlink(name)
            return
    os.replace(name, real)


def _mode(path: str, new: str) -> int:
    """The mode of the file new in the place of path: of what is there now no right that it does not
    give, as the command has it."""
    mask = os.umask(0)
    os.umask(mask)
    mode, there = 0o666 & ~mask, _stat(path)
    if there is None:
        return mode
    mode &= there.st_mode
    if _has_list(path) or not _same_group(new, there.st_gid):
        mode &= ~0o070 | (mode & 0o007) << 3  # another group gets what everybody has
    return mode


def _has_list(path: str) -> bool:
    """Whether a file has an access control list: its mode is not what its group may do then."""
    try:
        return "system.posix_acl_access" in os.listxattr(path)
    except (AttributeError, OSError):  # there are none here
        return False


def _same_group(path: str, group: int) -> bool:
    """Gives a file a group where that is allowed; whether the file has it."""
    if os.stat(path).st_gid == group:
        return True
    try:
        os.chown(path, -1, group)
    except (AttributeError, OSError):
        return False
    return True
