"""Which candidate comes first: rules by which one changes places with the surest, as its words fit the query better.

It has just the words of the query which the surest one lacks or denies, or all that the query says but how something
is.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, takewhile

import numpy as np

from ontonym.index.interpretation import Interpretation
from ontonym.index.signals import Signals
from ontonym.text.contractions import INTENTIONAL_WORDS
from ontonym.text.denials import NEGATORS, denies
from ontonym.text.wordlists import LIGHT, QUALIFYING, SMALL
from ontonym.text.wordroots import root, roots_of

CONSIDERED = 10
"""Candidates, best first, among which a narrower one is looked for; one that says the intent is among all."""
LEAST = 0.1
"""The least confidence of the surest candidate for which one is looked for."""

_OPEN = frozenset({root("unspecified")})
"""What a preferred term says that leaves open what the narrower one says."""
_MOSTLY = frozenset(map(root, ("predominantly", "predominant", "mainly", "mostly", "primarily")))
"""What narrower terms say beside a word, and nobody else."""

_INTENTIONAL = root("intentional")
_INTENT = frozenset(map(root, (*INTENTIONAL_WORDS, "suicide")))
"""What queries say for it."""

_LITTLE = frozenset(map(root, LIGHT | SMALL))
"""Words that hardly tell preferred terms apart."""

_JOINING = frozenset(("and", "or"))
"""What joins several findings in one name."""

_UN = "un"
"""What denies a word at its beginning."""


def narrowed(read: Interpretation, signals: Signals) -> Interpretation:
    """An interpretation in which a narrower candidate takes the place of the surest one where the query has the words
    that their preferred terms differ by, and the name of the surest one has not.

    "C. difficile colitis, recurrent" is nearest to *C. difficile colitis*, a name of *Enterocolitis due to C.
    difficile*; that of the concept below, *Enterocolitis due to C. difficile, recurrent*, shares fewer words with it.
    So too where the preferred term of the surest one denies such a word and is much like the other: "intentional
    paracetamol overdose" is no *paracetamol overdose*, which is short for *poisoning …, accidental (unintentional)*.
    """
    sure, best = read.confidences, _replaceable(read)
    if best < 0:
        return read
    left = roots_of(read.query.words) - name_roots(read, best, signals)
    if not left.isdisjoint(_INTENT):
        left |= {_INTENTIONAL}
    if not left or not left.isdisjoint(NEGATORS):  # "not recurrent" is no recurrent one
        return read
    own = preferred_roots(read, best, signals)
    meant = frozenset(word for word in left if f"{_UN}{word}" in own)
    last = len(sure) if _INTENTIONAL in meant else CONSIDERED
    near = [one for one in np.argsort(-sure, kind="stable")[1:last].tolist() if sure[one] > 0]
    found, most = best, 0
    for place in near:
        if read.terminologies[place] != read.terminologies[best]:
            continue
        words = preferred_roots(read, place, signals)
        telling = (words - own - LIGHT - _MOSTLY) & (meant or words)
        fits = own - _OPEN < words and telling <= left if not meant else 2 * len(own & words) > len(own)
        if own and fits and len(telling) > most:
            found, most = place, len(telling)
    return exchanged(read, best, found)


def unqualified(read: Interpretation, signals: Signals) -> Interpretation:
    """An interpretation in which a candidate with just the words of the query, but for those that say how something is,
    takes the place of the surest one where that has others instead and says how neither: for "mild asthma" *Asthma*,
    not *Asthma with status asthmaticus*.
    """
    best, words = _replaceable(read), roots_of(read.query.words)
    said = roots_of(tuple(word for word in read.query.words if word not in QUALIFYING))
    if best < 0 or not said or len(said) == len(words) or not words.isdisjoint(NEGATORS):
        return read
    name = name_roots(read, best, signals)
    if name <= words | LIGHT or not (name | preferred_roots(read, best, signals)).isdisjoint(words - said):
        return read
    named = (one for one in near_of(read) if name_roots(read, one, signals) == said)
    return exchanged(read, best, next(named, best))


def undivided(read: Interpretation, signals: Signals) -> Interpretation:
    """An interpretation in which a candidate takes the place of the surest one where the name of that joins findings of
    which the query says one, and nothing of the others, and the name of the other is that one: "is it aphasia" is
    *Aphasia*, not *Dysphasia and aphasia*.
    """
    best, words = _replaceable(read), roots_of(read.query.words)
    name = signals.words_of(read.name_row(best)) if best >= 0 else ()
    if _JOINING.isdisjoint(name):
        return read
    parts = groupby(name, _JOINING.__contains__)
    joined = [roots_of(tuple(part)) - LIGHT for is_joining, part in parts if not is_joining]
    said = [part for part in joined if not part.isdisjoint(words)]
    if len(said) != 1 or len(joined) == 1 or not said[0] <= words or not words.isdisjoint(NEGATORS):
        return read
    named = (one for one in near_of(read) if name_roots(read, one, signals) - LIGHT == said[0])
    return exchanged(read, best, next(named, best))


def uncomplicated(read: Interpretation, signals: Signals) -> Interpretation:
    """An interpretation in which a candidate takes the place of the surest one where its preferred term is the same but
    for denying something that the other says and the query does not: for "infrarenal AAA" *Infrarenal abdominal aortic
    aneurysm, without rupture*, not *…, ruptured*.
    """
    best, words = _replaceable(read), roots_of(read.query.words)
    if best < 0 or denies(read.query.words) or denies(signals.preferred_words(read.concept(best))):
        return read
    own = preferred_roots(read, best, signals) - _LITTLE
    for place in near_of(read)[1:]:
        told = signals.preferred_words(read.concept(place))
        if not denies(told):
            continue
        asserted = tuple(takewhile(lambda word: not denies((word,)), told))
        denied, whole = roots_of(told[len(asserted) :]) - _LITTLE, roots_of(told) - _LITTLE
        is_unsaid = denied.isdisjoint(words) and not denied.isdisjoint(own)
        if asserted and is_unsaid and own <= whole and whole - own <= denied:
            return exchanged(read, best, place)
    return read


def _replaceable(read: Interpretation) -> int:
    """The position of the first candidate where another one may take its place; -1 where it is unlikely, or the query
    is a name of it."""
    sure = read.confidences
    first = int(sure.argmax()) if len(sure) else -1
    return first if first >= 0 and sure[first] >= LEAST and not read.is_spelled(first) else -1


def name_roots(read: Interpretation, place: int, signals: Signals) -> frozenset[str]:
    """The roots of the best name of the candidate at a position."""
    return roots_of(signals.words_of(read.name_row(place)))


def preferred_roots(read: Interpretation, place: int, signals: Signals) -> frozenset[str]:
    """The roots of the preferred term of the candidate at a position."""
    return roots_of(signals.preferred_words(read.concept(place)))


def near_of(read: Interpretation) -> list[int]:
    """The surest candidates, at most `CONSIDERED`, of the terminology of the surest one, which comes first."""
    sure = read.confidences
    near = np.argsort(-sure, kind="stable")[:CONSIDERED].tolist()
    return [one for one in near if sure[one] > 0 and read.terminologies[one] == read.terminologies[near[0]]]


def exchanged(read: Interpretation, best: int, found: int) -> Interpretation:
    """An interpretation in which two candidates have each other's confidence; why the first was doubted is no reason to
    doubt the other."""
    if found == best:
        return read
    changed = read.confidences.copy()
    changed[[best, found]] = read.confidences[[found, best]]
    return replace(read, confidences=changed, doubt=read.doubt._replace(why=""))
