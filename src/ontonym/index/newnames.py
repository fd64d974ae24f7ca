"""Writes the names of an index: reads the words of terms, numbers them, and leaves out repeats.

What grows with the words of all names is kept in files (`ontonym.store.scratch`); in memory are some numbers for each
term, and the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, pairwise
from operator import or_
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ontonym.arrays import AnyInts, Hashes, Ints, Mask, Offsets, Rows32
from ontonym.encoder.protocol import Encoder, Vectors, WordEncoder
from ontonym.errors import InputError
from ontonym.index.earlier import EarlierIndex
from ontonym.index.names import CHUNK, IndexOptions, wanted_terms, word_forms
from ontonym.index.vocabulary import write_vocabulary
from ontonym.ragged import boundaries, spread
from ontonym.store import Terminology
from ontonym.store.columns import NumberWriter, StringColumn, load_bounds, load_numbers, save_numbers
from ontonym.store.scratch import Scratch
from ontonym.text.normalization import tokens
from ontonym.text.strings import Strings, mixed
from ontonym.types import KINDS, SCOPES, Advance

_SEVERAL = 32
"""A concept with more terms has repeats found by hash, not by comparing each with those before it."""
_BLOCK = 1 << 20
"""Names or terms that are written together."""
_WORDS = 1 << 22
"""Words that are renumbered together."""


@dataclass(frozen=True, slots=True)
class NewNames:
    """The names that were just written, for the files that are derived from them.

    ``words`` are those of all names end to end, mapped from their file. ``forms`` are hashes of each name's words in
    any order. ``earlier_rows`` has each name's row in the earlier index, or -1. ``repeats`` counts the terms left out
    because they repeat the words of another term of their concept or have no word. ``read`` counts the terms whose
    words were read; those of the others came from the earlier index.
    """

    words: Rows32
    word_bounds: Offsets
    vocabulary: Strings
    concepts: Rows32
    forms: Hashes
    earlier_rows: Ints
    repeats: int
    read: int
    _terms: Rows32
    _edges: Ints
    _texts: tuple[StringColumn, ...]

    def __len__(self) -> int:
        return len(self.earlier_rows)

    def some(self, folder: Path, rows: AnyInts) -> NewNames:
        """The names in ``rows``, which ascend, with their words kept in a file in ``folder``."""
        words = Scratch(folder, np.uint32)
        lengths = self.word_bounds[rows + 1] - self.word_bounds[rows]
        for start in range(0, len(rows), _BLOCK):
            here = slice(start, start + _BLOCK)
            words.append(self.words[spread(self.word_bounds[rows[here]], lengths[here])])
        return replace(
            self,
            words=words.numbers(),
            word_bounds=boundaries(lengths),
            concepts=self.concepts[rows],
            forms=self.forms[rows],
            earlier_rows=self.earlier_rows[rows],
            _terms=self._terms[rows],
            _edges=np.searchsorted(rows, self._edges),
        )

    def texts(self, rows: Ints) -> list[str]:
        """The texts of the names in ``rows``, which ascend."""
        found: list[str] = []
        for column, (start, stop) in zip(self._texts, pairwise(np.searchsorted(rows, self._edges)), strict=True):
            found += column.take(self._terms[rows[start:stop]])
        return found

    def having(self, marks: bytes) -> Ints:
        """The rows of the names with any of these bytes in their text, ascending."""
        found = [np.zeros(0, dtype=np.int64)]
        for column, (start, stop) in zip(self._texts, pairwise(self._edges.tolist()), strict=True):
            has = np.zeros(len(column), dtype=np.bool_)
            for first in range(0, len(column), _BLOCK):
                texts = column.strings(first, min(first + _BLOCK, len(column)))
                begin = int(texts.offsets[0])
                data = texts.data[begin : int(texts.offsets[-1])]
                (places,) = np.nonzero(reduce(or_, (data == mark for mark in marks)))
                has[first + np.searchsorted(texts.offsets, places + begin, "right") - 1] = True
            found.append(start + np.flatnonzero(has[self._terms[start:stop]]))
        return np.concatenate(found)

    def encoded(self, rows: Ints, encoder: Encoder) -> Vectors:
        """The vectors of the names in ``rows``, which ascend; of their words, where the encoder reads nothing else."""
        if not isinstance(encoder, WordEncoder):
            return encoder.encode_names(self.texts(rows))
        lengths = self.word_bounds[rows + 1] - self.word_bounds[rows]
        numbers, places = np.unique(self.words[spread(self.word_bounds[rows], lengths)], return_inverse=True)
        return encoder.encode_words(self.vocabulary.take(numbers).tolist(), places, lengths)


@dataclass(frozen=True, slots=True)
class SearchedTerms:
    """The terms to be searched, source after source; ``edges`` say where each source begins.

    ``concepts`` ascend. ``terms`` are rows in the source's ``texts``. ``kinds`` and ``scopes`` are positions in
    ``types.KINDS`` and ``types.SCOPES``. ``hashes`` are those of the texts. ``concept_count`` includes concepts that
    have no name.
    """

    concepts: Rows32
    terms: Rows32
    kinds: npt.NDArray[np.uint8]
    scopes: npt.NDArray[np.uint8]
    hashes: Hashes
    edges: Ints
    texts: tuple[StringColumn, ...]
    concept_count: int


def write_names(folder: Path, found: SearchedTerms, earlier: EarlierIndex, progress: Advance | None = None) -> NewNames:
    """Writes the name rows of terms, in their order, into ``folder``; ``progress`` counts terms.

    The files do not depend on ``earlier``, which only saves work. Raises InputError if no term has a word.
    """
    places = earlier.find(found.hashes)
    words, lengths, vocabulary, word_hashes = _words(folder, found, places, earlier, progress)
    bounds = boundaries(lengths)
    forms = word_forms(word_hashes, words, bounds)
    kept = _first_of_their_form(found.concepts, forms, lengths)
    if not kept.any():
        raise InputError("there is no name to index: no term has a letter or a digit")
    concepts, terms = found.concepts[kept], found.terms[kept]
    for name, column in (
        ("name_concept", concepts),
        ("name_term", terms),
        ("name_kind", found.kinds[kept]),
        ("name_scope", found.scopes[kept]),
        ("name_hash", found.hashes[kept]),
        ("repeat_hash", found.hashes[~kept]),
        ("repeat_words.rows", boundaries(lengths[~kept])),
        ("concept_names.rows", boundaries(np.bincount(concepts, minlength=found.concept_count))),
    ):
        save_numbers(folder, name, column)
    name_bounds = boundaries(lengths[kept])
    save_numbers(folder, "name_words.rows", name_bounds)
    _write_words(folder, "name_words", words, bounds, kept)
    _write_words(folder, "repeat_words", words, bounds, ~kept)
    write_vocabulary(folder, vocabulary, word_hashes)
    rows = places[kept]
    rows[rows >= len(earlier.names)] = -1
    return NewNames(
        words=load_numbers(folder, "name_words", np.uint32),
        word_bounds=name_bounds,
        vocabulary=vocabulary,
        concepts=concepts,
        forms=forms[kept],
        earlier_rows=rows,
        repeats=len(kept) - len(rows),
        read=int(np.count_nonzero(places < 0)),
        _terms=terms,
        _edges=np.searchsorted(np.flatnonzero(kept), found.edges),
        _texts=found.texts,
    )


def written_names(folder: Path, found: SearchedTerms) -> NewNames:
    """The names that `write_names` wrote into ``folder`` for these terms, without an earlier index."""
    concepts, terms = (load_numbers(folder, name, np.uint32) for name in ("name_concept", "name_term"))
    words = load_numbers(folder, "name_words", np.uint32)
    bounds = load_bounds(folder, "name_words.rows", len(words), len(concepts))
    vocabulary = StringColumn.open(folder, "word").strings()
    offsets = [int(found.concepts[edge - 1]) + 1 if edge else 0 for edge in found.edges.tolist()]
    return NewNames(
        words=words,
        word_bounds=bounds,
        vocabulary=vocabulary,
        concepts=concepts,
        forms=word_forms(vocabulary.hashes(), words, bounds),
        earlier_rows=np.full(len(concepts), -1, dtype=np.int64),
        repeats=len(found.terms) - len(concepts),
        read=len(found.terms),
        _terms=terms,
        _edges=np.searchsorted(concepts, offsets),
        _texts=found.texts,
    )


def _write_words(folder: Path, name: str, words: Rows32, bounds: Offsets, kept: Mask) -> None:
    writer = NumberWriter(folder, name, np.uint32)
    for start in range(0, len(kept), _BLOCK):
        here, edges = kept[start : start + _BLOCK], bounds[start : start + _BLOCK + 1]
        writer.extend(words[edges[0] : edges[-1]][np.repeat(here, np.diff(edges))])
    writer.close()


def searched_terms(terminologies: Sequence[Terminology], options: IndexOptions) -> SearchedTerms:
    """The terms that the options select; raises InputError if there is none."""
    concepts, terms, kinds, scopes, hashes = [], [], [], [], []
    offset = 0
    for terminology in terminologies:
        (rows,) = np.nonzero(wanted_terms(terminology, options))
        coded_kinds, coded_scopes = terminology.term_kinds(), terminology.term_scopes()
        kind_codes = np.array([KINDS.index(name) for name in coded_kinds.names], dtype=np.uint8)
        scope_codes = np.array([SCOPES.index(name) for name in coded_scopes.names], dtype=np.uint8)
        concepts.append((terminology.term_concepts()[rows] + offset).astype(np.uint32))
        terms.append(rows.astype(np.uint32))
        kinds.append(kind_codes[coded_kinds.codes[rows]])
        scopes.append(scope_codes[coded_scopes.codes[rows]])
        texts = terminology.term_texts().strings()
        few = 2 * len(rows) < len(texts)  # otherwise hashing all costs less than copying the selected texts
        hashes.append(texts.take(rows).hashes() if few else texts.hashes()[rows])
        offset += len(terminology)
    if not any(map(len, terms)):
        raise InputError(
            "there is no name to index: every term is retired or in another language "
            f"(languages: {', '.join(options.languages) or 'all'}, retired: {'in' if options.retired else 'out'})"
        )
    return SearchedTerms(
        np.concatenate(concepts),
        np.concatenate(terms),
        np.concatenate(kinds),
        np.concatenate(scopes),
        np.concatenate(hashes),
        boundaries(np.array([len(rows) for rows in terms])),
        tuple(terminology.term_texts() for terminology in terminologies),
        offset,
    )


def _words(
    folder: Path, found: SearchedTerms, places: Ints, earlier: EarlierIndex, progress: Advance | None
) -> tuple[Rows32, Ints, Strings, Hashes]:
    """The words of all terms as numbers, concatenated; the number of words of each; the vocabulary; the vocabulary's
    hashes.

    Words are numbered in the order of their first occurrence.
    """
    lengths = np.zeros(len(places), dtype=np.int64)
    read_words = Scratch(folder, np.uint32)
    fresh: dict[str, int] = {}
    beyond = len(earlier.vocabulary)
    for column, (begin, end) in zip(found.texts, pairwise(found.edges.tolist()), strict=True):
        for start in range(begin, end, CHUNK):
            here = slice(start, min(start + CHUNK, end))
            place, length = places[here], lengths[here]
            (new,) = np.nonzero(place < 0)
            read = [tokens(text) for text in column.take(found.terms[here][new])]
            numbers = [fresh.setdefault(word, beyond + len(fresh)) for word in chain.from_iterable(read)]
            length[new] = [len(words) for words in read]
            is_old = place >= 0
            old_words, length[is_old] = earlier.words(place[is_old])
            words = np.empty(int(length.sum()), dtype=np.uint32)
            is_old = np.repeat(is_old, length)
            words[is_old] = old_words
            words[~is_old] = numbers
            read_words.append(words)
            if progress:
                progress(len(place))
    new_words = Strings.of(tuple(fresh))
    fresh.clear()
    new_hashes = new_words.hashes()
    every = read_words.numbers()
    same = _same_numbers(new_words, new_hashes, earlier)
    order = _renumber(every, same)
    vocabulary = Strings.joined([earlier.vocabulary, new_words]).take(order)
    return every, lengths, vocabulary, np.concatenate([earlier.word_hashes, new_hashes])[order]


def _same_numbers(new_words: Strings, new_hashes: Hashes, earlier: EarlierIndex) -> Rows32:
    """The final number of each known word and each new word: a new word that is known too gets the known number."""
    numbers = np.arange(len(earlier.vocabulary) + len(new_words), dtype=np.uint32)
    found = earlier.lookup.first(new_hashes)
    (held,) = np.nonzero(found >= 0)
    held = held[earlier.vocabulary.take(found[held]).equal(new_words.take(held))]
    numbers[len(earlier.vocabulary) + held] = found[held]
    return numbers


def _renumber(words: Rows32, same: Rows32) -> Ints:
    """Renumbers words in their place by the order of first occurrence, equal ones (``same``) alike; returns the used
    words' old numbers in that order.
    """
    first = np.full(len(same), len(words), dtype=np.int64)
    for start in reversed(range(0, len(words), _WORDS)):  # from the end, so that the first place is written last
        part = words[start : start + _WORDS]
        first[part[::-1]] = np.arange(start, start + len(part))[::-1]
    (again,) = np.nonzero(same != np.arange(len(same)))
    first[same[again]] = np.minimum(first[same[again]], first[again])
    first[again] = len(words)
    order = np.argsort(first)[: np.count_nonzero(first < len(words))]
    numbers = np.zeros(len(same), dtype=np.uint32)
    numbers[order] = np.arange(len(order), dtype=np.uint32)
    numbers = numbers[same]
    for start in range(0, len(words), _WORDS):
        words[start : start + _WORDS] = numbers[words[start : start + _WORDS]]
    return order


def _first_of_their_form(concepts: Rows32, forms: Hashes, lengths: Ints) -> Mask:
    """A bitmap of the terms that have words and do not repeat the words of an earlier term of their concept."""
    kept = lengths > 0
    for here in _blocks(concepts):
        _drop_repeats(kept[here], concepts[here], forms[here])
    return kept


def _blocks(concepts: Rows32) -> Iterator[slice]:
    """The terms in blocks that have every concept whole."""
    start = 0
    while start < len(concepts):
        stop = start + _BLOCK
        stop = len(concepts) if stop >= len(concepts) else int(np.searchsorted(concepts, concepts[stop]))
        stop = stop if stop > start else int(np.searchsorted(concepts, concepts[start], side="right"))
        yield slice(start, stop)
        start = stop


def _drop_repeats(kept: Mask, concepts: Rows32, forms: Hashes) -> None:
    rows = np.arange(1, len(concepts))
    for back in range(1, _SEVERAL):  # compare each term with the one before it, then with the one before that
        rows = rows[concepts[rows] == concepts[rows - back]]
        kept[rows[forms[rows] == forms[rows - back]]] = False
        rows = rows[rows > back]
    if len(rows):
        (rows,) = np.nonzero(np.isin(concepts, concepts[rows]))
        _, first = np.unique(mixed(concepts[rows], forms[rows].view(np.int64)), return_index=True)
        kept[np.delete(rows, first)] = False
