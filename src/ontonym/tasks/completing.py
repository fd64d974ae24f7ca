"""Completion: the concepts that a person may mean who is still typing, by the beginnings of words in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ontonym.arrays import Doubles, Ints, Mask
from ontonym.index import Index
from ontonym.index.part import IndexPart
from ontonym.index.prefixes import PrefixMatches, typed_words
from ontonym.tasks.codes import code_hits
from ontonym.tasks.search import SearchOptions, search
from ontonym.text.english import SHORTEST_ENGLISH, everyday_words, is_english
from ontonym.text.normalization import key
from ontonym.text.wordlists import COMMON
from ontonym.types import KINDS, Hit, Kind, Status

_PREFERRED = KINDS.index("preferred")
_WORD, _WHOLE, _LEAD, _OTHER_NAME = 1.0, 0.6, 0.5, 0.35
"""The cost of a word too many, the gain of a whole word and of a first word, the cost of a name not preferred."""

_NAMES_EACH = 16
"""Names of each concept wanted that are put in order first: most concepts have fewer."""

_SHORTEST = 3
"""The fewest letters of a last word that may stand for itself where no name has it with the other words."""

Way = Literal["code", "prefix", "meaning"]


@dataclass(frozen=True, slots=True)
class CompleteOptions:
    """How to complete.

    ``k`` is the highest number of completions; ``within``, ``tags`` and ``terminologies`` filter as in `SearchOptions`.
    With ``meaning`` a text that no name begins with is searched for as a whole.
    """

    k: int = 10
    within: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    terminologies: tuple[str, ...] = ()
    meaning: bool = True


@dataclass(frozen=True, slots=True)
class Completion:
    """A concept with the name that what was typed begins.

    ``way`` says how it was found: a ``code``, a ``prefix`` of every typed word, or, where there is none, ``meaning``.
    """

    id: str
    preferred: str
    matched: str
    kind: Kind
    terminology: str
    status: Status
    way: Way


def complete(index: Index, text: str, options: CompleteOptions = CompleteOptions()) -> list[Completion]:
    """The concepts with a name in which every typed word begins a word, best first, each once.

    Names with the fewest further words come first; among these, names that begin with the first typed word, and
    preferred terms. Codes complete to their concepts. Raises UnknownNameError and UnknownIdError for an unknown filter.
    """
    allowed = index.mask(within=options.within, tags=options.tags, terminologies=options.terminologies)
    codes = [_of_hit(hit, "code") for hit in code_hits(index, text, allowed)]
    found = codes or _by_prefix(index, typed_words(text), options.k, allowed)
    if found or not options.meaning or not text.strip():
        return found[: options.k]
    how = SearchOptions(options.k, within=options.within, tags=options.tags, terminologies=options.terminologies)
    return [_of_hit(hit, "meaning") for hit in search(index, text, how)]


def unfinished_word(index: Index, text: str) -> str:
    """The last word of a text that is still being typed, if it is only begun; empty if it may be searched for.

    It is begun where names have all the typed words as beginnings of words, and none of these names has the last one
    as it is; and, where no name has them all, if nothing but longer words is known to have it. Codes as they are,
    numbers, and what is written in capitals are whole.
    """
    words = key(text).split()
    codes = code_hits(index, text.rstrip("."), None) if words else []
    if codes:
        last = text.rsplit(maxsplit=1)[-1]
        return last if text.endswith(".") or any(_lacks_digits(last, hit.id) for hit in codes) else ""
    if not words or not text[-1].isalnum():
        return ""
    last, typed = words[-1], typed_words(text)
    if last.isdigit() or any(letter.isupper() for letter in text.rsplit(maxsplit=1)[-1][1:]):
        return ""
    has_names = begins = is_word = False
    for _, part in index.signals.parts("OD"):
        rows = part.prefixes.matches(typed).rows
        if len(text) > 1 and part.prefixes.having_whole(rows, last).any():
            return ""
        has_names |= len(rows) > 0
        longer, own = part.prefixes.begins(last)
        begins, is_word = begins or longer, is_word or own
    if has_names:
        return last
    is_word = is_word and len(last) >= _SHORTEST
    is_english_word = last in COMMON or last in everyday_words() or (len(last) >= SHORTEST_ENGLISH and is_english(last))
    return last if begins and not (is_word or is_english_word) else ""


def _lacks_digits(written: str, concept_id: str) -> bool:
    """Whether a code is an id only if zeros are added, so that it may be the beginning of others: HP:00012."""
    number, own = written.rpartition(":")[2], concept_id.rpartition(":")[2]
    return number.isdecimal() and own.isdecimal() and len(number) < len(own) and int(number) == int(own)


def _by_prefix(index: Index, typed: Sequence[str], k: int, allowed: Mask | None) -> list[Completion]:
    concepts: list[Ints] = []
    rows: list[Ints] = []
    costs: list[Doubles] = []
    for first, part in index.signals.parts("OD"):
        matches = part.prefixes.matches(typed, allowed)
        if len(matches.rows):
            concepts.append(part.names.concepts[matches.rows].astype(np.int64))
            rows.append(matches.rows + first)
            costs.append(_costs(part, matches, len(typed)))
    if not rows:
        return []
    best = _best(np.concatenate(concepts), np.concatenate(rows), np.concatenate(costs), k)
    return [_completion(index, *one) for one in best]


def _costs(part: IndexPart, matches: PrefixMatches, typed: int) -> Doubles:
    """What speaks against each name, lower is better."""
    is_other = part.names.kinds[matches.rows] != _PREFERRED
    extra = np.maximum(matches.lengths - typed, 0).astype(np.float64)
    found: Doubles = extra * _WORD - matches.whole * _WHOLE - matches.leads * _LEAD + is_other * _OTHER_NAME
    return found


def _best(concepts: Ints, rows: Ints, costs: Doubles, k: int) -> list[tuple[int, int]]:
    """The ``k`` best concepts, each with its best name row, best first; ties by lower row."""
    found: dict[int, int] = {}
    for few in (_NAMES_EACH * k, len(costs)):
        cheap = np.arange(len(costs))
        if few < len(costs):
            (cheap,) = np.nonzero(costs <= np.partition(costs, few)[few])
        for place in cheap[np.lexsort((rows[cheap], costs[cheap]))].tolist():
            found.setdefault(int(concepts[place]), int(rows[place]))
            if len(found) == k:
                return list(found.items())
    return list(found.items())


def _completion(index: Index, concept: int, name: int) -> Completion:
    terminology, row = index.locate(concept)
    term = index.term(name)
    return Completion(
        terminology.id(row), terminology.preferred(row), term.text, term.kind, terminology.name,
        terminology.status(row), "prefix",
    )  # fmt: skip


def _of_hit(hit: Hit, way: Way) -> Completion:
    return Completion(hit.id, hit.preferred, hit.matched, hit.kind, hit.terminology, hit.status, way)
