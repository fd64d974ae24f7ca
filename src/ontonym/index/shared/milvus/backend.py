"""The backend of an index in Milvus: the vectors are searched there; words and names are read from the copied files."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from ontonym.arrays import Floats, Ints, Mask
from ontonym.index.dense import DenseSignal
from ontonym.index.inverted import Postings
from ontonym.index.names import Forms
from ontonym.index.nearest import nearest_of
from ontonym.index.part import Files
from ontonym.index.query import Query
from ontonym.index.shared.milvus.client import Milvus
from ontonym.index.shared.milvus.collections import int8_of
from ontonym.index.shared.milvus.pulling import write_vectors
from ontonym.index.shared.storage import State, Storage
from ontonym.index.shared.vectors import Int8Vectors, NearestQuestion, SharedVectors
from ontonym.index.signcodes import SignCodes, candidates_for
from ontonym.store.columns import load_numbers
from ontonym.types import Progress

_MOST = 16_384  # names that one question of Milvus gives
_AT_ONCE = 1 << 13
_TOGETHER = 16  # queries in one question


class MilvusBackend:
    """The vectors of a generation as a collection; see `ontonym.index.part.Backend`."""

    def __init__(self, storage: Storage, server: Milvus, state: State, collection: str, dim: int) -> None:
        self.storage, self.state = storage, state
        self._server, self._collection, self._dim = server, collection, dim
        self._files = Files()

    def forms(self, folder: Path, names: int) -> Forms:
        """See `Backend`."""
        return self._files.forms(folder, names)

    def postings(self, folder: Path, words: int, names: int) -> Postings:
        """See `Backend`."""
        return self._files.postings(folder, words, names)

    def dense(self, folder: Path, names: int) -> DenseSignal:
        """See `Backend`."""
        self._vectors = MilvusVectors(self._server, self._collection, folder, names, self._dim)
        return self._vectors

    def prepare(self, queries: Sequence[Query], signals: Collection[str], k: int, wanted: Mask | None) -> None:
        """See `Backend`: the names nearest by meaning, for all queries in one question."""
        if "dense" in signals and wanted is None:
            self._vectors.ask_together(self._vectors.unknown([query.vector for query in queries], k, wanted))

    def write_tables(self, folder: Path, names: int, progress: Progress | None) -> None:
        """See `ontonym.index.shared.storage.SharedBackend`."""
        write_vectors(self._server, self._collection, folder, names, self._dim, progress)

    def close(self) -> None:
        """See `Backend`: closes the connection."""
        self.storage.close()


class MilvusVectors(SharedVectors):
    """Searches the vectors of a collection by an exact scan of their sign codes, as a folder does.

    Milvus scans the codes of all names. It knows no bitmaps, and is slow where many rows are named: with a filter, the
    copied codes are scanned here, and the vectors of the nearest are asked for.
    """

    def __init__(self, server: Milvus, collection: str, folder: Path, names: int, dim: int) -> None:
        self._server, self._collection = server, collection
        self._codes = SignCodes(load_numbers(folder, "dense_sign", np.uint8, -(-dim // 8), count=names))
        super().__init__(names, dim)

    def read(self, rows: Ints) -> Int8Vectors:
        """See `SharedVectors`."""
        parts = []
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            parts.append(self._in_order(f"row in {some.tolist()}", some))
        return _joined(parts, self.dim)

    def read_range(self, start: int, stop: int) -> Int8Vectors:
        """See `SharedVectors`."""
        parts = []
        for first in range(start, stop, _AT_ONCE):
            last = min(first + _AT_ONCE, stop)
            parts.append(self._in_order(f"{first} <= row and row < {last}", np.arange(first, last)))
        return _joined(parts, self.dim)

    def _in_order(self, condition: str, rows: Ints) -> Int8Vectors:
        for now in (False, True):
            found = self._server.rows(self._collection, condition, ["row", "vector"], now=now)
            if len(found) == len(rows):
                break
        else:
            raise ValueError(f"{len(rows) - len(found)} of {len(rows)} vectors are missing")
        found.sort(key=lambda entity: int(entity["row"]))
        return int8_of([entity["vector"] for entity in found], self.dim)

    def ask(self, question: NearestQuestion) -> tuple[Ints, Int8Vectors]:
        """See `SharedVectors`."""
        if question.wanted is None:
            return self._search([question])[0]
        _, rows = self._codes.nearest(question.query, question.k, question.wanted)
        return rows, self.int8(rows)

    def ask_together(self, questions: Sequence[NearestQuestion]) -> None:
        """KeptAnswers several questions without a filter and of one ``k``."""
        for start in range(0, len(questions), _TOGETHER):
            some = questions[start : start + _TOGETHER]
            for question, (rows, found) in zip(some, self._search(some), strict=True):
                self.keep(question, rows, found)

    def _search(self, questions: Sequence[NearestQuestion]) -> list[tuple[Ints, Int8Vectors]]:
        """For each question the names nearest of those whose sign codes differ least, with their vectors."""
        k = questions[0].k
        hits = self._server.call(
            "search",
            self._server.collection(self._collection),
            [np.packbits(question.query > 0).tobytes() for question in questions],
            limit=min(_limit(k), self._names, _MOST),
            output_fields=["vector"],
            search_params={"metric_type": "HAMMING", "params": {}},
            consistency_level="Bounded",
        )
        answers = []
        for question, found in zip(questions, hits, strict=True):
            texts = {row: hit["entity"]["vector"] for row, hit in zip(found.ids, found, strict=True)}
            rows = _first(np.array(found.ids, dtype=np.int64), np.array(found.distances), k)
            vectors = int8_of([texts[row] for row in rows.tolist()], self.dim)
            near = nearest_of(np.arange(len(rows)), vectors.cosines(question.query), k).rows
            answers.append((rows[near], Int8Vectors(vectors.ints[near], vectors.scales[near])))
        return answers


def _limit(k: int) -> int:
    """How many names are asked for: more than are compared, since of equally distant ones Milvus gives any."""
    return candidates_for(k) * 3 // 2


def _first(rows: Ints, distances: Floats, k: int) -> Ints:
    """The names that are compared, as in a folder: of equally distant ones those of lower row."""
    return rows[np.lexsort((rows, distances))[: candidates_for(k)]]


def _joined(parts: Sequence[Int8Vectors], dim: int) -> Int8Vectors:
    if not parts:
        return Int8Vectors(np.empty((0, dim), dtype=np.int8), np.empty(0, dtype=np.float32))
    return Int8Vectors(np.concatenate([one.ints for one in parts]), np.concatenate([one.scales for one in parts]))
