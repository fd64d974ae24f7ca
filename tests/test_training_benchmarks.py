"""The benchmarks of training run from end to end on tiny data, and what they advise follows from the figures."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("scipy")
pytest.importorskip("torch")
pytest.importorskip("sentence_transformers")
sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))

import advice
import figures
import judging
import lessons
import materials
import ncbi
import throughput
import training
from ontonym.cli import main
from ontonym.encoder.static import StaticShape
from ontonym.encoder.transformer import save_transformer
from ontonym.errors import InputError
from ontonym.evaluate import Interval
from ontonym.learning.encoders.bases import Base
from ontonym.learning.encoders.options import TrainOptions
from ontonym.learning.encoders.small import SmallOptions, new_transformer
from ontonym.learning.encoders.trainable import TrainableTransformer
from ontonym.learning.recipes import RecipeOptions, find_recipe, make_examples, name_pool
from ontonym.ontology.options import ReadOptions
from ontonym.text.strings import Strings
from ontonym.types import Hit, Mention
from padded import PaddedTransformer

pytestmark = [pytest.mark.benchmark, pytest.mark.training]

ORGANS = ("Kidney", "Liver", "Heart", "Lung", "Brain", "Skin", "Spleen", "Stomach", "Bladder", "Thyroid")

CORPUS = """1|t|Kidney failure and hepatic failure
1|a|The heart gave out, and so did the lung.
1\t0\t14\tKidney failure\tDisease\tT:0
1\t19\t34\thepatic failure\tDisease\tT:1
1\t39\t53\theart gave out\tDisease\tT:2
"""


def obo(*, parents: bool) -> str:
    stanzas = ["format-version: 1.2\nontology: tiny\n", "[Term]\nid: T:99\nname: Failure of an organ\n"]
    for number, organ in enumerate(ORGANS):
        lines = [f"[Term]\nid: T:{number}", f"name: {organ} failure"]
        lines += [f'synonym: "Insufficiency of {organ.lower()}" EXACT []', f'synonym: "{organ} defect" EXACT []']
        stanzas.append("\n".join([*lines, "is_a: T:99"] if parents else lines) + "\n")
    return "\n".join(stanzas)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONTONYM_CACHE", str(tmp_path / "cache"))


def imported(folder: Path, *, parents: bool = True) -> Path:
    release = folder / "tiny.obo"
    release.write_text(obo(parents=parents), encoding="utf-8")
    return materials.import_files([release], folder / "tiny.terminology", ReadOptions(name="tiny"))


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A task over a tiny terminology whose train split is its dev split too."""
    monkeypatch.setenv("ONTONYM_DATA", str(tmp_path))
    (tmp_path / "tiny_dev.txt").write_text(CORPUS, encoding="utf-8")
    tasks = {"tiny": ncbi.Task("Tiny", "tiny_dev.txt", (), "tiny")}
    for module in (training, judging):
        monkeypatch.setattr(module, "TASKS", tasks)
    monkeypatch.setattr(training, "TERMINOLOGIES", {"tiny": imported})
    monkeypatch.setattr(lessons, "CORPORA", {"tiny": "tiny_dev.txt"})
    shape = StaticShape(dim=32, word_rows=1024, ngram_rows=1024)
    monkeypatch.setattr(lessons, "Base", lambda name: Base(name, shape if name == "none" else StaticShape()))
    return "tiny"


def asked(task: str, **given: Any) -> argparse.Namespace:
    values: dict[str, Any] = {
        "task": [task], "base": ["static"], "loss": ["softmax", "batch-hard", "multi-similarity", "triplet"],
        "data": ["O", "OD"], "minutes": 0.0, "neighbours": 0, "threads": 1, "seed": 0,
    }  # fmt: skip
    return argparse.Namespace(**{**values, **given})


