"""The names that an index searches: one row for each spelling of each concept, with its words, over all its
terminologies.

Terms of a concept that differ only in what text normalization removes share a row. The row points to the first of them,
which is the preferred term if that is among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Hashes, Ints, Mask, Offsets, Rows32
from ontonym.errors import InputError
from ontonym.index.inverted import Postings
from ontonym.index.known import Known
from ontonym.index.protocol import Forms
from ontonym.index.wordfacts import WordFacts
from ontonym.store import Terminology
from ontonym.store.columns import StringColumn, StringWriter, load_bounds, load_numbers, save_numbers
from ontonym.store.lookup import HashLookup
from ontonym.text.normalization import tokens
from ontonym.text.strings import Strings, boundaries, hash64, mixed
from ontonym.types import KINDS, SCOPES, Advance

CHUNK = 1 << 16
_SHORT = 5
_SEVERAL = 32
_MOST_WORDS = 1 << 14


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """Which names are indexed: ``languages`` are two-letter codes, empty for all; ``retired`` includes retired concepts
    and terms; ``everyday`` adds the everyday English names that come with the package (`ontonym.index.everyday`).
    """

    languages: tuple[str, ...] = ()
    retired: bool = False
    everyday: bool = True


@dataclass(frozen=True, slots=True)
class NewNames:
    """The names that were just written, for the files that are derived from them.

    ``known`` is each name's row in the earlier index, or -1. ``repeats`` counts the terms left out because they repeat
    the words of another term of their concept or have no word. ``knew`` counts the terms whose words the earlier index
    had.
    """

    words: Rows32
    word_bounds: Offsets
    vocabulary: Strings
    known: Ints
    repeats: int
    knew: int
    _terms: Rows32
    _edges: Ints
    _texts: tuple[StringColumn, ...]

    def __len__(self) -> int:
        return len(self.known)

    def texts(self, rows: Ints) -> list[str]:
        """The texts of the names in ``rows``, which ascend."""
        found: list[str] = []
        for column, (start, stop) in zip(self._texts, pairwise(np.searchsorted(rows, self._edges)), strict=True):
            found += column.take(self._terms[rows[start:stop]])
        return found


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


def write_names(folder: Path, found: SearchedTerms, known: Known, progress: Advance | None = None) -> NewNames:
    """Writes the name rows of terms, in their order, into ``folder``; ``progress`` counts terms.

    The files do not depend on ``known``, which only saves work. Raises InputError if no term has a word.
    """
    places = known.find(found.hashes)
    words, lengths, vocabulary, word_hashes = _words(found, places, known, progress)
    bounds = boundaries(lengths)
    forms = _forms(word_hashes, words, bounds)
    kept = _first_of_their_form(found.concepts, forms, lengths)
    if not kept.any():
        raise InputError("there is no name to index: no term has a letter or a digit")
    concepts = found.concepts[kept]
    for name, column in (
        ("name_concept", concepts),
        ("name_term", found.terms[kept]),
        ("name_kind", found.kinds[kept]),
        ("name_scope", found.scopes[kept]),
        ("name_hash", found.hashes[kept]),
        ("repeat_hash", found.hashes[~kept]),
        ("repeat_words", words[np.repeat(~kept, lengths)]),
        ("repeat_words.rows", boundaries(lengths[~kept])),
        ("concept_names.rows", boundaries(np.bincount(concepts, minlength=found.concept_count))),
    ):
        save_numbers(folder, name, column)
    name_words, name_bounds = words[np.repeat(kept, lengths)], boundaries(lengths[kept])
    save_numbers(folder, "name_words", name_words)
    save_numbers(folder, "name_words.rows", name_bounds)
    _write_vocabulary(folder, vocabulary, word_hashes)
    HashLookup.build(folder, "form", forms[kept], np.arange(len(concepts)))
    rows = places[kept]
    rows[rows >= len(known.names)] = -1
    return NewNames(
        words=name_words,
        word_bounds=name_bounds,
        vocabulary=vocabulary,
        known=rows,
        repeats=len(kept) - len(rows),
        knew=int(np.count_nonzero(places >= 0)),
        _terms=found.terms[kept],
        _edges=np.searchsorted(np.flatnonzero(kept), found.edges),
        _texts=found.texts,
    )


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
    found: SearchedTerms, places: Ints, known: Known, progress: Advance | None
) -> tuple[Rows32, Ints, Strings, Hashes]:
    """The words of all terms as numbers, concatenated; the number of words of each; the vocabulary; the vocabulary's
    hashes.

    Words are numbered in the order of their first occurrence.
    """
    lengths = np.zeros(len(places), dtype=np.int64)
    parts: list[Rows32] = [np.zeros(0, dtype=np.uint32)]
    fresh: dict[str, int] = {}
    beyond = len(known.vocabulary)
    for column, (begin, end) in zip(found.texts, pairwise(found.edges.tolist()), strict=True):
        for start in range(begin, end, CHUNK):
            here = slice(start, min(start + CHUNK, end))
            place, length = places[here], lengths[here]
            (new,) = np.nonzero(place < 0)
            read = [tokens(text) for text in column.take(found.terms[here][new])]
            numbers = [fresh.setdefault(word, beyond + len(fresh)) for word in chain.from_iterable(read)]
            length[new] = [len(words) for words in read]
            is_old = place >= 0
            old_words, length[is_old] = known.words(place[is_old])
            words = np.empty(int(length.sum()), dtype=np.uint32)
            is_old = np.repeat(is_old, length)
            words[is_old] = old_words
            words[~is_old] = numbers
            parts.append(words)
            if progress:
                progress(len(place))
    new_words = Strings.of(tuple(fresh))
    new_hashes = new_words.hashes()
    words = np.concatenate(parts)
    words = _same_numbers(new_words, new_hashes, known)[words]
    order, words = _renumbered(words, beyond + len(fresh))
    vocabulary = Strings.joined([known.vocabulary, new_words]).take(order)
    return words, lengths, vocabulary, np.concatenate([known.word_hashes, new_hashes])[order]


def _same_numbers(new_words: Strings, new_hashes: Hashes, known: Known) -> Rows32:
    """The final number of each known word and each new word: a new word that is known too gets the known number."""
    numbers = np.arange(len(known.vocabulary) + len(new_words), dtype=np.uint32)
    found = known.lookup.first(new_hashes)
    (held,) = np.nonzero(found >= 0)
    held = held[known.vocabulary.take(found[held]).equal(new_words.take(held))]
    numbers[len(known.vocabulary) + held] = found[held]
    return numbers


def _renumbered(words: Rows32, size: int) -> tuple[Ints, Rows32]:
    """The used words' old numbers in the order of first occurrence, and ``words`` renumbered by that order."""
    first = np.full(size, len(words), dtype=np.int64)
    first[words[::-1]] = np.arange(len(words) - 1, -1, -1)  # the last one written holds: the first occurrence
    order = np.argsort(first)[: int(np.count_nonzero(first < len(words)))]
    numbers = np.zeros(size, dtype=np.uint32)
    numbers[order] = np.arange(len(order), dtype=np.uint32)
    return order, numbers[words]


