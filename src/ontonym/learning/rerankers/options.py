"""How a reranker is trained, and what a training reports; needs no torch."""

from __future__ import annotations

from dataclasses import dataclass

from ontonym.errors import InputError, UnknownNameError
from ontonym.learning.rerankers.losses import find_ranking_loss
from ontonym.ranges import check_range, check_seed

History = list[dict[str, float]]

PRECISIONS = ("float32", "bf16")


@dataclass(frozen=True, slots=True)
class RerankOptions:
    """How a reranker is trained; written to its manifest.

    ``loss`` is a name of ``RANKING_LOSSES``. ``negatives`` is the number of a group's wrong candidates in a step (0:
    all): drawn from all of them at first, later only from the highest ranked, so that easy ones are learned before hard
    ones. ``batch`` is the number of groups in a step of the optimizer, in ``accumulate`` parts whose gradients are
    added up: more parts need less memory, and give the same result except for rounding. ``rate`` is the highest
    learning rate; it rises over the share ``warmup`` of the steps and falls linearly to 0. ``decay`` is AdamW's weight
    decay (not of biases and norms), ``clip`` the highest norm of the gradient (0: no limit).

    ``tokens`` is the maximum number of tokens of a pair, ``at_once`` that of a forward pass, padding included. Every
    ``every`` steps dev is judged and a checkpoint written (0: after each epoch); after ``patience`` times without a
    better dev figure training stops (0: never). ``threads`` (0: torch's own number) affects the result, since sums of
    floats depend on it. ``device`` is a torch device, ``precision`` float32 or bf16.
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
            check_range(name, getattr(self, name), 1)
        for name in ("negatives", "epochs", "rate", "decay", "clip", "tokens", "every", "patience", "threads"):
            check_range(name, getattr(self, name), 0)
        check_seed(self.seed)
        if not (self.epochs > 0 and self.rate > 0 and 0 <= self.warmup < 1):
            raise InputError("`epochs=` and `rate=` must be above 0, and `warmup=` from 0 to below 1")


@dataclass(frozen=True, slots=True)
class RerankStep:
    """The progress of a training: ``loss`` is the mean since the last report, ``pairs`` the pairs per second.

    ``left`` are the seconds that remain at this pace; ``dev`` is recall@1 on dev, None before it was judged.
    """

    step: int
    steps: int
    loss: float
    seconds: float
    pairs: float
    left: float
    dev: float | None = None
