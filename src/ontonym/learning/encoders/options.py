"""How an encoder is trained: options, presets and what a training reports; needs no torch."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from ontonym.encoder.transformer import Pooling
from ontonym.errors import UnknownNameError
from ontonym.learning.encoders.losses import LossOptions
from ontonym.learning.recipes.split import SplitBy

Precision = Literal["float32", "bf16", "fp16"]


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """How an encoder is trained; written to its manifest.

    ``steps`` is the number of steps of the optimizer; with 0 it is given by ``epochs``, passes over the examples.
    ``batch`` is the number of examples in a step, in ``accumulate`` parts whose gradients are added up, each with
    in-batch negatives of its own. ``at_once`` is the number of texts whose activations are in memory (0: all); fewer
    give the same gradient and take longer.

    ``rate`` is the highest learning rate; it rises over the share ``warmup`` of the steps and falls linearly to 0.
    ``decay`` is AdamW's weight decay, ``clip`` the highest norm of the gradient (0: no limit). ``neighbours`` is the
    number of nearest concepts that are put into a batch beside each concept, as hard negatives, from the share
    ``begin`` of the steps on (0 neighbours: none). ``tokens`` is the maximum length of a text, ``dropout`` that of the
    transformer (-1: its own).

    ``seed`` is for all random draws. ``threads`` (0: all) affects the result, since sums of floats depend on it. Every
    ``every`` steps the encoder is judged on dev and a checkpoint written (0: ten times in all); after ``patience``
    times without a better figure training stops, and the best weights are kept (0: never, the last are kept).
    ``dev_queries`` and ``dev_names`` are the most queries and names that dev is judged with.
    """

    steps: int = 0
    epochs: float = 3.0
    batch: int = 256
    accumulate: int = 1
    at_once: int = 0
    rate: float = 2e-5
    warmup: float = 0.06
    decay: float = 0.01
    clip: float = 1.0
    neighbours: int = 0
    begin: float = 0.0
    tokens: int = 24
    dropout: float = 0.0
    precision: Precision = "float32"
    seed: int = 0
    threads: int = 0
    every: int = 0
    patience: int = 0
    dev_queries: int = 1000
    dev_names: int = 5000


ADAPT = TrainOptions(
    steps=500, batch=1024, rate=3e-4, warmup=0.0, decay=0.0, clip=0.0, neighbours=3, begin=1 / 3, threads=1
)
"""How a trained static encoder is adapted to a terminology."""


FROM_SCRATCH = replace(ADAPT, steps=2500, rate=3e-3)
"""How a static encoder is trained from scratch."""


FINE_TUNE = TrainOptions()
"""How a transformer is trained."""


STATIC_LOSS = LossOptions(temperature=0.08)
"""The default loss of a static encoder."""


@dataclass(frozen=True, slots=True)
class TrainStep:
    """The progress of a training.

    ``loss`` is the mean since the last report, ``texts`` the texts encoded per second, ``left`` the seconds that remain
    at this pace, ``dev`` the last accuracy@1 on dev in [0, 1], None before the first.
    """

    step: int
    steps: int
    loss: float
    seconds: float
    texts: float = 0.0
    left: float = 0.0
    dev: float | None = None


@dataclass(frozen=True, slots=True)
class Trained:
    """The outcome of a training: the ``steps`` done, and why it ended.

    ``dev`` is the accuracy of the weights that were kept, those of ``kept_step`` (None without dev). ``seconds`` is the
    time of this run, ``training_seconds`` that of its steps, in which ``texts`` texts per second were encoded.
    ``history`` has a row for each report: step, loss, rate, dev.
    """

    steps: int
    dev: float | None
    kept_step: int
    stopped: Literal["done", "no better on dev"]
    seconds: float
    training_seconds: float
    texts: float
    history: Sequence[dict[str, float]] = field(default_factory=tuple)


def process_count() -> int:
    """How many processes train together, each with a device and batches of its own (``accelerate launch``)."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_first_process() -> bool:
    """Whether this is the process that writes and reports."""
    return os.environ.get("RANK", "0") == "0"


