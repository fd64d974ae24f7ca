"""Paraphrases of findings: "nephropathy" and "renal damage" mean *kidney disease*, "overdose" means *drug overdose*.

They come from tables of general medical English (``rewordings.tsv``) and of this file. All functions take normalized
words and give those of names that a terminology may have, the likeliest first; the caller looks which it has.

- of a whole query: `phrases_for` (with `other_words` for each part), `with_type` ("Niemann-Pick disease A"),
  `with_what_it_is` ("Guillain-Barré" is a *syndrome*), `induced_disease`
- of one word: `findings_for` ("confused" is *confusion*), `diseased_parts` ("nephropathy")
- of words in notes (`ontonym.tasks.annotation.otherwords`): `nouns_of`, `is_trigger`, `possessive_diseases`
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from types import MappingProxyType

from ontonym.text.bodyparts import is_body_part, narrows, same_part
from ontonym.text.english import is_english
from ontonym.text.findings import (
    CONDITIONS,
    DAMAGE,
    DELAYING,
    MALIGNANT,
    TOXIC,
    ends_as_finding,
    is_disorder_head,
)
from ontonym.text.kinds import kind_of
from ontonym.text.normalization import tokens
from ontonym.text.patterns import longest_first
from ontonym.text.tables import table
from ontonym.text.wordlists import SMALL

_Words = tuple[str, ...]

_MOST_WORDS = 5
"""Words of the longest phrase that is said in other words."""

_TABLE = table("rewordings.tsv")


def _rows(kind: str) -> Mapping[str, tuple[_Words, ...]]:
    """The rows of a kind: each form with its other words, likeliest first."""
    return MappingProxyType(
        {
            form: tuple(tuple(other.split()) for other in row["other words"].split("|"))
            for row in _TABLE
            if row["kind"] == kind
            for form in row["words"].split("|")
        }
    )


PARTS = _rows("parts")
"""The Greek and Latin forms of parts of the body, without their last *o*, in plain words."""

IMPLIED = _rows("implied")
"""Single words with what they are short for: *drug overdose* for "overdose"."""

FINDING_NOUNS = _rows("told")
"""Verbs and adjectives with the nouns by which names call the finding."""

FINDING_NOUNS_ALONE = _rows("alone")
"""The same for adjectives that mean a finding only where they qualify nothing: "he is bipolar", no "bipolar
diathermy"."""

LACKING = _rows("lacking")
"""What the body does or has, with the finding that it does not: *apnea* for "breathing"."""

POOR_FUNCTIONS = _rows("faring")
"""What the body does, with the finding that it does so badly: *poor vision* for "seeing"."""

UNILATERAL = _rows("halved")
"""Findings, with the name of one on one side of the body: *hemiparesis* for "weakness"."""

# What a word says -----------------------------------------------------------------------------------------------------

FUNCTIONS = frozenset("function functioning".split())
"""Normalized words for what a part of the body does."""

_LESS = frozenset("decline declined declining decrease decreased diminished reduced reduction".split())
"""Normalized words that say of a function that there is less of it."""

IMPAIRED = _LESS | frozenset(
    "abnormal abnormality compromised deficit depressed deranged deteriorated deteriorating deterioration disturbance "
    "disturbed impaired impairment poor worsened worsening".split()
)
"""Normalized words that say of a function that it is worse than it should be."""

_INHERITED = frozenset("autosomal familial genetic hereditary heritable inherited mendelian monogenic".split())
"""Normalized words that say of a disease that it is inherited."""

_WAYS = frozenset("dominant dominantly human linked recessive recessively x".split())
"""Normalized words that may stand beside these, and say how it is inherited or of whom."""

_FAMILIAL = frozenset("familial hereditary inherited".split())
"""Normalized words that say of a disease that it runs in families."""

_INFECTION = frozenset("infected infection virus".split())
"""Normalized words that say of a virus that somebody has it."""

_INDUCED = "induced"
"""The normalized word between what caused a disease and the disease."""

