from __future__ import annotations

import io
import json
import random
import re
import tarfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from ontonym.errors import FormatError
from ontonym.ontology.fhir import is_fhir
from ontonym.ontology.fhir.codes import BadPattern, Pattern, matching_version
from ontonym.ontology.fhir.resources import cut
from ontonym.ontology.fhir.systems import Systems
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import Release
from ontonym.types import Concept, Mapping, Property, Relation, Term

STANDARD = "http://hl7.org/fhir/concept-properties#"
SNOMED = "http://snomed.info/sct"
LOCAL = "http://clinic.example/CodeSystem/findings"

FINDINGS: dict[str, Any] = {
    "resourceType": "CodeSystem",
    "id": "findings",
    "url": LOCAL,
    "version": "2.0",
    "name": "Findings",
    "title": "Findings of the clinic",
    "status": "active",
    "copyright": "CC0,\n see there",
    "caseSensitive": True,
    "valueSet": "http://clinic.example/ValueSet/findings",
    "content": "complete",
    "hierarchyMeaning": "is-a",
    "property": [
        {"code": "up", "uri": STANDARD + "parent", "type": "code"},
        {"code": "child", "uri": STANDARD + "child", "type": "code"},
        {"code": "inactive", "uri": STANDARD + "inactive", "type": "boolean"},
        {"code": "other", "uri": STANDARD + "alternateCode", "type": "code"},
        {"code": "site", "type": "code"},
        {"code": "parent", "uri": "http://clinic.example/family", "type": "string"},
        {"code": "next", "uri": "http://purl.obolibrary.org/obo/IAO_0100001", "type": "code"},
    ],
    "concept": [
        {
            "code": "heart attack: acute",
            "display": "Heart attack",
            "definition": "Death of heart muscle.",
            "designation": [
                {"value": "Infarction"},
                {"language": "de", "value": "Herzinfarkt"},
                {"language": "de", "value": "Infarkt"},
                {"use": {"system": SNOMED, "code": "900000000000003001"}, "value": "Heart attack (disorder)"},
                {"use": {"system": SNOMED, "code": "900000000000013009"}, "value": "MI"},
                {"use": {"code": "slang"}, "language": "en-GB", "value": "Ticker trouble"},
                {"use": {"system": SNOMED, "code": "900000000000550004"}, "value": "A second definition."},
            ],
            "property": [
                {"code": "site", "valueCode": "heart"},
                {"code": "site", "valueCode": "not a code of ours"},
                {"code": "seen", "valueDateTime": "2024-02-01"},
                {"code": "weight", "valueDecimal": 1.25},
                {"code": "rank", "valueInteger": 7},
                {"code": "notSelectable", "valueBoolean": False},
                {"code": "parent", "valueString": "the Smiths"},
                {"code": "like", "valueCoding": {"system": SNOMED, "code": "22298006", "display": "MI"}},
                {"code": "near", "valueCoding": {"system": LOCAL, "code": "heart"}},
                {"code": "other", "valueCode": "HA"},
            ],
            "concept": [
                {
                    "code": "old",
                    "display": "Old heart attack",
                    "property": [
                        {"code": "inactive", "valueBoolean": True},
                        {"code": "next", "valueCode": "heart attack: acute"},
                        {"code": "up", "valueCode": "heart"},
                    ],
                }
            ],
        },
        {"code": "heart", "display": "Heart", "property": [{"code": "child", "valueCode": "attic"}]},
        {
            "code": "attic",
            "designation": [{"value": "Atrium"}],
            "property": [{"code": "status", "valueCode": "retired"}],
        },
    ],
}  # fmt: skip

Read = Callable[..., tuple[list[Concept], Release]]


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., tuple[dict[str, Concept], Release]]:
    """The concepts by id of resources that lie in a file each."""

    def read(*resources: Any, **options: Any) -> tuple[dict[str, Concept], Release]:
        paths = []
        for number, resource in enumerate(resources):
            paths.append(tmp_path / f"{number}.json")
            paths[-1].write_text(json.dumps(resource, indent=1))
        release = read_release(paths, options=ReadOptions(**options))
        concepts = list(release.concepts())
        by_id = {concept.id: concept for concept in concepts}
        assert len(by_id) == len(concepts)
        return by_id, release

    return read


