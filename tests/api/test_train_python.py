"""Training from Python takes what the command takes, and says what is wrong before it begins."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import ontonym
from ontonym.cli.train import command
from ontonym.errors import InputError, UnknownNameError, WrongTypeError

SMALL: dict[str, Any] = {
    "base": "none", "steps": 2, "batch": 4, "dev_names": 4, "dim": 8, "word_rows": 64, "ngram_rows": 64,
    "neighbours": 0,
}  # fmt: skip


@pytest.mark.training
def test_the_loss_and_the_recipe_are_those_that_were_asked_for(heart: Path, tmp_path: Path) -> None:
    encoder = ontonym.train(
        heart / "heart.terminology", tmp_path / "a.encoder", **SMALL, recipe="batches", loss="batch-hard",
        hinge=True, margin=0.2, mining="semi-hard", similarity="cosine", shares=(1, 0, 0), languages=(), ratio=0.5,
    )  # fmt: skip
    kept = ontonym.info(tmp_path / "a.encoder").content
    assert encoder.dim == 8
    assert {name: kept["loss"][name] for name in ("name", "margin", "mining", "similarity")} == {
        "name": "batch-hard", "margin": 0.2, "mining": "semi-hard", "similarity": "cosine",
    }  # fmt: skip
    assert (kept["pairs"]["recipe"], kept["pairs"]["options"]["ratio"]) == ("batches", 0.5)
    assert kept["pairs"]["options"]["pool"]["languages"] == []


@pytest.mark.training
def test_annotated_texts_and_a_second_recipe(heart: Path, tmp_path: Path) -> None:
    (tmp_path / "ward.tsv").write_text("heart stopped\tH:3\nshaking all over\tH:6\nunknown thing\tH:99\n")
    ontonym.train(
        heart / "heart.terminology", tmp_path / "b.encoder", **SMALL, recipe="annotated", shares="100/0/0",
        annotated=tmp_path / "ward.tsv", auxiliary="synonyms", auxiliary_weight=0.5,
    )  # fmt: skip
    kept = ontonym.info(tmp_path / "b.encoder").content
    assert kept["pairs"]["examples"]["train"] == 2
    assert "synonyms" in str(kept["auxiliary"])


@pytest.mark.training
def test_what_examples_decided_is_not_decided_again(heart: Path, tmp_path: Path) -> None:
    ontonym.pairs(heart / "heart.terminology", tmp_path / "a.pairs", recipe="synonyms", shares=(1, 0, 0))
    for name, value in {"recipe": "graph", "shares": "90/5/5", "linked": 0.5, "auxiliary": "graph"}.items():
        with pytest.raises(InputError, match=f"`{name}=` was decided when "):
            ontonym.train(tmp_path / "a.pairs", tmp_path / "c.encoder", **{**SMALL, name: value})
    assert ontonym.train(tmp_path / "a.pairs", tmp_path / "c.encoder", **SMALL, temperature=0.1).dim == 8


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        ({"lr": 1}, UnknownNameError, "unknown option 'lr'. Valid: .*batch.*dim.*loss.*margin.*ratio"),
        ({"loss": "triplets"}, UnknownNameError, "Did you mean 'triplet'"),
        ({"loss": "batch-hard", "temperature": 1.0}, InputError, "`temperature=` is for the loss softmax"),
        ({"loss": "batch-hard", "margin": 0.2}, InputError, "`margin=` is for the loss triplet"),
        ({"temperature": "hot"}, WrongTypeError, "a number for `temperature=`"),
        ({"split_by": "row"}, UnknownNameError, "unknown way to split 'row'"),
        ({"share": 0.3}, InputError, "`share=` is for `beside=`"),
        ({"dim": 0}, InputError, "`dim=` must be at least 1"),
    ],
)
def test_what_is_wrong_is_said_before_training_begins(
    heart: Path, tmp_path: Path, given: dict[str, Any], kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        ontonym.train(heart / "heart.terminology", tmp_path / "x.encoder", **{**SMALL, **given})
    assert not (tmp_path / "x.encoder").exists()


OTHERWISE = {
    "language": "languages", "split": "shares", "matryoshka": "dims", "dtype": "precision", "force": "",
    "dry_run": "", "work": "", "tolerance": "", "as_json": "", "help": "", "help_all": "",
    "output": "output", "source": "source",
}  # fmt: skip
"""Flags whose keyword has another name, or that are for the command line alone."""


def test_every_flag_of_the_command_has_a_keyword() -> None:
    from ontonym.encoder.static import StaticShape
    from ontonym.learning.encoders.losses import LossOptions
    from ontonym.learning.encoders.options import TrainOptions
    from ontonym.learning.recipes import RecipeOptions

    taken = {*inspect.signature(ontonym.train).parameters}
    for options in (TrainOptions, LossOptions, RecipeOptions, StaticShape):
        taken |= {*inspect.signature(options).parameters}
    flags = {str(one.name).rpartition("__")[2] for one in command.params}
    assert {OTHERWISE.get(flag, flag) for flag in flags} - {"", *taken} == set()
