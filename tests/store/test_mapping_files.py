"""Sets of mappings written in every standard and read back, with those who know the standards as judges."""

from __future__ import annotations

import csv
import io
import json
import logging
import warnings
from pathlib import Path
from typing import Any

import pytest

from ontonym.errors import FormatError, InputError, UnknownNameError
from ontonym.ontology.formats import read_release
from ontonym.store import Terminology, build_terminology, open_terminology
from ontonym.store.export.fhirmap import RELATIONSHIPS
from ontonym.store.export.mappings import (
    MAPPING_WRITERS,
    MappingExport,
    MappingFacts,
    mapping_format,
    write_mappings,
)
from ontonym.store.mappings import JUSTIFICATIONS, NO_TERM, Row, Statement, read_mappings, statements
from ontonym.store.mappings.iris import IRIS, id_of_iri, iri_of_id

MANUAL, LEXICAL = JUSTIFICATIONS["manual"], JUSTIFICATIONS["lexical"]


def row(subject: str, predicate: str, target: str, **more: str) -> dict[str, str]:
    given = {"subject_id": subject, "predicate_id": f"skos:{predicate}Match", "object_id": target}
    return {**given, "mapping_justification": LEXICAL, **more}


FULL = row(
    "HP:0000011", "exact", "DOID:12143", subject_label='"Odd" = name', object_label="neurogenic bladder",
    confidence="0.98", author_id="orcid:0000-0002-1825-0097", reviewer_id="orcid:0000-0002-1825-0097",
    mapping_date="2026-11-22", comment="=1+1", ext_frequency="12", similarity_score="0.5", similarity_measure="cosine",
)  # fmt: skip
DENIED = row("HP:0000012", "exact", "DOID:2", predicate_modifier="Not", mapping_justification=MANUAL)
UNRELATED = row("HP:0000012", "related", "DOID:9", predicate_modifier="Not", mapping_justification=MANUAL)
WORDS = {
    "subject_label": "sore throat", "subject_type": "rdfs literal", "predicate_id": "skos:broadMatch",
    "object_id": "DOID:3", "mapping_justification": JUSTIFICATIONS["meaning"],
}  # fmt: skip
BARE = row("A01.2", "narrow", "DOID:4", mapping_justification=JUSTIFICATIONS["chain"])
OWN_IRI = row("A01.2", "broad", "http://x.example/a/two", mapping_justification=JUSTIFICATIONS["cross-reference"])
LOCAL = row("LAB:K 7", "close", "ORPHA:5", confidence="0.5")
NOTHING = row("LAB:8", "exact", NO_TERM, mapping_justification=MANUAL)
EVERYTHING = [FULL, DENIED, UNRELATED, WORDS, BARE, OWN_IRI, LOCAL, NOTHING]

FACTS = MappingFacts(
    slots={
        "mapping_set_title": "Phenotypes to diseases", "mapping_date": "2026-11-22", "mapping_tool": "ontonym",
        "subject_source_version": "2026-01-01", "object_source_version": "v7", "mapping_set_version": "3",
        "creator_id": "orcid:0000-0002-1825-0097",
    },
    url="http://clinic.example/map", source_scope="http://clinic.example/all", target_scope="http://d.example/all",
)  # fmt: skip


def said(rows: Any, *columns: str) -> set[tuple[str, ...]]:
    """What rows say, as a set: the ends, the predicate and whether it is denied, and some columns more."""
    names = ("subject_id", "predicate_id", "predicate_modifier", "object_id", *columns)
    return {tuple(one.get(name, "") for name in names) for one in rows}


def written(tmp_path: Path, name: str, rows: list[dict[str, str]] = EVERYTHING, facts: MappingFacts = FACTS) -> Path:
    write_mappings(tmp_path / name, rows, facts)
    return tmp_path / name


MORE = ("mapping_justification", "confidence")
PEOPLE = ("author_id", "reviewer_id", "ext_frequency", "similarity_score", "subject_type")
CASES = [
    ("a.sssom.tsv", EVERYTHING, (*MORE, *PEOPLE, "subject_label", "object_label", "comment")),
    ("a.csv", EVERYTHING, (*MORE, *PEOPLE[:4], "subject_label", "object_label", "comment")),
    ("a.rdf", [FULL, BARE, OWN_IRI], ("confidence",)),
    ("a.json", [FULL, UNRELATED, BARE, OWN_IRI, LOCAL, NOTHING], (*MORE, "object_label", "comment")),
    ("a.r5.json.gz", [FULL, UNRELATED, BARE, OWN_IRI, LOCAL], (*MORE, "object_label", "comment")),
]


