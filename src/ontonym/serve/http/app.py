"""The starlette application: thin handlers that check, call an operation, and put what it gives on the wire."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from ontonym.errors import InputError, LockedError, MissingExtraError, UnknownIdError
from ontonym.jsonbytes import json_bytes
from ontonym.serve.api.openapi import openapi_description
from ontonym.serve.api.operations import BASE, OPERATIONS, ApiOperation
from ontonym.serve.api.parameters import from_body, from_query
from ontonym.serve.fhir.routes import fhir_routes
from ontonym.serve.http.guard import Guard
from ontonym.serve.http.keys import Doorkeeper
from ontonym.serve.http.metrics import CONTENT_TYPE, ServerMetrics
from ontonym.serve.http.settings import ServerOptions
from ontonym.serve.library import ServedLibrary

PAGE = Path(__file__).parent.parent / "page"
"""The web page's files."""

_LOG = logging.getLogger("ontonym.serve")
_PATHS = frozenset(BASE + one.path for one in OPERATIONS) | {f"{BASE}/openapi.json"}
_FHIR = ("r4", "r5", "fhir")

Handler = Callable[[Request], Awaitable[Response]]


class RefusedRequest(Exception):
    """A request that is not answered, with its HTTP status and headers."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


class Searches:
    """A bounded thread pool: at most ``threads`` searches run at once, and a bounded number of requests wait."""

    def __init__(self, options: ServerOptions, metrics: ServerMetrics) -> None:
        self._pool = ThreadPoolExecutor(options.threads, "ontonym-search")
        self._most = options.threads * (1 + options.waiting)
        self._metrics = metrics
        self._taken = 0

    async def run(self, call: Callable[[], Any]) -> Any:
        """What a call gives; RefusedRequest where too many wait already."""
        if self._taken >= self._most:
            raise RefusedRequest(503, "the server is busy: try again in a second", {"Retry-After": "1"})
        self._count(1)
        future = self._pool.submit(call)
        loop = asyncio.get_running_loop()
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._count, -1))
        return await asyncio.wrap_future(future)

    def _count(self, more: int) -> None:
        """Counts what the pool has to do: a search that nobody waits for any more still takes its thread."""
        self._taken += more
        self._metrics.running.set(self._taken)

    def close(self) -> None:
        """Waits for the searches that run."""
        self._pool.shutdown(wait=True, cancel_futures=True)


class Server:
    """What the handlers share."""

    def __init__(self, library: ServedLibrary, options: ServerOptions) -> None:
        self.library = library
        self.options = options
        self.doorkeeper = Doorkeeper(options)
        self.metrics = ServerMetrics()
        self.searches = Searches(options, self.metrics)

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Watches for replaced artifacts until the server stops; then what runs is finished and all is closed."""
        self.library.watch()
        yield
        self.searches.close()
        self.library.close()

    async def who(self, request: Request, *, writing: bool = False) -> str:
        """The name of who asks, empty where none is needed; RefusedRequest without a key that is needed."""
        if writing and not self.doorkeeper.writable:
            raise RefusedRequest(403, "this writes, and the server was started without keys")
        given = request.headers.get("authorization", "")
        if not given and not writing and not self.doorkeeper.closed:
            return ""
        holder = await asyncio.to_thread(self.doorkeeper.holder, given, writing=writing) if given else None
        if holder is None:
            raise RefusedRequest(401, "this needs a key that is known here", {"WWW-Authenticate": "Bearer"})
        return holder

    async def may_read(self, request: Request) -> bool:
        """Whether a request of the FHIR server has the key that reading needs here."""
        try:
            await self.who(request)
        except RefusedRequest:
            return False
        return True

    async def given(self, request: Request, operation: ApiOperation) -> dict[str, Any]:
        """The checked values of an operation's parameters."""
        if request.method != "POST":
            return from_query(operation.parameters, request.query_params.multi_items())
        if request.query_params:
            raise InputError("with POST the parameters belong into the body, not into the query string")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise RefusedRequest(415, "the body is not application/json")
        try:
            body = orjson.loads(await self._body(request))
        except orjson.JSONDecodeError as error:
            raise InputError(f"the body is no JSON: {str(error)[:100]}") from None
        return from_body(operation.parameters, body)

    async def _body(self, request: Request) -> bytes:
        """The body; RefusedRequest as soon as it is too long."""
        parts, length, most = [], 0, self.options.longest_body
        async for part in request.stream():
            length += len(part)
            if length > most:
                raise RefusedRequest(413, f"the body has more than {most:,} bytes", {"Connection": "close"})
            parts.append(part)
        return b"".join(parts)

    def called(self, operation: ApiOperation, given: Mapping[str, Any]) -> bytes:
        """The answer of an operation as JSON, of one generation."""
        with self.library.pinned() as opened:
            found = json_bytes(operation.answer(opened, given))
        if operation.writes:
            self.library.refresh()
        return found


