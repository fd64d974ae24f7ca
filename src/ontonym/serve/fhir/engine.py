"""The terminology engine: a method, a path, parameters and a resource go in; a status and a resource come out.

It speaks FHIR R5 and knows nothing of HTTP; ``wire`` has JSON, XML and R4, ``routes`` the server.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from ontonym.serve.fhir import capability, reading
from ontonym.serve.fhir.canonicals import joined, split
from ontonym.serve.fhir.closure import Closures
from ontonym.serve.fhir.elements import checked
from ontonym.serve.fhir.expand import MOST_CODES, expand
from ontonym.serve.fhir.implicit import found_value_set
from ontonym.serve.fhir.library import Library, Shelf
from ontonym.serve.fhir.lookup import lookup, subsumes
from ontonym.serve.fhir.outcomes import FhirError, FhirJson, WrongMethodError, missing, outcome, refused
from ontonym.serve.fhir.settings import Settings
from ontonym.serve.fhir.settings import read as read_settings
from ontonym.serve.fhir.state import CachedResources
from ontonym.serve.fhir.translate import translate
from ontonym.serve.fhir.validate import CODE, coded_of, validate
from ontonym.serve.fhir.values import Arguments, parameters

MOST_BATCH = 1000
CACHE = "x-cache-id"
THRESHOLD = "x-too-costly-threshold"


@dataclass(frozen=True)
class Request:
    """One request. ``path`` is relative to the base (``ValueSet/$expand``), header names are in lower case."""

    method: str
    path: str
    query: Sequence[tuple[str, str]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    resource: FhirJson | None = None
    base: str = ""


@dataclass(frozen=True)
class Response:
    """The answer: an HTTP status, a resource, and headers."""

    status: int
    resource: FhirJson
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Call:
    """One operation with what it works on."""

    library: Library
    arguments: Arguments
    settings: Settings
    request: Request
    instance: FhirJson | None


class EngineMemory:
    """What outlives one request: the resources that clients cached, by cache-id, and the closure tables.

    ``folder`` is where worker processes share them; without it they are those of this process.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.caches = CachedResources(folder and folder / "caches.sqlite")
        self.closures = Closures(folder and folder / "closures.sqlite")