def _forms(word_hashes: Hashes, words: Rows32, bounds: Offsets) -> Hashes:
    """A hash of each term's words in any order: the sum of the words' hashes, mixed with the number of words."""
    forms = np.empty(len(bounds) - 1, dtype=np.uint64)
    for start in range(0, len(forms), CHUNK):
        edges = bounds[start : start + CHUNK + 1]
        sums = np.zeros(int(edges[-1] - edges[0]) + 1, dtype=np.uint64)
        np.cumsum(word_hashes[words[edges[0] : edges[-1]]], out=sums[1:])
        sums = sums[edges - edges[0]]
        forms[start : start + CHUNK] = mixed((sums[1:] - sums[:-1]).view(np.int64), np.diff(edges))
    return forms


def _first_of_their_form(concepts: Rows32, forms: Hashes, lengths: Ints) -> Mask:
    """A bitmap of the terms that have words and do not repeat the words of an earlier term of their concept."""
    kept = lengths > 0
    rows = np.arange(1, len(concepts))
    for back in range(1, _SEVERAL):  # compare each term with the one before it, then with the one before that
        rows = rows[concepts[rows] == concepts[rows - back]]
        kept[rows[forms[rows] == forms[rows - back]]] = False
        rows = rows[rows > back]
    if len(rows):
        (rows,) = np.nonzero(np.isin(concepts, concepts[rows]))
        _, first = np.unique(mixed(concepts[rows], forms[rows].view(np.int64)), return_index=True)
        kept[np.delete(rows, first)] = False
    return kept


def _write_vocabulary(folder: Path, vocabulary: Strings, hashes: Hashes) -> None:
    writer = StringWriter(folder, "word")
    writer.extend(vocabulary)
    writer.close()
    starts, data = vocabulary.offsets[:-1], vocabulary.data[: vocabulary.offsets[-1]]
    letters = np.add.reduceat((data & 0xC0) != 0x80, starts, dtype=np.int64)  # the bytes that begin a letter in UTF-8
    first = data[starts]
    is_number = (first >= ord("0")) & (first <= ord("9"))
    for row in np.flatnonzero(first >= 0x80).tolist():  # other scripts have digits too
        is_number[row] = vocabulary[row][0].isdigit()
    save_numbers(folder, "word_short", letters <= _SHORT)
    save_numbers(folder, "word_number", is_number)
    HashLookup.build(folder, "word", hashes, np.arange(len(vocabulary)))


def write_idf(folder: Path, postings: Postings, names: int) -> None:
    """Writes the inverse name frequency of each word, ``ln(1 + (N - n + 0.5) / (n + 0.5))`` as in BM25."""
    counts = np.diff(postings.bounds)
    save_numbers(folder, "word_idf", np.log1p((names - counts + 0.5) / (counts + 0.5)).astype(np.float32))


def wanted_terms(terminology: Terminology, options: IndexOptions) -> Mask:
    """A bitmap over the term rows of a terminology: True for the terms that the options select."""
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


