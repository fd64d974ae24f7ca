"""``ontonym train``: what is learned from, and what cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from trainings import FEW, PAIRS, STATIC, content_of

from ontonym.artifact import read_manifest
from ontonym.encoder import open_encoder

pytestmark = pytest.mark.training


def test_a_folder_of_pairs(run, terminology, output, tmp_path):
    pairs = tmp_path / "tiny.pairs"
    made = run("pairs", terminology, "--recipe", "synonyms", "--split", "1/0/0", "-o", pairs)
    assert made.exit_code == 0, made.output
    done = run("train", pairs, *STATIC, *FEW, "-o", output)
    assert done.exit_code == 0, done.output
    assert "next:" not in done.output  # no terminology is known that could be indexed with it
    content = content_of(output)
    assert content["pairs"]["recipe"] == "synonyms"
    assert content["pairs"]["examples"] == {"train": PAIRS, "dev": 0, "test": 0}
    assert [source["fingerprint"] for source in content["terminologies"]] == [read_manifest(terminology).fingerprint]
    same = run("train", terminology, "--recipe", "synonyms", "--split", "1/0/0", *STATIC, *FEW, "-o", tmp_path / "b")
    assert same.exit_code == 0, same.output
    np.testing.assert_array_equal(
        open_encoder(output).encode(["heart attack"]), open_encoder(tmp_path / "b").encode(["heart attack"])
    )


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--recipe", "synonyms"),
        ("--shares", "90/5/5"),
        ("--split-by", "example"),
        ("--language", "de"),
        ("--ratio", "0.5"),
    ],
)
def test_what_the_pairs_have_decided_is_refused(run, terminology, output, tmp_path, option, value):
    pairs = tmp_path / "tiny.pairs"
    assert run("pairs", terminology, "--recipe", "synonyms", "-o", pairs).exit_code == 0
    done = run("train", pairs, *STATIC, *FEW, option, value, "-o", output)
    assert done.exit_code == 2
    assert f"{option} was decided when {pairs} was made" in done.stderr
    assert not output.exists()


def test_an_auxiliary_recipe_has_a_loss_of_its_own(run, terminology, output):
    trained = ("train", terminology, *STATIC, *FEW, "--recipe", "synonyms", "-o", output, "--force")
    assert run(*trained).exit_code == 0
    alone = read_manifest(output).fingerprint
    weighed = []
    for weight in ("1", "0.25"):
        done = run(*trained, "--auxiliary", "graph", "--auxiliary-weight", weight)
        assert done.exit_code == 0, done.output
        content = content_of(output)
        assert (content["pairs"]["recipe"], content["auxiliary"]["recipe"]) == ("synonyms", "graph")
        assert content["auxiliary"]["weight"] == float(weight)
        assert content["auxiliary"]["examples"]["train"] == 5  # the is-a edges
        weighed.append(read_manifest(output).fingerprint)
    assert len({alone, *weighed}) == 3


def test_annotated_texts(run, terminology, output, tmp_path):
    (tmp_path / "notes.tsv").write_text(
        "hrt attack\tT:3\nracing heart\tT:4\nhot to the touch\tT:5\nwhat is this\tT:77\nnor this\tT:78\n"
    )
    trained = (
        "train",
        terminology,
        *STATIC,
        *FEW,
        "--split",
        "1/0/0",
        "--annotated",
        tmp_path / "notes.tsv",
        "--force",
    )
    done = run(*trained, "--recipe", "annotated", "-o", output)
    assert done.exit_code == 0, done.output
    pairs = content_of(output)["pairs"]
    assert pairs["examples"]["train"] == 3
    assert (pairs["annotated"]["given"], pairs["annotated"]["of_unknown_concepts"]) == (5, 2)
    assert pairs["annotated"]["unknown_concepts"] == {"count": 2, "first": ["T:77", "T:78"]}

    done = run(*trained, "--recipe", "batches", "--ratio", "0.5", "-o", output)
    assert done.exit_code == 0, done.output
    pairs = content_of(output)["pairs"]
    assert pairs["options"]["ratio"] == 0.5
    # Each of the twelve names with another is an anchor, and the three texts are repeated to half as many.
    assert pairs["anchors"]["train"] == {
        "of_ontology": 12, "of_corpus": 3, "of_corpus_repeated": 6, "without_positive": 2,
    }  # fmt: skip
    assert pairs["examples"]["train"] == 18


def test_annotated_texts_without_a_tab(run, terminology, output, tmp_path):
    (tmp_path / "notes.tsv").write_text("heart attack\tT:3\nheart attack T:3\n")
    done = run(
        "train", terminology, *STATIC, "--recipe", "batches", "--annotated", tmp_path / "notes.tsv", "-o", output
    )
    assert done.exit_code == 2
    assert f"{tmp_path / 'notes.tsv'}:2: not a text and a concept id" in done.stderr


def test_annotated_texts_that_no_recipe_takes(run, terminology, output, tmp_path):
    (tmp_path / "notes.tsv").write_text("hrt attack\tT:3\n")
    given = ("--annotated", tmp_path / "notes.tsv", "-o", output)
    done = run("train", terminology, *STATIC, *FEW, "--recipe", "synonyms", "--auxiliary", "graph", *given)
    assert done.exit_code == 2
    assert "--annotated is for the recipes batches and annotated, not for synonyms and graph" in done.stderr
    done = run("train", terminology, *STATIC, *FEW, "--recipe", "annotated", "-o", output)
    assert done.exit_code == 2
    assert "the recipe annotated gives no training example from tiny: it needs annotated texts" in done.stderr


def test_excluded_names_are_not_seen(run, terminology, output, tmp_path):
    (tmp_path / "hidden.txt").write_text("cardiac INFARCTS\n")
    trained = ("train", terminology, *STATIC, *FEW, "--recipe", "synonyms", "--split", "1/0/0", "-o", output)
    done = run(*trained, "--exclude", tmp_path / "hidden.txt")
    assert done.exit_code == 0, done.output
    content = content_of(output)
    assert content["pairs"]["excluded"] == {"names": 1, "annotated": 0}
    assert content["pairs"]["examples"]["train"] == PAIRS - 2
    assert len(content["unseen"]) == 64


def test_a_concept_without_names_is_counted_and_left_out(run, output, tmp_path):
    (tmp_path / "some.csv").write_text(
        "id,name,language\nS:1,Fever,en\nS:1,Pyrexia,en\nS:2,Toux,fr\nS:3,Cough,en\nS:3,Tussis,en\n"
    )
    folder = tmp_path / "some.terminology"
    made = run("import", tmp_path / "some.csv", "--prefix", "S", "-o", folder)
    assert made.exit_code == 0, made.output
    for recipe in ("drawn", "synonyms", "batches"):
        done = run("train", folder, *STATIC, *FEW, "--recipe", recipe, "--split", "1/0/0", "-o", output, "--force")
        assert done.exit_code == 0, done.output
        pairs = content_of(output)["pairs"]
        assert (pairs["concepts"], pairs["concepts_without_names"], pairs["names"]) == (3, 1, 4)
    done = run("train", folder, *STATIC, "--recipe", "graph", "-o", output, "--force")
    assert done.exit_code == 2
    assert "the recipe graph gives no training example from some" in done.stderr


def test_a_loss_that_needs_negatives(run, terminology, output):
    done = run("train", terminology, *STATIC, *FEW, "--loss", "triplet", "-o", output)
    assert done.exit_code == 2
    assert "'triplet' needs examples with a negative: make them with the recipe 'triplets'" in done.stderr
    assert "softmax, batch-hard, multi-similarity" in done.stderr
    assert not output.exists()
