"""Workers of a Dask cluster, which share out normalization, annotation, matching and encoding."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from numbers import Integral
from typing import Any, TypeAlias, TypeVar

from ontonym.distributed.reference import IndexReference, Openable, work_on
from ontonym.errors import InputError, WrongTypeError, needing
from ontonym.index import Index
from ontonym.tasks.jobs import WAITING, Given, Jobs, Result

Client: TypeAlias = Any
"""A ``distributed.Client``."""
_Tool = TypeVar("_Tool")

SCHEME = "dask://"
PATIENCE = 60.0
"""Seconds within which a first worker must have joined the cluster."""

_WHERE = "`dask`, which starts workers here, or `dask://HOST:PORT`, the scheduler of a cluster"


@contextmanager
def workers_on(on: Any = None, jobs: int = 1) -> Iterator[Jobs]:
    """What shares out the work that is to be done ``on`` a place: for None ``jobs`` processes of this machine.

    ``dask`` starts ``jobs`` workers of Dask here and stops them again, ``dask://HOST:PORT`` takes the workers of the
    scheduler there, and a ``distributed.Client`` those that it has. Raises InputError for another place, where no
    scheduler answers or no worker joins it, MissingExtraError without Dask.
    """
    if isinstance(jobs, bool) or not isinstance(jobs, Integral):
        raise WrongTypeError(jobs, "a whole number for `jobs=`")
    if on is None:
        yield int(jobs)
        return
    with ExitStack() as stack:
        yield DaskWorkers(_client(stack, on, jobs))


def _client(stack: ExitStack, on: Any, jobs: int) -> Client:
    if isinstance(on, str) and on != "dask" and not on.startswith(SCHEME):
        raise InputError(f"`on={on}`: give {_WHERE}")
    with needing("distributed", "dask", "work on a Dask cluster"):
        import distributed
    if isinstance(on, distributed.Client):
        return on
    if not isinstance(on, str):
        raise WrongTypeError(on, f"{_WHERE}, or a client of Dask,")
    stack.enter_context(_unlogged())
    quiet: dict[str, Any] = {"set_as_default": False}
    if on == "dask":
        cluster = stack.enter_context(
            distributed.LocalCluster(
                n_workers=jobs, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL
            )
        )
        return stack.enter_context(distributed.Client(cluster, **quiet))
    if jobs != 1:
        raise InputError(f"{on} has workers of its own: leave out `jobs=`")
    address = f"tcp://{on.removeprefix(SCHEME)}"
    try:
        return stack.enter_context(distributed.Client(address, timeout=PATIENCE / 2, **quiet))
    except (OSError, ValueError) as error:
        raise InputError(f"{on}: no scheduler of Dask answers there ({' '.join(str(error).split())[:200]})") from None


@contextmanager
def _unlogged() -> Iterator[None]:
    """Nothing that Dask logs is shown: an error of ours says in one line what its tracebacks say in fifty."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [one.level for one in loggers]
    for one in loggers:
        one.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for one, level in zip(loggers, levels, strict=True):
            one.setLevel(level)


class DaskWorkers:
    """`ontonym.tasks.jobs.Workers` of a Dask cluster; each opens for itself what it needs, at the same path."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def results(
        self, index: Index, worker: Callable[[Index], Callable[[Given], Result]], given: Iterable[Given]
    ) -> Iterator[Result]:
        """The results of ``worker(index)`` for each of ``given``, in order, as a stream; the index stays as it is now.

        What a worker that was killed had been given is done by another. Raises the errors of the workers, MismatchError
        where one finds another index, InputError where a piece of work ends one worker after another.
        """
        return self.shared(IndexReference.of(index), worker, given)

    def shared(
        self,
        reference: Openable[_Tool],
        worker: Callable[[_Tool], Callable[[Given], Result]],
        given: Iterable[Given],
    ) -> Iterator[Result]:
        """As `results`, for anything that has a reference."""
        from distributed import CancelledError, KilledWorker
        from distributed.comm.core import CommClosedError

        function = partial(work_on, reference, worker)
        waiting: deque[Any] = deque()
        try:
            room = WAITING * self._threads()
            for number, one in enumerate(given, 1):
                waiting.append(self.client.submit(function, one, pure=False))
                if len(waiting) >= room:
                    yield waiting.popleft().result()
                if number % room == 0:
                    room = WAITING * self._threads()
            while waiting:
                yield waiting.popleft().result()
        except KilledWorker as error:
            raise InputError(
                f"a piece of work ended one worker after another ({str(error).split('.')[0]}): give the workers more "
                "memory, or look into their logs"
            ) from None
        except (CancelledError, CommClosedError):
            raise InputError("the scheduler of Dask was lost: run the same again when it is back") from None
        finally:
            for future in waiting:
                future.release()

    def _threads(self) -> int:
        """The number of threads that all workers have now; waits for the first worker."""
        if not self.client.nthreads():
            try:
                self.client.wait_for_workers(1, timeout=PATIENCE)
            except TimeoutError:
                address = getattr(self.client.scheduler, "address", "the scheduler")
                raise InputError(
                    f"no worker joined {address} within {PATIENCE:g} seconds: start `dask worker`"
                ) from None
        return sum(self.client.nthreads().values()) or 1