def system(*codes: Any, **fields: Any) -> dict[str, Any]:
    concepts = [{"code": code, "display": code.upper()} if isinstance(code, str) else code for code in codes]
    base = {"resourceType": "CodeSystem", "id": "s", "url": "http://x.org/s", "content": "complete"}
    return base | {"concept": concepts} | fields


def value_set(*include: dict[str, Any], exclude: Any = (), **fields: Any) -> dict[str, Any]:
    compose = {"include": list(include)} | ({"exclude": list(exclude)} if exclude else {})
    return {"resourceType": "ValueSet", "id": "v", "url": "http://x.org/v", "compose": compose} | fields


def members(concepts: dict[str, Concept], url: str = "http://x.org/v") -> set[str]:
    return {c.id.partition(":")[2] for c in concepts.values() if Property("valueset", url) in c.properties}


# Code systems -----------------------------------------------------------------------------------------------------


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


SUPPLEMENT = system(
    {
        "code": "a",
        "designation": [{"language": "nl", "value": "aa"}, {"language": "en", "value": "A"}],
        "property": [{"code": "colour", "valueString": "red"}],
    },
    {"code": "zz", "display": "unknown"},
    id="more",
    url="http://x.org/more",
    content="supplement",
    supplements="http://x.org/s|1",
    language="en",
)


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


# Files ------------------------------------------------------------------------------------------------------------


def test_ndjson_and_bundles(read: Read) -> None:
    bundle = {"resourceType": "Bundle", "entry": [{"resource": system("b", id="t", url="http://x.org/t")}, {"x": 1}]}
    lines = [json.dumps(system("a")), "", json.dumps(bundle), "{broken", json.dumps({"resourceType": "Patient"})]
    concepts, release = read("all.ndjson", "\n".join(lines))
    assert [concept.id for concept in concepts] == ["s:a", "t:b"]
    counts = release.counts.to_dict()
    assert counts["rows"] == {
        "read": 4, "kept": 2, "skipped": {"resource of a type that holds no terminology": 1}, "malformed": 1,
    }  # fmt: skip
    assert counts["malformed_examples"][0]["line"] == 4
    assert release.metadata.details["other_resources"] == {"Patient": 1}
    assert release.metadata.title == "s and 1 more"


def test_a_package(tmp_path: Path) -> None:
    manifest = {"name": "org.x.Terms", "version": "3.1.0", "fhirVersions": ["4.0.1"], "license": "CC0"}
    members = {
        "package/package.json": manifest,
        "package/.index.json": {"index-version": 1, "files": [{"resourceType": "CodeSystem"}]},
        "package/CodeSystem-s.json": system("a", version="1"),
        "package/StructureDefinition-x.json": {"resourceType": "StructureDefinition", "id": "x"},
        "package/ValueSet-v.json": value_set({"system": "http://x.org/s"}),
    }
    path = tmp_path / "org.x.terms.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            data = json.dumps(content, indent=1).encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    release = read_release([path])
    (concept,) = release.concepts()
    assert concept == Concept("s:a", (Term("A", "preferred"),), properties=(Property("valueset", "http://x.org/v"),))
    metadata = release.metadata
    assert (metadata.format, metadata.name, metadata.version, metadata.licence) == (
        "fhir", "org.x.terms", "3.1.0", "CC0",
    )  # fmt: skip
    assert metadata.details["other_resources"] == {"StructureDefinition": 1}
    assert metadata.details["package"]["fhir_versions"] == ["4.0.1"]


