"""The routes of the FHIR server for a starlette application: ``/r5`` and ``/r4`` with everything below them, and
``/fhir``, where Accept says which version is wanted.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ontonym.index import Index
from ontonym.serve.fhir.engine import Engine, EngineMemory
from ontonym.serve.fhir.library import Shelf
from ontonym.serve.fhir.loading import load_resources
from ontonym.serve.fhir.terminologycodes import code_systems
from ontonym.serve.fhir.wire import MOST_BYTES, Asked, Sent, answer, refusal
from ontonym.store import Terminology

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
MOUNTS = {"/r5": "r5", "/r4": "r4", "/fhir": ""}


class Generation(Protocol):
    """What is opened while one request is answered."""

    @property
    def terminologies(self) -> Mapping[str, Terminology]:
        """The terminologies by name, those of the indexes among them."""
        ...

    @property
    def indexes(self) -> Mapping[str, Index]:
        """The indexes by name."""
        ...

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, made once for this generation."""
        ...


class Lender(Protocol):
    """Lends the present generation to a request, and keeps it open until the request ends."""

    def pinned(self) -> AbstractContextManager[Generation]:
        """The present generation."""
        ...


def terminology_shelf(terminologies: Iterable[Terminology], indexes: Iterable[Index] = ()) -> Shelf:
    """The shelf of terminologies as code systems; those that an index was made from are searched by meaning."""
    indexed = {one.fingerprint: (index, one) for index in reversed(list(indexes)) for one in index.terminologies}
    systems = []
    for terminology in terminologies:
        index, own = indexed.get(terminology.fingerprint, (None, terminology))
        systems.extend(code_systems(own, index))
    return Shelf(systems=systems)


class FhirServer:
    """Answers requests from what is opened at the time; caches and closure tables outlive a swap of indexes.

    ``resources`` are files, folders and packages of code systems, value sets and concept maps.
    """

    def __init__(self, lender: Lender, resources: Sequence[Path | str] = ()) -> None:
        self._lender = lender
        self._resources = Shelf(load_resources(resources))
        self._memory = EngineMemory()

    def answer(self, asked: Asked) -> Sent:
        """The answer to one request."""
        with self._lender.pinned() as opened:
            return answer(opened.once("fhir", lambda: self._engine(opened)), asked)

    def _engine(self, opened: Generation) -> Engine:
        shelf = terminology_shelf(opened.terminologies.values(), opened.indexes.values())
        return Engine([self._resources, shelf], memory=self._memory)


def fhir_routes(
    lender: Lender,
    *,
    resources: Sequence[Path | str] = (),
    most_bytes: int = MOST_BYTES,
    admits: Callable[[Request], Awaitable[bool]] | None = None,
) -> list[BaseRoute]:
    """The routes ``/r5``, ``/r4`` and ``/fhir``; answers are made in a thread.

    ``admits`` says whether a request may read; others get 401. Raises FormatError where one of ``resources`` cannot be
    read.
    """
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import Response
    from starlette.routing import Mount, Route

    server = FhirServer(lender, resources)

    def endpoint(mount: str, version: str) -> Callable[[Request], Any]:
        async def answered(request: Request) -> Response:
            if admits is not None and not await admits(request):
                sent = refusal(401, "login", "NO_KEY")
                return Response(sent.body, 401, {**sent.headers, "WWW-Authenticate": "Bearer"})
            parts: list[bytes] = []
            size = 0
            async for chunk in request.stream():
                parts.append(chunk)
                size += len(chunk)
                if size > most_bytes:
                    break
            asked = Asked(
                request.method,
                str(request.path_params.get("path", "")),
                list(request.query_params.multi_items()),
                {name.lower(): value for name, value in request.headers.items()},
                b"".join(parts),
                f"{request.url.scheme}://{request.url.netloc}{mount}",
                version,
                most_bytes,
            )
            sent = await run_in_threadpool(server.answer, asked)
            return Response(sent.body, sent.status, dict(sent.headers))

        return answered

    routes: list[BaseRoute] = []
    for mount, version in MOUNTS.items():
        answered = endpoint(mount, version)
        routes.append(Route(mount, answered, methods=list(METHODS)))
        routes.append(Mount(mount, routes=[Route("/{path:path}", answered, methods=list(METHODS))]))
    return routes