def _forms_in(folder: Path, names: int) -> Forms:
    return HashLookup.open(folder, "form", names)


class Names:
    """The name rows of an index, memory-mapped.

    By name row: ``concepts`` (numbered through all terminologies in their order), ``terms`` (term row in its own
    terminology), ``kinds`` and ``scopes`` (positions in ``types.KINDS`` and ``types.SCOPES``). By word number: ``idf``,
    ``is_short`` (up to five letters) and ``is_number`` (begins with a digit). ``forms`` finds rows by the hash of their
    words. ``rarity_among`` is the number of names from which ``idf`` was computed, if not the rows' own.
    """

    def __init__(
        self, folder: Path, rarity_among: int | None = None, forms: Callable[[Path, int], Forms] = _forms_in
    ) -> None:
        self._rarity_among = rarity_among
        self.concepts: Rows32 = load_numbers(folder, "name_concept", np.uint32)
        count = len(self.concepts)
        self.terms: Rows32 = load_numbers(folder, "name_term", np.uint32, count=count)
        self.kinds: npt.NDArray[np.uint8] = load_numbers(folder, "name_kind", np.uint8, count=count)
        self.scopes: npt.NDArray[np.uint8] = load_numbers(folder, "name_scope", np.uint8, count=count)
        self.words: Rows32 = load_numbers(folder, "name_words", np.uint32)
        self.word_bounds: Ints = load_bounds(folder, "name_words.rows", len(self.words), count)
        self.bounds: Ints = load_bounds(folder, "concept_names.rows", count)
        if count and not int(self.concepts[-1]) < len(self.bounds) - 1:  # they ascend
            raise ValueError(f"name_concept.npy has a concept beyond the {len(self.bounds) - 1}")
        self.vocabulary = StringColumn.open(folder, "word")
        words = len(self.vocabulary)
        self.idf: npt.NDArray[np.float32] = load_numbers(folder, "word_idf", np.float32, count=words)
        self.is_short: Mask = load_numbers(folder, "word_short", np.bool_, count=words)
        self.is_number: Mask = load_numbers(folder, "word_number", np.bool_, count=words)
        self._word_lookup = HashLookup.open(folder, "word", words)
        self.forms = forms(folder, count)
        self._numbers: dict[str, int | None] = {}  # of words that were looked up

    def __len__(self) -> int:
        return len(self.concepts)

    @property
    def rarity_among(self) -> int:
        """The number of names from which the rarity of words and n-grams was computed."""
        return len(self) if self._rarity_among is None else self._rarity_among

    @property
    def unseen_idf(self) -> float:
        """The inverse name frequency of a word that no name has."""
        return float(np.log1p((self.rarity_among + 0.5) / 0.5))

    def word_ids(self, words: Sequence[str]) -> list[int | None]:
        """The number of each word in the vocabulary, None for an unknown word."""
        known = self._numbers
        missing = [word for word in dict.fromkeys(words) if word not in known]
        if missing:
            if len(known) > _MOST_WORDS:
                known.clear()
                missing = list(dict.fromkeys(words))
            found = self._word_lookup.first(_hashes(missing)).tolist()
            known.update((word, None if number < 0 else number) for word, number in zip(missing, found, strict=True))
        return [known[word] for word in words]

    @cached_property
    def facts(self) -> WordFacts:
        """What is known of the words of the vocabulary, read when first needed."""
        return WordFacts(self.vocabulary, self.idf, self.word_ids)

    def words_of(self, row: int) -> list[str]:
        """The normalized words of a name, in order."""
        return self.vocabulary.take(self.words[self.word_bounds[row] : self.word_bounds[row + 1]])

    def spelled(self, words: Sequence[str]) -> Rows32:
        """The name rows with exactly these words, in any order."""
        return self.forms.rows_of(_form(tuple(words)))


@lru_cache(maxsize=1 << 10)  # each part of an index, and each step of a search, asks for the same words
def _form(words: tuple[str, ...]) -> np.uint64:
    form: np.uint64 = forms_of([words])[0]
    return form


def forms_of(names: Sequence[Sequence[str]]) -> Hashes:
    """For each name, given as its normalized words, the hash that names of the same words in any order share."""
    words = [word for name in names for word in name]
    bounds = np.cumsum([0, *map(len, names)])
    return _forms(_hashes(words), np.arange(len(words), dtype=np.uint32), bounds)


def _hashes(words: Sequence[str]) -> Hashes:
    return np.fromiter(map(hash64, words), dtype=np.uint64, count=len(words))


def name_texts(names: Names, terminologies: Sequence[Terminology]) -> Iterator[str]:
    """The text of every name row, in order, as a stream."""
    offsets = np.cumsum([0, *map(len, terminologies)])
    edges = pairwise(np.searchsorted(names.concepts, offsets).tolist())
    for terminology, (start, stop) in zip(terminologies, edges, strict=True):
        column = terminology.term_texts()
        for first in range(start, stop, CHUNK):
            yield from column.take(names.terms[first : min(first + CHUNK, stop)])
