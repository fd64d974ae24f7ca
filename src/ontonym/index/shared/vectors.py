"""The dense signal over vectors that a database holds: what was read stays in memory, since a generation never changes.

Vectors are kept up to `_VECTORS` bytes, answers up to `ANSWERS`.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ontonym.arrays import Floats, Ints, Mask
from ontonym.encoder.protocol import Vectors
from ontonym.index.dense import DenseSignal
from ontonym.index.nearest import NOTHING_NEAR, Nearest, nearest_of

ANSWERS = 1 << 12
_VECTORS = 1 << 26
_LEAST = 1 << 14

Value = TypeVar("Value")


class RecentAnswers(Generic[Value]):
    """The last answers, by question."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[Hashable, Value] = OrderedDict()

    def get(self, question: Hashable) -> Value | None:
        """The answer to a question; None if it is not known."""
        with self._lock:
            if question in self._held:
                self._held.move_to_end(question)
            return self._held.get(question)

    def keep(self, question: Hashable, value: Value) -> None:
        """Keeps an answer, and forgets the oldest of too many."""
        with self._lock:
            self._held[question] = value
            while len(self._held) > ANSWERS:
                self._held.popitem(last=False)


class Int8Vectors(NamedTuple):
    """Vectors as an index stores them: int8 values, shape ``(names, dim)``, and a scale for each name."""

    ints: npt.NDArray[np.int8]
    scales: npt.NDArray[np.float32]

    def vectors(self) -> Vectors:
        """The vectors, of unit length except for rounding."""
        found: Vectors = self.ints.astype(np.float32) * self.scales[:, None]
        return found

    def cosines(self, query: Vectors) -> Floats:
        """Their cosines to a query vector, rounded as those of a folder are."""
        found: Floats = (self.ints.astype(np.float32) @ query) * self.scales
        return found


class NearestQuestion(NamedTuple):
    """What is asked of a database: the ``k`` names nearest to a query vector; ``wanted`` is a bitmap of names."""

    query: Vectors
    k: int
    wanted: Mask | None

    @property
    def key(self) -> Hashable:
        """What is the same for the same question."""
        return self.query.tobytes(), self.k, None if self.wanted is None else np.packbits(self.wanted).tobytes()


class SharedVectors(DenseSignal):
    """Searches the vectors of a database. `read`, `read_range` and `ask` are the database's own."""

    def __init__(self, names: int, dim: int) -> None:
        self.dim = dim
        self._answers: RecentAnswers[Nearest] = RecentAnswers()
        self._lock = threading.Lock()
        self._names, self._slots = names, min(max(_VECTORS // dim, _LEAST), names)
        self._forget()

    @abstractmethod
    def read(self, rows: Ints) -> Int8Vectors:
        """The vectors of names, whose rows ascend, from the database."""

    @abstractmethod
    def read_range(self, start: int, stop: int) -> Int8Vectors:
        """The vectors of consecutive names from the database."""

    @abstractmethod
    def ask(self, question: NearestQuestion) -> tuple[Ints, Int8Vectors]:
        """Name rows among which the nearest are, in any order, with their vectors."""

    # What a signal answers ----------------------------------------------------------------------------------------

    def vectors(self, rows: Ints | slice) -> Vectors:
        """See `DenseSignal`."""
        if isinstance(rows, slice):
            start, stop, _ = rows.indices(self._names)
            return self.read_range(start, stop).vectors()
        return self.int8(rows).vectors()

    def int8(self, rows: Ints) -> Int8Vectors:
        """The vectors of names as they are stored, from memory or else from the database."""
        found = self._held(rows)
        while found is None:
            missing = self.unread(np.unique(rows))
            if len(missing) > self._slots // 2:
                distinct, back = np.unique(rows, return_inverse=True)
                read = self.read(distinct)
                return Int8Vectors(read.ints[back], read.scales[back])
            if len(missing):
                self.remember(missing, self.read(missing))
            found = self._held(rows)
        return found

    def cosines(self, rows: Ints, query: Vectors) -> Floats:
        """See `DenseSignal`."""
        return self.int8(rows).cosines(query)

    def nearest_to_each(
        self, queries: Vectors, k: int, wanted: Mask | None = None, leasts: Sequence[float] | None = None
    ) -> list[Nearest]:
        """See `DenseSignal`; what was asked for before is known."""
        return [self.nearest(query, k, wanted) for query in queries]

    def nearest(self, query: Vectors, k: int, wanted: Mask | None = None) -> Nearest:
        """See `DenseSignal`; what the database found is compared exactly."""
        if not query.any():
            return NOTHING_NEAR
        question = NearestQuestion(query, k, wanted)
        found = self._answers.get(question.key)
        return self.keep(question, *self.ask(question)) if found is None else found

    def unknown(self, queries: Sequence[Vectors], k: int, wanted: Mask | None) -> list[NearestQuestion]:
        """The different questions for queries that were not answered yet."""
        asked = {one.key: one for one in (NearestQuestion(query, k, wanted) for query in queries if query.any())}
        return [question for key, question in asked.items() if self._answers.get(key) is None]

    def keep(self, question: NearestQuestion, rows: Ints, found: Int8Vectors) -> Nearest:
        """The answer to a question, given the names that the database found; it is kept, and their vectors are."""
        if len(rows):
            self.remember(rows, found)
        nearest = nearest_of(rows, found.cosines(question.query), question.k) if len(rows) else NOTHING_NEAR
        self._answers.keep(question.key, nearest)
        return nearest

    # The vectors in memory ----------------------------------------------------------------------------------------

    def _forget(self) -> None:
        self._place = np.full(self._names, -1, dtype=np.int32)
        self._kept = Int8Vectors(
            np.empty((self._slots, self.dim), dtype=np.int8), np.empty(self._slots, dtype=np.float32)
        )
        self._used = 0

    def unread(self, rows: Ints) -> Ints:
        """Those of different name rows whose vectors are not in memory."""
        with self._lock:
            unread: Ints = rows[self._place[rows] < 0]
            return unread

    def remember(self, rows: Ints, found: Int8Vectors) -> None:
        """Keeps the vectors of names, if there is room for all of them."""
        if len(rows) > self._slots:
            return
        with self._lock:
            new = self._place[rows] < 0
            count = int(np.count_nonzero(new))
            if self._used + count > self._slots:
                self._forget()
                new, count = np.ones(len(rows), dtype=np.bool_), len(rows)
            here = slice(self._used, self._used + count)
            self._kept.ints[here], self._kept.scales[here] = found.ints[new], found.scales[new]
            self._place[rows[new]] = np.arange(here.start, here.stop)
            self._used = here.stop

    def _held(self, rows: Ints) -> Int8Vectors | None:
        """The vectors of names; None if some are not in memory."""
        with self._lock:
            places = self._place[rows]
            if len(places) and places.min() < 0:
                return None
            return Int8Vectors(self._kept.ints[places], self._kept.scales[places])
