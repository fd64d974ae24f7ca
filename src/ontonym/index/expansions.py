"""Queries with abbreviations written out: how far a meaning is believed, by the other words of query and answer."""

from __future__ import annotations

from ontonym.index.comparednames import compared
from ontonym.index.doubtrules import ALIKE
from ontonym.index.doubts import refused
from ontonym.index.interpretation import Interpretation, Reading, Readings
from ontonym.index.signals import Signals
from ontonym.text.normalization import tokens
from ontonym.text.wordlists import LIGHT, QUALIFYING
from ontonym.text.wordroots import root
from ontonym.types import Correction

_CLEAR = 0.75
"""How likely the meanings of an abbreviation that lead to one answer have to be, of all of them, to be sure of it."""

_SELDOM = 1 / 8
"""Meanings that an abbreviation alone has more seldom than this are doubtful, however well they fit a name."""

_SAME = 0.3
"""The cosine from which on what an abbreviation was written out as, and a name, may mean the same."""

_UNSUPPORTED = 0.5
"""How much less likely a reading is for each abbreviation written out as what its answer has no word of."""


def support(read: Interpretation, signals: Signals) -> float:
    """What to multiply the prior of an interpretation with, in (0, 1]: less for each abbreviation that was written out
    as what the surest candidate has no word of, nor one alike."""
    if read.query.correction is not Correction.EXPANDED or read.surest_place < 0:
        return 1.0
    pair = compared(read, signals)
    written_out = ([word for word in tokens(said) if word not in LIGHT] for _, said in read.query.changes)
    apart = [" ".join(words) for words in written_out if words and pair.roots.isdisjoint(map(root, words))]
    cosines = signals.cosines(" ".join(pair.name), apart)
    return _UNSUPPORTED ** sum(cosine < _SAME for cosine in cosines)


def with_doubted_expansions(readings: Readings, signals: Signals) -> list[Reading]:
    """The readings of a query, less sure where an abbreviation has one of several meanings, which no other word of the
    query speaks for: "RTA whiplash" is no renal tubular acidosis, and "Hb" alone hardly heart block."""
    (probability, first), *others = (
        Reading(probability, _without_seldom_meaning(read, readings, signals)) for probability, read in readings
    )
    if not _is_of_one_expansion(first):
        return [Reading(probability, first), *others]
    ((short, _),) = first.query.changes
    rivals = [read for _, read in others if read.query.changes[:1] and read.query.changes[0][0] == short]
    every = sum(read.prior for read in (first, *rivals))
    own = first.prior + sum(read.prior for read in rivals if read.answer == first.answer)
    if own < _CLEAR * every and _leaves_rest(first, signals):
        other = max((read for read in rivals if read.answer != first.answer), key=lambda read: read.prior)
        first = refused(first, f"“{short}” may also mean “{other.query.changes[0][1]}”")
    return [Reading(probability, first), *others]


def _without_seldom_meaning(read: Interpretation, readings: Readings, signals: Signals) -> Interpretation:
    """An interpretation; doubted where the query is but an abbreviation, in a meaning that this seldom has."""
    if not _is_of_one_expansion(read):
        return read
    ((short, said),) = read.query.changes
    meanings = signals.lexicon.meanings(short)
    same = {one.query.changes[0][1] for _, one in readings if one.answer == read.answer and one.query.changes}
    if said not in same.intersection(one.text for one in meanings) or read.query.words != tuple(tokens(said)):
        return read
    if sum(one.share for one in meanings if one.text in same) >= _SELDOM:
        return read
    return refused(read, f"“{short}” mostly means “{meanings[0].text}”")


def _is_of_one_expansion(read: Interpretation) -> bool:
    return read.query.correction is Correction.EXPANDED and len(read.query.changes) == 1


def _leaves_rest(read: Interpretation, signals: Signals) -> bool:
    """Whether the surest candidate has no word of a query, nor one alike, but what its abbreviations were written out
    as: "AF palpitations" speaks of a fibrillation, and "RTA whiplash" of no acidosis."""
    pair = compared(read, signals)
    written = {root(word) for _, said in read.query.changes for word in tokens(said)}
    others = [word for word in read.query.words if word not in LIGHT | QUALIFYING and root(word) not in written]
    if not others or not pair.roots.isdisjoint(map(root, others)):
        return False
    (cosine,) = signals.cosines(" ".join(others), [" ".join(pair.name)])
    return cosine < ALIKE
