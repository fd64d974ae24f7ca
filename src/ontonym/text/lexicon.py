"""Abbreviations and shorthand of clinical notes and code lists, and what a text that has them may say.

The lexicon that ships with the package, ``lexicon.tsv``, gives every form its meanings and how often each occurs; its
sources are in ``lexicon.LICENCE.txt``. A user's own lexicon has the columns written and meaning, and may have share.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ontonym.errors import FormatError, InputError
from ontonym.memo import Memo
from ontonym.text.doses import says_how_taken
from ontonym.text.english import everyday_words, is_english
from ontonym.text.languages import language_of
from ontonym.text.patterns import EDGE_MARKS
from ontonym.text.wordlists import COMMON

_LONGEST = 3
"""Words of the longest form that is looked for."""

_MOST_KNOWN = 1 << 14
"""Words of which it is kept whether they are forms."""

_MOST_READINGS = 6
"""Ways to write out the abbreviations of a text that are given."""
_MOST_MEANINGS = 6
"""Meanings of a form that are tried."""
_LEAST_SHARE = 0.02
"""Meanings that a form has more seldom are not tried."""

_LITERAL = {"name": 0.5, "capitals": 0.1, "word": 0.7, "shorthand": 0.85, "short": 0.4, "unknown": 0.03}
"""How likely a form means itself: one in capitals that names use too, or that they do not; a word in small letters that
names use and nobody says, or that is said but no English ("wo", "pos"); a single letter, or a word that names use in a
text of capitals; and one in small letters that is in no name.
"""

_BODY = frozenset("arm lip toe".split())
"""Parts of the body that are forms too, which only capitals in a text of small letters tell apart."""

_SPOKEN = re.compile(r"^[^aeiouy]+[aeiouy]|^[aeiouy][^aeiouy]+[aeiouy]")
"""The beginning of a word that can be said: "pat", "abdo"; not "rt", "ecg"."""
_SYMBOLS = re.compile(r"(?<=[↑↓#])(?=\w)|(?<=\w)(?=[↑↓])")
"""Where an arrow or a number sign touches a word, which becomes two: "↑BP", "#NOF", "K↓"."""
_SPACED_SYMBOL = re.compile(r"(?<=[↑↓#]) (?=\w)")
_SYMBOL = re.compile("[↑↓#]")
_SEVERAL = re.compile(r"([A-Z][A-Z0-9]{2,5})'?s")  # "UTIs", "STI's"
_NUMBERED = re.compile(r"([A-Za-z]{2,6})-?(\d{1,2}[A-Za-z]?)")  # "CMT2A", "LGMD-2"
_RUN = re.compile(r"[^\W_]+(?:['’][st]\b)?")
"""A word of a form, as `ontonym.text.pieces` cuts one: "r/o" has two."""
_CAPITAL_INSIDE = re.compile(r"[^\W\d_][A-Z]")
"""A capital behind a letter, which hardly a word of any language has: "HbA1c", "eGFR"."""
_DOSE_WORDS = 6
"""So many words before an abbreviation say the dose of a drug."""
_NUMBER = re.compile(r"[\d.,/-]*\d")
UNITS = frozenset("mg mcg ug g gm kg ml dl l mm cm iu ie ui meq mmol nmol pmol ng pg fl mmhg bpm hz sd sds".split())
"""After a number these are no abbreviations: "20 mg" is no myasthenia gravis."""

_WITH, _SHORT_WITH = re.compile(r"(?<=[^\W\d_])\s+w\s+(?=[^\W\d_])", re.IGNORECASE), "w/"
"""The letter that between two words says *with*, and the form that says nothing else."""

_BARRED = frozenset({"with", "without", "before", "after"})
"""What single small letters stand for, which have a bar above when they are written by hand: a capital is a label
beside them, as in "hepatitis C virus" and "protein S deficiency".
"""


IsKnown: TypeAlias = Callable[[str], bool]
"""Whether a word is in some name of a terminology."""


class Meaning(NamedTuple):
    """What a form stands for; ``share`` is how often it does, in (0, 1], all meanings of a form together 1."""

    text: str
    share: float


@dataclass(frozen=True, slots=True)
class Expansion:
    """A text with its abbreviations written out.

    ``prior`` is how likely it is meant before anything is searched for, in (0, 1]. ``changes`` are the forms that were
    written out, each with its meaning; none for the text itself.
    """

    text: str
    prior: float
    changes: tuple[tuple[str, str], ...] = ()


class _Draft(NamedTuple):
    """An `Expansion` that is not finished: its last words after another draft. Drafts share their beginnings, and are
    put together once: a text copied with each of its words takes the square of its length."""

    before: _Draft | None = None
    last: Expansion = Expansion("", 1.0)
    prior: float = 1.0

    def followed_by(self, words: Expansion) -> _Draft:
        """The draft with more words."""
        return _Draft(self, words, self.prior * words.prior)

    def whole(self) -> Expansion:
        """All of its words."""
        parts: list[Expansion] = []
        draft: _Draft | None = self
        while draft is not None:
            parts.append(draft.last)
            draft = draft.before
        text = " ".join(one.text for one in reversed(parts) if one.text)
        return Expansion(text, self.prior, tuple(change for one in reversed(parts) for change in one.changes))


class Lexicon:
    """Forms with their meanings. A form in capitals is found in small letters too, where it is no common word."""

    def __init__(self, meanings: Mapping[str, Sequence[Meaning]]) -> None:
        self._meanings = {_folded(form): tuple(of) for form, of in meanings.items()}
        self._small = frozenset(_folded(form) for form in meanings if form.islower())
        self._firsts = frozenset(form.partition(" ")[0] for form in self._meanings if " " in form)
        self._leading: frozenset[str] | None = None
        self._plain = Memo(self._lookup_plain, _MOST_KNOWN)

    def __len__(self) -> int:
        return len(self._meanings)

    def __contains__(self, form: str) -> bool:
        return _folded(form) in self._meanings

    def meanings(self, form: str) -> tuple[Meaning, ...]:
        """The meanings of a form, the most frequent first; empty for one that is not in it."""
        return self._meanings.get(_folded(form), ())

    def begins(self, word: str) -> bool:
        """Whether a form of several words, or with marks in it, may begin with a word."""
        if self._leading is None:
            runs = (_RUN.findall(form) for form in self._meanings)
            self._leading = frozenset(found[0] for found in runs if len(found) > 1)
        return _folded(word) in self._leading

    def with_own(self, own: Lexicon) -> Lexicon:
        """This lexicon, where the forms of a user's ``own`` have the meanings given there."""
        joined = Lexicon({})
        joined._meanings = {**self._meanings, **own._meanings}
        joined._small = self._small | own._small
        joined._firsts = self._firsts | own._firsts
        return joined

    def expansions(self, text: str, is_known: IsKnown, *, foreign: bool = False) -> list[Expansion]:
        """What a text may say, the likeliest first: itself, and its forms written out in at most `_MOST_READINGS` ways.

        Only itself where it has no form. Common words are none, nor are longer words in small letters that names use;
        in a text of another language, or that is part of one (``foreign``), only words in capitals, or with a capital
        inside, are forms.
        """
        drafts = [_Draft()]
        for choices in self._choices_in(text, is_known, foreign=foreign):
            longer = (draft.followed_by(words) for draft in drafts for words in choices)
            drafts = sorted(longer, key=lambda one: -one.prior)[: 2 * _MOST_READINGS]
        read = [draft.whole() for draft in drafts]
        itself = Expansion(text, next((one.prior for one in read if not one.changes), 0.0))
        others = [one for one in read if one.changes][:_MOST_READINGS]
        return sorted([itself, *others], key=lambda one: -one.prior) if others else [Expansion(text, 1.0)]

    def _choices_in(self, text: str, is_known: IsKnown, *, foreign: bool) -> Iterator[list[Expansion]]:
        """What the words of a text may say, a list for each form and for each stretch of words between forms, in order;
        ``foreign`` as in `expansions`."""
        said = _SYMBOLS.sub(" ", text)
        words = (_WITH.sub(f" {_SHORT_WITH} ", said) if _SHORT_WITH in self else said).split()
        in_capitals = len(words) > 1 and not any(letter.islower() for letter in text)
        only_capitals = foreign or bool(language_of(text))
        has_lone_marks = not all(word.strip(EDGE_MARKS) for word in words)
        plain: list[str] = []
        place = 0
        while place < len(words):
            width, choices = 1, [Expansion(words[place], 1.0)]
            if has_lone_marks or not self._plain[words[place]]:
                is_word = only_capitals and not _has_capitals(words[place].strip(EDGE_MARKS))
                if not is_word and not (place and _is_of_number(words, place)):
                    width, choices = self._choices(words[place : place + _LONGEST], is_known, in_capitals=in_capitals)
            place += width
            if len(choices) == 1 and choices[0].prior == 1.0:
                plain.append(choices[0].text)
                continue
            if plain:
                yield [Expansion(" ".join(plain), 1.0)]
                plain = []
            yield choices
        if plain:
            yield [Expansion(" ".join(plain), 1.0)]

    def _choices(self, words: Sequence[str], is_known: IsKnown, *, in_capitals: bool) -> tuple[int, list[Expansion]]:
        """How many words the next form has, and what it may be."""
        for width in range(min(_LONGEST, len(words)) if self._may_begin(words) else 0, 1, -1):
            form = " ".join(words[:width]).strip(EDGE_MARKS)
            if meanings := self.meanings(form):
                return width, list(_written_out(form, meanings, 0.2))
        word = words[0].strip(EDGE_MARKS)
        itself = Expansion(words[0], 1.0)
        meanings, number = self._meanings_alone(word)
        if len(word) == 1 and word.isupper() and not in_capitals:
            meanings = tuple(one for one in meanings if one.text not in _BARRED)
        literal = self._literal(word, is_known, in_capitals=in_capitals) if meanings else 1.0
        if literal == 1.0:
            return 1, [itself]
        out = _written_out(word, meanings, literal, number)
        return 1, [Expansion(words[0], literal), *out]

    def _meanings_alone(self, word: str) -> tuple[tuple[Meaning, ...], str]:
        """The meanings of one word, also of several of it or with a number, and the number that comes after them."""
        meanings = self.meanings(word)
        if not meanings and (several := _SEVERAL.fullmatch(word)):
            meanings = self.meanings(several[1])
        if not meanings and (parted := _NUMBERED.fullmatch(word)):
            return self.meanings(parted[1]), f" {parted[2]}"
        return meanings, ""

    def _lookup_plain(self, word: str) -> bool:
        """Whether a word is no form, nor the first of a longer one: so are nearly all, and they come again."""
        return not (self._may_begin([word]) or self._meanings_alone(word.strip(EDGE_MARKS))[0])

    def _may_begin(self, words: Sequence[str]) -> bool:
        """Whether words may begin with a form that has more than the first of them, marks counted as words."""
        if _SYMBOL.search(words[0]) or not all(word.strip(EDGE_MARKS) for word in words):
            return True
        return _folded(words[0].lstrip(EDGE_MARKS)) in self._firsts

    def _literal(self, word: str, is_known: IsKnown, *, in_capitals: bool) -> float:
        """How likely a word that is a form means itself; 1 where it is not read as one."""
        small = word.lower()
        is_capitals = word != small and not word.istitle() and not in_capitals
        if not word.isalpha():
            return _LITERAL["unknown"]
        if is_capitals:
            return _LITERAL["name"] if is_known(small) else _LITERAL["capitals"]
        if len(small) == 1:
            is_shorthand = small in self._small and not is_known(small)
            is_form = in_capitals or (small not in COMMON and (is_shorthand or word != small))
            return _LITERAL["short"] if is_form else 1.0
        if small in COMMON or small in _BODY:
            return 1.0
        if not is_known(small):
            return _LITERAL["unknown"]
        is_shorthand = small in self._small and not is_english(small) and small not in everyday_words()
        used = "short" if in_capitals else "word" if is_unspoken(small) else "shorthand" if is_shorthand else ""
        return _LITERAL.get(used, 1.0)


