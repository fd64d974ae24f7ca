"""The trainer: transformers' own, fed with batches that we make and losses that we mask (extra ``train``).

Batches, hard negatives and the order of examples depend only on seed, step and weights, so that a training resumed from
a checkpoint ends with the same weights as one that was never stopped."""

from __future__ import annotations

import json
import logging
import math
import shutil
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import nn
from torch.utils.data import DataLoader, SequentialSampler

from ontonym.errors import InputError
from ontonym.learning.encoders.batches import TrainingBatch
from ontonym.learning.encoders.datasets import Dataset, dev_accuracy, dev_questions
from ontonym.learning.encoders.losses import Loss, LossOptions, check_finite, make_loss
from ontonym.learning.encoders.options import Trained, TrainOptions, TrainStep
from ontonym.learning.encoders.schedule import Schedule
from ontonym.learning.encoders.trainable import Trainable, encode_rows, moved
from ontonym.text.strings import Strings

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


class EncoderTrainer(transformers.Trainer):
    """transformers' trainer over a `Schedule`, judged on dev by nearest names."""

    def __init__(self, task: Task, plan: Schedule, args: transformers.TrainingArguments, callbacks: list[Any]) -> None:
        super().__init__(
            model=task, args=args, train_dataset=plan, eval_dataset=plan, data_collator=lambda items: items[0],
            callbacks=callbacks,
        )  # fmt: skip
        self.model_accepts_loss_kwargs = False
        self.plan = plan
        self.control: transformers.TrainerControl
        self.texts_done, self.busy = 0, 0.0
        self._queries, self._names = dev_questions(plan.dataset, plan.options)

    def get_train_dataloader(self) -> DataLoader[Any]:
        """The parts of the plan in their order."""
        loader = DataLoader(
            self.plan, batch_size=1, sampler=SequentialSampler(self.plan), collate_fn=lambda items: items[0]
        )
        prepared: DataLoader[Any] = self.accelerator.prepare(loader)
        return prepared

    def compute_loss(
        self, model: nn.Module, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> torch.Tensor:
        """The loss of a batch that is held whole."""
        loss: torch.Tensor = model(**inputs)
        return loss

    def training_step(self, model: nn.Module, inputs: dict[str, Any], num_items_in_batch: Any = None) -> torch.Tensor:
        """One part of a step: forward and backward, in pieces where texts are not to be held all at once."""
        inputs = {**inputs, "features": moved(inputs["features"], self.args.device)}
        began = time.monotonic()
        if len(inputs["features"]) == 1:
            loss = super().training_step(model, inputs, num_items_in_batch)
        else:
            loss = self._in_pieces(model, inputs["features"], inputs["batches"])
        check_finite(float(loss), self.state.global_step + 1, self._checkpoint())
        self.texts_done += sum(len(batch.texts) for batch in inputs["batches"])
        self.busy += time.monotonic() - began
        return loss

    def _checkpoint(self) -> str:
        last = last_whole(Path(str(self.args.output_dir)))
        return str(last) if last else ""

    def _in_pieces(
        self, model: nn.Module, features: list[dict[str, Any]], batches: Sequence[TrainingBatch]
    ) -> torch.Tensor:
        """Gao et al. 2021: vectors without a graph, the loss's gradient of each, then every piece again with it."""
        model.train()
        task = self.accelerator.unwrap_model(model)
        states, vectors = [], []
        with torch.no_grad(), self.compute_loss_context_manager():
            for piece in features:
                states.append(_random_state())
                vectors.append(task.trainable(piece).float())
        leaves = [vector.detach().requires_grad_() for vector in vectors]
        loss: torch.Tensor = task.summed(torch.cat(leaves), batches) / self.current_gradient_accumulation_steps
        loss.backward()
        for place, (piece, state, leaf) in enumerate(zip(features, states, leaves, strict=True)):
            last = place == len(features) - 1  # only then do processes add up their gradients
            with nullcontext() if last else self.accelerator.no_sync(model):
                with _with_random_state(state), self.compute_loss_context_manager():
                    again = model([piece], gradient=leaf.grad)
                self.accelerator.backward(again)
        return loss.detach()

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """``eval_accuracy``: the share of dev anchors whose nearest name means the same; higher is better."""
        trainable = self.plan.trainable
        asked, known = (encode_rows(trainable, rows) for rows in (self._queries, self._names))
        accuracy = dev_accuracy(self._queries, self._names, asked, known, self.plan.dataset.texts)
        figures = {"eval_accuracy": accuracy}
        self.log(figures)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, figures)
        return figures


