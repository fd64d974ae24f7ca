"""A whole training of a reranker: from an index to a reranker folder, with its ONNX forms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from ontonym.index.open import Index
from ontonym.learning.encoders.export import check_exporting
from ontonym.learning.recipes.table import described_sources
from ontonym.learning.rerankers.candidates import CandidateGroups, CandidateOptions, make_groups
from ontonym.learning.rerankers.export import RerankForm, compare_forms, export_reranker
from ontonym.learning.rerankers.options import RerankOptions, RerankStep
from ontonym.learning.rerankers.training import TrainedReranker, train_reranker
from ontonym.types import Progress

_COMPARED = 100
"""Groups that forms are compared on where there is no dev split."""


@dataclass(frozen=True, slots=True)
class IndexReranker:
    """A reranker trained on an index: its groups, the outcome of training, and how its ONNX forms compare."""

    groups: CandidateGroups
    trained: TrainedReranker
    forms: Sequence[RerankForm]


def train_index_reranker(
    index: Index,
    base: Path | str,
    output: Path | str,
    candidates: CandidateOptions,
    options: RerankOptions,
    *,
    exclude: Collection[str],
    resume: bool,
    export: bool,
    progress: Progress,
    report: Callable[[RerankStep], None] | None,
) -> IndexReranker:
    """Trains a reranker to find the right one among the candidates of an index, and writes it to ``output``.

    Names in ``exclude`` are never seen in training; see `make_groups` for the groups and `train_reranker` for
    ``base`` and ``resume``. ``export`` adds the ONNX forms. Raises what these raise, MissingExtraError for a package
    that exporting needs.
    """
    if export:
        check_exporting()
    groups = make_groups(index, candidates, exclude=exclude, progress=lambda done, all: progress("asking", done, all))
    sources = {"index": index.manifest.fingerprint, "terminologies": described_sources(index.terminologies)}
    trained = train_reranker(
        groups.of("train"), base, output, options, dev=groups.of("dev"), test=groups.of("test"),
        content={"candidates": groups.described, **sources}, resume=resume, report=report,
    )  # fmt: skip
    forms: Sequence[RerankForm] = ()
    if export:
        export_reranker(output)
        forms = compare_forms(output, groups.of("dev") or groups.of("train")[:_COMPARED])
    return IndexReranker(groups, trained, forms)
