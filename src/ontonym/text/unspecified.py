"""What only classifications say, and nobody else: that something is left open, uncomplicated, or not there.

- `without_unspecified` and `without_brackets` shorten a name: "Burn of unspecified degree of hand, unspecified site" is
  what everybody else calls a *burn of hand*
- `said_uncomplicated` finds the names of a query that says so: "malaria w/o complications" is *Uncomplicated malaria*
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import MappingProxyType

from ontonym.text.normalization import tokens
from ontonym.text.patterns import any_of, lazy, phrases_of
from ontonym.text.rewordings import IMPLIED

# In English -----------------------------------------------------------------------------------------------------------

_ASPECT = any_of(
    "area, body region, cause|causes, degree, duration, extent, grade, laterality, level, location, multiplicity",
    "nature, organism, origin, part|parts, place, portion, quadrant, region, segment, severity, site|sites, stage",
    "trimester, type|types",
)
"""What is left open without saying what is meant: nothing is lost with it."""
_NOT_SAID = lazy(rf"(?:{_ASPECT}|subtypes?) not specified", re.IGNORECASE)
_OPEN_ASPECT_OF = lazy(rf"(?:\bof|^) ?unspecified {_ASPECT} (?=of )", re.IGNORECASE)
_OPEN_ASPECT = lazy(rf"\b{any_of('as to, at, due to, in, of, with')} unspecified {_ASPECT}(?=,|$)", re.IGNORECASE)
_ABSENT = any_of("foreign body, damage to the? nail, obstruction or gangrene, gangrene")
_EXCLUDED = lazy(
    rf",?(?: and|,)? without (?:mention of )?(?:{_ABSENT}|penetration into (?:\w+ ){{1,2}}cavity)"
    r"(?=,| without | of |$)",
    re.IGNORECASE,
)
"""What a name says is not there, and nobody says who does not speak of it."""
_PARTS = ("unspecified", "uncomplicated", "not specified as")
_WORD = re.compile(r"\bunspecified\b", re.IGNORECASE)

# In other languages ---------------------------------------------------------------------------------------------------

_UNSPECIFIED = MappingProxyType(
    {
        "German": "nicht näher bezeichnet|bezeichnete|bezeichnetem|bezeichneten|bezeichneter|bezeichnetes, "
        "nicht näher angegeben|angegebene|angegebenem|angegebenen|angegebener|angegebenes",
        "Spanish": "no especificado|especificada|especificados|especificadas, sin otra especificación",
        "French": "non précisé|précisée|précisés|précisées, sans autre? précision",
        "Italian": "non specificato|specificata|specificati|specificate",
        "Portuguese": "não especificado|especificada|especificados|especificadas",
        "Dutch": "niet nader? gespecificeerd|gespecificeerde",
        "Czech": "blíže neurčená|neurčené|neurčený",
        "Turkish": "tanımlanmamış|belirtilmemiş",
    }
)
"""What translations of the international classification of diseases write for "unspecified"."""

_SAYS_OPEN = any_of(*_UNSPECIFIED.values())
_OPEN_PART = lazy(rf"(?:\S+ )*{_SAYS_OPEN}(?: (?:como|comme|come|als) .*)?", re.IGNORECASE)
_OPEN_END = lazy(rf"(?:^| )(?:(?:de|di) (?:localização|sítio|local|sede) )?{_SAYS_OPEN}(?= |$)", re.IGNORECASE)
_OPEN_CHINESE = re.compile("[，,]?未特指的?|詳細不明の|[，,]詳細不明")
_OPEN_ELSEWHERE = re.compile(rf"{_SAYS_OPEN}|{_OPEN_CHINESE.pattern}", re.IGNORECASE)

OPEN = (
    *("unspecified", "without", "uncomplicated", "specified", "未特指", "詳細不明"),
    *dict.fromkeys(phrase.split()[-1] for phrase in phrases_of(*_UNSPECIFIED.values())),
)
"""Words, in lower case, of which a name that has a shorter form has one."""

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
    lower = name.lower()
    if not any(word in lower for word in OPEN):
        return name
    first, *rest = _EXCLUDED().sub("", name).split(", ")
    kept = [first, *(part for part in rest if not part.lower().startswith(_PARTS) and not _NOT_SAID().fullmatch(part))]
    shorter = _OPEN_ASPECT_OF().sub("", ", ".join(kept)).removeprefix("of ")
    shorter = _WORD.sub("", _OPEN_ASPECT().sub("", shorter))
    return _tidied(shorter)


def _without_open(name: str) -> str:
    """A name in another language without what it leaves open: "Pneumonie, Erreger nicht näher bezeichnet"."""
    first, *rest = _OPEN_CHINESE.sub("", name).split(", ")
    kept = [first, *(part for part in rest if not _OPEN_PART().fullmatch(part))]
    return _tidied(_OPEN_END().sub("", ", ".join(kept)))


def _tidied(name: str) -> str:
    """A name without the spaces and commas that words taken out have left."""
    return _SPACES.sub(lambda found: found[1] or " ", name).strip(" ,")


# Findings that nothing complicates ------------------------------------------------------------------------------------

_UNCOMPLICATED = lazy(
    r"uncomplicated (?P<before>.+)|(?P<behind>.*?[^\s,;-])[\s,;-]+"
    r"(?:uncomplicated|(?:without|with no|no)(?: mention of)?(?: any)? complications?)",
    re.IGNORECASE,
)
_SAID = ("{} uncomplicated", "unspecified {} uncomplicated", "{} without complication")


def said_uncomplicated(text: str) -> Iterator[tuple[str, ...]]:
    """The normalized words of the names that a finding may have which a text calls uncomplicated, the closest first; at
    last those that do not say so. None where the text says no such thing.
    """
    if not (said := _UNCOMPLICATED().fullmatch(text)):
        return
    words = tuple(tokens(said["before"] or said["behind"]))
    findings = [words, *_with_implied(words)]
    for wording in _SAID:
        yield from (tuple(tokens(wording.format(" ".join(finding)))) for finding in findings)
    yield from findings


def _with_implied(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Words with what one of them is short for in their place: "type 2 diabetes" is *type 2 diabetes mellitus*."""
    for place, word in enumerate(words):
        yield from ((*words[:place], *more, *words[place + 1 :]) for more in IMPLIED.get(word, ()) if word in more)
