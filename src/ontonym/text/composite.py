"""Several things in one text, and how it is parted.

- `split_composite`: the names of a coordination, each with the words that it shares: "breast and ovarian cancer" is
  *breast cancer* and *ovarian cancer*
- `list_items`: the items of a list as they are written: "1. HTN 2. DM", "fever; cough"
- `denied_apart`: what is said and what is denied: "cough but no fever" is *cough* and *no fever*

English only. Whether the parts are names, and better answers than the whole, the caller asks its index.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ontonym.text.contractions import N_FOR_AND
from ontonym.text.normalization import tokens
from ontonym.text.patterns import any_of
from ontonym.text.qualifiers import ONSETS, words_on

_FLAGS = re.IGNORECASE | re.VERBOSE

_SLASH = r"(?<=\w\w)(?<!\d\d)\s*/\s*(?=\w\w)"
"""A slash between words, and not the one of a fraction or a short form: "cleft lip/palate"."""
_SEPARATOR = re.compile(
    rf"""
      \s*,\s*(?:and/or|and|or)\s+                                         # "fever, cough, and rash"
    | \s+{any_of("and/or, and, or, as well as, versus, vs, vs., &")}\s+
    | \s*,\s+
    | {_SLASH}
    """,
    _FLAGS,
)
_PLUS = r"\+(?=\w) | (?<!(?-i:[A-Z\d+]))\+(?!\+)"
"""A plus between items, and not the sign behind a capital or a number: the one of "HER2+ breast cancer"."""
_STOPS = rf"""
      \s*(?: [;?\n] | {_PLUS} )\s*                                         # "fever; cough", "UTI + sepsis"
    | \s*,\s*(?:(?:and|or)\s+)?
    | (?:^|\s+)\(?\d{{1,2}}[.)]\s+(?=\w)                                   # "1. HTN 2. DM"
