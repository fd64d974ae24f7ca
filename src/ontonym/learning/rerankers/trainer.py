"""Trains rerankers: the groups of each step, the loss over their candidates, judged by recall@1 (extra ``train``).

Every step is seeded by its number, so that nothing random has to be remembered from one to the next.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from torch import nn

from ontonym.arrays import Ints
from ontonym.encoder.crossmodel import CrossModel
from ontonym.encoder.protocol import AliasPair, Scores
from ontonym.encoder.rerank import scored
from ontonym.learning.rerankers.groups import CandidateGroup, by_group, pairs_of, rerank_figures
from ontonym.learning.rerankers.losses import find_ranking_loss
from ontonym.learning.rerankers.options import History, RerankOptions, RerankStep
from ontonym.learning.trainer import ResumableTrainer

_REPORTS = 10
"""Steps between two reports, at most."""

_KEPT = ("loss", "recall_1", "recall_10", "normalised_1", "mrr")
"""What a row of the history may have beside its step."""


class GroupSteps:
    """The groups of each step by its number, with the wrong candidates that it reads."""

    def __init__(self, groups: Sequence[CandidateGroup], options: RerankOptions) -> None:
        self.groups, self.options = groups, options
        self.per_epoch = math.ceil(len(groups) / options.batch)
        self._steps = max(1, round(options.epochs * self.per_epoch))
        self._epoch: tuple[int, Ints] = (-1, np.zeros(0, dtype=np.int64))

    def __len__(self) -> int:
        return self._steps

    def __getitem__(self, step: int) -> dict[str, list[CandidateGroup]]:
        rng = np.random.default_rng((self.options.seed, step, 1))
        return {"groups": [self._drawn(self.groups[place], step, rng) for place in self._chosen(step).tolist()]}

    def _chosen(self, step: int) -> Ints:
        """The places of the step's groups: every epoch has each once, in an order of its own."""
        epoch, place = divmod(step, self.per_epoch)
        if self._epoch[0] != epoch:
            self._epoch = (epoch, np.random.default_rng((self.options.seed, epoch)).permutation(len(self.groups)))
        return self._epoch[1][place * self.options.batch : (place + 1) * self.options.batch]

    def _drawn(self, group: CandidateGroup, step: int, rng: np.random.Generator) -> CandidateGroup:
        """The group with as many wrong candidates as are read at a step."""
        wanted, wrong = self.options.negatives, len(group.candidates) - 1
        if not 0 < wanted < wrong:
            return group
        near = max(wanted, round(wrong * (1 - step / len(self))))
        drawn = np.sort(rng.permutation(near)[:wanted])
        places = [*(drawn + (drawn >= group.positive)).tolist(), group.positive]  # the right one is no wrong one
        return CandidateGroup(group.query, tuple(group.candidates[place] for place in places), wanted)


class PairScorer(nn.Module):
    """The model of transformers' trainer: pairs in, their logits out."""

    def __init__(self, cross: CrossModel, at_once: int) -> None:
        super().__init__()
        self.cross, self.model, self.at_once = cross, cross.model, at_once

    def forward(self, pairs: Sequence[AliasPair]) -> torch.Tensor:
        """The logit of each pair, shape ``(len(pairs),)``."""
        logits: torch.Tensor = self.cross.logits(pairs, self.at_once)
        return logits


class RerankTrainer(ResumableTrainer):
    """Trains over `GroupSteps`; dev is judged by recall@1, and between equals by the mean reciprocal rank."""

    figures = ("recall_1", "mrr")
    reported = RerankStep
    on_little_memory = "give `at_once=` fewer tokens, or `accumulate=` more parts (slower)"
    on_little_space = "Free some space, then continue with `resume=`"
    may_keep_base = True

    def __init__(
        self, cross: CrossModel, groups: Sequence[CandidateGroup], dev: Sequence[CandidateGroup],
        options: RerankOptions, work: Path, report: Callable[[RerankStep], None] | None,
    ) -> None:  # fmt: skip
        self.cross, self.dev, self.options, self.loss = cross, dev, options, find_ranking_loss(options.loss)
        self._losses: list[float] = []
        parts = GroupSteps(groups, options)
        optimizer = torch.optim.AdamW(_decayed(cross.model, options.decay), lr=options.rate)
        slope = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _slope(step, len(parts), options.warmup))
        super().__init__(
            PairScorer(cross, options.at_once), parts, work, steps=len(parts), every=options.every or parts.per_epoch,
            judged=len(dev) > 0, patience=options.patience, report=report, device=options.device,
            optimizers=(optimizer, slope), callbacks=[_Reports()], logging_strategy="no",
            max_grad_norm=options.clip, bf16=options.precision == "bf16",
        )  # fmt: skip

    def learn(self, model: nn.Module, inputs: dict[str, Any]) -> torch.Tensor:
        """Forward and backward of a step, in as many parts as are wanted; the mean loss of its groups."""
        torch.manual_seed(_mixed_seed(self.options.seed, self.state.global_step))
        groups = inputs["groups"]
        size = math.ceil(len(groups) / self.options.accumulate)
        losses = []
        for first in range(0, len(groups), size):
            part = groups[first : first + size]
            loss = self._loss(part, model(pairs_of(part))) * (len(part) / len(groups))
            self.accelerator.backward(loss)
            losses.append(loss.detach())
        self._losses.append(sum(map(float, losses)))
        return torch.stack(losses).sum()

    def _loss(self, groups: Sequence[CandidateGroup], flat: torch.Tensor) -> Any:
        widths = [len(group.candidates) for group in groups]
        logits = flat.new_full((len(groups), max(widths)), -torch.inf)
        filled = torch.from_numpy(np.arange(max(widths)) < np.array(widths)[:, None]).to(flat.device)
        positives = torch.tensor([group.positive for group in groups], device=flat.device)
        return self.loss(logits.masked_scatter(filled, flat), positives)

    def size(self, inputs: dict[str, Any]) -> int:
        """The pairs of a step."""
        return sum(len(group.candidates) for group in inputs["groups"])

    def scores(self, groups: Sequence[CandidateGroup]) -> list[Scores]:
        """The scores of each group's candidates by the weights as they are."""
        return by_group(groups, scored(self.cross, pairs_of(groups), self.options.at_once))

    def judge(self) -> dict[str, float]:
        """The figures of `RerankFigures` on dev, but for its size."""
        figures = asdict(rerank_figures(self.dev, self.scores(self.dev)))
        return {name: value for name, value in figures.items() if name != "n"}

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Keeps a row of the history, with the mean loss in double precision."""
        if "loss" in logs:
            logs["loss"] = sum(self._losses) / len(self._losses)
            self._losses.clear()
        super().log(logs, start_time)

    @property
    def history(self) -> History:
        """A row for each report: step, loss, and where dev was judged its figures."""
        rows: dict[int, dict[str, float]] = {}
        for row in self.state.log_history:
            if found := {name: row[name] for name in _KEPT if name in row}:
                rows.setdefault(row["step"], {"step": row["step"]}).update(found)
        return list(rows.values())


class _Reports(transformers.TrainerCallback):
    """Has the loss reported with each checkpoint, and where some steps went by without a report."""

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        last = state.log_history[-1]["step"] if state.log_history else 0
        control.should_log = control.should_save or state.global_step - last == _REPORTS


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