class Engine:
    """A terminology server over some shelves of resources and terminologies.

    ``most_codes`` is the size from which an expansion must be asked for in pages. Threads may share an engine, and
    engines a memory.
    """

    def __init__(
        self,
        shelves: Sequence[Shelf] = (),
        *,
        most_codes: int = MOST_CODES,
        memory: EngineMemory | None = None,
    ) -> None:
        self.shelves = list(shelves)
        self.most_codes = most_codes
        self._memory = memory or EngineMemory()

    def answer(self, request: Request) -> Response:
        """The answer to a request; what is wrong with it is an OperationOutcome."""
        try:
            return self._answer(request)
        except FhirError as error:
            return Response(error.status, outcome(error.issues), error.headers)
        except RecursionError:
            return Response(400, outcome(refused(400, "too-costly", "TOO_DEEP", limit=64).issues))

    def _answer(self, request: Request) -> Response:
        parts = _parts(request.path)
        if not parts:
            return Response(200, self._batch(request))
        if parts[-1].startswith("$"):
            return Response(200, self._operation(parts, request))
        library = Library(self.shelves)
        allowed = ("GET", "HEAD", "POST") if parts[-1] == "_search" else ("GET", "HEAD")
        if request.method not in allowed:
            raise WrongMethodError(request.method, *allowed)
        if parts == ["metadata"]:
            return Response(200, self._metadata(library, request))
        if parts[0] not in reading.TYPES or len(parts) > 2:
            raise refused(404, "not-found", "NOT_FOUND", what=request.path[:200])
        if len(parts) == 1 or parts[1] == "_search":
            lenient = "handling=lenient" in request.headers.get("prefer", "").replace(" ", "").lower()
            return Response(200, reading.search(library, parts[0], request.query, request.base, lenient=lenient))
        return Response(200, reading.subset(reading.read(library, parts[0], parts[1]), dict(request.query)))

    def _metadata(self, library: Library, request: Request) -> FhirJson:
        if dict(request.query).get("mode") == "terminology":
            return capability.terminology_capabilities(library)
        return capability.capability_statement(request.base)

    # Operations

    def _operation(self, parts: Sequence[str], request: Request) -> FhirJson:
        kind = parts[0] if len(parts) > 1 else ""
        name = _operation_name(parts)
        run = OPERATIONS.get(name)
        if run is None or len(parts) > 3:
            raise refused(404, "not-supported", "OPERATION", what=name[:200])
        if request.method not in ("GET", "POST", "HEAD"):
            raise WrongMethodError(request.method, "GET", "HEAD", "POST")
        arguments = self._arguments(request, kind)
        library = Library([*self._brought(arguments, request), *self.shelves])
        instance = reading.read(library, kind, parts[1]) if len(parts) == 3 else None
        settings = read_settings(arguments, request.headers.get("accept-language", ""))
        return run(self, _Call(library, arguments, settings, request, instance))

    def _arguments(self, request: Request, kind: str) -> Arguments:
        arguments = Arguments.of_query(request.query)
        body = request.resource
        if body is None:
            return arguments
        if body.get("resourceType") == "Parameters":
            return Arguments([*(checked(body, "Parameters").get("parameter") or ()), *arguments.list])
        checked(body, *((kind, "Parameters") if kind else ("Parameters",)))
        name = kind[:1].lower() + kind[1:]
        return Arguments([{"name": name, "resource": body}, *arguments.list])

    def _brought(self, arguments: Arguments, request: Request) -> list[Shelf]:
        """What the request brings itself, and what its cache holds."""
        resources = arguments.resources("tx-resource")
        own = [r for name in ("valueSet", "codeSystem") for r in arguments.resources(name) if r.get("url")]
        shelves = [Shelf(_listed([*resources, *own]))] if resources or own else []
        name = arguments.string("cache-id") or request.headers.get(CACHE, "")
        if not name:
            return shelves
        cache = self._memory.caches.shelf(name, _listed([*resources, *own]))
        return [*shelves, cache]

    def _value_set(self, call: _Call) -> FhirJson:
        """The value set of an operation: of the path, of the request, or by its url."""
        if call.instance is not None:
            return call.instance
        own = call.arguments.resource("valueSet", "ValueSet")
        if own is not None:
            return own
        name = call.arguments.string("url")
        if not name:
            raise missing("url, valueSet, or the id of a value set in the path")
        name, asked = split(name)
        asked = call.arguments.string("valueSetVersion") or asked
        asked, _ = call.settings.version("valueset", name, asked)
        found = found_value_set(call.library, name, asked)
        if found is None:
            raise refused(404, "not-found", "Unable_to_resolve_value_Set_", detail="not-found", vs=joined(name, asked))
        return found

    def _expand(self, call: _Call) -> FhirJson:
        header = call.request.headers.get(THRESHOLD, "")
        most = min(self.most_codes, int(header)) if header.isdigit() and len(header) < 10 else self.most_codes
        return expand(call.library, self._value_set(call), call.settings, most)

    def _validate(self, call: _Call) -> FhirJson:
        return validate(call.library, self._value_set(call), coded_of(call.arguments), call.settings)

    def _validate_in_system(self, call: _Call) -> FhirJson:
        coded = coded_of(call.arguments, system="url", version="version")
        own = call.instance or call.arguments.resource("codeSystem", "CodeSystem")
        url, version = call.arguments.system("url", "version")
        url = (own or {}).get("url") or url
        for coding in coded.codings:
            if own is not None or coded.mode == CODE:
                coding.setdefault("system", url)
        system = url or next((c["system"] for c in coded.codings if c.get("system")), "")
        if not system:
            raise missing("url, codeSystem, or a coding with its system")
        include = {"system": system}
        version = version or (own or {}).get("version", "")
        if version:
            include["version"] = version
        value_set = {"resourceType": "ValueSet", "status": "active", "compose": {"include": [include]}}
        return validate(call.library, value_set, coded, call.settings, internal=True)

    def _validate_all(self, call: _Call) -> FhirJson:
        """Several validations at once: each parameter ``validation`` holds the Parameters of one."""
        questions = call.arguments.resources("validation")
        if len(questions) > MOST_BATCH:
            raise refused(422, "too-costly", "TOO_MANY", count=len(questions), what="validations", limit=MOST_BATCH)
        common = [entry for entry in call.arguments.list if entry.get("name") != "validation"]
        of_systems = call.request.path.strip("/").startswith("CodeSystem/")  # there ``url`` is a code system's
        answers = []
        for question in questions:
            try:
                arguments = Arguments(checked(question, "Parameters").get("parameter") or (), common)
                settings = read_settings(arguments, call.request.headers.get("accept-language", ""))
                inner = _Call(call.library, arguments, settings, call.request, call.instance)
                in_set = call.instance is not None or "url" in arguments or "valueSet" in arguments
                resource = self._validate(inner) if in_set and not of_systems else self._validate_in_system(inner)
            except FhirError as error:
                resource = outcome(error.issues)
            answers.append({"name": "validation", "resource": resource})
        return parameters(*answers)

    # Batch

    def _batch(self, request: Request) -> FhirJson:
        if request.method != "POST" or request.resource is None:
            raise WrongMethodError(request.method, "POST")
        bundle = checked(request.resource, "Bundle")
        if bundle.get("type") != "batch":
            raise refused(400, "not-supported", "BATCH_TYPE", given=str(bundle.get("type")))
        entries = bundle.get("entry") or []
        if len(entries) > MOST_BATCH:
            raise refused(422, "too-costly", "TOO_MANY", count=len(entries), what="entries", limit=MOST_BATCH)
        answers = [self._batch_entry(row, entry, request) for row, entry in enumerate(entries)]
        result: FhirJson = {"resourceType": "Bundle", "id": str(uuid.uuid4()), "type": "batch-response"}
        return {**result, "entry": answers} if answers else result

    def _batch_entry(self, row: int, entry: FhirJson, request: Request) -> FhirJson:
        inner = entry.get("request") or {}
        method, url = inner.get("method", ""), inner.get("url", "")
        try:
            if not method or not url:
                raise ValueError(url)
            path, query = _below(request.base, url)
        except ValueError:
            response = Response(400, outcome(refused(400, "invalid", "BATCH_ENTRY", row=row).issues))
        else:
            response = self.answer(Request(method, path, query, request.headers, entry.get("resource"), request.base))
        status = {200: "200 OK"}.get(response.status, str(response.status))
        if response.status >= 400:
            return {"response": {"status": status, "outcome": response.resource}}
        return {"resource": response.resource, "response": {"status": status}}


