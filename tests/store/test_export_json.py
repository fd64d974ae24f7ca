"""What leaves comes back: OBO Graphs and FHIR, compared concept by concept."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from drawn_concepts import IDS, LANGUAGES, NASTY, TIDY, Listed, concepts, many, some, terms, there_and_back
from hypothesis import given
from hypothesis import strategies as st

from ontonym.errors import InputError
from ontonym.ontology.formats import read_release
from ontonym.store import build_terminology, open_terminology
from ontonym.store.export import export_terminology
from ontonym.types import KINDS, SCOPES, STATUSES, Concept, Mapping, Property, Relation, Term

# OBO Graphs -------------------------------------------------------------------------------------------------------


@st.composite
def obo_like(draw: st.DrawFn) -> list[Concept]:
    names = terms(TIDY, scope=st.sampled_from(SCOPES))
    properties = some(st.builds(Property, st.sampled_from(["created_by", "http://x.org/y"]), NASTY))
    mapping = st.builds(Mapping, st.just(""), st.sampled_from(["skos:exactMatch", "skos:closeMatch"]),
                        st.sampled_from(["MESH:D1", "UMLS:C1"]), st.just("semapv:UnspecifiedMatching"))  # fmt: skip
    made = draw(concepts(names, NASTY, properties=properties, mappings=some(mapping)))
    return [replace(c, mappings=tuple(replace(m, subject_id=c.id) for m in c.mappings)) for c in made]


@pytest.mark.slow
@given(obo_like())
@many
def test_obographs_come_back(given: list[Concept]) -> None:
    stored, read, done = there_and_back(given, "obographs")
    assert read == stored
    assert done.left_out == {}


def test_obographs_are_what_others_read(store: Any, tmp_path: Path) -> None:
    concept = Concept(
        "HP:0000001", (Term("Fit", "preferred"), Term("Turn", "lay", "narrow", source="layperson"),
                       Term("Fits", "lay"), Term("Anfall", language="de")),
        parents=("HP:0000002",), relations=(Relation("BFO:0000050", "local:x"),), definitions=("A.",), tags=("core",),
        status="retired", replaced_by=("HP:0000003",),
    )  # fmt: skip
    done = export_terminology(store(concept), tmp_path / "t.obographs.json")
    (graph,) = json.loads((tmp_path / "t.obographs.json").read_text())["graphs"]
    obo = "http://purl.obolibrary.org/obo/"
    assert graph["edges"] == [
        {"sub": obo + "HP_0000001", "pred": "is_a", "obj": obo + "HP_0000002"},
        {"sub": obo + "HP_0000001", "pred": obo + "BFO_0000050", "obj": "local:x"},
    ]
    assert graph["nodes"] == [
        {
            "id": obo + "HP_0000001",
            "type": "CLASS",
            "lbl": "Fit",
            "meta": {
                "definition": {"val": "A."},
                "subsets": ["core"],
                "synonyms": [
                    {"pred": "hasNarrowSynonym", "val": "Turn", "synonymType": "layperson"},
                    {"pred": "hasExactSynonym", "val": "Fits", "synonymType": obo + "OMO_0003003"},
                    {"pred": "hasExactSynonym", "val": "Anfall"},
                ],
                "basicPropertyValues": [{"pred": obo + "IAO_0100001", "val": "HP:0000003"}],
                "deprecated": True,
            },
        }
    ]
    assert done.left_out == {"languages of names": 1, "where a name comes from": 1}


# FHIR -------------------------------------------------------------------------------------------------------------


@st.composite
def fhir_like(draw: st.DrawFn) -> list[Concept]:
    """Concepts of two code systems, with every kind of name."""
    source = st.one_of(st.just(""), st.sampled_from(["slang", "a b"]), TIDY)
    kinds, scopes, statuses = map(st.sampled_from, (KINDS[1:], SCOPES, STATUSES))
    names = terms(TIDY, kind=kinds, scope=scopes, language=LANGUAGES, status=statuses, source=source)
    ids = st.one_of(IDS, st.sampled_from(["local:a b", "local:c|d", "local:local:e", "http://x.org/y#z", "bare"]))
    properties = some(st.builds(Property, st.sampled_from(["note", "parent", "status ", "weight"]), TIDY), 2)
    mapping = st.builds(
        Mapping, st.just(""), st.sampled_from(["skos:exactMatch", "skos:narrowMatch", "skos:closeMatch", "x:y"]),
        st.one_of(st.just(""), ids), st.sampled_from(["semapv:UnspecifiedMatching", "semapv:LexicalMatching"]),
        confidence=st.one_of(st.none(), st.floats(0, 1)), object_label=st.one_of(st.just(""), TIDY),
        source=st.sampled_from(["", "mine", "http://x.org/map|1"]), comment=st.one_of(st.just(""), TIDY),
        rule=st.one_of(st.just(""), TIDY), group=st.integers(0, 2), priority=st.integers(0, 2),
    )  # fmt: skip
    made = draw(concepts(names, TIDY, ids, properties=properties, mappings=some(mapping)))
    return [
        replace(
            c,
            properties=tuple(replace(p, name=p.name.strip()) for p in c.properties),
            mappings=tuple(replace(m, subject_id=c.id) for m in c.mappings),
        )
        for c in made
    ]  # fmt: skip


def by_id(given: Iterable[Concept]) -> dict[str, Any]:
    """Concepts whose lists are compared without regard to their order."""
    return {
        c.id: {
            name: Counter(value) if isinstance(value, tuple) else value
            for name in Concept.__slots__
            if isinstance(value := getattr(c, name), tuple | str)
        }
        for c in (replace(c, mappings=tuple(replace(m, subject_label="") for m in c.mappings)) for c in given)
    }


@pytest.mark.slow
@given(fhir_like())
@many
def test_fhir_comes_back(given: list[Concept]) -> None:
    stored, read, done = there_and_back(given, "fhir")
    assert by_id(read) == by_id(stored)
    assert done.left_out == {}


def test_a_code_system(store: Any, tmp_path: Path) -> None:
    pair = (
        Concept(
            "local:a", (Term("Fever", "preferred"), Term("Fieber", "preferred", language="de"), Term("Hot", "lay"),
                        Term("Burning", scope="narrow", status="retired"), Term("Heat", "lay", "broad", source="old")),
            parents=("local:b", "local:c"), definitions=("One.", "Two."), alternative_ids=("local:z", "MSH:1"),
            properties=(Property("weight", "2"),), relations=(Relation("site", "SCTID:123037004"),), xrefs=("UMLS:C1",),
        ),
        Concept("local:b", (Term("Old", "preferred"),), status="retired", replaced_by=("local:a",)),
    )  # fmt: skip
    export_terminology(store(*pair), tmp_path / "t.fhir.json", url="http://x.org/codes")
    snomed, owl = "http://snomed.info/sct", "http://www.geneontology.org/formats/oboInOwl"
    omo = "http://purl.obolibrary.org/obo/omo.owl"
    additional = "http://hl7.org/fhir/5.0/StructureDefinition/extension-CodeSystem.concept.designation.additionalUse"
    status = "http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status"
    maintenance = "http://terminology.hl7.org/CodeSystem/hl7TermMaintInfra"
    standard = "http://hl7.org/fhir/concept-properties#"
    assert json.loads((tmp_path / "t.fhir.json").read_text()) == {
        "resourceType": "CodeSystem",
        "id": "local",
        "language": "en",
        "url": "http://x.org/codes",
        "version": "2024-01",
        "name": "Local",
        "title": "local",
        "status": "active",
        "caseSensitive": True,
        "hierarchyMeaning": "is-a",
        "content": "complete",
        "count": 2,
        "property": [
            {"code": "inactive", "uri": standard + "inactive", "type": "boolean"},
            {"code": "parent", "uri": standard + "parent", "type": "code"},
            {"code": "alternateCode", "uri": standard + "alternateCode", "type": "code"},
            {"code": "alternativeId", "uri": owl + "#hasAlternativeId", "type": "string"},
            {"code": "replacedBy", "uri": "http://purl.obolibrary.org/obo/IAO_0100001", "type": "Coding"},
            {"code": "xref", "uri": owl + "#hasDbXref", "type": "string"},
            {"code": "site", "type": "Coding"},
            {"code": "weight", "type": "string"},
        ],
        "concept": [
            {
                "code": "a",
                "display": "Fever",
                "definition": "One.",
                "designation": [
                    {
                        "language": "de",
                        "use": {"system": maintenance, "code": "preferredForLanguage"},
                        "value": "Fieber",
                    },
                    {"language": "en", "use": {"system": omo, "code": "OMO:0003003"}, "value": "Hot"},
                    {
                        "extension": [{"url": status, "valueCode": "withdrawn"}],
                        "language": "en",
                        "use": {"system": owl, "code": "hasNarrowSynonym"},
                        "value": "Burning",
                    },
                    {
                        "extension": [
                            {"url": additional, "valueCoding": {"system": owl, "code": "hasBroadSynonym"}},
                            {"url": additional, "valueCoding": {"code": "old"}},
                        ],
                        "language": "en",
                        "use": {"system": omo, "code": "OMO:0003003"},
                        "value": "Heat",
                    },
                    {
                        "use": {"system": snomed, "code": "900000000000550004", "display": "Definition"},
                        "value": "Two.",
                    },
                ],
                "property": [
                    {"code": "parent", "valueCode": "b"},
                    {"code": "parent", "valueCode": "c"},
                    {"code": "alternateCode", "valueCode": "z"},
                    {"code": "alternativeId", "valueString": "MSH:1"},
                    {"code": "xref", "valueString": "UMLS:C1"},
                    {"code": "site", "valueCoding": {"system": snomed, "code": "123037004"}},
                    {"code": "weight", "valueString": "2"},
                ],
            },
            {
                "code": "b",
                "display": "Old",
                "property": [
                    {"code": "inactive", "valueBoolean": True},
                    {"code": "replacedBy", "valueCoding": {"system": "http://x.org/codes", "code": "a"}},
                ],
            },
        ],
    }
    assert by_id(read_release([tmp_path / "t.fhir.json"]).concepts()) == by_id(pair)


def test_a_fhir_code_system_leaves_as_it_came(tmp_path: Path) -> None:
    came = {
        "resourceType": "CodeSystem", "id": "x-1", "url": "http://x.org/s", "version": "3", "name": "Xs",
        "title": "The X", "status": "active", "caseSensitive": False, "valueSet": "http://x.org/vs",
        "content": "fragment",
        "property": [
            {"code": "rank", "type": "integer"}, {"code": "since", "uri": "http://x.org/since", "type": "dateTime"},
            {"code": "site", "type": "code"}, {"code": "mixed", "type": "integer"},
        ],
        "concept": [{
            "code": "a", "display": "A",
            "designation": [{"language": "en", "use": {"system": "http://x.org/u", "code": "slang"}, "value": "ay"}],
            "property": [
                {"code": "rank", "valueInteger": 1}, {"code": "since", "valueDateTime": "2024-01-01"},
                {"code": "site", "valueCode": "a"}, {"code": "site", "valueCode": "elsewhere"},
                {"code": "mixed", "valueString": "one"},
            ],
        }],
    }  # fmt: skip
    (tmp_path / "came.json").write_text(json.dumps(came))
    build_terminology(read_release([tmp_path / "came.json"]), tmp_path / "t")
    with open_terminology(tmp_path / "t") as terminology:
        export_terminology(terminology, tmp_path / "left.json", format="fhir")
    left = json.loads((tmp_path / "left.json").read_text())
    kept = ("id", "url", "version", "name", "title", "caseSensitive", "valueSet", "content")
    assert {key: left[key] for key in kept} == {key: came[key] for key in kept}
    types = {prop["code"]: prop["type"] for prop in left["property"]}
    assert types == {"rank": "integer", "since": "dateTime", "site": "code", "mixed": "string"}
    assert next(prop["uri"] for prop in left["property"] if prop["code"] == "since") == "http://x.org/since"
    (concept,) = left["concept"]
    assert concept["designation"] == came["concept"][0]["designation"]  # type: ignore[index]
    given = came["concept"][0]["property"]  # type: ignore[index]
    assert sorted(map(str, concept["property"])) == sorted(map(str, given))


def test_codes_that_fhir_does_not_allow_are_left_out(store: Any, tmp_path: Path) -> None:
    mapped = Mapping("x:a  b", "skos:exactMatch", "y:1", "semapv:UnspecifiedMatching")
    done = export_terminology(
        store(
            Concept("x:a  b", (Term("A", "preferred"),), mappings=(mapped,), properties=(Property("only here", "1"),)),
            Concept("x:c", (Term("C", "preferred"),)),
        ),
        tmp_path / "t.fhir.json",
    )
    assert done.left_out == {"concepts whose code FHIR does not allow": 1}
    written = json.loads((tmp_path / "t.fhir.json").read_text())
    assert ([one["code"] for one in written["concept"]], written["count"]) == (["c"], 1)
    assert "property" not in written


def test_one_url_cannot_be_that_of_two_code_systems(store: Any, tmp_path: Path) -> None:
    two = store(Concept("a:1", (Term("A", "preferred"),)), Concept("b:1", (Term("B", "preferred"),)))
    with pytest.raises(InputError, match="one URL cannot be that of 2 code systems"):
        export_terminology(two, tmp_path / "t.fhir.json", url="http://x.org")
    assert list(tmp_path.glob("*.json*")) == []


@pytest.mark.oracle
@given(fhir_like())
@many
def test_fhir_is_valid(given: list[Concept]) -> None:
    bundle = pytest.importorskip("fhir.resources.R4B.bundle")
    from fhir.resources.R4B.codesystem import CodeSystem

    with tempfile.TemporaryDirectory() as folder:
        build_terminology(Listed(given), Path(folder) / "t")
        with open_terminology(Path(folder) / "t") as terminology:
            export_terminology(terminology, Path(folder) / "t.fhir.json")
        content = (Path(folder) / "t.fhir.json").read_text()
    kind = bundle.Bundle if '"resourceType":"Bundle"' in content else CodeSystem
    kind.model_validate_json(content)
