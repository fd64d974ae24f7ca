"""The reranker of the alignment benchmark: taught by concepts of the train split with their candidates, and kept."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from lessons import MINILM, base_fingerprint, model_folder
from materials import bench_folder, code_digest, digest
from ontonym.evaluate.alignment import PageGold, read_page_gold
from ontonym.index.pages import Pages
from ontonym.learning.rerankers.options import RerankOptions, RerankStep
from ontonym.learning.rerankers.pages import page_groups
from ontonym.learning.rerankers.training import checkpoint_folder, train_reranker
from ontonym.store import Terminology
from ontonym.tasks.align import AlignOptions, Weighing
from ontonym.tasks.align.weighing import FEATURES

OPTIONS = AlignOptions()

TRAINING = RerankOptions(
    negatives=3, epochs=1, batch=16, accumulate=1, rate=1e-4, tokens=40, at_once=4096, every=125, threads=1
)
"""The reranker's training: an hour of one slow core."""
TAUGHT, TAUGHT_DEPTH, DEV, DEV_DEPTH = 6_000, 16, 250, 8
"""Concepts and candidates that the reranker learns from, and by which its best weights are chosen."""

RERANKED_BY = ("text", "encoder", "index", "learning/rerankers", "learning/trainer.py", "tasks")
"""The code that the reranker depends on."""


@dataclass(frozen=True, slots=True)
class World:
    """The two sides, and the gold of every split."""

    source: Terminology
    pages: Pages
    gold: Path

    def split(self, name: str, most: int = 0) -> PageGold:
        """The gold of a split, or a sample of it."""
        return read_page_gold(self.gold, name, self.source, self.pages, most=most)  # type: ignore[arg-type]


def kept_reranker(world: World, weighing: Weighing, taught: int) -> Path:
    """The reranker from the cache where it is of the same data and code, else trained, on from its last checkpoint."""
    sides = [
        world.source.fingerprint, world.pages.fingerprint, weighing.encoder.fingerprint,
        weighing.fusion.to_dict(FEATURES), base_fingerprint(MINILM),
    ]  # fmt: skip
    key = digest([*sides, taught, asdict(TRAINING), asdict(OPTIONS), code_digest(RERANKED_BY)])
    place = bench_folder() / f"wiki-{key}.reranker"
    if place.exists():
        print("reranker: kept from an earlier run", flush=True)
        return place
    stopped = checkpoint_folder(place).exists()
    print(f"reranker: {'going on after a stop' if stopped else 'training'}", flush=True)
    groups = {
        split: page_groups(
            world.source, world.pages, world.split(split, most).pairs, weighing, OPTIONS, depth,
            training=split == "train",
        ).groups
        for split, most, depth in (("train", taught, TAUGHT_DEPTH), ("dev", DEV, DEV_DEPTH))
    }  # fmt: skip

    def report(step: RerankStep) -> None:
        print(f"step {step.step} of {step.steps}, loss {step.loss:.3f}, {step.left:.0f} s left", flush=True)

    model = model_folder(MINILM)
    train_reranker(groups["train"], model, place, TRAINING, dev=groups["dev"], resume=stopped, report=report)
    return place
