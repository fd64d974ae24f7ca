"""FHIR resources in files: a resource, a Bundle, NDJSON, or the files of an npm-style package.

A large CodeSystem is kept as bytes with the positions of its concepts, so that only one at a time becomes an object.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, cast

import numpy as np
import orjson

from ontonym.arrays import Ints
from ontonym.errors import FormatError
from ontonym.files.counts import BadRow
from ontonym.files.jsontext import JsonObject, excerpt, objects_of, parsed, text_of
from ontonym.files.packing import AGAIN
from ontonym.files.source import Source
from ontonym.jsonbytes import json_bytes
from ontonym.ontology.release import ReleaseLog

LARGE = 16 << 20
"""The size in bytes from which a resource is split into slices."""

_CHUNK = 8 << 20
_QUOTE, _SLASH, _OPEN_LIST, _CLOSE_LIST, _OPEN, _CLOSE = b'"\\[]{}'
_OF_INTEREST = np.zeros(256, dtype=np.bool_)
_OF_INTEREST[[_QUOTE, _OPEN_LIST, _CLOSE_LIST, _OPEN, _CLOSE]] = True
_STEP = np.zeros(256, dtype=np.int64)
_STEP[[_OPEN_LIST, _OPEN]] = 1
_STEP[[_CLOSE_LIST, _CLOSE]] = -1
_KEY = re.compile(rb'"concept"\s*:\s*$')


@dataclass(frozen=True, slots=True)
class Slices:
    """A resource without its list of concepts, and these concepts: ``text[starts[i]:ends[i]]`` is the JSON of one."""

    head: bytes = field(repr=False)
    text: bytes = field(repr=False)
    starts: Ints
    ends: Ints

    def __iter__(self) -> Iterator[Any]:
        """The top concepts with those nested in them; an error text in place of one that is not JSON."""
        for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True):
            try:
                yield orjson.loads(self.text[start:end])
            except orjson.JSONDecodeError as error:
                yield f"not valid JSON ({error.msg})"


def cut(text: bytes) -> Slices | None:
    """The slices of a JSON object with one list ``concept`` of objects; None for any other text."""
    places, depths = _brackets(text)
    data = np.frombuffer(text, dtype=np.uint8)
    kinds = data[places]
    lists = places[(kinds == _OPEN_LIST) & (depths == 2)].tolist()
    found = [place for place in lists if _KEY.search(text[max(0, place - 64) : place])]
    closed = places[(kinds == _CLOSE_LIST) & (depths == 1)]
    if len(found) != 1 or not len(depths) or depths[-1] != 0:
        return None
    first = found[0]
    after = closed[closed > first]
    if not len(after):
        return None
    last = int(after[0])
    within = (places > first) & (places < last)
    starts = places[within & (kinds == _OPEN) & (depths == 3)]
    ends = places[within & (kinds == _CLOSE) & (depths == 2)] + 1
    if len(starts) != len(ends) or not len(starts) or not _only_commas(text, first, last, starts, ends):
        return None
    return Slices(text[: first + 1] + text[last:], text, starts, ends)


def _brackets(text: bytes) -> tuple[Ints, Ints]:
    """The positions of the brackets outside of strings, and the depth of nesting after each."""
    data = np.frombuffer(text, dtype=np.uint8)
    quotes_before, depth = 0, 0
    all_places: list[Ints] = []
    all_depths: list[Ints] = []
    for start in range(0, len(data), _CHUNK):
        places = np.flatnonzero(_OF_INTEREST[data[start : start + _CHUNK]]) + start
        kinds = data[places]
        quotes = places[kinds == _QUOTE]
        escaped = [place for place in quotes[data[quotes - 1] == _SLASH].tolist() if _odd_slashes(text, place)]
        quotes = quotes[~np.isin(quotes, escaped)] if escaped else quotes
        brackets = places[kinds != _QUOTE]
        outside = (np.searchsorted(quotes, brackets) + quotes_before) % 2 == 0
        brackets = brackets[outside]
        depths = depth + np.cumsum(_STEP[data[brackets]])
        quotes_before += len(quotes)
        depth = int(depths[-1]) if len(depths) else depth
        wanted = depths <= 3  # deeper ones belong to a concept
        all_places.append(brackets[wanted])
        all_depths.append(depths[wanted])
    return np.concatenate(all_places), np.concatenate(all_depths)


def _odd_slashes(text: bytes, place: int) -> bool:
    """Whether a quote is escaped: by an odd number of backslashes right before it."""
    first = place
    while first and text[first - 1] == _SLASH:
        first -= 1
    return (place - first) % 2 == 1


def _only_commas(text: bytes, first: int, last: int, starts: Ints, ends: Ints) -> bool:
    """Whether only single commas separate the elements of the list, with nothing before or after them."""
    if text[first + 1 : int(starts[0])].strip() or text[int(ends[-1]) : last].strip():
        return False
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    return all(text[end:start].strip() == b"," for (_, end), (start, _) in pairwise(spans))


KINDS = ("CodeSystem", "ValueSet", "ConceptMap")

_IDENTIFYING = ("url", "version", "id", "name", "title", "content", "copyright")

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]', re.DOTALL)
_TYPE = re.compile(r'\s*:\s*"[A-Z]\w+"')
_PACKAGE_KEYS = ('"fhirVersions"', '"fhir-version-list"')


@dataclass(frozen=True, slots=True)
class Resource:
    """One CodeSystem, ValueSet or ConceptMap: its identification and its JSON.

    The JSON is kept as bytes, a fifth of the size of its objects. ``line`` is that of NDJSON, else None. ``url`` is
    empty if the resource has none. ``content`` is that of a CodeSystem. ``slices`` are its concepts if it is too large
    for them to be in ``body``.
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

    def load(self) -> JsonObject:
        """The resource as Python objects, without what is in ``slices``."""
        document: JsonObject = parsed(self.body)
        return document

    @property
    def key(self) -> str:
        """Its URL, else its id, name or file."""
        return self.url or self.id or self.name or self.source.name

    @property
    def label(self) -> str:
        """The resource in messages: its type with its canonical URL, or else its id or name."""
        return f"{self.kind} {self.key}" + (f"|{self.version}" if self.url and self.version else "")


