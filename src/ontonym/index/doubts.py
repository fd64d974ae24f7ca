"""What makes the surest answer to a query doubtful, whatever the ranking says: it says something else, or of another
kind of thing, than the query does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ontonym.arrays import Doubles
from ontonym.index.choices import Interpretation, rounded
from ontonym.index.query import Query
from ontonym.index.signals import Signals
from ontonym.text.amounts import AMOUNTS, MEASURED
from ontonym.text.denials import NEGATORS
from ontonym.text.doses import DOSE_FORMS
from ontonym.text.english import SHORTEST_ENGLISH, is_english
from ontonym.text.kinds import LIKELIER, is_substance, kind_told, likeliest_kind, tell_finding
from ontonym.text.normalization import has_acronym, tokens
from ontonym.text.qualifiers import words_on
from ontonym.text.wordlists import ASKED_FOR, LIGHT, QUALIFYING, SMALL, TESTED_FOR
from ontonym.text.wordroots import is_body_part, root
from ontonym.types import Correction

_LEAST_DOUBTED = 0.499
"""Confidences that are doubted do not fall below this: no answer at the default threshold, and not less."""

_ROUNDING = 1e-4

_LEAST_TWIN, _MOST_TWINS = 0.01, 4
"""The least confidence of candidates of one name that count together, and about how many there are of one."""

_ALIKE = 0.2
"""The cosine from which on words may mean the same as those in their place."""

_WRITTEN_OUT = 0.3
"""The cosine from which on what an abbreviation was written out as, and a name, may mean the same."""

_DOUBT = 0.45
"""The exponent by which a confidence falls where they do not: 0.62 to 0.5, 0.9 to 0.86."""

_FAMILY, _PAST = "family", frozenset({"history", "past", "previous", "prior"})
_OF_OTHERS = 0.1
"""What is left where a text says what somebody had and the answer what the family has: "history of epilepsy"."""

_SHORTEST = 2
"""Letters of names that say too little for a query of more words: "gamma-GT" is no *GT*."""

_SHORT_FORM = 4
"""Letters of an abbreviation in small letters that may be a word instead."""

_SHORTEST_RHYME = 4
"""Letters after the first one of words that look alike."""

_NORMAL = "normal"

_FINDING, _THINGS = "finding", frozenset({"anatomy", "organism", "chemical"})

_BEFORE_STATE, _AFTER_STATE = frozenset({("presence", "of"), ("absence", "of")}), frozenset({"status", "use"})
"""The first or last words of preferred terms for what is there, gone or taken, and for nothing wrong with it. Others
that begin so are findings: *absence seizure*, *status epilepticus*."""

_NAMED = frozenset({"disease", "syndrome"})
"""What is left out after a person's name, which English does not know and whose letters are like those of drugs and
organisms: "Canavan", but not "serotonin"."""

_DESIGNATING = frozenset({"type", "subtype", "form", "variant"})
"""What may stand between a name and its number: "Hermansky-Pudlak type 1"."""

_NUMBERED = re.compile(r"\b[A-Z]{2,5}[ -](?:\d|[IVX]+[A-F]?\b)")

_DISORDER = _NAMED | {"disorder"}

_HARM = frozenset("intoxication overdose poisoning toxicity".split())
"""What names say of a substance that did harm."""

_GREEK = frozenset("alpha beta gamma delta epsilon zeta theta kappa lambda sigma omega".split())
"""Letters that tell apart what is called by the same short form: "gamma GT" is no *GT*."""

_PLACES = words_on("side", "level", "front", "middle", "distance", "depth", "order") | {"of", "the", "and"}
"""Words that say which of several parts of the body is meant."""

_RESULTS = AMOUNTS | NEGATORS | {"positive", "reactive", "failed"}
"""What a query says of a test where it tells its result."""

_OTHERWISE = frozenset(
    {
        ("anatomy", _FINDING),
        ("organism", _FINDING),
        ("chemical", _FINDING),
        ("procedure", _FINDING),
        (_FINDING, "anatomy"),
    }
)
"""Kinds of a query and of a concept that are no answer to it: "left ventricle" is no finding, and "olfactory nerve
disease" no nerve."""


