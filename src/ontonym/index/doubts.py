"""What makes the surest answer to a query doubtful, whatever the ranking says: it says something else, or of another
kind of thing, than the query does. `ontonym.index.doubtrules` has the rules.

Each interpretation is `doubted` once it has its candidates. The readings that are left in the end are so once more
(`doubted_for_rival`), together with the candidates that are called the same (`doubted_together`). What is `refused` has
no answer at the default threshold. `share_left` says what doubts left, for rankings of their own.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ontonym.arrays import Doubles
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.index.comparednames import ComparedName, compared
from ontonym.index.doubtrules import (
    ALIKE,
    has_unknown,
    have_rhyme,
    is_past,
    shares_only_thing,
    why_no_answer,
    why_not_denied,
    why_of_relatives,
)
from ontonym.index.interpretation import Doubt, Interpretation, rounded
from ontonym.index.signals import Signals
from ontonym.text.bodyparts import is_body_part
from ontonym.text.contrasts import contrasted, renumbered
from ontonym.text.findings import has_likely_finding
from ontonym.text.normalization import tokens
from ontonym.text.qualifiers import opposites
from ontonym.text.wordlists import LIGHT, SMALL
from ontonym.text.wordroots import roots_of
from ontonym.types import Correction

_LEAST_DOUBTED = 0.49
"""Confidences that are doubted do not fall below this: no answer at the default threshold, and not less."""

_ROUNDING = 1e-4
"""By how much rounding may set a doubted confidence above it."""

_LEAST_TWIN, _MOST_TWINS = 0.01, 4
"""The least confidence of candidates of one name that count together, and about how many there are of one."""

_DOUBT = 0.45
"""The exponent by which a confidence falls where words do not mean the same: 0.62 to 0.5, 0.9 to 0.86."""

_VERY_SURE = 0.75
"""From this confidence on a candidate is mostly right even where others are nearer as a whole."""

_NEARER, _CALLED_NEARER = 0.02, 0.1
"""By how much the cosine of another candidate is higher where its names are nearer, or its preferred term is."""

_SAYING = 2
"""How many telling words a query and a lay name share, at least, where people say one thing in their own words."""

_OF_OTHERS = 0.1
"""What is left where a text says what somebody had and the answer what the family has: "history of epilepsy"."""


def doubted(read: Interpretation, signals: Signals) -> Interpretation:
    """An interpretation with lower confidences where a rule says that its surest concept is no answer to the query: it
    is of another kind of thing, says more or less than the query, or has words in the place of some of the query's that
    mean something else. No name equal to the query is doubted so, unless the query says that something is normal.
    """
    if not read.surest or (read.surest < LIKELIER_RIGHT and not is_past(read.query)):
        return read
    if read.has_named_answer:
        return _with_doubt(read, _to_no_answer(read), why_not_denied(read.query))
    pair = compared(read, signals)
    if why := why_of_relatives(pair):
        return _with_doubt(read, _OF_OTHERS, why)
    if read.surest < LIKELIER_RIGHT:
        return read
    if why := why_no_answer(pair):
        return refused(read, why)
    return _with_other_words(read, pair)


def _with_other_words(read: Interpretation, pair: ComparedName) -> Interpretation:
    """An interpretation that is doubted where the name has other words in the place of the query's: "can't drive at
    night", *can't drop off at night*; more so where they rhyme, are unknown, or are of what is a thing in both."""
    said, instead = pair.only_in_query, pair.only_in_name
    if not said or not instead:
        return read
    if found := _excluded(pair):
        return refused(read, f"“{found[0]}” is not “{found[1]}”")
    why = f"“{' '.join(said)}” is not “{' '.join(instead)}”"
    if have_rhyme(said, instead):
        return refused(read, why)
    if _likeness(pair) >= ALIKE or (_leads(read) and _share_saying(pair)):
        return read
    is_other = has_unknown(said, instead, pair.signals) or shares_only_thing(pair)
    share = 0.0 if is_other else read.surest**_DOUBT
    return _with_doubt(read, max(share, _to_no_answer(read)), why)


def _excluded(pair: ComparedName) -> tuple[str, str] | None:
    """A word of a query that its name lacks, and the word in its place that excludes it; None where there is none."""
    said, instead, query = pair.only_in_query, pair.only_in_name, pair.query
    written = [word for short, _ in query.changes for word in tokens(short)]  # "GM6" may be read as grams
    if found := contrasted([*said, *written], instead) or renumbered(query.words, pair.name):
        return found
    apart = opposites(query.text, " ".join(pair.name))
    return next(((ours, theirs) for ours, theirs in apart if ours in said and theirs in instead), None)


def _leads(read: Interpretation) -> bool:
    """Whether the surest candidate of a query that is read as it was typed is also first among all terminologies."""
    is_typed = read.query.correction is Correction.NONE
    return is_typed and int(read.confidences.argmax()) == read.surest_place


def _share_saying(pair: ComparedName) -> bool:
    """Whether a query and a lay name are one saying, each in its own words: they share `_SAYING` telling words, the
    name has no more others, none of a finding or a part of the body, and the query none that nobody knows. "hides her
    food and eats alone" is *hides snacks and eats alone*.
    """
    if not pair.is_lay or len(pair.only_in_name) > _SAYING or has_likely_finding(pair.only_in_name):
        return False
    if any(is_body_part((word,)) for word in pair.only_in_name):
        return False
    ours, theirs = (roots_of(words) - LIGHT - SMALL for words in (pair.query.words, pair.name))
    return len(ours & theirs) >= _SAYING and not has_unknown(pair.only_in_query, pair.only_in_name, pair.signals)