def is_unspoken(word: str) -> bool:
    """Whether a word is so short and so poor in vowels that nobody says it: "rt", "fx", "pt"."""
    return len(word) <= 3 and not _SPOKEN.search(word)


def _has_capitals(word: str) -> bool:
    """Whether a word is in capitals, or has one inside."""
    return word.isupper() or bool(_CAPITAL_INSIDE.search(word))


def _is_of_number(words: Sequence[str], place: int) -> bool:
    """Whether a word is the unit of the number before it, or how often that much of a drug is taken: "5 mg BD"."""
    word = words[place].strip(EDGE_MARKS)
    if word.lower() in UNITS and _NUMBER.fullmatch(words[place - 1]):
        return True
    said = " ".join([*words[max(place - _DOSE_WORDS, 0) : place], word])
    return says_how_taken(said, len(said) - len(word), len(said))


def _written_out(form: str, meanings: Sequence[Meaning], literal: float, number: str = "") -> Iterator[Expansion]:
    for one in meanings[:_MOST_MEANINGS]:
        if one.share >= _LEAST_SHARE:
            yield Expansion(f"{one.text}{number}", (1 - literal) * one.share, ((form, f"{one.text}{number}"),))


def _folded(form: str) -> str:
    return (_SPACED_SYMBOL.sub("", form) if " " in form else form).replace(".", "").casefold()


