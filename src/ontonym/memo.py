"""What was computed is kept for the next time, up to a number of values."""

from __future__ import annotations

import atexit
import gc
import pickle
import sys
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, wraps
from typing import Generic, TypeVar
from weakref import ReferenceType, ref

_Owner = TypeVar("_Owner")
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


_NEW_OBJECTS = 50_000
_COUNTING = frozenset({"duckdb", "onnx"})
"""Libraries that count their objects when a process ends, and complain on the terminal of those that are left."""


def collect_seldom() -> None:
    """For a process of our own: Python seldom looks for objects in cycles, and not at all when the process ends. There
    are hardly any, and it would go through all that is kept time and again: that takes a tenth of the time of many
    searches, and a tenth of that of a command with a single one.
    """
    gc.set_threshold(_NEW_OBJECTS)
    atexit.unregister(_leave_cycles)
    atexit.register(_leave_cycles)


def _leave_cycles() -> None:
    if _COUNTING.isdisjoint(sys.modules):
        gc.freeze()


class Memo(dict[_Key, _Value], Generic[_Key, _Value]):
    """The values of a function by its argument: ``memo[key]`` computes what is not kept yet.

    Once ``most`` values are kept, all are dropped before the next one, so that memory does not grow with what is asked
    for. Threads may share it; at worst a value is computed twice.
    """

    def __init__(self, compute: Callable[[_Key], _Value], most: int) -> None:
        super().__init__()
        self._compute, self._most = compute, most

    def __missing__(self, key: _Key) -> _Value:
        value = self._compute(key)
        if len(self) >= self._most:
            self.clear()
        self[key] = value
        return value


class MemoOfMany(Generic[_Key, _Value]):
    """As `Memo`, for a function of several arguments that takes less time for them together; threads may share it."""

    def __init__(self, compute: Callable[[list[_Key]], Iterable[_Value]], most: int) -> None:
        self._compute, self._most = compute, most
        self._known: dict[_Key, _Value] = {}

    def of(self, keys: Sequence[_Key]) -> list[_Value]:
        """The values of some arguments; what is not kept yet is computed together."""
        known = self._known
        try:
            return [known[key] for key in keys]
        except KeyError:
            pass  # seldom
        missing = [key for key in dict.fromkeys(keys) if key not in known]
        if missing:
            if len(known) + len(missing) > self._most:
                known = self._known = {}  # another thread may still read the values that are dropped
                missing = list(dict.fromkeys(keys))
            known.update(zip(missing, self._compute(missing), strict=True))
        return [known[key] for key in keys]


class PackedValues(Generic[_Key, _Value]):
    """Values kept compressed, so that far more of them have room; those used last, up to ``most`` bytes of them."""

    def __init__(self, most: int) -> None:
        self._most, self._size = most, 0
        self._values: dict[_Key, bytes] = {}

    def __contains__(self, key: _Key) -> bool:
        return key in self._values

    def keep(self, key: _Key, value: _Value) -> None:
        """Keeps a value, which has to be picklable, unless there is one."""
        if key in self._values:
            return
        self._values[key] = packed = zlib.compress(pickle.dumps(value, pickle.HIGHEST_PROTOCOL), 1)
        self._size += len(packed)
        while self._size > self._most:
            self._size -= len(self._values.pop(next(iter(self._values))))

    def get(self, key: _Key) -> _Value | None:
        """A value as it was, or None for one that is not kept."""
        packed = self._values.pop(key, None)
        if packed is None:
            return None
        self._values[key] = packed  # the last one that is dropped
        value: _Value = pickle.loads(zlib.decompress(packed))  # noqa: S301 (pickled by this process)
        return value


def kept_for_owner(
    most: int,
) -> Callable[[Callable[[_Owner, _Key], _Value]], Callable[[_Owner, _Key], _Value]]:
    """Keeps the last ``most`` values of a function of an owner and a key; no owner is held open by it."""

    def decorated(function: Callable[[_Owner, _Key], _Value]) -> Callable[[_Owner, _Key], _Value]:
        @lru_cache(maxsize=most)
        def kept(owner: ReferenceType[_Owner], key: _Key) -> _Value:
            held = owner()
            assert held is not None  # noqa: S101 (for mypy; the caller has it)
            return function(held, key)

        @wraps(function)
        def called(owner: _Owner, key: _Key) -> _Value:
            return kept(ref(owner), key)

        return called

    return decorated
