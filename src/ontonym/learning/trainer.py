"""The loop that trains encoders and rerankers: transformers' trainer, with what both need beyond it (extra ``train``).

What a step reads depends only on seed, step and weights, so that a training resumed from a checkpoint ends with the
same weights as one that was never stopped.
"""

from __future__ import annotations

import logging
import math
import shutil
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import torch
import transformers
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import nn
from torch.utils.data import DataLoader, SequentialSampler

from ontonym.errors import ArtifactError, InputError
from ontonym.learning.checkpoints import STATE, WEIGHTS, checkpoint, last_whole, rotate, sweep


class ResumableTrainer(transformers.Trainer):
    """transformers' trainer over ``parts`` in their order; ``gradient_accumulation_steps`` of them are a step.

    A subclass says what is done with a part (`learn`, `size`) and how dev is judged (`judge`). After every ``every``
    steps and at the end a checkpoint is written to ``work``, of which two are kept, and dev is judged where there is
    one (``judged``). After ``patience`` judgements without a better one training stops, and the best weights are kept
    (0: never, the last are kept). ``report`` takes what ``reported`` makes. ``device`` is a torch device (empty: as
    transformers finds it); ``more`` are arguments of its own.
    """

    figures: tuple[str, ...]
    """What one judgement is better by than another, the weightiest first."""
    reported: Callable[..., Any]
    """Makes a report: step, steps, loss, seconds, how much was read a second, seconds left, the first figure on dev."""
    on_little_memory: str
    on_little_space: str
    """What a user can do then."""
    may_keep_base = False
    """Whether dev is judged before the first step too, and the best weights are kept whatever the patience."""

    def __init__(
        self, task: nn.Module, parts: Any, work: Path, *, steps: int, every: int, judged: bool, patience: int,
        report: Callable[[Any], None] | None, device: str = "", **more: Any,
    ) -> None:  # fmt: skip
        others = {name: more.pop(name) for name in ("callbacks", "optimizers") if name in more}
        self.work, self.patience, self.report, self.read, self.busy = work.resolve(), patience, report, 0, 0.0
        self.judge_base = judged and self.may_keep_base
        self.keep_best = judged and (self.may_keep_base or patience > 0)
        self._began: tuple[float, int] | None = None
        self.control: transformers.TrainerControl
        gpu = torch.cuda.is_available() and not device.startswith("cpu")
        with quiet():
            arguments = transformers.TrainingArguments(
                output_dir=str(self.work),
                max_steps=steps,
                per_device_train_batch_size=1,
                save_strategy="steps",
                save_steps=every,
                eval_strategy="steps" if judged else "no",
                eval_steps=every if judged else None,
                report_to=[],
                disable_tqdm=True,
                use_cpu=device.startswith("cpu") if device else not gpu,
                remove_unused_columns=False,
                dataloader_pin_memory=gpu,
                logging_nan_inf_filter=False,
                **more,
            )
            arguments._n_gpu = min(arguments.n_gpu, 1)  # several devices have a process each
            if device:  # transformers takes the first of the machine
                vars(arguments)["_setup_devices"] = torch.device(device)
            super().__init__(
                model=task, args=arguments, train_dataset=parts, eval_dataset=parts,
                data_collator=_the_only, **others,
            )  # fmt: skip
            self.remove_callback(transformers.PrinterCallback)
        self.accelerator.state.device = arguments.device

    def learn(self, model: nn.Module, inputs: dict[str, Any]) -> torch.Tensor:
        """Forward and backward of a part; its loss, without a graph."""
        raise NotImplementedError

    def size(self, inputs: dict[str, Any]) -> int:
        """How much is read in a part."""
        raise NotImplementedError

    def judge(self) -> dict[str, float]:
        """Figures on dev by name, among them ``figures``; higher is better."""
        raise NotImplementedError

    def run(self, *, resume: bool) -> None:
        """Takes the steps that are left, and leaves the weights that are kept in the model.

        Raises InputError where the loss is no longer a number, memory does not suffice or a checkpoint cannot be
        written, ArtifactError where the best weights were in a checkpoint that is gone or damaged.
        """
        if not resume:
            sweep(self.work)
        last = last_whole(self.work)
        first = {name: tensor.cpu().clone() for name, tensor in self.model.state_dict().items() if self.judge_base}
        if last:
            self.state = transformers.TrainerState.load_from_json(str(last / STATE))
        was_over = last is not None and (self.state.global_step >= self.args.max_steps or self._is_stuck())
        if not was_over:
            self.args.eval_on_start = self.judge_base and not last
            try:
                with quiet():
                    self.train(resume_from_checkpoint=str(last) if last else None)
            except torch.OutOfMemoryError as error:
                raise InputError(f"the device has too little memory for this batch: {self.on_little_memory}") from error
            except OSError as error:
                raise self._unwritable(error) from error
        if self.kept_step < self.state.global_step or was_over:
            kept = checkpoint(self.work, self.kept_step) / WEIGHTS
            try:
                self.model.load_state_dict(load_file(kept) if self.kept_step else first)
            except (OSError, SafetensorError) as error:
                raise ArtifactError(f"{kept}: cannot be read: {error}; remove {self.work} to begin anew") from error

    @property
    def kept_step(self) -> int:
        """The step whose weights are kept."""
        best = self.state.best_global_step
        return int(best if self.keep_best and best is not None else self.state.global_step)

    @property
    def stopped(self) -> Literal["done", "no better on dev"]:
        """Why training ended."""
        return "done" if self.state.global_step >= self.args.max_steps else "no better on dev"

    @property
    def pace(self) -> float:
        """How much was read a second by this process."""
        return self.read / max(self.busy, 1e-9)

    def _is_stuck(self) -> bool:
        """Whether dev was judged ``patience`` times since its best figure; a checkpoint has all that says so."""
        best, figure = self.state.best_global_step or 0, self.figures[0]
        worse = [row for row in self.state.log_history if figure in row and row["step"] > best]
        return 0 < self.patience <= len(worse)

    def get_train_dataloader(self) -> DataLoader[Any]:
        """The parts in their order."""
        parts: Any = self.train_dataset
        loader = DataLoader(parts, batch_size=1, sampler=SequentialSampler(parts), collate_fn=_the_only)
        prepared: DataLoader[Any] = self.accelerator.prepare(loader)
        return prepared

    def training_step(self, model: nn.Module, inputs: dict[str, Any], num_items_in_batch: Any = None) -> torch.Tensor:
        """One part of a step, whose loss must be a number."""
        began = time.monotonic()
        self._began = self._began or (began, self.state.global_step)
        model.train()
        loss = self.learn(model, inputs)
        check_finite(float(loss), self.state.global_step + 1, self.work)
        self.read += self.size(inputs)
        self.busy += time.monotonic() - began
        return loss

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """The figures on dev; notes whether they are the best, and ends a training that gets no better."""
        state, figures = self.state, self.judge()
        self.log(figures)
        order = [figures[name] for name in self.figures]
        if state.best_metric is None or order > state.best_metric:
            state.best_metric, state.best_global_step = order, state.global_step
        if self._is_stuck():
            self.control.should_training_stop = True
        self.control = self.callback_handler.on_evaluate(self.args, state, self.control, figures)
        self._tell()
        return figures

    def log(self, logs: dict[str, float], start_time: float | None = None) -> None:
        """Keeps a row of the history, and reports it unless dev is judged next."""
        super().log(logs)
        if "loss" in logs and not self.control.should_evaluate:
            self._tell()

    def _tell(self) -> None:
        rows, state = self.state.log_history, self.state
        losses = [row["loss"] for row in rows if "loss" in row]
        if not self.report or not losses or not self._began:
            return
        dev = [row[self.figures[0]] for row in rows if self.figures[0] in row]
        began, first = self._began
        seconds = time.monotonic() - began
        left = seconds / max(state.global_step - first, 1) * (state.max_steps - state.global_step)
        self.report(
            self.reported(
                state.global_step, state.max_steps, losses[-1], seconds, self.pace, left, dev[-1] if dev else None
            )
        )

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        """Weights that two layers share are written for each: safetensors takes none that share memory."""
        found = self.model.state_dict() if state_dict is None else state_dict
        apart = {name: tensor.detach().to("cpu", copy=True).contiguous() for name, tensor in found.items()}
        super()._save(output_dir, apart)

    def _save_checkpoint(self, model: nn.Module, trial: Any) -> None:
        try:
            super()._save_checkpoint(model, trial)
            if self.args.should_save:
                rotate(self.work, checkpoint(self.work, self.state.best_global_step or 0))
        except (OSError, RuntimeError, SafetensorError) as error:  # as files, torch and safetensors say it
            shutil.rmtree(checkpoint(self.work, self.state.global_step), ignore_errors=True)
            raise self._unwritable(error) from error

    def _unwritable(self, error: Exception) -> InputError:
        reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
        return InputError(f"{self.work}: cannot write a checkpoint: {reason}. {self.on_little_space}")


def _the_only(items: Sequence[Any]) -> Any:
    return items[0]


def check_finite(loss: float, step: int, work: Path) -> None:
    """InputError where a loss is no number: what to change, and from which checkpoint in ``work`` to resume."""
    if math.isfinite(loss):
        return
    last = last_whole(work)
    raise InputError(
        f"the loss became {loss} at step {step}: lower the learning rate or lengthen the warm-up; if that is not "
        "enough, raise the temperature of the softmax, lower alpha and beta of multi-similarity, or train in float32. "
        + (f"The last good state lies in {last}" if last else "No checkpoint has been written yet")
    )


@contextmanager
def quiet() -> Iterator[None]:
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
