"""Sets of mappings written in every standard and read back: SSSOM, CSV, and what nothing can be read of."""

from __future__ import annotations

import csv
import io
import json
import logging
import warnings
from pathlib import Path

import pytest
from mapping_rows import (
    BARE,
    EVERYTHING,
    FACTS,
    FULL,
    LEXICAL,
    LOCAL,
    MANUAL,
    NOTHING,
    OWN_IRI,
    UNRELATED,
    said,
    written,
)

from ontonym.errors import FormatError, InputError, UnknownNameError
from ontonym.store.export.mappings import (
    MAPPING_WRITERS,
    MappingFacts,
    mapping_format,
    write_mappings,
)
from ontonym.store.mappingfile import MappingFile
from ontonym.store.mappings import JUSTIFICATIONS, NO_TERM, Row, Statement, read_mappings, statements
from ontonym.store.mappings.iris import IRIS, id_of_iri, iri_of_id

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
    assert names | {"omop", "usagi"} == set(MAPPING_WRITERS)


def test_the_endings_of_names() -> None:
    endings = {"m.TSV": "sssom", "m.json.gz": "fhir-r4", "m.r5.json": "fhir-r5", "m.stcm.csv": "omop", "m.csv": "csv"}
    endings |= {"codes.usagi.csv": "usagi"}
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


def test_codes_without_a_prefix_have_the_iri_that_was_given_for_them(tmp_path: Path) -> None:
    facts = MappingFacts(iris={"local": "http://hospital.example/codes/"})
    made = written(tmp_path, "a.rdf", [BARE, LOCAL], facts).read_text()
    assert '<entity1 rdf:resource="http://hospital.example/codes/A01.2"/>' in made
    assert iri_of_id("LAB:K7", facts.iris) == "urn:ontonym:LAB:K7"


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


@pytest.mark.parametrize("margin", ["", " "])
@pytest.mark.parametrize("indent", [" ", "  "])
def test_a_prefix_map_may_be_indented_by_any_number_of_spaces(tmp_path: Path, margin: str, indent: str) -> None:
    block = ["curie_map:", f"{indent}own: http://purl.obolibrary.org/obo/HP_", f"{indent}m: http://id.nlm.nih.gov/mesh/",
             "mapping_set_title: mine"]  # fmt: skip
    header = "subject_id\tpredicate_id\tobject_id\tmapping_justification\n"
    row = "own:0000001\tskos:exactMatch\tm:D004194\tsemapv:ManualMappingCuration\n"
    path = tmp_path / "theirs.sssom.tsv"
    path.write_text("".join(f"#{margin}{line}\n" for line in block) + header + row)
    back = read_mappings(path)
    assert [one["subject_id"] for one in back] == ["HP:0000001"]
    assert [one["object_id"] for one in back] == ["MESH:D004194"]
    assert dict(back.slots) == {"mapping_set_title": "mine"}


def test_sssom_with_its_cells_in_quotes_is_read_and_carried(tmp_path: Path) -> None:
    rows = [["subject_id", "predicate_id", "object_id", "comment"], ["HP:1", "skos:exactMatch", "MSH:D1", 'so "said"']]
    lines = ["\t".join('"' + cell.replace('"', '""') + '"' for cell in row) + "\n" for row in rows]
    path = tmp_path / "quoted.sssom.tsv"
    path.write_text("".join(lines))
    (row,) = MappingFile(path).rows()
    assert (row.subject, row.object, row.cells["comment"]) == ("HP:1", "MESH:D1", 'so "said"')
    assert row.raw.decode() == lines[1], "it is written as it was"
    assert [(one["subject_id"], one["comment"]) for one in read_mappings(path)] == [("HP:1", 'so "said"')]


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


@pytest.mark.parametrize(("confidence", "written"), [(1.0, "1"), (0.12345678912, "0.12345678912"), (0.1 + 0.2, "0.3")])
def test_a_confidence_keeps_its_digits(tmp_path: Path, confidence: float, written: str) -> None:
    mapping = {"predicate_id": "skos:exactMatch", "object_id": "Y:1", "confidence": confidence, "justification": "x:y"}
    lines = ({"ontonym_terminology": 1}, {"id": "X:1", "terms": [{"text": "a"}], "mappings": [mapping]})
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [row["confidence"] for row in read_mappings(tmp_path / "t.jsonl")] == [written]


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
        ("a.json", '{"resourceType": "ConceptMap", "status": "draft"}', "no concept in it"),
        ("a.bin", "\x00\x01", "the format is not recognized. Give SSSOM"),
    ],
)
def test_nothing_usable(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(FormatError, match=message):
        read_mappings(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.sssom.tsv", "# mapping_set_id: x\nsubject_id\tpredicate_id\tobject_id\tmapping_justification\n", "sssom"),
        (
            "a.rdf",
            "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><Alignment/></rdf:RDF>",
            "alignment",
        ),
    ],
)
def test_a_set_of_mappings_may_be_empty(tmp_path: Path, name: str, content: str, format: str) -> None:
    (tmp_path / name).write_text(content)
    read = read_mappings(tmp_path / name)
    assert (len(read), read.format, read.counts.malformed) == (0, format, 0)


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
