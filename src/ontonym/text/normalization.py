"""Text normalization: the steps that make two spellings of one name equal, each with a name for explanations.

Every signal uses the same ``tokens``; ``changes`` says which steps made a query and a term equal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from ontonym.text.wordforms import american, base_form, singular

# --- whole-text steps ------------------------------------------------------------------------------------------------

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")
_QUOTES = dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4`"), "'")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"), None)
_TRADEMARKS = dict.fromkeys(map(ord, "\u2122\u2120"), " ")  # "TM" and "SM" in NFKC
_CLEAN = _DASHES | _QUOTES | _INVISIBLE | _TRADEMARKS
_UNCLEAN = re.compile("[" + "".join(map(re.escape, map(chr, _CLEAN))) + "]")


def _cleaned(text: str) -> str:
    # Few names have such a character, and searching is ten times faster than translating.
    return text.translate(_CLEAN) if _UNCLEAN.search(text) else text


def _unicode(text: str) -> str:
    if text.isascii():
        text = text.replace("`", "'")
    else:
        text = unicodedata.normalize("NFKC", _cleaned(text))
        text = _cleaned(text)
    return " ".join(text.split())


_NOS = r"[,;]?(?<!\s)\s+\(?[Nn][Oo][Ss]\)?"
_AT_END = re.compile(rf"{_NOS}$")
_REMARK = re.compile(rf"(?:{_NOS}|[,;]\s+INCLUDED)$")


def _remark(text: str) -> str:
    """Drops remarks that only classifications write: "NOS" (not otherwise specified), OMIM's "INCLUDED"."""
    end = text[-10:].lower()
    return _REMARK.sub("", text) if "nos" in end or "included" in end else text


def without_nos(text: str) -> str:
    """The text without the "NOS" (not otherwise specified) at its end."""
    return _AT_END.sub("", text) if "nos" in text[-5:].lower() else text


_NOT_INVERTED = re.compile(r"\b(?:and|or|with|without|not|nor|due|included|unspecified|other)\b|[;:()]", re.IGNORECASE)


def _inversion(text: str) -> str:
    """Puts index-style names into natural order: "Cancer, Breast", "Leukemia, Myeloid, Acute"."""
    if ", " not in text or _NOT_INVERTED.search(text):
        return text
    parts = [part.strip() for part in text.split(", ")]
    return " ".join(reversed(parts)) if all(parts) and len(parts) <= 4 else text


_CANNOT = re.compile(r"(?<![^\W_])cannot(?![^\W_])")
_NEGATED = re.compile(r"n't\b")
_POSSESSIVE = re.compile(r"'s\b|(?<=s)'(?=\s|$)")
_ACRONYM = re.compile(r"(?<![\w-])[^\W\d_](?:[-.]\w)+(?:\.|(?![\w-]))")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_NOT_WORD = re.compile(r"[\W_]+")
_SPACED = {code: " " for code in range(128) if not chr(code).isalnum()} | {0: "."}
"""What becomes of each ASCII character between words; a zero stands for the point in a number."""
_POINT = re.compile(r"(?<=\d)\.(?=\d)")
_KEPT_POINT = "\ue000"  # a private character, which no name has
_PLUS = re.compile(r"(?<=\w)\+")


def _punctuation(text: str) -> str:
    """Drops possessives, joins the letters of an acronym (A-T, C.H.F.) and turns all other punctuation into spaces."""
    # Most names lack the character that a pattern needs, and "in" is ten times faster than the pattern.
    if "'" in text:
        text = _POSSESSIVE.sub("", _NEGATED.sub(" not", text.replace("can't", "can not")))
    text = _CANNOT.sub("can not", text) if "cannot" in text else text
    if "-" in text or "." in text:
        text = _ACRONYM.sub(lambda match: match.group().replace("-", "").replace(".", ""), text)
    text = _THOUSANDS.sub("", text) if "," in text else text
    text = _PLUS.sub(" plus ", text) if "+" in text else text
    if text.isascii():  # translating takes a third of the time of a pattern
        text = text.replace("\0", " ")
        text = _POINT.sub("\0", text) if "." in text else text
        return " ".join(text.translate(_SPACED).split())
    not_word = _not_word() if _has_mark(text) else _NOT_WORD
    if "." not in text:
        return not_word.sub(" ", text).strip()
    text = _POINT.sub(_KEPT_POINT, text.replace(_KEPT_POINT, " "))
    return not_word.sub(lambda match: "." if match.group() == _KEPT_POINT else " ", text).strip()


_BEYOND = re.compile("[^\0-\u02ff]")  # what it has is compiled in a fortieth of the time of what it has not


