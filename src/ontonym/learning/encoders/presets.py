"""The papers' own settings by name, and ours for each kind of encoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from ontonym.errors import UnknownNameError
from ontonym.learning.encoders.losses import LossOptions
from ontonym.learning.encoders.training import ADAPT, FINE_TUNE, FROM_SCRATCH, STATIC_LOSS, TrainOptions


@dataclass(frozen=True, slots=True)
class Preset:
    """What a training is made of: the ``recipe``, ``shares`` of train, dev and test, options and loss.

    ``summary`` says in a line what it is; ``base`` which encoder the authors began with, for the reader to give.
    """

    recipe: str
    options: TrainOptions
    loss: LossOptions
    summary: str
    shares: tuple[float, float, float] = (0.98, 0.02, 0.0)
    base: str = ""


OURS: Mapping[str, Preset] = MappingProxyType(
    {
        "adapt": Preset("drawn", ADAPT, STATIC_LOSS, "a static encoder goes on from what it knows"),
        "from scratch": Preset("drawn", FROM_SCRATCH, STATIC_LOSS, "a static encoder begins with nothing"),
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
            "Ngo, Training Details: triplets of Algorithm 1, margin 0.1, Euclidean",
            (0.90, 0.05, 0.05),
            "BioBERT-Base v1.1, mean pooling",
        ),
        # 1500 concept texts in a batch, an anchor and a positive each: 750 pairs.
        "xu": Preset(
            "batches",
            replace(_PAPER, epochs=100.0, batch=750, at_once=256, rate=3e-5, warmup=0.0, tokens=8),
            LossOptions(name="batch-hard", similarity="euclidean"),
            "Xu, section 4.2: online hard mining with soft margin in batches of 1500 texts",
            (1.0, 0.0, 0.0),
            "PubMedBERT",
        ),
        "kong": Preset(
            "comb",
            replace(_PAPER, epochs=50.0, batch=128, rate=3e-5, warmup=0.02, decay=0.01, tokens=64),
            LossOptions(name="softmax", similarity="dot", temperature=1.0, both=False, all_texts=False),
            "Kong, section 6.1: synonyms and graph, in-batch softmax of the inner product",
            (0.80, 0.20, 0.0),
            "BERT base",
        ),
    }
)
"""The papers' settings for encoders. What a paper leaves open is as its library has it (dropout, clipping)."""


RERANKER = "rahimi"
"""The paper whose system is no encoder but a reranker over an index (section 3.2)."""


def find_preset(name: str) -> Preset:
    """The preset of this name; UnknownNameError lists the valid ones."""
    if name not in PRESETS:
        raise UnknownNameError("preset", name, (*PRESETS, RERANKER))
    return PRESETS[name]