class _Reporter(transformers.TrainerCallback):
    """Reports progress; the speed is that of this process since it started or resumed."""

    def __init__(self, report: Callable[[TrainStep], None] | None) -> None:
        self.report = report
        self.trainer: EncoderTrainer | None = None
        self.began, self.first = 0.0, 0

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.began, self.first = time.monotonic(), state.global_step

    def on_log(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        last = state.log_history[-1]
        if not self.report or "loss" not in last or self.trainer is None:
            return
        seconds = time.monotonic() - self.began
        done = state.global_step - self.first
        dev = [row["eval_accuracy"] for row in state.log_history if "eval_accuracy" in row]
        self.report(
            TrainStep(
                step=state.global_step,
                steps=state.max_steps,
                loss=last["loss"],
                seconds=seconds,
                texts=self.trainer.texts_done / max(self.trainer.busy, 1e-9),
                left=seconds / max(done, 1) * (state.max_steps - state.global_step),
                dev=dev[-1] if dev else None,
            )
        )


def run(
    trainable: Trainable,
    datasets: Sequence[Dataset],
    weights: Sequence[float],
    options: TrainOptions,
    loss: LossOptions,
    *,
    work: Path,
    resume: bool,
    report: Callable[[TrainStep], None] | None,
) -> Trained:
    """Trains, see `ontonym.learning.encoders.train.train_encoder`."""
    work.mkdir(parents=True, exist_ok=True)
    if not resume:
        sweep(work)
    threads = torch.get_num_threads()
    if options.threads:
        torch.set_num_threads(options.threads)
    began = time.monotonic()
    try:
        torch.manual_seed(options.seed)
        trainable.prepare(Strings.joined([dataset.texts.texts for dataset in datasets]), options.tokens)
        plan = Schedule(trainable, datasets, options, work)
        judged = len(plan.dataset.dev()) > 0
        reporter = _Reporter(report)
        callbacks: list[Any] = [reporter]
        if options.patience and judged:
            callbacks.append(transformers.EarlyStoppingCallback(options.patience))
        with _quiet():
            trainer = EncoderTrainer(
                Task(trainable, make_loss(loss), weights), plan, _arguments(plan, work, judged), callbacks
            )
            trainer.remove_callback(transformers.PrinterCallback)
            reporter.trainer = trainer
            _train(trainer, last_whole(work) if resume else None, work)
        return _outcome(trainer, plan, time.monotonic() - began, judged)
    finally:
        torch.set_num_threads(threads)


def _train(trainer: EncoderTrainer, checkpoint: Path | None, work: Path) -> None:
    try:
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    except OSError as error:
        raise InputError(
            f"{work}: cannot write a checkpoint: {error.strerror or error}. Free some space (or give `work=` another "
            "place), then continue with `resume=`"
        ) from error
    except torch.OutOfMemoryError as error:
        raise InputError(
            "the device has too little memory for this batch: give `at_once=` a number of texts, such as 256 (the same "
            "result, slower), or a smaller `batch=`"
        ) from error


def _arguments(plan: Schedule, work: Path, judged: bool) -> transformers.TrainingArguments:
    options = plan.options
    every = min(options.every or math.ceil(plan.steps / 10), plan.steps)
    made = transformers.TrainingArguments(
        output_dir=str(work),
        max_steps=plan.steps,
        per_device_train_batch_size=1,
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
        logging_strategy="steps",
        logging_steps=min(_REPORTS, every),
        save_strategy="steps",
        save_steps=every,
        save_total_limit=2,
        eval_strategy="steps" if judged else "no",
        eval_steps=every if judged else None,
        load_best_model_at_end=judged and options.patience > 0,
        metric_for_best_model="eval_accuracy" if judged else None,
        greater_is_better=True if judged else None,
        report_to=[],
        disable_tqdm=True,
        use_cpu=not torch.cuda.is_available(),
        remove_unused_columns=False,
        dataloader_pin_memory=torch.cuda.is_available(),
        logging_nan_inf_filter=False,
    )
    made._n_gpu = min(made.n_gpu, 1)  # several devices have a process each
    return made


def _outcome(trainer: EncoderTrainer, plan: Schedule, seconds: float, judged: bool) -> Trained:
    state = trainer.state
    done = state.global_step
    looks = [(row["eval_accuracy"], row["step"]) for row in state.log_history if "eval_accuracy" in row]
    kept = (state.best_metric, state.best_global_step) if plan.options.patience else (looks or [(None, done)])[-1]
    return Trained(
        steps=done,
        dev=kept[0] if judged else None,
        kept_step=int(kept[1] or done),
        stopped="done" if done >= plan.steps else "no better on dev",
        seconds=seconds,
        training_seconds=trainer.busy,
        texts=trainer.texts_done / max(trainer.busy, 1e-9),
        history=tuple(
            {name: value for name, value in row.items() if name in ("step", "loss", "learning_rate", "eval_accuracy")}
            for row in state.log_history
        ),
    )


def _random_state() -> list[torch.Tensor]:
    devices = [torch.cuda.get_rng_state()] if torch.cuda.is_available() else []
    return [torch.get_rng_state(), *devices]


@contextmanager
def _with_random_state(state: list[torch.Tensor]) -> Any:
    now = _random_state()
    _set_random_state(state)
    try:
        yield
    finally:
        _set_random_state(now)


def _set_random_state(state: list[torch.Tensor]) -> None:
    torch.set_rng_state(state[0])
    if len(state) > 1:
        torch.cuda.set_rng_state(state[1])


@contextmanager
def _quiet() -> Any:
    """Silences the libraries, whose messages do not concern a user of ontonym."""
    levels = {name: logging.getLogger(name).level for name in ("transformers", "accelerate")}
    for name in levels:
        logging.getLogger(name).setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def last_whole(work: Path) -> Path | None:
    """The newest checkpoint that was written to its end: its state comes last."""
    found = sorted(work.glob("checkpoint-*"), key=lambda place: int(place.name.rpartition("-")[2]), reverse=True)
    for place in found:
        try:
            json.loads((place / "trainer_state.json").read_bytes())
        except (OSError, ValueError):
            shutil.rmtree(place, ignore_errors=True)
            continue
        return place
    return None


def sweep(work: Path) -> None:
    """Removes what an earlier training left in its folder."""
    for place in work.glob("checkpoint-*"):
        shutil.rmtree(place, ignore_errors=True)
    for file in work.glob("nearest-*"):
        file.unlink(missing_ok=True)