def _has_mark(text: str) -> bool:
    """Whether a text has a combining mark; without one, what separates words is what separates those of English."""
    return any(unicodedata.category(letter)[0] == "M" for letter in _BEYOND.findall(text))


@cache
def combining_marks() -> str:
    """The marks that combine with the letter before them, such as the vowels of Hindi, for a class of characters."""
    return "".join(chr(code) for code in range(0x300, 0x10000) if unicodedata.category(chr(code))[0] == "M")


@cache
def _not_word() -> re.Pattern[str]:
    """What separates words where marks are combined: these are part of their word, as in Hindi, Thai or Arabic."""
    gap = rf"(?![{combining_marks()}])[\W_]"
    loose = "[\u0300-\u036f]"  # an accent without a letter
    return re.compile(f"{gap}(?:{gap}|{loose})*|^{loose}+")


_LIGATURES = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ß": "ss", "ı": "i"})
_LIGATURE = re.compile("[æœøłđßı]")


def _accents(text: str) -> str:
    if text.isascii():
        return text
    text = text.translate(_LIGATURES) if _LIGATURE.search(text) else text
    text = unicodedata.normalize("NFC", _LATIN_MARKS.sub("", unicodedata.normalize("NFD", text)))
    return _CANNOT.sub("can not", text) if "cannot" in text else text  # the form stays when it is made again


# Only marks on Latin and Greek letters are dropped: in other scripts (Japanese, Hindi) a mark makes another letter.
_LATIN_MARKS = re.compile(r"(?<=[A-Za-z\u0370-\u03ff])[\u0300-\u036f]+")

# --- word steps ------------------------------------------------------------------------------------------------------

_GREEK_NAMES = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi "
    "psi omega"
).split()
_GREEK = dict(zip("αβγδεζηθικλμνξοπρστυφχψω", _GREEK_NAMES, strict=True))
_GREEK["ς"] = "sigma"
_GREEK_LETTER = re.compile("[" + "".join(_GREEK) + "]")
_GREEK_WORD = re.compile(r"[\u03b1-\u03c9]{3,}")
_NUMBERING = _GREEK_NAMES[:5]
_GREEK_NUMBER = re.compile(rf"\b({'|'.join(_NUMBERING)})(?=\d)")


def _greek(text: str) -> str:
    """Spells out Greek letters that stand alone or beside Latin ones (β-thalassemia, TNFα); Greek words stay.

    A number after a Greek letter becomes a word of its own, as in "alpha-1": α1-antitrypsin.
    """
    if not text.isascii():
        text = " ".join(map(_greek_letters, text.split()))
    return _GREEK_NUMBER.sub(r"\1 ", text) if any(map(text.__contains__, _NUMBERING)) else text


def _greek_letters(word: str) -> str:
    if word.isascii() or _GREEK_WORD.search(word):
        return word
    return _GREEK_LETTER.sub(lambda match: _GREEK[match.group()], word)


_ROMAN = {
    "ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "xi": "11", "xii": "12",
    "xiii": "13", "xiv": "14", "xv": "15", "xvi": "16", "xvii": "17", "xviii": "18", "xix": "19",
}  # fmt: skip
_ROMAN_LETTER = {"i": "1", "v": "5", "x": "10"}
_NUMBERED = frozenset(
    "type grade stage class group phase subtype form factor level nerve degree category bipolar collagen "
    "mucopolysaccharidosis mucolipidosis syndrome deficiency complement variant lead zone".split()
)
_NUMERAL_SUFFIX = re.compile(r"^(i{2,3}|iv|vi{1,3}|ix)([a-e])$")


def _numerals(words: list[str]) -> list[str]:
    """Roman numerals as Arabic ones; a single letter only after a word that is numbered ("type I", "factor V")."""
    out = []
    for position, word in enumerate(words):
        if word[:1] not in "ivx":  # as no numeral begins
            out.append(word)
        elif word in _ROMAN:
            out.append(_ROMAN[word])
        elif word in _ROMAN_LETTER and position and words[position - 1] in _NUMBERED:
            out.append(_ROMAN_LETTER[word])
        elif match := _NUMERAL_SUFFIX.match(word):
            out.append(_ROMAN[match.group(1)] + match.group(2))
        else:
            out.append(word)
    return out


@dataclass(frozen=True, slots=True)
class Step:
    """One step of normalization: ``name`` appears in the reason of a hit, ``apply`` maps text to text."""

    name: str
    apply: Callable[[str], str]


def _by_word(change: Callable[[str], str]) -> Callable[[str], str]:
    cached = lru_cache(maxsize=1 << 16)(change)
    return lambda text: " ".join(map(cached, text.split()))