def measured(chosen: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    bench = figures.Bench("training", "", {})
    training.measure(bench, chosen)
    return {key: list(table["rows"]) for key, table in bench.to_dict()["tables"].items()}


def test_the_ontology_is_learned_once_for_all_tasks_of_a_terminology_and_a_corpus_for_its_own() -> None:
    arms = training.wanted(["ncbi", "bc5cdr-disease", "bc5cdr-chemical"], ["static"], ["softmax"], ["O", "OD"])
    assert [(arm.terminology, arm.data, arm.corpus) for arm in arms] == [
        ("medic", "O", ""),
        ("medic", "OD", "ncbi"),
        ("medic", "OD", "bc5cdr-disease"),
        ("mesh", "O", ""),
        ("mesh", "OD", "bc5cdr-chemical"),
    ]


def test_every_loss_is_trained_judged_and_kept(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = measured(asked(task))
    rows = {row["loss"]: row for row in first["training"]}
    assert list(rows) == ["untrained", "softmax", "batch-hard", "multi-similarity", "triplet"]
    assert rows["untrained"]["tiny OD"] is None
    assert rows["untrained"]["s O"] is None
    for loss in list(rows)[1:]:
        assert rows[loss]["tiny O"]["value"] >= 1 / 3
        assert rows[loss]["tiny OD"]["value"] >= 1 / 3
    made = {(row["loss"], row["learned from"]): row for row in first["trainings"]}
    assert len(made) == 8
    assert {row["steps"] for row in made.values()} == {1}
    assert made["triplet", "tiny O"]["recipe"] == "triplets"
    assert made["triplet", "tiny OD (tiny train)"]["annotated"] == "auxiliary, mined negatives"
    assert made["triplet", "tiny OD (tiny train)"]["again"] == ""
    assert made["softmax", "tiny OD (tiny train)"]["annotated"] == "auxiliary"
    assert made["softmax", "tiny OD (tiny train)"]["texts of annotators"] == 3
    assert "--auxiliary annotated --steps 1" in made["softmax", "tiny OD (tiny train)"]["again"]
    assert made["batch-hard", "tiny OD (tiny train)"]["annotated"] == "in the batches"

    monkeypatch.setattr(lessons, "train_encoder", lambda *_, **__: pytest.fail("trained what was kept"))
    monkeypatch.setattr(judging, "_judged", lambda *_: pytest.fail("judged what was kept"))
    again = measured(asked(task))
    assert again["training"] == first["training"]
    assert {row[""] for row in again["trainings"]} == {"kept"}


def test_a_training_that_was_stopped_is_done_with_the_steps_that_were_planned(
    task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, stopped = lessons.train_encoder, KeyboardInterrupt("stopped")
    calls: list[int] = []

    def train(trainable: Any, given: Any, options: TrainOptions, *others: Any, **named: Any) -> Any:
        calls.append(options.steps)
        if len(calls) == 2:
            raise stopped
        return whole(trainable, given, options, *others, **named)

    monkeypatch.setattr(lessons, "train_encoder", train)
    monkeypatch.setattr(lessons, "step_seconds", lambda *_: calls.append(0) or 0.5)
    chosen = asked(task, loss=["softmax", "batch-hard"], data=["O"], minutes=1.5 / 60)
    with pytest.raises(KeyboardInterrupt):
        measured(chosen)
    assert calls == [0, 3]  # paced and trained; the next pace would be the third
    measured(chosen)
    assert calls == [0, 3, 3, 0, 3]


@pytest.mark.parametrize("data", ["O", "OD"])
def test_the_command_that_is_told_trains_the_same_encoder(task: str, tmp_path: Path, data: str) -> None:
    row = measured(asked(task, loss=["softmax"], data=[data], minutes=0.001))["trainings"][0]
    _, verb, _, *given = shlex.split(row["again"].replace("tiny_dev.txt", str(tmp_path / "tiny_dev.txt")))
    given[given.index("-o") + 1] = str(tmp_path / "again.encoder")
    shape = ["--dim", "32", "--word-rows", "1024", "--ngram-rows", "1024"]
    done = CliRunner().invoke(main, [verb, str(imported(tmp_path)), *given, *shape], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    (kept,) = (tmp_path / "cache" / "bench" / "training").glob(f"tiny-{data}-*/encoder")
    assert (tmp_path / "again.encoder" / "table.npy").read_bytes() == (kept / "table.npy").read_bytes()


def test_without_a_hierarchy_triplets_are_names_with_mined_negatives(tmp_path: Path) -> None:
    with materials.opened([imported(tmp_path, parents=False)]) as (terminology,):
        school = lessons.School(terminology, tmp_path, lessons.Budget(1.0))
        course = school.course(lessons.Arm("tiny", "static", "triplet"))
        table, texts = course.datasets[0].table(0), course.datasets[0].texts
    assert course.recipe == "drawn, mined negatives"
    assert table.shape[1] == 3
    assert len(table) > 10
    assert (texts.concepts[table[:, 0]] == texts.concepts[table[:, 1]]).all()
    assert (texts.concepts[table[:, 0]] != texts.concepts[table[:, 2]]).all()


def test_the_pace_is_of_processor_time_and_leaves_the_learner_alone(tmp_path: Path) -> None:
    with materials.opened([imported(tmp_path)]) as (terminology,):
        school = lessons.School(terminology, tmp_path, lessons.Budget(1.0))
        arm = lessons.Arm("tiny", "static", "softmax")
        base, options, loss = lessons.settings(arm, school.budget)
        pace = lessons.step_seconds(base, school.course(arm).datasets, options, loss)
    assert 0 < pace < 60
    assert not list(materials.bench_folder().glob("tried-*"))


def test_each_text_is_asked_once() -> None:
    asked_for: list[str] = []

    def ask(mentions: Sequence[Mention]) -> list[list[Hit]]:
        asked_for.extend(mention.text for mention in mentions)
        return [[Hit(mention.text, "", "", "synonym", "exact", "", "", 1.0, 1.0)] for mention in mentions]

    answers = judging.once(ask)
    found = [*answers([Mention("a"), Mention("b"), Mention("a", document="2")]), *answers([Mention("b")])]
    assert [hits[0].id for hits in found] == ["a", "b", "a", "b"]
    assert asked_for == ["a", "b"]


def right(hits: int, of: int, pace: float) -> dict[str, advice.Figures]:
    ranks = np.asarray([1] * hits + [0] * (of - hits))
    documents = tuple(str(row) for row in range(of))
    return {"t": advice.Figures(Interval(hits / of, 0, 1), ranks, documents, "", pace)}


def test_advice_takes_the_best_of_the_fast_ones_that_are_level_with_the_best() -> None:
    rows = {
        "large": right(81, 100, 10.0),
        "small": right(80, 100, 50.0),
        "other small": right(79, 100, 60.0),
        "poor": right(40, 100, 900.0),
        "as it is": right(60, 100, 0.0),
    }
    told = advice.advise("O", rows, ["t"])
    assert told.startswith("O, t: take small (mean accuracy@1 0.800, 50 texts a processor second).")
    assert "large is the most accurate (0.810), but these mentions do not tell the two apart" in told
    assert "shown to be worse: poor 0.400" in told
    assert told.endswith("Beside it as it is: 0.600")


def test_advice_takes_a_slow_one_that_is_shown_to_be_better_and_none_of_one() -> None:
    rows = {"large": right(90, 100, 10.0), "small": right(40, 100, 50.0)}
    assert "take large" in advice.advise("O", rows, ["t"])
    assert "and none is level" in advice.advise("O", rows, ["t"])
    assert advice.advise("O", {"large": rows["large"]}, ["t"]) == ""
    assert advice.advise("O", rows, ["t", "another"]) == ""


# Throughput ------------------------------------------------------------------------------------------------------


@pytest.fixture
def model(tmp_path: Path) -> Path:
    names = [f"{organ} failure insufficiency defect of {organ.lower()}" for organ in ORGANS]
    shape = SmallOptions(layers=1, dim=16, heads=2, feedforward=32, vocabulary=200)
    save_transformer(tmp_path / "tiny-bert", new_transformer(names, shape))
    return tmp_path / "tiny-bert"


def test_pairs_that_share_a_meaning_or_a_name_are_not_raced(tmp_path: Path) -> None:
    with materials.opened([imported(tmp_path)]) as (terminology,):
        made = make_examples(name_pool([terminology]), find_recipe("synonyms"), RecipeOptions())
    table = throughput.strangers(made.texts, made.table("train"), 6)
    owners = made.texts.concepts[table]
    assert (owners[:, 0] == owners[:, 1]).all()
    assert len(set(owners[:, 0].tolist())) == 6
    with pytest.raises(InputError, match="gives 10 pairs that share nothing, not 11"):
        throughput.strangers(made.texts, made.table("train"), 11)


def test_padding_changes_no_vector(model: Path) -> None:
    import torch

    from ontonym.encoder.transformer import open_transformer

    texts = Strings.of(["Kidney", "Insufficiency of kidney failure", "Liver failure", "Heart"])
    rows = np.asarray([3, 1, 0, 2])
    found = []
    for kind in (TrainableTransformer, PaddedTransformer):
        trainable = kind(open_transformer(model).model, 0.0)
        trainable.prepare(texts, 16)
        with torch.no_grad():
            found.append(trainable.forward(trainable.features(rows)).numpy())
    assert np.abs(found[0] - found[1]).max() < 1e-5
    assert np.abs(found[0][0] - found[0][1]).max() > 1e-3


def test_both_trainers_begin_with_the_same_loss_and_encode_as_many_texts(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with materials.opened([imported(tmp_path)]) as (terminology,):
        options = TrainOptions(steps=2, batch=2, neighbours=0, dropout=0.0, tokens=16, threads=1, every=2)
        race = throughput.prepare(terminology, str(model), options, tmp_path)
    assert len({text for pair in race.pairs for text in pair}) == 8
    first = {name: run(replace(race), steps=1) for name, run in throughput.CONTENDERS.items()}
    losses = [one.losses[0] for one in first.values()]
    assert 0.01 < losses[0] < 5
    assert losses == pytest.approx([losses[0]] * 3, abs=2e-4)
    monkeypatch.setattr(throughput, "medic", imported)
    chosen = argparse.Namespace(model=str(model), texts=8, batch=[2], tokens=16, rounds=1, threads=1)
    bench = figures.Bench("throughput", "", {})
    throughput.measure(bench, chosen)
    rows = {row["trainer"]: row for row in bench.to_dict()["tables"]["throughput"]["rows"]}
    assert list(rows) == ["ontonym", "ontonym, padded", "sentence-transformers"]
    assert rows["ontonym"]["texts a processor second"]["value"] > 0
    means = [row["mean loss"] for row in rows.values()]
    assert means == pytest.approx([means[0]] * 3, abs=2e-3)
    assert "batch 2, round 1/1" in capsys.readouterr().out