@pytest.mark.parametrize(
    ("head", "name", "fits"),
    [
        ('{"resourceType":"CodeSystem"', "a.json", True),
        ('\n{"id" : "x", "text": {"resourceType": "no"}, "resourceType" : "Parameters"', "a.json", True),
        ('{"files":[{"resourceType":"CodeSystem"}]}', ".index.json", False),
        ('{"x": "a \\" resourceType", "y": "\\"resourceType\\":\\"CodeSystem\\""}', "a.json", False),
        ('{"name":"a","fhirVersions":["4.0.1"]}', "package/package.json", True),
        ('{"name":"a","fhirVersions":["4.0.1"]}', "other.json", False),
        ('{"name":"a"}', "package.json", False),
        ('{"id":"X:1","terms":[]}', "a.jsonl", False),
        ("id,name\n", "a.csv", False),
    ],
)
def test_sniffing(head: str, name: str, fits: bool) -> None:
    assert is_fhir(head, name) is fits


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"resourceType":"CodeSystem",\n "concept":[', r"a\.json:2: not valid JSON"),
        ('{"resourceType":"StructureDefinition"}', "no CodeSystem, ValueSet or ConceptMap in it, only 1 StructureDef"),
        ('{"resourceType":"CodeSystem","content":"complete"}', "no concept in it"),
        ('{"resourceType":"CodeSystem","url":5}', "'url' is a number where a text is needed"),
        ('{"resourceType":"Bundle","entry":5}', "'entry' is not a list of objects"),
        ('{"resourceType":"ValueSet","url":"u","expansion":{"total":0}}', "ValueSet u has no codes"),
        ('{"resourceType":"ValueSet","url":"u"}', "neither codes nor a rule for them. Add its expansion"),
        ('{"resourceType":"CodeSystem",' + '"x":[' * 5000, "not valid JSON"),
    ],
)
def test_files_that_cannot_be_read(read: Read, content: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read("a.json", content)


# Large files ------------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text('ab"\\[]{}:,é', max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["concept", "a", 'b"\\']), inner, max_size=3)
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(
    st.dictionaries(st.sampled_from(["x", 'y"', "resourceType"]), JSON, max_size=3),
    st.lists(st.dictionaries(st.text(max_size=3), JSON, max_size=3), min_size=1, max_size=4),
    st.dictionaries(st.sampled_from(["z", "property"]), JSON, max_size=2),
    st.sampled_from([None, 1]),
)
@examples(300)
def test_a_large_resource_is_cut_as_json_says(before: Any, concepts: Any, after: Any, indent: int | None) -> None:
    document = {**before, "concept": concepts, **after}
    slices = cut(json.dumps(document, indent=indent).encode())
    assert slices is not None
    assert list(slices) == concepts
    assert json.loads(slices.head) == {**document, "concept": []}


@pytest.mark.parametrize(
    "text",
    ['{"a":[]}', '{"concept":[]}', '{"concept":[1]}', '{"concept":[{},1]}', '{"concept":[{}{}]}', '{"concept":[{}',
     '[{}]', '{"a":{"concept":[{}]}}', '{"concept":[{}],"concept":[{}]}', '{"concept":{"concept":[{}]}}'],
)  # fmt: skip
def test_what_is_no_plain_list_of_concepts_is_not_cut(text: str) -> None:
    assert cut(text.encode()) is None


def test_a_large_file_reads_as_a_small_one(files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = json.loads(json.dumps(FINDINGS))
    broken["concept"][1]["designation"] = {}
    small, small_release = files(broken, value_set({"system": LOCAL}))
    monkeypatch.setattr("ontonym.ontology.fhir.resources.LARGE", 0)
    large, large_release = files(broken, value_set({"system": LOCAL}))
    assert large == small
    assert large_release.counts.to_dict() == small_release.counts.to_dict()
    assert large_release.metadata.details == small_release.metadata.details


def test_a_concept_that_is_not_json_in_a_large_file(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ontonym.ontology.fhir.resources.LARGE", 0)
    text = '{"resourceType":"CodeSystem","id":"s",\n"concept":[{"code":"a"},{"code":tru},5]}'
    with pytest.raises(FormatError, match="not valid JSON"):
        read("a.json", text)
    concepts, release = read("b.json", text.replace(",5", ""))
    assert [concept.id for concept in concepts] == ["s:a"]
    assert "not valid JSON" in release.counts.examples[0].problem


# Value sets -------------------------------------------------------------------------------------------------------


def test_a_value_set_alone(files: Any) -> None:
    concepts, release = files(
        value_set(
            {
                "system": SNOMED,
                "concept": [{"code": "1", "display": "One", "designation": [{"language": "de", "value": "Eins"}]},
                            {"code": "2"}, {"code": "3"}],
            },
            {"system": "http://loinc.org", "concept": [{"code": "2-2", "display": "Two"}]},
            exclude=[{"system": SNOMED, "concept": [{"code": "3"}]}],
            title="Numbers",
        )
    )  # fmt: skip
    tag = (Property("valueset", "http://x.org/v"),)
    assert list(concepts.values()) == [
        Concept("SCTID:1", (Term("One", "preferred"), Term("Eins", "preferred", language="de")), properties=tag),
        Concept("SCTID:2", (), properties=tag),
        Concept("LOINC:2-2", (Term("Two", "preferred"),), properties=tag),
    ]
    assert release.counts.to_dict()["rows"] == {
        "read": 5, "kept": 3, "skipped": {"code that its value set lists twice, or excludes": 2}, "malformed": 0,
    }  # fmt: skip
    assert release.metadata.details["value_sets"] == [
        {"url": "http://x.org/v", "id": "v", "title": "Numbers", "members": 3}
    ]


def test_an_expansion(files: Any) -> None:
    contains = [
        {"display": "Group", "abstract": True, "contains": [{"system": SNOMED, "code": "1", "display": "One"}]},
        {"system": SNOMED, "code": "2", "display": "Two", "inactive": True},
    ]
    expansion = {"resourceType": "ValueSet", "id": "v", "language": "fr",
                 "expansion": {"total": 9, "contains": contains}}  # fmt: skip
    concepts, release = files(expansion)
    assert concepts["SCTID:1"].terms == (Term("One", "preferred", language="fr"),)
    assert (concepts["SCTID:2"].status, concepts["SCTID:1"].parents) == ("retired", ())
    assert release.counts.to_dict()["rows"]["skipped"] == {"entry of an expansion without a code": 1}
    assert release.metadata.details["value_sets"] == [{"id": "v", "incomplete": "2 of 9 codes", "members": 2}]


LEAF = {"code": "c", "property": [{"code": "colour", "valueString": "blue"}]}
TREE = system(
    {"code": "a", "property": [{"code": "colour", "valueString": "red"}], "concept": [
        {"code": "b", "display": "Bee", "concept": [LEAF]},
        {"code": "d", "property": [{"code": "inactive", "valueBoolean": True}]},
    ]},
    {"code": "E", "property": [{"code": "parent", "valueCode": "d"}]},
)  # fmt: skip


@pytest.mark.parametrize(
    ("property_", "op", "value", "expected"),
    [
        ("concept", "is-a", "b", "bc"),
        ("concept", "descendent-of", "a", "bcdE"),
        ("code", "is-a", "d", "dE"),
        ("concept", "is-not-a", "b", "adE"),
        ("concept", "generalizes", "c", "abc"),
        ("concept", "child-of", "a", "bd"),
        ("concept", "descendent-leaf", "a", "cE"),
        ("colour", "=", "red", "a"),
        ("colour", "in", "red, blue", "ac"),
        ("colour", "not-in", "red,blue", "bdE"),
        ("colour", "exists", "true", "ac"),
        ("colour", "exists", "false", "bdE"),
        ("colour", "regex", "r.*|.l[a-z]+", "ac"),
        ("code", "regex", "[a-c]", "abc"),
        ("display", "=", "Bee", "b"),
        ("inactive", "=", "true", "d"),
        ("inactive", "=", "false", "abcE"),
        ("parent", "=", "d", "E"),
        ("child", "=", "c", "b"),
    ],
)
def test_filters(files: Any, property_: str, op: str, value: str, expected: str) -> None:
    rule = {"system": "http://x.org/s", "filter": [{"property": property_, "op": op, "value": value}]}
    concepts, _ = files(TREE, value_set(rule))
    assert members(concepts) == set(expected)


def test_filters_together_imports_exclusions_and_inactive(files: Any) -> None:
    def isa(code: str) -> dict[str, str]:
        return {"property": "concept", "op": "is-a", "value": code}

    below_a = value_set({"system": "http://x.org/s", "filter": [isa("a")]}, url="http://x.org/a", version="1")
    both = value_set({"system": "http://x.org/s", "filter": [isa("a"), isa("b")]})
    assert members(files(TREE, both)[0]) == set("bc")
    imported = value_set({"valueSet": ["http://x.org/a"]}, exclude=[{"valueSet": ["http://x.org/b"]}])
    only_b = value_set({"system": "http://x.org/s", "concept": [{"code": "b"}]}, url="http://x.org/b")
    assert members(files(imported, only_b, TREE, below_a)[0]) == set("acdE")
    crossed = value_set({"system": "http://x.org/s", "valueSet": ["http://x.org/a|1", "http://x.org/b"]})
    assert members(files(crossed, only_b, TREE, below_a)[0]) == set("b")
    active = value_set({"system": "http://x.org/s"})
    active["compose"]["inactive"] = False
    assert members(files(active, TREE)[0]) == set("abcE")
    inner = {"resourceType": "ValueSet", "id": "in", "compose": only_b["compose"]}
    assert members(files(value_set({"valueSet": ["#in"]}, contained=[inner]), TREE)[0]) == {"b"}


def test_versions_of_code_systems_in_value_sets(files: Any) -> None:
    old, new = system("a", "b", version="1.0.0"), system("a", "c", version="1.2.0")
    for version, expected in (("1.0.0", "ab"), ("1.2.0", "ac"), ("1.x.x", "ac"), ("", "ac")):
        concepts, _ = files(old, new, value_set({"system": "http://x.org/s", "version": version}))
        assert members(concepts) == set(expected), version


def test_versions_of_value_sets(files: Any) -> None:
    first = value_set({"system": "http://x.org/s", "concept": [{"code": "a"}]}, version="1")
    second = value_set({"system": "http://x.org/s", "concept": [{"code": "b"}]}, version="2")
    third = value_set({"valueSet": ["http://x.org/v"]}, url="http://x.org/w")
    concepts, _ = files(first, second, third, system("a", "b"))
    assert concepts["s:a"].properties == (Property("valueset", "http://x.org/v|1"),)
    assert concepts["s:b"].properties == tuple(Property("valueset", f"http://x.org/{v}") for v in ("v|2", "w"))


def test_codes_in_any_letter_case(files: Any) -> None:
    rule = value_set({"system": "http://x.org/s", "concept": [{"code": "A"}]})
    assert members(files(system("a", caseSensitive=False), rule)[0]) == {"a"}
    concepts, release = files(system("a"), rule)
    assert members(concepts) == set()
    assert release.counts.examples[0].problem == (
        "ValueSet http://x.org/v: the code 'A' is not in the code system http://x.org/s"
    )


def test_what_a_value_set_calls_a_code_of_a_system_at_hand_is_counted(files: Any) -> None:
    rule = value_set({"system": "http://x.org/s", "concept": [{"code": "a", "display": "Other"}]})
    concepts, release = files(system("a"), rule)
    assert concepts["s:a"].terms == (Term("A", "preferred"),)
    assert release.counts.to_dict()["terms"]["skipped"] == {
        "value set's or map's own name for a code of a code system that is there": 1
    }


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ({"system": SNOMED}, f"it takes codes of {SNOMED} by a rule, and that code system is not among the files"),
        ({"system": "http://x.org/s", "version": "3"}, "not among the files (there is 1)"),
        ({"valueSet": ["http://x.org/w"]}, "it imports the value set http://x.org/w, which is not among the files"),
        ({"valueSet": ["http://x.org/v"]}, "ValueSet http://x.org/v is made of itself"),
        ({"valueSet": ["#in"]}, "the contained value set in is made of itself"),
        ({"system": "http://x.org/s", "filter": [{"property": "code", "op": "is-a", "value": "x"}]}, "the code 'x'"),
        ({"system": "http://x.org/s", "filter": [{"property": "code", "op": "~", "value": "x"}]}, "not understood"),
        ({"system": "http://x.org/s", "filter": [{"property": "code", "op": "regex", "value": "(a"}]}, "not closed"),
    ],
)
def test_a_value_set_that_cannot_be_listed(files: Any, rule: Any, problem: str) -> None:
    inner = {"resourceType": "ValueSet", "id": "in", "compose": {"include": [{"valueSet": ["#in"]}]}}
    broken = value_set(rule, contained=[inner])
    concepts, release = files(system("a", version="1"), broken)
    assert list(concepts) == ["s:a"]
    (told,) = release.metadata.details["value_sets_not_listed"]
    assert problem in told["problem"]
    assert release.counts.to_dict()["rows"]["skipped"] == {"value set whose codes the files do not tell": 1}
    with pytest.raises(FormatError, match=re.escape(problem)):
        files(system("a", version="1"), broken, strict=True)
    if "filter" not in rule and "version" not in rule:
        with pytest.raises(FormatError, match=re.escape(problem)):
            files(broken)


def test_a_filter_without_a_value_is_malformed(files: Any) -> None:
    rule = {"system": "http://x.org/s", "filter": [{"property": "concept", "op": "is-a"}]}
    _, release = files(system("a"), value_set(rule))
    assert release.counts.examples[0].problem == (
        "ValueSet http://x.org/v: a filter without a property, an operator or a value"
    )


@pytest.mark.parametrize(
    ("wanted", "available", "found"),
    [
        ("", ["1.9", "1.10", "1.10-beta"], "1.10"),
        ("", ["20240101", "20230901"], "20240101"),
        ("1.x", ["1.2", "1.3", "2.0"], "1.3"),
        ("1", ["1.0.0"], None),
        ("", [], None),
        ("http://snomed.info/sct/1/version/2", ["http://snomed.info/sct/1/version/2"], "http://snomed.info/sct/1/version/2"),
    ],
)  # fmt: skip
def test_versions(wanted: str, available: list[str], found: str | None) -> None:
    assert matching_version(wanted, available) == found


# Patterns of filters ----------------------------------------------------------------------------------------------

ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\d", r"\w", "\\.", "[a-c1]"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}"])).map(lambda p: f"({p[0]}){p[1]}"),
    ),
    max_leaves=6,
)