def doubted(read: Interpretation, signals: Signals) -> Interpretation:
    """An interpretation with lower confidences where its surest concept, which no name makes equal to the query, is of
    another kind of thing than the query, or its name has other words in the place of some of the query, which mean
    something else: "can't drive at night" for *can't drop off at night*, or are unknown and like none of them: "gippy
    tummy" for *mummy tummy*. So too where the query only names something and the name says what is with it:
    "ibuprofen" for *ibuprofen overdose*, "serum potassium" for *low potassium*, "left clavicle" for a fractured one.
    Where the concept only qualifies what the query says more ("food keeps coming back", *Recurrent*), or the query asks
    for a thing ("sick note template") or a test ("HIV antibody"). And where the query tells what somebody had, the
    concept what the family has.
    """
    sure = read.own_confidences
    surest = float(sure.max(initial=0.0))
    is_past = not _PAST.isdisjoint(read.query.words)
    if not surest or (surest < _LEAST_DOUBTED and not is_past):
        return read
    best = int(sure.argmax())
    if read.evidence.column("spelled")[best]:
        share = min(1.0, _LEAST_DOUBTED / surest) if _says_normal(read.query) else 1.0
        return _left(read, share)
    query, (name, concept) = read.query, _names_of(read, best, signals)
    if is_past and _FAMILY in concept and _FAMILY not in query.words:
        share = _OF_OTHERS
    elif surest < _LEAST_DOUBTED:
        return read
    else:
        share = _share_left(read, name, concept, best, signals)
    return _left(read, share)


def _left(read: Interpretation, share: float) -> Interpretation:
    """An interpretation of whose confidences a share is left."""
    return read if share == 1 else replace(read, confidences=rounded(read.confidences * share), left=share)


def is_refused(read: Interpretation) -> bool:
    """Whether doubts left no answer at the default threshold."""
    return read.left < 1 and read.surest <= _LEAST_DOUBTED + _ROUNDING


def left_of(read: Interpretation, signals: Signals) -> float:
    """The share of the confidences of an interpretation that doubts left, 0 where they left no answer or would have,
    had one been likely: what also weighs other things than a confidence may find it likely.
    """
    if is_refused(read):
        return 0.0
    sure = read.own_confidences
    if not len(sure) or sure.max() >= _LEAST_DOUBTED or read.evidence.column("spelled")[best := int(sure.argmax())]:
        return read.left
    name, concept = _names_of(read, best, signals)
    said, instead = _words_apart(read.query.words, name), _words_apart(name, read.query.words)
    return 0.0 if _says_otherwise(read.query, name, concept, said, instead) else read.left


def _names_of(read: Interpretation, best: int, signals: Signals) -> tuple[Sequence[str], Sequence[str]]:
    """The words of the best name of a candidate, and of its preferred term."""
    name = signals.words_of(int(read.evidence.best[best]))
    return name, signals.preferred_words(int(read.evidence.concepts[best])) or name


def doubted_together(read: Interpretation, signals: Signals) -> Interpretation:
    """An interpretation that is doubted with confidences that are no answer together either: candidates of one name are
    one answer, as the heading of a code and the code that leaves the rest unspecified are.
    """
    sure = read.own_confidences
    if sure.max(initial=0.0) < _LEAST_DOUBTED / _MOST_TWINS:
        return read
    best = int(sure.argmax())
    name = _what_is_specified(read, best, signals)
    (likely,) = np.nonzero((sure >= _LEAST_TWIN) & (read.terminologies == read.terminologies[best]))
    together = sum(float(sure[one]) for one in likely.tolist() if _what_is_specified(read, one, signals) == name)
    if together <= _LEAST_DOUBTED or left_of(read, signals):
        return read
    return replace(read, confidences=capped(read.confidences, together))


