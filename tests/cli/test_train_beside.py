"""``ontonym train --beside``: an encoder learns what another lacks, and is joined with it."""

from __future__ import annotations

import json
from importlib.util import find_spec

import numpy as np
import pytest
from trainings import STATIC

from ontonym.artifact import read_manifest
from ontonym.encoder import default_folder, open_encoder
from ontonym.encoder.places import CHOICE, CONTEXTUAL, has_contextual
from ontonym.learning.encoders.bases import Base
from ontonym.text.strings import Strings

pytestmark = pytest.mark.training

FEW = ("--steps", "6", "--batch", "8", "--every", "2", "--split", "1/0/0")
NAMES = ["heart attack", "skipped heart beats", "fever"]


def test_a_static_encoder_learns_beside_a_model(run, terminology, output, trainable):
    done = run("train", terminology, *STATIC, *FEW, "--beside", trainable, "--share", "0.3", "-o", output, "--json")
    assert done.exit_code == 0, done.output
    content = json.loads(done.stdout)["content"]
    assert content["identity"] == {"encoder": "joined", "shares": [0.7, 0.3]}
    assert (content["base"], content["share"]) == ("none", 0.3)
    assert content["beside"] == open_encoder(trainable).fingerprint
    beside, trained = open_encoder(output / "1"), open_encoder(output / "2")
    np.testing.assert_allclose(beside.encode(NAMES), open_encoder(trainable).encode(NAMES), atol=1e-6)  # as it was
    expected = 0.7**0.5 * beside.encode(NAMES), 0.3**0.5 * trained.encode(NAMES)
    np.testing.assert_allclose(open_encoder(output).encode(NAMES), np.concatenate(expected, axis=1), atol=1e-5)
    alone = output.with_name("alone.encoder")
    assert run("train", terminology, *STATIC, *FEW, "-o", alone).exit_code == 0
    assert (trained.encode(NAMES) * open_encoder(alone).encode(NAMES)).sum(
        axis=1
    ).min() < 0.9999  # it knew of the other
    assert run("index", terminology, "--encoder", output, "-o", output.with_name("both.index")).exit_code == 0


def test_a_model_learns_beside_the_encoder_of_the_package(run, terminology, output, trainable):
    done = run("train", terminology, "--base", trainable, *FEW, "--rate", "0.01", "--beside", "default", "-o", output)
    assert done.exit_code == 0, done.output
    kept = read_manifest(default_folder(), "encoder").content["identity"]
    assert read_manifest(output / "1", "encoder").content["identity"] == kept
    trained = open_encoder(output / "2").encode(NAMES)
    assert (trained * open_encoder(trainable).encode(NAMES)).sum(axis=1).min() < 0.9999


def test_stopped_and_gone_on_it_ends_with_the_same_weights(run, terminology, output, trainable, tmp_path, monkeypatch):
    trained = ("train", terminology, *STATIC, *FEW, "--beside", trainable, "--work", tmp_path / "work")

    def stop(self, label, done, total, note=""):
        if label == "training" and done >= 4:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("ontonym.cli.train.Bar.stage", stop)
        assert run(*trained, "-o", output).exit_code == 130
    assert [place.name for place in (tmp_path / "work").glob("checkpoint-*")] == ["checkpoint-2"]
    done = run(*trained, "--share", "0.4", "-o", output, "--resume")
    assert (done.exit_code, "differing in share" in done.stderr) == (2, True)
    assert run(*trained, "-o", output, "--resume").exit_code == 0
    assert run(*trained, "-o", tmp_path / "whole.encoder").exit_code == 0
    assert open_encoder(output).fingerprint == open_encoder(tmp_path / "whole.encoder").fingerprint


def test_a_dry_run_counts_the_encoding_of_all_names(run, terminology, output, trainable, monkeypatch):
    monkeypatch.setattr(
        "ontonym.learning.encoders.bases.Base.seconds_ahead", lambda self, texts: 1000.0 * bool(self.beside)
    )
    found = {}
    for beside in ((), ("--beside", str(trainable))):
        done = run("train", terminology, *STATIC, *FEW, *beside, "--dry-run", "-o", output, "--json")
        assert done.exit_code == 0, done.output
        found[bool(beside)] = json.loads(done.stdout)["seconds"]
    assert found[True] - found[False] > 900
    assert not output.exists()


