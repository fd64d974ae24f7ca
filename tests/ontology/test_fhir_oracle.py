"""HL7's own test cases for terminology servers: what we read against a plain walk over the JSON, and against HL7's
expected expansions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ontonym.errors import FormatError
from ontonym.ontology.formats import read_release
from ontonym.types import Concept

pytestmark = [pytest.mark.live, pytest.mark.oracle]

KINDS = ("CodeSystem", "ValueSet", "ConceptMap")


@pytest.fixture(scope="module")
def suites(data: Path) -> Path:
    return data / "fhir_tx_tests"


@cache
def load(path: Path) -> Any:
    return json.loads(path.read_text("utf-8-sig"))


def resources(suites: Path, kind: str) -> dict[Path, Any]:
    found = {path: load(path) for path in sorted(suites.rglob("*.json"))}
    return {path: resource for path, resource in found.items() if resource.get("resourceType") == kind}


def flat(items: list[dict[str, Any]], parent: str = "", key: str = "concept") -> Iterator[tuple[dict[str, Any], str]]:
    for item in items:
        yield item, parent
        yield from flat(item.get(key, []), item["code"], key)


def read(*paths: Path) -> tuple[list[Concept], Any]:
    release = read_release(paths)
    return list(release.concepts()), release


def local(concept_id: str) -> str:
    return concept_id.partition(":")[2]


def test_every_code_system(suites: Path) -> None:
    seen: Counter[str] = Counter()
    for path, resource in resources(suites, "CodeSystem").items():
        concepts, release = read(path)
        expected = list(flat(resource["concept"]))
        assert [local(c.id) for c in concepts] == [item["code"] for item, _ in expected], path
        assert release.counts.malformed == 0, path
        given = {
            prop.get("uri", prop["code"]).rpartition("#")[2]: prop["code"] for prop in resource.get("property", [])
        }
        for concept, (item, parent) in zip(concepts, expected, strict=True):
            names = Counter([item["display"]] if "display" in item else [])
            names.update(designation["value"] for designation in item.get("designation", []))
            assert Counter(term.text for term in concept.terms) == names, concept.id
            assert [local(p) for p in concept.parents] == ([parent] if parent else []), concept.id
            assert concept.definitions == ((item["definition"],) if "definition" in item else ())
            values = {p["code"]: next(v for k, v in p.items() if k != "code") for p in item.get("property", [])}
            retired = values.get("inactive") is True or values.get(given.get("status", "status")) == "retired"
            assert (concept.status == "retired") is retired, concept.id
            kept = {p.name: p.value for p in concept.properties if "/" not in p.name and ":" not in p.name}
            shown = {name: str(value).lower() if value in (True, False) else value for name, value in values.items()}
            assert kept == {name: value for name, value in shown.items() if name != "inactive"}, concept.id
            seen.update(names=names.total(), parents=bool(parent), retired=retired, properties=len(kept), concepts=1)
    assert seen["concepts"] == 2_621
    assert (seen["names"], seen["parents"], seen["retired"], seen["properties"]) == (2_646, 33, 5, 41)


def test_every_value_set_is_read_or_says_why_not(suites: Path) -> None:
    outcomes: Counter[str] = Counter()
    for path, resource in resources(suites, "ValueSet").items():
        expansion = resource.get("expansion", {})
        try:
            concepts, _ = read(path)
        except FormatError as error:
            assert not expansion.get("contains"), path
            rule = "not among the files. Add " in str(error) or "there is" in str(error)
            empty = expansion.get("total") == 0 and "has no codes" in str(error)
            broken = "broken-filter" in path.name and "a filter without" in str(error)
            assert rule or empty or broken, error
            outcomes["empty" if empty else "needs more"] += 1
            continue
        outcomes["read"] += 1
        if expansion.get("contains"):
            listed = {item["code"] for item, _ in flat(expansion["contains"], key="contains")}
        else:
            listed = {c["code"] for part in resource["compose"]["include"] for c in part["concept"]}
            listed -= {c["code"] for part in resource["compose"].get("exclude", []) for c in part.get("concept", [])}
        assert {local(concept.id) for concept in concepts} == listed, path
    assert outcomes.total() == len(resources(suites, "ValueSet"))
    assert outcomes["read"] > 150


def test_every_concept_map(suites: Path) -> None:
    for path, resource in resources(suites, "ConceptMap").items():
        concepts, _ = read(path)
        expected = [
            (element["code"], target["code"])
            for group in resource["group"]
            for element in group["element"]
            for target in element["target"]
        ]
        found = [(local(c.id), local(m.object_id)) for c in concepts for m in c.mappings]
        assert found == expected, path


PLAIN = set("url excludeNested includeDesignations includeDefinition property designation displayLanguage".split())
PLAIN.add("valueSetVersion")
"""Parameters of ``$expand`` that do not change which codes are in a value set."""

BY_VERSION = {"expand-exclude-versioned", "expand-exclude-enum"}
"""Here HL7 takes a code of two versions of a code system for two: excluding one leaves the other. To us it is one."""

NOT_ASKED = {"big-echo-no-limit", "extensions-echo-bad-supplement"}
"""Here a server refuses what a file may well say: it is too long to send, or names a supplement that is not there."""


def expansions(suites: Path) -> Iterator[tuple[str, list[Path], str, Any]]:
    """Test name, files, value set and expected answer of every expansion whose codes only the files decide."""
    for suite in load(suites / "test-cases.json")["suites"]:
        for test in suite["tests"]:
            if test.get("operation") != "expand" or "profile" in test:
                continue
            asked: dict[str, Any] = {}
            for item in load(suites / test["request"])["parameter"]:
                asked[item["name"]] = next((value for key, value in item.items() if key != "name"), None)
            if set(asked) <= PLAIN and "url" in asked:
                url = asked["url"] + (f"|{asked['valueSetVersion']}" if "valueSetVersion" in asked else "")
                yield test["name"], [suites / name for name in suite["setup"]], url, load(suites / test["response"])


def test_expansions_are_those_that_hl7_expects(suites: Path) -> None:
    compared = 0
    for name, files, url, expected in expansions(suites):
        concepts, release = read(*files)
        if expected["resourceType"] == "OperationOutcome":
            if name not in NOT_ASKED:
                told = str(release.metadata.details.get("value_sets_not_listed")) + str(release.counts.examples)
                assert url.partition("|")[0] in told, name
            continue
        canonical = url.partition("|")[0]
        versions = sorted(
            value.partition("|")[2]
            for value in {p.value for c in concepts for p in c.properties if p.name == "valueset"}
            if value.partition("|")[0] == canonical
        )
        wanted = {url, f"{canonical}|{versions[-1]}" if versions and "|" not in url else url}
        found = {local(c.id) for c in concepts for p in c.properties if p.name == "valueset" and p.value in wanted}
        codes = {item["code"] for item, _ in flat(expected["expansion"].get("contains", []), key="contains")}
        assert found == codes or name in BY_VERSION, name
        compared += 1
    assert compared == 98