def _below(base: str, url: str) -> tuple[str, list[tuple[str, str]]]:
    """The path below the base and the parameters of a url in a batch; ValueError for what is none."""
    place = urlsplit(url)
    path = place.path.removeprefix(urlsplit(base).path) if place.path.startswith("/") else place.path
    return unquote(path) or "$", parse_qsl(place.query, keep_blank_values=True)[:1000]


def _of_instance(call: _Call) -> Arguments:
    """The arguments, with the code system of the path as that which they name."""
    if call.instance is None:
        return call.arguments
    own = [{"name": "system", "valueUri": call.instance.get("url", "")}]
    if call.instance.get("version"):
        own.append({"name": "version", "valueString": call.instance["version"]})
    return call.arguments.with_first(own)


def _listed(resources: Sequence[FhirJson]) -> list[FhirJson]:
    """The resources, and those inside Bundles."""
    found: list[FhirJson] = []
    for resource in resources:
        if resource.get("resourceType") == "Bundle":
            found.extend(entry["resource"] for entry in resource.get("entry") or () if "resource" in entry)
        else:
            found.append(resource)
    return [resource for resource in found if resource.get("resourceType") in reading.TYPES]


OPERATIONS: Mapping[str, Callable[[Engine, Any], FhirJson]] = {
    "ValueSet/$expand": Engine._expand,
    "ValueSet/$validate-code": Engine._validate,
    "ValueSet/$batch-validate-code": Engine._validate_all,
    "CodeSystem/$validate-code": Engine._validate_in_system,
    "CodeSystem/$batch-validate-code": Engine._validate_all,
    "CodeSystem/$lookup": lambda _, call: lookup(call.library, _of_instance(call), call.settings),
    "CodeSystem/$subsumes": lambda _, call: subsumes(call.library, _of_instance(call), call.settings),
    "ConceptMap/$translate": lambda _, call: translate(call.library, call.arguments, call.settings, call.instance),
    **dict.fromkeys(
        ("ConceptMap/$closure", "$closure"),
        lambda engine, call: engine._memory.closures.answer(call.library, call.arguments, call.settings),
    ),
    "$versions": lambda _, call: capability.versions(),
    "$batch-validate-code": Engine._validate_all,
}


def asked_for(path: str) -> str:
    """What a path asks for, without ids: an operation, a type or ``metadata``; empty for a batch and the unknown."""
    parts = _parts(path)
    if parts and parts[-1].startswith("$"):
        name = _operation_name(parts)
        return name if name in OPERATIONS else ""
    return parts[0] if parts and parts[0] in (*reading.TYPES, "metadata") else ""


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part]


def _operation_name(parts: Sequence[str]) -> str:
    return "/".join((*parts[:1], parts[-1]) if len(parts) > 1 else parts)