@dataclass(slots=True)
class FoundResources:
    """The resources of a release in the order of its files, and the ``package.json`` if it is a package."""

    resources: list[Resource] = field(default_factory=list)
    package: JsonObject = field(default_factory=dict)

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


def find_resources(sources: Sequence[Source], log: ReleaseLog) -> FoundResources:
    """The terminology resources in the files; resources of other types are counted as skipped.

    A file that is not JSON raises if it is the only one, and is a malformed row otherwise.
    """
    found = FoundResources()
    others: Counter[str] = Counter()
    for source in sources:
        for line, document, text in _documents(source):
            if not isinstance(document, _NotJson):
                _take(document, text, source, line, found, others, log)
            elif len(sources) == 1 and line is None:
                source.fail(document.line, document.problem, AGAIN)
            else:
                log.malformed(source, document.line, document.problem)
    if others:
        log.details["other_resources"] = dict(sorted(others.items()))
    if others and not found.resources:
        listed = ", ".join(f"{count:,} {kind}" for kind, count in others.most_common(5))
        problem = f"no CodeSystem, ValueSet or ConceptMap in it, only {listed}"
        sources[0].fail(None, problem, "Give the resources that hold the terminology")
    return found


@dataclass(frozen=True, slots=True)
class _NotJson:
    """Stands for a value that is not JSON."""

    problem: str
    line: int | None


def _documents(source: Source) -> Iterator[tuple[int | None, Any, bytes | Slices]]:
    """The JSON values of a file and their text; a file with one value per line is read by lines, with their numbers."""
    number, first = 0, ""
    try:
        lines = enumerate(source.lines(), start=1)
        number, first = next(((n, line) for n, line in lines if line.strip()), (0, ""))
        document = parsed(first) if len(first) < LARGE else None
    except (orjson.JSONDecodeError, FormatError):
        document = None
    if document is None:
        # spread over lines, or one line longer than NDJSON ever has
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
    found: FoundResources,
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
                raise BadRow('not a FHIR resource: no "resourceType"')
            if kind == "Bundle":
                entries = [entry["resource"] for entry in objects_of(value, "entry") if "resource" in entry]
                waiting.extend(reversed(entries))
            elif kind in KINDS:
                body = text if value is document else json_bytes(value)
                slices = body if isinstance(body, Slices) else None
                made = _resource(kind, value, slices.head if slices else cast(bytes, body), source, line)
                found.resources.append(replace(made, slices=slices))
            else:
                others[kind] += 1
                log.counts.skip("resource of a type that holds no terminology")
        except BadRow as broken:
            log.malformed(source, line, str(broken), excerpt(value))
        except TypeError:
            log.malformed(source, line, "nested too deep")


def _resource(kind: str, document: JsonObject, body: bytes, source: Source, line: int | None) -> Resource:
    url, version, id_, name, title, content, copyright_ = (text_of(document, key) for key in _IDENTIFYING)
    return Resource(kind, url, version, id_, name, title, content, copyright_, source, line, body)
