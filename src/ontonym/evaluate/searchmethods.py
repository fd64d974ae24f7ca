"""Search methods for comparisons, all over the same names: BM25, character TF-IDF, encoders, and ontonym's indexes.

Ngo, "Models for Comparison". The plain ones use the usual libraries (extra ``eval``) and score every name exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Floats, Ints
from ontonym.encoder.protocol import Encoder
from ontonym.errors import InputError, needing
from ontonym.evaluate.questions import Target
from ontonym.evaluate.retrieval import Answers
from ontonym.index import Index
from ontonym.tasks import SearchOptions, search_many
from ontonym.tasks.rerank import Reranking
from ontonym.text.normalization import tokens
from ontonym.types import Progress

_BLOCK = 1 << 14
_CELLS = 1 << 26
"""The number of similarities in memory at once."""
_AT_ONCE = 256
_ENCODED = 2048
"""The number of names encoded between two writes of the file."""
_K1, _B = 1.2, 0.75
"""The constants of Elasticsearch."""


Rewrite = Callable[[str], str]
"""What is done to every name and every text before it is compared."""


def without_stop_words(text: str) -> str:
    """The text without Lucene's 33 English stop words, as Ngo's baselines index and search it; itself if it has no
    other words. Raises MissingExtraError without the extra ``eval``.
    """
    with needing("bm25s", "eval", "a list of stop words"):
        from bm25s.stopwords import STOPWORDS_EN
    kept = " ".join(word for word in text.split() if word.strip(",;:.()").lower() not in STOPWORDS_EN)
    return kept or text


class Ranker(Protocol):
    """Finds the concepts nearest to texts."""

    def search(self, texts: Sequence[str], k: int, progress: Progress) -> list[Answers]:
        """The ``k`` nearest concepts of each text, best first, with similarities; fewer if no more are similar."""
        ...


class SearchedNames:
    """The active names of the active concepts of a target, concept by concept, read in blocks to save memory.

    InputError for a target that has none.
    """

    def __init__(self, target: Target) -> None:
        self._parts: list[tuple[Any, Ints]] = []
        owners: list[Ints] = []
        self._firsts = [0]
        for terminology, belongs in zip(target.terminologies, target.branch, strict=True):
            concepts = np.asarray(terminology.term_concepts(), dtype=np.int64)
            searched = terminology.term_statuses().among(("active",)) & (terminology.active & belongs)[concepts]
            rows = np.flatnonzero(searched)
            self._parts.append((terminology, rows))
            owners.append(concepts[rows] + self._firsts[-1])
            self._firsts.append(self._firsts[-1] + len(terminology))
        self._terminologies = target.terminologies
        concepts = np.concatenate([np.zeros(0, dtype=np.int64), *owners])
        self.concepts, self.starts = np.unique(concepts, return_index=True)
        self._count = len(concepts)
        if not self._count:
            raise InputError(f"{target.releases}: no active name, so nothing can be found there")

    def __len__(self) -> int:
        return self._count

    def blocks(self) -> Iterator[list[str]]:
        """The names in order, in blocks of some thousands."""
        for terminology, rows in self._parts:
            texts = terminology.term_texts()
            for start in range(0, len(rows), _BLOCK):
                yield texts.take(rows[start : start + _BLOCK])

    def __iter__(self) -> Iterator[str]:
        for block in self.blocks():
            yield from block

    def documents(self) -> Iterator[str]:
        """All names of each concept as one text."""
        bounds = iter([*self.starts[1:].tolist(), self._count])
        end, held = next(bounds, 0), []
        for number, name in enumerate(self, 1):
            held.append(name)
            if number == end:
                yield " ".join(held)
                end, held = next(bounds, 0), []

    def id(self, place: int) -> str:
        """The id of the concept at a position of `concepts`."""
        concept = int(self.concepts[place])
        part = int(np.searchsorted(self._firsts, concept, side="right")) - 1
        return self._terminologies[part].id(concept - self._firsts[part])

    def best(self, similarities: npt.NDArray[Any], k: int) -> list[Answers]:
        """The nearest concepts by their nearest names; ``similarities`` has shape ``(texts, names)``.

        Ties are in the order of the concepts. Similarities of 0 or less are left out.
        """
        return self.nearest(np.maximum.reduceat(similarities, self.starts, axis=1), k)

    def nearest(self, similarities: npt.NDArray[Any], k: int) -> list[Answers]:
        """The same as `best`, with one similarity for each concept."""
        k = min(k, similarities.shape[1])
        found = []
        for row in similarities:
            least = np.partition(row, -k)[-k]
            held = np.flatnonzero(row >= max(least, np.finfo(np.float32).tiny))
            order = held[np.argsort(-row[held], kind="stable")][:k]
            found.append(tuple((self.id(place), float(row[place])) for place in order.tolist()))
        return found


def _blocks(texts: Sequence[str], width: int, stage: str, progress: Progress) -> Iterator[Sequence[str]]:
    """Batches of texts whose similarities to all names fit in memory."""
    size = max(1, _CELLS // max(width, 1))
    for start in range(0, len(texts), size):
        yield texts[start : start + size]
        progress(stage, min(start + size, len(texts)), len(texts))


class BM25Ranker:
    """BM25 with Elasticsearch's weights, over every name, or over documents of all names of a concept (Ngo)."""

    def __init__(self, names: SearchedNames, *, documents: bool, rewrite: Rewrite = str) -> None:
        with needing("bm25s", "eval", "BM25"):
            import bm25s
        self._names, self._documents, self._rewrite = names, documents, rewrite
        self._vocabulary: dict[str, int] = {}
        corpus = [self._numbers(text) for text in (names.documents() if documents else names)]
        self._index = bm25s.BM25(method="lucene", k1=_K1, b=_B)
        self._index.index((corpus, self._vocabulary), create_empty_token=False, show_progress=False)

    def _numbers(self, text: str) -> list[int]:
        words = tokens(self._rewrite(text))
        return [self._vocabulary.setdefault(word, len(self._vocabulary)) for word in words]

    def search(self, texts: Sequence[str], k: int, progress: Progress) -> list[Answers]:
        """See `Ranker`."""
        width = len(self._names.concepts) if self._documents else len(self._names)
        find = self._names.nearest if self._documents else self._names.best
        found: list[Answers] = []
        for some in _blocks(texts, width, "BM25", progress):
            scores = np.zeros((len(some), width), dtype=np.float32)
            for row, text in enumerate(some):
                words = tokens(self._rewrite(text))
                known = [self._vocabulary[word] for word in words if word in self._vocabulary]
                if known:
                    scores[row] = self._index.get_scores_from_ids(known)
            found += find(scores, k)
        return found


