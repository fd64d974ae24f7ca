"""ValueSet/$expand: the concepts of a value set, in pages, filtered by text, as FHIR writes them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ontonym.arrays import Mask
from ontonym.serve.fhir.canonicals import UNCLOSED, UNCLOSED_REASON, joined
from ontonym.serve.fhir.compose import Clause, Composed, Composer, ValueSetMembers
from ontonym.serve.fhir.concepts import CodeSystemContent, canonical, caution
from ontonym.serve.fhir.contains import ExpansionEntry, ExpansionParts, contained
from ontonym.serve.fhir.library import Library
from ontonym.serve.fhir.messages import listed as as_list
from ontonym.serve.fhir.outcomes import FhirError, FhirJson, refused
from ontonym.serve.fhir.settings import Rule, Settings
from ontonym.serve.fhir.values import typed
from ontonym.serve.fhir.words import begins, words

MOST_CODES = 10_000
METADATA = ("url", "identifier", "version", "name", "title", "language", "status", "experimental")


def expand(library: Library, value_set: FhirJson, settings: Settings, most: int = MOST_CODES) -> FhirJson:
    """The value set with its expansion.

    Raises FhirError where something is missing, a check of versions fails, or the value set has more than ``most``
    concepts and the request asks for no page of them.
    """
    composer = Composer(library)
    composed = composer.compose(value_set, settings)
    settings = composed.settings
    made = ExpansionParts(settings)
    for entry in settings.echo:
        kind, value = typed(entry)
        made.use(entry["name"], *_echoed(entry["name"], kind, value))
    if settings.http_languages is not None and not any(p["name"] == "displayLanguage" for p in made.parameters):
        made.use("displayLanguage", settings.http_languages.text, "valueCode")
    for one in reversed(composed.all()):
        for clause in one.clauses():
            _check(library, clause, settings)
    extensions = _note_used(made, composed)
    for rule in composer.used_rules:
        _note_rule(made, rule)
    if settings.versions_match or any(not composed.by_version(clause) for clause in composed.exclude):
        made.use("versionsMatch", True, "valueBoolean")
    made.with_version = _several_versions(composed)
    groups = list(_unique(_filtered(composed.members(), settings.filter), by_version=not settings.versions_match))
    total = sum(len(group.rows) for group in groups)
    offset, count = settings.offset or 0, settings.count
    if count is None and total - offset > most:
        raise refused(422, "too-costly", "VALUESET_TOO_COSTLY", vs=composed.canonical, limit=most)
    _note_supplements(made, composed)
    entries = list(_page(groups, offset, min(count if count is not None else total, most)))
    tree = _is_tree(composed, settings) and settings.count is None and not settings.offset
    contains = _tree(made, entries) if tree else [contained(made, entry) for entry in entries]
    result: FhirJson = {"resourceType": "ValueSet"}
    kept = (*METADATA, "compose") if settings.include_definition else METADATA
    result |= {name: value_set[name] for name in kept if name in value_set}
    result.setdefault("status", "unknown")
    expansion: FhirJson = {"extension": extensions} if extensions else {}
    expansion |= {
        "identifier": uuid.uuid4().urn,
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "total": total,
    }
    if settings.offset is not None:
        expansion["offset"] = offset
    expansion["parameter"] = made.parameters
    if made.properties:
        expansion["property"] = [
            {"code": code, "uri": uri} if uri else {"code": code} for code, uri in made.properties.items()
        ]
    if contains:
        expansion["contains"] = contains
    return {**result, "expansion": {name: value for name, value in expansion.items() if value != []}}


def _echoed(name: str, kind: str, value: Any) -> tuple[Any, str]:
    if name == "displayLanguage":
        parts = [part.strip() for part in str(value).split(",")]
        return "".join(f", {p}" if ";" in p and at else f",{p}" if at else p for at, p in enumerate(parts)), "valueCode"
    return value, kind


def _check(library: Library, clause: Clause, settings: Settings) -> None:
    """Raises FhirError where the code system of a clause is missing, or its version does not pass a check."""
    if clause.missing:
        raise unknown_system(library, clause.url, clause.version, 422, "_EXP")
    if clause.system is not None:
        broken = settings.broken_check("system", clause.url, clause.system.version)
        if broken is not None:
            raise refused(
                422,
                "exception",
                "VALUESET_VERSION_CHECK",
                detail="version-error",
                system=clause.url,
                version=clause.system.version,
                wanted=broken.version,
            )


def unknown_system(library: Library, url: str, version: str, status: int, suffix: str = "") -> FhirError:
    """The error of a code system that is not here, or not in that version."""
    message = "UNKNOWN_CODESYSTEM"
    versions = library.versions(url)
    if version:
        message += "_VERSION"
    none = "_NONE" if version and not versions else ""
    return refused(
        status,
        "not-found",
        message + suffix + none,
        detail="not-found",
        system=url,
        version=version,
        versions=as_list(versions),
    )


def _note_used(made: ExpansionParts, composed: Composed) -> list[FhirJson]:
    """Notes what the expansion uses; gives the extensions of an expansion that cannot be complete."""
    extensions: list[FhirJson] = []
    for one in composed.all():
        if one is not composed:
            if not one.contained:
                made.use("used-valueset", one.canonical)
            _note_status(made, one.value_set, one.canonical, composed.value_set)
        for clause in one.clauses():
            if clause.rule is not None:
                _note_rule(made, clause.rule)
            if clause.system is not None:
                extensions = _note_system(made, clause.system, composed.value_set) or extensions
    return extensions


def _note_system(made: ExpansionParts, system: CodeSystemContent, source: FhirJson) -> list[FhirJson]:
    made.use("used-codesystem", canonical(system))
    _note_status(made, system.facts, canonical(system), source)
    if system.content != "fragment":
        return []
    made.use("used-fragment", canonical(system))
    reason = f"This extension is based on a fragment of the code system {system.url}"
    return [{"url": UNCLOSED, "valueBoolean": True}, {"url": UNCLOSED_REASON, "valueString": reason}]


def _note_rule(made: ExpansionParts, rule: Rule) -> None:
    made.use(rule.name, joined(rule.url, rule.version))


def _note_status(made: ExpansionParts, resource: FhirJson, name: str, source: FhirJson) -> None:
    if kind := caution(resource, source):
        made.use(f"warning-{kind}", name)


def _note_supplements(made: ExpansionParts, composed: Composed) -> None:
    for members in composed.members():
        for name in members.system.supplements:
            made.use("used-supplement", name)


def _several_versions(composed: Composed) -> bool:
    """Whether the value set names one code system in several versions, so that each code must say its own."""
    versions: dict[str, set[str]] = {}
    for clause in composed.clauses():
        if clause.url:
            versions.setdefault(clause.url, set()).add(clause.raw.get("version", ""))
        for inner in clause.imports:
            for members in inner.members():
                versions.setdefault(members.system.url, set()).add(members.system.version)
    return any(len(found) > 1 for found in versions.values())


def _filtered(groups: Iterable[ValueSetMembers], text: str) -> Iterator[ValueSetMembers]:
    """The members that the text finds, in the order of the search."""
    for members in groups:
        if not text.strip():
            yield members
        elif members.listed:
            typed_words = words(text)
            kept = [int(row) for row in members.rows if begins(typed_words, _texts(members, int(row)))]
            yield ValueSetMembers(members.system, np.array(kept, np.intp), members.listed)
        else:
            result = members.system.search(text, None if members.whole else members.mask)
            yield ValueSetMembers(members.system, result.rows.astype(np.intp), {}, result)


def _texts(members: ValueSetMembers, row: int) -> Iterator[str]:
    listed = members.listed.get(row, {})
    if listed.get("display"):
        yield listed["display"]
    concept = members.system.concept(row)
    yield concept.code
    for name in concept.names:
        yield name.value


def _unique(groups: Iterable[ValueSetMembers], *, by_version: bool) -> Iterator[ValueSetMembers]:
    """The members without those that came before."""
    seen: dict[str, dict[str, tuple[CodeSystemContent, Mask]]] = {}
    for members in groups:
        system = members.system
        versions = seen.setdefault(system.url, {})
        before = versions.get(system.version)
        kept = np.ones(len(system), bool) if before is None else ~before[1]
        if not by_version:
            for version, (other, mask) in versions.items():
                if version != system.version:
                    rows = (system.row(other.label(int(row))[0]) for row in np.flatnonzero(mask))
                    kept[[row for row in rows if row is not None]] = False
        rest = members if before is None and by_version else members.only(kept)
        versions[system.version] = (system, rest.mask if before is None else before[1] | rest.mask)
        yield rest


def _page(groups: Iterable[ValueSetMembers], offset: int, count: int) -> Iterator[ExpansionEntry]:
    for members in groups:
        size = len(members.rows)
        if offset >= size:
            offset -= size
            continue
        for at in members.rows[offset : offset + count]:
            row = int(at)
            found = members.search.found(row) if members.search is not None else None
            yield ExpansionEntry(members.system, row, members.listed.get(row), found)
        count -= min(count, size - offset)
        offset = 0
        if count <= 0:
            return


def _is_tree(composed: Composed, settings: Settings) -> bool:
    """Whether the expansion shows the hierarchy: whole code systems or one filter each, nothing listed or imported."""
    if settings.exclude_nested or (settings.filter and any(not c.raw.get("filter") for c in composed.include)):
        return False
    simple = all(
        not c.raw.get("concept") and not c.imports and len(c.raw.get("filter") or ()) < 2 for c in composed.clauses()
    )
    systems = [c.system for c in composed.include if c.system is not None]
    return simple and all(s.nested for s in systems) and len({s.url for s in systems}) == len(systems)


def _tree(made: ExpansionParts, entries: Iterable[ExpansionEntry]) -> list[FhirJson]:
    roots: list[FhirJson] = []
    placed: dict[tuple[int, int], FhirJson] = {}
    for entry in entries:
        shown = contained(made, entry)
        parents = (placed.get((id(entry.system), parent)) for parent in entry.system.parents(entry.row))
        above = next((parent for parent in parents if parent is not None), None)
        placed[id(entry.system), entry.row] = shown
        if above is None:
            roots.append(shown)
        else:
            above.setdefault("contains", []).append(shown)
    return roots
