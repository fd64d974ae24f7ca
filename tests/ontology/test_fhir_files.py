"""The files of FHIR resources: bundles, packages, large and broken ones."""

from __future__ import annotations

import io
import json
import random
import tarfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fhirsamples import FINDINGS, LOCAL, R4_MAP, SNOMED, SUPPLEMENT, TREE, system, value_set
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from ontonym.errors import FormatError
from ontonym.ontology.fhir import is_fhir
from ontonym.ontology.fhir.resources import cut
from ontonym.ontology.formats import read_release
from ontonym.ontology.release import Release
from ontonym.types import Concept, Property, Term

Read = Callable[..., tuple[list[Concept], Release]]


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
