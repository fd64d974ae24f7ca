"""How far misspelled queries are trusted as they are corrected: which of the corrections are likely, and how sure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ontonym.index.choices import Interpretation, rounded
from ontonym.index.signals import Signals
from ontonym.index.spelling import letters_apart, replaces_english, trust_in

LEAST_CORRECTED = 0.1
"""The least confidence of a corrected query's best candidate."""

TRUST_IN_CORRECTION = 0.9
"""A correction must be surer than the query as typed divided by this: a little surer is not enough."""

_LONG_NAME, TWO_WORDS, LEAST_NAMED = 4, 2, 0.5
"""Words of a name that is hardly what is written but for one of them by chance, those where this one is an English word
that no name has, and the least confidence in it then: the query as typed may be surer of a name that lacks this word
("…, sequeka", "planter wart")."""

_BY_LETTERS = 0.5
"""The most that a query counts as sure as it is typed where no name has a word of it."""


def sure_as_typed(read: Interpretation, signals: Signals) -> float:
    """How sure the best candidate of a query is as it is typed, in [0, 1]; at most `_BY_LETTERS` where no name has one
    of its words, as then only letters speak for it: "feaver" is spelled like *beaver fever*.
    """
    if read.surest <= _BY_LETTERS or any(signals.is_known(read.query.words)):
        return read.surest
    return _BY_LETTERS


def likely_corrections(corrections: Sequence[tuple[float, Interpretation]], least: float) -> list[Interpretation]:
    """The corrections of a query that are surer than ``least`` and those that compete with them, each as it is trusted.

    Of one word alone those nearer to what was written compete too: "polips" is a polyp, of which there are so many that
    none is sure, rather than polio.
    """
    meant = []
    for share, one in corrections:
        changes = one.query.changes
        # the words of a name vouch for each other: the least sure of them counts
        trust = max(share, min(trust_in([change]) for change in changes)) if one.is_name and len(changes) > 1 else share
        if one.is_name or not replaces_english(changes):
            enough = LEAST_NAMED if one.is_name and is_long(one.query.words, changes) else least
            meant.append((one.surest * trust, letters_apart(changes), less_sure(one, trust), enough))
    apart = min((letters for surest, letters, _, enough in meant if surest > enough), default=0.0)
    return [
        one
        for surest, letters, one, enough in meant
        if surest > enough or (letters < apart and surest > LEAST_CORRECTED and len(one.query.words) == 1)
    ]


def is_long(words: Sequence[str], changes: Sequence[tuple[str, str]]) -> bool:
    """Whether a name with one changed word has so many words that it is hardly what is written by chance."""
    return len(changes) == 1 and len(words) >= (TWO_WORDS if replaces_english(changes) else _LONG_NAME)


def less_sure(read: Interpretation, share: float) -> Interpretation:
    """An interpretation with this share of its confidences."""
    return replace(read, confidences=rounded(read.confidences * share))
