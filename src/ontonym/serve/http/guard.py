"""What holds for every request, whatever answers it: Host, rate, time, security headers, the log and the figures."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ontonym.serve.http.metrics import ServerMetrics
from ontonym.serve.http.settings import FHIR_PATHS, ServerOptions, without_port
from ontonym.serve.http.stopping import Stopping

ACCESS = logging.getLogger("ontonym-access")
"""One line for each request."""

PROBES = frozenset({"/health", "/ready", "/metrics"})
"""Paths that are neither limited nor logged, and are answered under any host name: who watches asks by an address."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""The content security policy: nothing from elsewhere, nothing inline."""

_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", POLICY.encode()),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)
_ANSWERS = ("/api", *FHIR_PATHS)
_MOST_CLIENTS = 10_000
WHO = "asked_by"
"""Where the scope of a request has the name of who has its key or token."""
_COUNTED = frozenset({"GET", "HEAD", "POST"})
"""The methods that the figures have by name: whoever asks can make others up."""
_GONE = 499
"""The status under which the log and the figures have a client that went away before it was answered."""


class RateLimit:
    """A token bucket for each client: ``rate`` requests a second, 0 for any; up to two seconds' worth at once."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._most = max(2 * rate, 1.0)
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> float:
        """0 where the client may ask now, else the seconds until it may."""
        if not self._rate:
            return 0.0
        now = self._clock()
        left, since = self._left.pop(client, (self._most, now))
        left = min(left + (now - since) * self._rate, self._most)
        allowed = left >= 1
        self._left[client] = (left - 1 if allowed else left, now)
        if len(self._left) > _MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if allowed else (1 - left) / self._rate


class Guard:
    """The outermost ASGI layer but for CORS, so that a site reads refusals too.

    ``label`` gives the bounded name under which a path is counted. What is answered while the process is ``stopping``
    ends its connection.
    """

    def __init__(
        self,
        app: ASGIApp,
        options: ServerOptions,
        metrics: ServerMetrics,
        label: Callable[[str], str],
        stopping: Stopping,
    ) -> None:
        self._app = app
        self._options = options
        self._metrics = metrics
        self._label = label
        self._stopping = stopping
        self._limit = RateLimit(options.rate)
        self._names = options.answered_names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request, or passes on what is none."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = _with_ours(message["headers"], scope["path"])
                if self._stopping.asked:  # the next request of this connection would be lost
                    headers = [*(one for one in headers if one[0].lower() != b"connection"), (b"connection", b"close")]
                message = {**message, "headers": headers}
            await send(message)

        try:
            await self._answered(scope, receive, sent)
        except ClientDisconnect:
            status = _GONE
        finally:
            self._note(scope, status, time.perf_counter() - began)

    async def _answered(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] not in PROBES:
            host = dict(scope["headers"]).get(b"host", b"").decode("latin-1").lower()
            if self._names and without_port(host) not in self._names:
                await _refuse(send, scope, 400, "this host name is not served here")
                return
            wait = self._limit.wait(str((scope.get("client") or ("unknown",))[0]))
            if wait:
                await _refuse(send, scope, 429, "too many requests: wait", retry=wait)
                return
        started = False

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            async with asyncio.timeout(self._options.seconds):
                await self._app(scope, receive, noted)
        except TimeoutError:
            if not started:
                problem = f"this took more than {self._options.seconds:g} seconds"
                await _refuse(send, scope, 503, problem, retry=1, close=True)
        except Exception:
            if not started:  # otherwise it was logged and answered as a mistake of ours
                raise

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        path, method = scope["path"], scope["method"]
        client = str((scope.get("client") or ("",))[0])
        if path in PROBES:
            return
        self._metrics.note(self._label(path), method if method in _COUNTED else "other", status, seconds)
        if self._options.access_log:
            facts = {
                "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "method": method, "path": path[:200],
                "status": status, "ms": round(1000 * seconds, 1), "client": client,
            }  # fmt: skip
            if scope.get(WHO):
                facts["who"] = scope[WHO]
            if self._options.log_queries:
                facts["query"] = scope["query_string"].decode("latin-1")[:2000]
            ACCESS.info("%s", json.dumps(facts))


def _with_ours(headers: list[tuple[bytes, bytes]], path: str) -> list[tuple[bytes, bytes]]:
    """The headers of an answer with those of ours that it does not have itself."""
    have = {name.lower() for name, _ in headers}
    ours = [*_HEADERS, (b"cache-control", b"no-store")] if path.startswith(_ANSWERS) else _HEADERS
    return [*headers, *(one for one in ours if one[0] not in have)]


async def _refuse(
    send: Send, scope: Scope, status: int, message: str, *, retry: float = 0.0, close: bool = False
) -> None:
    """An answer that says no: an OperationOutcome where FHIR was asked for.

    With ``close`` nothing more is read from the connection, such as the rest of a body that comes slowly.
    """
    kind, value = b"application/json", {"error": message}
    if scope["path"].startswith(FHIR_PATHS):
        kind, value = b"application/fhir+json", _outcome(status, message)
    body = json.dumps(value).encode()
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    if retry:
        headers.append((b"retry-after", str(max(int(retry + 0.999), 1)).encode()))
    if close:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _outcome(status: int, message: str) -> dict[str, Any]:
    code = {429: "throttled", 503: "timeout"}.get(status, "security")
    issue = {"severity": "error", "code": code, "details": {"text": message}}
    return {"resourceType": "OperationOutcome", "issue": [issue]}
