from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.training

pytest.importorskip("torch")


def test_distilled_encoder_reproduces_its_teacher_and_indexes(run, tiny, encoder, tmp_path):
    place = tmp_path / "static.encoder"
    done = run(
        "distill", encoder, tiny / "tiny.terminology", "--epochs", "200", "--dim", "16", "--word-rows", "256",
        "--ngram-rows", "256", "--held-out", "0", "-o", place, "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.stderr
    content = json.loads(done.stdout)["content"]
    assert content["identity"]["shape"]["dim"] == 16
    assert content["distillation"]["epochs"] == 200
    assert content["terminologies"][0]["name"] == "tiny"
    assert content["agreement"] is None
    assert run("index", tiny / "tiny.terminology", "--encoder", place, "-o", tmp_path / "i.index").exit_code == 0
    hits = json.loads(run("search", tmp_path / "i.index", "fits", "--signal", "dense", "--json").stdout)["hits"]
    assert hits[0]["id"] == "T:6"


def test_distilling_from_what_is_no_encoder_says_what_to_do(run, tiny, tmp_path):
    done = run("distill", tmp_path / "nothing", tiny / "tiny.terminology", "-o", tmp_path / "x.encoder")
    assert done.exit_code == 2
    assert "no such encoder" in done.stderr
