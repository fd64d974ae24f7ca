"""``ontonym export-mappings``, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ontonym.evaluate.matching import read_alignment
from ontonym.store.mappings import read_mappings

MAPPINGS = """# curie_map:
#   LAB: http://lab.example/codes/
# mapping_set_id: http://lab.example/map
# mapping_set_title: Laboratory
subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tmapping_justification\tconfidence\text_frequency
LAB:1\tFever, high\tskos:exactMatch\t\tHP:0001945\tsemapv:ManualMappingCuration\t0.9\t12
LAB:2\t=cough\tskos:broadMatch\t\tHP:0012735\tsemapv:ManualMappingCuration\t\t7
LAB:3\tCold\tskos:exactMatch\tNot\tHP:0000002\tsemapv:ManualMappingCuration\t\t
"""


@pytest.fixture
def given(tmp_path: Path) -> Path:
    (tmp_path / "lab.sssom.tsv").write_text(MAPPINGS)
    return tmp_path / "lab.sssom.tsv"


def test_from_sssom_to_all_and_back(given, run, tmp_path):
    done = run("export-mappings", given, "-o", tmp_path / "m.rdf")
    assert done.exit_code == 0
    assert "mappings  2 of 3" in done.stdout
    assert "left out  1 mappings that are denied" in done.stdout
    assert '"http://lab.example/codes/1"' in (tmp_path / "m.rdf").read_text()  # as the file's own prefix map says
    told = json.loads(run("export-mappings", given, "-o", tmp_path / "m.r5.json", "--json").stdout)
    assert (told["format"], told["read"], told["mappings"]) == ("fhir-r5", 3, 2)
    made = json.loads((tmp_path / "m.r5.json").read_text())
    assert (made["url"], made["status"], made["title"]) == ("http://lab.example/map", "active", "Laboratory")
    assert run("export-mappings", given, "-o", tmp_path / "m.csv").exit_code == 0
    assert run("export-mappings", tmp_path / "m.csv", "-o", tmp_path / "again.sssom.tsv").exit_code == 0
    names = ("subject_id", "subject_label", "predicate_id", "object_id", "ext_frequency")
    back, first = (read_mappings(path).rows for path in (tmp_path / "again.sssom.tsv", given))
    assert [[one.get(name) for name in names] for one in back] == [[one.get(name) for name in names] for one in first]
    run("export-mappings", tmp_path / "m.r5.json", "-o", tmp_path / "from.sssom.tsv")
    assert read_alignment(tmp_path / "from.sssom.tsv").same == {("LAB:1", "HP:0001945")}


def test_options_of_the_standards(given, run, tmp_path):
    more = (
        "--system",
        "LAB=http://lab.example/system|2026",
        "--source-scope",
        "http://lab.example/all",
        "--url",
        "u:1",
    )
    assert run("export-mappings", given, "-o", tmp_path / "m.json", *more).exit_code == 0
    made = json.loads((tmp_path / "m.json").read_text())
    assert (made["url"], made["sourceUri"]) == ("u:1", "http://lab.example/all")
    assert (made["group"][0]["source"], made["group"][0]["sourceVersion"]) == ("http://lab.example/system", "2026")
    run("export-mappings", given, "-o", tmp_path / "u.tsv", "--url", "http://u.example/1")
    assert read_mappings(tmp_path / "u.tsv").slots["mapping_set_id"] == "http://u.example/1"
    streamed = run("export-mappings", given, "-o", "-", "--format", "csv")
    assert streamed.stdout.splitlines()[2].startswith("LAB:2,'=cough,7,broader,HP:0012735")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("-o", "m.xlsx"), "the ending of the name does not tell the format"),
        (("-o", "-"), "standard output has no name that tells the format"),
        (("-o", "m.json", "--format", "fhir"), "unknown format 'fhir'"),
        (("-o", "m.json", "--system", "LAB"), "--system LAB: expected PREFIX=URL, such as LAB=http"),
        (("-o", "m.stcm.csv"), "CDM 5.4: OMOP's own concept ids are needed. Download"),
        (("-o", "m.stcm.csv", "--vocabulary", "OMOP=SNOMED"), "HP:0001945: OMOP's own concept ids are needed"),
        (("-o", "m.stcm.csv", "--omop", "none.terminology"), "none.terminology"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(given, run, tmp_path, monkeypatch, more, said):
    monkeypatch.chdir(tmp_path)
    done = run("export-mappings", given, *more)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert said in done.stderr
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["lab.sssom.tsv"]


def test_a_file_without_mappings(run, tmp_path):
    (tmp_path / "a.obo").write_text("format-version: 1.2\n\n[Term]\nid: T:1\nname: Fever\n")
    done = run("export-mappings", tmp_path / "a.obo", "-o", tmp_path / "m.tsv")
    assert done.exit_code == 2
    assert "a.obo: no mapping in it. Give SSSOM" in done.stderr
