"""What to search for a query: which names, by which signals, among which concepts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ontonym.arrays import Ints, Mask

NameSource = Literal["O", "D", "OD"]
"""The names to search (Xu section 3.2): the ontology's, a user's or annotator's, or both."""

Representation = Literal["T", "C"]
"""What a query is compared with (Xu section 3.2): each name of a concept (T), or the mean of its names (C)."""


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """How to search for a query and how to order its candidates.

    ``signal`` is a name of `ontonym.index.signals.SIGNALS`. Each signal brings the concepts of its ``k`` nearest names;
    under representation C the dense signal brings the ``k`` concepts whose mean vectors are nearest.

    ``allowed`` is a bitmap of the concepts to search, None for all. ``hidden`` are name rows that are treated as
    absent, to learn from names as if they were not there. ``also`` are concepts that are scored in any case.

    With a ``seed``, equally good candidates are in random order; with None, in a fixed one. ``verbatim``: the query is
    searched for as it was typed, neither corrected nor expanded.
    """

    source: NameSource = "O"
    representation: Representation = "T"
    signal: str = "fused"
    k: int = 50
    allowed: Mask | None = None
    hidden: Ints | None = None
    also: tuple[int, ...] = ()
    seed: int | None = None
    verbatim: bool = False
