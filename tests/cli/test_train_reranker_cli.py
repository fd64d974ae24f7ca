from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from ontonym.cli.train_reranker import GROUPS, TRAIN_RERANKER
from ontonym.encoder.rerank import TorchReranker
from ontonym.learning.mining import MiningOptions
from ontonym.learning.recipes import open_examples
from ontonym.learning.rerankers.candidates import CandidateOptions
from ontonym.learning.rerankers.options import RerankOptions

pytestmark = pytest.mark.training

QUICK = ("--tokens", 48, "--groups", 8, "--batch", 4, "--epochs", 2, "--dev", 0, "--split", "100/0/0", "--threads", 1)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, tiny_bert: Callable[..., Path]) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("base") / "bert", ["heart", "fever", "seizure", "beats"])


def test_a_reranker_is_made_and_told(run, tiny: Path, base: Path, tmp_path: Path) -> None:
    output = tmp_path / "my.reranker"
    done = run("train-reranker", tiny / "tiny.index", "--base", base, "-o", output, *QUICK)
    assert done.exit_code == 0, done.output
    assert "from 8 queries in 4 steps" in done.stdout
    told = run("info", output, "--verify").stdout
    assert "cross-encoder" in told
    assert "loss passage-pair" in told
    assert "every checksum matches" in told
    scores = TorchReranker.open(output).score([(["fits"], ["Seizure", "Epileptic seizure"]), (["fits"], ["Fever"])])
    assert scores.shape == (2,)
    assert scores[0] != scores[1]
    assert [path.name for path in tmp_path.iterdir() if "checkpoint" in path.name] == []


def test_json(run, tiny: Path, base: Path, tmp_path: Path) -> None:
    output = tmp_path / "my.reranker"
    options = ["--split", "40/30/30", "--dev", 9, "--test", 9, "--judged", 3, "--loss", "listwise", "--hidden", 1]
    arguments = ["train-reranker", tiny / "tiny.index", "--base", base, "-o", output, *QUICK, *options, "--json"]
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    content = told["content"]
    assert (told["path"], told["fingerprint"]) == (str(output), TorchReranker.open(output).fingerprint)
    assert content["training"]["loss"] == "listwise"
    assert content["terminologies"][0]["name"] == "tiny"
    made = content["groups"]
    assert set(told["dev"]) == {"search", "reranked", "mixed"} if made["dev"] else told["dev"] is None
    assert made == {**content["candidates"]["made"], "train": made["train"]}
    assert made["train"] > 0 < made["dev"] + made["test"]
    for name in ("dev", "test"):
        if made[name]:
            assert told[name]["search"]["n"] == told[name]["reranked"]["n"] == made[name]
    assert json.loads(run(*arguments).stdout)["fingerprint"] == told["fingerprint"]


