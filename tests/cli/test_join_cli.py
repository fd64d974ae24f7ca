"""``ontonym join``, and going on training with what it makes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ontonym.artifact import read_manifest
from ontonym.encoder import open_encoder


@pytest.mark.usefixtures("wide")
def test_joined_encoders_index_and_search(run, tiny, encoder, tmp_path):
    both = tmp_path / "both.encoder"
    done = run("join", encoder, "default", "-o", both)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.count("50% of the similarity") == 2
    assert run("index", tiny / "tiny.terminology", "--encoder", both, "-o", tmp_path / "i.index").exit_code == 0
    hits = json.loads(run("search", tmp_path / "i.index", "fits", "--signal", "dense", "--json").stdout)["hits"]
    assert hits[0]["id"] == "T:6"


def test_shares_are_given_in_the_order_of_the_encoders(run, encoder, tmp_path):
    done = run("join", encoder, "default", encoder, *("--share", 2, "--share", 1, "--share", 1), "-o",
               tmp_path / "three.encoder", "--json")  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["content"]["identity"]["shares"] == [0.5, 0.25, 0.25]
    done = run("join", encoder, "default", "--share", 1, "-o", tmp_path / "x.encoder")
    assert done.exit_code == 2
    assert "2 encoders need as many shares" in done.stderr


def test_one_encoder_alone_is_refused(run, encoder, tmp_path):
    done = run("join", encoder, "-o", tmp_path / "x.encoder")
    assert done.exit_code == 2
    assert "at least two" in done.stderr
    assert not (tmp_path / "x.encoder").exists()


@pytest.mark.training
def test_training_goes_on_with_the_transformer_and_leaves_the_static_part(run, tiny, encoder, tmp_path):
    pytest.importorskip("sentence_transformers")
    from ontonym.learning.encoders.small import SmallOptions, new_transformer

    names = ["heart attack", "skipped heart beats", "raised body temperature", "epileptic seizure"]
    bert = tmp_path / "bert"
    new_transformer(names, SmallOptions(layers=1, dim=8, heads=2, feedforward=16, vocabulary=200)).save(str(bert))
    both, made = tmp_path / "both.encoder", tmp_path / "made.encoder"
    assert run("join", bert, encoder, "-o", both).exit_code == 0
    done = run("train", tiny / "tiny.terminology", "--base", both, "--steps", 3, "--batch", 8, "--rate", 0.01,
               "--threads", 1, "-o", made)  # fmt: skip
    assert done.exit_code == 0, done.output

    def files(folder: Path, part: str) -> dict[str, str]:
        return {name: entry.sha256 for name, entry in read_manifest(folder / part, "encoder").files.items()}

    assert files(made, "2") == files(both, "2")
    assert files(made, "1")["model.safetensors"] != files(both, "1")["model.safetensors"]
    assert read_manifest(made).content["base"] == open_encoder(both).fingerprint
    assert read_manifest(made).content["training"]["steps"] == 3
