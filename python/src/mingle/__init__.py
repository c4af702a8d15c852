"""Publish set-valued data so that nobody in it can be singled out, and prove it.

A thin layer over the command of the same name, which is inside this package. Frames of pandas,
polars and pyarrow go to it as an Arrow stream through its standard input; the original is never
written to a disk.

    release = mingle.anonymize(df, items="item", by="invoice", k=5, m=2, hierarchy=tree)
    release.frame      # what may be published, of the same library as df
    release.report     # what may be published about it

Every flag of the command is an option: --person-column NAME is person_column="NAME".
"""

from . import estimate
from ._check import inspect, verify
from ._errors import Breach, Error, InputError, InternalError, Refused
from ._make import anonymize
from ._program import find as program
from ._release import Release
from ._verdict import Verdict

__version__ = "0.2.0"

__all__ = [
    "Breach",
    "Error",
    "InputError",
    "InternalError",
    "Refused",
    "Release",
    "Verdict",
    "__version__",
    "anonymize",
    "estimate",
    "inspect",
    "program",
    "verify",
]
