"""The bounded thread pool in which requests are answered, so that the event loop only passes bytes on."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect
from starlette.types import Receive

from ontonym.serve.http.metrics import ServerMetrics
from ontonym.serve.http.settings import ServerOptions
from ontonym.wanted import check_wanted, wanted_until

SWITCH = 0.0005
"""Seconds after which a thread that computes lets the event loop go on; with Python's 5 ms every request of others
would wait so long several times."""

PATIENCE = 0.2
"""Seconds after which it is watched whether a client is still there: most answers take less."""

Called = TypeVar("Called")


class RefusedRequest(Exception):
    """A request that is not answered, with its HTTP status and headers."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


class Searches:
    """A bounded thread pool: at most ``threads`` requests are answered at once, and a bounded number of them wait."""

    def __init__(self, options: ServerOptions, metrics: ServerMetrics) -> None:
        self._pool = ThreadPoolExecutor(options.threads, "ontonym-search")
        self._most = options.threads * (1 + options.waiting)
        self._metrics = metrics
        self._taken = 0
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH))

    async def run(self, call: Callable[[], Called], receive: Receive | None = None) -> Called:
        """What a call gives; it is given up where whoever awaits it is cancelled.

        ``receive`` is that of the request, of which the body was read: where the client goes away, the call is given up
        too. Raises RefusedRequest where too many wait already, ClientDisconnect where the client went away.
        """
        if self._taken >= self._most:
            raise RefusedRequest(503, "the server is busy: try again in a second", {"Retry-After": "1"})
        self._count(1)
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Called] = loop.create_future()

        def end(result: Any, error: BaseException | None) -> None:
            self._count(-1)
            if answered.done():  # nobody waits for it any longer
                return
            if error is None:
                answered.set_result(result)
            else:
                answered.set_exception(error)

        def work() -> None:
            result, error = None, None
            try:
                with wanted_until(answered.done):
                    check_wanted()
                    result = call()
            except BaseException as raised:
                error = raised
            with suppress(RuntimeError):  # the server stopped meanwhile
                loop.call_soon_threadsafe(end, result, error)

        self._pool.submit(work)
        with _watching(answered, receive):
            return await answered

    def _count(self, more: int) -> None:
        """Counts what the pool has to do: a search that nobody waits for any more still takes its thread."""
        self._taken += more
        self._metrics.running.set(self._taken)

    def close(self) -> None:
        """Waits for the searches that run."""
        self._pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _watching(answered: asyncio.Future[Any], receive: Receive | None) -> Iterator[None]:
    """Ends an answer that takes its time with ClientDisconnect as soon as its client has gone."""

    async def watch(receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        if not answered.done():
            answered.set_exception(ClientDisconnect())

    if receive is None:
        yield
        return
    watching: list[asyncio.Task[None]] = []
    loop = asyncio.get_running_loop()
    timer = loop.call_later(PATIENCE, lambda: watching.append(loop.create_task(watch(receive))))
    try:
        yield
    finally:
        timer.cancel()
        for one in watching:
            one.cancel()