@pytest.mark.parametrize(("name", "kept", "columns"), CASES)
def test_what_is_written_is_read_back(tmp_path: Path, name: str, kept: list[Row], columns: tuple[str, ...]) -> None:
    asked = list(EVERYTHING)
    if name.endswith(".r5.json.gz"):
        kept = [*kept, NOTHING | {"mapping_justification": JUSTIFICATIONS["unspecified"]}]  # noMap says no more
    path = tmp_path / name
    done = write_mappings(path, asked, FACTS)
    back = read_mappings(path)
    expected = [{**one, "confidence": "1.0"} if name == "a.rdf" and "confidence" not in one else one for one in kept]
    assert said(back.rows, *columns) == said(expected, *columns)
    assert back.counts.malformed == 0
    assert done.mappings == len(back.rows) == len(kept)
    assert done.left_out.total() == len(asked) - len(kept)


def test_every_format_has_a_way_back() -> None:
    names = {mapping_format(name) for name, _, _ in CASES}
    assert names | {"omop"} == set(MAPPING_WRITERS)


def test_the_endings_of_names() -> None:
    endings = {"m.TSV": "sssom", "m.json.gz": "fhir-r4", "m.r5.json": "fhir-r5", "m.stcm.csv": "omop", "m.csv": "csv"}
    assert {name: mapping_format(name) for name in endings} == endings
    with pytest.raises(InputError, match=r"m\.xlsx: the ending.*`format=NAME.*\.rdf \(alignment\)"):
        mapping_format("m.xlsx")
    with pytest.raises(UnknownNameError, match="unknown format 'xls'"):
        write_mappings("m.xls", [FULL], format="xls")


@pytest.mark.parametrize("prefix", sorted(IRIS))
def test_ids_become_iris_and_back(prefix: str) -> None:
    number = {"ICD11": "123", "LOINC": "8310-5", "MESH": "D003920", "UMLS": "C0000001", "Wikidata": "Q12"}
    id_ = f"{prefix}:{number.get(prefix, 'PS100' if prefix == 'OMIMPS' else '100')}"
    assert id_of_iri(iri_of_id(id_, {})) == id_


def test_ids_of_ones_own_become_iris_and_back() -> None:
    for id_ in ("LAB:K 7", "A01.2", "L:50%<x>", "L:50%20", "L:%41", "http://x.example/a/two", "urn:oid:1.2.3"):
        assert " " not in iri_of_id(id_, {})
        assert id_of_iri(iri_of_id(id_, {})) == id_
    assert iri_of_id("T:1", {"T": "http://t.example#T_"}) == "http://t.example#T_1"
    assert id_of_iri("http://t.example#T_1") == "T:1"


# SSSOM ------------------------------------------------------------------------------------------------------------


def test_sssom_metadata(tmp_path: Path) -> None:
    path = written(tmp_path, "a.sssom.tsv")
    back = read_mappings(path)
    assert back.slots["mapping_set_id"] == "http://clinic.example/map"
    assert back.slots["license"] == "https://w3id.org/sssom/license/unspecified"
    assert back.slots["creator_id"] == "orcid:0000-0002-1825-0097"
    assert back.prefixes["DOID"] == "http://purl.obolibrary.org/obo/DOID_"
    assert back.rows[1]["subject_source_version"] == "2026-01-01"  # what the set says holds for every row
    text = path.read_text()
    assert "\nlocal:A01.2\t" in text  # ids must be CURIEs there
    assert "\tns1:two\t" in text
    assert [one.ends[0] for one in statements(path)] == ["HP:0000011", *["HP:0000012"] * 2, *["A01.2"] * 2, "LAB:K 7"]
    again = written(tmp_path, "b.sssom.tsv", [dict(one) for one in back.rows], MappingFacts(back.slots, back.prefixes))
    assert again.read_text() == text