def _what_is_specified(read: Interpretation, place: int, signals: Signals) -> frozenset[str]:
    return frozenset(signals.preferred_words(int(read.evidence.concepts[place]))) - {"unspecified"}


def capped(confidences: Doubles, surest: float) -> Doubles:
    """Confidences of which the ``surest`` is no answer at the default threshold."""
    return confidences if surest <= _LEAST_DOUBTED else rounded(confidences * (_LEAST_DOUBTED / surest))


def _share_left(
    read: Interpretation, name: Sequence[str], concept: Sequence[str], best: int, signals: Signals
) -> float:
    """What part of the confidences is left, given the ``best`` place, the words of its name and its preferred term."""
    query, surest = read.query, float(read.own_confidences[best])
    least = _LEAST_DOUBTED / surest
    said, instead = _words_apart(query.words, name), _words_apart(name, query.words)
    if _says_otherwise(query, name, concept, said, instead):
        return least
    # "wedding" alone is no *stuck wedding ring*, a phrase for something unlike it
    is_of_phrase = len(query.words) == 1 and not said and float(read.evidence.to_preferred[best]) < _ALIKE
    if (is_of_phrase and instead) or said == [_NORMAL] or (said and _is_only_there(said, concept, signals)):
        return least
    if not said or not instead:
        return 1.0
    ours, theirs = signals.encoder.encode_names([" ".join(said), " ".join(instead)])
    if float(ours @ theirs) >= _ALIKE and not _rhyme(said, instead):
        return 1.0
    return least if _rhyme(said, instead) or _has_unknown(said, instead, signals) else max(surest**_DOUBT, least)


def _says_otherwise(
    query: Query, name: Sequence[str], concept: Sequence[str], said: Sequence[str], instead: Sequence[str]
) -> bool:
    """Whether a name, or its concept, says another thing than the query, or not what the query is about: ``said`` are
    the words of the query that the name lacks, ``instead`` those of the name that the query lacks."""
    is_otherwise = _is_otherwise(query, concept, said, instead, name)
    return is_otherwise or _asks_for_remedy(query, name) or (bool(said) and _leaves_unsaid(query, name, concept, said))


def _is_otherwise(
    query: Query, concept: Sequence[str], said: Sequence[str], instead: Sequence[str], name: Sequence[str]
) -> bool:
    """Whether a name, or its concept, is of another kind than the query, or says more of it than the query does."""
    is_named = bool(instead) and _NAMED.issuperset(instead) and _DESIGNATING.issuperset(said)
    may_be_person = is_named and not all(map(is_english, query.words))
    return (
        _is_of_another_kind(query, concept, may_be_person=may_be_person)
        or _lacks_finding(said, instead, concept)
        or (not may_be_person and _tells_more(query, name, said, instead))
        or (not said and _is_bare_part(query) and _adds_finding(query, concept))
    )


def _leaves_unsaid(query: Query, name: Sequence[str], concept: Sequence[str], said: Sequence[str]) -> bool:
    """Whether the words ``said`` that a name lacks are what the query is about."""
    return (
        (len(name) == 1 and len(name[0]) <= _SHORTEST and not has_acronym(" ".join(concept)))
        or qualifies(concept)
        or _asks_for_thing(query, said)
        or (query.correction is Correction.EXPANDED and not _GREEK.isdisjoint(said))
        or _says_only_expansion(query, name, concept)
    )


def qualifies(concept: Sequence[str]) -> bool:
    """Whether a preferred term only says how something else is ("Recurrent")."""
    return QUALIFYING.issuperset(concept)


def _says_only_expansion(query: Query, name: Sequence[str], concept: Sequence[str]) -> bool:
    """Whether a name and the preferred term have no word of a query but what a short word in small letters was written
    out as ("hernia ted disk", *thyroid eye disease*)."""
    written = [said for short, said in query.changes if short.islower() and len(short) <= _SHORT_FORM]
    if query.correction is not Correction.EXPANDED or not written:
        return False
    roots = {root(word) for said in written for word in tokens(said)}
    others = {root(word) for word in query.words if word not in LIGHT and word not in SMALL} - roots
    return len(others) > 1 and others.isdisjoint(map(root, (*name, *concept)))


