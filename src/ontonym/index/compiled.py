"""Whether the hot loops of search run compiled: where numba is installed, and a process asks enough to pay for it.

To import numba and what it compiled takes half a second, and to compile it some seconds, once on a machine. Until then,
and without numba, numpy does the same, to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from threading import Lock

from ontonym.errors import ArtifactError, LockedError
from ontonym.files.user import cache_folder
from ontonym.replacing import lock

_LOOPS = ("evidence", "grams", "postings")
"""The modules of `ontonym.index.loops`."""

_ENOUGH = 2_000
"""Queries after which the loops are imported: in as many more they save what the import costs."""


class _Switch:
    """The state of this process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.is_on = False
        self.left = _ENOUGH if find_spec("numba") else -1
        """Queries to wait for; below 0 for ever."""

    def asked(self, queries: int) -> None:
        """See `asked`."""
        if self.left < 0:
            return
        self.left = max(self.left - queries, 0)
        if self.left == 0 and self._lock.acquire(blocking=False):
            try:
                self._load()
            finally:
                self._lock.release()

    def _load(self) -> None:
        """Imports the loops. While another process does, which may be compiling them, this one goes on without."""
        self.left = -1
        try:
            cache_folder().mkdir(parents=True, exist_ok=True)
            with lock(cache_folder() / "loops"):
                self.is_on = import_loops()
        except LockedError:
            self.left = _ENOUGH
        except (ArtifactError, OSError):  # no folder for a lock
            self.is_on = import_loops()


_switch = _Switch()


def import_loops() -> bool:
    """Imports all loops, compiled; whether that is possible here: numba may be of another numpy, or have no folder to
    keep what it compiles.
    """
    try:
        from numba import config

        if config.DISABLE_JIT:
            return False
        for name in _LOOPS:
            import_module(f"ontonym.index.loops.{name}")
    except (ImportError, RuntimeError, OSError):
        return False
    return True


def asked(queries: int) -> None:
    """Says that so many queries are searched for next; imports the loops where they have become worth it."""
    _switch.asked(queries)


def expected() -> None:
    """Says that many queries will come, as to a server: the loops are worth it at once."""
    _switch.asked(_ENOUGH)


def is_on() -> bool:
    """Whether the loops of `ontonym.index.loops` are imported and to be used."""
    return _switch.is_on


@contextmanager
def used(wanted: bool) -> Iterator[None]:
    """Loops are used, or numpy, whatever is worth it: to compare them. ImportError where there is no numba."""
    before, left = _switch.is_on, _switch.left
    if wanted and not import_loops():
        raise ImportError("numba")
    _switch.is_on, _switch.left = wanted, -1
    try:
        yield
    finally:
        _switch.is_on, _switch.left = before, left
