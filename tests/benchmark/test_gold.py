"""Questions out of mappings: which mappings count, whose names are asked, and what is told of leaks."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import releases
from listed import stored
from made import concept
from ontonym.benchmark.gold import NAMES, QUESTIONS, GoldOptions, build_gold, mappings_in
from ontonym.errors import InputError
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.store import build_terminology, open_terminology
from ontonym.types import Mapping, Term


def mapping(subject: str, target: str, predicate: str = "skos:exactMatch") -> Mapping:
    return Mapping(subject, predicate, target, "semapv:ManualMappingCuration")


SOURCE = [
    concept("S:1", "kidney failure", "failure of kidneys", Term("Nierenversagen", "synonym", language="de"),
            mappings=(mapping("S:1", "T:1"),)),
    concept("S:2", "failing heart", "heart failure", xrefs="T:20 X:9"),
    concept("S:3", "lung pain", mappings=(mapping("S:3", "T:3", "skos:relatedMatch"), mapping("S:3", "X:1"))),
    concept("S:4", "old", status="retired", replaced_by="S:1"),
    concept("S:5", "unmapped"),
    concept("S:6", "liver pain"),
]  # fmt: skip
TARGET = [
    concept("T:1", "renal failure", "kidney failure"),
    concept("T:2", "cardiac failure", alternative_ids="T:20"),
    concept("T:3", "chest pain", "heart failure"),
    concept("T:4", "hepatic pain", xrefs="S:6 S:4"),
    concept("T:5", "gone", status="retired", replaced_by="T:2"),
]


def rows_of(folder):
    return [tuple(line.split("\t")) for line in (folder / QUESTIONS).read_text().splitlines()[1:]]


def test_mappings_and_cross_references_of_either_side(open_concepts, tmp_path):
    source, target = open_concepts(SOURCE, TARGET)
    manifest = build_gold(source, target, tmp_path / "gold", mappings=[mapping("T:5", "S:6")])
    assert rows_of(tmp_path / "gold") == [
        ("S:1", "kidney failure", "T:1|T:4", "skos:exactMatch,xref"),  # S:4, which T:4 names, is S:1 now
        ("S:1", "failure of kidneys", "T:1|T:4", "skos:exactMatch,xref"),
        ("S:1", "Nierenversagen", "T:1|T:4", "skos:exactMatch,xref"),
        ("S:2", "failing heart", "T:2", "xref"),
        ("S:2", "heart failure", "T:2", "xref"),
        ("S:6", "liver pain", "T:2|T:4", "skos:exactMatch,xref"),
    ]
    assert (tmp_path / "gold" / NAMES).read_text().splitlines() == [row[1] for row in rows_of(tmp_path / "gold")]
    assert manifest.content["statistics"] == {
        "concepts": 3, "questions": 6, "names": 6, "copies": 1, "elsewhere": 1,
        "by": {"skos:exactMatch": 2, "xref": 3}, "not_taken": {"skos:relatedMatch": 1},
    }  # fmt: skip


def test_further_mappings_may_lie_in_a_folder(tmp_path):
    (tmp_path / "maps").mkdir()
    (tmp_path / "maps" / "map.sssom.tsv").write_text(
        "subject_id\tsubject_label\tpredicate_id\tobject_id\tobject_label\tmapping_justification\n"
        "S:1\tfits\tskos:exactMatch\tT:1\tseizure\tsemapv:ManualMappingCuration\n"
    )
    found = list(mappings_in([tmp_path / "maps"]))
    assert [(one.subject_id, one.object_id) for one in found] == [("S:1", "T:1")]


def test_what_counts_can_be_chosen(open_concepts, tmp_path):
    source, target = open_concepts(SOURCE, TARGET)
    build_gold(source, target, tmp_path / "a", GoldOptions(("skos:relatedMatch",)))
    assert rows_of(tmp_path / "a") == [("S:3", "lung pain", "T:3", "skos:relatedMatch")]
    build_gold(source, target, tmp_path / "b", GoldOptions(("any",), ("de",)))
    assert rows_of(tmp_path / "b") == [("S:1", "Nierenversagen", "T:1|T:4", "skos:exactMatch,xref")]
    build_gold(source, target, tmp_path / "c", GoldOptions(("skos:exactMatch",), ("en",), copies=False))
    assert [row[1] for row in rows_of(tmp_path / "c")] == ["failure of kidneys"]


def test_the_same_releases_give_the_same_bytes(open_concepts, tmp_path):
    source, target = open_concepts(SOURCE, TARGET)
    one = build_gold(source, target, tmp_path / "a")
    assert build_gold(source, target, tmp_path / "b").fingerprint == one.fingerprint


def test_no_name_is_left_to_ask(open_concepts, tmp_path):
    source, target = open_concepts(SOURCE, TARGET)
    with pytest.raises(InputError, match=r"no mapped concept has a name in fr, nl\."):
        build_gold(source, target, tmp_path / "a", GoldOptions(languages=("fr", "nl")))
    copied = GoldOptions(("skos:exactMatch",), copies=False)
    (alike,) = open_concepts([concept("S:1", "renal failure", mappings=(mapping("S:1", "T:1"),))])
    with pytest.raises(InputError, match="has a name that the right concept does not have too"):
        build_gold(alike, target, tmp_path / "b", copied)


def test_names_are_taken_by_their_language_and_kept_on_one_line(open_concepts, tmp_path):
    british = Term("kidney\tfailing", "synonym", language="en-GB")
    source = concept("S:1", Term("Niere", "preferred", language="de"), british, mappings=(mapping("S:1", "T:1"),))
    (asked,) = open_concepts([source])
    (target,) = open_concepts(TARGET)
    for language in ("en", "en-GB"):
        build_gold(asked, target, tmp_path / language, GoldOptions(languages=(language,)))
        assert rows_of(tmp_path / language) == [("S:1", "kidney failing", "T:1", "skos:exactMatch")]


def test_terminologies_that_nothing_joins(open_concepts, tmp_path):
    source, target = open_concepts(SOURCE, TARGET)
    with pytest.raises(InputError, match=r"no mapping between them with skos:closeMatch .*skos:exactMatch 1"):
        build_gold(source, target, tmp_path / "a", GoldOptions(("skos:closeMatch",)))
    assert not (tmp_path / "a").exists()


@pytest.mark.slow
def test_maps_of_a_generated_snomed_release(tmp_path):
    """RF2's extended map gives the questions that a plain reading of its file gives."""
    release = releases.write_rf2(tmp_path / "rf2", releases.Options(1500, seed=2)).path
    (table,) = release.glob("Snapshot/**/*ExtendedMap*.txt")
    with table.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    said = {
        (row["referencedComponentId"], row["mapTarget"]) for row in rows if row["active"] == "1" and row["mapTarget"]
    }
    codes = sorted({code for _, code in said})
    build_terminology(read_release([release], options=ReadOptions(name="sct")), tmp_path / "sct.terminology")
    stored(tmp_path / "icd.terminology", [concept(f"ICD10:{code}", f"class {code}") for code in codes], "icd", "1")
    with (
        open_terminology(tmp_path / "sct.terminology") as source,
        open_terminology(tmp_path / "icd.terminology") as target,
    ):
        build_gold(source, target, tmp_path / "gold", GoldOptions(("any",)))
        expected: dict[str, set[str]] = {}
        for concept_id, code in said:
            row = source.current(f"SCTID:{concept_id}")
            if row is not None and source.status(source.row(f"SCTID:{concept_id}")) == "active":
                expected.setdefault(source.id(row), set()).add(f"ICD10:{code}")
        found = {row[0]: set(row[2].split("|")) for row in rows_of(tmp_path / "gold")}
        assert found == expected
        assert len(found) > 100
