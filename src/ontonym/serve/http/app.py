"""The starlette application: thin handlers that check, call an operation, and put what it gives on the wire."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from ontonym.errors import InputError, LockedError, MissingExtraError, UnknownIdError
from ontonym.jsonbytes import json_bytes
from ontonym.replacing import DISK_FULL
from ontonym.serve.api.openapi import openapi_description
from ontonym.serve.api.operations import BASE, OPERATIONS, ApiOperation
from ontonym.serve.api.parameters import from_body, from_query
from ontonym.serve.fhir.engine import asked_for
from ontonym.serve.fhir.routes import CLIENT_HEADERS, MOUNTS, FhirApp
from ontonym.serve.http.guard import WHO, Guard
from ontonym.serve.http.keys import Doorkeeper
from ontonym.serve.http.metrics import CONTENT_TYPE, ServerMetrics
from ontonym.serve.http.packing import received, unpacked
from ontonym.serve.http.pool import RefusedRequest, Searches
from ontonym.serve.http.settings import ServerOptions
from ontonym.serve.http.stopping import Stopping
from ontonym.serve.library import ServedLibrary
from ontonym.wanted import wanted_until

PAGE = Path(__file__).parent.parent / "page"
"""The web page's files."""

_LOG = logging.getLogger("ontonym.serve")
ICON = "/favicon.ico"
"""Where a browser looks for an icon beside what names none: an answer of the API, a resource of FHIR."""

_BELOW = "below"
"""Where the scope of a request has the prefix that paths have for clients."""
_FILES = frozenset({"/", ICON, *(f"/{one.name}" for one in PAGE.glob("*"))})
_PATHS = frozenset(BASE + one.path for one in OPERATIONS) | {f"{BASE}/openapi.json"}

Handler = Callable[[Request], Awaitable[Response]]


class Server:
    """What the handlers share."""

    def __init__(self, library: ServedLibrary, options: ServerOptions) -> None:
        self.library = library
        self.options = options
        self.doorkeeper = Doorkeeper(options)
        self.metrics = ServerMetrics()
        self.stopping = Stopping()
        self.searches = Searches(options, self.metrics)
        self.measure()

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Watches for replaced artifacts until the server stops; then what runs is finished and all is closed."""
        self.library.watch(self.measure)
        with self.stopping.watching():
            yield
        self.searches.close()
        self.library.close()

    def measure(self) -> None:
        """Notes the generation and the failures; each process does, whichever of them is asked for the figures."""
        self.metrics.generation.set(self.library.generation)
        self.metrics.failures.set(self.library.failures)

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
        request.scope[WHO] = holder
        return holder

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
        most, packing = self.options.longest_body, request.headers.get("content-encoding", "")
        size, body = await received(request, most)
        if size > most:
            raise RefusedRequest(413, f"the body has more than {most:,} bytes", {"Connection": "close"})
        if not packing:
            return body
        try:
            body = await asyncio.to_thread(unpacked, body, packing, most)
        except LookupError as error:
            raise RefusedRequest(415, str(error.args[0])) from None
        except ValueError as error:
            raise InputError(f"the body is no gzip: {str(error)[:100]}") from None
        if len(body) > most:
            raise RefusedRequest(413, f"the body has more than {most:,} bytes")
        return body

    async def called(self, operation: ApiOperation, given: Mapping[str, Any], who: str, receive: Receive) -> bytes:
        """The answer of an operation as JSON, of one generation: as it was kept, or made in a thread.

        Where the client goes away (``receive`` is that of its request), it is given up, unless it writes.
        """
        asked = json_bytes([operation.path, *given.values()]) if operation.kept else None
        if asked is not None:
            with self.library.pinned() as opened:
                found = opened.answers.get(asked)
            if found is not None:
                return found
        values = {**given, "who": who, "writable": self.doorkeeper.writable}
        if operation.writes:
            return await self.searches.run(lambda: self._written(operation, values))
        return await self.searches.run(lambda: self._made(operation, values, asked), receive)

    def _made(self, operation: ApiOperation, given: Mapping[str, Any], asked: bytes | None) -> bytes:
        with self.library.pinned() as opened:
            found = json_bytes(operation.answer(opened, given))
            if asked is not None:
                opened.answers.keep(asked, found)
        return found

    def _written(self, operation: ApiOperation, given: Mapping[str, Any]) -> bytes:
        """The answer of an operation that writes: what has begun is done to the end, for others too."""
        with wanted_until(lambda: False):
            found = self._made(operation, given, None)
            self.library.refresh()
        return found


def make_app(library: ServedLibrary, options: ServerOptions, state: Path | None = None) -> ASGIApp:
    """The application over what a library has opened.

    ``state`` is the folder in which worker processes share what FHIR clients leave with them.
    """
    server = Server(library, options)
    described = json_bytes(openapi_description(options.public))
    icon = (PAGE / "icon.svg").read_bytes()
    exact: dict[str, ASGIApp] = {BASE + one.path: _operation(one, server) for one in OPERATIONS}
    exact |= {
        f"{BASE}/openapi.json": Endpoint(_constant(described)),
        ICON: Endpoint(_constant(icon, "image/svg+xml")),
        "/health": Endpoint(_constant(b'{"status": "ok"}')),
        "/ready": Endpoint(_ready(server)),
        "/metrics": Endpoint(_metrics(server)),
    }
    fhir = FhirApp(
        library, resources=options.resources, state=state, admits=server.who, run=server.searches.run,
        address=options.public,
    )  # fmt: skip
    page: list[BaseRoute] = [Mount("/", StaticFiles(directory=PAGE, html=True))]
    handlers: dict[Any, Callable[..., Any]] = {404: _no_path, 405: _no_method, Exception: _ours}
    rest = Starlette(routes=page, lifespan=server.lifespan, exception_handlers=handlers)
    app: ASGIApp = Paths(exact, dict.fromkeys(MOUNTS, fhir), rest)
    app = Guard(app, options, server.metrics, _label, server.stopping)
    app = Below(app, options.prefix) if options.prefix else app
    if options.origins:
        app = CORSMiddleware(
            app,
            allow_origins=options.origins,
            allow_methods=["GET", "HEAD", "POST"],
            allow_headers=["Authorization", "Content-Type", *CLIENT_HEADERS],
            expose_headers=["Retry-After", "ETag"],
            max_age=600,
        )
    return app


class Paths:
    """An application of others: ``exact`` by the whole path, ``mounted`` by its first part, ``rest`` for all else.

    A path is looked up, not matched with one route after the other: most requests are small.
    """

    def __init__(self, exact: Mapping[str, ASGIApp], mounted: Mapping[str, ASGIApp], rest: ASGIApp) -> None:
        self._exact = exact
        self._mounted = mounted
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        app = None
        if scope["type"] == "http":
            path: str = scope["path"]
            app = self._exact.get(path) or self._mounted.get(path.partition("/")[2].partition("/")[0])
        await (app or self._rest)(scope, receive, send)


class Below:
    """An application that is asked with ``prefix`` before each path, or without it where a proxy takes it off."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] == "http":
            path: str = scope["path"]
            if path == self._prefix:
                await RedirectResponse(f"{path}/", 308)(scope, receive, send)
                return
            below = path.removeprefix(self._prefix) if path.startswith(f"{self._prefix}/") else path
            scope = {**scope, "path": below, _BELOW: self._prefix}
        await self._app(scope, receive, send)


