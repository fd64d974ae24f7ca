"""The concept that says how much there is before the one above it that says only that something is abnormal:
*Hypovalinemia* before *Abnormal circulating valine concentration* for "low blood valine".

The two share few words, and the one above has more of those that people say. But who says *low*, *high* or *absent*
means the one that says so.
"""

from __future__ import annotations

from collections.abc import Iterable

from ontonym.index import Index
from ontonym.index.choices import RankedCandidates
from ontonym.text.amounts import MEASURED, amount_of
from ontonym.text.normalization import tokens
from ontonym.text.wordlists import LIGHT
from ontonym.text.wordroots import root

_LOOKED_AT = 10
"""How many of the first candidates are compared with the first."""

_ABNORMAL = frozenset({"abnormal", "abnormality"})


def amounts_first(index: Index, found: RankedCandidates) -> RankedCandidates:
    """The candidates; where the first says only *abnormal*, the likeliest one below it with the query's amount takes
    its place.
    """
    if len(found) < 2:
        return found
    asked = found.readings[found.reading_numbers[0]].interpretation.query.words
    amount = _amount(asked)
    if not amount or not _ABNORMAL.isdisjoint(asked):
        return found
    above = tokens(index.preferred(found.concepts[0]))
    if _ABNORMAL.isdisjoint(above) or _amount(above):
        return found
    known = {root(word) for word in (*asked, *above)}.union(LIGHT, MEASURED)
    for other in range(1, min(_LOOKED_AT, len(found))):
        words = tokens(index.preferred(found.concepts[other]))
        if (
            _amount(words) == amount
            and all(amount_of(word) or root(word) in known for word in words)
            and found.concepts[0] in index.above(found.concepts[other])
        ):
            return found.exchanged(0, other)
    return found


def _amount(words: Iterable[str]) -> str:
    """The amount that words say, empty where they say none or several."""
    said = {amount for word in words if (amount := amount_of(word))}
    return said.pop() if len(said) == 1 else ""
