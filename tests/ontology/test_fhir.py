"""Code systems of FHIR: concepts, names, properties, hierarchy, versions, supplements."""

from __future__ import annotations

from typing import Any

import pytest
from fhirsamples import FINDINGS, LOCAL, SNOMED, SUPPLEMENT, system

from ontonym.errors import FormatError
from ontonym.ontology.fhir.systems import Systems
from ontonym.types import Concept, Property, Relation, Term


def test_a_code_system(files: Any) -> None:
    concepts, release = files(FINDINGS)
    attack = "findings:heart attack: acute"
    assert list(concepts.values()) == [
        Concept(
            id=attack,
            terms=(
                Term("Heart attack", "preferred"),
                Term("Herzinfarkt", "preferred", language="de"),
                Term("Infarction"),
                Term("Infarkt", language="de"),
                Term("Heart attack (disorder)", "fsn"),
                Term("MI"),
                Term("Ticker trouble", language="en-GB", source="slang"),
            ),
            definitions=("Death of heart muscle.", "A second definition."),
            relations=(
                Relation("site", "findings:heart"),
                Relation("like", "SCTID:22298006"),
                Relation("near", "findings:heart"),
            ),
            alternative_ids=("findings:HA",),
            properties=(
                Property("site", "not a code of ours"),
                Property("seen", "2024-02-01"),
                Property("weight", "1.25"),
                Property("rank", "7"),
                Property("notSelectable", "false"),
                Property("parent", "the Smiths"),
            ),
        ),
        Concept(
            id="findings:old",
            terms=(Term("Old heart attack", "preferred"),),
            parents=(attack, "findings:heart"),
            status="retired",
            replaced_by=(attack,),
        ),
        Concept(id="findings:heart", terms=(Term("Heart", "preferred"),)),
        Concept(
            id="findings:attic",
            terms=(Term("Atrium", "preferred"),),
            parents=("findings:heart",),
            status="retired",
            properties=(Property("status", "retired"),),
        ),
    ]
    metadata = release.metadata
    assert (metadata.name, metadata.version, metadata.prefix) == ("findings", "2.0", "findings")
    assert (metadata.title, metadata.licence) == ("Findings of the clinic", "CC0, see there")
    (facts,) = metadata.details["code_systems"]
    assert facts["value_set"] == "http://clinic.example/ValueSet/findings"
    assert (facts["url"], facts["prefix"], facts["concepts"]) == (LOCAL, "findings", 4)
    assert facts["properties"][4] == {"code": "site", "type": "code"}
    assert metadata.details["systems"] == {"findings": LOCAL, "SCTID": SNOMED}
    assert release.counts.to_dict()["rows"] == {"read": 4, "kept": 4, "skipped": {}, "malformed": 0}


@pytest.mark.parametrize(
    ("meaning", "parents", "relations"),
    [
        ("is-a", ("s:a",), ()),
        ("classified-with", ("s:a",), ()),
        (None, ("s:a",), ()),
        ("part-of", (), (Relation("part-of", "s:a"),)),
        ("grouped-by", (), (Relation("grouped-by", "s:a"),)),
    ],
)
def test_what_nesting_means(files: Any, meaning: Any, parents: Any, relations: Any) -> None:
    concepts, _ = files(system({"code": "a", "concept": [{"code": "b"}]}, hierarchyMeaning=meaning))
    assert (concepts["s:b"].parents, concepts["s:b"].relations) == (parents, relations)


@pytest.mark.parametrize(
    ("url", "code", "expected"),
    [
        (SNOMED, "22298006", "SCTID:22298006"),
        ("https://loinc.org/", "1-8", "LOINC:1-8"),
        ("http://hl7.org/fhir/sid/icd-10-cm", "A00.1", "ICD10CM:A00.1"),
        ("urn:oid:2.16.840.1.113883.6.88", "161", "RXNORM:161"),
        ("http://purl.obolibrary.org/obo/hp.owl", "HP:0000001", "HP:0000001"),
        ("http://www.genenames.org", "HGNC:5", "HGNC:5"),
        ("http://unitsofmeasure.org", "10*3/uL", "UCUM:10*3/uL"),
        ("http://x.org/s", "s:1", "s:s:1"),
    ],
)
def test_ids_by_system(files: Any, url: str, code: str, expected: str) -> None:
    concepts, _ = files(system(code, url=url))
    assert list(concepts) == [expected]


def test_prefixes_are_never_shared() -> None:
    systems = Systems()
    made = [
        systems.register("http://a.org/x", "codes"),
        systems.register("http://b.org/x", "codes", "Codes of B"),
        systems.register("http://c.org/codes", "codes"),
        systems.register("http://d.org/y", "hp"),
        systems.register("http://d.org/z", "7d3c5a9e-1111-2222-3333-444444444444", "Zed"),
        systems.register("http://a.org/x", "another"),
        systems.register("urn:oid:1.2.3"),
    ]
    assert made == ["codes", "Codes-of-B", "codes-2", "y", "Zed", "codes", "1.2.3"]


