"""ValueSet (FHIR R4 and R5): its codes, from its expansion, its lists, or filters over the CodeSystems in the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ontonym.files.counts import BadRow
from ontonym.files.jsontext import JsonObject, flag_of, object_of, objects_of, text_of, texts_of
from ontonym.ontology.fhir.codes import CodeSystemIndex, NotListable, matching_version
from ontonym.ontology.fhir.codesystem import CodeSystem
from ontonym.ontology.fhir.fields import names_of
from ontonym.ontology.fhir.resources import Resource
from ontonym.text.counting import count
from ontonym.types import Term

MAX_DEPTH = 100
"""The maximum depth of value sets that import each other."""

Code = tuple[str, str]
"""URL of the system, and code."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A code as a value set lists it: its names there, and whether it is inactive."""

    terms: tuple[Term, ...] = ()
    retired: bool = False


NOT_LISTED = Listed()
"""A code that comes from a filter or a whole system; its names are in its CodeSystem."""


@dataclass(slots=True)
class Members:
    """The codes of a value set in order.

    Of the ``rows`` that list a code, those in ``listed`` are in the value set if in ``codes`` too, those in ``unknown``
    are not in their CodeSystem, and ``without_code`` only group others. ``incomplete`` says what is missing of an
    expansion that is one page of several.
    """

    codes: dict[Code, Listed] = field(default_factory=dict)
    listed: dict[Code, None] = field(default_factory=dict)
    unknown: list[Code] = field(default_factory=list)
    rows: int = 0
    without_code: int = 0
    incomplete: str = ""

    @property
    def kept(self) -> int:
        """The number of rows that became members."""
        return sum(code in self.codes for code in self.listed)