def parts_of(examples: int, options: TrainOptions) -> int:
    """The number of parts of steps in an epoch of this many examples."""
    return max(1, math.ceil(examples / max(options.batch // options.accumulate, 1)))


@dataclass(frozen=True, slots=True)
class Preset:
    """The settings of a training: the ``recipe``, the ``shares`` of train, dev and test, options and loss.

    ``summary`` describes it in a line; ``base`` names the encoder that the authors started from, which the user has to
    give, ``pooling`` is how the tokens of a transformer become one vector. ``split_by`` says what is split.
    """

    recipe: str
    options: TrainOptions
    loss: LossOptions
    summary: str
    shares: tuple[float, float, float] = (0.98, 0.02, 0.0)
    base: str = ""
    pooling: Pooling = "own"
    split_by: SplitBy = "concept"


OURS: Mapping[str, Preset] = MappingProxyType(
    {
        "adapt": Preset("drawn", ADAPT, STATIC_LOSS, "a trained static encoder is adapted"),
        "from scratch": Preset("drawn", FROM_SCRATCH, STATIC_LOSS, "a static encoder is trained from scratch"),
        "transformer": Preset("drawn", FINE_TUNE, LossOptions(), "a transformer is trained on"),
    }
)
"""Ours, by how the base begins."""

_PAPER = TrainOptions(neighbours=0, dropout=-1.0, decay=0.0, clip=1.0)

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "ngo": Preset(
            "triplets",
            replace(_PAPER, epochs=5.0, batch=32, rate=2e-5, warmup=0.1, tokens=64),
            LossOptions(name="triplet", margin=0.1, similarity="euclidean"),
            "a name must be nearer to a synonym than to other concepts, by a margin (Ngo, Training Details)",
            (0.90, 0.05, 0.05),
            "BioBERT-Base v1.1",
            "mean",
            "example",
        ),
        # 1500 concept texts in a batch, an anchor and a positive each: 750 pairs.
        "xu": Preset(
            "batches",
            replace(_PAPER, epochs=100.0, batch=750, at_once=256, rate=3e-5, warmup=0.0, tokens=8),
            LossOptions(name="batch-hard", similarity="euclidean"),
            "large batches of names and annotated mentions, of which the hardest are learned from (Xu, section 4.2)",
            (1.0, 0.0, 0.0),
            "PubMedBERT",
            "mean",
        ),
        "kong": Preset(
            "comb",
            replace(_PAPER, epochs=50.0, batch=128, rate=3e-5, warmup=0.02, decay=0.01, tokens=64),
            LossOptions(name="softmax", similarity="dot", temperature=1.0, both=False, all_texts=False),
            "synonyms and neighbours in the hierarchy must be nearest among all of a batch (Kong, section 6.1)",
            (0.80, 0.20, 0.0),
            "BERT base",
            "mean",
            "example",
        ),
    }
)
"""The papers' settings for encoders. What a paper leaves open has the default of its library (dropout, clipping)."""


RERANKER = "rahimi"
"""The paper whose system is no encoder but a reranker of encyclopedia pages (section 3.2)."""

PLAIN_PRESETS: Mapping[str, str] = MappingProxyType(
    {"triplets": "ngo", "hard-mining": "xu", "hierarchy": "kong", "pages": RERANKER}
)
"""The plain name of each preset, and the first author of the paper it is from; both are read."""


def preset_name(name: str) -> str:
    """The name in `PRESETS` of a preset that may be given by its plain name; any other text as it is."""
    return PLAIN_PRESETS.get(name, name)


def find_preset(name: str) -> Preset:
    """The preset of this name; UnknownNameError lists the valid ones."""
    if preset_name(name) not in PRESETS:
        raise UnknownNameError("preset", name, PLAIN_PRESETS)
    return PRESETS[preset_name(name)]
