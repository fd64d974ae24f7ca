"""Why an answer is doubtful where the query asks for something around a finding: a remedy, a test, a thing, the risk of
it, contact with it, that somebody is immune to it or did not want it, or that it is over.

Each rule compares a query with its surest candidate, a `ComparedName`.
"""

from __future__ import annotations

from itertools import pairwise

from ontonym.index.comparednames import ComparedName
from ontonym.text.amounts import AMOUNTS
from ontonym.text.denials import NEGATORS
from ontonym.text.doses import DOSE_FORMS
from ontonym.text.english import is_english
from ontonym.text.kinds import clear_kind, is_substance
from ontonym.text.wordlists import ASKED_FOR, REMEDIES, SMALL, TESTED_FOR

RESULTS = AMOUNTS | NEGATORS | {"positive", "reactive", "failed"}
"""What a query says of a test where it tells its result."""

_BY_DRUGS = frozenset(
    "abuse addiction addict allergic allergy dependence dependent habit intolerance intoxication misuse overdose "
    "poisoning reaction resistance toxicity withdrawal".split()
)
"""Findings that are of a drug, and so have none that helps: "overdose pills"."""

_MET = frozenset({"contact", "exposed", "exposure"})
"""What queries say of somebody who met a disease: "measles contact", "exposed to scabies"."""

_IMMUNE = frozenset({"immune", "immunized", "vaccinated"})
_AGAINST = frozenset({"against", "for", "to"})
_IMMUNITY = _IMMUNE | {"immunity", "immunization", "vaccine"}
"""What queries and names say of somebody who does not get a disease."""

_HARMED = frozenset({"allergic", "allergy", "reaction"})
_HARM = _HARMED | frozenset(
    "adverse anaphylactic anaphylaxis complication dermatitis effect hypersensitivity intolerance poisoning rhinitis "
    "sensitivity toxicity underdosing urticaria".split()
)
"""What names say of something that did harm to somebody who took or met it."""

_OPERATION = frozenset({"operation", "removal", "repair", "surgery"})

_RISK = frozenset({"prevention", "prophylaxis", "risk", "risks"})
_RISKY = _RISK | {"predisposition", "prone", "prophylactic", "susceptibility"}
"""What queries and names say of somebody who may get a disease."""

_REFUSED = frozenset({"declined", "declines", "refused", "refuses"})
_REFUSING = _REFUSED | {"decision", "refusal", "refusing"}
"""What queries and names say of what somebody did not want."""

_OVER = frozenset({"cured", "former", "healed", "recovered"})
_HARDLY = NEGATORS | {"badly", "partly", "poorly", "slowly"}
"""What queries and names say of what is over, and words beside which it is not: "poorly healed wound"."""


def asks_for_remedy(pair: ComparedName) -> bool:
    """Whether a query ends with what is used for a finding ("migraine tablets", "gout medication"), and the name has
    not both words so: a *headache from tablets* is another thing."""
    *before, last = pair.query.words
    if not before or not SMALL.isdisjoint(before) or (before[-1], last) in pairwise(pair.name):
        return False
    if last in REMEDIES:
        return _BY_DRUGS.isdisjoint(before) and pair.signals.is_name(before)
    return last in DOSE_FORMS and not is_substance(before) and all(map(is_english, before))


def asks_for_thing(pair: ComparedName) -> bool:
    """Whether a query ends with a thing that the name lacks ("sick note template", not "fell in the store" or "sore arm
    from a flu vaccine")."""
    *before, last = pair.query.words
    return last in pair.only_in_query and bool(before) and SMALL.isdisjoint(before) and last in ASKED_FOR


def asks_for_test(pair: ComparedName) -> bool:
    """Whether a query ends with a test that the name lacks, and tells no result of it: "HIV antibody", not "positive
    HIV antibody"."""
    *before, last = pair.query.words
    if last not in pair.only_in_query or not before or not SMALL.isdisjoint(before):
        return False
    return last in TESTED_FOR and RESULTS.isdisjoint(before) and not pair.query.negated


def lacks_contact(pair: ComparedName) -> bool:
    """Whether a query says that somebody met something and the name does not: "mumps contact" is no *mumps*."""
    words = pair.query.words
    is_said = words[-1] in _MET or (words[0] in _MET and words[1:2] in (("to",), ("with",)))
    return is_said and not _MET.isdisjoint(pair.only_in_query) and _MET.isdisjoint(pair.preferred)


def says_immune(pair: ComparedName) -> bool:
    """Whether a query says that somebody does not get a disease, and the name is that of it: "immune to measles"."""
    first, *rest = pair.query.words
    is_said = first in _IMMUNE and not _AGAINST.isdisjoint(rest[:1])
    return is_said and _IMMUNITY.isdisjoint(pair.preferred)


def lacks_harm(pair: ComparedName) -> bool:
    """Whether a query says what somebody is allergic to, and the name says nothing of harm: "reaction to a vaccine"."""
    words = pair.query.words
    is_said = any(one in _HARMED and other == "to" for one, other in pairwise(words))
    return is_said and not _HARMED.isdisjoint(pair.only_in_query) and _HARM.isdisjoint((*pair.name, *pair.preferred))


def asks_for_operation(pair: ComparedName) -> bool:
    """Whether a query ends with an operation for the finding before it, and the name is just that: "wart removal". Not
    where that is an operation itself: "gastric band operation", *Gastroplasty*."""
    *before, last = pair.query.words
    is_added = last in _OPERATION and [last] == pair.only_in_query and not pair.only_in_name
    is_operation = clear_kind(pair.preferred) == "procedure" or not _OPERATION.isdisjoint(pair.preferred)
    return is_added and not is_operation and pair.signals.is_name(before)


def lacks_risk(pair: ComparedName) -> bool:
    """Whether a query says that somebody may get something and the name that they have it: "risk of stroke", "DVT
    prophylaxis"."""
    return not _RISK.isdisjoint(pair.only_in_query) and _RISKY.isdisjoint(pair.preferred)


def is_over(pair: ComparedName) -> bool:
    """Whether a query says that something is over and the name does not ("healed fracture"), or the other way round
    ("poorly healed fracture", *healed fracture*)."""
    if not _HARDLY.isdisjoint(pair.query.words):
        return not (_OVER.isdisjoint(pair.query.words) or _OVER.isdisjoint(pair.name)) and _HARDLY.isdisjoint(pair.name)
    is_said = not _OVER.isdisjoint(pair.only_in_query)
    return is_said and _OVER.isdisjoint(pair.preferred) and not pair.query.negated


def is_refused(pair: ComparedName) -> bool:
    """Whether a query says that somebody did not want something, and the name does not: "flu jab declined"."""
    return not _REFUSED.isdisjoint(pair.only_in_query) and _REFUSING.isdisjoint((*pair.name, *pair.preferred))
