"""A judgement of the verifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Verdict:
    """What the verifier found. details has all of it, as the command tells programs."""

    def __init__(self, details: Mapping[str, Any]) -> None:
        self.details = dict(details)

    @property
    def holds(self) -> bool:
        """Whether the promise is kept."""
        return bool(self.details["holds"])

    @property
    def promise(self) -> str:
        """Which promise, such as 5^2-anonymity."""
        return str(self.details.get("promise", ""))

    @property
    def breaches(self) -> list[dict[str, Any]]:
        """Where it is not kept: message, itemset, support, lines."""
        return list(self.details.get("breaches") or [])

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        return f"<mingle.Verdict: {self.promise} {'holds' if self.holds else 'does not hold'}>"
