"""Which candidate comes first: rules by which one changes places with the first, as its words fit the query better.

It says what else the query says (`narrowed`), has just the finding without how that is (`unqualified`), is the one of
several joined findings that the query names (`undivided`), or denies what the query leaves out (`uncomplicated`).
`ontonym.index.samewords` puts first what has just the words of the query.
"""

from __future__ import annotations

from itertools import groupby, takewhile

from ontonym.index.interpretation import CONSIDERED, Interpretation
from ontonym.index.signals import Signals
from ontonym.text.contractions import INTENTIONAL_WORDS
from ontonym.text.denials import NEGATORS, denies
from ontonym.text.wordlists import LIGHT, QUALIFYING, SMALL
from ontonym.text.wordroots import root, roots_of

_LEAST = 0.1
"""The least confidence of the first candidate for which another one is looked for."""

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
    """An interpretation in which a narrower candidate takes the place of the first one where the query has the words
    that their preferred terms differ by, and the name of the first one has not.

    "C. difficile colitis, recurrent" is nearest to *C. difficile colitis*, a name of *Enterocolitis due to C.
    difficile*; that of the concept below, *Enterocolitis due to C. difficile, recurrent*, shares fewer words with it.
    So too where the preferred term of the first one denies such a word and is much like the other: "intentional
    paracetamol overdose" is no *paracetamol overdose*, which is short for *poisoning …, accidental (unintentional)*.
    """
    best = replaceable(read)
    if best < 0:
        return read
    left = roots_of(read.query.words) - signals.name_roots(read.name_row(best))
    if not left.isdisjoint(_INTENT):
        left |= {_INTENTIONAL}
    if not left or not left.isdisjoint(NEGATORS):  # "not recurrent" is no recurrent one
        return read
    own = signals.preferred_roots(read.concept(best))
    denied = frozenset(word for word in left if f"{_UN}{word}" in own)
    found, most = best, 0
    for place in read.likeliest_places(len(read.confidences) if _INTENTIONAL in denied else CONSIDERED)[1:]:
        further = _further_words(signals.preferred_roots(read.concept(place)), own, left, denied)
        if len(further) > most:
            found, most = place, len(further)
    return read.exchanged(best, found)


def _further_words(
    words: frozenset[str], own: frozenset[str], left: frozenset[str], denied: frozenset[str]
) -> frozenset[str]:
    """The words of a query that a preferred term has and that of the first candidate, its ``own``, has not; none where
    it says anything else.

    ``left`` are those of the query that the name of the first one lacks. Of those that its preferred term denies
    (``denied``) any will do, where both terms are much alike.
    """
    further = words - own - LIGHT - _MOSTLY
    if denied:
        return further & denied if 2 * len(own & words) > len(own) else frozenset()
    return further if own and own - _OPEN < words and further <= left else frozenset()


def unqualified(read: Interpretation, signals: Signals) -> Interpretation:
    """An interpretation in which a candidate with just the words of the query, but for those that say how something is,
    takes the place of the first one where that has others instead and says how neither: for "mild asthma" *Asthma*,
    not *Asthma with status asthmaticus*.
    """
    best, words = replaceable(read), roots_of(read.query.words)
    said = roots_of(tuple(word for word in read.query.words if word not in QUALIFYING))
    if best < 0 or not said or len(said) == len(words) or not words.isdisjoint(NEGATORS):
        return read
    name = signals.name_roots(read.name_row(best))
    if name <= words | LIGHT or not (name | signals.preferred_roots(read.concept(best))).isdisjoint(words - said):
        return read
    named = (one for one in read.likeliest_places() if signals.name_roots(read.name_row(one)) == said)
    return read.exchanged(best, next(named, best))


def undivided(read: Interpretation, signals: Signals) -> Interpretation:
    """An interpretation in which a candidate takes the place of the first one where the name of that joins findings of
    which the query says one, and nothing of the others, and the name of the other is that one: "is it aphasia" is
    *Aphasia*, not *Dysphasia and aphasia*.
    """
    best, words = replaceable(read), roots_of(read.query.words)
    name = signals.words_of(read.name_row(best)) if best >= 0 else ()
    if _JOINING.isdisjoint(name):
        return read
    parts = groupby(name, _JOINING.__contains__)
    joined = [roots_of(tuple(part)) - LIGHT for is_joining, part in parts if not is_joining]
    said = [part for part in joined if not part.isdisjoint(words)]
    if len(said) != 1 or len(joined) == 1 or not said[0] <= words or not words.isdisjoint(NEGATORS):
        return read
    named = (one for one in read.likeliest_places() if signals.name_roots(read.name_row(one)) - LIGHT == said[0])
    return read.exchanged(best, next(named, best))


def uncomplicated(read: Interpretation, signals: Signals) -> Interpretation:
    """An interpretation in which a candidate takes the place of the first one where its preferred term is the same but
    for denying something that the other says and the query does not: for "infrarenal AAA" *Infrarenal abdominal aortic
    aneurysm, without rupture*, not *…, ruptured*.
    """
    best, words = replaceable(read), roots_of(read.query.words)
    if best < 0 or denies(read.query.words) or denies(signals.preferred_words(read.concept(best))):
        return read
    own = signals.preferred_roots(read.concept(best)) - _LITTLE
    for place in read.likeliest_places()[1:]:
        told = signals.preferred_words(read.concept(place))
        if not denies(told):
            continue
        asserted = tuple(takewhile(lambda word: not denies((word,)), told))
        denied, whole = roots_of(told[len(asserted) :]) - _LITTLE, roots_of(told) - _LITTLE
        is_unsaid = denied.isdisjoint(words) and not denied.isdisjoint(own)
        if asserted and is_unsaid and own <= whole and whole - own <= denied:
            return read.exchanged(best, place)
    return read


def replaceable(read: Interpretation) -> int:
    """The position of the first candidate where another one may take its place; -1 where it is unlikely, or the query
    is a name of it."""
    sure = read.confidences
    first = int(sure.argmax()) if len(sure) else -1
    return first if first >= 0 and sure[first] >= _LEAST and not read.is_spelled(first) else -1
