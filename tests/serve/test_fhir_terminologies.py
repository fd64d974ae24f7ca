"""Terminologies and indexes as FHIR code systems, over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fhiranimals import codes_of, posted
from starlette.testclient import TestClient

from made import concept, opened
from ontonym.index import AddedTerm, add_terms
from ontonym.serve.fhir import typednames
from ontonym.serve.fhir.engine import Engine, Request
from ontonym.serve.fhir.routes import FhirApp, terminology_shelf
from ontonym.serve.library import ServedLibrary
from ontonym.types import Relation

SNOMED = "http://snomed.info/sct"
CONCEPTS = (
    concept("SCTID:1", "Clinical finding"),
    concept("SCTID:2", "Disorder of lung", parents="SCTID:1", relations=(Relation("Finding site", "SCTID:11"),)),
    concept("SCTID:3", "Pneumonia", "Inflammation of lung", parents="SCTID:2",
            relations=(Relation("Finding site", "SCTID:11"), Relation("Causative agent", "SCTID:20"))),
    concept("SCTID:4", "Bacterial pneumonia", parents="SCTID:3",
            relations=(Relation("Finding site", "SCTID:12"), Relation("Causative agent", "SCTID:21"))),
    concept("SCTID:5", "Retired pneumonia", parents="SCTID:3", status="retired"),
    concept("SCTID:10", "Body structure"),
    concept("SCTID:11", "Lung structure", parents="SCTID:10"),
    concept("SCTID:12", "Lobe of lung", parents="SCTID:11"),
    concept("SCTID:20", "Organism"),
    concept("SCTID:21", "Bacterium", parents="SCTID:20"),
    concept("SCTID:30", "Finding site", "Finding site (attribute)"),
    concept("SCTID:31", "Causative agent"),
)  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with opened(tmp_path_factory.mktemp("sct"), CONCEPTS) as terminologies:
        yield Engine([terminology_shelf(terminologies)])


def _expanded(engine: Engine, constraint: str) -> list[str]:
    filters = [{"property": "constraint", "op": "=", "value": constraint}]
    value_set = {
        "resourceType": "ValueSet", "status": "active", "compose": {"include": [{"system": SNOMED, "filter": filters}]},
    }  # fmt: skip
    found = posted(engine, "ValueSet/$expand", {"name": "valueSet", "resource": value_set})
    return sorted(codes_of(found), key=int)


@pytest.mark.parametrize(
    ("constraint", "codes"),
    [
        ("3", "3"),
        ("3 |Pneumonia|", "3"),
        ("< 2 |Disorder of lung|", "3 4"),
        ("<< 2", "2 3 4"),
        ("<! 2", "3"),
        ("<<! 2", "2 3"),
        ("> 4", "1 2 3"),
        (">> 4", "1 2 3 4"),
        (">! 4", "3"),
        ("descendantOrSelfOf 2", "2 3 4"),
        ("<< 2 MINUS << 4", "2 3"),
        ("<! 1 OR 12", "2 12"),
        ("<< 1 AND >> 3", "1 2 3"),
        ("<< 1, >> 3", "1 2 3"),
        ("!!> (<< 2)", "2"),
        ("!!< (<< 2)", "4"),
        ("(< 1 OR < 10) MINUS (3 OR 4)", "2 11 12"),
        ("< 1 : 30 = 11", "2 3"),
        ("< 1 : 30 |Finding site| = << 11", "2 3 4"),
        ("< 1 : 30 = << 11, 31 = << 20", "3 4"),
        ("< 1 : 30 = 12 OR 31 = 20", "3 4"),
        ("< 1 : (30 = 12 OR 31 = 20), 30 = 11", "3"),
        ("< 1 : {30 = 12}", "4"),
        ("< 1 : 30 != 11", "4"),
        ("< 1 : [0..0] 31 = *", "2"),
        ("< 1 : [1..*] 31 = *", "3 4"),
        ("< 1 : * = 21", "4"),
        ("* : R 30 = << 3", "11 12"),
        ("(<< 3) . 30", "11 12"),
        ('<< 1 {{ term = "pneu" }}', "3 4"),
        ('<< 1 {{ term = "lung inf" }}', "3"),
        ('<< 1 {{ term = ("bact" "disord") }}', "2 4"),
        ('<< 1 {{ term = wild:"*PNEUMONIA" }}', "3 4"),
        ('<< 1 {{ term != "pneu" }}', "1 2"),
        ('<< 1 {{ language = en, term = "pneu" }}', "3 4"),
        ('<< 1 {{ language = de, term = "pneu" }}', ""),
        ("<< 3 {{ C active = 1 }}", "3 4"),
        ("/* all */ << 3", "3 4"),
    ],
)
def test_expression_constraints(engine: Engine, constraint: str, codes: str) -> None:
    assert _expanded(engine, constraint) == codes.split()


@pytest.mark.parametrize(
    ("constraint", "message", "words"),
    [
        ("<< ", "ECL_SYNTAX", "ends too early"),
        ("<< 3 AND", "ECL_SYNTAX", "ends too early"),
        ("3 ; 4", "ECL_SYNTAX", "character 3"),
        ("<< 99", "ECL_UNKNOWN", "'99'"),
        ("^ 3", "ECL_NOT_SUPPORTED", "reference sets"),
        ("< 1 : {30 = 12, 31 = 20}", "ECL_NOT_SUPPORTED", "several attributes in one group"),
        ("< 1 : [1..2] 30 >= #5", "ECL_NOT_SUPPORTED", "concrete values"),
        ("<< 3 {{ D preferredIn = 5 }}", "ECL_NOT_SUPPORTED", "preferredIn"),
        ("<< 3 {{ D type = def }}", "ECL_NOT_SUPPORTED", "definitions"),
        ("<< 3 {{ M mapTarget = 5 }}", "ECL_NOT_SUPPORTED", "member filters"),
        ("<< 3 {{ definitionStatus = primitive }}", "ECL_NOT_SUPPORTED", "definitionStatus"),
        ("(" * 100 + "3" + ")" * 100, "ECL_NOT_SUPPORTED", "levels"),
    ],
)
def test_what_ecl_cannot_do_is_a_clear_error(engine: Engine, constraint: str, message: str, words: str) -> None:
    from urllib.parse import quote

    url = f"{SNOMED}?fhir_vs=ecl/{quote(constraint)}"
    found = engine.answer(Request("GET", "ValueSet/$expand", [("url", url)]))
    issue = found.resource["issue"][0]
    assert (found.status, issue["extension"][0]["valueString"]) == (422, message)
    assert words in issue["details"]["text"]


def test_implicit_value_sets_of_snomed(engine: Engine) -> None:
    def codes(url: str) -> list[str]:
        found = engine.answer(Request("GET", "ValueSet/$expand", [("url", url)])).resource
        return [entry["code"] for entry in found["expansion"]["contains"]]

    assert codes(f"{SNOMED}?fhir_vs=isa/3") == ["3", "4", "5"]
    assert len(codes(f"{SNOMED}?fhir_vs")) == len(CONCEPTS)
    assert engine.answer(Request("GET", "ValueSet/$expand", [("url", "http://nothing.org?fhir_vs")])).status == 404


def test_the_resource_of_a_terminology_says_that_it_lists_no_concept(engine: Engine) -> None:
    resource = engine.answer(Request("GET", "CodeSystem")).resource["entry"][0]["resource"]
    assert (resource["content"], resource["count"], "concept" in resource) == ("not-present", len(CONCEPTS), False)
    valid = engine.answer(Request("GET", f"CodeSystem/{resource['id']}/$validate-code", [("code", "3")])).resource
    assert valid["parameter"][0]["valueBoolean"] is True


def test_retired_concepts_are_inactive(engine: Engine) -> None:
    query = [("url", f"{SNOMED}?fhir_vs=isa/3"), ("activeOnly", "true")]
    found = engine.answer(Request("GET", "ValueSet/$expand", query)).resource["expansion"]
    assert [entry["code"] for entry in found["contains"]] == ["3", "4"]
    whole = engine.answer(Request("GET", "ValueSet/$expand", query[:1])).resource["expansion"]
    assert whole["contains"][2]["inactive"] is True


# Over HTTP, with an index


@contextmanager
def _client(folder: Path, *names: str) -> Iterator[TestClient]:
    with ServedLibrary([folder / name / f"{name}.index" for name in names]) as library:
        yield TestClient(FhirApp(library))


@pytest.fixture(scope="module")
def client(built: Path) -> Iterator[TestClient]:
    with _client(built, "tiny", "other") as made:
        yield made


def _search(client: TestClient, text: str, **more: Any) -> dict[str, Any]:
    url = client.get("/r5/CodeSystem", params={"name": "tiny"}).json()["entry"][0]["resource"]["valueSet"]
    answer = client.get("/r5/ValueSet/$expand", params={"url": url, "filter": text, **more})
    assert answer.status_code == 200, answer.text
    return dict(answer.json()["expansion"])


def test_a_filter_finds_names_while_they_are_typed(client: TestClient) -> None:
    found = _search(client, "my inf")
    first = found["contains"][0]
    assert (first["code"], first["display"]) == ("3", "Myocardial infarction")


def test_a_filter_finds_by_meaning_and_says_how_sure_it_is(client: TestClient) -> None:
    first = _search(client, "heart attack")["contains"][0]
    said = {entry["url"]: entry for entry in first["extension"]}
    assert first["code"] == "3"
    assert said["urn:ontonym:confidence"]["valueDecimal"] > 0.5
    assert said["urn:ontonym:reason"]["valueString"]


@pytest.mark.parametrize(
    ("typed", "code", "matched"),
    [
        ("myo", "3", None),  # the display begins so
        ("heart atta", "3", "Heart attack"),
        ("heart attack", "3", "Heart attack"),
        ("hart atack", "3", "Heart attack"),
        ("fever", "5", None),
        ("skip", "4", "Skipped heart beats"),
    ],
)
@pytest.mark.parametrize("name", ["tiny", "alone"])
def test_a_filter_says_which_name_it_found_where_the_display_does_not_show_it(
    client: TestClient, built: Path, name: str, typed: str, code: str, matched: str | None
) -> None:
    if name == "alone":  # without an index: no meaning, no spelling
        if typed == "hart atack":
            return
        with ServedLibrary([built / "tiny/tiny.terminology"]) as library:
            first = _search(TestClient(FhirApp(library)), typed)["contains"][0]
    else:
        first = _search(client, typed)["contains"][0]
    said = {entry["url"]: entry["valueString"] for entry in first["extension"] if "valueString" in entry}
    assert (first["code"], said.get("urn:ontonym:matched")) == (code, matched)


def test_meaning_is_for_whole_words_and_for_what_no_name_begins_with(client: TestClient) -> None:
    def confident(text: str) -> list[bool]:
        entries = _search(client, text).get("contains", [])
        return [any(one["url"] == "urn:ontonym:confidence" for one in entry["extension"]) for entry in entries]

    assert confident("heart atta") == [False], "a word that is still typed says nothing yet"
    assert confident("myocardial infarct") == [False], "a word of another name, here only the beginning of one"
    assert any(confident("heart attack"))
    assert any(confident("hart atack")), "no name begins so: a spelling mistake"


def test_pages_of_a_search_fit_together(client: TestClient) -> None:
    whole = _search(client, "a")
    pages = [_search(client, "a", count=1, offset=at) for at in range(whole["total"])]
    assert {page["total"] for page in pages} == {whole["total"]}
    assert [page["contains"][0]["code"] for page in pages] == [entry["code"] for entry in whole["contains"]]


def test_both_versions_are_mounted(client: TestClient) -> None:
    assert client.get("/r5/metadata").json()["fhirVersion"] == "5.0.0"
    assert client.get("/r4/metadata").json()["fhirVersion"] == "4.0.1"
    accept = {"Accept": "application/fhir+xml; fhirVersion=4.0"}
    assert '<fhirVersion value="4.0.1"/>' in client.get("/fhir/metadata", headers=accept).text
    versions = client.get("/r5/metadata", params={"mode": "terminology"}).json()["codeSystem"]
    assert len(versions) == 2


def test_a_batch_goes_to_the_base(client: TestClient) -> None:
    entry = {"request": {"method": "GET", "url": "metadata"}}
    body = {"resourceType": "Bundle", "type": "batch", "entry": [entry]}
    for base in ("/r5", "/r5/"):
        answered = client.post(base, json=body).json()["entry"][0]
        assert answered["resource"]["implementation"]["url"] == "http://testserver/r5"


def test_search_translates_between_terminologies(client: TestClient) -> None:
    systems = {e["resource"]["name"]: e["resource"]["url"] for e in client.get("/r5/CodeSystem").json()["entry"]}
    query = {"sourceCode": "6", "system": systems["tiny"], "targetSystem": systems["other"], "search": "true"}
    _, *matches = client.get("/r5/ConceptMap/$translate", params=query).json()["parameter"]
    found = [{part["name"]: part for part in match["part"]} for match in matches]
    assert "confidence" not in found[0], "the cross-reference of the terminology itself"
    assert found[0]["concept"]["valueCoding"]["code"] == "2"
    parts = next(one for one in found if "confidence" in one)
    assert parts["concept"]["valueCoding"]["code"] == "2"
    assert parts["relationship"]["valueCode"] == "related-to"
    assert parts["confidence"]["valueDecimal"] > 0.5
    for scope in (systems["other"], f"{systems['other']}?fhir_vs"):
        asked = {"code": "6", "system": systems["tiny"], "target": scope, "search": "true"}
        answer = client.get("/r4/ConceptMap/$translate", params=asked).json()["parameter"]
        assert any(part["name"] == "confidence" for match in answer[1:] for part in match["part"]), scope
    answer = client.get("/r4/ConceptMap/$translate", params={**asked, "target": ""}).json()
    assert answer["issue"][0]["details"]["text"].endswith("one code system of the target, to search it")


def test_a_body_that_is_too_long_is_refused(built: Path) -> None:
    with ServedLibrary([built / "tiny" / "tiny.index"]) as library:
        client = TestClient(FhirApp(library, most_bytes=1000))
        answer = client.post("/r5/ValueSet/$expand", content=b" " * 5000 + b"x")
        assert (answer.status_code, answer.json()["resourceType"]) == (413, "OperationOutcome")


def test_the_names_of_a_terminology_without_an_index_are_read_once(own, monkeypatch):
    read = []
    names_of = typednames.TypedNames.of_terminology
    monkeypatch.setattr(
        typednames.TypedNames, "of_terminology", lambda terminology: read.append(terminology) or names_of(terminology)
    )
    with ServedLibrary([own / "tiny/tiny.index", own / "other/other.terminology"]) as library:
        client = TestClient(FhirApp(library))
        entries = client.get("/r5/CodeSystem", params={"name": "other"}).json()["entry"]
        asked = {"url": entries[0]["resource"]["valueSet"], "filter": "hea att"}
        for term in ("funny turn", "strange turn"):
            (found,) = client.get("/r5/ValueSet/$expand", params=asked).json()["expansion"]["contains"]
            assert found["display"] == "Heart attack"
            add_terms(own / "tiny/tiny.index", [AddedTerm("T:6", term)])
            assert library.refresh()
        assert library.generation == 3
    assert len(read) == 1
