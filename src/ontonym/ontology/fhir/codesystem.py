"""CodeSystem (FHIR R4 and R5): its concepts with names, hierarchy, properties and status."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from ontonym.files.counts import BadRow
from ontonym.files.jsontext import JsonObject, flag_of, objects_of, text_of
from ontonym.ontology.batch import GROUPS
from ontonym.ontology.fhir.fields import USES, code_in, names_of, translations, value_of, written
from ontonym.ontology.fhir.resources import Resource
from ontonym.ontology.fhir.systems import Systems
from ontonym.ontology.xrefs import curie
from ontonym.types import Concept, Property, Relation, Term

ROLE_URIS = MappingProxyType(
    {
        **{
            f"{base}#{code}": code
            for base in (
                "http://hl7.org/fhir/concept-properties",
                "http://terminology.hl7.org/CodeSystem/concept-properties",
                "http://terminology.hl7.org/CodeSystem/utg-concept-properties",
            )
            for code in ("parent", "child", "partOf", "inactive", "status", "notSelectable", "alternateCode")
        },
        "http://purl.obolibrary.org/obo/IAO_0100001": "replacedBy",
        "http://www.geneontology.org/formats/oboInOwl#consider": "consider",
        "http://www.geneontology.org/formats/oboInOwl#hasAlternativeId": "alternativeId",
        "http://www.geneontology.org/formats/oboInOwl#hasDbXref": "xref",
        "http://www.geneontology.org/formats/oboInOwl#inSubset": "tag",
    }
)
"""The role of a declared property by its URI (FHIR R5, 4.8.12 "Concept properties", and OBO's annotations)."""

CODE_ROLES = frozenset({"parent", "child", "partOf", "inactive", "status", "notSelectable", "alternateCode"})
"""Property codes with the same meaning if no URI defines them."""

RETIRED_WORDS = frozenset({"retired", "inactive", "deprecated"})
"""Values of the property ``status`` that retire a concept; HL7's own terminology server takes the same three."""

IS_A_MEANINGS = frozenset({"", "is-a", "classified-with"})
"""Values of ``hierarchyMeaning`` whose nested concepts are is-a children; the others become relations."""

REPLACED_BY = "http://hl7.org/fhir/StructureDefinition/codesystem-replacedby"

_LISTS = tuple(name for name in GROUPS if name != "terms")

_NAMING_ROLES = {
    "parent": "parents", "alternateCode": "alternatives", "replacedBy": "replaced_by", "consider": "consider",
}  # fmt: skip
_TEXT_ROLES = {"alternativeId": "alternatives", "xref": "xrefs", "tag": "tags"}
"""Roles of properties whose value is a concept or a text, and the facts that they fill."""

DUPLICATE = "duplicate code"


@dataclass(frozen=True, slots=True)
class Declared:
    """A property as the CodeSystem declares it."""

    code: str
    uri: str
    type: str

    @property
    def role(self) -> str:
        """Its role here, or an empty string."""
        return ROLE_URIS.get(self.uri, "") if self.uri else role_of_code(self.code)


def role_of_code(code: str) -> str:
    """The role of a property that is not declared, or declared without a URI."""
    return code if code in CODE_ROLES else ""


class CodeSystem:
    """One CodeSystem resource, loaded."""

    def __init__(self, resource: Resource) -> None:
        document = resource.load()
        self.resource = resource
        self.url = resource.key
        self.version = resource.version
        self.content = resource.content
        self.supplements = text_of(document, "supplements")
        self.language = text_of(document, "language") or "en"
        self.meaning = text_of(document, "hierarchyMeaning")
        self.value_set = text_of(document, "valueSet")
        self.case_sensitive = flag_of(document, "caseSensitive") is not False
        self.declared = {
            text_of(item, "code"): Declared(text_of(item, "code"), text_of(item, "uri"), text_of(item, "type"))
            for item in objects_of(document, "property")
        }
        self.document = document

    @property
    def system(self) -> str:
        """The URL of the system that its codes belong to: for a supplement the one it supplements."""
        return self.supplements.partition("|")[0] if self.content == "supplement" else self.url

    @property
    def complete(self) -> bool:
        """Whether it has every code of its system (FHIR R4 assumes that only if ``content`` says so)."""
        return self.content == "complete"

    def facts(self) -> dict[str, Any]:
        """The manifest's entry, with which the code system can be served and written again."""
        given = {
            "url": self.resource.url,
            "version": self.version,
            "id": self.resource.id,
            "name": self.resource.name,
            "title": self.resource.title,
            "value_set": self.value_set,
            "content": self.content,
            "supplements": self.supplements,
            "language": text_of(self.document, "language"),
            "hierarchy_meaning": self.meaning,
        }
        declared = [
            {key: value for key, value in (("code", d.code), ("uri", d.uri), ("type", d.type)) if value}
            for d in self.declared.values()
        ]
        facts: dict[str, Any] = {key: value for key, value in given.items() if value}
        facts["case_sensitive"] = self.case_sensitive
        uses = self._outline[2]
        return facts | ({"properties": declared} if declared else {}) | ({"designation_uses": uses} if uses else {})

    def walk(self) -> Iterator[tuple[JsonObject, str]]:
        """Every concept with the code of the concept in which it is nested (empty at the top), parents first."""
        top: Iterable[Any] = self.resource.slices or _concepts(self.document)
        stack = [(iter(top), "")]
        while stack:
            siblings, parent = stack[-1]
            item = next(siblings, None)
            if item is None:
                stack.pop()
                continue
            yield item, parent
            if isinstance(item, dict) and item.get("concept"):
                code = item.get("code")
                stack.append((iter(_concepts(item)), code.strip() if isinstance(code, str) else ""))

    def role(self, code: str) -> str:
        """The role of a property: by its declared URI, else by its code."""
        declared = self.declared.get(code)
        return declared.role if declared else role_of_code(code)

    @property
    def codes(self) -> Set[str]:
        """All codes."""
        return self._outline[0]

    @property
    def parents_by_child(self) -> dict[str, list[str]]:
        """For each code those above it, by ``child`` properties."""
        return self._outline[1]

    @cached_property
    def _outline(self) -> tuple[set[str], dict[str, list[str]], dict[str, str]]:
        """Codes, parents by child, and the systems of designation uses that become the source of a name."""
        codes: set[str] = set()
        parents: dict[str, list[str]] = {}
        uses: dict[str, str] = {}
        child = {name for name in (*self.declared, "child") if self.role(name) == "child"}
        for item, _ in self.walk():
            code = item.get("code") if isinstance(item, dict) else None
            if not isinstance(code, str):
                continue
            codes.add(code.strip())
            for prop in _dicts(item.get("property")):
                if str(prop.get("code")) in child:
                    parents.setdefault(code_in(value_of(prop)[1]), []).append(code.strip())
            for designation in _dicts(item.get("designation")):
                use = designation.get("use")
                if isinstance(use, dict) and isinstance(use.get("code"), str) and use["code"] not in USES:
                    uses.setdefault(use["code"], str(use.get("system") or ""))
        return codes, parents, uses


def _dicts(items: Any) -> Iterator[JsonObject]:
    """The objects of a list; other items are ignored."""
    return (item for item in items if isinstance(item, dict)) if isinstance(items, list) else iter(())


def _concepts(parent: JsonObject) -> list[Any]:
    """The list ``concept``; its items are checked one by one."""
    items = parent.get("concept")
    return items if isinstance(items, list) else []


def concept_of(item: Any, nested_in: str, system: CodeSystem, systems: Systems) -> Concept:
    """The concept of one entry of a CodeSystem; raises ``BadRow`` for an entry of the wrong shape."""
    if not isinstance(item, dict):
        raise BadRow(item if isinstance(item, str) else "a concept that is not an object")
    code = text_of(item, "code")
    if not code:
        raise BadRow("a concept without a code")
    names = names_of(item, "display", system.language)
    facts = _Facts(system, systems, code)
    if nested_in:
        facts.add_nesting(nested_in)
    for prop in objects_of(item, "property"):
        facts.add_property(prop)
    for parent in system.parents_by_child.get(code, ()):
        facts.parents[facts.own_id(parent)] = None
    for language, text in translations(item, "definition"):
        facts.properties[Property(f"definition:{language}", text)] = None
    for extension in objects_of(item, "extension"):
        facts.add_extension(extension)
    definition = text_of(item, "definition")
    return Concept(
        id=facts.own_id(code),
        terms=names.terms,
        parents=tuple(facts.parents),
        relations=tuple(facts.relations),
        definitions=((definition,) if definition else ()) + names.definitions,
        tags=tuple(facts.tags),
        status="retired" if facts.retired else "active",
        alternative_ids=tuple(facts.alternatives),
        replaced_by=tuple(facts.replaced_by),
        consider=tuple(facts.consider),
        xrefs=tuple(facts.xrefs),
        properties=tuple(facts.properties),
    )


class _Facts:
    """Collects one concept from its nesting, its properties and its extensions; each list without repeats."""

    def __init__(self, system: CodeSystem, systems: Systems, code: str) -> None:
        self._system = system
        self._systems = systems
        self._code = code
        self.retired = False
        self.parents: dict[str, None] = {}
        self.relations: dict[Relation, None] = {}
        self.properties: dict[Property, None] = {}
        self.tags: dict[str, None] = {}
        self.alternatives: dict[str, None] = {}
        self.replaced_by: dict[str, None] = {}
        self.consider: dict[str, None] = {}
        self.xrefs: dict[str, None] = {}

    def own_id(self, code: str) -> str:
        """The concept id of a code of the same system."""
        return self._systems.identifier(self._system.system, code)

    def add_nesting(self, parent: str) -> None:
        """Adds the concept that this one is nested in: as a parent, or a relation named by the hierarchy's meaning."""
        if self._system.meaning in IS_A_MEANINGS:
            self.parents[self.own_id(parent)] = None
        else:
            self.relations[Relation(self._system.meaning, self.own_id(parent))] = None

    def add_property(self, prop: JsonObject) -> None:
        """Adds a property with its value; one without a value is ignored."""
        name = text_of(prop, "code")
        type_, value = value_of(prop)
        if not name:
            raise BadRow("a property without a code")
        if value is None:
            return
        text, target = written(value), self._target(type_, value)
        named = target if type_ == "Coding" else self.own_id(text)
        if self._add_role(self._system.role(name), name, text, named):
            return
        if target:
            self.relations[Relation(name, target)] = None
        elif text:
            self.properties[Property(name, text)] = None

    def _add_role(self, role: str, name: str, text: str, named: str) -> bool:
        """Fills the field of a property that has one; returns whether it has.

        ``named`` is the concept id of the value, if it is a concept.
        """
        if role == "status":
            self.retired |= text in RETIRED_WORDS
            return False
        if role == "inactive":
            self.retired |= text == "true"
        elif role == "partOf":
            self.relations[Relation(name, named)] = None
        elif role in _NAMING_ROLES:
            getattr(self, _NAMING_ROLES[role])[named] = None
        elif role in _TEXT_ROLES:
            getattr(self, _TEXT_ROLES[role])[curie(text) if role == "xref" else text] = None
        else:
            return role == "child"
        return True

    def add_extension(self, extension: JsonObject) -> None:
        """Adds an extension: the successor of a retired concept, or else a property named by the extension's URL."""
        url = text_of(extension, "url")
        _, value = value_of(extension)
        if url == REPLACED_BY and isinstance(value, dict):
            system, code = text_of(value, "system") or self._system.system, text_of(value, "code")
            self.replaced_by[self._systems.identifier(system, code)] = None
        elif url:
            text = written(value if value is not None else objects_of(extension, "extension"))
            self.properties[Property(url, text)] = None

    def _target(self, type_: str, value: Any) -> str:
        """The id of the concept named by a Coding or by a code of this system; an empty string for any other value."""
        if type_ == "Coding" and isinstance(value, dict):
            code = text_of(value, "code")
            return self._systems.identifier(text_of(value, "system") or self._system.system, code) if code else ""
        known = type_ == "Code" and isinstance(value, str) and value in self._system.codes
        return self.own_id(value) if known else ""


def merged(base: Concept, more: Concept) -> Concept:
    """The concept with the additions of a supplement; a preferred term only if its language has none yet."""
    known = {(term.text, term.language) for term in base.terms}
    has_preferred = {term.language for term in base.terms if term.kind == "preferred"}
    names: list[Term] = []
    for term in more.terms:
        if (term.text, term.language) not in known:
            demoted = term.kind == "preferred" and term.language in has_preferred
            names.append(replace(term, kind="synonym") if demoted else term)
    lists: dict[str, Any] = {
        name: tuple(dict.fromkeys((*getattr(base, name), *added))) for name in _LISTS if (added := getattr(more, name))
    }
    return replace(
        base,
        terms=base.terms + tuple(names),
        status="retired" if "retired" in (base.status, more.status) else "active",
        **lists,
    )
