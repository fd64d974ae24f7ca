"""The properties, with types, that a FHIR CodeSystem must declare for a terminology, found in one pass."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ontonym.ontology.fhir.codesystem import CODE_ROLES
from ontonym.ontology.fhir.fields import written
from ontonym.ontology.fhir.systems import IRIS, NO_PREFIX, OBO_PREFIXES, url_of
from ontonym.store.export.walk import Walk
from ontonym.store.mappings.iris import BARE_PREFIX, is_iri, split_id
from ontonym.types import Concept, Property

CODE = re.compile(r"[^\s]+( [^\s]+)*")
"""The form of a code in FHIR (R4, 2.24.0.1 "code")."""

CARRY_PREFIX = OBO_PREFIXES | {"HGNC"}
"""Prefixes that are part of the codes of their systems."""

_STANDARD = "http://hl7.org/fhir/concept-properties#"
_OWN = {
    "inactive": (_STANDARD + "inactive", "boolean"),
    "parent": (_STANDARD + "parent", "code"),
    "parentElsewhere": (_STANDARD + "parent", "Coding"),
    "alternateCode": (_STANDARD + "alternateCode", "code"),
    "alternativeId": ("http://www.geneontology.org/formats/oboInOwl#hasAlternativeId", "string"),
    "replacedBy": ("http://purl.obolibrary.org/obo/IAO_0100001", "Coding"),
    "consider": ("http://www.geneontology.org/formats/oboInOwl#consider", "Coding"),
    "xref": ("http://www.geneontology.org/formats/oboInOwl#hasDbXref", "string"),
    "tag": ("http://www.geneontology.org/formats/oboInOwl#inSubset", "string"),
}
"""The fields of a concept, each with the URI and the type of its property."""

_DATE = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?)?)?")


def code_of(concept_id: str) -> str:
    """The code of a concept in its system: without the prefix, unless that is part of the codes."""
    prefix, local = split_id(concept_id)
    return concept_id if prefix in CARRY_PREFIX or not prefix else local


class Urls:
    """The URL of the code system of every prefix; ``given`` URLs precede the well-known ones."""

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = dict(given)

    def set(self, prefix: str, url: str) -> None:
        """Sets the URL of a prefix to the user's."""
        self._given[prefix] = url

    def of(self, prefix: str) -> str:
        """The URL known since the terminology was imported, or a well-known one, or one of ontonym's own."""
        return self._given.get(prefix) or (url_of(prefix) if prefix else self._given.get(BARE_PREFIX, NO_PREFIX))

    def of_id(self, concept_id: str) -> str:
        """The URL of the system of a concept."""
        return IRIS if is_iri(concept_id) else self.of(split_id(concept_id)[0])


def typed(type_: str, value: str) -> Any:
    """The value in FHIR's JSON, or None if it would not read back as the same text."""
    made: Any = None
    if type_ == "boolean":
        made = {"true": True, "false": False}.get(value)
    elif type_ in {"integer", "decimal"}:
        try:
            made = int(value) if type_ == "integer" else float(value)
        except ValueError:
            return None
    elif type_ == "code":
        made = value if CODE.fullmatch(value) else None
    elif type_ == "dateTime":
        made = value if _DATE.fullmatch(value) else None
    elif value.strip():
        made = value
    return made if made is not None and written(made) == value else None


@dataclass(slots=True)
class Survey:
    """The result of one pass: the rows of each prefix, and by prefix the properties of its concepts.

    ``left_out`` counts concepts whose code FHIR does not allow, which are in none of the rest.
    ``maps`` are the rows of concepts with mappings, by the mappings' source, the concept's prefix, and the URL of the
    target's code system.
    """

    rows: dict[str, array[int]] = field(default_factory=dict)
    own: dict[str, set[str]] = field(default_factory=dict)
    predicates: dict[str, set[str]] = field(default_factory=dict)
    elsewhere: dict[str, set[str]] = field(default_factory=dict)
    values: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    maps: dict[tuple[str, str, str], array[int]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)

    def declarations(self, prefix: str, given: dict[str, Any]) -> Declarations:
        """The declarations of the code system of a prefix; ``given`` are those known from its import."""
        known = {part["code"]: part for part in given.get("properties", ()) if isinstance(part.get("code"), str)}
        predicates, values = self.predicates.get(prefix, set()), self.values.get(prefix, {})
        types: dict[str, str] = {}
        for name in sorted({*predicates, *values}):
            wanted = known.get(name, {}).get("type", "string")
            fits = values.get(name, set())
            if name not in predicates:
                types[name] = wanted if wanted in fits else "string"
            elif name in values and "code" in fits and name not in self.elsewhere.get(prefix, set()):
                types[name] = "code"
            else:
                types[name] = "Coding"
        return Declarations(
            types, self.own.get(prefix, set()), {name: part.get("uri", "") for name, part in known.items()}
        )


