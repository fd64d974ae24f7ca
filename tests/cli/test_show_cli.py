"""``ontonym show`` and ``ontonym tree``, and the branches of search results."""

from __future__ import annotations

import json

import pytest

from ontonym.encoder import default_folder


def test_show_names_parents_and_names(run, tiny):
    done = run("show", tiny / "tiny.index", "T:3")
    assert done.exit_code == 0
    lines = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    assert ["concept", "Myocardial infarction  T:3"] in lines
    assert ["synonym", "Cardiac infarct"] in lines
    assert ["parents", "T:2 Abnormality of the heart"] in lines


def test_show_of_a_terminology_as_json(run, tiny):
    shape = json.loads(run("show", tiny / "tiny.terminology", "6", "--json").stdout)
    assert (shape["id"], shape["preferred"]) == ("T:6", "Seizure")
    assert [name["text"] for name in shape["names"]] == ["Seizure", "Fits", "Epileptic seizure"]


def test_show_of_an_unknown_id_names_the_nearest(run, tiny):
    done = run("show", tiny / "tiny.index", "T:33")
    assert done.exit_code == 2
    assert "no concept 'T:33'" in done.stderr


def test_show_of_a_retired_concept_says_what_to_take_in_its_place(run, tmp_path):
    head = "format-version: 1.4\nontology: r\n\n[Term]\nid: R:1\nname: Fever\n"
    old = ("", "replaced_by: R:1\n", "consider: R:1\n")
    terms = [f"\n[Term]\nid: R:{n}\nname: Old {n}\nis_obsolete: true\n{line}" for n, line in enumerate(old, 2)]
    (tmp_path / "r.obo").write_text(head + "".join(terms))
    assert run("import", tmp_path / "r.obo", "-o", tmp_path / "r.terminology").exit_code == 0
    lines = [run("show", tmp_path / "r.terminology", f"R:{n}").stdout.splitlines()[2:] for n in (2, 3, 4)]
    assert [[" ".join(line.split()) for line in some] for some in lines] == [
        ["status retired"], ["status retired", "replaced by R:1 Fever"], ["status retired", "consider R:1 Fever"],
    ]  # fmt: skip


def test_show_of_another_artifact_says_what_to_give(run, tiny):
    done = run("show", default_folder(), "T:3")
    assert done.exit_code == 2
    assert "give an index or a terminology" in done.stderr


@pytest.mark.parametrize("asked", ["show {} T:1", "tree {}"])
def test_a_shared_index_is_asked_for_its_concepts_too(run, asked):
    done = run(*asked.format("postgresql://me@127.0.0.1:1/terms/hp").split())
    assert done.exit_code == 2
    assert "no answer from a PostgreSQL server" in done.stderr


def test_tree_goes_from_the_top_to_the_concept(run, tiny):
    done = run("tree", tiny / "tiny.index", "T:2")
    assert done.stdout.split("\n")[:4] == [
        "Phenotypic abnormality  T:1",
        "└── Abnormality of the heart  T:2",
        "    ├── Myocardial infarction  T:3",
        "    └── Palpitations  T:4",
    ]


def test_tree_without_a_concept_is_the_top(run, tiny):
    shape = json.loads(run("tree", tiny / "tiny.terminology", "--each", "2", "--json").stdout)
    assert [tree["id"] for tree in shape["trees"]] == ["T:1"]
    assert ([one["id"] for one in shape["trees"][0]["children"]], shape["trees"][0]["left_out"]) == (["T:2", "T:5"], 1)


def test_tree_of_an_index_over_several_terminologies_names_the_others(run, tiny, tmp_path):
    (tmp_path / "other.obo").write_text("format-version: 1.2\nontology: other\n\n[Term]\nid: O:1\nname: Cough\n")
    other = tmp_path / "other.terminology"
    assert run("import", tmp_path / "other.obo", "-o", other).exit_code == 0
    assert run("index", tiny / "tiny.terminology", other, "-o", tmp_path / "both.index").exit_code == 0
    done = run("tree", tmp_path / "both.index")
    assert done.stdout.startswith("Phenotypic abnormality  T:1")
    assert f"this is tiny; for other: ontonym tree {other}" in done.stderr.replace("\n", " ")


def test_hits_say_their_branch(run, tiny):
    hit = json.loads(run("search", tiny / "tiny.index", "heart attack", "--json").stdout)["hits"][0]
    assert hit["branches"] == [{"id": "T:2", "preferred": "Abnormality of the heart"}]
    assert "in Abnormality of the heart" in run("search", tiny / "tiny.index", "heart attack").stdout
