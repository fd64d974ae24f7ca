"""Turns FHIR resources into concepts: every code becomes one concept, to which value sets and maps add."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ontonym.files.counts import BadRow
from ontonym.files.jsontext import excerpt, text_of
from ontonym.files.source import Source
from ontonym.ontology.fhir.codes import NotListable, version_order
from ontonym.ontology.fhir.codesystem import DUPLICATE, CodeSystem, concept_of, merged
from ontonym.ontology.fhir.conceptmap import ConceptMap
from ontonym.ontology.fhir.resources import FoundResources, Resource, find_resources
from ontonym.ontology.fhir.systems import Systems, best_name, known_prefix
from ontonym.ontology.fhir.valueset import CodeSystems, Listed, Members, ValueSets
from ontonym.ontology.release import ReleaseLog
from ontonym.types import Concept, Mapping, Property, Term

VALUE_SET = "valueset"
"""The property whose values are the canonical URLs of the value sets that a concept is in."""

OLDER = "concept of a code system that is there in a newer version"
NOT_PRESENT = "code system without its concepts"
NOT_LISTABLE = "value set whose codes the files do not tell"
NOT_A_MEMBER = "code that its value set lists twice, or excludes"
GROUPING = "entry of an expansion without a code"
OWN_DISPLAY = "value set's or map's own name for a code of a code system that is there"
NOT_SUPPLEMENTED = "supplement to a code that the code system does not have"


def read_fhir(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The concepts of the CodeSystems in order, then codes that only supplements, value sets or maps name.

    Supplements are merged into the concepts they supplement. Membership of a value set is the property ``valueset``
    with its URL; a ConceptMap's elements are mappings of their source concepts. Of several versions of a CodeSystem the
    newest is used.
    """
    found = find_resources(sources, log)
    release = _Release(found, log)
    release.describe()
    release.read_supplements()
    release.read_maps()
    release.read_value_sets()
    yield from release.concepts()
    log.details["systems"] = dict(release.systems.items())


