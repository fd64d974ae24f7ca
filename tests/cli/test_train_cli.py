"""``ontonym train``: what the options do, what stands in the manifest, and what is refused."""

from __future__ import annotations

import json
import re
import sys
from base64 import b64decode
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from trainings import FEW, PAIRS, STATIC, content_of, pooling_of

from ontonym.artifact import read_manifest
from ontonym.cli.train import RECIPE, SHAPE, TRAIN
from ontonym.encoder import open_encoder
from ontonym.encoder.static import StaticShape
from ontonym.learning.encoders.checks import RANGES
from ontonym.learning.encoders.options import TrainOptions
from ontonym.learning.recipes import RecipeOptions

pytestmark = pytest.mark.training


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


# What comes out -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("wide")
def test_the_page_tells_what_was_done(run, terminology, output):
    done = run("train", terminology, *STATIC, *FEW, "-o", output)
    assert done.exit_code == 0, done.output
    page = Path(f"{output}.html").read_text(encoding="utf-8")
    assert f"page         {output}.html" in " ".join(done.stdout.split(" "))
    assert read_manifest(output).fingerprint in page
    assert read_manifest(terminology).fingerprint in page
    assert f"ontonym train {terminology}" in page
    assert page.count("data:image/svg+xml;base64,") == 1
    drawn = b64decode(page.partition("data:image/svg+xml;base64,")[2].partition('"')[0]).decode()
    axis = drawn[drawn.index('id="matplotlib.axis_1"') : drawn.index('id="matplotlib.axis_2"')]
    assert re.findall(r"<!-- ([\d.]+) -->", axis), "the steps"
    assert "." not in "".join(re.findall(r"<!-- ([\d.]+) -->", axis)), "no half steps"
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