"""
_STOP = re.compile(_STOPS, _FLAGS)
_BEFORE_DENIAL = r",\s*(?:(?:and|but)\s+)?(?=(?:no|denies|denied)\s)"
_END = re.compile(rf"[;\n] | {_BEFORE_DENIAL}(?=[^,;\n]+(?:[;\n]|$|{_BEFORE_DENIAL}))", _FLAGS)
"""What parts a list in which something is denied: a comma only before a denial that ends with its item."""
_ITEM = re.compile(rf"{_STOPS} | \s+(?:and|or|&)\s+ | \s+(?-i:{N_FOR_AND})\s+ | {_SLASH}", _FLAGS)
_DENYING = re.compile(r"\s+(?:(?:but|and|with)\s+)?(?:no|without|w/o|denies)\s+(?:(?:an?|any|the)\s+)?", _FLAGS)
_OR = re.compile(r"\s+n?or\s+", _FLAGS)
_SPACE = re.compile(r"\s+")
_PREPOSITION = re.compile(r"^(.*\b(?:of|in|to|from|on)\s+)(?:both\s+|either\s+)?(the\s+)?(.+)$", re.IGNORECASE)
"""A beginning that others may share: the "deficiency of" of "deficiency of both C6"."""
_DETERMINER = re.compile(r"^(?:both|either|some|the|an?)\s+", re.IGNORECASE)
_DESIGNATOR = r"(?>[IVX]+|[A-Z]|\d{1,2}[a-z]?)"  # atomic: an I is a numeral and a letter, and a row of them both
_DESIGNATORS = re.compile(rf"(?P<before>.*\w\s+)(?P<all>{_DESIGNATOR}(?:/{_DESIGNATOR})+)(?P<after>\s.+)?")
"""Letters and numbers with slashes between: "hepatitis B/C", "type 1/2 diabetes"."""
_NEGATED = re.compile(
    rf"\b{any_of('no, not, nor, neither, without, denies, denied, absence, absent, negative')}\b", _FLAGS
)
"""What says that something is not there: more than `ontonym.text.denials.NEGATORS`, since it may reach over a list."""
_QUALIFYING = re.compile(
    rf"{any_of('type|types, stage|stages, grade|grades, class|classes, group|groups, not, with, without, due')}\b"
    r"|(?:NOS|unspecified)\b",
    re.IGNORECASE,
)
_QUALIFIER = re.compile(rf"{_QUALIFYING.pattern}|\w{{1,3}}$", re.IGNORECASE)
"""What says which one is meant, after a comma: "nephritis, type 2", "asthma, not controlled"."""
_SHORT_QUALIFIER = re.compile(
    r"""
      (?:unsp(?:ec)?|nec|subsq|init|seq)\b                                  # "pneumonia, unsp organism"
    | (?:b/l|bilat|left|right|lt|rt|l|r)\.?(?:\s+\w+)?$                     # "osteoarthritis, right hip"
    | (?:sev|mod|chr)$                                                      # "asthma, mod"
    """,
    _FLAGS,
)
"""The same in short, and a side with what is there."""
_NUMBER = re.compile(r"\d+[A-Za-z]?|[IVX]+|[A-Z]")
"""The number of a type: "3", "2a", "IV", "B"."""
_WORD = re.compile(r"[^\s-]+")
_COMMAS_ONLY = re.compile(r"(?:(?!\b(?:and|or|versus|vs)\b)[^/&])*", re.IGNORECASE)
"""A text in which nothing but commas parts: what follows one may qualify what stands before it."""
_NUMBERED = re.compile(r"^(?:[A-Za-z]{0,6}-?\d+[A-Za-z]?|[IVX]+|[A-Z])(?:\s+(?:alpha|beta|gamma|delta))?$")
"""A name of numbers and letters alone: "D2", "IL-6", "F2 alpha"."""


_JOINING = frozenset("and or of the in both either".split())
"""Words that join names."""


def meaning_words(text: str) -> frozenset[str]:
    """The normalized words of a text without those that join names."""
    return frozenset(tokens(text)) - _JOINING


HEAD_WORDS = frozenset(
    "abnormality abscess anomaly block bleeding cancer carcinoma damage defect deficiency deficit deterioration "
    "disability disease disorder dysfunction embolism failure fibrillation hemorrhage hyperplasia impairment "
    "infarction infection injury insufficiency lesion loss malformation malignancy necrosis palsy paralysis "
    "retardation rupture syndrome thrombosis toxicity tumor tumour ulcer".split()
)
"""Words that end a name and need a word before them that says where ("cardiac dilation and dysfunction")."""

WHOLE_WORDS = frozenset(
    "arrest arrhythmia attack coma death depression edema fever hypertension pain seizure shock spasm stroke "
    "tachycardia weakness".split()
)
"""Words that end a name, and are names by themselves too."""

COMPOUND_WORDS = frozenset("artery cell cord duct gland marrow nerve sinus system tissue tract valve vein".split())
"""Words that end a body part: the part of the last conjunct that is shared begins after one ("central nervous system
toxicity")."""

SHARED_WORDS = frozenset(
    "acquired acute bilateral chronic congenital familial genetic hereditary inherited left neonatal postoperative "
    "primary recurrent right secondary severe sporadic".split()
)
"""Words before the first conjunct that apply to the others too ("familial breast and ovarian cancer")."""

_QUALIFIERS = SHARED_WORDS.union(
    words_on("side", "level", "front", "middle", "depth", "course", "degree", "nature", "rank", "skin"),
    ONSETS,
    "form variant susceptibility to".split(),
    "diffuse distal episodic focal generalised generalized intermittent localised localized multifocal peripheral "
    "progressive proximal recurring slight transient unilateral".split(),
)
"""Words that say which one of a thing is meant."""

HEAD_ENDINGS = tuple("itis oma osis pathy emia uria trophy plegia algia rrhea penia sia".split())
"""Endings of words that name a disorder by themselves (Greek and Latin noun endings)."""

PLACE_ENDINGS = ("al", "ic", "ac", "ar", "ary", "cell", "ed")
"""Endings of words that say where or of what kind; a later bare head word shares such a word."""

PREFIXES = tuple("hyper hypo intra extra inter post pre micro macro mono poly para tetra".split())
"""Prefixes of words that a conjunct ending in a hyphen may share: "hypo- and hyperthyroidism"."""


@lru_cache(maxsize=1 << 10)  # a mention is looked up, then answered
def split_composite(text: str) -> tuple[str, ...]:
    """The names that a coordination stands for, in order; ``(text,)`` where it is not one.

    Conjuncts get what they leave out: a head at the end ("breast and ovarian cancer" gives "breast cancer", "ovarian
    cancer"), a beginning before a preposition ("deficiency of C6 and C7"), a beginning before numbered names
    ("prostaglandin D2, E2 or F2 alpha", "hepatitis B/C"), or both ("type 1 and 2 diabetes"). A word such as "familial"
    or "left" before the first conjunct applies to those that get a head. Complete conjuncts stay as they are ("ataxia
    and renal failure"). A negated text ("pain without nausea or vomiting") and a name with a qualifier after a comma
    ("nephritis, type 2") are not split. Words are never changed, so a shared plural stays plural. There is no lexicon,
    so the length of a head is guessed: a conjunct of n words replaces the first n words of the last conjunct.
    """
    bare = with_single_spaces(text.strip())
    if _NEGATED.search(bare):
        return (text,)
    designated = _DESIGNATORS.fullmatch(bare)
    if designated:
        before, after = designated["before"], designated["after"] or ""
        return tuple(dict.fromkeys(f"{before}{one}{after}" for one in designated["all"].split("/")))
    conjuncts = [_DETERMINER.sub("", part).strip() for part in _SEPARATOR.split(bare)]
    conjuncts = [part for part in conjuncts if part]
    if len(conjuncts) < 2 or any(part.count("(") != part.count(")") for part in conjuncts):
        return (text,)
    if _COMMAS_ONLY.fullmatch(bare) and any(map(_qualifies, conjuncts[1:])):
        return (text,)
    shared = _share_number(conjuncts) or _share_beginning(conjuncts) or _share_head(conjuncts)
    return tuple(dict.fromkeys(shared))


def list_items(text: str, *, joined: bool = True) -> tuple[str, ...]:
    """The items of a list as they are written ("fever, cough; sore throat", "1. HTN 2. DM"); ``(text,)`` where it is
    none. Where one says that something is not there ("no fever, cough or chills"), only semicolons, line breaks and the
    comma before a denial of one item ("fever, no cough") part items, as what it says may reach over the other marks.

    Unless ``joined``, they are parted by marks and numbers alone, not by words such as "and". Whether they are names of
    their own, what is asked of them tells.
    """
    parting = _END if _NEGATED.search(text) else _ITEM if joined else _STOP
    items = [part.strip() for part in parting.split(with_single_spaces(text))]
    items = [part for part in items if any(letter.isalpha() for letter in part)]
    if len(items) < 2 or any(map(only_qualifies, items[1:])):
        return (text,)
    if any(map(_SHORT_QUALIFIER.match, items[1:])):
        return (text,)
    return tuple(dict.fromkeys(items))


def denied_apart(text: str) -> tuple[str, ...]:
    """What a text says, and what it says is not there: *cough*, *no fever*, *no chills* of "cough but no fever or
    chills"; ``(text,)`` where it denies nothing, or lists more. Names too do so ("migraine without aura")."""
    said, *denied = _DENYING.split(with_single_spaces(text))
    denied = [one for part in denied for one in _OR.split(part)]
    if not said or not denied or any(map(_SEPARATOR.search, (said, *denied))):
        return (text,)
    return (said, *(f"no {one}" for one in denied))


@lru_cache(maxsize=1 << 10)
def items_said(text: str) -> tuple[str, ...]:
    """The `list_items` of a text; of one that is no list, what is `denied_apart`."""
    items = list_items(text)
    return items if len(items) > 1 else denied_apart(text)


def tells_several(text: str) -> bool:
    """Whether a text reads as a coordination or a list; some names do too ("nausea and vomiting")."""
    return max(len(list_items(text)), len(split_composite(text))) > 1


def with_single_spaces(text: str) -> str:
    """A text with one space, or line break, for each run of white space: patterns take the square of its length."""
    return _SPACE.sub(lambda run: "\n" if "\n" in run[0] else " ", text)


def only_qualifies(item: str) -> bool:
    """Whether an item says which one of what stands before it is meant ("asthma, mild", "nephritis, type 2", "deafness,
    autosomal recessive 3")."""
    *words, last = _WORD.findall(item.lower()) or [""]
    if words and _NUMBER.fullmatch(last.upper()):
        *words, last = words  # "autosomal recessive 3"
    return bool(_QUALIFYING.match(item)) or _QUALIFIERS.issuperset((*words, last))


def _qualifies(part: str) -> bool:
    """Whether the part after a comma qualifies the name before it ("nephritis, type 2", "fracture, left")."""
    return bool(_QUALIFIER.match(part)) or only_qualifies(part)


def _share_number(conjuncts: list[str]) -> list[str] | None:
    """ "type 1", "2 diabetes": the number's noun from the first and the head from the last, or None."""
    first, *middle, last = conjuncts
    words, model = first.split(), last.split()
    numbered = len(words) > 1 and len(model) > 1 and all(map(_NUMBER.fullmatch, (words[-1], model[0], *middle)))
    if not numbered:
        return None
    noun, head = words[:-1], model[1:]
    return [" ".join([*noun, number, *head]) for number in (words[-1], *middle, model[0])]


def _share_beginning(conjuncts: list[str]) -> list[str] | None:
    """The conjuncts, the others with the beginning of the first; None where the first has none to share."""
    first, *others = conjuncts
    words = first.split()
    if len(words) > 1 and _NUMBERED.match(words[-1]) and all(_NUMBERED.match(other) for other in others):
        return [first, *(" ".join([*words[:-1], other]) for other in others)]
    preposition = _PREPOSITION.match(first)
    if preposition and not any(_PREPOSITION.match(other) for other in others):
        beginning = preposition[1] + (preposition[2] or "")
        return [beginning + preposition[3], *(beginning + other for other in others)]
    return None


def _share_head(conjuncts: list[str]) -> list[str]:
    """The conjuncts, those without a head of their own with that of the last."""
    *others, last = conjuncts
    if len(last.split()) == 1 and not any(other.endswith("-") for other in others):
        return _share_modifier(conjuncts)
    given = [_with_head(other, last) for other in others]
    leading = [word for word in given[0].split()[:1] if word.lower() in SHARED_WORDS]
    if not leading or given[0] == others[0] or given[0] == f"{leading[0]} {last}":
        return [*given, last]
    return [given[0], *(_led(leading, name) for name in [*given[1:], last])]


def _led(leading: list[str], name: str) -> str:
    """A name with the first conjunct's leading word, unless it begins with one of its own."""
    return name if name.split(maxsplit=1)[0].lower() in SHARED_WORDS else " ".join([*leading, name])


def _with_head(conjunct: str, last: str) -> str:
    words, model = conjunct.split(), last.split()
    if conjunct.endswith("-"):
        stem = next((p for p in PREFIXES if model[0].lower().startswith(p)), None)
        if stem:
            return " ".join([conjunct[:-1] + model[0][len(stem) :].lstrip("-"), *model[1:]])
    if _ends_a_name(words[-1]):
        return conjunct
    taken = min(len(words), len(model) - 1)
    compound = max((i + 1 for i, word in enumerate(model[:-1]) if word.lower() in COMPOUND_WORDS), default=0)
    return " ".join(words + model[max(taken, compound) :])


def _share_modifier(conjuncts: list[str]) -> list[str]:
    """One-word conjuncts after a longer first one: "cleft lip/palate" shares "cleft", "renal failure, coma" nothing."""
    first, *others = conjuncts
    words = first.split()
    if len(words) < 2:
        return conjuncts
    bare = len(words) == 2 and not any(_ends_a_name(word) for word in [words[1], *others])
    placed = words[-2].lower().endswith(PLACE_ENDINGS) and all(_in_table(other, HEAD_WORDS) for other in others)
    if not bare and not placed:
        return conjuncts
    return [first, *(" ".join([*words[:-1], other]) for other in others)]


def _ends_a_name(word: str) -> bool:
    if _in_table(word, HEAD_WORDS) or _in_table(word, WHOLE_WORDS):
        return True
    return word.lower().removesuffix("s").endswith(HEAD_ENDINGS) or word.lower().endswith(HEAD_ENDINGS)


def _in_table(word: str, table: frozenset[str]) -> bool:
    bare = word.lower()
    return bare in table or bare.removesuffix("s") in table or bare.removesuffix("ies") + "y" in table
