"""The names an index searches: one row for each spelling of each concept, with its words, over all its terminologies.

Terms of a concept that differ only by what text normalization removes share a row; the row points to the first of them,
which is the preferred term where that is among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ontonym.store import Terminology
from ontonym.store.columns import StringColumn, StringWriter, load_numbers, save_numbers
from ontonym.store.lookup import HashLookup
from ontonym.strings import boundaries, hash64
from ontonym.text import tokens
from ontonym.types import KINDS, SCOPES

Rows = npt.NDArray[np.uint32]

CHUNK = 1 << 16
_SHORT = 5


@dataclass(frozen=True, slots=True)
class NameOptions:
    """Which terms of the terminologies are searched; ``languages`` empty means all."""

    languages: tuple[str, ...] = ()
    retired: bool = False


@dataclass(slots=True)
class _Growing:
    """Columns being built."""

    concepts: list[int]
    terms: list[int]
    kinds: list[int]
    scopes: list[int]
    lengths: list[int]
    words: list[int]
    forms: list[int]


def write_names(
    folder: Path,
    terminologies: Sequence[Terminology],
    options: NameOptions,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Writes the name rows of the terminologies, in their order, into ``folder``; ``progress`` counts terms."""
    columns = _Growing([], [], [], [], [], [], [])
    vocabulary: dict[str, int] = {}
    offset = 0
    for terminology in terminologies:
        _add_terminology(columns, vocabulary, terminology, offset, options, progress)
        offset += len(terminology)
    words = np.asarray(columns.words, dtype=np.uint32)
    lengths = np.asarray(columns.lengths, dtype=np.int64)
    save_numbers(folder, "name_concept", np.asarray(columns.concepts, dtype=np.uint32))
    save_numbers(folder, "name_term", np.asarray(columns.terms, dtype=np.uint32))
    save_numbers(folder, "name_kind", np.asarray(columns.kinds, dtype=np.uint8))
    save_numbers(folder, "name_scope", np.asarray(columns.scopes, dtype=np.uint8))
    save_numbers(folder, "name_words", words)
    save_numbers(folder, "name_words.rows", boundaries(lengths))
    concepts = np.asarray(columns.concepts, dtype=np.int64)
    save_numbers(folder, "concept_names.rows", np.searchsorted(concepts, np.arange(offset + 1)))
    save_numbers(folder, "word_idf", _idf(words, lengths, len(vocabulary)))
    writer = StringWriter(folder, "word")
    writer.append(list(vocabulary))
    writer.close()
    save_numbers(folder, "word_short", np.asarray([len(word) <= _SHORT for word in vocabulary], dtype=np.bool_))
    save_numbers(folder, "word_number", np.asarray([word[:1].isdigit() for word in vocabulary], dtype=np.bool_))
    hashes = np.fromiter(map(hash64, vocabulary), dtype=np.uint64, count=len(vocabulary))
    HashLookup.build(folder, "word", hashes, np.arange(len(vocabulary)))
    HashLookup.build(folder, "form", np.asarray(columns.forms, dtype=np.uint64), np.arange(len(columns.forms)))


def _add_terminology(
    columns: _Growing,
    vocabulary: dict[str, int],
    terminology: Terminology,
    offset: int,
    options: NameOptions,
    progress: Callable[[int], None] | None,
) -> None:
    kinds, scopes = terminology.term_kinds(), terminology.term_scopes()
    kind_codes = np.asarray([KINDS.index(name) for name in kinds.names], dtype=np.uint8)[kinds.codes].tolist()
    scope_codes = np.asarray([SCOPES.index(name) for name in scopes.names], dtype=np.uint8)[scopes.codes].tolist()
    wanted = wanted_terms(terminology, options).tolist()
    owners = terminology.term_concepts().tolist()
    texts = iter(terminology.term_texts())
    seen: set[int] = set()
    owner = -1
    for start in range(0, len(wanted), CHUNK):
        chunk = list(islice(texts, CHUNK))
        for row, text in enumerate(chunk, start=start):
            if owners[row] != owner:
                owner = owners[row]
                seen.clear()
            if not wanted[row]:
                continue
            found = tokens(text)
            form = hash64(" ".join(sorted(found)))
            if not found or form in seen:
                continue
            seen.add(form)
            columns.concepts.append(offset + owner)
            columns.terms.append(row)
            columns.kinds.append(kind_codes[row])
            columns.scopes.append(scope_codes[row])
            columns.forms.append(form)
            columns.lengths.append(len(found))
            columns.words += [vocabulary.setdefault(word, len(vocabulary)) for word in found]
        if progress:
            progress(len(chunk))


