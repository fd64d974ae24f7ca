"""What goes over the wire: bytes of JSON or XML in R4 or R5 to the engine, and its answers back; no HTTP library."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl

import orjson

from ontonym.serve.fhir import r4, xml
from ontonym.serve.fhir.elements import checked
from ontonym.serve.fhir.engine import Engine, Request
from ontonym.serve.fhir.outcomes import FhirError, FhirJson, outcome, refused
from ontonym.serve.http.packing import unpacked

JSON, XML, FORM = "application/fhir+json", "application/fhir+xml", "application/x-www-form-urlencoded"
FORMATS: Mapping[str, str] = {
    "application/fhir+json": JSON,
    "application/json+fhir": JSON,
    "application/json": JSON,
    "text/json": JSON,
    "json": JSON,
    "application/fhir+xml": XML,
    "application/xml+fhir": XML,
    "application/xml": XML,
    "text/xml": XML,
    "xml": XML,
}
ANY = ("*/*", "application/*", "text/*")
VERSIONS: Mapping[str, str] = {"r5": "5.0.0", "r4": "4.0.1"}
MOST_BYTES = 16 << 20
MOST_PARAMETERS = 1000
_VERSION = re.compile(r"fhirVersion\s*=\s*\"?(\d)\.")


@dataclass(frozen=True)
class Asked:
    """One HTTP request, relative to the base of a FHIR server; header names are in lower case."""

    method: str
    path: str
    query: Sequence[tuple[str, str]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    base: str = ""
    version: str = ""
    most_bytes: int = MOST_BYTES


@dataclass(frozen=True)
class Sent:
    """One HTTP answer."""

    status: int
    body: bytes
    headers: Mapping[str, str]


def answer(engine: Engine, asked: Asked) -> Sent:
    """The answer of the engine in the format and version that the client asks for.

    ``asked.version`` is ``r4`` or ``r5`` where the path says so; else Accept's ``fhirVersion`` decides, then
    Content-Type's. Whatever is wrong with the request is an OperationOutcome.
    """
    version = asked.version or _version(asked.headers)
    try:
        wanted = _format(asked)
    except FhirError as error:
        return _sent(error.status, outcome(error.issues), JSON, version)
    pretty = ("_pretty", "true") in asked.query
    try:
        query = list(asked.query)
        if len(query) > MOST_PARAMETERS:
            raise refused(400, "too-costly", "TOO_MANY", count=len(query), what="parameters", limit=MOST_PARAMETERS)
        resource, more = _body(asked)
        operation = asked.path.rpartition("$")[2] if "$" in asked.path else ""
        query.extend(more)
        if version == "r4":
            query = r4.query_from_r4(query, operation)
        if resource is not None and version == "r4":
            resource = r4.from_r4(checked(resource), operation)
        elif resource is not None and resource.get("resourceType") == "Parameters":
            resource = r4.from_r4(checked(resource))  # a map in R4 is known by its elements, and R5 takes it too
        operations = _operations(resource, operation) if version == "r4" else ()
        request = Request(asked.method, asked.path, query, asked.headers, resource, asked.base)
        response = engine.answer(request)
    except FhirError as error:
        return _sent(error.status, outcome(error.issues), wanted, version, pretty=pretty)
    except RecursionError:
        return _sent(400, outcome(refused(400, "too-costly", "TOO_DEEP", limit=64).issues), wanted, version)
    sent = _sent(response.status, response.resource, wanted, version, operations, pretty=pretty)
    return Sent(sent.status, sent.body, {**response.headers, **sent.headers})


def refusal(error: FhirError, headers: Mapping[str, str] = MappingProxyType({})) -> Sent:
    """An answer that says no before the request is read, with further headers."""
    sent = _sent(error.status, outcome(error.issues), JSON, "r5")
    return Sent(sent.status, sent.body, {**sent.headers, **headers})


def _version(headers: Mapping[str, str]) -> str:
    for name in ("accept", "content-type"):
        found = _VERSION.search(headers.get(name, ""))
        if found:
            return "r4" if found[1] == "4" else "r5"
    return "r5"


def _format(asked: Asked) -> str:
    """The format of the answer. Raises FhirError (406) where ``_format`` or Accept have none that is supported."""
    named = next((value for name, value in asked.query if name == "_format"), "")
    if named:
        found = FORMATS.get(named.replace(" ", "+").partition(";")[0].strip().lower())
        if found is None:
            raise refused(406, "not-supported", "FORMAT", value=named[:60])
        return found
    accepted = []
    for at, part in enumerate(asked.headers.get("accept", "").split(",")[:50]):
        kind, _, rest = part.partition(";")
        quality = re.search(r"q\s*=\s*([01](?:\.\d{0,3})?)", rest)
        weight = float(quality[1]) if quality else 1.0
        if FORMATS.get(kind.strip().lower()) and weight > 0:
            accepted.append((-weight, at, FORMATS[kind.strip().lower()]))
        elif weight > 0 and kind.strip() in ("", *ANY):
            accepted.append((-weight, at, JSON))
    if not accepted:
        raise refused(406, "not-supported", "FORMAT", value=asked.headers["accept"][:60])
    return min(accepted)[2]


def _body(asked: Asked) -> tuple[FhirJson | None, list[tuple[str, str]]]:
    """The resource of the body, or the parameters of a form."""
    if asked.method != "POST":  # other methods are refused whatever they bring
        return None, []
    body = _unpacked(asked)
    if not body.strip():
        return None, []
    kind = asked.headers.get("content-type", JSON).partition(";")[0].strip().lower()
    if kind == FORM:
        try:
            return None, parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_PARAMETERS)
        except ValueError as error:
            raise refused(400, "structure", "BAD_JSON", problem=str(error)) from None
    found = FORMATS.get(kind)
    if found is None:
        raise refused(415, "not-supported", "MEDIA_TYPE", value=kind[:60])
    if found == XML:
        return xml.parsed(body), []
    try:
        resource: Any = orjson.loads(body.removeprefix(b"\xef\xbb\xbf"))
    except (orjson.JSONDecodeError, RecursionError) as error:
        raise refused(400, "structure", "BAD_JSON", problem=str(error)[:200]) from None
    if not isinstance(resource, dict):
        raise refused(400, "structure", "BAD_RESOURCE", what="The body", problem="an object is expected")
    return resource, []


def _operations(resource: FhirJson | None, operation: str) -> Sequence[str]:
    """The names of the operations that are asked for: that of the path, or those of the entries of a batch."""
    if resource is None or resource.get("resourceType") != "Bundle":
        return [operation]
    requests = [entry.get("request") or {} for entry in resource.get("entry") or ()]
    return [str(one.get("url", "")).partition("?")[0].rpartition("$")[2] for one in requests]


def _unpacked(asked: Asked) -> bytes:
    """The body without its gzip. Raises FhirError for one that is too long, packed otherwise, or broken."""
    packing = asked.headers.get("content-encoding", "")
    try:
        body = unpacked(asked.body, packing, asked.most_bytes)
    except LookupError:
        raise refused(415, "not-supported", "PACKING", value=packing[:60]) from None
    except ValueError as error:
        raise refused(400, "structure", "BAD_GZIP", problem=str(error)[:200]) from None
    if len(body) > asked.most_bytes:
        raise refused(413, "too-long", "TOO_LARGE", size=len(body), limit=asked.most_bytes)
    return body


def _sent(
    status: int, resource: FhirJson, wanted: str, version: str, operations: Sequence[str] = (), *, pretty: bool = False
) -> Sent:
    shown = r4.to_r4(resource, operations) if version == "r4" else resource
    options = orjson.OPT_NON_STR_KEYS | (orjson.OPT_INDENT_2 if pretty else 0)
    body = xml.written(shown, pretty=pretty) if wanted == XML else orjson.dumps(shown, option=options)
    short = VERSIONS[version].rpartition(".")[0]
    return Sent(status, body, {"content-type": f"{wanted}; charset=utf-8; fhirVersion={short}"})