class CodeSystems:
    """The CodeSystems in the files by URL and version, indexed when a value set first needs them."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self._resources: dict[str, dict[str, Resource]] = {}
        self._indexes: dict[tuple[str, str], CodeSystemIndex] = {}
        for resource in resources:
            self._resources.setdefault(resource.key, {}).setdefault(resource.version, resource)

    def get(self, url: str, version: str) -> CodeSystemIndex | None:
        """The newest CodeSystem with this URL whose version fits, or None."""
        versions = self._resources.get(url, {})
        found = matching_version(version, versions)
        if found is None:
            return None
        if (url, found) not in self._indexes:
            self._indexes[url, found] = CodeSystemIndex(CodeSystem(versions[found]))
        return self._indexes[url, found]

    def versions(self, url: str) -> Sequence[str]:
        """The versions at hand of a system."""
        return list(self._resources.get(url, ()))


class ValueSets:
    """The value sets of one release, each expanded once, in whatever order they refer to each other."""

    def __init__(self, resources: Sequence[Resource], systems: CodeSystems) -> None:
        self._systems = systems
        self._by_url: dict[str, dict[str, Resource]] = {}
        self._done: dict[int, Members | NotListable] = {}
        self._under_way: list[int] = []
        self.resources = resources
        for resource in resources:
            self._by_url.setdefault(resource.key, {}).setdefault(resource.version, resource)

    def members(self, resource: Resource) -> Members:
        """The codes of a value set.

        Raises ``NotListable`` if the files lack what it needs, and ``BadRow`` if it violates the specification.
        """
        done = self._done.get(id(resource))
        if done is None:
            if id(resource) in self._under_way:
                raise NotListable(f"{resource.label} is made of itself", "Fix its valueSet imports")
            if len(self._under_way) >= MAX_DEPTH:
                raise NotListable("its value sets import each other too deep", "Fix its valueSet imports")
            self._under_way.append(id(resource))
            try:
                done = self._expand(resource.load())
            except NotListable as problem:
                done = problem
            finally:
                self._under_way.pop()
            self._done[id(resource)] = done
        if isinstance(done, NotListable):
            raise done
        return done

    def _expand(self, document: JsonObject) -> Members:
        """The members by the expansion that comes with a value set, else by its rules."""
        expansion = object_of(document, "expansion")
        total = expansion.get("total")
        if objects_of(expansion, "contains") or (expansion and total == 0):
            return self._expanded(document, expansion)
        compose = object_of(document, "compose")
        if not compose:
            raise NotListable("the value set has neither codes nor a rule for them", "Add its expansion")
        members = Members()
        for component in objects_of(compose, "include"):
            for code, listed in self._component(component, document, members).items():
                if members.codes.get(code, NOT_LISTED) is NOT_LISTED:
                    members.codes[code] = listed
        for component in objects_of(compose, "exclude"):
            aside = Members()
            taken = self._component(component, document, aside)
            members.rows += aside.rows
            for code in taken:
                members.codes.pop(code, None)
        if flag_of(compose, "inactive") is False:
            for code in [code for code in members.codes if self._retired(code)]:
                del members.codes[code]
        return members

    def _expanded(self, document: JsonObject, expansion: JsonObject) -> Members:
        """The codes of an expansion; its nesting is for display only (FHIR R4, 4.9.9)."""
        members = Members()
        language = text_of(document, "language") or "en"
        for item in _entries(expansion):
            code = (text_of(item, "system"), text_of(item, "code"))
            members.rows += 1
            if code[1]:
                members.codes.setdefault(code, _listed(item, language))
                members.listed[code] = None
            else:
                members.without_code += 1
        total = expansion.get("total")
        if isinstance(total, int) and total > len(members.codes):
            members.incomplete = f"{len(members.codes):,} of {count(total, 'code')}"
        return members

    def _component(self, component: JsonObject, document: JsonObject, members: Members) -> dict[Code, Listed]:
        """The codes of one include or exclude: those of its system that are in all of its value sets."""
        sets = [self._imported(url, document) for url in texts_of(component, "valueSet")]
        if text_of(component, "system"):
            found = self._of_system(component, document, members)
        elif sets:
            found = dict(sets.pop(0).codes)
        else:
            raise BadRow("an include or exclude with neither a system nor a value set")
        for other in sets:
            found = {code: listed for code, listed in found.items() if code in other.codes}
        return found

    def _of_system(self, component: JsonObject, document: JsonObject, members: Members) -> dict[Code, Listed]:
        """The codes of a system that a part of a rule takes: those it lists, else those its filters let through."""
        system, version = text_of(component, "system"), text_of(component, "version")
        system, _, pinned = system.partition("|")
        concepts, filters = objects_of(component, "concept"), objects_of(component, "filter")
        codes = self._systems.get(system, version or pinned)
        if concepts:
            language = text_of(document, "language") or "en"
            return self._enumerated(concepts, system, codes, language, members)
        if codes is None or codes.system.content in {"not-present", "example"}:
            raise self._missing(system, version or pinned)
        chosen: set[str] | None = None
        for item in filters:
            name, op, value = (text_of(item, key) for key in ("property", "op", "value"))
            if not name or not op or not value:
                raise BadRow("a filter without a property, an operator or a value")
            let_through = codes.filtered(name, op, value)
            chosen = let_through if chosen is None else chosen & let_through
        return {(system, code): NOT_LISTED for code in codes if chosen is None or code in chosen}

    @staticmethod
    def _enumerated(
        concepts: Iterable[JsonObject], system: str, codes: CodeSystemIndex | None, language: str, members: Members
    ) -> dict[Code, Listed]:
        """The codes that a rule lists; those that a complete code system lacks are noted as unknown."""
        found = {}
        for item in concepts:
            code = text_of(item, "code")
            if not code:
                raise BadRow("a listed concept without a code")
            members.rows += 1
            spelled = codes.spelled(code) if codes is not None else code
            if spelled is None and codes is not None and codes.system.complete:
                members.unknown.append((system, code))
                continue
            found[system, spelled or code] = _listed(item, language)
            members.listed[system, spelled or code] = None
        return found

    def _imported(self, canonical: str, document: JsonObject) -> Members:
        """The members of an imported value set: one in the files, or one contained in the resource."""
        if canonical.startswith("#"):
            for inner in objects_of(document, "contained"):
                if f"#{inner.get('id')}" == canonical and inner.get("resourceType") == "ValueSet":
                    return self._contained(inner, document["contained"])
        url, _, version = canonical.partition("|")
        versions = self._by_url.get(url, {})
        found = matching_version(version, versions)
        if found is None:
            raise NotListable(f"it imports the value set {canonical}, which is not among the files", f"Add {canonical}")
        return self.members(versions[found])

    def _contained(self, inner: JsonObject, siblings: list[JsonObject]) -> Members:
        """The members of a value set that is contained in another."""
        if id(inner) in self._under_way:
            raise NotListable(f"the contained value set {inner.get('id')} is made of itself", "Fix its imports")
        self._under_way.append(id(inner))
        try:
            return self._expand({**inner, "contained": siblings})
        finally:
            self._under_way.pop()

    def _missing(self, system: str, version: str) -> NotListable:
        named = f"{system}|{version}" if version else system
        at_hand = [at for at in self._systems.versions(system) if at]
        there = f" (there is {', '.join(at_hand)})" if version and at_hand else ""
        problem = f"it takes codes of {named} by a rule, and that code system is not among the files{there}"
        return NotListable(problem, f"Add the CodeSystem {named}, or the value set's expansion")

    def _retired(self, code: Code) -> bool:
        codes = self._systems.get(code[0], "")
        return codes is not None and code[1] in codes.entries and codes.retired(code[1])


def _listed(item: JsonObject, language: str) -> Listed:
    return Listed(names_of(item, "display", language).terms, flag_of(item, "inactive") is True)


def _entries(expansion: JsonObject) -> Iterator[JsonObject]:
    """Every entry of an expansion, nested ones included, in order."""
    stack = [iter(objects_of(expansion, "contains"))]
    while stack:
        item: Any = next(stack[-1], None)
        if item is None:
            stack.pop()
            continue
        yield item
        stack.append(iter(objects_of(item, "contains")))
