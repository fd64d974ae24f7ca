"""Names of classifications without what they leave unspecified: "Burn of unspecified degree of hand, unspecified site"
is what everybody else calls a burn of the hand. And without what they put in brackets.
"""

from __future__ import annotations

import re

_OPEN_ELSEWHERE = (
    "näher bezeichnet", "näher angegeben", "no especificad", "otra especificación", "précision", "non précisé",
    "non specificat", "não especificad", "gespecificeerd", "blíže neurčen", "tanımlanmamış", "belirtilmemiş", "未特指",
    "詳細不明",
)  # fmt: skip
"""What translations of the international classification of diseases write for "unspecified", in small letters."""

OPEN = (
    *("unspecified", "without", "uncomplicated", "specified", "bezeichnet", "bezeichnete", "bezeichneter"),
    *("bezeichnetes", "bezeichneten", "angegeben", "especificado", "especificada", "especificados", "especificadas"),
    *("especificación", "précision", "précisé", "précisée", "précisés", "précisées", "specificato", "specificata"),
    *("specificati", "specificate", "gespecificeerd", "gespecificeerde", "neurčený", "neurčená", "neurčené"),
    *("tanımlanmamış", "belirtilmemiş", "未特指", "詳細不明"),
)
"""Words, in lower case, of which a name that has a shorter form has one."""

_ASPECTS = (
    "area|body region|causes?|degree|duration|extent|grade|laterality|level|location|multiplicity|nature|organism|"
    "origin|parts?|place|portion|quadrant|region|segment|severity|sites?|stage|trimester|types?"
)
"""What is left open without saying what is meant: nothing is lost with them."""

_NOT_SAID = re.compile(rf"(?:{_ASPECTS}|subtypes?) not specified", re.IGNORECASE)
_ASPECT_OF = re.compile(rf"(?:\bof|^) ?unspecified (?:{_ASPECTS}) (?=of )", re.IGNORECASE)
_ASPECT = re.compile(rf"\b(?:as to|at|due to|in|of|with) unspecified (?:{_ASPECTS})(?=,|$)", re.IGNORECASE)
_EXCLUDED = re.compile(
    r",?(?: and|,)? without (?:mention of )?(?:foreign body|damage to (?:the )?nail|obstruction or gangrene|gangrene"
    r"|penetration into (?:\w+ ){1,2}cavity)(?=,| without | of |$)",
    re.IGNORECASE,
)
"""What a name says is not there, and nobody says who does not speak of it."""
_SAYS_OPEN = (
    r"nicht näher (?:bezeichnet|angegeben)(?:e[mnrs]?)?|no especificad[ao]s?|sin otra especificación"
    r"|sans (?:autre )?précision|non précisée?s?|non specificat[aeio]|não especificad[ao]s?"
    r"|niet (?:nader )?gespecificeerde?|blíže neurčen[áéý]|tanımlanmamış|belirtilmemiş"
)
_OPEN_PART = re.compile(rf"(?:\S+ )*(?:{_SAYS_OPEN})(?: (?:como|comme|come|als) .*)?", re.IGNORECASE)
_OPEN_END = re.compile(
    rf"(?:^| )(?:(?:de|di) (?:localização|sítio|local|sede) )?(?:{_SAYS_OPEN})(?= |$)", re.IGNORECASE
)
_OPEN_CHINESE = re.compile("[，,]?未特指的?|詳細不明の|[，,]詳細不明")
_PARTS = ("unspecified", "uncomplicated", "not specified as")
_WORD = re.compile(r"\bunspecified\b", re.IGNORECASE)
_SPACES = re.compile(r" +(,)?")
_BRACKETS = re.compile(r"(?<!\S)(?:\([^()\[\]]*\)|\[[^()\[\]]*\])(?=$|[\s,;:])")


def without_brackets(name: str) -> str:
    """A name without the words in brackets that stand by themselves: "Giardiasis [lambliasis]", "Insect bite
    (nonvenomous) of hip", not "1-(2-naphthyl)ethanol".

    In the international classification of diseases, round brackets hold what may be said or not, and square ones other
    words for the same. The name itself where it has none, or nothing else.
    """
    return _tidied(_BRACKETS.sub("", name)) or name


def without_unspecified(name: str) -> str:
    """A name without the word "unspecified" or what other languages write for it, the parts that only say what is left
    open, and what is not there by default: "Laceration without foreign body of left hand".

    The name itself where it has no such word; what is left never has more words, and may have none.
    """
    small = name.lower()
    if any(word in small for word in _OPEN_ELSEWHERE):
        return _without_open(name)
    if not any(word in small for word in OPEN):
        return name
    first, *rest = _EXCLUDED.sub("", name).split(", ")
    kept = [first, *(part for part in rest if not part.lower().startswith(_PARTS) and not _NOT_SAID.fullmatch(part))]
    shorter = _ASPECT_OF.sub("", ", ".join(kept)).removeprefix("of ")
    shorter = _WORD.sub("", _ASPECT.sub("", shorter))
    return _tidied(shorter)


def _without_open(name: str) -> str:
    """A name in another language without what it leaves open: "Pneumonie, Erreger nicht näher bezeichnet"."""
    first, *rest = _OPEN_CHINESE.sub("", name).split(", ")
    kept = [first, *(part for part in rest if not _OPEN_PART.fullmatch(part))]
    return _tidied(_OPEN_END.sub("", ", ".join(kept)))


def _tidied(name: str) -> str:
    """A name without the spaces and commas that words taken out have left."""
    return _SPACES.sub(lambda found: found[1] or " ", name).strip(" ,")
