"""Finding FHIR resources in files: a resource, a Bundle, NDJSON, or the files of an npm-style package."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import orjson

from ontonym.errors import FormatError
from ontonym.files.source import Source
from ontonym.ontology.fhir.fields import Broken, Json, excerpt, objects_of, parsed, text_of
from ontonym.ontology.fhir.slices import LARGE, Slices, cut
from ontonym.ontology.release import ReleaseLog

KINDS = ("CodeSystem", "ValueSet", "ConceptMap")

_IDENTIFYING = ("url", "version", "id", "name", "title", "content", "copyright")

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]', re.DOTALL)
_TYPE = re.compile(r'\s*:\s*"[A-Z]\w+"')
_PACKAGE_KEYS = ('"fhirVersions"', '"fhir-version-list"')


@dataclass(frozen=True, slots=True)
class Resource:
    """One CodeSystem, ValueSet or ConceptMap: what identifies it, and its JSON.

    The JSON waits as bytes, a fifth of what its objects take. ``line`` is that of NDJSON, else None. ``url`` is empty
    where the resource has none. ``content`` is that of a CodeSystem. ``slices`` are its concepts where it is so large
    that ``body`` has them no more.
    """

    kind: str
    url: str
    version: str
    id: str
    name: str
    title: str
    content: str
    copyright: str
    source: Source
    line: int | None
    body: bytes = field(repr=False)
    slices: Slices | None = field(repr=False, default=None)

    def load(self) -> Json:
        """The resource as Python objects, without what is in ``slices``."""
        document: Json = parsed(self.body)
        return document

    @property
    def key(self) -> str:
        """Its URL, or what stands for one where it has none."""
        return self.url or self.id or self.name or self.source.name

    @property
    def label(self) -> str:
        """What a message calls it: its type with its canonical URL, or else its id or name."""
        return f"{self.kind} {self.key}" + (f"|{self.version}" if self.url and self.version else "")


@dataclass(slots=True)
class Found:
    """The resources of a release in the order of its files, and the ``package.json`` where it is a package."""

    resources: list[Resource] = field(default_factory=list)
    package: Json = field(default_factory=dict)

    def of(self, kind: str) -> list[Resource]:
        """Those of one type."""
        return [resource for resource in self.resources if resource.kind == kind]


def is_fhir(head: str, name: str) -> bool:
    """Whether the beginning of a file is a FHIR resource in JSON or NDJSON, or the manifest of a FHIR package."""
    if not head.lstrip().startswith("{"):
        return False
    manifest = name.rpartition("/")[2] == "package.json"
    depth = 0
    for token in _TOKEN.finditer(head):
        text = token[0]
        if text in "{[":
            depth += 1
        elif text in "}]":
            depth -= 1
            if depth == 0:
                return False
        elif depth == 1 and text == '"resourceType"':
            if _TYPE.match(head, token.end()):
                return True
        elif depth == 1 and manifest and text in _PACKAGE_KEYS:
            return True
    return False


def find_resources(sources: Sequence[Source], log: ReleaseLog) -> Found:
    """The terminology resources in the files; resources of other types are counted as skipped.

    A file that is not JSON stops the reading where it is the only one, and is a malformed row otherwise.
    """
    found = Found()
    others: Counter[str] = Counter()
    for source in sources:
        for line, document, text in _documents(source):
            if not isinstance(document, _NotJson):
                _take(document, text, source, line, found, others, log)
            elif len(sources) == 1 and line is None:
                source.fail(document.line, document.problem, "Download or copy the file again")
            else:
                log.malformed(source, document.line, document.problem)
    if others:
        log.details["other_resources"] = dict(sorted(others.items()))
    if others and not found.resources:
        told = ", ".join(f"{count:,} {kind}" for kind, count in others.most_common(5))
        problem = f"no CodeSystem, ValueSet or ConceptMap in it, only {told}"
        sources[0].fail(None, problem, "Give the resources that hold the terminology")
    return found


@dataclass(frozen=True, slots=True)
class _NotJson:
    """What stands in place of a value that is not JSON."""

    problem: str
    line: int | None


def _documents(source: Source) -> Iterator[tuple[int | None, Any, bytes | Slices]]:
    """The JSON values of a file and their text, with their line where it has one a line; such is read line by line."""
    number, first = 0, ""
    try:
        lines = enumerate(source.lines(), start=1)
        number, first = next(((n, line) for n, line in lines if line.strip()), (0, ""))
        document = parsed(first) if len(first) < LARGE else None
    except (orjson.JSONDecodeError, FormatError):
        document = None
    if document is None:
        # Spread over lines, or one line longer than any line of NDJSON needs to be.
        text = source.read()
        slices = cut(text) if len(text) >= LARGE else None
        head = _value(slices.head) if slices else None
        if isinstance(head, dict) and head.get("resourceType") == "CodeSystem":
            yield None, head, slices or text
        else:
            yield None, _value(text), text
        return
    yield number, document, first.encode()
    for number, line in lines:
        if line.strip():
            yield number, _value(line, number), line.encode()


def _value(text: str | bytes, line: int | None = None) -> Any:
    try:
        return parsed(text)
    except orjson.JSONDecodeError as error:
        return _NotJson(f"not valid JSON ({error.msg})", line or error.lineno)


def _take(
    document: Any,
    text: bytes | Slices,
    source: Source,
    line: int | None,
    found: Found,
    others: Counter[str],
    log: ReleaseLog,
) -> None:
    """Adds the resources of one JSON value; those of a Bundle in their order."""
    waiting: list[Any] = [document]
    while waiting:
        value = waiting.pop()
        try:
            kind = text_of(value, "resourceType") if isinstance(value, dict) else ""
            if not kind:
                if isinstance(value, dict) and source.name.rpartition("/")[2] == "package.json":
                    found.package = value
                    continue
                raise Broken('not a FHIR resource: no "resourceType"')
            if kind == "Bundle":
                entries = [entry["resource"] for entry in objects_of(value, "entry") if "resource" in entry]
                waiting.extend(reversed(entries))
            elif kind in KINDS:
                body = text if value is document else orjson.dumps(value)
                slices = body if isinstance(body, Slices) else None
                made = _resource(kind, value, slices.head if slices else cast(bytes, body), source, line)
                found.resources.append(replace(made, slices=slices))
            else:
                others[kind] += 1
                log.counts.skip("resource of a type that holds no terminology")
        except Broken as broken:
            log.malformed(source, line, str(broken), excerpt(value))
        except TypeError:
            log.malformed(source, line, "nested too deep")


def _resource(kind: str, document: Json, body: bytes, source: Source, line: int | None) -> Resource:
    url, version, id_, name, title, content, copyright_ = (text_of(document, key) for key in _IDENTIFYING)
    return Resource(kind, url, version, id_, name, title, content, copyright_, source, line, body)