def has_symbol(text: str) -> bool:
    """Whether a text has an arrow or a number sign at a word, which says something and is in no name's words."""
    return bool(_SYMBOLS.search(text) or _SPACED_SYMBOL.search(text))


def read_lexicon(path: Path | str) -> Lexicon:
    """The lexicon in a TSV file with the columns written and meaning; without a share all meanings are as frequent.

    Raises InputError where it cannot be read, FormatError for a row or header that is malformed.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InputError(f"{path}: cannot be read as a lexicon: {reason}") from error
    return _parsed(str(path), text)


@cache
def shipped_lexicon() -> Lexicon:
    """The lexicon that comes with the package."""
    file = files("ontonym.text").joinpath("lexicon.tsv")
    return _parsed(file.name, file.read_text(encoding="utf-8"))


def _parsed(name: str, text: str) -> Lexicon:
    rows = (line.split("\t") for line in text.splitlines())
    columns = {cell.strip().lower(): place for place, cell in enumerate(next(rows, []))}
    if not {"written", "meaning"} <= columns.keys():
        raise FormatError(
            name, "has no columns written and meaning", line=1, hint="Name them in the first line, with tabs"
        )
    places = [columns.get(column, len(columns)) for column in ("written", "meaning", "share")]
    found: dict[str, list[tuple[str, float]]] = {}
    for number, cells in enumerate(rows, 2):
        if not any(cells):
            continue
        written, meaning, often = (cells[place].strip() if place < len(cells) else "" for place in places)
        try:
            share = float(often or 1)
        except ValueError:
            share = 0.0
        if not written or not meaning or not 0 < share < math.inf:
            raise FormatError(name, "needs a form, a meaning and a share above 0", line=number)
        found.setdefault(written, []).append((meaning, share))
    return Lexicon({form: _meanings(given) for form, given in found.items()})


def _meanings(given: Sequence[tuple[str, float]]) -> list[Meaning]:
    total = sum(share for _, share in given)
    return sorted((Meaning(text, share / total) for text, share in given), key=lambda one: -one.share)
