"""``ontonym evaluate`` on a tiny corpus and a tiny terminology."""

from __future__ import annotations

import json

import pytest

from ontonym.cli.evaluate_normalization import told_split

CORPUS = """1|t|Heart attack and fits
1|a|with pyrexia
1\t0\t12\tHeart attack\tDisease\tT:3
1\t17\t21\tfits\tSign\tT:6
1\t27\t34\tpyrexia\tSign\tT:3
"""


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "tiny_dev.txt"
    path.write_text(CORPUS)
    return path


def test_normalization_json(run, tiny, corpus):
    done = run("evaluate", "normalization", tiny / "tiny.index", corpus, "--resamples", "50", "--json")
    shape = json.loads(done.stdout)
    assert shape["n"] == 3
    assert shape["measures"]["accuracy@1"]["value"] == pytest.approx(2 / 3)
    assert (shape["protocol"]["split"], shape["protocol"]["terminology"]) == ("dev", "tiny 2024-01-01")
    assert set(shape["measures"]["mrr"]) == {"value", "low", "high"}
    assert shape["notes"][-1] == (
        f"command: ontonym evaluate normalization {tiny / 'tiny.index'} {corpus} --resamples 50 --json"
    )


def test_one_type_only(run, tiny, corpus):
    done = run(
        "evaluate", "normalization", tiny / "tiny.index", corpus, "--type", "Sign", "--resamples", "50", "--json"
    )  # fmt: skip
    shape = json.loads(done.stdout)
    assert (shape["n"], shape["measures"]["accuracy@1"]["value"]) == (2, 0.5)


def test_unknown_type_lists_the_types(run, tiny, corpus):
    done = run("evaluate", "normalization", tiny / "tiny.index", corpus, "--type", "Drug")
    assert (done.exit_code, done.stderr) == (2, "error: unknown mention type 'Drug'. Valid: Disease, Sign\n")


def test_all_signals_under_both_rules_side_by_side(run, tiny, corpus):
    done = run(
        "evaluate", "normalization", tiny / "tiny.index", corpus, "--signal", "all", "--ambiguity", "both",
        "--resamples", "50", "--compare", "--json",
    )  # fmt: skip
    assert list(json.loads(done.stdout)["runs"]) == [
        f"{signal} {rule}" for signal in ("fused", "lexical", "char", "dense") for rule in ("strict", "lenient")
    ]


def test_mistakes_name_the_gold_concept(run, tiny, corpus, tmp_path):
    out = tmp_path / "wrong.tsv"
    done = run("evaluate", "normalization", tiny / "tiny.index", corpus, "--resamples", "50", "--mistakes", out)
    assert done.stderr == f"1 mistake written to {out}\n"
    assert "Myocardial infarction" in out.read_text()


def test_unknown_rule_lists_the_rules(run, tiny, corpus):
    done = run("evaluate", "normalization", tiny / "tiny.index", corpus, "--composite", "some")
    assert done.stderr == "error: unknown composite rule 'some'. Valid: all, any, found, skip\n"


@pytest.mark.parametrize(
    ("names", "split"),
    [
        (["NCBIdevelopset_corpus.txt"], "dev"),
        (["CDR_TrainingSet.PubTator.txt"], "train"),
        (["a_train.txt", "a_dev.txt"], "as given"),
        (["corpus.txt"], "as given"),
    ],
)
def test_split_told_by_the_names(names, split):
    assert told_split(names) == split


@pytest.mark.parametrize("source", ["tiny.obo", "tiny.terminology"])
def test_held_out_warns_of_an_encoder_that_may_have_seen_the_names(run, tiny, encoder, source):
    done = run(
        "evaluate", "heldout", tiny / source, "--encoder", encoder, "--fraction", "0.5", "--signal", "fused",
        "--resamples", "50", "--json",
    )  # fmt: skip
    shape = json.loads(done.stdout)
    assert shape["n"] > 0
    assert list(shape["measures"]) == ["hits@1", "hits@10", "mrr"]
    assert shape["notes"][0].startswith(f"warning: the encoder {encoder} may have seen the hidden names")


def test_held_out_trusts_an_encoder_trained_without_the_names(run, tiny, tmp_path):
    pytest.importorskip("torch")
    hidden, blind = tmp_path / "hidden.txt", tmp_path / "blind.encoder"
    assert run("evaluate", "heldout", tiny / "tiny.obo", "--fraction", "0.3", "--names", hidden).exit_code == 0
    run(
        "train", tiny / "tiny.terminology", "--base", "none", "--exclude", hidden, "--steps", "2", "--batch", "8",
        "--dim", "8", "--threads", "1", "-o", blind,
    )  # fmt: skip
    done = run(
        "evaluate", "heldout", tiny / "tiny.obo", "--fraction", "0.3", "--encoder", blind, "--signal", "dense",
        "--resamples", "50", "--json",
    )  # fmt: skip
    assert json.loads(done.stdout)["notes"][0] == f"note: the encoder {blind} was trained without the hidden names"
