"""``ontonym train``: what the options do, what stands in the manifest, and what is refused."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from ontonym.artifact import read_manifest
from ontonym.cli import main
from ontonym.cli.train import RECIPE, SHAPE, TRAIN
from ontonym.encoder import open_encoder
from ontonym.encoder.static import StaticShape
from ontonym.learning.encoders.checks import RANGES
from ontonym.learning.encoders.options import TrainOptions
from ontonym.learning.recipes import RecipeOptions

pytestmark = pytest.mark.training

STATIC = ("--base", "none", "--dim", "8", "--word-rows", "64", "--ngram-rows", "64", "--threads", "1")
FEW = ("--steps", "4", "--batch", "8")

# Four concepts of three names each give 4 · 3 · 2 / 2 = 12 pairs of synonyms.
PAIRS = 12


def content_of(folder: Path) -> dict[str, object]:
    return read_manifest(folder, "encoder").content


def pooling_of(folder: Path) -> str:
    """How the tokens become one vector in a folder of sentence-transformers."""
    settings = json.loads((folder / "1_Pooling" / "config.json").read_text())
    return (
        settings["pooling_mode"]
        if "pooling_mode" in settings
        else next(
            name.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
            for name, on in settings.items()
            if name.startswith("pooling_mode_") and on is True
        )
    )


# Options --------------------------------------------------------------------------------------------------------------


def test_a_preset_is_changed_by_the_other_options(run, terminology, output):
    done = run(
        "train", terminology, *STATIC, "--preset", "triplets", "--steps", "4", "--rate", "0.01", "--margin", "0.3",
        "--split", "3/1/0", "--seed", "5", "-o", output, "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    content = json.loads(done.stdout)["content"]
    training = content["training"]
    changed = {"steps": 4, "rate": 0.01, "seed": 5, "threads": 1}
    assert {name: training[name] for name in changed} == changed
    of_the_paper = {"epochs": 5.0, "batch": 32, "warmup": 0.1, "neighbours": 0, "decay": 0.0, "dropout": -1.0}
    assert {name: training[name] for name in of_the_paper} == of_the_paper
    assert {name: content["loss"][name] for name in ("name", "margin", "similarity")} == {
        "name": "triplet", "margin": 0.3, "similarity": "euclidean",
    }  # fmt: skip
    assert content["preset"] == "ngo"
    assert content["pairs"]["recipe"] == "triplets"
    assert content["pairs"]["options"]["pool"]["shares"] == [0.75, 0.25, 0.0]
    assert content["pairs"]["options"]["seed"] == content["pairs"]["options"]["pool"]["seed"] == 5
    assert content == content_of(output)


@pytest.mark.parametrize(
    ("preset", "recipe", "loss", "shares", "training"),
    [
        (
            "ngo",
            "triplets",
            {"name": "triplet", "margin": 0.1, "similarity": "euclidean"},
            [0.90, 0.05, 0.05],
            {"epochs": 5.0, "batch": 32, "rate": 2e-5, "warmup": 0.1, "decay": 0.0, "tokens": 64},
        ),
        (
            "xu",
            "batches",
            {"name": "batch-hard", "similarity": "euclidean", "mining": "hard"},
            [1.0, 0.0, 0.0],
            {"epochs": 100.0, "batch": 750, "rate": 3e-5, "warmup": 0.0, "decay": 0.0, "tokens": 8},
        ),
        (
            "kong",
            "comb",
            {"name": "softmax", "similarity": "dot", "temperature": 1.0, "both": False, "dims": []},
            [0.8, 0.2, 0.0],
            {"epochs": 50.0, "batch": 128, "rate": 3e-5, "warmup": 0.02, "decay": 0.01, "tokens": 64},
        ),
    ],
)
def test_each_preset_trains_as_its_paper_says(run, terminology, output, preset, recipe, loss, shares, training):
    done = run("train", terminology, *STATIC, "--preset", preset, "--steps", "2", "-o", output)
    assert done.exit_code == 0, done.output
    content = content_of(output)
    told = content["training"]
    assert {name: told[name] for name in training} == training
    assert (told["neighbours"], told["dropout"], told["accumulate"], told["patience"]) == (0, -1.0, 1, 0)
    assert content["pairs"]["recipe"] == recipe
    assert content["pairs"]["options"]["pool"]["shares"] == pytest.approx(shares)
    assert {name: content["loss"][name] for name in loss} == loss
    by = content["pairs"]["options"]["pool"]["split_by"]
    assert by == ("concept" if preset == "xu" else "example")  # whose examples are drawn anew, and all for training


def test_what_a_split_by_concept_loses_is_printed(run, terminology, output):
    asked = ("train", terminology, *STATIC, "--preset", "kong", "--recipe", "graph", "--steps", 1, "--shares", "1/1/0",
             "--force")  # fmt: skip
    done = run(*asked, "--split-by", "concept", "--seed", "1", "-o", output, "--json")
    pairs = json.loads(done.stdout)["content"]["pairs"]
    lost = pairs["across_splits"]
    assert 0 < lost < pairs["connected"] == 5
    assert sum(pairs["examples"].values()) == 5 - lost
    shown = run(*asked, "--split-by", "concept", "--seed", "1", "-o", output).stdout
    assert f"{lost} of 5 connected pairs" in shown
    kept = run(*asked, "-o", output)
    assert "connected pairs" not in kept.stdout
    assert sum(content_of(output)["pairs"]["examples"].values()) == 5


@pytest.mark.parametrize("preset", ["ngo", "hard-mining", "hierarchy"])
def test_a_preset_of_a_paper_needs_a_base(run, terminology, output, preset, tiny_bert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    asked = ("train", terminology, "--preset", preset, "--steps", "2", "--batch", "2", "-o", output, "--force")
    refused = run(*asked)
    assert refused.exit_code == 2
    assert "give its folder with --base" in refused.stderr
    assert "none is in this folder" in refused.stderr
    tiny_bert(tmp_path / "bert", ["heart", "fever", "seizure"])
    (tmp_path / "hub" / "models--dmis-lab--biobert-v1.1").mkdir(parents=True)
    assert "at hand are ./bert, hub:dmis-lab/biobert-v1.1;" in run(*asked).stderr
    assert not output.exists()
    assert run(*asked, "--base", "./bert").exit_code == 0
    assert pooling_of(output) == "mean"
    assert run(*asked, "--base", "./bert", "--pooling", "cls").exit_code == 0
    assert pooling_of(output) == "cls"


def test_another_loss_and_recipe_than_the_presets(run, terminology, output):
    done = run(
        "train", terminology, *STATIC, "--preset", "xu", "--loss", "multi-similarity", "--beta", "20", "--recipe",
        "synonyms", "--steps", "2", "-o", output,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    content = content_of(output)
    # Xu's Euclidean distance belongs to Xu's loss: another loss comes with its own similarity.
    assert (content["loss"]["name"], content["loss"]["similarity"], content["loss"]["beta"]) == (
        "multi-similarity", "", 20.0,
    )  # fmt: skip
    assert content["pairs"]["recipe"] == "synonyms"
    assert content["training"]["epochs"] == 100.0


def test_without_a_preset_the_settings_are_those_of_the_base(run, terminology, output, encoder):
    for base, rate in ((("--base", encoder), 3e-4), (STATIC, 3e-3)):
        assert run("train", terminology, *base, *FEW, "-o", output, "--force").exit_code == 0
        content = content_of(output)
        assert (content["training"]["rate"], content["pairs"]["recipe"], content["preset"]) == (rate, "drawn", "")
        assert (content["loss"]["name"], content["loss"]["temperature"]) == ("softmax", 0.08)


@pytest.mark.parametrize(
    ("option", "kind", "listed"),
    [
        ("--preset", "preset", "hard-mining, hierarchy, pages, triplets"),
        ("--loss", "loss", "batch-hard, multi-similarity, softmax, triplet"),
        ("--recipe", "recipe", "annotated, batches, comb, definitions, drawn, graph, historical, mappings, synonyms,"),
        ("--auxiliary", "recipe", "annotated, batches, comb, definitions, drawn, graph, historical, mappings,"),
        ("--similarity", "similarity for the loss 'softmax'", "cosine, dot, euclidean"),
        ("--mining", "mining", "hard, semi-hard"),
    ],
)
def test_an_unknown_name_lists_the_valid_ones(run, terminology, output, option, kind, listed):
    loss = ("--loss", "batch-hard") if option == "--mining" else ()
    done = run("train", terminology, *STATIC, *loss, option, "sesame", "-o", output)
    assert done.exit_code == 2
    assert f"unknown {kind} 'sesame'" in done.stderr
    assert listed in done.stderr
    assert not output.exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--batch", "0"), "--batch must be at least 1, not 0"),
        (("--steps", "-4"), "--steps must be at least 0, not -4"),
        (("--steps", "0", "--epochs", "0"), "nothing to do in 0 steps and 0 epochs"),
        (("--rate", "0"), "nothing is learned at --rate 0"),
        (("--accumulate", "9"), "--accumulate 9 makes parts of less than one of the 8 examples"),
        (("--rate", "nan"), "--rate must be between 0 and 1e+06, not nan"),
        (("--warmup", "2"), "--warmup must be between 0 and 1, not 2"),
        (("--dropout", "1.5"), "--dropout must be between -1 and 1, not 1.5"),
        (("--at-once", "-1"), "--at-once must be at least 0, not -1"),
        (("--tokens", "2"), "--tokens must be at least 3, not 2"),
        (("--seed", "-1"), "--seed must be between 0 and"),
        (("--ngram-rows", "0"), "--ngram-rows must be at least 1, not 0"),
        (("--linked", "3"), "--linked must be between 0 and 1, not 3"),
        (("--auxiliary", "graph", "--auxiliary-weight", "nan"), "--auxiliary-weight must be between 0 and 1e+06"),
        (("--precision", "bf61"), "unknown precision 'bf61'. Did you mean 'bf16'? Valid: bf16, float32, fp16"),
        (("--temperature", "0"), "temperature of a loss must be above 0"),
    ],
)
def test_numbers_that_make_no_sense(run, terminology, output, options, told):
    done = run("train", terminology, *STATIC, *FEW, *options, "-o", output)
    assert done.exit_code == 2
    assert told in done.stderr
    assert not output.exists()


def test_every_number_has_a_range():
    numbers = {field.name for one in (TrainOptions, RecipeOptions, StaticShape) for field in fields(one)
               if field.type in ("int", "float")}  # fmt: skip
    offered = {*TRAIN.opts, *RECIPE.opts, *SHAPE.opts}
    assert numbers & offered == RANGES.keys() - {"auxiliary_weight"}


def test_matryoshka_dimensions(run, terminology, output):
    trained = ("train", terminology, *STATIC, *FEW, "-o", output, "--force")
    assert run(*trained).exit_code == 0
    whole = read_manifest(output).fingerprint
    assert run(*trained, "--matryoshka", "4", "--matryoshka", "8").exit_code == 0
    assert content_of(output)["loss"]["dims"] == [4, 8]
    assert read_manifest(output).fingerprint != whole
    done = run(*trained, "--matryoshka", "16")
    assert done.exit_code == 2
    assert "Matryoshka dimension 16 is larger than the 8 dimensions" in done.stderr


# A dry run ------------------------------------------------------------------------------------------------------------


def test_a_dry_run_tells_the_steps_and_writes_nothing(run, terminology, output):
    done = run(
        "train", terminology, *STATIC, "--recipe", "synonyms", "--split", "1/0/0", "--steps", "0", "--epochs", "3",
        "--batch", "5", "-o", output, "--dry-run", "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["examples"], told["steps"]) == (PAIRS, 9)  # three steps of at most five pairs an epoch
    assert told["seconds"] > 0
    assert told["checkpoint"] > (64 + 64) * 8 * 4  # the table in float32, and more
    assert told["peak"] > 10_000_000
    assert list(output.parent.iterdir()) == []


def test_a_dry_run_says_it_in_words(run, terminology, output):
    done = run("train", terminology, *STATIC, "--recipe", "synonyms", "--steps", "7", "-o", output, "--dry-run")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("steps")
    assert "7, which read 12 examples" in done.stdout
    assert list(output.parent.iterdir()) == []


def test_a_dry_run_on_a_system_that_does_not_tell_its_memory(run, terminology, output, monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)  # as on Windows
    done = run("train", terminology, *STATIC, "--recipe", "synonyms", "--steps", "7", "-o", output, "--dry-run")
    assert done.exit_code == 0, done.output
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["steps", "time", "checkpoints"]


# What is learned from -------------------------------------------------------------------------------------------------


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
    ("option", "value"), [("--recipe", "synonyms"), ("--split", "90/5/5"), ("--language", "de"), ("--ratio", "0.5")]
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


# Stops and places -----------------------------------------------------------------------------------------------------


def test_resume_begins_where_there_is_no_checkpoint(run, terminology, output, tmp_path):
    done = run("train", terminology, *STATIC, *FEW, "-o", output, "--resume")
    assert done.exit_code == 0, done.output
    assert run("train", terminology, *STATIC, *FEW, "-o", tmp_path / "b.encoder").exit_code == 0
    assert read_manifest(output).fingerprint == read_manifest(tmp_path / "b.encoder").fingerprint
    assert not Path(f"{output}.training").exists()


@pytest.fixture(scope="module")
def stopped_once(tiny, tmp_path_factory) -> Path:
    """The folder of checkpoints that a training of `STATIC` left, stopped in the fourth step of six."""

    def stop(self, label, done, total, note=""):
        if done >= 4:
            raise KeyboardInterrupt

    folder = tmp_path_factory.mktemp("stopped")
    work, output = folder / "work", folder / "made.encoder"
    asked = ("train", tiny / "tiny.terminology", *STATIC, "--steps", "6", "--batch", "8", "--every", "2")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("ONTONYM_CACHE", str(folder / "cache"))
        patched.setattr("ontonym.cli.train.Bar.stage", stop)
        done = CliRunner().invoke(main, [*map(str, asked), "-o", str(output), "--work", str(work)])
    assert done.exit_code == 130
    assert f"the last checkpoint is in {work}: --resume goes on from there" in done.stderr
    assert not output.exists()
    return work


@pytest.fixture
def stopped(stopped_once: Path, tmp_path: Path) -> Path:
    """A copy of these checkpoints, to go on from."""
    return Path(shutil.copytree(stopped_once, tmp_path / "work"))


def test_an_interruption_before_the_first_checkpoint_has_nothing_to_go_on_from(run, terminology, output, monkeypatch):
    def stop(self, label, done, total, note=""):
        if label == "training":
            raise KeyboardInterrupt

    monkeypatch.setattr("ontonym.cli.train.Bar.stage", stop)
    done = run("train", terminology, *STATIC, "--steps", "6", "--batch", "8", "--every", "4", "-o", output)
    assert (done.exit_code, "--resume" in done.stderr) == (130, False)


@pytest.mark.parametrize("more", [(), ("--resume",)])
def test_the_same_training_goes_on_to_the_same_weights(run, terminology, output, tmp_path, stopped, monkeypatch, more):
    assert not output.exists()
    assert [place.name for place in stopped.glob("checkpoint-*")] == ["checkpoint-2"]
    trained = ("train", terminology, *STATIC, "--steps", "6", "--batch", "8", "--every", "2")
    seen = []
    with monkeypatch.context() as patched:
        patched.setattr(
            "ontonym.cli.train.Bar.stage",
            lambda self, label, done, total, note="": seen.append(done) if label == "training" else None,
        )
        assert run(*trained, "-o", output, "--work", stopped, *more).exit_code == 0
    assert seen == [4, 6]
    assert run(*trained, "-o", tmp_path / "whole.encoder").exit_code == 0
    assert read_manifest(output).fingerprint == read_manifest(tmp_path / "whole.encoder").fingerprint


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--rate", "0.1"), "differing in training.rate);"),
        (("--dim", "16"), "differing in shape.dim);"),
        (("--loss", "batch-hard", "--seed", "1"), "differing in loss.name, pairs.options.pool.seed, "),
        (("--recipe", "synonyms"), "differing in pairs.recipe, examples of drawn, examples of synonyms, "),
    ],
)
def test_resume_goes_on_with_no_other_training(run, terminology, output, stopped, options, told):
    trained = ("train", terminology, *STATIC, "--steps", "6", "--batch", "8", "--every", "2", "--work", stopped)
    done = run(*trained, *options, "-o", output, "--resume")
    assert done.exit_code == 2
    assert f"{stopped}: its checkpoints are of another training" in done.stderr
    assert told in done.stderr
    assert not output.exists()
    assert run(*trained, "--at-once", "4", "-o", output, "--resume").exit_code == 0  # less memory, the same result


def test_another_training_begins_anew_where_it_may(run, terminology, output, stopped, tmp_path):
    trained = ("train", terminology, *STATIC, "--steps", "4", "--batch", "8", "--every", "2", "--rate", "0.1")
    assert run(*trained, "-o", output, "--work", stopped).exit_code == 0
    assert run(*trained, "-o", tmp_path / "whole.encoder").exit_code == 0
    assert read_manifest(output).fingerprint == read_manifest(tmp_path / "whole.encoder").fingerprint


def test_a_folder_for_checkpoints_keeps_what_else_is_in_it(run, terminology, output, tmp_path):
    (mine := tmp_path / "scratch").mkdir()
    (mine / "notes.txt").write_text("mine")
    (mine / "checkpoint-best").mkdir()
    os.utime(mine / "checkpoint-best", (0, 0))
    trained = ("train", terminology, *STATIC, *FEW, "--work", mine)
    assert run(*trained, "-o", output).exit_code == 0
    assert sorted(file.name for file in mine.iterdir()) == ["checkpoint-best", "notes.txt"]
    (mine / "checkpoint-500").mkdir()
    for more in ((), ("--resume",)):
        done = run(*trained, "-o", tmp_path / "other.encoder", *more)
        assert (done.exit_code, f"{mine}: has checkpoints of another program" in done.stderr) == (2, True)
        assert (mine / "checkpoint-500").is_dir()


def test_an_output_may_end_with_a_slash(run, terminology, output):
    assert run("train", terminology, *STATIC, *FEW, "-o", f"{output}/").exit_code == 0
    assert read_manifest(output).kind == "encoder"


def test_a_page_of_somebody_else_is_not_replaced(run, terminology, output):
    page = Path(f"{output}.html")
    page.write_text("notes of mine")
    asked = ["train", terminology, "-o", output, "--base", "none", "--steps", 2, "--dim", 8]
    done = run(*asked)
    assert (done.exit_code, f"{page}: is there already" in done.stderr) == (2, True)
    assert (page.read_text(), Path(output).exists()) == ("notes of mine", False)
    assert run(*asked, "--force").exit_code == 0
    assert "<title>" in page.read_text()
    assert run(*asked).exit_code == 0, "the same command made it"


def test_an_output_that_is_no_encoder_is_refused_before_training(run, terminology, tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "ontonym.learning.encoders.runs.train_encoder", lambda *_, **__: pytest.fail("it was trained for nothing")
    )
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "letter.txt").write_text("mine")
    for place, told in (
        (tmp_path / "file", "is a file"),
        (tmp_path / "folder", "is a folder that ontonym did not make"),
        (terminology, "is a terminology, which an encoder may not replace"),
        (tmp_path / "file" / "below", "cannot be written"),
    ):
        done = run("train", terminology, *STATIC, *FEW, "-o", place, "--force")
        assert done.exit_code == 2, done.output
        assert f"{place}: {told}" in done.stderr
    done = run("train", terminology, *STATIC, *FEW, "-o", tmp_path / "x.encoder", "--work", tmp_path / "file")
    assert done.exit_code == 2, done.output
    assert f"{tmp_path / 'file'}: checkpoints cannot be kept there" in done.stderr
    assert (tmp_path / "folder" / "letter.txt").read_text() == "mine"
    assert read_manifest(terminology).kind == "terminology"


def test_a_base_with_missing_files_names_the_file(run, terminology, output, trainable, tmp_path):
    for name in ("model.safetensors", "tokenizer.json", "config.json"):
        broken = tmp_path / f"without {name}"
        shutil.copytree(trainable, broken)
        (broken / name).unlink()
        done = run("train", terminology, "--base", broken, *FEW, "-o", output)
        assert done.exit_code == 2, done.output
        assert f"{broken}: file {name}" in done.stderr
        assert "missing" in done.stderr
    done = run("train", terminology, "--base", tmp_path / "nowhere", *FEW, "-o", output)
    assert done.exit_code == 2
    assert f"--base {tmp_path / 'nowhere'}: no such folder; give default, none, small, or" in done.stderr
    assert not output.exists()


def test_word_vectors_are_no_base(run, terminology, output, tmp_path):
    from ontonym.encoder.vectors import import_vectors

    (tmp_path / "glove.txt").write_text("heart 0.1 0.2 0.3\nattack 0.2 0.1 0.5\nfever 0.9 0.1 0.2\n")
    import_vectors(tmp_path / "glove.txt", tmp_path / "glove.encoder")
    for place, told in (("glove.txt", "is a file, and cannot be trained on"), ("glove.encoder", "holds word vectors")):
        done = run("train", terminology, "--base", tmp_path / place, *FEW, "-o", output)
        assert done.exit_code == 2
        assert f"--base {tmp_path / place} {told}" in done.stderr
        assert not output.exists()


def test_options_that_the_base_cannot_have(run, terminology, output, encoder, trainable):
    for options, told in (
        (("--base", encoder, "--pooling", "cls"), "is a static encoder, which pools nothing"),
        (("--base", trainable, "--dim", "16"), "brings its own shape"),
        (("--base", "none", "--export", "onnx"), "--base none makes a static encoder, which has no ONNX form"),
    ):
        done = run("train", terminology, *options, *FEW, "-o", output)
        assert done.exit_code == 2, done.output
        assert told in done.stderr
        assert not output.exists()


# What comes out -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("wide")
def test_the_page_tells_what_was_done(run, terminology, output):
    done = run("train", terminology, *STATIC, *FEW, "-o", output)
    assert done.exit_code == 0, done.output
    page = Path(f"{output}.html").read_text(encoding="utf-8")
    assert f"page         {output}.html" in " ".join(done.stdout.split(" "))
    assert read_manifest(output).fingerprint in page
    assert read_manifest(terminology).fingerprint in page
    assert page.count("data:image/svg+xml;base64,") == 1
    assert "<script" not in page.lower()
    assert (
        re.findall(r"""(?:src|href)=["']?(?!["']?(?:#|data:))|@import|url\((?!#)""", page) == []
    )  # all of it is in the page
    assert "&quot;rate&quot;: 0.003" in page


