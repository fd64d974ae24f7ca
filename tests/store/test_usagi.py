"""Files of Usagi: what it saved is read with nothing lost, and what is written is what it reads back."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from mapping_rows import FULL, MANUAL, WORDS, row

from ontonym.errors import FormatError, InputError
from ontonym.store.export.mappingfacts import MappingFacts
from ontonym.store.export.mappings import MAPPING_WRITERS, completed_facts, write_mappings
from ontonym.store.mappings import NO_TERM, read_mappings
from ontonym.store.mappings.rows import left_open

HEADER = (
    "sourceCode,sourceName,sourceFrequency,sourceAutoAssignedConceptIds,ADD_INFO:Unit,matchScore,mappingStatus,"
    "equivalence,statusSetBy,statusSetOn,conceptId,conceptName,domainId,mappingType,comment,createdBy,createdOn,"
    "assignedReviewer"
)
SAVED = f"""\
{HEADER}
001,Snout pain,120,,mg,0.87,APPROVED,EQUAL,ann,1616161616161,30,Snout pain,Condition,MAPS_TO,,<auto>,1616000000000,ben
002,"Snout, all",0,,,0.91,APPROVED,WIDER,ann,1616161616161,31,Snout,Condition,MAPS_TO,"a; ""b"" c",ann,1616161616000,
003,Tail,-1,7;8,,0.55,UNCHECKED,UNREVIEWED,,0,32,Tail pain,Condition,MAPS_TO,,<auto>,1616000000000,ben
004,Nothing,5,,,0.00,APPROVED,UNMATCHED,ben,1616161616161,0,,,MAPS_TO,no such thing,,0,
005,Paw,6,,,0.50,FLAGGED,INEXACT,ben,1616161616161,33,Paw pain,Condition,MAPS_TO,look,<auto>,1616000000000,ann
006,Ear,7,,,0.70,APPROVED,EQUIVALENT,ben,1616161616161,34,Ear pain,Condition,MAPS_TO,,ben,1616161616161,
006,Ear,7,,,0.70,APPROVED,EQUIVALENT,ben,1616161616161,35,Left,Meas Value,MAPS_TO_VALUE,,ben,1616161616162,
007,Old,8,,,0.33,IGNORED,UNREVIEWED,ben,1616161616161,0,,,MAPS_TO,,,0,
"""


def _saved(tmp_path: Path, text: str = SAVED) -> Path:
    path = tmp_path / "saved.csv"
    path.write_text(text, encoding="utf-8")
    return path


def _written(*rows: dict[str, str], facts: MappingFacts | None = None) -> list[dict[str, str]]:
    out = io.BytesIO()
    write_mappings(out, rows, facts or MappingFacts(), format="usagi")
    return list(csv.DictReader(io.StringIO(out.getvalue().decode())))


def test_what_was_approved_is_decided_and_all_else_is_open(tmp_path: Path) -> None:
    found = read_mappings(_saved(tmp_path))
    names = ("subject_id", "predicate_id", "object_id", "author_label", "mapping_date")
    assert [(*(one.get(name, "") for name in names), left_open(one)) for one in found.rows] == [
        ("001", "skos:exactMatch", "OMOP:30", "ann", "2021-03-19", False),
        ("002", "skos:broadMatch", "OMOP:31", "ann", "2021-03-19", False),
        ("003", "skos:closeMatch", "OMOP:32", "", "", True),
        ("004", "skos:exactMatch", NO_TERM, "ben", "2021-03-19", False),
        ("005", "skos:relatedMatch", "OMOP:33", "", "", True),
        ("006", "skos:closeMatch", "OMOP:34", "ben", "2021-03-19", False),
        ("006", "skos:relatedMatch", "OMOP:35", "ben", "2021-03-19", False),
        ("007", "skos:exactMatch", NO_TERM, "ben", "2021-03-19", False),
    ]
    assert (found.format, found.counts.malformed) == ("usagi", 0)
    assert [one.get("ext_frequency") for one in found.rows] == ["120", "0", None, "5", "6", "7", "7", "8"]


@pytest.mark.parametrize("between", ["a.sssom.tsv", None])
def test_a_file_comes_back_as_it_was_also_by_way_of_sssom(tmp_path: Path, between: str | None) -> None:
    path = _saved(tmp_path)
    if between:
        write_mappings(tmp_path / between, read_mappings(path).rows)
        path = tmp_path / between
    write_mappings(tmp_path / "back.usagi.csv", read_mappings(path).rows)
    texts = SAVED, (tmp_path / "back.usagi.csv").read_text()
    before, after = (list(csv.DictReader(io.StringIO(text))) for text in texts)
    assert [*after[0]] == HEADER.split(",")
    assert after == [one | {"matchScore": one["matchScore"].replace("0.00", "0")} for one in before]


def test_older_files_and_tables_that_a_spreadsheet_saved(tmp_path: Path) -> None:
    old = "sourceCode;sourceName;sourceFrequency;matchScore;mappingStatus;conceptId;comment"
    (found,) = read_mappings(_saved(tmp_path, f"{old}\nA1;Snout;3;0.5;APPROVED;30;\n")).rows
    assert (found["predicate_id"], found["object_id"], found["mapping_justification"]) == (
        "skos:closeMatch", "OMOP:30", MANUAL,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("APPROVED,EQUAL", "DONE,EQUAL"), "unknown mappingStatus 'DONE' (known: APPROVED, UNCHECKED"),
        (("APPROVED,EQUAL", "APPROVED,SAME"), "unknown equivalence 'SAME' (known: EQUAL, EQUIVALENT"),
        (("APPROVED,EQUAL", "APPROVED,UNMATCHED"), "UNMATCHED, but with the concept 30"),
        ((",30,Snout pain", ",3E1,Snout pain"), "the conceptId '3E1' is not a number"),
    ],
)
def test_a_row_that_says_nothing_clear_is_counted(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    found = read_mappings(_saved(tmp_path, SAVED.replace(*change)))
    assert (len(found), found.counts.malformed) == (7, 1)
    assert problem in found.counts.examples[0].problem
    with pytest.raises(FormatError, match="no mapping in it; of 1 malformed row the first: "):
        read_mappings(_saved(tmp_path, "\n".join(SAVED.replace(*change).split("\n")[:2])))


def test_every_code_has_a_row_that_usagi_reads() -> None:
    rows = [
        row("LAB:007", "exact", "OMOP:30", subject_label="Snout", mapping_justification=MANUAL, author_label="ann",
            mapping_date="2026-11-22", ext_frequency="12.0"),
        row("LAB:008", "exact", "OMOP:31", subject_label="Tail", confidence="0.8123"),
        row("LAB:009", "exact", "OMOP:32", predicate_modifier="Not", mapping_justification=MANUAL),
        row("LAB:010", "exact", NO_TERM, mapping_justification=MANUAL),
        row("LAB:011", "exact", NO_TERM),
        row("LAB:007", "exact", "OMOP:33", subject_label="Snouts", confidence="0.9"),
        row("LAB:007", "narrow", "OMOP:34", subject_label="Snout", mapping_justification=MANUAL),
    ]  # fmt: skip
    names = ("sourceCode", "sourceFrequency", "matchScore", "mappingStatus", "equivalence", "statusSetBy", "conceptId")
    table = _written(*rows)
    assert [tuple(one[name] for name in names) for one in table] == [
        ("007", "12", "0", "APPROVED", "EQUAL", "ann", "30"),
        ("007", "-1", "0", "APPROVED", "NARROWER", "", "34"),
        ("008", "-1", "0.8123", "UNCHECKED", "UNREVIEWED", "", "31"),
        ("009", "-1", "0", "UNCHECKED", "UNREVIEWED", "", "0"),
        ("010", "-1", "0", "APPROVED", "UNMATCHED", "", "0"),
        ("011", "-1", "0", "UNCHECKED", "UNREVIEWED", "", "0"),
    ]
    assert table[0]["statusSetOn"] == "1795305600000"
    whole = ("sourceFrequency", "statusSetOn", "conceptId", "createdOn")
    assert all(one[name].lstrip("-").isdigit() for one in table for name in whole)  # Usagi reads them as numbers


def test_what_is_left_out_is_counted() -> None:
    rows = [
        row("A:1", "exact", "OMOP:1", mapping_justification=MANUAL), row("A:1", "exact", "OMOP:2"),
        row("A:1", "exact", "OMOP:3", predicate_modifier="Not"), {**WORDS, "object_id": "OMOP:4"},
    ]  # fmt: skip
    done = write_mappings(io.BytesIO(), rows, format="usagi")
    assert (done.mappings, dict(done.left_out)) == (
        1,
        {
            "sources without a code": 1,
            "mappings that are denied": 1,
            "what is open of codes on which somebody decided": 1,
        },
    )


def test_usagi_knows_only_concepts_of_omop() -> None:
    with pytest.raises(InputError, match=r"DOID:12143: OMOP's own concept ids are needed.*`omop=athena"):
        _written(FULL)
    assert completed_facts(MappingFacts(), "usagi", ()).omop is None
    assert MAPPING_WRITERS["usagi"].endings == (".usagi.csv",)
