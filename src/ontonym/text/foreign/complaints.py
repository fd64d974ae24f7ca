"""What somebody complains of in another language, put together from the words of it: the part of the body, and what it
does ("me duele la rodilla", "mir tut das Knie weh", 膝が痛い are *knee pain*).

The words are in ``complaints.tsv``, where ``*`` ends a stem. A text is read so only if the words of one language
explain all of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product

from ontonym.text.languages import is_everyday_english, language_of
from ontonym.text.normalization import UNSPACED, key
from ontonym.text.tables import table

_COMPLAINT, _PART, _SIDE = "complaint", "part", "side"
_MOST_WORDS, _MOST_LETTERS, _MOST_READINGS, _MOST_PARTS = 3, 6, 3, 2
_MOST_TRIED = 64
"""Ways to read a text that are looked at: words with two meanings, again and again, have more than can be counted."""
_SHORTEST_PART, _LONGEST_COMPOUND = 3, 60
"""Letters of the shortest word for a part of the body in a compound, and of the longest compound."""
_COMPOUNDING = frozenset({"de", "nl", "ja", "zh"})
_LINKS = ("", "n", "en", "s", "es", "er")
"""What stands between the parts of a German or Dutch compound: Rückenschmerzen, Ohrenjucken."""


@dataclass(frozen=True, slots=True)
class _Word:
    """What a word or several are in English, and of which kind: a complaint, a part of the body, a side, or neither;
    and the first word for it in their language."""

    kind: str
    english: str
    term: str


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a language by their folded form, its stems, and the letters of these."""

    whole: Mapping[str, tuple[_Word, ...]]
    stems: tuple[tuple[str, _Word], ...]
    beginnings: tuple[str, ...]

    def of(self, written: str) -> tuple[_Word, ...]:
        """What a folded word or several mean; empty where they are not in the table."""
        if found := self.whole.get(written):
            return found
        if " " in written or not written.startswith(self.beginnings):  # at once, as nearly all are no such word
            return ()
        return tuple(word for stem, word in self.stems if written.startswith(stem))


@cache
def _words_of(language: str) -> _Words:
    whole: dict[str, tuple[_Word, ...]] = {}
    stems: list[tuple[str, _Word]] = []
    for row in table("foreign/complaints.tsv"):
        forms = row[language].split("|")
        word = _Word(row["kind"], row["english"], forms[0].rstrip("*"))
        for form in filter(None, forms):
            if form.endswith("*"):
                stems.append((key(form[:-1]), word))
            known = whole.setdefault(key(form.rstrip("*")), ())
            if word not in known:
                whole[key(form.rstrip("*"))] = (*known, word)
    return _Words(whole, tuple(stems), tuple(stem for stem, _ in stems))


def modifier(word: str, language: str) -> str:
    """The English of a word that says on which side something is, how long or how severe; empty if it is none."""
    return next((one.english for one in _words_of(language).of(key(word)) if one.kind == _SIDE), "")


def complaints_in(text: str, languages: Collection[str]) -> list[str]:
    """What a text complains of, in English and as a name of its language may say it, each way to read it; empty where
    it does not consist of such words.

    Only ``languages`` are tried, and first that of the text where it can be told.
    """
    told, folded = language_of(text), key(text)
    is_unspaced = bool(UNSPACED.search(folded))
    if not languages or (not is_unspaced and all(map(is_everyday_english, folded.split()))):
        return []
    for language in sorted(languages, key=lambda one: (one != told, one)):
        words = _words_of(language)
        read = _unspaced(folded, words) if is_unspaced else _spaced(folded.split(), words)
        if read is not None and (found := _said(read, language)):
            return found
    return []


def _spaced(written: Sequence[str], words: _Words) -> list[tuple[_Word, ...]] | None:
    """The meanings of words from left to right, several together first; None where one is not in the table."""
    found: list[tuple[_Word, ...]] = []
    place = 0
    while place < len(written):
        for width in range(min(_MOST_WORDS, len(written) - place), 0, -1):
            meant = words.of(" ".join(written[place : place + width]))
            if meant:
                found.append(meant)
                break
        else:
            width, compound = 1, _parts_of(written[place], words)
            if not compound:
                return None
            found += compound
        place += width
    return found


def _parts_of(word: str, words: _Words) -> list[tuple[_Word, ...]]:
    """The part of the body and the complaint that a compound consists of."""
    if len(word) > _LONGEST_COMPOUND:
        return []
    for place in range(len(word) - _SHORTEST_PART, _SHORTEST_PART - 1, -1):
        told = tuple(one for one in words.of(word[place:]) if one.kind == _COMPLAINT)
        if not told:
            continue
        for link in _LINKS:
            part = word[:place].removesuffix(link) if word[:place].endswith(link) else ""
            if len(part) >= _SHORTEST_PART and (of := tuple(x for x in words.whole.get(part, ()) if x.kind == _PART)):
                return [of, told]
    return []


def _unspaced(text: str, words: _Words) -> list[tuple[_Word, ...]] | None:
    """The meanings of the longest runs of characters from left to right; None where one is not in the table."""
    text, found, place = re.sub(r"\s+", "", text), [], 0
    while place < len(text):
        width = next((n for n in range(_MOST_LETTERS, 0, -1) if text[place : place + n] in words.whole), 0)
        if not width:
            return None
        found.append(words.whole[text[place : place + width]])
        place += width
    return found


def _said(read: Sequence[tuple[_Word, ...]], language: str) -> list[str]:
    """What is complained of, in each way that the words can be meant."""
    chosen = list(islice(_readings(read), _MOST_READINGS))
    english = [" ".join(dict.fromkeys(" ".join(one.english for one in words).split())) for words in chosen]
    return list(dict.fromkeys([*english, *(_term(words, language) for words in chosen)]))


def _readings(read: Sequence[tuple[_Word, ...]]) -> Iterator[list[_Word]]:
    """The sides, the parts of the body and the complaints, in this order."""
    for chosen in islice(product(*read), _MOST_TRIED):
        once = list(dict.fromkeys(chosen))
        said = {kind: [word for word in once if word.kind == kind] for kind in (_SIDE, _PART, _COMPLAINT)}
        if said[_COMPLAINT] and 0 < len(said[_PART]) <= _MOST_PARTS:
            yield [*said[_SIDE], *said[_PART], *said[_COMPLAINT]]


def _term(words: Sequence[_Word], language: str) -> str:
    """The words in their own language: as one word where that has compounds, "Knieschmerz" and 膝痛."""
    terms = [word.term for word in words]
    if language in _COMPOUNDING:
        sides = [word.term for word in words if word.kind == _SIDE]
        return " ".join([*sides, "".join(terms[len(sides) :])])
    return " ".join(terms)