def test_a_transformer_folder_is_trained_on(run, terminology, output, trainable):
    from sentence_transformers import SentenceTransformer

    done = run("train", terminology, "--base", trainable, "--pooling", "cls", "--tokens", "12", *FEW, "-o", output)
    assert done.exit_code == 0, done.output
    content = content_of(output)
    assert (content["shape"]["pooling"], content["shape"]["max_length"]) == ("cls", 12)
    assert content["base"] == open_encoder(trainable).fingerprint
    names = ["heart attack", "fever"]
    ours = open_encoder(output).encode(names)
    plain = SentenceTransformer(str(output)).encode(names, normalize_embeddings=True)
    np.testing.assert_allclose((ours * plain).sum(1), 1, atol=1e-3)  # bfloat16 where the processor has it
    assert abs((ours * open_encoder(trainable).encode(names)).sum(1) - 1).max() > 1e-3  # it has learned something


@pytest.mark.skipif(not all(map(find_spec, ("onnx", "onnxruntime"))), reason="needs ontonym[onnx]")
def test_a_small_transformer_with_its_onnx_forms(run, terminology, output, tiny):
    from sentence_transformers import SentenceTransformer

    done = run(
        "train", terminology, "--base", "small", "--steps", "3", "--batch", "8", "--threads", "1", "--export", "onnx",
        "-o", output, "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert [form["name"] for form in told["onnx"]] == ["float32", "int8"]
    assert told["onnx"][0]["agreement"]["min_cosine"] > 0.9999
    assert told["onnx"][1]["agreement"]["mean_cosine"] > 0.99
    assert told["content"]["base"] == "small"
    assert told["fingerprint"] == read_manifest(output).fingerprint
    names = ["Heart attack", "Missed beats"]
    vectors = SentenceTransformer(str(output)).encode(names, normalize_embeddings=True)
    for form in ("onnx/model.onnx", "onnx/model_int8.onnx"):
        assert ((open_encoder(output / form).encode(names) * vectors).sum(1) > 0.98).all()
    assert run("index", terminology, "--encoder", output, "-o", output.parent / "small.index").exit_code == 0