def wanted_terms(terminology: Terminology, options: NameOptions) -> npt.NDArray[np.bool_]:
    """A bitmap over the term rows of a terminology: True where the options want the term searched."""
    statuses = terminology.term_statuses()
    wanted = np.ones(terminology.term_count, dtype=np.bool_)
    if not options.retired:
        wanted &= np.isin(statuses.codes, [i for i, name in enumerate(statuses.names) if name == "active"])
        wanted &= terminology.active[terminology.term_concepts()]
    if options.languages:
        languages = terminology.term_languages()
        chosen = [i for i, name in enumerate(languages.names) if name.split("-")[0] in options.languages]
        wanted &= np.isin(languages.codes, chosen)
    return wanted


def _idf(words: Rows, lengths: npt.NDArray[np.int64], vocabulary: int) -> npt.NDArray[np.float32]:
    """Inverse name frequency ``ln(1 + (N - n + 0.5) / (n + 0.5))`` of each word, as BM25 has it."""
    names = len(lengths)
    pairs = np.unique(np.repeat(np.arange(names, dtype=np.int64), lengths) * max(vocabulary, 1) + words)
    counts = np.bincount(pairs % max(vocabulary, 1), minlength=vocabulary)[:vocabulary]
    return np.log1p((names - counts + 0.5) / (counts + 0.5)).astype(np.float32)


class Names:
    """The name rows of an index, memory-mapped.

    By name row: ``concepts`` (numbered through all terminologies in their order), ``terms`` (term row in its own
    terminology), ``kinds`` and ``scopes`` (places in ``types.KINDS`` and ``types.SCOPES``). By word number: ``idf``,
    ``is_short`` (up to five letters) and ``is_number`` (begins with a digit).
    """

    def __init__(self, folder: Path) -> None:
        self.concepts: Rows = load_numbers(folder, "name_concept")
        self.terms: Rows = load_numbers(folder, "name_term")
        self.kinds: npt.NDArray[np.uint8] = load_numbers(folder, "name_kind")
        self.scopes: npt.NDArray[np.uint8] = load_numbers(folder, "name_scope")
        self.words: Rows = load_numbers(folder, "name_words")
        self.word_bounds: npt.NDArray[np.int64] = load_numbers(folder, "name_words.rows")
        self.bounds: npt.NDArray[np.int64] = load_numbers(folder, "concept_names.rows")
        self.idf: npt.NDArray[np.float32] = load_numbers(folder, "word_idf")
        self.is_short: npt.NDArray[np.bool_] = load_numbers(folder, "word_short")
        self.is_number: npt.NDArray[np.bool_] = load_numbers(folder, "word_number")
        self.vocabulary = StringColumn.open(folder, "word")
        self._word_lookup = HashLookup.open(folder, "word")
        self._form_lookup = HashLookup.open(folder, "form")

    def __len__(self) -> int:
        return len(self.concepts)

    @property
    def unseen_idf(self) -> float:
        """The inverse name frequency of a word that no name has."""
        return float(np.log1p((len(self) + 0.5) / 0.5))

    def word_ids(self, words: Sequence[str]) -> list[int | None]:
        """The number of each word in the vocabulary, None for unknown ones."""
        found = (self._word_lookup.candidates(word) for word in words)
        return [int(rows[0]) if len(rows) else None for rows in found]

    def words_of(self, row: int) -> list[str]:
        """The normalized words of a name, in its order."""
        return self.vocabulary.take(self.words[self.word_bounds[row] : self.word_bounds[row + 1]])

    def spelled(self, words: Sequence[str]) -> Rows:
        """The name rows with exactly these words, in any order."""
        return self._form_lookup.candidates(" ".join(sorted(words)))


def name_texts(names: Names, terminologies: Sequence[Terminology]) -> Iterator[str]:
    """The text of every name row, in order, streamed."""
    return chain.from_iterable(_texts_by_terminology(names, terminologies))


def _texts_by_terminology(names: Names, terminologies: Sequence[Terminology]) -> Iterator[Iterator[str]]:
    offsets = np.cumsum([0, *map(len, terminologies)])
    edges = np.searchsorted(names.concepts, offsets)
    for terminology, start, stop in zip(terminologies, edges[:-1], edges[1:], strict=True):
        column: Any = terminology.term_texts()
        for first in range(int(start), int(stop), CHUNK):
            yield iter(column.take(names.terms[first : min(first + CHUNK, int(stop))]))