def test_a_given_prefix_is_that_of_the_only_local_system(files: Any) -> None:
    assert list(files(system("a"), prefix="MINE")[0]) == ["MINE:a"]
    assert list(files(system("1", url=SNOMED), prefix="MINE")[0]) == ["SCTID:1"]


def test_duplicates_and_broken_concepts_are_counted(files: Any) -> None:
    broken = [{"code": "a"}, {"code": 5}, {"display": "no code"}, {"code": "b", "designation": {}}]
    concepts, release = files(system("a", *broken, "c"))
    assert list(concepts) == ["s:a", "s:c"]
    counts = release.counts.to_dict()
    assert counts["rows"] == {"read": 6, "kept": 2, "skipped": {}, "malformed": 4}
    assert [row["problem"] for row in counts["malformed_examples"]] == [
        "CodeSystem http://x.org/s: duplicate code 'a'",
        "CodeSystem http://x.org/s: 'code' is a number where a text is needed",
        "CodeSystem http://x.org/s: a concept without a code",
        "CodeSystem http://x.org/s: 'designation' is not a list of objects",
    ]
    with pytest.raises(FormatError, match="duplicate code 'a'"):
        files(system("a", *broken, "c"), strict=True)


def test_the_newest_version_is_taken(files: Any) -> None:
    old, new = system("a", "b", version="9.0"), system("a", version="10.0", title="New")
    concepts, release = files(old, new)
    assert list(concepts) == ["s:a"]
    assert release.metadata.version == "10.0"
    assert release.counts.to_dict()["rows"]["skipped"] == {
        "concept of a code system that is there in a newer version": 2
    }


def test_fragments_of_one_version_are_put_together(files: Any) -> None:
    concepts, _ = files(system("a", content="fragment"), system("b", content="fragment"))
    assert list(concepts) == ["s:a", "s:b"]


def test_a_supplement_is_merged(files: Any) -> None:
    concepts, release = files(SUPPLEMENT, system("a"))
    assert list(concepts.values()) == [
        Concept("s:a", (Term("A", "preferred"), Term("aa", "preferred", language="nl")),
                properties=(Property("colour", "red"),)),
    ]  # fmt: skip
    assert release.counts.to_dict()["rows"] == {
        "read": 3,
        "kept": 2,
        "skipped": {"supplement to a code that the code system does not have": 1},
        "malformed": 0,
    }


def test_a_supplement_alone_gives_concepts_of_what_it_supplements(files: Any) -> None:
    concepts, release = files(SUPPLEMENT | {"supplements": SNOMED})
    assert list(concepts) == ["SCTID:a", "SCTID:zz"]
    assert [term.text for term in concepts["SCTID:a"].terms] == ["aa", "A"]
    assert release.metadata.details["code_systems"][0]["supplements"] == SNOMED


def test_translations_extensions_and_withdrawn_names(files: Any) -> None:
    def translation(language: str, text: str) -> dict[str, Any]:
        parts = [{"url": "lang", "valueCode": language}, {"url": "content", "valueString": text}]
        return {"url": "http://hl7.org/fhir/StructureDefinition/translation", "extension": parts}

    status = "http://hl7.org/fhir/StructureDefinition/structuredefinition-standards-status"
    item = {
        "code": "a",
        "display": "Fever",
        "_display": {"extension": [translation("de", "Fieber")]},
        "definition": "Hot.",
        "_definition": {"extension": [translation("de", "Heiß.")]},
        "designation": [{"value": "Ague", "extension": [{"url": status, "valueCode": "withdrawn"}]}],
        "extension": [
            {"url": "http://x.org/order", "valueInteger": 3},
            {"url": "http://x.org/nested", "extension": [{"url": "x", "valueString": "y"}]},
            {"url": "http://hl7.org/fhir/StructureDefinition/codesystem-replacedby", "valueCoding": {"code": "b"}},
        ],
    }
    concepts, _ = files(system(item))
    assert concepts["s:a"].terms == (
        Term("Fever", "preferred"),
        Term("Fieber", "preferred", language="de"),
        Term("Ague", status="retired"),
    )
    assert concepts["s:a"].replaced_by == ("s:b",)
    assert concepts["s:a"].properties == (
        Property("definition:de", "Heiß."),
        Property("http://x.org/order", "3"),
        Property("http://x.org/nested", '[{"url":"x","valueString":"y"}]'),
    )


def test_deep_nesting_is_walked(files: Any) -> None:
    item: dict[str, Any] = {"code": "last"}
    for number in range(400):
        item = {"code": str(number), "concept": [item]}
    concepts, _ = files(system(item))
    assert len(concepts) == 401
    assert concepts["s:last"].parents == ("s:0",)