@given(PATTERNS, st.text("abc1.", max_size=8))
@examples(300)
def test_patterns_match_as_python_matches(pattern: str, text: str) -> None:
    assert Pattern(pattern).matches(text) == (re.fullmatch(pattern, text) is not None)


def test_a_pattern_that_would_hang_a_backtracking_engine() -> None:
    assert not Pattern("((a+)+)+").matches("a" * 2000 + "!")
    assert Pattern("^(a|aa)+$").matches("a" * 2000)


@pytest.mark.parametrize("pattern", ["(a", "a)", "*a", "a{2", "[z-a]", "(?=a)", r"\1", r"\p{L}", "a{3,2}", "(" * 9999])
def test_bad_patterns(pattern: str) -> None:
    with pytest.raises(BadPattern):
        Pattern(pattern)


def test_a_pattern_too_large() -> None:
    with pytest.raises(BadPattern, match="too large"):
        Pattern("((a{100}){100}){100}")


# Anything at all --------------------------------------------------------------------------------------------------

JUNK = [None, 5, 1.5, True, "x", "", [], {}, [1], ["a"], [None], {"a": 1}, [{}], LOCAL, [[]]]


def mutated(value: Any, rng: random.Random, share: float) -> Any:
    if rng.random() < share:
        return rng.choice(JUNK)
    if isinstance(value, dict):
        return {key: mutated(inner, rng, share) for key, inner in value.items() if rng.random() > share / 3}
    return [mutated(inner, rng, share) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(60))