def _says_normal(query: Query) -> bool:
    """Whether a query says that something is normal, which is then no finding that has its name: "normal vision" denies
    no *visions*, while "normal gait" does deny an abnormal one."""
    return query.negated and f"{_NORMAL} {query.text.lower()}" in query.typed.lower()


def _rhyme(said: Sequence[str], instead: Sequence[str]) -> bool:
    """Whether a word of a query and one in its place differ by their first letter: much the same letters, and another
    meaning ("late to start talking", *delayed walking*)."""
    ends = {word[1:] for word in said if len(word) > _SHORTEST_RHYME and is_english(word)}
    return any(word[1:] in ends for word in instead if is_english(word))


def _asks_for_thing(query: Query, said: Sequence[str]) -> bool:
    """Whether a query ends with a thing that the name lacks ("sick note template", not "fell in the store" or "sore arm
    from a flu vaccine"), or with a test of which it tells no result ("HIV antibody", not "positive HIV antibody").
    """
    *before, last = query.words
    if last not in said or not before or not SMALL.isdisjoint(before):
        return False
    if last in ASKED_FOR:
        return True
    return last in TESTED_FOR and _RESULTS.isdisjoint(before) and not query.negated


def _asks_for_remedy(query: Query, name: Sequence[str]) -> bool:
    """Whether a query ends with what is used for a finding ("migraine tablets"), and the name has not both words so: a
    *headache from tablets* is another thing."""
    *before, last = query.words
    if last not in DOSE_FORMS or not before or not SMALL.isdisjoint(before):
        return False
    is_used_for = not is_substance(before) and all(map(is_english, before))
    return is_used_for and (before[-1], last) not in pairwise(name)


def _has_unknown(said: Sequence[str], instead: Sequence[str], signals: Signals) -> bool:
    """Whether one of some words is neither English nor a word of names, nor the beginning of one of those ``instead``:
    its vector tells its letters alone."""
    unknown = [word for word, known in zip(said, signals.is_known(said), strict=True) if not known and word.isalpha()]
    return any(
        len(word) >= SHORTEST_ENGLISH and not is_english(word) and not any(one.startswith(word) for one in instead)
        for word in unknown
    )


def _tells_more(query: Query, name: Sequence[str], said: Sequence[str], instead: Sequence[str]) -> bool:
    """Whether a name says what the query leaves open: what is with a substance, or how much there is of something.

    ``said`` are the words of the query that the name lacks, ``instead`` those of the name that the query lacks.
    """
    if instead and DOSE_FORMS.issuperset(said) and is_substance(query.words) and not is_substance(name):
        return True
    is_open = MEASURED.issuperset(said) and _RESULTS.isdisjoint(query.words) and not query.negated
    if is_open and instead and _HARM.issuperset(instead):
        return True
    return is_open and not AMOUNTS.isdisjoint(instead) and AMOUNTS.union(MEASURED).issuperset(instead)


def _is_bare_part(query: Query) -> bool:
    """Whether a query names a part of the body and says nothing of it: "left clavicle"."""
    kinds = {likeliest_kind((word,))[0] for word in query.words if word not in _PLACES}
    return (kinds == {"anatomy"} or is_body_part(query.words)) and not has_acronym(query.text)


def _adds_finding(query: Query, concept: Sequence[str]) -> bool:
    """Whether a concept is a finding by what its preferred term has beside the words of a query. That it is a disease
    may be left out after a person's name, but not after a word that everybody knows for a part of the body.
    """
    told = kind_told(concept, LIKELIER)
    if is_body_part(query.words):
        return bool(_words_apart(concept, query.words)) and told != "anatomy"
    return told == _FINDING and not _DISORDER.issuperset(_words_apart(concept, query.words))


