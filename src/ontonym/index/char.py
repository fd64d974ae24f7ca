"""The char signal: TF-IDF over character n-grams within word boundaries.

The similarity is the cosine in [0, 1] of the TF-IDF vectors of query and name, as in scikit-learn's
``TfidfVectorizer(analyzer="char_wb")`` on normalized words. A name's vector is the sum of its words' vectors: n-grams
lead to words of the vocabulary, and the inverted file leads from words to names. Two things differ from scikit-learn.
In the document frequency of an n-gram, a name counts once for each of its words that has it. And the length of a name's
vector is computed as if different words had no n-gram in common, which is within 3% for nine names of ten; a similarity
that would be above 1 for that reason is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import repeat
from pathlib import Path

import numpy as np

from ontonym.arrays import AnyInts, Column, Doubles, Floats, Ints, Mask, Rows32
from ontonym.index.grams import SIZES, counted_ngrams, ngrams
from ontonym.index.inverted import InvertedLists, Postings, Times, Zeros, sorted_pairs, summed, without_repeats
from ontonym.index.names import Names
from ontonym.index.namewords import NameWords
from ontonym.index.nearest import Nearest, nearest_in_any_order, nearest_of
from ontonym.ragged import boundaries, ranges_of, spread
from ontonym.store.columns import NumberWriter, load_bounds, load_numbers, save_numbers
from ontonym.store.scratch import Scratch
from ontonym.text.strings import Strings

_WORDS = 1 << 18
"""Words whose n-grams are hashed together."""

_PAIR_BYTES = 48
"""Memory for each n-gram of a word while they are sorted."""

_PAIRS, _LEAST_PAIRS = 1 << 25, 1 << 22
"""N-grams of words that are sorted together without a limit of memory, and with however low a limit."""

_GRAM_FILES = (
    ("gram_hash", np.uint32), ("gram_idf", np.float32), ("gram_word", np.uint32), ("gram_times", np.uint16),
)  # fmt: skip

MOST_POSTINGS = 100_000
"""The most words of n-grams that a query reads, those of the rarest n-grams first: the time of a search is bounded."""

_MOST_NAMES = 30_000
"""The most names of such words that are looked at; `CharSignal.nearest` says what is lost."""

_LEAST_SHARE = 0.1
"""Where there are more, words that share less with the query than this part of what the best one shares bring none."""

_RESCORED = 8
"""Of the names that words bring, so many times ``k`` are scored by all of their words."""

_FEW = 10_000
"""A filter that leaves no more names: all of them are scored, and none is missed."""

_FEW_IN_ALL = 1 << 11
"""All names of a part with no more of them are scored, for all queries at once."""

_LEAST_SIMILARITY = 0.05
"""Names that are less similar are not brought."""


def write_char(
    folder: Path,
    vocabulary: Strings,
    counts: Ints,
    names: int,
    rarity: Callable[[Rows32], Floats] | None = None,
    sizes: Sequence[int] = SIZES,
    memory: int | None = None,
) -> Doubles:
    """Writes the words of every n-gram and its rarity; returns the squared length of every word's vector.

    ``counts`` says how many of the ``names`` have each word. ``rarity`` computes the rarity of hashed n-grams if it is
    not to come from these names; ``sizes`` are the n-gram lengths; ``memory`` is how many bytes they may take.
    """
    writers = {name: NumberWriter(folder, name, dtype) for name, dtype in _GRAM_FILES}
    bounds = Scratch(folder, np.int64)
    bounds.append(np.zeros(1, dtype=np.int64))
    squares = np.zeros(len(vocabulary))
    most = _PAIRS if memory is None else max(memory // _PAIR_BYTES, _LEAST_PAIRS)
    parts = 1 + len(sizes) * int(vocabulary.offsets[-1] - vocabulary.offsets[0] + 2 * len(vocabulary)) // most
    for part in range(parts):  # n-grams by their hashes, so that those of one part are all of them
        hashes, words = sorted_pairs(*_grams(vocabulary, sizes, part, parts))
        (starts,) = np.nonzero(np.append(True, hashes[1:] != hashes[:-1])[: len(hashes)])
        words, ends, often = without_repeats(words, np.append(starts, len(hashes)))
        different = hashes[starts]
        if rarity is None:
            held = np.add.reduceat(counts[words], ends[:-1]) if len(different) else ends[:-1]
            idf = (np.log((1 + names) / (1 + np.minimum(held, names))) + 1).astype(np.float32)
        else:
            idf = rarity(different)
        columns: tuple[Column, ...] = different, idf, words, often
        bounds.append(ends[1:] + writers["gram_word"].count)
        for name, values in zip(writers, columns, strict=True):
            writers[name].extend(values)
        weights = often * np.repeat(idf.astype(np.float64), np.diff(ends))
        np.add.at(squares, words, weights**2)
    for writer in writers.values():
        writer.close()
    save_numbers(folder, "gram_word.rows", bounds.numbers())
    return squares


def _grams(vocabulary: Strings, sizes: Sequence[int], part: int, parts: int) -> tuple[Rows32, Rows32]:
    """The n-grams of all words whose hashes are in one of several equal parts, and the number of each one's word."""
    low, high = (np.uint32(min((number << 32) // parts, 0xFFFFFFFF)) for number in (part, part + 1))
    found: list[tuple[Rows32, Rows32]] = []
    for start in range(0, len(vocabulary), _WORDS):
        some = Strings(vocabulary.data, vocabulary.offsets[start : start + _WORDS + 1])
        text = some.prefixed(" ").data.tobytes().decode(errors="replace")
        hashes, words = ngrams(f"{text} ", sizes)
        words += np.uint32(start)
        if parts > 1:
            inside = (hashes >= low) & ((hashes < high) if part < parts - 1 else True)
            hashes, words = hashes[inside], words[inside]
        found.append((hashes, words))
    if len(found) == 1:
        return found[0]
    return np.concatenate([hashes for hashes, _ in found]), np.concatenate([words for _, words in found])


def write_name_lengths(
    folder: Path, word_squares: Doubles, lists: Iterable[tuple[Postings, Times]], names: int
) -> None:
    """Writes the length of each name's vector, from the squared lengths of its words' vectors.

    ``lists`` are postings, of which each name has its words in one, and for each how often the name has the word.
    """
    squares = np.zeros(names)
    for postings, times in lists:
        for here in postings.blocks():
            own = postings.bounds[here.start : here.stop + 1]
            parts = np.repeat(word_squares[here], np.diff(own))
            parts *= times[own[0] : own[-1]].astype(np.float64) ** 2
            np.add.at(squares, postings.rows[own[0] : own[-1]], parts)  # in the order of words, however they are parted
    save_numbers(folder, "name_length", np.sqrt(squares).astype(np.float32))


def char_similarities(shares: Sequence[Doubles], words: NameWords, lengths: Floats) -> Floats:
    """The similarity of names to their queries, in [0, 1].

    ``shares`` are those of `CharSignal.queries` of each part; ``lengths`` are `CharSignal.name_lengths`.
    """
    if not len(lengths):
        return np.empty(0, dtype=np.float32)
    sums = np.add.reduceat(words.valued(shares), words.starts)
    return np.minimum(sums / lengths, 1).astype(np.float32)


class CharSignal:
    """Searches names by character n-grams; the files are memory-mapped and shared between processes.

    ``sizes`` are the n-gram lengths with which the files were written; ``most`` limits the word occurrences of n-grams
    that one query reads.
    """

    def __init__(
        self,
        folder: Path,
        names: Names,
        postings: InvertedLists,
        *,
        sizes: Sequence[int] = SIZES,
        most: int = MOST_POSTINGS,
    ) -> None:
        self._sizes, self._most = tuple(sizes), most
        self._hashes: Rows32 = load_numbers(folder, "gram_hash", np.uint32)
        self._idf: Floats = load_numbers(folder, "gram_idf", np.float32, count=len(self._hashes))
        self._words: Rows32 = load_numbers(folder, "gram_word", np.uint32)
        self._bounds: Ints = load_bounds(folder, "gram_word.rows", len(self._words), len(self._hashes))
        self._times: Times = load_numbers(folder, "gram_times", np.uint16, count=len(self._words))
        self._lengths: Floats = load_numbers(folder, "name_length", np.float32, count=len(names))
        self._names = names
        self._postings = postings
        self._zeros = Zeros(len(names), np.int32)

    @cached_property
    def _counts(self) -> Ints:
        """By word how many names have it: every query asks for some thousands."""
        return self._postings.counts(np.arange(self._postings.words))

    @cached_property
    def _damped(self) -> Doubles:
        """These counts to the power by which a word counts less: slow to compute for every query."""
        found: Doubles = self._counts.astype(np.float64) ** 0.25
        return found

    def _places(self, hashes: Rows32) -> tuple[Ints, Mask]:
        """The positions of hashed n-grams among the known ones, and whether each is known."""
        places = self._hashes.searchsorted(hashes)
        np.minimum(places, len(self._hashes) - 1, out=places)
        return places, self._hashes.take(places) == hashes

    def rarity(self, hashes: Rows32) -> Floats:
        """The inverse frequency of hashed n-grams; an unknown n-gram gets the highest."""
        return self._rarity_at(*self._places(hashes))

    def _rarity_at(self, places: Ints, known: Mask) -> Floats:
        return np.where(known, self._idf.take(places), self._rarest)

    @cached_property
    def _rarest(self) -> np.float32:
        """The rarity of an n-gram that no name has."""
        return np.float32(np.log(1 + self._names.rarity_among) + 1)

    def query(self, words: Sequence[str]) -> Doubles:
        """One of `queries`, shape ``(vocabulary,)``."""
        own: Doubles = self.queries([words])[0]
        return own

    def queries(self, asked: Sequence[Sequence[str]]) -> Doubles:
        """Several queries, given as their words: the similarity that each word of the vocabulary contributes, before
        division by the length of the name's vector; shape ``(queries, vocabulary)``.

        If the n-grams of a query occur in more than 100,000 words, the most common n-grams are left out, so that the
        time of a search does not depend on the index. Similarities are then lower bounds, for all names alike.
        """
        vocabulary, count = self._postings.words, len(asked)
        numbers, hashes, times = counted_ngrams(tuple(map(tuple, asked)), self._sizes)
        places, known = self._places(hashes)
        idf = self._rarity_at(places, known).astype(np.float64)
        lengths = np.sqrt(np.bincount(numbers, weights=(times * idf) ** 2, minlength=count))
        (some,) = known.nonzero()
        numbers, places = numbers.take(some), places.take(some)
        weights = (times * idf**2).take(some) / np.maximum(lengths, 1e-12).take(numbers)
        starts = self._bounds.take(places)
        sizes = self._bounds.take(places + 1) - starts
        if sizes.sum() > self._most:
            kept = self._affordable(numbers, sizes, count)
            numbers, starts, sizes, weights = numbers[kept], starts[kept], sizes[kept], weights[kept]
        often, holders = ranges_of((self._times, self._words), starts, sizes)
        shares = weights.repeat(sizes) * often
        if len(holders) and holders.max() >= vocabulary:  # else memory would be taken up to the highest
            raise ValueError(f"word {int(holders.max())} of {vocabulary}")
        at = holders if count == 1 else holders + (numbers * vocabulary).repeat(sizes)
        sums = np.bincount(at, weights=shares, minlength=count * vocabulary)
        return sums.astype(np.float64, copy=False).reshape(count, vocabulary)

    def _affordable(self, numbers: Ints, sizes: Ints, count: int) -> Ints:
        """Which n-grams of each query are read: the rarest, as long as they do not occur in too many words."""
        kept = []
        for number in range(count):
            (own,) = np.nonzero(numbers == number)
            if sizes[own].sum() > self._most:
                own = own[np.argsort(sizes[own], kind="stable")]
                own = own[np.cumsum(sizes[own]) <= self._most]
            kept.append(own)
        return np.concatenate(kept)

    def similarities(self, query: Doubles, rows: AnyInts) -> Floats:
        """The similarity of the query to the names in ``rows``, in [0, 1]."""
        return self._similarities(query[None], rows, np.array([0, len(rows)]))

    def name_lengths(self, rows: Ints) -> Floats:
        """The lengths of the vectors of the names in ``rows``."""
        return self._lengths.take(rows)

    def nearest(self, query: Doubles, k: int, wanted: Mask | None = None) -> Nearest:
        """The ``k`` names of highest similarity, of those above 0.05.

        ``wanted`` is a bitmap of the names to search. If words that share an n-gram with the query occur in names more
        than 30,000 times, only the words that share most bring names, and the best of these are scored by all of their
        words: on 151,000 names 98% of the first ten answers equalled those of a full search.
        """
        (found,) = self.nearest_to_each(query[None], k, wanted)
        return nearest_of(*found, k)

    def nearest_to_each(
        self, shares: Doubles, k: int, wanted: Mask | None = None, leasts: Sequence[float] | None = None
    ) -> list[Nearest]:
        """The `nearest` names of each of the `queries`, in any order.

        Names of a lower similarity than a query's own in ``leasts`` may be missing, which saves the time for them.
        """
        budget = _MOST_NAMES
        if wanted is None and len(self._names) <= _FEW_IN_ALL:
            return self._rescored(shares, [np.arange(len(self._names))] * len(shares), k, leasts)
        if wanted is not None:
            count = np.count_nonzero(wanted)
            if count <= _FEW:
                return self._rescored(shares, [np.flatnonzero(wanted)] * len(shares), k, leasts)
            budget = budget * len(wanted) // int(count)
        return self._rescored(shares, [self._brought(own, k, budget, wanted) for own in shares], k, leasts)

    def _brought(self, shares: Doubles, k: int, budget: int, wanted: Mask | None) -> Ints:
        """Names that may be among the ``k`` nearest of a query, by the words that share n-grams with it."""
        (most,) = (shares > _LEAST_SHARE * shares.max(initial=0)).nonzero()
        sizes = self._counts.take(most)
        if sizes.sum() <= budget:  # with the words that share less there may be more
            (words,) = (shares > 0).nonzero()
            has_more = self._counts.take(words).sum() > budget
        else:
            words, has_more = most, True
        if has_more:
            own = shares.take(most)
            order = (-own / self._damped.take(most)).argsort(kind="stable")  # rare words tell more
            words = most.take(order[sizes.take(order).cumsum() <= budget])
        own = shares.take(words)
        rows, parts = self._postings.valued(words, own)
        if wanted is not None:
            kept = wanted[rows]
            rows, parts = rows[kept], parts[kept]
        found, sums = summed(rows, parts, len(self._names), self._zeros)
        return nearest_in_any_order(found, (sums / self._lengths.take(found)).astype(np.float32), _RESCORED * k).rows

    def _rescored(self, shares: Doubles, rows: Sequence[Ints], k: int, leasts: Sequence[float] | None) -> list[Nearest]:
        """The ``k`` nearest among the names in ``rows`` of each query, those that reach its own of ``leasts``."""
        every = np.concatenate(rows)
        edges = boundaries(np.array([*map(len, rows)]))
        similarities = self._similarities(shares, every, edges)
        found = []
        for least, start, stop in zip(leasts or repeat(0.0), edges.tolist(), edges[1:].tolist(), strict=False):
            own = similarities[start:stop]
            (near,) = ((own > _LEAST_SIMILARITY) & (own >= least)).nonzero()
            found.append(nearest_in_any_order(every[start:stop].take(near), own.take(near), k))
        return found

    def _similarities(self, shares: Doubles, rows: AnyInts, edges: Ints) -> Floats:
        """The similarity of names to their queries; ``edges`` are where those of each query begin, and the end."""
        if not len(rows):
            return np.empty(0, dtype=np.float32)
        first = self._names.word_bounds.take(rows)
        sizes = self._names.word_bounds[1:].take(rows) - first
        words = self._names.words.take(spread(first, sizes, len(self._names.words)))
        bounds = boundaries(sizes)
        if len(shares) > 1:
            words = words + (np.arange(len(shares)) * shares.shape[1]).repeat(np.diff(bounds[edges]))
        sums = np.add.reduceat(shares.ravel().take(words), bounds[:-1])
        return np.minimum(sums / self._lengths.take(rows), 1).astype(np.float32)
