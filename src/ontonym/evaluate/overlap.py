"""Ngo's overlap degree: how much of a query is written in the names of the concept it is after."""

from __future__ import annotations

from collections.abc import Iterable

from ontonym.text.normalization import tokens

STOP_WORDS = frozenset(
    "a an and are as at be by for from has have in is it its of on or that the this to was with".split()
)
"""English words that tell nothing of a concept; those that deny ("no", "without") are not among them."""

EDGES = (0.2, 0.4, 0.6, 0.8, 1.0)
"""The upper ends of the intervals of Ngo's figure 3; each begins where the one before ends, the first at 0."""


def overlap_degree(query: str, labels: Iterable[str]) -> float:
    """The share in [0, 1] of the query's different words, without stop words, that some label of the concept has.

    ``|T_q ∩ T_c| / |T_q|`` (Ngo, "Impact of Overlapping Text and Synonymy"); words are compared after text
    normalization. A query of stop words only has 0.
    """
    asked = frozenset(tokens(query)) - STOP_WORDS
    if not asked:
        return 0.0
    known = frozenset(word for label in labels for word in tokens(label))
    return len(asked & known) / len(asked)


def interval(degree: float) -> str:
    """The interval of `EDGES` that a degree is in: ``overlap 0-0.2`` takes in both its ends, the others their upper."""
    place = next(number for number, edge in enumerate(EDGES) if degree <= edge + 1e-9)
    return f"overlap {EDGES[place - 1] if place else 0:g}-{EDGES[place]:g}"