def test_the_time_that_encoding_takes_is_told_from_some_names(trainable):
    names = Strings.of(NAMES * 1000)
    assert Base("none", beside=str(trainable)).seconds_ahead(names) > 0
    assert Base("none").seconds_ahead(names) == 0.0


def test_names_count_as_unseen_only_where_the_encoder_beside_has_not_seen_them(run, terminology, output, tmp_path):
    (tmp_path / "hidden.txt").write_text("cardiac infarcts\n")
    blind = tmp_path / "blind.encoder"
    hidden = ("--exclude", tmp_path / "hidden.txt")
    assert run("train", terminology, *STATIC, *FEW, *hidden, "-o", blind).exit_code == 0
    for beside, unseen in ((blind, 64), ("default", 0)):
        made = tmp_path / f"{unseen}.encoder"
        done = run("train", terminology, *STATIC, *FEW, *hidden, "--beside", beside, "-o", made)
        assert done.exit_code == 0, done.output
        assert len(read_manifest(made).content["unseen"]) == unseen


@pytest.mark.skipif(not all(map(find_spec, ("onnx", "onnxruntime"))), reason="needs ontonym[onnx]")
def test_the_transformer_beside_gets_its_onnx_form(run, terminology, output, trainable):
    done = run("train", terminology, *STATIC, *FEW, "--beside", trainable, "--export", "onnx", "-o", output, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["onnx"][0]["agreement"]["min_cosine"] > 0.9999


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--share", "0.4"), "--share is for --beside"),
        (("--beside", "default", "--share", "1"), "--share must be above 0 and below 1, not 1"),
        (("--beside", "default", "--share", "nan"), "--share must be above 0 and below 1, not nan"),
        (("--beside", "none"), "an encoder that knows nothing adds nothing"),
        (("--beside", "nowhere"), "--beside nowhere: no such folder"),
        (("--beside", "contextual"), "--beside contextual: is for searching only"),
        (("--base", "contextual"), "--base contextual: is for searching only"),
        (("--beside", "default", "--export", "onnx"), "have not exactly one transformer"),
    ],
)
def test_what_makes_no_sense_is_refused(run, terminology, output, options, told):
    done = run("train", terminology, *STATIC, *FEW, *options, "-o", output)
    assert done.exit_code == 2
    assert told in done.stderr
    assert not output.exists()


@pytest.mark.parametrize("name", ["model.onnx", "model.safetensors"])
def test_one_file_of_a_model_is_refused_before_training(run, terminology, output, tmp_path, name):
    (tmp_path / name).touch()
    done = run("train", terminology, *STATIC, *FEW, "--beside", tmp_path / name, "-o", output)
    assert done.exit_code == 2
    assert f"{tmp_path / name}: is one file of a model; give its folder" in done.stderr
    assert not output.exists()


def test_word_vectors_beside_have_no_onnx_form(run, terminology, output, tmp_path):
    (tmp_path / "words.txt").write_text("heart 1 0\nfever 0 1\n", encoding="utf-8")
    beside = ("train", terminology, *STATIC, *FEW, "--beside", tmp_path / "words.txt", "-o", output)
    done = run(*beside, "--export", "onnx")
    assert done.exit_code == 2
    assert "have not exactly one transformer" in done.stderr
    assert run(*beside).exit_code == 0
    assert open_encoder(output).encode(["heart"]).shape == (1, 2 + 8)


def test_joined_encoders_are_joined_no_further_in_training(run, terminology, output, trainable, tmp_path):
    assert run("join", trainable, "default", "-o", tmp_path / "both.encoder").exit_code == 0
    done = run("train", terminology, "--base", tmp_path / "both.encoder", *FEW, "--beside", "default", "-o", output)
    assert done.exit_code == 2
    assert "is joined already; leave --beside out" in done.stderr


@pytest.mark.skipif(not has_contextual(), reason="needs packages/ontonym-contextual, onnxruntime and tokenizers")
def test_in_training_default_is_the_static_encoder(run, terminology, output, monkeypatch):
    monkeypatch.setenv(CHOICE, CONTEXTUAL)
    beside = Base("none", beside="default").trainable(Strings.of(NAMES), seed=0, dropout=0.0)
    assert beside._others[0].encoder.fingerprint == open_encoder("static").fingerprint
    done = run("train", terminology, "--base", "static", *FEW, "--dry-run", "-o", output)
    assert done.exit_code == 0, done.output