def _words_apart(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """The telling words that have no form among the others; negations are compared elsewhere."""
    roots = {root(word) for word in others}
    return [word for word in words if root(word) not in roots and word not in LIGHT and word not in NEGATORS]


def _is_of_another_kind(query: Query, concept: Sequence[str], *, may_be_person: bool) -> bool:
    """Whether a query names one kind of thing and a concept another, as far as the words of both tell."""
    asked = kind_told(query.words)
    if not asked or (asked, kind_told(concept)) not in _OTHERWISE or _has_short_form(query.text):
        return False
    if may_be_person and asked in ("chemical", "organism"):
        return False
    return asked == _FINDING or not tell_finding(query.words)


def _has_short_form(text: str) -> bool:
    """Whether a text has an acronym, or a word in capitals with a number, as the MEN of "MEN IIB"."""
    return has_acronym(text) or bool(_NUMBERED.search(text))


def _lacks_finding(said: Sequence[str], instead: Sequence[str], concept: Sequence[str]) -> bool:
    """Whether the words of a query that a name lacks tell a finding, where the concept is a part of the body, an
    organism, a chemical or a gene: "oral cavity cancer" is no oral cavity, "STXBP1 encephalopathy" no STXBP1."""
    is_thing = _is_symbol(concept) or kind_told(concept, LIKELIER) in _THINGS
    return is_thing and tell_finding(said) and not tell_finding(instead)


def _is_symbol(concept: Sequence[str]) -> bool:
    """Whether a preferred term is one word of letters and digits, as the symbols of genes and proteins are."""
    return len(concept) == 1 and concept[0].isalnum() and any(one.isdigit() for one in concept[0][1:])


def _is_only_there(said: Sequence[str], concept: Sequence[str], signals: Signals) -> bool:
    """Whether a concept says what somebody has or takes, and the words of a query that its name lacks are a finding:
    "infection around hip replacement" is no *presence of artificial hip joint*. So too where it tells that something
    was examined, and they what was found: "blood pressure check low"."""
    if tuple(concept[:2]) == ("encounter", "for") or kind_told(concept) == "procedure":
        return not _RESULTS.isdisjoint(said) and _RESULTS.isdisjoint(concept)
    if tuple(concept[:2]) not in _BEFORE_STATE and _AFTER_STATE.isdisjoint(concept[-1:]):
        return False
    return tell_finding(said) or any(word not in QUALIFYING and signals.is_name((word,)) for word in said)


def unsupported(read: Interpretation, signals: Signals) -> int:
    """How many abbreviations were written out as what the surest candidate has no word of, nor one alike."""
    best = int(read.own_confidences.argmax())
    name = signals.words_of(int(read.evidence.best[best]))
    roots = {root(word) for word in (*name, *signals.preferred_words(int(read.evidence.concepts[best])))}
    written_out = ([word for word in tokens(said) if word not in LIGHT] for _, said in read.query.changes)
    apart = [" ".join(words) for words in written_out if words and roots.isdisjoint(map(root, words))]
    if not apart:
        return 0
    own, *others = signals.encoder.encode_names([" ".join(name), *apart])
    return sum(float(own @ other) < _WRITTEN_OUT for other in others)


def leaves_rest(read: Interpretation, signals: Signals) -> bool:
    """Whether the surest candidate has no word of a query, nor one alike, but what its abbreviations were written out
    as: "AF palpitations" speaks of a fibrillation, and "RTA whiplash" of no acidosis."""
    best = int(read.own_confidences.argmax())
    written = {root(word) for _, said in read.query.changes for word in tokens(said)}
    others = [word for word in read.query.words if word not in LIGHT | QUALIFYING and root(word) not in written]
    name = signals.words_of(int(read.evidence.best[best]))
    roots = {root(word) for word in (*name, *signals.preferred_words(int(read.evidence.concepts[best])))}
    if not others or not roots.isdisjoint(map(root, others)):
        return False
    ours, theirs = signals.encoder.encode_names([" ".join(others), " ".join(name)])
    return float(ours @ theirs) < _ALIKE
