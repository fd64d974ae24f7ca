"""Groups: a query, and the candidates among which a reranker must find the right one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import orjson

Aliases = tuple[str, ...]
"""Names of one concept, the preferred first."""


@dataclass(frozen=True, slots=True)
class Group:
    """A query, its candidates, and which of them is right (Rahimi section 3.2).

    ``query`` are the aliases that are asked with, ``candidates`` the aliases of each candidate in the order in which
    search brought them. ``positive`` is the place of the right candidate, -1 where search did not bring it; all other
    candidates are negatives. ``confidences``, one for each candidate, say how sure search was of it; none where that is
    not known.
    """

    query: Aliases
    candidates: tuple[Aliases, ...]
    positive: int
    confidences: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not self.query or not all(self.candidates):
            raise ValueError("a query and every candidate of a group need an alias")
        if not -1 <= self.positive < len(self.candidates):
            raise ValueError(f"the positive is at {self.positive} of {len(self.candidates)} candidates")
        if self.confidences and len(self.confidences) != len(self.candidates):
            raise ValueError(f"{len(self.confidences)} confidences for {len(self.candidates)} candidates")

    @property
    def teaches(self) -> bool:
        """Whether there is something to learn: a right candidate and a wrong one."""
        return self.positive >= 0 and len(self.candidates) > 1


def groups_digest(groups: Iterable[Group]) -> str:
    """A SHA-256 of all that a reranker reads in the groups, in their order."""
    digest = hashlib.sha256()
    for group in groups:
        digest.update(orjson.dumps([group.query, group.candidates, group.positive]))
    return digest.hexdigest()
