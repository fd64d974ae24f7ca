"""Distributes work on an index over processes, this one among them; results come in the order of the input.

Every process opens the index itself; its files are memory-mapped, so they are in memory only once.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.memo import collect_seldom

if TYPE_CHECKING:
    from concurrent.futures import Future

Given = TypeVar("Given")
Result = TypeVar("Result")

WAITING = 3
"""Pieces of work that are read ahead for each worker of a cluster."""

_GIVEN = 2
"""Pieces that each other process here has, with that which it works on: none should wait while another is idle."""

AHEAD = 12
"""Pieces, for each other process, that may be done before the one whose turn it is: about as many as are done in the
second in which a process starts.
"""


class Workers(Protocol):
    """What shares out work in place of processes of this machine, such as a cluster."""

    def results(
        self, index: Index, worker: Callable[[Index], Callable[[Given], Result]], given: Iterable[Given]
    ) -> Iterator[Result]:
        """The results of ``worker(index)`` for each of ``given``, in order, as a stream; what has to be picklable is as
        in `in_processes`.
        """
        ...


Jobs: TypeAlias = int | Workers
"""How many processes share the work, or who else does it."""


def bundled(given: Iterable[Given], weight: Callable[[Given], float], most: float) -> Iterator[list[Given]]:
    """What is given, in lists: each as soon as the weights of what is in it come to ``most``."""
    bundle: list[Given] = []
    total = 0.0
    for one in given:
        bundle.append(one)
        total += weight(one)
        if total >= most:
            yield bundle
            bundle, total = [], 0.0
    if bundle:
        yield bundle


class SameWork:
    """`Workers` that are this process, where all calls share what the first one made of its ``worker``: its caches."""

    def __init__(self) -> None:
        self._work: Callable[[Any], Any] | None = None

    def results(
        self, index: Index, worker: Callable[[Index], Callable[[Given], Result]], given: Iterable[Given]
    ) -> Iterator[Result]:
        """The results for each of ``given``; ``index`` and ``worker`` are the same in every call."""
        self._work = self._work or worker(index)
        return map(self._work, given)


def in_processes(
    index: Index, worker: Callable[[Index], Callable[[Given], Result]], given: Iterable[Given], jobs: Jobs
) -> Iterator[Result]:
    """The results of ``worker(index)`` for each of ``given``, in order, as a stream, by ``jobs`` processes or workers.

    ``worker`` is called in each process, and again if terms of the index were added or removed between two pieces of
    work. It must be picklable, as must the pieces of work and the results. This process is one of the ``jobs``, and
    works while the others start, of which there are no more than further pieces. For each of them up to `AHEAD` pieces
    are read ahead. Errors are raised here, each after the results before it, and all processes stop when the iterator
    is closed. Raises InputError if ``jobs`` is below 1.
    """
    if not isinstance(jobs, int):
        yield from jobs.results(index, worker, given)
        return
    if jobs < 1:
        raise InputError(f"{jobs} jobs were asked for, but at least one process must do the work")
    failed: list[Exception] = []
    pieces = _read(given, failed)
    first = list(islice(pieces, jobs))
    every, work = chain(first, pieces), _Work(index, worker)
    others = len(first) - 1
    yield from _shared_out(index, work, every, others) if others > 0 else map(work, every)
    for error in failed:
        raise error


def _read(given: Iterable[Given], failed: list[Exception]) -> Iterator[Given]:
    """The pieces of work up to an error in reading them, which goes into ``failed``."""
    try:
        yield from given
    except Exception as error:
        failed.append(error)


def _shared_out(index: Index, work: _Work[Given, Result], pieces: Iterator[Given], others: int) -> Iterator[Result]:
    """The results of all pieces of work, in order, by this process and so many others."""
    import multiprocessing  # who shares nothing out need not load it
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    waiting: deque[Future[Result]] = deque()
    pool = ProcessPoolExecutor(
        others, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(index.opened_as, work.worker)
    )
    try:
        for one in pieces:
            own: Future[Result] = Future()
            waiting.append(own)
            free = 1 + _GIVEN * others - sum(not future.done() for future in waiting)
            waiting.extend(pool.submit(_found, other) for other in islice(pieces, free))
            try:
                own.set_result(work(one))
            except Exception as error:  # raised when it is its turn
                own.set_exception(error)
            while waiting and (waiting[0].done() or len(waiting) > AHEAD * others):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise InputError(
            "a process that shared the work ended before it was done: it was killed, as where memory is used up, or "
            'the script that gives `jobs=` does so outside of `if __name__ == "__main__":`'
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


class _Work(Generic[Given, Result]):
    """Processes pieces of work one by one, each with the index as it is at that time."""

    def __init__(self, index: Index, worker: Callable[[Index], Callable[[Given], Result]]) -> None:
        self._index, self.worker = index, worker
        self._work = worker(index)
        self._is_first = True

    def __call__(self, given: Given) -> Result:
        index = self._index if self._is_first else self._index.refreshed()
        self._is_first = False
        if index is not self._index:
            self._index, self._work = index, self.worker(index)
        return self._work(given)


_state: dict[str, Any] = {}


def _begin(opened_as: Any, worker: Any) -> None:
    """Sets up a process; the first piece of work raises what goes wrong here."""
    import multiprocessing

    collect_seldom()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process ends this one
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _state.update(opened_as=opened_as, worker=worker)


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)  # killed: nobody waits for the results


def _found(given: Any) -> Any:
    if "work" not in _state:
        _state["work"] = _Work(_state["opened_as"].open(), _state["worker"])
    return _state["work"](given)