_COMPOUND = re.compile(
    rf"(?:micro|macro)?(?P<part>{longest_first(PARTS)})o?"
    r"(?P<end>path(?:y|ies)|toxic(?:ity|ities|osis)?)"
)
"""A part of the body and what is wrong with it in one word: "nephropathy"."""

_NOUNS = MappingProxyType(
    {
        "tic": ("sis",),
        "ed": ("ion", "ation", "ing"),
        "yzed": ("ysis",),
        "ent": ("ence", "ency"),
        "ile": ("ility",),
        "al": ("", "e"),
        "ous": ("um", ""),
        "y": ("iness",),
        "": ("ness",),
    }
)
"""The endings of adjectives, and those of the nouns for what they say."""

_NOUNS_ALONE = MappingProxyType({"tic": ("sy",), "ic": ("ia", "is", "y"), "ive": ("ion",)})
"""The same of adjectives that say more often where something is: only where nothing else is said."""

_SHORTEST_NOUN = 5
"""Letters of the shortest noun that is made of an adjective."""


def has_finding_noun(written: str) -> bool:
    """Whether a word in small letters has a noun in `FINDING_NOUNS` or `FINDING_NOUNS_ALONE`."""
    return written in FINDING_NOUNS or written in FINDING_NOUNS_ALONE


def is_part_adjective(word: str) -> bool:
    """Whether a normalized word only says which part of the body is meant: *ophthalmic*, *renal*."""
    return narrows(word) or (word.endswith(("ic", "al", "ar")) and word[:-2] in PARTS)


def diseased_parts(word: str) -> tuple[tuple[_Words, bool], ...]:
    """The parts of the body that a normalized word says are diseased, likeliest first, and whether by a poison:
    *kidney*, True of "nephrotoxicity"; empty for other words."""
    match = _COMPOUND.fullmatch(word)
    return tuple((part, match["end"].startswith("tox")) for part in PARTS[match["part"]]) if match else ()


@lru_cache(maxsize=1 << 14)  # cached: the words of texts come again
def nouns_of(adjective: str) -> tuple[_Words, ...]:
    """The nouns, if English has them, for what an adjective in lower case says: *confusion* of "confused", *sepsis* of
    "septic", *deafness* of "deaf"."""
    return tuple(_with_endings(adjective, _NOUNS))


def findings_for(word: str) -> tuple[_Words, ...]:
    """The findings that a normalized word may tell by itself, likeliest first: *confusion* of "confused", *hypoxia* of
    "hypoxic"."""
    return (
        *FINDING_NOUNS.get(word, ()),
        *FINDING_NOUNS_ALONE.get(word, ()),
        *nouns_of(word),
        *_with_endings(word, _NOUNS_ALONE),
    )


def _with_endings(adjective: str, endings: Mapping[str, tuple[str, ...]]) -> Iterator[_Words]:
    stems = ((adjective.removesuffix(end), nouns) for end, nouns in endings.items() if adjective.endswith(end))
    return ((stem + noun,) for stem, nouns in stems for noun in nouns if len(stem + noun) >= _SHORTEST_NOUN)


def is_trigger(word: str) -> bool:
    """Whether `other_words` may know a phrase that a normalized word ends or begins, or is."""
    return is_disorder_head(word) or word in IMPLIED or ends_as_finding(word) or bool(diseased_parts(word))


# What a phrase says in other words ------------------------------------------------------------------------------------

_WRONG: tuple[_Words, ...] = (("disease",), ("disorder",), ("abnormality",))
"""What names say where something is wrong with what stands before."""

_POISONED: tuple[_Words, ...] = (("drug", "induced", "injury"), ("drug", "induced", "disease"))
"""What names say where a drug has harmed what stands before."""

_CANCERS: tuple[_Words, ...] = (("carcinoma",), ("cancer",), ("neoplasm",), ("tumor",))
"""What names call a cancer of what stands before."""

_GENERAL: tuple[_Words, ...] = (("disorder",), ("syndrome",), ("disease",))
"""The general words that names add to a finding."""