class CharRanker:
    """The cosine of TF-IDF weights of 1 to 5 characters within words (Rahimi's TFIDF-char; scikit-learn)."""

    def __init__(self, names: SearchedNames, rewrite: Rewrite = str) -> None:
        with needing("scikit-learn", "eval", "TF-IDF of characters"):
            from sklearn.feature_extraction.text import TfidfVectorizer
        self._names, self._rewrite = names, rewrite
        self._weights = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 5), dtype=np.float32)
        self._table = self._weights.fit_transform(map(rewrite, names)).T.tocsr()

    def search(self, texts: Sequence[str], k: int, progress: Progress) -> list[Answers]:
        """See `Ranker`."""
        found: list[Answers] = []
        for some in _blocks(texts, len(self._names), "characters", progress):
            found += self._names.best((self._weights.transform(map(self._rewrite, some)) @ self._table).toarray(), k)
        return found


class EncoderRanker:
    """The cosine of an encoder's vectors; a concept is as near as its nearest name.

    The vectors of the names are written to ``file`` as they are computed, so that an interrupted run can continue.
    """

    def __init__(self, names: SearchedNames, encoder: Encoder, file: Path, rewrite: Rewrite = str) -> None:
        self._names, self._encoder, self._file, self._rewrite = names, encoder, file, rewrite

    def search(self, texts: Sequence[str], k: int, progress: Progress) -> list[Answers]:
        """See `Ranker`."""
        self._encode(progress)
        vectors = self._vectors
        found: list[Answers] = []
        for some in _blocks(texts, len(self._names), "meaning", progress):
            found += self._names.best(self._encoder.encode([*map(self._rewrite, some)]) @ vectors.T, k)
        return found

    @cached_property
    def _vectors(self) -> Floats:
        return np.memmap(self._file, dtype=np.float32, mode="r", shape=(len(self._names), self._encoder.dim))

    def _encode(self, progress: Progress) -> None:
        """Encodes the names that are not in the file yet."""
        row = 4 * self._encoder.dim
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("ab") as stream:
            done = stream.tell() // row
            stream.truncate(done * row)
            passed = 0
            for block in self._names.blocks() if done < len(self._names) else ():
                passed += len(block)
                new = block[max(0, len(block) - (passed - done)) :] if passed > done else []
                for start in range(0, len(new), _ENCODED):
                    some = [*map(self._rewrite, new[start : start + _ENCODED])]
                    stream.write(np.ascontiguousarray(self._encoder.encode(some), dtype=np.float32).tobytes())
                    stream.flush()
                    done += len(some)
                    progress("encoding names", done, len(self._names))


class IndexRanker:
    """An ontonym index, searched as ``options`` say but for the number of hits, with an optional second stage."""

    def __init__(self, index: Index, options: SearchOptions, second: Reranking | None = None) -> None:
        self._index, self._options, self._second = index, options, second

    def search(self, texts: Sequence[str], k: int, progress: Progress) -> list[Answers]:
        """See `Ranker`."""
        options = replace(self._options, k=k)
        found: list[Answers] = []
        for start in range(0, len(texts), _AT_ONCE):
            some = texts[start : start + _AT_ONCE]
            answers = search_many(self._index, some, options, self._second)
            found += [tuple((hit.id, hit.confidence) for hit in hits) for hits in answers]
            progress("searching", len(found), len(texts))
        return found