def _to_no_answer(read: Interpretation) -> float:
    """The share of its confidences with which an interpretation has no answer at the default threshold."""
    return min(1.0, _LEAST_DOUBTED / read.surest)


def _with_doubt(read: Interpretation, share: float, why: str) -> Interpretation:
    """An interpretation of whose confidences a share is left, if something says why."""
    if not why or share == 1:
        return read
    return replace(read, confidences=rounded(read.confidences * share), doubt=Doubt(share, why))


def refused(read: Interpretation, why: str) -> Interpretation:
    """An interpretation with no answer at the default threshold, if something says why; one that had none stays."""
    return _with_doubt(read, _to_no_answer(read), why) if read.surest >= LIKELIER_RIGHT else read


def _is_refused(read: Interpretation) -> bool:
    """Whether doubts left no answer at the default threshold."""
    return bool(read.doubt.why) and read.surest <= _LEAST_DOUBTED + _ROUNDING


def share_left(read: Interpretation, signals: Signals) -> float:
    """The share of the confidences of an interpretation that doubts left, 0 where they left no answer or would have,
    had one been likely: what also weighs other things than a confidence may find it likely.
    """
    if _is_refused(read):
        return 0.0
    if read.surest_place < 0 or read.surest >= LIKELIER_RIGHT or read.has_named_answer:
        return read.doubt.share
    return 0.0 if _is_no_answer(compared(read, signals)) else read.doubt.share


def _is_no_answer(pair: ComparedName) -> bool:
    """Whether a rule says that a name, or its concept, is no answer to the query."""
    return bool(why_no_answer(pair)) or _is_thing_apart(pair)


def _is_thing_apart(pair: ComparedName) -> bool:
    """Whether a query names a thing, and the name says of what it shares with it something else: "lead guitar"."""
    return bool(pair.only_in_name) and shares_only_thing(pair) and _likeness(pair) < ALIKE


def _likeness(pair: ComparedName) -> float:
    """The cosine of the words of a query that a name lacks and of those in their place."""
    (cosine,) = pair.signals.cosines(" ".join(pair.only_in_query), [" ".join(pair.only_in_name)])
    return cosine


def doubted_together(read: Interpretation, signals: Signals) -> Interpretation:
    """An interpretation that is doubted with confidences that are no answer together either: candidates of one name are
    one answer, as the heading of a code and the code that leaves the rest unspecified are. Where none is likely alone,
    those of each terminology count so.
    """
    if read.surest < _LEAST_DOUBTED / _MOST_TWINS:
        return read
    best = read.surest_place
    if (together := _together(read, best, signals)) >= LIKELIER_RIGHT:
        return read if share_left(read, signals) else replace(read, confidences=capped(read.confidences, together))
    for other in _firsts_elsewhere(read) if read.surest < LIKELIER_RIGHT else ():
        together = _together(read, other, signals)
        if together >= LIKELIER_RIGHT and not read.is_spelled(other) and _is_no_answer(compared(read, signals, other)):
            return replace(read, confidences=capped(read.confidences, together))
    return read


def _together(read: Interpretation, place: int, signals: Signals) -> float:
    """The confidence of the candidate at a position and of those of its name in its terminology together."""
    sure, name = read.own_confidences, _what_is_specified(read, place, signals)
    (likely,) = np.nonzero((sure >= _LEAST_TWIN) & (read.terminologies == read.terminologies[place]))
    return sum(float(sure[one]) for one in likely.tolist() if _what_is_specified(read, one, signals) == name)


def _firsts_elsewhere(read: Interpretation) -> list[int]:
    """The positions of the surest candidates of the terminologies but that of the surest of all."""
    sure, places = read.own_confidences, read.terminologies
    others = set(places.tolist()) - {int(places[read.surest_place])}
    return [int(np.where(places == one, sure, -1.0).argmax()) for one in sorted(others)]


def doubted_for_rival(read: Interpretation) -> Interpretation:
    """An interpretation that is refused where its surest candidate is not very sure, and one of its names alone speaks
    for it: the preferred term of another candidate is nearer to the query, and so is the mean of another one's names.
    """
    if not LIKELIER_RIGHT <= read.surest < _VERY_SURE or not _leads(read):
        return read
    best, to_preferred = read.surest_place, read.evidence.to_preferred
    if read.has_named_answer or read.evidence.column("concept_behind")[best] >= -_NEARER:
        return read
    if to_preferred[read.likeliest_places()].max() <= to_preferred[best] + _CALLED_NEARER:
        return read
    return refused(read, "what another concept is called is nearer to the query")


def _what_is_specified(read: Interpretation, place: int, signals: Signals) -> frozenset[str]:
    return frozenset(signals.preferred_words(read.concept(place))) - {"unspecified"}


def capped(confidences: Doubles, surest: float) -> Doubles:
    """Confidences of which the ``surest`` is no answer at the default threshold."""
    return confidences if surest < LIKELIER_RIGHT else rounded(confidences * (_LEAST_DOUBTED / surest))
