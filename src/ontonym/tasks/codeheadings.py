"""The code that can be recorded before the heading above it that has the same name: A08.39 before A08.3, C50 before
C50-C50 (*Malignant neoplasms of breast*), and for "asthma NOS" the code with just that name before *Asthma*. They are
one answer (`ontonym.tasks.duplicates`), and little that a query says tells them apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from ontonym.index import Index
from ontonym.index.choices import RankedCandidates
from ontonym.tasks.duplicates import LIKELY, concepts_above
from ontonym.tasks.hits import matched_term
from ontonym.text.normalization import canonical, without_nos

_LOOKED_AT = 6
"""How many of the first candidates are compared; those of other terminologies may stand between the two."""


def codes_first(index: Index, found: RankedCandidates) -> RankedCandidates:
    """The candidates, where a likely one below another one with its preferred term takes the place of that one."""
    likely = sum(sure >= LIKELY for sure in found.confidences[:_LOOKED_AT])
    if likely < 2:
        return found
    called = {concept: canonical(index.preferred(concept)) for concept in found.concepts[:likely]}
    for first, second in combinations(range(likely), 2):
        if _is_heading_of(index, found, first, second, called):
            found = found.exchanged(first, second)
    return found


def _is_heading_of(index: Index, found: RankedCandidates, first: int, second: int, called: Mapping[int, str]) -> bool:
    """Whether a candidate is above another one that has its preferred term, or alone the NOS of the query.

    ``called`` are the preferred terms by concept.
    """
    if found.terminologies[first] != found.terminologies[second]:
        return False
    above, below = found.concepts[first], found.concepts[second]
    same = called[above] == called[below]
    if not same and not (_ends_with_nos(index, found, second) and not _ends_with_nos(index, found, first)):
        return False
    return above in concepts_above(index, below)


def _ends_with_nos(index: Index, found: RankedCandidates, at: int) -> bool:
    """Whether the query says NOS, and so does the name of a candidate that is equal to it."""
    choice = found.choice(at)
    text = choice.read.query.text
    if without_nos(text) == text or not choice.is_spelled:
        return False
    name = matched_term(index, text, int(choice.read.evidence.best[choice.place]), is_spelled=True).text
    return without_nos(name) != name
