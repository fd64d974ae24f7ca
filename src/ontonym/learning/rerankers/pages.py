"""A reranker of encyclopedia pages, trained from concepts whose page is known (Rahimi section 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ontonym.encoder import open_encoder
from ontonym.errors import InputError
from ontonym.index.pages import Pages
from ontonym.learning.encoders.export import check_exporting
from ontonym.learning.recipes.split import Split
from ontonym.learning.rerankers.export import export_reranker
from ontonym.learning.rerankers.groups import CandidateGroup
from ontonym.learning.rerankers.options import RerankOptions, RerankStep
from ontonym.learning.rerankers.training import TrainedReranker, train_reranker
from ontonym.store import Terminology
from ontonym.tasks.align import AlignOptions, Weighing, default_weights
from ontonym.tasks.align.aligning import page_candidates, weigh
from ontonym.types import Advance, Progress, staged

PageGoldPairs = Sequence[tuple[int, int]]
"""Concept rows, each with the number of its page."""


@dataclass(frozen=True, slots=True)
class PageGroupOptions:
    """How many concepts are taken, and how many candidates of each, the likeliest.

    ``groups`` concepts are learned from, and the best weights chosen by ``dev`` (0: all). ``depth`` candidates of each
    are read in training (Rahimi: 64), ``judged`` on dev.
    """

    depth: int = 64
    judged: int = 16
    groups: int = 0
    dev: int = 300


@dataclass(frozen=True, slots=True)
class AlignerPreset:
    """The settings of a training: how many concepts, what brings their candidates, and how the reranker learns."""

    sizes: PageGroupOptions
    candidates: AlignOptions
    options: RerankOptions


ALIGNER_PRESETS: Mapping[str, AlignerPreset] = MappingProxyType(
    {
        "rahimi": AlignerPreset(
            PageGroupOptions(depth=64, judged=64, groups=0, dev=0),
            AlignOptions(order="lexical", candidates=64, k=1),
            RerankOptions(loss="passage-pair", negatives=0),
        )
    }
)
"""Rahimi, sections 3.1 and 3.2: 64 candidates by BM25, of which all but the right one are wrong, in training and on
dev. The paper leaves open how many aliases are read, how long texts are, the batch, the rate and the epochs."""


@dataclass(frozen=True, slots=True)
class PageReranker:
    """A reranker trained on pages, the number of groups it ``learned`` from, and the ``described`` groups."""

    learned: int
    trained: TrainedReranker
    described: Mapping[str, Any]


def train_page_reranker(
    source: Terminology,
    pages: Pages,
    gold: Mapping[Split, PageGoldPairs],
    base: Path | str,
    output: Path | str,
    sizes: PageGroupOptions,
    candidates: AlignOptions,
    options: RerankOptions,
    *,
    resume: bool,
    export: bool,
    progress: Progress,
    report: Callable[[RerankStep], None] | None,
) -> PageReranker:
    """Trains a reranker to find the page of a concept among the ``candidates`` of the first stage.

    ``gold`` has the pairs of ``train`` to learn from and of ``dev`` to choose the best weights by, read with the
    numbers of ``sizes`` (`ontonym.evaluate.alignment.read_page_splits`). ``candidates`` also
    gives the seed; see `train_reranker` for ``base`` and ``resume``. ``export`` adds the ONNX forms. Raises what
    `page_groups` and `train_reranker` raise, MissingExtraError for a package that exporting needs.
    """
    if export:
        check_exporting()
    weighing = Weighing(open_encoder(), default_weights())
    described: dict[str, Any] = {
        "source": source.fingerprint, "pages": pages.fingerprint, "options": asdict(candidates),
    }  # fmt: skip

    def groups(split: Split, depth: int) -> Sequence[CandidateGroup]:
        stage, total = f"bringing candidates, {split}", len(gold[split])
        progress(stage, 0, total)
        made = page_groups(
            source, pages, gold[split], weighing, candidates, depth, training=split == "train",
            progress=staged(progress, stage, total),
        )  # fmt: skip
        described[split] = {
            "groups": len(made.groups), "page not brought": made.missed, "without name": made.nameless,
        }  # fmt: skip
        return made.groups

    learned, dev = groups("train", sizes.depth), groups("dev", sizes.judged)
    trained = train_reranker(
        learned, base, output, replace(options, seed=candidates.seed), dev=dev, content={"alignment": described},
        resume=resume, report=report,
    )  # fmt: skip
    if export:
        export_reranker(output)
    return PageReranker(len(learned), trained, described)


@dataclass(frozen=True, slots=True)
class PageGroups:
    """Groups, and how many of the concepts asked for had their page not brought, or no name in the languages."""

    groups: Sequence[CandidateGroup]
    missed: int
    nameless: int


def page_groups(
    source: Terminology,
    pages: Pages,
    gold: Sequence[tuple[int, int]],
    weighing: Weighing,
    options: AlignOptions,
    depth: int,
    *,
    training: bool,
    progress: Advance = lambda done: None,
) -> PageGroups:
    """A group for each concept row and the number of its page: names against the names of the ``depth`` likeliest.

    In training the right page takes the last place where it is not among these; else the group then has none (-1).
    ``progress`` counts concepts. Raises InputError where no concept has a name in the languages.
    """
    groups: list[CandidateGroup] = []
    missed = nameless = 0
    for row, right in gold:
        progress(1)
        brought = page_candidates(source, pages, row, options)
        if brought is None or not len(brought.places):
            nameless += brought is None
            missed += brought is not None
            continue
        sure = weigh(pages, brought, weighing)
        assert sure is not None  # noqa: S101 (there is at least one group)
        (held,) = np.nonzero(brought.pages == right)
        missed += not len(held)
        order = np.argsort(-sure, kind="stable")[:depth].tolist()
        place = int(held[0]) if len(held) else -1
        if training and place >= 0 and place not in order:
            order[-1] = place
        groups.append(
            CandidateGroup(
                query=brought.names,
                candidates=tuple(brought.known_as[one] for one in order),
                positive=order.index(place) if place in order else -1,
                confidences=tuple(sure[order].tolist()),
            )
        )
    if not groups:
        asked = ", ".join(options.languages) or "all"
        raise InputError(f"{source.name}: no aligned concept has a name in the languages {asked}, and candidates")
    return PageGroups(groups, missed, nameless)
