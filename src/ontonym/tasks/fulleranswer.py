"""The answer of another terminology that says more of the query than the first one: *Complete rotator cuff tear … of
right shoulder* of ICD-10-CM before HPO's *Rotator cuff tear*, which is sure since it has no rivals there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import NamedTuple

from ontonym.index import Index
from ontonym.index.choices import Choice
from ontonym.index.interpretation import CONSIDERED
from ontonym.text.denials import NEGATORS
from ontonym.text.normalization import tokens
from ontonym.text.wordlists import EDGES, LIGHT
from ontonym.text.wordroots import roots_of

_LEAST = 0.2
"""The least confidence of a candidate that goes before the first as it says more of the query."""

_TRUST = 0.85
"""The share of the confidence of the first candidate that it has at least (docs/decisions.md, "What says more of the
query comes first")."""

_LAY = "lay"


class Fuller(NamedTuple):
    """A candidate that goes before the first one as it says more of the query: its number and its confidence there."""

    number: int
    confidence: float


def fuller_answer(
    index: Index, order: Sequence[int], choice_of: Callable[[int], Choice], own: Callable[[int], float]
) -> Fuller | None:
    """The candidate of another terminology that has all words of the query that the first of the ``order`` has, and
    more; None if there is none, or several that are no duplicates.

    ``order`` are the numbers of the candidates, best first; ``choice_of`` gives one by its number, and ``own`` its
    confidence among those of its terminology, in [0, 1].

    "ADHD inattentive" is *ADHD* in one, which has nothing else of that, and *ADHD, predominantly inattentive type* in
    another, where it has rivals. Words of lay names do not count: they are about much else too.
    """
    if len(index.terminologies) == 1 or not order:
        return None
    first = choice_of(order[0])
    words, typed = roots_of(first.read.query.words), tokens(first.read.query.typed)
    if first.is_spelled or len(typed) == 1 or not words.isdisjoint(NEGATORS):
        return None
    signals, asked = index.signals, words - LIGHT - EDGES

    def said(choice: Choice, *, with_lay: bool) -> frozenset[str]:
        row, preferred = choice.read.name_row(choice.place), signals.preferred_roots(choice.concept)
        is_meant = with_lay or signals.kind_of(row) != _LAY
        return asked & (preferred | signals.name_roots(row) if is_meant else preferred)

    place, most, fuller = index.place(first.concept), said(first, with_lay=True), list[int]()
    for number in islice(order, 1, CONSIDERED) if most < asked else ():
        if own(number) < _LEAST or index.place((other := choice_of(number)).concept) == place:
            continue
        more = said(other, with_lay=False)
        if most < more:
            most, fuller = more, [number]
        elif fuller and most == more:
            fuller.append(number)
    if len(set(map(own, fuller))) != 1:
        return None
    return Fuller(fuller[0], max(own(fuller[0]), round(_TRUST * own(order[0]), 9)))