_HEREDITARY: tuple[_Words, ...] = (("hereditary", "disease"), ("genetic", "disease"), ("hereditary", "disorder"))
"""What names call an inherited disease."""

_DELAYED: tuple[_Words, ...] = (("delay",), ("retardation",))
"""What names call a development that went slowly."""

_FAILING: tuple[_Words, ...] = (("dysfunction",), ("impairment",), ("insufficiency",))
"""What names say of a function that is worse than it should be."""

_TOO_LITTLE: tuple[_Words, ...] = (("insufficiency",), ("failure",), ("dysfunction",), ("impairment",))
"""What names say of a function of which there is less."""


@lru_cache(maxsize=1 << 12)  # cached: a query is read in several ways
def phrases_for(words: _Words) -> tuple[_Words, ...]:
    """The `other_words` for all normalized words of a query, likeliest first, with each word for the same part of the
    body in turn: *kidney disease*, *renal disease*. Empty where they say nothing in other words, and for
    *toxicity* alone: of what, the document tells better."""
    telling = tuple(word for word in words if word not in SMALL)
    if not telling or len(telling) > _MOST_WORDS or TOXIC.issuperset(telling):
        return ()
    infected = virus_disease(words)
    is_told = bool(infected) or not {*FUNCTIONS, _INDUCED}.isdisjoint(telling)
    if not (is_told or is_trigger(telling[0]) or is_trigger(telling[-1])):
        return ()
    is_phrase = len(words) > 2 and ends_as_finding(words[-1])
    said = (*((infected,) if infected else ()), *other_words(telling), *(as_syndrome(words) if is_phrase else ()))
    varied = (one for phrase in said for one in product(*(same_part(word) for word in phrase)))
    return tuple(dict.fromkeys(one for one in varied if one != words))


def as_syndrome(words: _Words) -> Iterator[_Words]:
    """A phrase as a syndrome, and one that runs in families as a hereditary one too."""
    yield (*words, "syndrome")
    if words[0] in _FAMILIAL:
        yield ("hereditary", *words[1:], "syndrome")


@lru_cache(maxsize=1 << 14)  # cached: the words of texts come again
def other_words(words: _Words) -> tuple[_Words, ...]:
    """What normalized words may mean, in other words that a name may have, likeliest first.

    One word ("nephropathy"): a diseased part, what it is short for, or with a general word that names add
    (*neurotoxicity syndrome*). Several ("renal damage"): a part of the body and a word of `DAMAGE` or `DELAYING` for
    it, in either order, or one of `IMPAIRED` for its function; or what a drug induced.
    """
    return tuple(dict.fromkeys(_of_one(words[0]) if len(words) == 1 else _of_several(words)))


def _of_one(word: str) -> Iterator[_Words]:
    yield from IMPLIED.get(word, ())
    if ends_as_finding(word):
        yield from ((word, *general) for general in _GENERAL)
    for part, poisoned in diseased_parts(word):
        yield from _disorders_of(part, is_poisoned=poisoned)


def _of_several(words: _Words) -> Iterator[_Words]:
    given = set(words)
    if disease := induced_disease(words):
        yield ("drug", _INDUCED, *disease)
    if given & FUNCTIONS and given & IMPAIRED:
        part = tuple(word for word in words if word not in FUNCTIONS | IMPAIRED)
        failing = _TOO_LITTLE if given & _LESS else _FAILING
        yield from ((*part, *one) for one in (*failing, *_WRONG) if part)
    for place in (len(words) - 1, 0):
        head, rest = words[place], (*words[:place], *words[place + 1 :])
        if head in CONDITIONS and _means_inherited(rest):
            yield from _HEREDITARY
        if head in DAMAGE or head in TOXIC:
            yield from _disorders_of(rest, is_poisoned=head in TOXIC)
        elif head in MALIGNANT:
            yield from ((*rest, head), (head, "of", *rest), (head, "of", "the", *rest))
            yield from ((*rest, *other) for other in _CANCERS)
        elif head in DELAYING:
            yield from ((*rest, *other) for other in _DELAYED)