def make_app(library: ServedLibrary, options: ServerOptions) -> ASGIApp:
    """The application over what a library has opened."""
    server = Server(library, options)
    described = json_bytes(openapi_description())
    routes: list[BaseRoute] = [
        Route(BASE + one.path, _endpoint(one, server), methods=list(one.methods)) for one in OPERATIONS
    ]
    routes += [
        Route(f"{BASE}/openapi.json", _constant(described)),
        Route("/health", _constant(b'{"status": "ok"}')),
        Route("/ready", _ready(server)),
        Route("/metrics", _metrics(server)),
    ]
    routes.extend(fhir_routes(library, resources=options.resources, admits=server.may_read))
    if PAGE.is_dir():
        routes.append(Mount("/", StaticFiles(directory=PAGE, html=True)))
    handlers: dict[Any, Callable[..., Any]] = {404: _no_path, 405: _no_method, Exception: _ours}
    layers = []
    if options.origins:
        layers.append(
            Middleware(
                CORSMiddleware,
                allow_origins=options.origins,
                allow_methods=["GET", "POST"],
                allow_headers=["Authorization", "Content-Type"],
                max_age=600,
            )
        )
    inner = Starlette(routes=routes, lifespan=server.lifespan, exception_handlers=handlers, middleware=layers)
    return Guard(inner, options, server.metrics, _label)


def _label(path: str) -> str:
    """The name under which a path is counted: never one that whoever asks can choose."""
    if path in _PATHS:
        return path
    first = path.split("/")[1]
    return f"/{first}" if first in _FHIR else "other" if first == BASE.strip("/") else "page"


# Handlers ---------------------------------------------------------------------------------------------------------


def json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as JSON."""
    return Response(json_bytes(value), status, dict(headers or {}), "application/json")


def status_of(error: InputError) -> int:
    """The HTTP status for an error of the user's."""
    if isinstance(error, UnknownIdError):
        return 404
    if isinstance(error, LockedError):
        return 409
    return 501 if isinstance(error, MissingExtraError) else 400


def _endpoint(operation: ApiOperation, server: Server) -> Handler:
    async def answer(request: Request) -> Response:
        try:
            who = await server.who(request, writing=operation.writes)
            given = await server.given(request, operation) | {"who": who}
            if operation.quick:
                return Response(server.called(operation, given), media_type="application/json")
            found = await server.searches.run(lambda: server.called(operation, given))
            return Response(found, media_type="application/json")
        except RefusedRequest as error:
            return json_response({"error": str(error)}, error.status, error.headers)
        except InputError as error:
            return json_response({"error": str(error)}, status_of(error))

    return answer


def _constant(body: bytes) -> Handler:
    async def answer(_: Request) -> Response:
        return Response(body, media_type="application/json")

    return answer


def _ready(server: Server) -> Handler:
    async def answer(_: Request) -> Response:
        library = server.library
        return json_response({"status": "ready", "generation": library.generation, "failure": library.failure})

    return answer


def _metrics(server: Server) -> Handler:
    async def answer(request: Request) -> Response:
        try:
            await server.who(request)
        except RefusedRequest as error:
            return json_response({"error": str(error)}, error.status, error.headers)
        server.metrics.generation.set(server.library.generation)
        server.metrics.failures.set(server.library.failures)
        return Response(server.metrics.text(), media_type=CONTENT_TYPE)

    return answer


async def _no_path(request: Request, _: Exception) -> Response:
    return json_response({"error": f"there is nothing at {request.url.path[:200]}: see {BASE}/openapi.json"}, 404)


async def _no_method(request: Request, error: Exception) -> Response:
    headers = getattr(error, "headers", None)
    return json_response({"error": f"{request.method} is not what {request.url.path[:200]} takes"}, 405, headers)


async def _ours(request: Request, error: Exception) -> Response:
    _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return json_response({"error": "this is a mistake of the server's; its log says more"}, 500)
