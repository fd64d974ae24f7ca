"""Sets of mappings as OAEI, FHIR and OMOP have them, with those who know the standards as judges."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from mapping_rows import EVERYTHING, FACTS, LEXICAL, MANUAL, WORDS, row, said, written

from ontonym.errors import InputError
from ontonym.ontology.formats import read_release
from ontonym.store import Terminology, build_terminology, open_terminology
from ontonym.store.export.fhirmap import RELATIONSHIPS
from ontonym.store.export.mappings import (
    MappingExport,
    MappingFacts,
    write_mappings,
)
from ontonym.store.mappings import NO_TERM, read_mappings
from ontonym.store.mappings.iris import id_of_iri

# OAEI -------------------------------------------------------------------------------------------------------------


@pytest.mark.oracle
def test_rdflib_reads_the_same_alignment(tmp_path: Path) -> None:
    rdflib = pytest.importorskip("rdflib", reason="needs rdflib (extra oracle)")
    path = written(tmp_path, "a.rdf")
    graph = rdflib.Graph()
    graph.parse(path, format="xml")
    terms = rdflib.Namespace("http://knowledgeweb.semanticweb.org/heterogeneity/alignment#")
    found = {
        (
            id_of_iri(str(graph.value(cell, terms.entity1))),
            str(graph.value(cell, terms.relation)),
            id_of_iri(str(graph.value(cell, terms.entity2))),
            float(graph.value(cell, terms.measure)),
        )
        for cell in graph.subjects(rdflib.RDF.type, terms.Cell)
    }
    assert found == {
        ("HP:0000011", "=", "DOID:12143", 0.98),
        ("A01.2", ">", "DOID:4", 1.0),
        ("A01.2", "<", "http://x.example/a/two", 1.0),
    }
    back = read_mappings(path).rows
    assert {(one["subject_id"], one["object_id"]) for one in back} == {(one[0], one[2]) for one in found}


# FHIR -------------------------------------------------------------------------------------------------------------


def test_concept_map_r4(tmp_path: Path) -> None:
    facts = MappingFacts(FACTS.slots, systems={"LAB": "http://lab.example/codes|9"}, url=FACTS.url,
                         source_scope=FACTS.source_scope)  # fmt: skip
    made = json.loads(written(tmp_path, "a.json", EVERYTHING, facts).read_text())
    assert {key: made[key] for key in ("url", "version", "name", "title", "status", "date", "sourceUri")} == {
        "url": "http://clinic.example/map", "version": "3", "name": "Phenotypes_to_diseases",
        "title": "Phenotypes to diseases", "status": "draft", "date": "2026-11-22",
        "sourceUri": "http://clinic.example/all",
    }  # fmt: skip
    by_ends = {(group["source"], group.get("target")): group for group in made["group"]}
    local = by_ends["http://lab.example/codes", "http://www.orpha.net"]
    assert local["sourceVersion"] == "9"
    assert local["element"] == [
        {
            "code": "K 7",
            "target": [
                {
                    "extension": [
                        {"url": "https://w3id.org/sssom/predicate_id", "valueString": "skos:closeMatch"},
                        {"url": "https://w3id.org/sssom/mapping_justification", "valueString": LEXICAL},
                        {"url": "https://w3id.org/sssom/confidence", "valueDecimal": 0.5},
                    ],
                    "code": "5", "equivalence": "inexact", "comment": "skos:closeMatch",
                }
            ],
        }
    ]  # fmt: skip
    assert by_ends["http://lab.example/codes", None]["element"][0]["target"][0]["equivalence"] == "unmatched"


def test_relations_have_the_right_direction(tmp_path: Path) -> None:
    rows = [row("A:1", name, "B:1") for name in ("exact", "broad", "narrow", "close", "related")]
    rows = [{**one, "subject_id": f"A:{number}"} for number, one in enumerate(rows)]
    assert _relations(written(tmp_path, "a.json", rows), "equivalence") == [
        "equivalent", "wider", "narrower", "inexact", "relatedto",  # R4 says what the target is
    ]  # fmt: skip
    assert _relations(written(tmp_path, "a.r5.json", rows), "relationship") == [
        "equivalent", RELATIONSHIPS["skos:broadMatch"], RELATIONSHIPS["skos:narrowMatch"], "related-to", "related-to",
    ]  # fmt: skip
    assert RELATIONSHIPS["skos:broadMatch"] == "source-is-narrower-than-target"


def _relations(path: Path, key: str) -> list[str]:
    (group,) = json.loads(path.read_text())["group"]
    return [target[key] for element in group["element"] for target in element["target"]]


def test_decided_mappings_make_an_active_concept_map(tmp_path: Path) -> None:
    rows = [row("A:1", "exact", "B:1", mapping_justification=MANUAL), row("A:2", "exact", NO_TERM)]
    assert json.loads(written(tmp_path, "a.r5.json", rows[:1]).read_text())["status"] == "active"
    made = json.loads(written(tmp_path, "a.r5.json", rows).read_text())
    assert made["status"] == "draft"
    assert made["group"][0]["source"] == "urn:ontonym:prefix:A|2026-01-01"
    assert made["group"][1]["element"] == [{"code": "2", "noMap": True}]


@pytest.mark.oracle
@pytest.mark.parametrize(("name", "module"), [("a.json", "R4B.conceptmap"), ("a.r5.json", "conceptmap")])
def test_concept_maps_are_valid(tmp_path: Path, name: str, module: str) -> None:
    model = pytest.importorskip(f"fhir.resources.{module}", reason="needs fhir.resources (extra oracle)").ConceptMap
    path = written(tmp_path, name)
    made = model.model_validate_json(path.read_text())
    assert sum(len(group.element) for group in made.group) == 6
    broken = path.read_text().replace('"equivalent"', '["equivalent"]')
    with pytest.raises(ValueError, match=r"equivalence|relationship"):
        model.model_validate_json(broken)


# OMOP -------------------------------------------------------------------------------------------------------------

ALWAYS = "valid_start_date|valid_end_date|invalid_reason"
CONCEPTS = f"""\
concept_id|concept_name|domain_id|vocabulary_id|concept_class_id|standard_concept|concept_code|{ALWAYS}
30|Snout swelling|Condition|SNOMED|Clinical Finding|S|1001|19700101|20991231|
31|Snout pain|Condition|SNOMED|Clinical Finding|S|1002|19700101|20991231|
40|Swelling of snout, left|Condition|ICD10CM|4-char billing code||S01.1|19700101|20991231|
41|Snout, other|Condition|ICD10CM|4-char billing code||S01.9|19700101|20991231|
"""
RELATIONSHIPS_TABLE = f"concept_id_1|concept_id_2|relationship_id|{ALWAYS}\n40|30|Maps to|19700101|20991231|\n"


@pytest.fixture
def omop(tmp_path: Path) -> Any:
    folder = tmp_path / "athena"
    folder.mkdir()
    (folder / "CONCEPT.csv").write_text(CONCEPTS.replace("|", "\t"))
    (folder / "CONCEPT_RELATIONSHIP.csv").write_text(RELATIONSHIPS_TABLE.replace("|", "\t"))
    build_terminology(read_release([folder]), tmp_path / "omop.terminology")
    with open_terminology(tmp_path / "omop.terminology") as opened:
        yield opened


def _to_omop(
    tmp_path: Path, omop: Terminology | None, *rows: dict[str, str], **more: Any
) -> tuple[list[Any], MappingExport]:
    facts = MappingFacts({"mapping_date": "2026-11-22"}, omop=omop, **more)
    out = io.BytesIO()
    done = write_mappings(out, rows, facts, format="omop")
    (tmp_path / "source_to_concept_map.csv").write_bytes(out.getvalue())
    return list(csv.DictReader(io.StringIO(out.getvalue().decode()))), done


def test_source_to_concept_map(tmp_path: Path, omop: Terminology) -> None:
    rows = (
        row("LAB:K7", "exact", "OMOP:30", subject_label='Snout, "left"'),
        row("LAB:K8", "broad", "SCTID:1002", mapping_date="2020-01-01"),
        row("LAB:K9", "exact", "ICD10CM:S01.1"),
        row("LAB:K10", "exact", NO_TERM),
        {**WORDS, "object_id": "SCTID:1001"},
        row("LAB:K11", "exact", "ICD10CM:S01.9"),
        row("LAB:K12", "narrow", "SCTID:1001"),
        row("LAB:K13", "exact", "SCTID:1001", predicate_modifier="Not"),
        row("LAB:" + "x" * 51, "exact", "SCTID:1001"),
    )
    table, done = _to_omop(tmp_path, omop, *rows, vocabularies={"LAB": "HOSPITAL"})
    names = ("source_code", "source_vocabulary_id", "target_concept_id", "target_vocabulary_id", "valid_start_date")
    assert [tuple(one[name] for name in names) for one in table] == [
        ("K7", "HOSPITAL", "30", "SNOMED", "2026-11-22"),
        ("K8", "HOSPITAL", "31", "SNOMED", "2020-01-01"),
        ("K9", "HOSPITAL", "30", "SNOMED", "2026-11-22"),  # not standard itself, but maps to one that is
        ("K10", "HOSPITAL", "0", "None", "2026-11-22"),
        ("sore throat", "local", "30", "SNOMED", "2026-11-22"),
    ]
    assert table[0] == {
        "source_code": "K7", "source_concept_id": "0", "source_vocabulary_id": "HOSPITAL",
        "source_code_description": 'Snout, "left"', "target_concept_id": "30", "target_vocabulary_id": "SNOMED",
        "valid_start_date": "2026-11-22", "valid_end_date": "2099-12-31", "invalid_reason": "",
    }  # fmt: skip
    assert done.mappings == 5
    assert sorted(done.left_out.values()) == [1, 1, 2]
    back = read_mappings(tmp_path / "source_to_concept_map.csv").rows
    assert [(one["subject_id"], one["object_id"]) for one in back] == [
        ("HOSPITAL:K7", "OMOP:30"), ("HOSPITAL:K8", "OMOP:31"), ("HOSPITAL:K9", "OMOP:30"), ("HOSPITAL:K10", NO_TERM),
        ("local:sore throat", "OMOP:30"),
    ]  # fmt: skip


def test_omop_needs_concept_ids(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"SCTID:1: OMOP's own concept ids are needed.*`omop=athena"):
        _to_omop(tmp_path, None, row("LAB:1", "exact", "SCTID:1"))
    with pytest.raises(InputError, match="OMOP:30: SOURCE_TO_CONCEPT_MAP wants the vocabulary of each target"):
        _to_omop(tmp_path, None, row("LAB:1", "exact", "OMOP:30"))
    rows = [row("SCTID:9", "exact", "OMOP:30"), row("HP:0000118", "exact", "OMOP:31")]
    table, _ = _to_omop(tmp_path, None, *rows, vocabularies={"OMOP": "RxNorm"})
    assert [(one["source_code"], one["source_vocabulary_id"], one["target_vocabulary_id"]) for one in table] == [
        ("9", "SNOMED", "RxNorm"), ("HP:0000118", "HPO", "RxNorm"),  # as OMOP's own tables have them
    ]  # fmt: skip
    assert said(read_mappings(tmp_path / "source_to_concept_map.csv").rows) == {
        ("SCTID:9", "skos:closeMatch", "", "OMOP:30"), ("HP:0000118", "skos:closeMatch", "", "OMOP:31"),
    }  # fmt: skip
    with pytest.raises(InputError, match="at most 20 characters: `vocabularies=LAB=ID`"):
        _to_omop(tmp_path, None, row("LAB:1", "exact", "OMOP:30"), vocabularies={"LAB": "x" * 21})