def _means_inherited(words: Sequence[str]) -> bool:
    """Whether words say of a disease that it is inherited, and nothing else."""
    given = set(words)
    return given <= _INHERITED | _WAYS and (not given.isdisjoint(_INHERITED) or given >= {"x", "linked"})


def _disorders_of(part: Sequence[str], *, is_poisoned: bool) -> Iterator[_Words]:
    for wrong in (*(_POISONED if is_poisoned else ()), *_WRONG):
        yield (*part, *wrong)


def virus_disease(words: _Words) -> _Words:
    """The disease that the normalized words of a phrase say by its virus: "hepatitis c" of "hepatitis C virus
    infection"; empty where they tell no virus, or not that somebody has it."""
    if "virus" not in words or not {"infected", "infection"} & set(words):
        return ()
    left = tuple(word for word in words if word == "a" or word not in _INFECTION | SMALL)
    return left[1:] if left[:1] == ("a",) else left


def induced_disease(words: _Words) -> _Words:
    """What the normalized words of a phrase say that something induced: the *nephropathy* of "contrast induced
    nephropathy"; empty where it was a drug that nobody names, or nothing."""
    place = words.index(_INDUCED) if _INDUCED in words[1:-1] else 0
    return words[place + 1 :] if place and words[:place] != ("drug",) else ()


_TYPE = "type"
_DESIGNATION = re.compile(r"\d{1,2}[a-z]{0,2}\d?|[a-eivx]|[ivx]{2,4}[a-e]?")


def with_type(words: _Words) -> Iterator[_Words]:
    """The normalized words of a phrase that ends with a number or letter, as that of a type: "Niemann-Pick disease A";
    and those of one that says so, without it."""
    if len(words) > 1 and _TYPE not in words and _DESIGNATION.fullmatch(words[-1]):
        yield tuple(tokens(" ".join((*words[:-1], _TYPE, words[-1]))))
    elif words[-2:-1] == (_TYPE,) and len(words) > 2:
        yield (*words[:-2], words[-1])


# Names of diseases that leave out what they are -----------------------------------------------------------------------

_AFTER_PERSONS: tuple[_Words, ...] = (("disease",), ("syndrome",), ("phenomenon",), ("thyroiditis",))
"""What is left out after a person's name."""

_POSSESSIVE = re.compile(r"[A-Z][^\W\d_]+(?:-[A-Z][^\W\d_]+)?['\u2019]s?")
"""The name of a person in the genitive."""

_LEFT_OUT: tuple[_Words, ...] = (("disease",), ("syndrome",))
"""What people leave out of the name of a disease: "Guillain-Barré", "sick sinus"."""


def possessive_diseases(written: str, words: _Words) -> tuple[_Words, ...]:
    """What a name of a person in the genitive stands for, which leaves out what it is: the *Raynaud's phenomenon* of
    "Raynaud's"; empty for other words."""
    return tuple((*words, *one) for one in _AFTER_PERSONS) if _POSSESSIVE.fullmatch(written) else ()


@lru_cache(maxsize=1 << 12)  # cached: a query is read in several ways
def with_what_it_is(words: _Words) -> tuple[_Words, ...]:
    """The names of diseases that normalized words may be short for: those of a person, whom English does not know, or
    words that tell a finding; a part of the body or a substance is not its disease."""
    if not words or len(words) > _MOST_WORDS or is_body_part(words):
        return ()
    if all(map(is_english, words)) and kind_of(words) != "finding":
        return ()
    return tuple((*words, *one) for one in _LEFT_OUT)


def without_apostrophe(written: str, words: _Words) -> tuple[_Words, ...]:
    """The names of diseases that a genitive without its apostrophe may be short for: "crohns"; none for a plural that
    English has."""
    is_genitive = words == (written[:-1].lower(),) and not is_english(written.lower())
    return tuple((*words, *one) for one in _LEFT_OUT) if is_genitive else ()