def test_what_the_columns_of_sssom_are_is_kept_and_others_are_told(tmp_path: Path) -> None:
    more = FULL | {"object_category": "biolink:Disease", "mood": "good"}
    done = write_mappings(tmp_path / "a.tsv", [more], FACTS)
    assert done.left_out == {"column mood, which SSSOM does not have": 1}
    assert read_mappings(tmp_path / "a.tsv").rows[0]["object_category"] == "biolink:Disease"


@pytest.mark.oracle
def test_sssom_is_valid(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("sssom", reason="needs sssom (extra oracle)")
    assert _judged(written(tmp_path, "a.sssom.tsv"), caplog) == []
    wrong = [FULL | {"mapping_justification": "semapv:Guessing"}]
    assert len(_judged(written(tmp_path, "b.sssom.tsv", wrong), caplog)) == 2


def _judged(path: Path, caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the sssom library finds wrong with a file, and what it warns of while it reads it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own dependencies are full of deprecated calls
        from sssom.parsers import parse_sssom_table
        from sssom.validators import validate

        caplog.clear()
        with caplog.at_level(logging.WARNING):
            table = parse_sssom_table(path)
            warned = [record.getMessage() for record in caplog.records]
            reports = validate(table, fail_on_error=False)
    assert len(table.df) == len(read_mappings(path).rows)
    warned = [one for one in warned if "ext_frequency" not in one]  # valid, but it keeps no extension
    return warned + [result.message for report in reports.values() for result in report.results]


def test_sssom_of_others(tmp_path: Path) -> None:
    path = tmp_path / "theirs.tsv"
    path.write_text(
        "# curie_map:\n#   mesh: http://identifiers.org/mesh/\n#   obo: http://purl.obolibrary.org/obo/\n"
        "# comment: 'it''s'\n# creator_id:\n# - orcid:1\n# - orcid:2\n# mapping_date: 2020-02-02\n"
        "subject_id\tpredicate_id\tpredicate_modifier\tobject_id\tmapping_justification\tconfidence\tauthor_id\n"
        "obo:HP_0000001\tskos:exactMatch\t\tmesh:D004194\tsemapv:ManualMappingCuration\t0.5\torcid:1\n"
        "HP:0000002\tskos:exactMatch\tNOT\tMSH:D000309\tsemapv:LexicalMatching\t\t\n"
        "HP:0000003\tskos:exactMatch\t\tMSH:D000309\tsemapv:LexicalMatching\tmuch\t\n"
        "HP:0000004\tskos:exactMatch\t\n"
    )
    back = read_mappings(path)
    assert (back.counts.rows, back.counts.kept, back.counts.malformed) == (4, 2, 2)
    assert [one.line for one in back.counts.examples] == [12, 13]
    assert (back.slots["comment"], back.slots["creator_id"]) == ("it's", "orcid:1|orcid:2")
    day = "2020-02-02"
    assert list(statements(path)) == [
        Statement(
            ("HP:0000001", "MESH:D004194"), "skos:exactMatch", False, 0.5, MANUAL, "", "orcid:1", "", "2020-02-02"
        ),
        Statement(("HP:0000002", "MESH:D000309"), "skos:exactMatch", True, None, LEXICAL, date=day),
    ]


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
    with pytest.raises(InputError, match=r"SCTID:1: SOURCE_TO_CONCEPT_MAP wants OMOP's own concept ids.*`omop=athena"):
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


# CSV --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["=1+1", "+a", "-1-1", "@SUM(A1)", "'=1", "''+", "plain", "'quoted'", '"a", b\nc'])
def test_no_cell_is_a_formula(tmp_path: Path, text: str) -> None:
    path = written(tmp_path, "a.csv", [FULL | {"subject_label": text}])
    content = path.read_bytes()
    assert content.startswith("\ufeffsource code,source name,frequency,the target is,target code,".encode())
    (record,) = csv.DictReader(io.StringIO(content.decode("utf-8-sig")))
    assert record["source name"][0] not in "=+-@"
    assert (record["the target is"], record["frequency"]) == ("the same", "12")
    assert read_mappings(path).rows[0]["subject_label"] == text


def test_a_table_that_people_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "source code;the target is;target code;remark\nA:1;not broader;B:1;x\nA:2;;B:2;\nA:3;like;B:3;\nA:4;close;;\n"
    )
    back = read_mappings(path)
    assert said(back.rows) == {("A:1", "skos:broadMatch", "Not", "B:1"), ("A:2", "skos:exactMatch", "", "B:2")}
    assert [one.line for one in back.counts.examples] == [4, 5]
    assert "unknown relation 'like' (known: the same" in back.counts.examples[0].problem


def test_that_nothing_fits_is_said_in_words(tmp_path: Path) -> None:
    nothing = {"subject_id": "A:1", "predicate_id": "skos:exactMatch", "object_id": "sssom:NoTermFound"}
    path = written(tmp_path, "a.csv", [{**nothing, "mapping_justification": "semapv:ManualMappingCuration"}])
    (record,) = csv.DictReader(io.StringIO(path.read_text("utf-8-sig")))
    assert (record["the target is"], record["target code"]) == ("nothing fits", "")
    assert said(read_mappings(path).rows) == {("A:1", "skos:exactMatch", "", "sssom:NoTermFound")}
    path.write_text("source code;the target is;target code\nA:1;nothing fits;B:1\nA:2;the same;sssom:NoTermFound\n")
    back = read_mappings(path)
    assert said(back.rows) == {("A:2", "skos:exactMatch", "", "sssom:NoTermFound")}, "as it was written before"
    assert back.counts.examples[0].problem == "'nothing fits', but with the target B:1"


# Files with nothing to use ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.obo", "format-version: 1.2\n\n[Term]\nid: T:1\nname: Fever\n", "no mapping in it"),
        (
            "a.tsv",
            "subject_id\tpredicate_id\tobject_id\tmapping_justification\nA:1\tskos:exactMatch\t\tm\n",
            r"a\.tsv:2: no mapping in it; of 1 malformed row the first: no object_id",
        ),
        ("a.rdf", "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><Alignment/></rdf:RDF>", "no map"),
        ("a.json", '{"resourceType": "ConceptMap", "status": "draft"}', "no concept in it"),
        ("a.bin", "\x00\x01", "the format is not recognized. Give SSSOM"),
    ],
)
def test_nothing_usable(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(FormatError, match=message):
        read_mappings(tmp_path / name)


def test_a_concept_map_of_others_is_what_is_known(tmp_path: Path) -> None:
    target = [
        {"code": "B1", "relationship": "equivalent", "comment": "seen"},
        {"code": "B2", "relationship": "not-related-to", "comment": "no"},
        {"code": "B3", "relationship": "source-is-narrower-than-target"},
    ]
    element = [{"code": "A1", "display": "Fever", "target": target}, {"code": "A2", "noMap": True}]
    group = {"source": "http://hl7.org/fhir/sid/icd-10", "target": "http://snomed.info/sct", "element": element}
    (tmp_path / "m.json").write_text(json.dumps({"resourceType": "ConceptMap", "status": "active", "group": [group]}))
    assert said(read_mappings(tmp_path / "m.json").rows, "subject_label", "comment") == {
        ("ICD10:A1", "skos:exactMatch", "", "SCTID:B1", "Fever", "seen"),
        ("ICD10:A1", "skos:relatedMatch", "Not", "SCTID:B2", "Fever", "no"),
        ("ICD10:A1", "skos:broadMatch", "", "SCTID:B3", "Fever", ""),
        ("ICD10:A2", "skos:exactMatch", "", NO_TERM, "", ""),
    }
    assert [(one.ends[1], one.denied) for one in statements(tmp_path / "m.json")] == [
        ("SCTID:B1", False), ("SCTID:B2", True), ("SCTID:B3", False),
    ]  # fmt: skip


def test_the_pairs_of_bio_ml_are_read(tmp_path: Path) -> None:
    file = tmp_path / "train.tsv"
    file.write_text(
        "SrcEntity\tTgtEntity\tScore\n"
        "http://purl.obolibrary.org/obo/DOID_1\thttp://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl#C2\t1.0\n"
        "http://purl.obolibrary.org/obo/DOID_2\n"
        "http://purl.obolibrary.org/obo/DOID_3\thttp://my.example#X_4\t0.5\n"
    )
    read = read_mappings(file)
    assert (read.format, read.counts.malformed) == ("bio-ml", 1)
    assert [(row["subject_id"], row["predicate_id"], row["object_id"], row["confidence"]) for row in read.rows] == [
        ("DOID:1", "skos:exactMatch", "NCIT:C2", "1.0"), ("DOID:3", "skos:exactMatch", "X:4", "0.5"),
    ]  # fmt: skip
