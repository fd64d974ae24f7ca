"""Trains a reranker from groups: a query, the right candidate, and the wrong ones that search brought (Rahimi 3.2).

torch and transformers are imported when training begins (extra ``train``). Every step depends only on the seed,
its number and the weights, so that on a processor a resumed training ends with the same weights as one never stopped.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import orjson

from ontonym.arrays import Ints
from ontonym.artifact import Manifest, write_artifact
from ontonym.encoder.crossmodel import CrossModel, folder_digest, model_folder
from ontonym.encoder.protocol import Scores
from ontonym.encoder.rerank import scored
from ontonym.errors import InputError, UnknownNameError
from ontonym.learning.encoders.losses import check_finite
from ontonym.learning.rerankers.groups import (
    CandidateGroup,
    Compared,
    by_group,
    compared,
    groups_digest,
    pairs_of,
    rerank_figures,
    weight_of,
)
from ontonym.learning.rerankers.losses import RankingLoss, find_ranking_loss
from ontonym.learning.rerankers.state import History, RerankProgress, load_state, save_state

PRECISIONS = ("float32", "bf16")

_REPORT = 10
"""Steps between two reports."""


@dataclass(frozen=True, slots=True)
class RerankOptions:
    """How a reranker is trained; all of it lands in the reranker's manifest.

    ``loss`` is a name of ``RANKING_LOSSES``. ``negatives`` of a group's wrong candidates are read each time (0: all):
    drawn from all of them at first, then from ever fewer of the foremost, so that what is easy is learned before what
    is hard. ``batch`` groups are in a step of the optimizer, in ``accumulate`` parts
    whose gradients are added up: more parts need less memory, and give the same but for rounding. ``rate`` is the
    highest learning rate; it rises over the share ``warmup`` of the steps and falls linearly to 0. ``decay`` is AdamW's
    weight decay (of all but biases and norms), ``clip`` the highest norm of the gradient (0: any).

    ``tokens`` is how many of a pair are read. ``at_once`` tokens, padding counted, go through the model together.
    ``every`` so many steps dev is judged and a checkpoint written (0: after each epoch); after ``patience`` times
    without a better dev figure training stops (0: never). ``threads`` (0: as torch has it) is part of the recipe, since
    sums of floats depend on it. ``device`` is a torch device, ``precision`` float32 or bf16.
    """

    loss: str = "passage-pair"
    negatives: int = 7
    epochs: float = 2.0
    batch: int = 16
    accumulate: int = 4
    rate: float = 5e-5
    warmup: float = 0.1
    decay: float = 0.01
    clip: float = 1.0
    tokens: int = 96
    at_once: int = 2048
    every: int = 0
    patience: int = 3
    seed: int = 0
    threads: int = 0
    device: str = "cpu"
    precision: str = "float32"

    def __post_init__(self) -> None:
        find_ranking_loss(self.loss)
        if self.precision not in PRECISIONS:
            raise UnknownNameError("precision", self.precision, PRECISIONS)
        for name in ("batch", "accumulate", "at_once"):
            if getattr(self, name) < 1:
                raise InputError(f"`{name}=` must be at least 1, not {getattr(self, name)}")
        if self.negatives < 0:
            raise InputError(f"`negatives=` must be at least 0, which is all, not {self.negatives}")
        if not (self.epochs > 0 and self.rate > 0 and 0 <= self.warmup < 1):
            raise InputError("`epochs=` and `rate=` must be above 0, and `warmup=` from 0 to below 1")


@dataclass(frozen=True, slots=True)
class RerankStep:
    """What a training reports: ``loss`` is the mean since the last report, ``pairs`` are read per second.

    ``left`` are the seconds until the last step at this pace; ``dev`` is recall@1 on dev, None before it was judged.
    """

    step: int
    steps: int
    loss: float
    seconds: float
    pairs: float
    left: float
    dev: float | None = None


@dataclass(frozen=True, slots=True)
class TrainedReranker:
    """The outcome of a training; ``dev`` and ``test`` are None where there were no such groups.

    The figures on dev are optimistic, since ``best_step`` was chosen by them. ``history`` has a row for each report:
    step, loss, and where dev was judged its figures. ``weight`` is the one under which search and the reranker together
    do best on dev, None where the confidence of search is not known (one signal alone, no dev).
    """

    manifest: Manifest
    steps: int
    best_step: int
    stopped: Literal["done", "no better on dev"]
    dev: Compared | None
    test: Compared | None
    weight: float | None = None
    history: History = field(default_factory=list)


def train_reranker(
    groups: Sequence[CandidateGroup],
    base: Path | str,
    output: Path | str,
    options: RerankOptions = RerankOptions(),
    *,
    dev: Sequence[CandidateGroup] = (),
    test: Sequence[CandidateGroup] = (),
    content: dict[str, Any] | None = None,
    resume: bool = False,
    report: Callable[[RerankStep], None] | None = None,
) -> TrainedReranker:
    """Trains a reranker on groups, from a BERT-like model folder or a cross-encoder, and writes it to ``output``.

    With ``dev`` the weights that rank it best are kept; ``test`` is ranked once, at the end. ``content`` goes to the
    manifest. A checkpoint lies beside the output (`checkpoint_file`); ``resume`` continues from it, if there is one.

    Raises InputError where no group has a right and a wrong candidate or the loss is no longer a number, ArtifactError
    where the base is incomplete.
    """
    taught = [group for group in groups if group.teaches]
    if not taught:
        raise InputError(
            "there is nothing to train on: no group has a right and a wrong candidate; the terminology needs concepts "
            "with two names or more"
        )
    folder = model_folder(base)
    cross = CrossModel.load(folder, tokens=options.tokens, seed=options.seed, device=options.device)
    import torch

    identity = {
        "options": asdict(options),
        "base": folder_digest(folder),
        "groups": groups_digest(taught),
        "dev": groups_digest(dev),
    }
    before = torch.get_num_threads()
    if options.threads:
        torch.set_num_threads(options.threads)
    try:
        trainer = _Trainer(torch, cross, taught, dev, options, checkpoint_file(output), identity)
        trainer.train(report, resume=resume)
        return trainer.save(Path(output), content or {}, test)
    finally:
        torch.set_num_threads(before)


def checkpoint_file(output: Path | str) -> Path:
    """The file from which the training of a reranker is resumed."""
    place = Path(output).resolve()
    return place.with_name(f"{place.name}.checkpoint")


class _Trainer:
    def __init__(
        self, torch: Any, cross: CrossModel, groups: Sequence[CandidateGroup], dev: Sequence[CandidateGroup],
        options: RerankOptions, file: Path, identity: dict[str, Any],
    ) -> None:  # fmt: skip
        self.torch, self.cross, self.model = torch, cross, cross.model
        self.groups, self.dev, self.options = groups, dev, options
        self.loss: RankingLoss = find_ranking_loss(options.loss)
        self.file, self.identity = file, identity
        self.digest = hashlib.sha256(orjson.dumps(identity, option=orjson.OPT_SORT_KEYS)).hexdigest()
        self.per_epoch = math.ceil(len(groups) / options.batch)
        self.steps = max(1, round(options.epochs * self.per_epoch))
        self.optimizer = torch.optim.AdamW(_decayed(self.model, options.decay), lr=options.rate)
        self.best: dict[str, Any] = {}
        self.at = RerankProgress()
        self._epoch: tuple[int, Ints] = (-1, np.zeros(0, dtype=np.int64))

    def save(self, output: Path, content: dict[str, Any], test: Sequence[CandidateGroup]) -> TrainedReranker:
        """Writes the best weights, and compares with search."""
        if self.best:
            self.model.load_state_dict(self.best)
        at = self.at
        scores = {"dev": self._scores(self.dev), "test": self._scores(test)}
        weight = weight_of(self.dev, scores["dev"])
        figures = {"dev": compared(self.dev, scores["dev"], weight), "test": compared(test, scores["test"], weight)}
        stopped: Literal["done", "no better on dev"] = "done" if at.step == self.steps else "no better on dev"
        with write_artifact(output, "reranker", overwrite=True) as writer:
            self.cross.save(writer.folder)
            writer.content.update(
                {
                    "identity": {"reranker": "cross-encoder", "tokens": self.cross.tokens},
                    "training": asdict(self.options),
                    "made from": {name: self.identity[name] for name in ("base", "groups", "dev")},
                    "groups": {"train": len(self.groups), "dev": len(self.dev), "test": len(test)},
                    "trained": {"steps": at.step, "best step": at.best_step, "stopped": stopped},
                    "weight": weight,
                    **{name: asdict(found) for name, found in figures.items() if found},
                    "history": at.history,
                    **content,
                }
            )
        self.file.unlink(missing_ok=True)
        assert writer.manifest is not None  # noqa: S101 (set when the block ends)
        return TrainedReranker(
            writer.manifest, at.step, at.best_step, stopped, weight=weight, history=at.history, **figures
        )

    def train(self, report: Callable[[RerankStep], None] | None, *, resume: bool) -> None:
        """Takes all steps that are left; the best weights are then in ``best``."""
        if resume and self.file.exists():
            self.at, self.best = load_state(self.file, self.digest, self.model, self.optimizer)
        elif self.dev:
            self._judge()
        every = self.options.every or self.per_epoch
        began, start, pairs = time.monotonic(), self.at.step, 0
        self.model.train()
        while not self.at.done:
            loss, read = self._step(self.at.step)
            at = self.at
            at.step += 1
            at.summed, at.counted, pairs = at.summed + loss, at.counted + 1, pairs + read
            judged = at.step % every == 0 or at.step == self.steps
            if judged or at.counted == _REPORT:
                at.history.append({"step": at.step, "loss": at.summed / at.counted})
                at.summed, at.counted = 0.0, 0
                if judged:
                    self._judge()
                if report:
                    report(self._reported(time.monotonic() - began, at.step - start, pairs))
            if judged:
                at.done = at.step == self.steps or 0 < self.options.patience <= at.worse
                save_state(self.file, self.digest, at, self.model, self.optimizer, self.best)

    def _reported(self, seconds: float, done: int, pairs: int) -> RerankStep:
        at = self.at
        left = seconds / done * (self.steps - at.step)
        dev = next((row["recall_1"] for row in reversed(at.history) if "recall_1" in row), None)
        return RerankStep(at.step, self.steps, at.history[-1]["loss"], seconds, pairs / max(seconds, 1e-9), left, dev)

    def _step(self, step: int) -> tuple[float, int]:
        """One step of the optimizer: its loss, the mean over its groups, and the number of pairs read."""
        torch, options = self.torch, self.options
        torch.manual_seed(_mixed_seed(options.seed, step))
        for part in self.optimizer.param_groups:
            part["lr"] = options.rate * _slope(step, self.steps, options.warmup)
        rng = np.random.default_rng((options.seed, step, 1))
        chosen = [self._drawn(self.groups[place], step, rng) for place in self._chosen(step).tolist()]
        total, read = 0.0, 0
        size = math.ceil(len(chosen) / options.accumulate)
        for first in range(0, len(chosen), size):
            groups = chosen[first : first + size]
            loss = self._loss(groups) * (len(groups) / len(chosen))
            total += check_finite(loss, step + 1, self.file if self.file.exists() else "")
            loss.backward()
            read += sum(len(group.candidates) for group in groups)
        if options.clip:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), options.clip)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return total, read

    def _chosen(self, step: int) -> Ints:
        """The groups of a step: every epoch has each once, in an order of its own."""
        epoch, place = divmod(step, self.per_epoch)
        if self._epoch[0] != epoch:
            self._epoch = (epoch, np.random.default_rng((self.options.seed, epoch)).permutation(len(self.groups)))
        return self._epoch[1][place * self.options.batch : (place + 1) * self.options.batch]

    def _drawn(self, group: CandidateGroup, step: int, rng: np.random.Generator) -> CandidateGroup:
        """The group with as many wrong candidates as are read at a step."""
        wanted, wrong = self.options.negatives, len(group.candidates) - 1
        if not 0 < wanted < wrong:
            return group
        near = max(wanted, round(wrong * (1 - step / self.steps)))
        drawn = np.sort(rng.permutation(near)[:wanted])
        places = [*(drawn + (drawn >= group.positive)).tolist(), group.positive]  # the right one is no wrong one
        return CandidateGroup(group.query, tuple(group.candidates[place] for place in places), wanted)

    def _loss(self, groups: Sequence[CandidateGroup]) -> Any:
        torch = self.torch
        widths = [len(group.candidates) for group in groups]
        device = self.model.device.type
        precise = self.options.precision == "float32"
        with nullcontext() if precise else torch.autocast(device, dtype=torch.bfloat16):
            flat = self.cross.logits(pairs_of(groups), self.options.at_once)
        logits = flat.new_full((len(groups), max(widths)), -torch.inf)
        filled = torch.from_numpy(np.arange(max(widths)) < np.array(widths)[:, None]).to(flat.device)
        logits = logits.masked_scatter(filled, flat)
        return self.loss(logits, torch.tensor([group.positive for group in groups], device=flat.device))

    def _scores(self, groups: Sequence[CandidateGroup]) -> list[Scores]:
        return by_group(groups, scored(self.cross, pairs_of(groups), self.options.at_once))

    def _judge(self) -> None:
        """Judges dev, and keeps the weights where they rank it better than any before."""
        if not self.dev:
            return
        at, figures = self.at, rerank_figures(self.dev, self._scores(self.dev))
        if not at.step:
            at.history.append({"step": 0})
        at.history[-1].update({name: value for name, value in asdict(figures).items() if name != "n"})
        if figures.order > at.best:
            at.best, at.best_step, at.worse = figures.order, at.step, 0
            self.best = {name: tensor.detach().clone() for name, tensor in self.model.state_dict().items()}
        else:
            at.worse += 1


def _decayed(model: Any, decay: float) -> list[dict[str, Any]]:
    """The parameters in two groups: matrices are pulled towards zero, biases and norms are not."""
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return [
        {"params": [parameter for parameter in parameters if parameter.ndim > 1], "weight_decay": decay},
        {"params": [parameter for parameter in parameters if parameter.ndim < 2], "weight_decay": 0.0},
    ]


def _slope(step: int, steps: int, warmup: float) -> float:
    """The share of the highest rate at a step: up over the warm-up, then down to almost nothing."""
    rising = math.ceil(warmup * steps)
    if step < rising:
        return (step + 1) / rising
    return (steps - step) / max(steps - rising, 1)


def _mixed_seed(seed: int, step: int) -> int:
    return int(np.random.SeedSequence((seed, step)).generate_state(1, np.uint64)[0] >> np.uint64(1))
