"""Names of classifications without what they leave unspecified: "Burn of unspecified degree of hand, unspecified site"
is what everybody else calls a burn of the hand. And without what they put in brackets.
"""

from __future__ import annotations

import re
from types import MappingProxyType

_ELSEWHERE = MappingProxyType(
    {
        "nicht näher": "bezeichnet bezeichnete bezeichnetem bezeichneten bezeichneter bezeichnetes "
        "angegeben angegebene angegebenem angegebenen angegebener angegebenes",
        "no": "especificado especificada especificados especificadas",
        "sin otra": "especificación",
        "sans(?: autre)?": "précision",
        "non": "précisé précisée précisés précisées specificato specificata specificati specificate",
        "não": "especificado especificada especificados especificadas",
        "niet(?: nader)?": "gespecificeerd gespecificeerde",
        "blíže": "neurčená neurčené neurčený",
        "": "tanımlanmamış belirtilmemiş",
    }
)
"""What translations of the international classification of diseases write for "unspecified": how it begins, and all
forms of the word that it ends with."""

OPEN = (
    *("unspecified", "without", "uncomplicated", "specified", "未特指", "詳細不明"),
    *dict.fromkeys(" ".join(_ELSEWHERE.values()).split()),
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
_SAYS_OPEN = "|".join(rf"{lead} (?:{'|'.join(words.split())})".strip() for lead, words in _ELSEWHERE.items())
_OPEN_PART = re.compile(rf"(?:\S+ )*(?:{_SAYS_OPEN})(?: (?:como|comme|come|als) .*)?", re.IGNORECASE)
_OPEN_END = re.compile(
    rf"(?:^| )(?:(?:de|di) (?:localização|sítio|local|sede) )?(?:{_SAYS_OPEN})(?= |$)", re.IGNORECASE
)
_OPEN_CHINESE = re.compile("[，,]?未特指的?|詳細不明の|[，,]詳細不明")
_OPEN_ELSEWHERE = re.compile(rf"{_SAYS_OPEN}|{_OPEN_CHINESE.pattern}", re.IGNORECASE)
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
    if _OPEN_ELSEWHERE.search(name):
        return _without_open(name)
    if not any(word in name.lower() for word in OPEN):
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
