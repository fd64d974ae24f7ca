"""Why an answer is doubtful whatever the ranking says: the rules by which a name says another thing than a query.

Each rule compares a query with its surest candidate, a `ComparedName`. The first that holds says in a sentence why.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ontonym.index.askedfor import (
    RESULTS,
    asks_for_operation,
    asks_for_remedy,
    asks_for_test,
    asks_for_thing,
    is_over,
    is_refused,
    lacks_contact,
    lacks_harm,
    lacks_risk,
    says_immune,
)
from ontonym.index.comparednames import CALLED_AFTER_PERSONS, ComparedName, words_apart
from ontonym.index.query import Query
from ontonym.index.signals import Signals
from ontonym.text.amounts import AMOUNTS, MEASURED, amount_of
from ontonym.text.bodyparts import is_body_part, names_a_part
from ontonym.text.denials import NEGATORS
from ontonym.text.doses import DOSE_FORMS
from ontonym.text.english import SHORTEST_ENGLISH, is_english
from ontonym.text.findings import has_likely_finding
from ontonym.text.kinds import LIKELIER, clear_kind, is_substance, likeliest_kind
from ontonym.text.normalization import has_acronym, tokens
from ontonym.text.places import is_said_elsewhere
from ontonym.text.qualifiers import words_on
from ontonym.text.wordlists import LIGHT, QUALIFYING, SMALL
from ontonym.text.wordroots import root
from ontonym.types import Correction

ALIKE = 0.2
"""The cosine from which on words may mean the same as those in their place."""

_SAME_THING = 0.6
"""The cosine from which on a preferred term may say what one word does."""

_SHORTEST = 2
"""Letters of names that say too little for a query of more words: "gamma-GT" is no *GT*."""

_SHORT_FORM = 4
"""Letters of an abbreviation in small letters that may be a word instead."""

_SHORTEST_RHYME = 4
"""Letters after the first one of words that look alike."""

_NORMAL, _FAMILY, _PAST = "normal", "family", frozenset({"history", "past", "previous", "prior"})

_FINDING, _THINGS = "finding", frozenset({"anatomy", "organism", "chemical"})

_BEFORE_STATE, _AFTER_STATE = frozenset({("presence", "of"), ("absence", "of")}), frozenset({"status", "use"})
"""The first or last words of preferred terms for what is there, gone or taken, and for nothing wrong with it. Others
that begin so are findings: *absence seizure*, *status epilepticus*."""

_COMPOUND = 2
"""The words of a thing that is called after another."""

_HAPPENING = ("ing", "ed")
"""The ends of words that say what happens, and name no thing: "baby crying"."""

_NUMBERED = re.compile(r"\b[A-Z]{2,5}[ -](?:\d|[IVX]+[A-F]?\b)")

_DISORDER = CALLED_AFTER_PERSONS | {"disorder"}

_TAKEN = frozenset({"on", "take", "takes", "taking"})
"""What names say before what somebody takes: "on omeprazole"."""

_HARM = frozenset("intoxication overdose poisoning toxicity".split())
"""What names say of a substance that did harm."""

_GREEK = frozenset("alpha beta gamma delta epsilon zeta theta kappa lambda sigma omega".split())
"""Letters that tell apart what is called by the same short form: "gamma GT" is no *GT*."""

_PLACES = words_on("side", "level", "front", "middle", "distance", "depth", "order") | {"of", "the", "and"}
"""Words that say which of several parts of the body is meant."""

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

_FOUND_IN = MEASURED | {"breath", "saliva", "semen", "stool", "sweat"}
"""What names say of where something is, or is measured: "protein in urine"."""

_SAID = {"much": frozenset({"up"}), "little": frozenset({"down"}), "none": frozenset()}
_UP_OR_DOWN = frozenset({"up", "down"})
"""What names say at their ends of an amount: "troponin up"."""

_KINDS = {
    "anatomy": "a part of the body",
    "organism": "an organism",
    "chemical": "a substance",
    "procedure": "a procedure",
    _FINDING: "a finding",
}


def why_no_answer(pair: ComparedName) -> str:
    """Why a name, or its concept, is no answer to the query: it says another thing, not what the query is about, or
    little beside the words that it shares with it; or empty."""
    return (
        _why_other_kind(pair)
        or _first_of(_OTHER_THINGS, pair)
        or (_first_of(_LACKS_TOPIC, pair) if pair.only_in_query else "")
        or _first_of(_SHARES_LITTLE, pair)
    )


def why_of_relatives(pair: ComparedName) -> str:
    """Why a concept of what the family has is no answer to what somebody had: "history of epilepsy"; or empty."""
    if is_past(pair.query) and _FAMILY in pair.preferred and _FAMILY not in pair.query.words:
        return "the query says what somebody had, and this what the family has"
    return ""


def is_past(query: Query) -> bool:
    """Whether a query says that something is over: "history of epilepsy"."""
    return not _PAST.isdisjoint(query.words)


def why_not_denied(query: Query) -> str:
    """Why a query that says that something is normal denies no finding of that name: "normal vision" denies no
    *visions*, while "normal gait" does deny an abnormal one; or empty."""
    is_said = query.negated and f"{_NORMAL} {query.text.lower()}" in query.typed.lower()
    return _OF_NORMAL if is_said else ""


def qualifies(concept: Sequence[str]) -> bool:
    """Whether a preferred term only says how something else is ("Recurrent")."""
    return QUALIFYING.issuperset(concept)


def have_rhyme(said: Sequence[str], instead: Sequence[str]) -> bool:
    """Whether a word of a query and one in its place differ by their first letter: much the same letters, and another
    meaning ("late to start talking", *delayed walking*)."""
    ends = {word[1:] for word in said if len(word) > _SHORTEST_RHYME and is_english(word)}
    return any(word[1:] in ends for word in instead if is_english(word))


def has_unknown(said: Sequence[str], instead: Sequence[str], signals: Signals) -> bool:
    """Whether one of some words is neither English nor a word of names, nor the beginning of one of those ``instead``:
    its vector tells its letters alone."""
    unknown = [word for word, known in zip(said, signals.is_known(said), strict=True) if not known and word.isalpha()]
    return any(
        len(word) >= SHORTEST_ENGLISH and not is_english(word) and not any(one.startswith(word) for one in instead)
        for word in unknown
    )


def shares_only_thing(pair: ComparedName) -> bool:
    """Whether a query of two words ends with a thing that the name lacks, and neither word is of a finding or a part of
    the body: "lead guitar" is no *ate lead*, and "mushroom risotto" no *mushroom poisoning*."""
    query, words = pair.query, pair.query.words
    if query.correction is not Correction.NONE or len(words) != _COMPOUND or [words[-1]] != pair.only_in_query:
        return False
    if words[-1].endswith(_HAPPENING) or not NEGATORS.isdisjoint(words) or has_likely_finding(words):
        return False
    return all(is_english(word) for word in words if len(word) >= SHORTEST_ENGLISH) and not any(
        is_body_part((word,)) for word in words
    )


# The rules --------------------------------------------------------------------------------------------------------


def _why_other_kind(pair: ComparedName) -> str:
    """Why a concept is of another kind than what the query names, as far as the words of both tell; or empty."""
    asked = (
        clear_kind(pair.query.words) if pair.only_in_query or pair.only_in_name else ""
    )  # the same words name the same thing
    if not asked or (asked, found := clear_kind(pair.preferred)) not in _OTHERWISE or _has_short_form(pair.query.text):
        return ""
    if pair.may_be_person and asked in ("chemical", "organism"):
        return ""
    if found == _FINDING and not _amounts_of(pair.query.words).isdisjoint(_amounts_of((*pair.name, *pair.preferred))):
        return ""
    is_clear = asked == _FINDING or not has_likely_finding(pair.query.words)
    return f"the query names {_KINDS[asked]}, and this is {_KINDS[found]}" if is_clear else ""


def _amounts_of(words: Sequence[str]) -> set[str]:
    """What words say of amounts, so that "ALT raised" is a finding as *alanine aminotransferase increased* is."""
    return set(map(amount_of, words)) - {""}


def _has_short_form(text: str) -> bool:
    """Whether a text has an acronym, or a word in capitals with a number, as the MEN of "MEN IIB"."""
    return has_acronym(text) or bool(_NUMBERED.search(text))


def _lacks_finding(pair: ComparedName) -> bool:
    """Whether the words of a query that a name lacks tell a finding, where the concept is a part of the body, an
    organism, a chemical or a gene: "oral cavity cancer" is no oral cavity, "STXBP1 encephalopathy" no STXBP1."""
    is_thing = _is_symbol(pair.preferred) or clear_kind(pair.preferred, LIKELIER) in _THINGS
    return is_thing and has_likely_finding(pair.only_in_query) and not has_likely_finding(pair.only_in_name)


def _is_symbol(concept: Sequence[str]) -> bool:
    """Whether a preferred term is one word of letters and digits, as the symbols of genes and proteins are."""
    return len(concept) == 1 and concept[0].isalnum() and any(one.isdigit() for one in concept[0][1:])


def _tells_more(pair: ComparedName) -> bool:
    """Whether a name says what the query leaves open: what is with a substance ("ibuprofen", *ibuprofen overdose*),
    that somebody takes it ("omeprazole capsules", *on omeprazole*), or how much there is of something ("serum
    potassium", *low potassium*)."""
    query, said, instead = pair.query, pair.only_in_query, pair.only_in_name
    if pair.may_be_person:
        return False
    if _is_taken(pair):
        return True
    is_with = bool(instead) and DOSE_FORMS.issuperset(said) and not MEASURED.issuperset(instead)
    if is_with and is_substance(query.words) and not is_substance(pair.name):
        return True
    is_open = MEASURED.issuperset(said) and RESULTS.isdisjoint(query.words) and not query.negated
    if is_open and instead and _HARM.issuperset(instead):
        return True
    return is_open and not AMOUNTS.isdisjoint(instead) and AMOUNTS.union(MEASURED).issuperset(instead)


def _says_opposite_amount(pair: ComparedName) -> bool:
    """Whether a query says that there is little of something, and the name that there is much ("low troponin",
    *troponin up*), or just that it is there ("low protein in urine", *protein in urine*); or the other way round.
    """
    said, name = pair.only_in_query, pair.name
    ours, ends = set(map(amount_of, said)) - {""}, {name[0], name[-1]}
    if len(ours) != 1 or not _amounts_of(name).isdisjoint(ours):
        return False
    if not ends.isdisjoint(_UP_OR_DOWN):
        return ends.isdisjoint(_SAID[next(iter(ours))])
    is_all = set(map(amount_of, said)) == {"little"} and _FOUND_IN.issuperset(pair.only_in_name)
    return is_all and not _FOUND_IN.isdisjoint(name) and _amounts_of(pair.preferred).isdisjoint(ours)


def _is_taken(pair: ComparedName) -> bool:
    """Whether a name says of just what the query names that somebody takes it."""
    first, *rest = pair.name
    bare = [word for word in pair.query.words if word not in DOSE_FORMS]
    return first in _TAKEN and rest == bare


def _is_bare_part(pair: ComparedName) -> bool:
    """Whether a query only names a part of the body, and the concept is a finding: "left clavicle" for a fractured one.

    A concept is a finding by what its preferred term has beside the words of the query. That it is a disease may be
    left out after a person's name, but not after a word that everybody knows for a part of the body.
    """
    query = pair.query
    if pair.only_in_query or has_acronym(query.text):
        return False
    kinds = {likeliest_kind((word,))[0] for word in query.words if word not in _PLACES}
    if kinds != {"anatomy"} and not is_body_part(query.words):
        return False
    told, added = clear_kind(pair.preferred, LIKELIER), words_apart(pair.preferred, query.words)
    if is_body_part(query.words):
        return bool(added) and told != "anatomy"
    return told == _FINDING and not _DISORDER.issuperset(added)


def _is_too_short(pair: ComparedName) -> bool:
    """Whether the name is one of two letters, and no acronym of its concept's: "gamma GT" is no *GT*."""
    is_short = len(pair.name) == 1 and len(pair.name[0]) <= _SHORTEST
    return is_short and not has_acronym(" ".join(pair.preferred))


def _only_qualifies(pair: ComparedName) -> bool:
    """Whether the concept says how something is, and the query what: "food keeps coming back", *Recurrent*."""
    return qualifies(pair.preferred)


def _lacks_greek(pair: ComparedName) -> bool:
    """Whether the name lacks a Greek letter of a query whose abbreviation was written out."""
    return pair.query.correction is Correction.EXPANDED and not _GREEK.isdisjoint(pair.only_in_query)


def _is_elsewhere(pair: ComparedName) -> bool:
    """Whether the name lacks the part of the body in which a query says that a finding is, which belongs to another one
    ("stroke of the eye")."""
    return is_said_elsewhere(pair.query.text) and not any(names_a_part((word,)) for word in pair.name)


def _says_only_expansion(pair: ComparedName) -> bool:
    """Whether a name and the preferred term have no word of a query but what a short word in small letters was written
    out as ("hernia ted disk", *thyroid eye disease*)."""
    query = pair.query
    written = [said for short, said in query.changes if short.islower() and len(short) <= _SHORT_FORM]
    if query.correction is not Correction.EXPANDED or not written:
        return False
    roots = {root(word) for said in written for word in tokens(said)}
    others = {root(word) for word in query.words if word not in LIGHT and word not in SMALL} - roots
    return len(others) > 1 and others.isdisjoint(pair.roots)


def _is_of_phrase(pair: ComparedName) -> bool:
    """Whether a word stands in a phrase for something unlike it: "wedding" alone is no *stuck wedding ring*, and
    "thermometer" no *broke thermometer*."""
    return (
        len(pair.query.words) == 1
        and not pair.only_in_query
        and pair.to_preferred < _SAME_THING
        and bool(pair.only_in_name)
    )


def _says_normal(pair: ComparedName) -> bool:
    """Whether all that the name lacks is that it is normal."""
    return pair.only_in_query == [_NORMAL]


def _is_only_there(pair: ComparedName) -> bool:
    """Whether a concept says what somebody has or takes, and the words of a query that its name lacks are a finding:
    "infection around hip replacement" is no *presence of artificial hip joint*. So too where it tells that something
    was examined, and they what was found: "blood pressure check low"."""
    said, concept = pair.only_in_query, pair.preferred
    if not said:
        return False
    if tuple(concept[:2]) == ("encounter", "for") or clear_kind(concept) == "procedure":
        return not RESULTS.isdisjoint(said) and RESULTS.isdisjoint(concept)
    if tuple(concept[:2]) not in _BEFORE_STATE and _AFTER_STATE.isdisjoint(concept[-1:]):
        return False
    return has_likely_finding(said) or any(word not in QUALIFYING and pair.signals.is_name((word,)) for word in said)


_OF_NORMAL = "the query says that it is normal"

_Rules = tuple[tuple[Callable[[ComparedName], bool], str], ...]

_OTHER_THINGS: _Rules = (
    (_lacks_finding, "the query names a finding, and this is none"),
    (_tells_more, "the query does not say that anything is wrong"),
    (_says_opposite_amount, "the query says another amount of it"),
    (_is_bare_part, "the query names a part of the body and no finding"),
    (asks_for_remedy, "the query asks for a remedy"),
)
"""How a name, or its concept, says another thing than the query."""

_LACKS_TOPIC: _Rules = (
    (_is_too_short, "the name is too short to say it"),
    (_only_qualifies, "this says how something is, and not what"),
    (asks_for_thing, "the query asks for a thing"),
    (asks_for_test, "the query names a test without its result"),
    (lacks_contact, "the query says that somebody met it, and this is the disease"),
    (lacks_risk, "the query says that somebody may get it, and this is the disease"),
    (says_immune, "the query says that somebody does not get it"),
    (lacks_harm, "the query says what somebody is allergic to"),
    (asks_for_operation, "the query asks for an operation"),
    (is_over, "the query says that it is over"),
    (is_refused, "the query says that somebody did not want it"),
    (_is_elsewhere, "the query says that it is somewhere else"),
    (_lacks_greek, "the name lacks the Greek letter"),
    (_says_only_expansion, "this says nothing but what a short word was read as"),
)
"""How a name lacks what the query is about: words of the query that it has not."""

_SHARES_LITTLE: _Rules = (
    (_is_of_phrase, "the name is a phrase for another thing"),
    (_says_normal, _OF_NORMAL),
    (_is_only_there, "the query says what is wrong, and this only what is there or was examined"),
)
"""How a name shares words with the query, and yet is of something else."""


def _first_of(rules: _Rules, pair: ComparedName) -> str:
    """What the first rule that holds says, or empty."""
    return next((why for holds, why in rules if holds(pair)), "")
