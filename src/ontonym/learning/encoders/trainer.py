"""Trains encoders: losses of batches, in pieces where memory is short; judged by nearest names (extra ``train``)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import nn

from ontonym.learning.encoders.batches import TrainingBatch
from ontonym.learning.encoders.datasets import Dataset, dev_accuracy, dev_questions
from ontonym.learning.encoders.losses import Loss, LossOptions, make_loss
from ontonym.learning.encoders.options import Trained, TrainOptions, TrainStep
from ontonym.learning.encoders.schedule import Schedule
from ontonym.learning.encoders.trainable import Trainable, encode_rows, moved
from ontonym.learning.trainer import ResumableTrainer

_REPORTS = 20
"""Steps between two reports."""


class Task(nn.Module):
    """The model of transformers' trainer: features of batches in, the weighted sum of their losses out."""

    def __init__(self, trainable: Any, loss: Loss, weights: Sequence[float]) -> None:
        super().__init__()
        self.trainable, self.loss, self.weights = trainable, loss, weights

    def forward(
        self,
        features: list[dict[str, Any]],
        batches: Sequence[TrainingBatch] = (),
        gradient: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """The loss of whole batches; with ``gradient``, of a piece, what has this gradient of its vectors."""
        vectors = torch.cat([self.trainable(piece) for piece in features]).float()
        return self.summed(vectors, batches) if gradient is None else (vectors * gradient).sum()

    def summed(self, vectors: torch.Tensor, batches: Sequence[TrainingBatch]) -> torch.Tensor:
        """The losses of batches whose vectors lie end to end, each by its weight (Kong section 6.3)."""
        parts = torch.split(vectors, [len(batch.texts) for batch in batches])
        losses = [
            weight * self.loss(part, batch) for weight, part, batch in zip(self.weights, parts, batches, strict=True)
        ]
        total: torch.Tensor = torch.stack(losses).sum()
        return total


class EncoderTrainer(ResumableTrainer):
    """Trains over a `Schedule`; dev is judged by nearest names."""

    figures = ("eval_accuracy",)
    reported = TrainStep
    on_little_memory = "give `at_once=` a number of texts, such as 256 (the same result, slower), or a smaller `batch=`"
    on_little_space = "Free some space (or give `work=` another place), then continue with `resume=`"

    def __init__(
        self, trainable: Trainable, datasets: Sequence[Dataset], weights: Sequence[float], options: TrainOptions,
        loss: LossOptions, work: Path, report: Callable[[TrainStep], None] | None,
    ) -> None:  # fmt: skip
        self.plan = plan = Schedule(trainable, datasets, options, work)
        self._queries, self._names = dev_questions(plan.dataset, options)
        every = min(options.every or math.ceil(plan.steps / 10), plan.steps)
        super().__init__(
            Task(trainable, make_loss(loss), weights), plan, work, steps=plan.steps, every=every,
            judged=len(plan.dataset.dev()) > 0, patience=options.patience, report=report,
            gradient_accumulation_steps=options.accumulate,
            learning_rate=options.rate,
            lr_scheduler_type="linear",
            warmup_steps=round(options.warmup * plan.steps),
            weight_decay=options.decay,
            max_grad_norm=options.clip,
            optim="adamw_torch_fused",
            bf16=options.precision == "bf16",
            fp16=options.precision == "fp16",
            seed=options.seed,
            logging_steps=min(_REPORTS, every),
        )  # fmt: skip

    def learn(self, model: nn.Module, inputs: dict[str, Any]) -> torch.Tensor:
        """Forward and backward of a part, in pieces where texts are not to be held all at once."""
        features, batches = moved(inputs["features"], self.args.device), inputs["batches"]
        if len(features) > 1:
            return self._in_pieces(model, features, batches)
        loss: torch.Tensor = model(features, batches) / self.current_gradient_accumulation_steps
        self.accelerator.backward(loss)
        return loss.detach()

    def size(self, inputs: dict[str, Any]) -> int:
        """The texts of a part."""
        return sum(len(batch.texts) for batch in inputs["batches"])

    def _in_pieces(
        self, model: nn.Module, features: list[dict[str, Any]], batches: Sequence[TrainingBatch]
    ) -> torch.Tensor:
        """Gao et al. 2021: vectors without a graph, the loss's gradient of each, then every piece again with it."""
        task = self.accelerator.unwrap_model(model)
        states, vectors = [], []
        with torch.no_grad():
            for piece in features:
                states.append(_random_state())
                vectors.append(task.trainable(piece).float())
        leaves = [vector.detach().requires_grad_() for vector in vectors]
        loss: torch.Tensor = task.summed(torch.cat(leaves), batches) / self.current_gradient_accumulation_steps
        loss.backward()
        for place, (piece, state, leaf) in enumerate(zip(features, states, leaves, strict=True)):
            last = place == len(features) - 1  # only then do processes add up their gradients
            with nullcontext() if last else self.accelerator.no_sync(model):
                with _with_random_state(state):
                    again = model([piece], gradient=leaf.grad)
                self.accelerator.backward(again)
        return loss.detach()

    def judge(self) -> dict[str, float]:
        """``eval_accuracy``: the share of dev anchors whose nearest name means the same; higher is better."""
        asked, known = (encode_rows(self.plan.trainable, rows) for rows in (self._queries, self._names))
        return {"eval_accuracy": dev_accuracy(self._queries, self._names, asked, known, self.plan.dataset.texts)}

    def outcome(self, seconds: float) -> Trained:
        """What became of a training that took so long."""
        rows = self.state.log_history
        dev = {row["step"]: row["eval_accuracy"] for row in rows if "eval_accuracy" in row}
        kept = self.kept_step if self.keep_best else max(dev, default=self.kept_step)
        return Trained(
            steps=self.state.global_step,
            dev=dev.get(kept),
            kept_step=kept,
            stopped=self.stopped,
            seconds=seconds,
            training_seconds=self.busy,
            texts=self.pace,
            history=tuple(
                {name: row[name] for name in row if name in ("step", "loss", "learning_rate", "eval_accuracy")}
                for row in rows
                if "loss" in row or "eval_accuracy" in row
            ),
        )


def _random_state() -> list[torch.Tensor]:
    devices = [torch.cuda.get_rng_state()] if torch.cuda.is_available() else []
    return [torch.get_rng_state(), *devices]


@contextmanager
def _with_random_state(state: list[torch.Tensor]) -> Iterator[None]:
    devices = [torch.cuda.current_device()] if len(state) > 1 else []
    with torch.random.fork_rng(devices):
        torch.set_rng_state(state[0])
        if devices:
            torch.cuda.set_rng_state(state[1])
        yield