STEPS: tuple[Step, ...] = (
    Step("Unicode form", _unicode),
    Step("coding remark", _remark),
    Step("case", str.casefold),
    Step("inverted word order", _inversion),
    Step("punctuation", _punctuation),
    Step("accents", _accents),
    Step("Greek letters", _greek),
    Step("spelling variant", _by_word(american)),
    Step("plural", _by_word(singular)),
    Step("verb form", _by_word(base_form)),
    Step("numerals", lambda text: " ".join(_numerals(text.split()))),
    Step("word order", lambda text: " ".join(sorted(text.split()))),
)
"""Every step in the order of application, from the safest to the boldest."""


_LONGEST_KEPT = 500
"""Characters of the longest text whose words or key are kept: passages of documents would fill the memory."""


def key(text: str) -> str:
    """The form under which a name is looked up: Unicode form, case, punctuation and accents make no difference."""
    return _kept_key(text) if len(text) <= _LONGEST_KEPT else _read_key(text)


def _read_key(text: str) -> str:
    return _accents(_punctuation(_unicode(text).casefold()))


_kept_key = lru_cache(maxsize=1 << 12)(_read_key)  # each step of a search asks for that of the same text


@lru_cache(maxsize=1 << 18)
def _word(word: str) -> str:
    changed = base_form(singular(american(word)))
    return changed if changed == word else _word(changed)  # "childrens" needs two rounds


_CAPITALS = re.compile(r"\b[A-Z][A-Z0-9]{1,5}s?\b")


def _acronyms(text: str) -> frozenset[str]:
    """The acronyms of a text in lower case: they are not changed as English words are (WAS, ALPS, AIDS).

    In a text of several words that is all in capitals, capitals do not mark acronyms.
    """
    if not has_acronym(text):
        return frozenset()
    return frozenset(found.lower() for found in _CAPITALS.findall(text) if not found.endswith("s"))


def has_acronym(text: str) -> bool:
    """Whether a word of a text is an acronym, whose letters say nothing of what it means."""
    return bool(_CAPITALS.search(text)) and not (text.isupper() and " " in text.strip())


UNSPACED = re.compile("([\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+)")
"""Runs of Chinese and Japanese, which have no spaces between words."""


def words(text: str) -> list[str]:
    """The words of a name after every step except those that reorder, in the order of the text.

    Acronyms keep their letters: ALPS is not a plural, and WAS is not a verb.
    """
    return list(_words(text))


def tokens(text: str) -> list[str]:
    """The `words` of a name as search uses them: Chinese and Japanese are split into pairs of neighbouring characters.

    Lucene's CJK analyzer does the same. A name is then found by its parts, and a different character makes a different
    word, not a misspelled one.
    """
    found = _words(text)
    return list(found) if text.isascii() else [part for word in found for part in _parted(word)]


@lru_cache(maxsize=1 << 14)
def _parted(word: str) -> tuple[str, ...]:
    """The word; or its Chinese and Japanese characters in pairs, and the parts between them."""
    if word.isascii() or not UNSPACED.search(word):
        return (word,)
    parts: list[str] = []
    for run in filter(None, UNSPACED.split(word)):
        pairs = len(run) > 1 and UNSPACED.fullmatch(run)
        parts += [run[place : place + 2] for place in range(len(run) - 1)] if pairs else [run]
    return tuple(parts)


def _words(text: str) -> tuple[str, ...]:
    return _kept_words(text) if len(text) <= _LONGEST_KEPT else _read_words(text)


def _read_words(text: str) -> tuple[str, ...]:
    read = _greek(key(_remark(text))).split()
    kept = _acronyms(text)
    return tuple(_numerals([word if word in kept else _word(word) for word in read]))


_kept_words = lru_cache(maxsize=1 << 14)(_read_words)  # every signal asks for the words of the same text


def canonical(text: str) -> str:
    """The `words` of a name with spaces between."""
    return " ".join(_words(text))


def normalize(text: str) -> str:
    """The fully normalized form, words in alphabetical order: names with equal forms are spellings of the same name."""
    return " ".join(sorted(_words(text)))


def changes(a: str, b: str) -> tuple[str, ...] | None:
    """The names of the steps under which ``a`` and ``b`` become equal; empty for identical texts, None if never."""
    if a == b:
        return ()
    used: list[Step] = []
    one, other = a, b
    for step in STEPS:
        before = (one, other)
        one, other = step.apply(one), step.apply(other)
        if (one, other) != before:
            used.append(step)
        if one == other:
            break
    else:
        return None
    for step in used[::-1]:  # keep only the steps without which the texts would differ
        rest = [kept for kept in used if kept is not step]
        if _after(rest, a) == _after(rest, b):
            used = rest
    return tuple(step.name for step in used)


def _after(steps: Iterable[Step], text: str) -> str:
    for step in steps:
        text = step.apply(text)
    return text