def test_excluded_names_are_not_learned_from(run, tiny: Path, base: Path, tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("pyrexia\nraised body temperature\nskipped heart beat\n")
    arguments = [
        "train-reranker",
        tiny / "tiny.index",
        "--base",
        base,
        "-o",
        tmp_path / "o",
        *QUICK,
        "--groups",
        99,
        "--force",
    ]
    whole = json.loads(run(*arguments, "--json").stdout)
    less = json.loads(run(*arguments, "--exclude", tmp_path / "names.txt", "--json").stdout)
    assert whole["content"]["groups"]["train"] == 12
    # what is left of T:5 is one name, and of T:4 two
    assert less["content"]["groups"]["train"] == 8


def test_it_goes_on_after_kill_9(run, tiny: Path, base: Path, tmp_path: Path) -> None:
    options = [*QUICK, "--epochs", 4, "--every", 1]
    whole = run("train-reranker", tiny / "tiny.index", "--base", base, "-o", tmp_path / "whole", *options, "--json")
    output = tmp_path / "cut"
    arguments = ["train-reranker", tiny / "tiny.index", "--base", base, "-o", output, *options, "--json", "--resume"]
    code = f"""
import os
from ontonym.learning.rerankers.trainer import RerankTrainer
learn = RerankTrainer.learn
RerankTrainer.learn = lambda self, *a: os.kill(os.getpid(), 9) if self.state.global_step == 5 else learn(self, *a)
from ontonym.cli import main
main({[str(argument) for argument in arguments]!r})
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=dict(os.environ)
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (tmp_path / "cut.checkpoint").exists()
    resumed = run(*arguments)
    assert resumed.exit_code == 0, resumed.output
    first, second = (json.loads(result.stdout) for result in (whole, resumed))
    assert second["fingerprint"] == first["fingerprint"]
    assert second["content"]["history"] == first["content"]["history"]
    assert not (tmp_path / "cut.checkpoint").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--loss", "hinge"], "error: unknown ranking loss 'hinge'. Valid: listwise, passage-pair"),
        (["--signal", "bm25"], "error: unknown signal 'bm25'"),
        (["--depth", 1], "error: --depth must be at least 2, not 1"),
        (["--negatives", -1], "error: --negatives must be at least 0"),
        (["--split", "1/2"], "error: --shares 1/2: give three numbers"),
        (["--tokens", 4000], "error: 4000 tokens for a pair"),
        (["--device", "tpu9"], "error: device 'tpu9' cannot be used"),
        (["--base", "nowhere"], "error: nowhere: no such folder; give one with a BERT-like model"),
        (["--exclude", "nowhere.txt"], "nowhere.txt"),
    ],
)
def test_what_the_user_can_mend(run, tiny: Path, base: Path, tmp_path: Path, options: list[str], message: str) -> None:
    done = run("train-reranker", tiny / "tiny.index", "--base", base, "-o", tmp_path / "out", *QUICK, *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_is_something_else(run, tiny: Path, base: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letter.txt").write_text("dear")
    done = run("train-reranker", tiny / "tiny.index", "--base", base, "-o", tmp_path / "out", *QUICK, "--force")
    assert done.exit_code == 2
    assert "is a folder that ontonym did not make" in done.stderr
    assert (tmp_path / "out" / "letter.txt").read_text() == "dear"


def test_every_option_is_on_the_command_line() -> None:
    assert set(TRAIN_RERANKER.opts) == {field.name for field in fields(RerankOptions)}
    of_other_types = {"shares", "seed"}  # --split, and the seed of the training
    assert set(GROUPS.opts) == {field.name for field in fields(CandidateOptions)} - of_other_types
    assert MiningOptions().nearest == 16


def test_pairs_with_hard_negatives(run, tiny: Path, tmp_path: Path) -> None:
    made = ["pairs", tiny / "tiny.terminology", "--recipe", "synonyms", "--split", "100/0/0"]
    plain, hard = tmp_path / "plain.pairs", tmp_path / "hard.pairs"
    assert run(*made, "-o", plain).exit_code == 0
    done = run(*made, "-o", hard, "--hard-negatives", tiny / "tiny.index", "--nearest", 3)
    assert done.exit_code == 0, done.output
    examples, before = open_examples(hard), open_examples(plain)
    assert examples.table("train").shape == (len(before.table("train")), 3)
    texts = examples.texts
    named = [[texts.texts[place] for place in row] for row in examples.table("train").tolist()]
    old = [[before.texts.texts[place] for place in row] for row in before.table("train").tolist()]
    assert sorted(row[:2] for row in named) == sorted(old)
    for anchor, positive, negative in examples.table("train").tolist():
        assert len(np.unique(texts.concepts[[anchor, positive, negative]])) == 2
    assert (
        not {row[2] for row in named}
        & {"Phenotypic abnormality", "Abnormality of the heart"}
        & {row[2] for row in named if "eart" in row[0]}
    )
    assert examples.described["hard negatives"]["nearest"] == 3
    assert "hard negatives" in run("info", hard).stdout


def test_hard_negatives_of_another_index(run, tiny: Path, encoder: Path, tmp_path: Path) -> None:
    shutil.copy(tiny / "tiny.obo", tmp_path / "other.obo")
    with (tmp_path / "other.obo").open("a") as file:
        file.write('\n[Term]\nid: T:7\nname: Cough\nsynonym: "Tussis" EXACT []\n')
    run("import", tmp_path / "other.obo", "-o", tmp_path / "other.terminology")
    made = ["pairs", tmp_path / "other.terminology", "--recipe", "synonyms", "-o", tmp_path / "p"]
    done = run(*made, "--hard-negatives", tiny / "tiny.index")
    assert done.exit_code == 2
    assert "does not have the terminology" in done.stderr
    assert not (tmp_path / "p").exists()
