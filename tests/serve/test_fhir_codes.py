"""Codes as a request writes them: in another case, as alternative codes, with a prefix or without their dot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fhiranimals import ANIMALS, PETS, codes_of, posted, values_of

from made import concept, opened
from ontonym.serve.fhir.engine import Engine, Request, Response
from ontonym.serve.fhir.library import Shelf
from ontonym.serve.fhir.routes import terminology_shelf

HPO, ICD, WARDS = "http://human-phenotype-ontology.org", "http://hl7.org/fhir/sid/icd-10-cm", "http://example.org/wards"
PHENOTYPES = (
    concept("HP:0000118", "Phenotypic abnormality"),
    concept("HP:0001250", "Seizure", parents="HP:0000118", alternative_ids="HP:0002279", xrefs="UMLS:C0036572"),
    concept("HP:0020219", "Motor seizure", parents="HP:0001250", tags="slim"),
    concept("HP:0000002", "Fits", status="retired", replaced_by="HP:0001250"),
)
CODES = (
    concept("ICD10CM:E11", "Type 2 diabetes mellitus"),
    concept("ICD10CM:E11.9", "Type 2 diabetes mellitus without complications", parents="ICD10CM:E11",
            alternative_ids="ICD10CM:E119"),
)  # fmt: skip
LOCAL = {
    "resourceType": "CodeSystem", "url": WARDS, "version": "1", "status": "active", "content": "complete",
    "caseSensitive": False, "concept": [{"code": "A", "display": "Ward A"}, {"code": "B", "display": "Ward B"}],
}  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with opened(tmp_path_factory.mktemp("codes"), PHENOTYPES, CODES) as terminologies:
        yield Engine([Shelf([LOCAL]), terminology_shelf(terminologies)])


def _composed(*include: dict[str, Any], exclude: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    compose = {"include": list(include), **({"exclude": list(exclude)} if exclude else {})}
    return {"name": "valueSet", "resource": {"resourceType": "ValueSet", "status": "active", "compose": compose}}


def _said(response: Response) -> tuple[bool, str, list[str]]:
    """The result of a validation, its normalized code, and its message ids."""
    found = {entry["name"]: entry for entry in response.resource["parameter"]}
    issues = found["issues"]["resource"]["issue"] if "issues" in found else []
    return (
        found["result"]["valueBoolean"],
        found.get("normalized-code", {}).get("valueCode", ""),
        [issue["extension"][0]["valueString"] for issue in issues],
    )


def _valid(engine: Engine, given: dict[str, Any], system: str, code: str) -> bool:
    coding = {"name": "coding", "valueCoding": {"system": system, "code": code}}
    return _said(posted(engine, "ValueSet/$validate-code", given, coding))[0]


# Value sets that include implicit ones


@pytest.mark.parametrize(
    ("url", "codes"),
    [
        (f"{HPO}?fhir_vs", ["HP:0000118", "HP:0001250", "HP:0020219", "HP:0000002"]),
        (f"{HPO}?fhir_vs=isa/HP:0001250", ["HP:0001250", "HP:0020219"]),
        (f"{HPO}?fhir_vs=ecl/< HP:0001250", ["HP:0020219"]),
        (f"{HPO}?fhir_vs=ecl/%3C%20HP:0001250%20|Seizure|", ["HP:0020219"]),
        (f"{HPO}?fhir_vs=ecl/(HP:0001250 |Seizure| OR HP:0020219 |Motor seizure|)", ["HP:0001250", "HP:0020219"]),
    ],
)
def test_a_value_set_includes_and_excludes_what_a_url_means_by_itself(
    engine: Engine, url: str, codes: list[str]
) -> None:
    all_codes = [one.id for one in PHENOTYPES]
    included = _composed({"valueSet": [url]})
    excluded = _composed({"system": HPO}, exclude=({"valueSet": [url]},))
    rest = [code for code in all_codes if code not in codes]
    assert codes_of(posted(engine, "ValueSet/$expand", included)) == codes
    assert codes_of(posted(engine, "ValueSet/$expand", excluded)) == rest
    for given, members in ((included, codes), (excluded, rest)):
        assert [code for code in all_codes if _valid(engine, given, HPO, code)] == members
    assert codes_of(posted(engine, "ValueSet/$expand", {"name": "url", "valueUri": url})) == codes


def test_an_implicit_value_set_of_a_version_that_is_not_here_is_not_found(engine: Engine) -> None:
    assert posted(engine, "ValueSet/$expand", _composed({"valueSet": [f"{HPO}?fhir_vs|99"]})).status == 422
    assert codes_of(posted(engine, "ValueSet/$expand", _composed({"valueSet": [f"{ICD}?fhir_vs|1"]}))) == [
        "E11",
        "E11.9",
    ]


# Codes in other forms


@pytest.mark.parametrize(
    ("system", "code", "said"),
    [
        (HPO, "HP:0001250", (True, "", [])),
        (HPO, "HP:0002279", (True, "HP:0001250", ["ALTERNATIVE_CODE"])),
        (HPO, "0001250", (False, "", ["Unknown_Code_in_Version"])),
        (ICD, "E119", (False, "", ["Unknown_Code_in_Version"])),
        (ICD, "ICD10CM:E11.9", (False, "", ["Unknown_Code_in_Version"])),
        (WARDS, "a", (True, "A", ["CODE_CASE_DIFFERENCE"])),
    ],
)
def test_another_form_of_a_code_is_called_what_it_is(
    engine: Engine, system: str, code: str, said: tuple[bool, str, list[str]]
) -> None:
    given = [{"name": "url", "valueUri": system}, {"name": "code", "valueCode": code}]
    answer = posted(engine, "CodeSystem/$validate-code", *given)
    assert _said(answer) == said
    if said[2] == ["ALTERNATIVE_CODE"]:
        text = next(one["valueString"] for one in answer.resource["parameter"] if one["name"] == "message")
        assert text.startswith("The code 'HP:0002279' is an alternative code of 'HP:0001250'")
    inferred = {"name": "inferSystem", "valueBoolean": True}
    in_all = posted(engine, "ValueSet/$validate-code", _composed({"system": system}), given[1], inferred)
    assert _said(in_all)[0] is said[0]


@pytest.mark.parametrize(
    ("system", "listed", "asked", "own"),
    [
        (WARDS, "a", "A", "A"),
        (WARDS, "A", "a", "A"),
        (HPO, "HP:0002279", "HP:0001250", "HP:0001250"),
        (HPO, "HP:0001250", "HP:0002279", "HP:0001250"),
    ],
)
def test_a_code_that_is_listed_or_mapped_in_one_form_is_there_in_every_other(
    engine: Engine, system: str, listed: str, asked: str, own: str
) -> None:
    given = _composed({"system": system, "concept": [{"code": listed}]})
    assert codes_of(posted(engine, "ValueSet/$expand", given)) == [own]
    assert _valid(engine, given, system, asked) is True
    group = {"source": system, "target": WARDS, "element": [{"code": listed, "target": [{"code": "b"}]}]}
    made = {"resourceType": "ConceptMap", "status": "active", "group": [group]}
    for question, answered in (
        ({"name": "sourceCoding", "valueCoding": {"system": system, "code": asked}}, "b"),
        ({"name": "targetCoding", "valueCoding": {"system": WARDS, "code": "B"}}, listed),
    ):
        found = posted(engine, "ConceptMap/$translate", {"name": "conceptMap", "resource": made}, question)
        parts = {part["name"]: part for part in found.resource["parameter"][1]["part"]}
        assert parts.get("source", parts["concept"])["valueCoding"]["code"] == answered


@pytest.mark.parametrize("form", ["E119", "ICD10CM:E11.9", "e11.9"])
def test_what_is_no_code_of_the_system_lists_nothing(engine: Engine, form: str) -> None:
    given = _composed({"system": ICD, "concept": [{"code": form}, {"code": "E11"}]})
    assert codes_of(posted(engine, "ValueSet/$expand", given)) == ["E11"]
    assert not _valid(engine, given, ICD, "E11.9")


@pytest.mark.parametrize(
    ("name", "op"),
    [("concept", "is-a"), ("concept", "descendent-of"), ("concept", "is-not-a"), ("parent", "="), ("child", "in")],
)
@pytest.mark.parametrize(("system", "known"), [(HPO, "HP:0001250"), (WARDS, "a")])
def test_a_filter_by_the_place_of_an_unknown_code_is_an_error(
    engine: Engine, name: str, op: str, system: str, known: str
) -> None:
    def asked(code: str, path: str) -> Response:
        given = _composed({"system": system, "filter": [{"property": name, "op": op, "value": code}]})
        coding = {"name": "coding", "valueCoding": {"system": system, "code": known}}
        return posted(engine, path, given, coding)

    for path in ("ValueSet/$expand", "ValueSet/$validate-code"):
        assert asked(known, path).status == 200
        found = asked("nope", path)
        issue = found.resource["issue"][0]
        assert (found.status, issue["extension"][0]["valueString"]) == (422, "FILTER_UNKNOWN")
        assert "'nope'" in issue["details"]["text"]


@pytest.mark.parametrize(
    ("system", "name", "op", "value", "codes"),
    [
        (HPO, "xref", "=", "UMLS:C0036572", ["HP:0001250"]),
        (HPO, "xref", "regex", "UMLS:.*", ["HP:0001250"]),
        (HPO, "xref", "exists", "false", ["HP:0000118", "HP:0020219", "HP:0000002"]),
        (HPO, "tag", "exists", "true", ["HP:0020219"]),
        (HPO, "tag", "in", "slim,other", ["HP:0020219"]),
        (HPO, "replacedBy", "=", "HP:0001250", ["HP:0000002"]),
        (HPO, "alternateCode", "=", "HP:0002279", ["HP:0001250"]),
        (HPO, "alternateCode", "exists", "true", ["HP:0001250"]),
        (HPO, "inactive", "=", "true", ["HP:0000002"]),
        (WARDS, "inactive", "=", "true", []),
        (WARDS, "inactive", "=", "false", ["A", "B"]),
    ],
)
def test_filters_take_every_property_that_lookup_shows(
    engine: Engine, system: str, name: str, op: str, value: str, codes: list[str]
) -> None:
    given = _composed({"system": system, "filter": [{"property": name, "op": op, "value": value}]})
    assert codes_of(posted(engine, "ValueSet/$expand", given)) == codes


def test_an_expansion_shows_every_property_that_lookup_shows(engine: Engine) -> None:
    names = ("parent", "child", "inactive", "xref")
    query = [("url", f"{HPO}?fhir_vs=isa/HP:0001250"), *(("property", name) for name in names)]
    expansion = engine.answer(Request("GET", "ValueSet/$expand", query)).resource["expansion"]
    assert expansion["contains"][0]["property"] == [
        {"code": "inactive", "valueBoolean": False},
        {"code": "parent", "valueCode": "HP:0000118"},
        {"code": "child", "valueCode": "HP:0020219"},
        {"code": "xref", "valueString": "UMLS:C0036572"},
    ]
    assert {"code": "parent", "uri": "http://hl7.org/fhir/concept-properties#parent"} in expansion["property"]
    assert "property" not in engine.answer(Request("GET", "ValueSet/$expand", query[:1])).resource["expansion"]


# Parameters


@pytest.mark.parametrize("name", ["filter", "displayLanguage", "designation", "property"])
@pytest.mark.parametrize("value", ["", " "])
def test_a_parameter_without_a_value_is_as_if_it_was_not_given(engine: Engine, name: str, value: str) -> None:
    query = [("url", f"{HPO}?fhir_vs"), ("count", "1"), (name, value)]
    expansion = engine.answer(Request("GET", "ValueSet/$expand", query)).resource["expansion"]
    assert expansion["total"] == len(PHENOTYPES)
    assert name not in [one["name"] for one in expansion["parameter"]]


@pytest.mark.parametrize("mark", ["\0", "\x1f", "\x0b"])
def test_control_characters_that_no_string_of_fhir_has_are_refused(engine: Engine, mark: str) -> None:
    for path, name in (
        ("ValueSet/$expand", "filter"),
        ("CodeSystem/$lookup", "code"),
        ("CodeSystem/$lookup", "property"),
    ):
        given = [{"name": one, "valueString": value} for one, value in (("url", f"{HPO}?fhir_vs"), ("system", HPO))]
        found = posted(engine, path, *given, {"name": name, "valueString": f"a{mark}b"})
        assert found.status == 400, (path, name)
        assert "control characters" in found.resource["issue"][0]["details"]["text"]


@pytest.mark.parametrize("code", [" HP:0001250", "HP:0001250 ", "HP:0001250\n", "a  b"])
def test_what_is_no_code_of_fhir_is_refused(engine: Engine, code: str) -> None:
    coding = {"system": HPO, "code": code}
    for path, query in (
        ("CodeSystem/$validate-code", [{"name": "url", "valueUri": HPO}, {"name": "code", "valueCode": code}]),
        ("CodeSystem/$validate-code", [{"name": "coding", "valueCoding": coding}]),
        ("CodeSystem/$validate-code", [{"name": "codeableConcept", "valueCodeableConcept": {"coding": [coding]}}]),
        ("CodeSystem/$lookup", [{"name": "system", "valueUri": HPO}, {"name": "code", "valueCode": code}]),
        ("ConceptMap/$translate", [{"name": "sourceCoding", "valueCoding": coding}]),
    ):
        found = posted(engine, path, *query)
        assert (found.status, found.resource["issue"][0]["extension"][0]["valueString"]) == (400, "BAD_PARAMETER"), path


@pytest.mark.parametrize(
    ("path", "query", "name"),
    [
        ("CodeSystem/$validate-code", f"url={WARDS}&code=A&code=B", "code"),
        ("CodeSystem/$subsumes", f"system={WARDS}&codeA=A&codeA=B&codeB=B", "codeA"),
        ("ValueSet/$expand", f"url={WARDS}?fhir_vs&filter=a&filter=b", "filter"),
        ("ValueSet/$expand", f"url={WARDS}?fhir_vs&count=1&count=1", "count"),
    ],
)
def test_a_parameter_that_does_not_repeat_is_given_once(engine: Engine, path: str, query: str, name: str) -> None:
    given = [(key, value) for key, _, value in (part.partition("=") for part in query.split("&"))]
    found = engine.answer(Request("GET", path, given))
    assert found.status == 400
    assert found.resource["issue"][0]["details"]["text"] == f"The parameter '{name}' may be given only once"
    body = {"resourceType": "Parameters", "parameter": [{"name": "code", "valueCode": "A"}]}
    asked = engine.answer(Request("POST", "CodeSystem/$validate-code", [("url", WARDS), ("code", "B")], {}, body))
    assert asked.status == 400, "the url and the body say two things"


def test_parameters_that_repeat_and_those_that_others_stand_for(engine: Engine) -> None:
    query = [("url", f"{HPO}?fhir_vs"), ("property", "a"), ("property", "b"), ("designation", "en")]
    assert engine.answer(Request("GET", "ValueSet/$expand", query)).status == 200
    question = {"resourceType": "Parameters", "parameter": [{"name": "code", "valueCode": "A"}]}
    twice = {"resourceType": "Parameters", "parameter": question["parameter"] * 2}
    answers = posted(
        engine,
        "ValueSet/$batch-validate-code",
        {"name": "validation", "resource": question},
        {"name": "validation", "resource": twice},
        {"name": "url", "valueUri": f"{WARDS}?fhir_vs"},
        {"name": "code", "valueCode": "zz"},
        {"name": "inferSystem", "valueBoolean": True},
    ).resource["parameter"]
    assert [one["resource"]["resourceType"] for one in answers] == ["Parameters", "OperationOutcome"]
    assert answers[0]["resource"]["parameter"][0]["valueBoolean"] is True


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_display_of_an_answer_is_that_of_its_code(order: tuple[int, int]) -> None:
    engine = Engine([Shelf([ANIMALS, PETS])])
    codings = [{"system": ANIMALS["url"], "code": code} for code in ("dog", "bird")]  # no bird is a pet
    concept = {"coding": [codings[place] for place in order]}
    given = {"name": "codeableConcept", "valueCodeableConcept": concept}
    found = posted(engine, "ValueSet/$validate-code", {"name": "url", "valueUri": PETS["url"]}, given)
    values = values_of(found)
    assert (values["result"], values["code"], values["display"]) == (True, "dog", "Dog")