def test_resources_with_anything_anywhere_are_read_or_refused(
    files: Any, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = random.Random(seed)  # noqa: S311 (no secret)
    rule = {"system": LOCAL, "filter": [{"property": "concept", "op": "is-a", "value": "heart"}]}
    expansion = {"contains": [{"system": LOCAL, "code": "heart", "contains": [{"code": "x"}]}]}
    resources = [FINDINGS, R4_MAP, SUPPLEMENT, TREE, value_set(rule, {"system": SNOMED, "concept": [{"code": "1"}]}),
                 {"resourceType": "ValueSet", "url": "e", "expansion": expansion}]  # fmt: skip
    if seed % 3 == 0:
        monkeypatch.setattr("ontonym.ontology.fhir.resources.LARGE", 0)
    for share in (0.01, 0.03, 0.1):
        with suppress(FormatError):
            files(*(mutated(resource, rng, share) for resource in rng.sample(resources, 4)), strict=seed % 5 == 0)


# Maps -------------------------------------------------------------------------------------------------------------

R4_MAP = {
    "resourceType": "ConceptMap",
    "id": "m",
    "url": "http://x.org/m",
    "version": "1",
    "sourceCanonical": "http://x.org/v",
    "group": [
        {
            "source": "http://x.org/s",
            "target": SNOMED,
            "unmapped": {"mode": "fixed", "code": "0"},
            "element": [
                {
                    "code": "a",
                    "display": "Ay",
                    "target": [
                        {"code": "1", "display": "One", "equivalence": "wider", "comment": "coarse"},
                        {
                            "code": "2",
                            "equivalence": "equivalent",
                            "dependsOn": [{"property": "age", "system": "http://x.org/ages", "value": "old"}],
                            "product": [{"property": "side", "value": "left"}],
                        },
                    ],
                },
                {"code": "b", "target": [{"equivalence": "unmatched", "comment": "none"}]},
                {"code": "c"},
                {"code": "d", "target": [{"code": "9", "equivalence": "sideways"}]},
            ],
        }
    ],
}


def mapping(subject: str, predicate: str, target: str, **more: Any) -> Mapping:
    return Mapping(subject, predicate, target, "semapv:UnspecifiedMatching", source="http://x.org/m|1", **more)


def test_a_map_alone(files: Any) -> None:
    concepts, release = files(R4_MAP)
    assert list(concepts.values()) == [
        Concept(
            "s:a",
            (Term("Ay", "preferred"),),
            mappings=(
                mapping("s:a", "skos:broadMatch", "SCTID:1", subject_label="Ay", object_label="One", comment="coarse"),
                mapping("s:a", "skos:exactMatch", "SCTID:2", subject_label="Ay",
                        rule="depends on age = http://x.org/ages#old; gives side = left"),
            ),
        ),
        Concept("s:b", (), mappings=(mapping("s:b", "fhir:unmatched", "", comment="none"),)),
        Concept("s:c", (), mappings=(mapping("s:c", "fhir:unmatched", ""),)),
    ]  # fmt: skip
    assert release.counts.to_dict()["rows"] == {"read": 5, "kept": 4, "skipped": {}, "malformed": 1}
    assert "unknown relationship 'sideways' (known: equal," in release.counts.examples[0].problem
    (facts,) = release.metadata.details["concept_maps"]
    assert facts["unmapped"] == [{"source": "http://x.org/s", "target": SNOMED, "mode": "fixed", "code": "0"}]
    assert (facts["source_scope"], facts["mappings"]) == ("http://x.org/v", 4)


def test_a_map_with_its_code_system(files: Any) -> None:
    concepts, release = files(R4_MAP, system("a", "b"))
    assert concepts["s:a"].terms == (Term("A", "preferred"),)
    assert [m.object_id for m in concepts["s:a"].mappings] == ["SCTID:1", "SCTID:2"]
    assert "the code 'c' is not in CodeSystem http://x.org/s" in release.counts.examples[0].problem


@pytest.mark.parametrize(
    ("relationship", "predicate"),
    [
        ("equivalent", "skos:exactMatch"),
        ("source-is-narrower-than-target", "skos:broadMatch"),
        ("source-is-broader-than-target", "skos:narrowMatch"),
        ("related-to", "skos:relatedMatch"),
        ("not-related-to", "fhir:not-related-to"),
    ],
)
def test_relationships_of_r5(files: Any, relationship: str, predicate: str) -> None:
    element = {"code": "a", "target": [{"code": "1", "relationship": relationship,
               "dependsOn": [{"attribute": "age", "valueQuantity": {"value": 5}}]}]}  # fmt: skip
    group = {"source": "http://x.org/s|2", "target": SNOMED, "element": [element, {"code": "b", "noMap": True}]}
    concepts, _ = files({"resourceType": "ConceptMap", "url": "http://x.org/m", "version": "1", "group": [group]})
    rule = 'depends on age = {"value":5}'
    assert concepts["s:a"].mappings == (mapping("s:a", predicate, "SCTID:1", rule=rule),)
    assert concepts["s:b"].mappings == (mapping("s:b", "fhir:unmatched", ""),)
