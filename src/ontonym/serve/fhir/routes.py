"""The FHIR server as an ASGI application: ``/r5`` and ``/r4`` with everything below them, and ``/fhir``, where Accept
says which version is wanted.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ontonym.index import Index
from ontonym.serve.fhir.conditional import contents_tag, entity_tag, is_known, tagged, wants_only_new
from ontonym.serve.fhir.engine import CACHE, THRESHOLD, Engine, EngineMemory
from ontonym.serve.fhir.library import Shelf
from ontonym.serve.fhir.loading import load_resources
from ontonym.serve.fhir.outcomes import refused
from ontonym.serve.fhir.terminologycodes import TerminologyCodes, code_systems
from ontonym.serve.fhir.wire import MOST_BYTES, Asked, Sent, answer, refusal
from ontonym.serve.http.packing import received
from ontonym.serve.http.pool import RefusedRequest
from ontonym.serve.library import Opened, ServedLibrary
from ontonym.store import Terminology

MOUNTS: Mapping[str, str] = {"r5": "r5", "r4": "r4", "fhir": ""}
"""The first part of the path, and the version of FHIR that it stands for."""

CLIENT_HEADERS = (CACHE, THRESHOLD, "Prefer", "Cache-Control", "If-None-Match", "X-Requested-With")
"""The headers that FHIR clients in a browser send beside those that every site may."""

_LOG = logging.getLogger("ontonym.serve")
Runner = Callable[[Callable[[], Sent], Receive], Awaitable[Sent]]


def terminology_shelf(
    terminologies: Iterable[Terminology], indexes: Iterable[Index] = (), before: Iterable[TerminologyCodes] = ()
) -> Shelf:
    """The shelf of terminologies as code systems; those that an index was made from are searched by meaning.

    Those from ``before`` that are of the same open terminology and index are taken over: what they have read into
    memory, such as all names of a terminology without an index, is not read again.
    """
    indexed = {one.fingerprint: (index, one) for index in reversed(list(indexes)) for one in index.terminologies}
    kept: dict[tuple[Terminology, Index | None], list[TerminologyCodes]] = {}
    for codes in before:
        kept.setdefault((codes.terminology, codes.index), []).append(codes)
    systems: list[TerminologyCodes] = []
    for terminology in terminologies:
        index, own = indexed.get(terminology.fingerprint, (None, terminology))
        systems.extend(kept.get((own, index)) or code_systems(own, index))
    return Shelf(systems=systems)


class FhirApp:
    """An ASGI application below ``/r5``, ``/r4`` and ``/fhir``.

    It answers from what is opened at the time; caches and closure tables outlive a swap of indexes.

    ``resources`` are files, folders and packages of code systems, value sets and concept maps. ``state`` is the folder
    in which worker processes share what clients leave with them. ``run`` calls a function in a thread, as long as the
    client is there: its other argument is the ``receive`` of the request; where it raises RefusedRequest, the server is
    too busy. ``admits`` raises it for a request that may not read. ``address`` is the one that clients use, by default
    that of the request. Raises FormatError where one of ``resources`` cannot be read.
    """

    def __init__(
        self,
        library: ServedLibrary,
        *,
        resources: Sequence[Path | str] = (),
        state: Path | None = None,
        most_bytes: int = MOST_BYTES,
        admits: Callable[[Request], Awaitable[object]] | None = None,
        run: Runner = lambda call, receive: run_in_threadpool(call),
        address: str = "",
    ) -> None:
        self._library = library
        self._resources = Shelf(load_resources(resources))
        self._memory = EngineMemory(state)
        self._systems: Sequence[TerminologyCodes] = ()
        self._most_bytes = most_bytes
        self._admits = admits
        self._run = run
        self._address = address.rstrip("/")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        request = Request(scope, receive)
        try:
            sent = await self._answered(request)
        except ClientDisconnect:
            raise
        except Exception as error:
            _LOG.error("%s %s failed", scope["method"], scope["path"], exc_info=error)
            sent = refusal(refused(500, "exception", "INTERNAL"))
        await Response(sent.body, sent.status, dict(sent.headers))(scope, receive, send)

    async def _answered(self, request: Request) -> Sent:
        try:
            if self._admits is not None:
                await self._admits(request)
        except RefusedRequest as error:
            known = ("login", "NO_KEY") if error.status == 401 else ("transient", "NO_ISSUER")
            return refusal(refused(error.status, *known), error.headers)
        has_body = request.method not in ("GET", "HEAD")
        size, body = await received(request, self._most_bytes) if has_body else (0, b"")
        if size > self._most_bytes:
            too_long = refused(413, "too-long", "TOO_LARGE", size=size, limit=self._most_bytes)
            return refusal(too_long, {"Connection": "close"})
        mount, _, path = request.scope["path"][1:].partition("/")
        asked = Asked(
            request.method,
            path,
            request.query_params.multi_items(),
            dict(request.headers),
            body,
            f"{self._address or f'{request.url.scheme}://{request.url.netloc}'}/{mount}",
            MOUNTS[mount],
            self._most_bytes,
        )
        try:
            return await self._run(lambda: self._sent(asked), request.receive)
        except RefusedRequest as error:
            return refusal(refused(error.status, "throttled", "BUSY"), error.headers)

    def _sent(self, asked: Asked) -> Sent:
        """The answer to one request; 304 without one where the client has it (``If-None-Match``)."""
        with self._library.pinned() as opened:
            tag = entity_tag(opened.once("fhir tag", lambda: self._contents(opened)), asked)
            unchanged = Sent(304, b"", {})
            if is_known(tag, asked):
                return tagged(unchanged, tag, asked)
            sent = answer(opened.once("fhir", lambda: self._engine(opened)), asked)
            return tagged(unchanged if tag and wants_only_new(asked) and sent.status == 200 else sent, tag, asked)

    def _contents(self, opened: Opened) -> str:
        return contents_tag(opened.terminologies.values(), opened.indexes.values(), self._resources.resources)

    def _engine(self, opened: Opened) -> Engine:
        shelf = terminology_shelf(opened.terminologies.values(), opened.indexes.values(), self._systems)
        self._systems = [one for one in shelf.systems() if isinstance(one, TerminologyCodes)]
        return Engine([self._resources, shelf], memory=self._memory)
