"""Entity tags: a client or proxy that has an answer asks whether it still holds (RFC 9110, 8.8.3 and 13.1.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import orjson

from ontonym.artifact import is_url
from ontonym.index import Index
from ontonym.manifest import ontonym_version
from ontonym.serve.fhir.outcomes import FhirJson
from ontonym.serve.fhir.wire import Asked, Sent
from ontonym.store import Terminology

DECIDING = ("accept", "accept-language", "prefer", "x-too-costly-threshold")
"""The headers that an answer depends on, in lower case."""
_TYPED = frozenset({"filter", "display"})
"""Parameters that can hold what patients said: their answers are kept nowhere."""
_LENGTH = 32


def contents_tag(terminologies: Iterable[Terminology], indexes: Iterable[Index], resources: Iterable[FhirJson]) -> str:
    """What differs where answers may: of all that is served, and of this version. Empty for a shared index, whose terms
    change without its manifest.
    """
    indexes = list(indexes)
    if any(is_url(index.path) for index in indexes):
        return ""
    parts = [ontonym_version(), *(one.fingerprint for one in terminologies)]
    parts += [index.manifest.fingerprint for index in indexes]
    found = hashlib.sha256("\n".join(parts).encode())
    for resource in resources:
        found.update(orjson.dumps(resource))
    return found.hexdigest()


def entity_tag(contents: str, asked: Asked) -> str:
    """The tag of the answer to a request; empty where more than the request and the contents decides on it.

    It is weak: an expansion is the same, but for the time and the identifier that it gets.
    """
    names = {name for name, _ in asked.query}
    remembered = "cache-id" in names or "x-cache-id" in asked.headers or asked.path.rstrip("/").endswith("$closure")
    if not contents or asked.method not in ("GET", "HEAD") or remembered:
        return ""
    headers = [asked.headers.get(name, "") for name in DECIDING]
    key = orjson.dumps([contents, asked.base, asked.version, asked.path, asked.query, headers])
    return f'W/"{hashlib.sha256(key).hexdigest()[:_LENGTH]}"'


def is_known(tag: str, asked: Asked) -> bool:
    """Whether the client has the answer with this tag."""
    given = asked.headers.get("if-none-match", "").split(",")
    return bool(tag) and tag.removeprefix("W/") in {one.strip().removeprefix("W/") for one in given}


def wants_only_new(asked: Asked) -> bool:
    """Whether the client has some answer already and wants none that exists: ``If-None-Match: *``."""
    return asked.headers.get("if-none-match", "").strip() == "*"


def tagged(sent: Sent, tag: str, asked: Asked) -> Sent:
    """An answer with its tag; only one that is whole has one."""
    if not tag or sent.status not in (200, 304):
        return sent
    typed = any(name in _TYPED for name, _ in asked.query)
    headers = {
        "ETag": tag,
        "Vary": ", ".join(name.title() for name in DECIDING),
        "Cache-Control": "no-store" if typed else "no-cache",
    }
    return Sent(sent.status, sent.body, {**sent.headers, **headers})