_TYPES = ("boolean", "integer", "decimal", "code", "dateTime", "string")


def survey(walk: Walk, urls: Urls) -> Survey:
    """Reads every concept once."""
    found = Survey()
    for row, concept in enumerate(walk.concepts("looking")):
        prefix, _ = split_id(concept.id)
        rows = found.rows.setdefault(prefix, array("Q"))
        if not CODE.fullmatch(code_of(concept.id)):
            found.left_out["concepts whose code FHIR does not allow"] += 1
            continue
        rows.append(row)
        found.own.setdefault(prefix, set()).update(_own_of(concept, prefix))
        for relation in concept.relations:
            found.predicates.setdefault(prefix, set()).add(relation.predicate)
            if split_id(relation.target)[0] != prefix:
                found.elsewhere.setdefault(prefix, set()).add(relation.predicate)
        for mapping in concept.mappings:
            key = (mapping.source, prefix, urls.of_id(mapping.object_id) if mapping.object_id else "")
            mapped = found.maps.setdefault(key, array("Q"))
            if not mapped or mapped[-1] != row:
                mapped.append(row)
        values = found.values.setdefault(prefix, {})
        for prop in concept.properties:
            fits = values.get(prop.name)
            if fits is None:
                values[prop.name] = {type_ for type_ in _TYPES if typed(type_, prop.value) is not None}
            elif len(fits) > 1:
                fits.intersection_update([type_ for type_ in fits if typed(type_, prop.value) is not None])
    return found


def _own_of(concept: Concept, prefix: str) -> Iterator[str]:
    """The names of the properties for a concept's own fields."""
    if concept.status == "retired":
        yield "inactive"
    for parent in concept.parents:
        yield "parent" if split_id(parent)[0] == prefix else "parentElsewhere"
    for alternative in concept.alternative_ids:
        yield "alternateCode" if prefix and split_id(alternative)[0] == prefix else "alternativeId"
    lists = {
        "replacedBy": concept.replaced_by,
        "consider": concept.consider,
        "xref": concept.xrefs,
        "tag": concept.tags,
    }
    yield from (name for name, values in lists.items() if values)


class Declarations:
    """The properties of one code system: ``types`` by name, and ``own``, the code of each property of ontonym."""

    def __init__(self, types: dict[str, str], own: set[str], uris: dict[str, str]) -> None:
        self.types = types
        taken: set[str] = set()
        self._codes = {name: _free(" ".join(name.split()) or "property", taken) for name in types}
        self.own = {name: _free(name, taken) for name in _OWN if name in own}
        self._uris = uris

    def code(self, name: str) -> str:
        """The code of a property or relation."""
        return self._codes[name]

    def value(self, prop: Property) -> dict[str, Any] | None:
        """The property in FHIR's form; None if its name is that of relations, or it has no text."""
        type_ = self.types[prop.name]
        value = typed(type_, prop.value) if type_ != "Coding" else None
        return None if value is None else {"code": self._codes[prop.name], f"value{type_[0].upper()}{type_[1:]}": value}

    def shown(self) -> list[dict[str, str]]:
        """The declarations in FHIR's form."""
        ours = [{"code": code, "uri": _OWN[name][0], "type": _OWN[name][1]} for name, code in self.own.items()]
        others = []
        for name, type_ in self.types.items():
            uri = self._uris.get(name) or (f"urn:ontonym:property:{name}" if name in CODE_ROLES else "")
            others.append({"code": self._codes[name], **({"uri": uri} if uri else {}), "type": type_})
        return ours + others


def _free(name: str, taken: set[str]) -> str:
    """The name, with a number if it is taken; marks it as taken."""
    number, code = 2, name
    while code in taken:
        code = f"{name}-{number}"
        number += 1
    taken.add(code)
    return code
