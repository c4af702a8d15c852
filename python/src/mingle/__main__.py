"""python -m mingle: the command, where the folder of commands is not on the path."""

from __future__ import annotations

import os
import subprocess
import sys

from ._program import find


def main() -> None:
    """Becomes the command, so that its exit code and its signals are its own."""
    if sys.platform != "win32":
        os.execv(find(), ["mingle", *sys.argv[1:]])
    child = subprocess.Popen([find(), *sys.argv[1:]])
    while True:
        try:
            sys.exit(child.wait())
        except KeyboardInterrupt:  # the console tells the child, too, which ends within a second
            continue


if __name__ == "__main__":
    main()
