"""A candidate that is called just what the query says, in whatever order and without words such as *of* and *with*:
"acute cholecystitis with gallbladder calculus" is *Calculus of gallbladder with acute cholecystitis*."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import takewhile

import numpy as np

from ontonym.index.exchanges import replaceable
from ontonym.index.interpretation import NO_DOUBT, Interpretation, rounded
from ontonym.index.signals import Signals
from ontonym.text.denials import NEGATORS
from ontonym.text.wordlists import SMALL
from ontonym.text.wordroots import root
from ontonym.types import Correction

_MOST = 4
"""About how many candidates of one terminology there are with the same name."""

_AS_SAID = (Correction.NONE, Correction.EXPANDED)
"""How a query is read that says what was typed: what else was found is trusted less."""

_FEWEST = 3
"""Telling words of a query: of two their order may tell what is meant."""

_SURE = 0.85
"""The least confidence in candidates that say just what the query does (docs/decisions.md, "The same words in another
order")."""


def with_same_words(read: Interpretation, signals: Signals) -> Interpretation:
    """An interpretation that is surer of its first candidates of each terminology, together, where their names have
    just the words of the query, each as often, but for `SMALL` ones and their endings. The others share what is left;
    the order of those of one terminology stays.
    """
    sure = read.own_confidences
    if not len(sure) or read.is_name:
        return read
    said = _telling(tuple(read.query.words))
    if sum(map(len, said)) < _FEWEST:
        return read
    found, is_surer = read.confidences.copy(), False
    ranked = np.argsort(-sure, kind="stable")
    for terminology in set(read.terminologies.tolist()):
        own = ranked[read.terminologies[ranked] == terminology]
        same = list(takewhile(lambda one: said in _names_of(read, one, signals), own[:_MOST].tolist()))
        together = float(sure[same].sum())
        if 0 < together < _SURE:
            found[same] *= _SURE / together
            found[own[len(same) :]] *= (1 - _SURE) / (1 - together)
            is_surer = True
    return replace(read, confidences=rounded(found)) if is_surer else read


def same_words_first(read: Interpretation, signals: Signals) -> Interpretation:
    """An interpretation in which a candidate with just the words of the query takes the place of the first one of its
    terminology where that has others, and which is as sure of it as `with_same_words`, unless the query was corrected,
    said in other words, or doubted.
    """
    best, said = replaceable(read), _telling(tuple(read.query.words))
    if best < 0 or sum(map(len, said)) < _FEWEST or read.is_name:
        return read
    found = next((one for one in read.likeliest_places() if said in _names_of(read, one, signals)), best)
    if found != best:
        read = replace(read.exchanged(best, found), doubt=NO_DOUBT)
    is_as_said = read.query.correction in _AS_SAID and not read.doubt.why
    return with_same_words(read, signals) if is_as_said else read


def _names_of(read: Interpretation, place: int, signals: Signals) -> list[tuple[tuple[str, ...], ...]]:
    """The telling words of the name of a candidate that is nearest to the query, and of its preferred term."""
    name = signals.words_of(read.name_row(place))
    return [_telling(name), _telling(signals.preferred_words(read.concept(place)))]


@lru_cache(maxsize=1 << 12)  # the same candidates are looked at for several readings of a query
def _telling(words: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The roots of normalized words that are not small, in alphabetical order, each as often as it is there; those from
    the first negator on apart, since what a name denies is another thing where the query says it."""
    first = next((place for place, word in enumerate(words) if word in NEGATORS), len(words))
    return tuple(
        tuple(sorted(root(word) for word in some if word not in SMALL)) for some in (words[:first], words[first:])
    )
