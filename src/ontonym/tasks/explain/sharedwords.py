"""The words of a query and of a name, as they are written: which both have, and which only one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ontonym.index.query import Query
from ontonym.text.normalization import tokens
from ontonym.text.pieces import pieces


@dataclass(frozen=True, slots=True)
class Words:
    """The words of the query and of the matched name, as written: those that are equal after text normalization, and
    others.

    ``shared`` are written as in the query.
    """

    shared: tuple[str, ...]
    only_query: tuple[str, ...]
    only_name: tuple[str, ...]


def words_of(query: Query, matched: str) -> Words:
    """The words of a query and of the name that matched."""
    ours, theirs = query.words, tokens(matched)
    typed = {word: spelling for word, spelling in written(query.typed).items() if word in ours}
    spellings = written(query.text) | typed
    left = Counter(theirs)
    shared: list[str] = []
    only_query: list[str] = []
    for word in ours:
        (shared if left[word] else only_query).append(spellings.get(word, word))
        left[word] -= left[word] > 0
    names = written(matched)
    only_name = [names.get(word, word) for word in theirs if _taken(left, word)]
    return Words(tuple(shared), tuple(only_query), tuple(only_name))


def as_written(words: Iterable[str], text: str) -> tuple[str, ...]:
    """Normalized words as a text writes them, each once."""
    spellings = written(text)
    return tuple(dict.fromkeys(spellings.get(word, word) for word in words))


def written(text: str) -> dict[str, str]:
    """Each normalized word of a text as it is first written there."""
    found: dict[str, str] = {}
    for piece in pieces(text):
        for word in piece.words:
            found.setdefault(word, text[piece.start : piece.end])
    return found


def _taken(counts: Counter[str], word: str) -> bool:
    """Whether a word is still left in ``counts``; if so, one is removed."""
    counts[word] -= 1
    return counts[word] >= 0