class Endpoint:
    """One handler as an application: it checks the method, and says what is refused or wrong; a mistake of ours shows
    nothing of the inside.
    """

    def __init__(self, answer: Handler, methods: tuple[str, ...] = ("GET",)) -> None:
        self._answer = answer
        self._methods = (*methods, "HEAD") if "GET" in methods else methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        request = Request(scope, receive)
        if scope["method"] in self._methods:
            try:
                response = await self._answer(request)
            except ClientDisconnect:
                raise
            except RefusedRequest as error:
                response = json_response({"error": str(error)}, error.status, error.headers)
            except InputError as error:
                response = json_response({"error": str(error)}, status_of(error))
            except Exception as error:
                response = await _ours(request, error)
        else:
            response = _wrong_method(request, {"Allow": ", ".join(self._methods)})
        await response(scope, receive, send)


def _label(path: str) -> str:
    """The name under which a path is counted: never one that whoever asks can choose."""
    if path in _PATHS:
        return path
    first, _, rest = path[1:].partition("/")
    if first in MOUNTS:
        return "/".join(("", first, *filter(None, (asked_for(rest),))))
    return "page" if path in _FILES else "other"


# Handlers ---------------------------------------------------------------------------------------------------------


def json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A value as JSON."""
    return Response(json_bytes(value), status, dict(headers or {}), "application/json")


def status_of(error: InputError) -> int:
    """The HTTP status for an error of the user's, or for a disk of the server that is full."""
    if isinstance(error.__context__, OSError) and error.__context__.errno in DISK_FULL:
        return 507
    if isinstance(error, UnknownIdError):
        return 404
    if isinstance(error, LockedError):
        return 409
    return 501 if isinstance(error, MissingExtraError) else 400


def _operation(operation: ApiOperation, server: Server) -> Endpoint:
    async def answer(request: Request) -> Response:
        who = await server.who(request, writing=operation.writes)
        found = await server.called(operation, await server.given(request, operation), who, request.receive)
        return Response(found, media_type="application/json")

    return Endpoint(answer, operation.methods)


def _constant(body: bytes, kind: str = "application/json") -> Handler:
    async def answer(_: Request) -> Response:
        return Response(body, media_type=kind)

    return answer


def _ready(server: Server) -> Handler:
    async def answer(_: Request) -> Response:
        library = server.library
        return json_response({"status": "ready", "generation": library.generation, "failure": library.failure})

    return answer


def _metrics(server: Server) -> Handler:
    async def answer(request: Request) -> Response:
        await server.who(request)
        server.measure()
        return Response(server.metrics.text(), media_type=CONTENT_TYPE)

    return answer


async def _no_path(request: Request, _: Exception) -> Response:
    fhir = ", ".join(_shown(request, f"/{one}") for one in MOUNTS)
    here, described = _shown(request, request.url.path[:200]), _shown(request, f"{BASE}/openapi.json")
    return json_response({"error": f"there is nothing at {here}: see {described}, and for FHIR {fhir}"}, 404)


async def _no_method(request: Request, error: Exception) -> Response:
    return _wrong_method(request, getattr(error, "headers", None))


def _wrong_method(request: Request, headers: Mapping[str, str] | None) -> Response:
    taken = (headers or {}).get("Allow", "")
    here, described = _shown(request, request.url.path[:200]), _shown(request, f"{BASE}/openapi.json")
    return json_response({"error": f"{here} takes {taken}, not {request.method}: see {described}"}, 405, headers)


def _shown(request: Request, path: str) -> str:
    """A path as clients have it."""
    return f"{request.scope.get(_BELOW, '')}{path}"


async def _ours(request: Request, error: Exception) -> Response:
    _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return json_response({"error": "this is a mistake of the server's; its log says more"}, 500)