class _Release:
    """The contents of the resources of one release, collected before any concept is yielded."""

    def __init__(self, found: FoundResources, log: ReleaseLog) -> None:
        self.systems = Systems()
        self._found = found
        self._log = log
        self._supplements = [resource for resource in found.of("CodeSystem") if resource.content == "supplement"]
        bases = [resource for resource in found.of("CodeSystem") if resource.content != "supplement"]
        self._newest = _newest(bases)
        self._bases = bases
        self._at_hand = CodeSystems(bases)
        self._extra: dict[str, Concept] = {}
        self._extra_rows: Counter[str] = Counter()
        self._mappings: dict[str, list[Mapping]] = {}
        self._value_sets: dict[str, list[str]] = {}
        self._listed: dict[str, Listed] = {}
        local = {base.key for base in bases if not known_prefix(base.key)}
        for base in bases:
            given = log.options.prefix if len(local) == 1 and base.key in local else ""
            self.systems.register(base.key, base.id, base.name, prefix=given)

    def describe(self) -> None:
        """Records the release's metadata: from the package, or else its first code system, value set or map."""
        package = self._found.package
        log = self._log
        if package:
            facts = {key: package[key] for key in ("name", "version", "canonical") if isinstance(package.get(key), str)}
            fhir = package.get("fhirVersions") or package.get("fhir-version-list")
            log.details["package"] = facts | ({"fhir_versions": fhir} if fhir else {})
            texts = {key: _text(package.get(key)) for key in ("name", "version", "title", "license")}
            log.describe(
                name=texts["name"].lower(), version=texts["version"], title=texts["title"], licence=texts["license"]
            )
            return
        resources = self._bases + self._supplements + [r for r in self._found.resources if r.kind != "CodeSystem"]
        if not resources:
            return
        first = self._newest.get(resources[0].key, resources[0]) if resources[0] in self._bases else resources[0]
        name = best_name(first.id, first.name, first.url.rpartition("/")[2]) or first.kind
        more = len({(r.kind, r.key) for r in resources}) - 1
        title = (first.title or first.name or first.id) + (f" and {more:,} more" if more else "")
        licence = " ".join(first.copyright.split())
        log.describe(name=name.lower(), version=first.version, title=title, licence=licence)

    # Collecting ---------------------------------------------------------------------------------------------------

    def read_supplements(self) -> None:
        """Collects the additions of supplements, by concept id."""
        for resource in self._supplements:
            try:
                system = CodeSystem(resource)
                if not system.system:
                    raise BadRow("a supplement that does not say what it supplements")
            except BadRow as broken:
                self._malformed(resource, str(broken))
                continue
            self.systems.register(system.system)
            self._note("code_systems", system.facts() | {"concepts": len(system.codes)})
            for item, nested_in in system.walk():
                try:
                    concept = concept_of(item, nested_in, system, self.systems)
                except BadRow as broken:
                    self._malformed(resource, str(broken), item)
                    continue
                self._extra_rows[concept.id] += 1
                known = self._extra.get(concept.id)
                self._extra[concept.id] = merged(known, concept) if known else concept

    def read_maps(self) -> None:
        """Collects the mappings of all ConceptMaps by their source concepts."""
        for resource in self._found.of("ConceptMap"):
            try:
                concept_map = ConceptMap(resource)
                for system, version, element in concept_map.elements():
                    self._read_element(concept_map, system, version, element)
                self._note("concept_maps", concept_map.facts())
            except BadRow as broken:
                self._malformed(resource, str(broken))

    def _read_element(self, concept_map: ConceptMap, system: str, version: str, element: dict[str, Any]) -> None:
        """Notes the mappings of one source code of a concept map."""
        resource = concept_map.resource
        try:
            code = text_of(element, "code")
            mappings = concept_map.mappings(system, element, self.systems)
        except BadRow as broken:
            self._malformed(resource, str(broken), element)
            return
        codes = self._at_hand.get(system, version)
        if codes is not None and codes.system.complete and codes.spelled(code) is None:
            self._malformed(resource, f"the code {code!r} is not in {codes.system.resource.label}", element)
            return
        for mapping in mappings:
            self._log.counts.keep()
            self._mappings.setdefault(mapping.subject_id, []).append(mapping)
        label = text_of(element, "display")
        terms = (Term(label, "preferred"),) if label else ()
        self._add_listed(system, mappings[0].subject_id, Listed(terms))

    def read_value_sets(self) -> None:
        """Collects the value sets that each concept is in; one that cannot be listed is counted and recorded."""
        value_sets = ValueSets(self._found.of("ValueSet"), self._at_hand)
        versions = Counter(resource.key for resource in value_sets.resources)
        for resource in value_sets.resources:
            try:
                members = value_sets.members(resource)
            except NotListable as problem:
                self._not_listable(resource, problem)
                continue
            except BadRow as broken:
                self._malformed(resource, str(broken))
                continue
            url = resource.key
            if versions[url] > 1 and resource.version:
                url += f"|{resource.version}"
            if not members.codes and len(self._found.resources) == 1:
                resource.source.fail(resource.line, f"{resource.label} has no codes")
            self._add_members(resource, url, members)

    def _add_members(self, resource: Resource, url: str, members: Members) -> None:
        """Notes the members of a value set for their concepts, and counts its rows."""
        counts = self._log.counts
        for (system, code), listed in members.codes.items():
            concept_id = self.systems.identifier(system, code)
            urls = self._value_sets.setdefault(concept_id, [])
            if url not in urls:
                urls.append(url)
            self._add_listed(system, concept_id, listed)
        for system, code in members.unknown:
            self._malformed(resource, f"the code {code!r} is not in the code system {system}")
        kept = members.kept
        for rule, count in (
            ("", kept),
            (GROUPING, members.without_code),
            (NOT_A_MEMBER, members.rows - kept - members.without_code - len(members.unknown)),
        ):
            counts.keep(count, rule)
        facts = {"url": resource.url, "version": resource.version, "id": resource.id, "name": resource.name,
                 "title": resource.title, "incomplete": members.incomplete}  # fmt: skip
        self._note("value_sets", {k: v for k, v in facts.items() if v} | {"members": len(members.codes)})

    def _add_listed(self, system: str, concept_id: str, listed: Listed) -> None:
        """Adds a code with its names in a value set or map, unless its CodeSystem is among the files."""
        if system in self._newest:
            self._log.counts.skip_term(OWN_DISPLAY, len(listed.terms))
            return
        known = self._listed.get(concept_id)
        if known is None:
            self._listed[concept_id] = listed
        elif not set(listed.terms) <= set(known.terms):
            one = merged(Concept(concept_id, known.terms), Concept(concept_id, listed.terms))
            self._listed[concept_id] = Listed(one.terms, known.retired and listed.retired)

    # Yielding -----------------------------------------------------------------------------------------------------

    def concepts(self) -> Iterator[Concept]:
        """Every concept once."""
        seen: set[str] = set()
        for resource in self._bases:
            try:
                system = CodeSystem(resource)
            except BadRow as broken:
                self._malformed(resource, str(broken))
                continue
            yield from self._of_code_system(system, seen)
        complete = tuple(
            f"{self.systems.register(u)}:" for u, base in self._newest.items() if base.content == "complete"
        )
        for concept_id, concept in self._extra.items():
            known = not (complete and concept_id.startswith(complete))
            self._log.counts.keep(self._extra_rows[concept_id], "" if known else NOT_SUPPLEMENTED)
            if known:
                seen.add(concept_id)
                yield self._completed(concept)
        rest = dict.fromkeys([*self._listed, *self._value_sets, *self._mappings])
        for concept_id in rest:
            if concept_id not in seen:
                listed = self._listed.get(concept_id, Listed())
                concept = Concept(concept_id, listed.terms, status="retired" if listed.retired else "active")
                yield self._completed(concept)

    def _of_code_system(self, system: CodeSystem, seen: set[str]) -> Iterator[Concept]:
        """The concepts of a code system, each with what value sets and maps say of it; older versions are skipped."""
        counts = self._log.counts
        newest = self._newest[system.url]
        number = 0
        for item, nested_in in system.walk():
            if newest.version != system.version:
                counts.skip(OLDER)
                continue
            try:
                concept = concept_of(item, nested_in, system, self.systems)
                if concept.id in seen:
                    raise BadRow(f"{DUPLICATE} {text_of(item, 'code')!r}")
            except BadRow as broken:
                self._malformed(system.resource, str(broken), item)
                continue
            counts.keep()
            number += 1
            seen.add(concept.id)
            extra = self._extra.pop(concept.id, None)
            if extra is not None:
                counts.keep(self._extra_rows[concept.id])
                concept = merged(concept, extra)
            yield self._completed(concept)
        if not system.codes:
            counts.skip(NOT_PRESENT)
        prefix = self.systems.register(system.url)
        self._note("code_systems", {"prefix": prefix, **system.facts(), "concepts": number})

    def _completed(self, concept: Concept) -> Concept:
        """The concept with its value sets and mappings."""
        urls, mappings = self._value_sets.pop(concept.id, ()), self._mappings.pop(concept.id, ())
        if not urls and not mappings:
            return concept
        properties = (*concept.properties, *(Property(VALUE_SET, url) for url in urls))
        return replace(concept, properties=properties, mappings=(*concept.mappings, *mappings))

    # Metadata -----------------------------------------------------------------------------------------------------

    def _note(self, key: str, fact: dict[str, Any]) -> None:
        self._log.details.setdefault(key, []).append(fact)

    def _not_listable(self, resource: Resource, problem: NotListable) -> None:
        if len(self._found.resources) == 1 or self._log.options.strict:
            resource.source.fail(resource.line, f"{resource.label}: {problem.problem}", problem.hint)
        self._log.counts.skip(NOT_LISTABLE)
        whole = f"{problem.problem}. {problem.hint}"
        self._note("value_sets_not_listed", {"url": resource.key, "problem": whole})

    def _malformed(self, resource: Resource, problem: str, item: Any = None) -> None:
        shown = "" if item is None else excerpt(item)
        self._log.malformed(resource.source, resource.line, f"{resource.label}: {problem}", shown)


def _newest(resources: Sequence[Resource]) -> dict[str, Resource]:
    """The CodeSystem of the newest version by URL; the first of equal ones."""
    newest: dict[str, Resource] = {}
    for resource in resources:
        known = newest.get(resource.key)
        if known is None or version_order(resource.version) > version_order(known.version):
            newest[resource.key] = resource
    return newest


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
