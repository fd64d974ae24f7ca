"""How the training benchmark judges an encoder: the dense signal alone over a terminology's names, as written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from advice import Figures
from figures import write_json
from materials import code_digest, digest, indexed, read_json, titled, work_folder
from ncbi import DEPTH, TASKS
from ontonym.checksums import sha256
from ontonym.evaluate import NormalizationReport, Protocol, PubTatorCorpus, evaluate_normalization
from ontonym.evaluate.indexes import normalizer, searched_names, split_of
from ontonym.evaluate.measures import CompositeRule, Resolve
from ontonym.evaluate.normalization import MentionHits, Normalize
from ontonym.index import Index
from ontonym.store import Terminology
from ontonym.tasks import NormalizeOptions, SearchOptions
from ontonym.types import Hit, Mention
from sources import data_folder

JUDGED_BY = ("text", "store", "index", "tasks", "evaluate", "encoder", "learning/encoders/export.py")
"""The code that the figures of a trained encoder depend on."""


NAMES_ALONE = SearchOptions(k=DEPTH, signal="dense", strategy="O-T")
"""How an encoder is asked: the nearest name of the ontology."""


def tasks_of(terminology: str) -> list[str]:
    """The tasks that are asked of a terminology."""
    return [name for name, task in TASKS.items() if task.terminology == terminology]


def judge(
    terminology: Terminology, encoder: Path, tasks: Sequence[str], kept: Path, pace: float = 0.0
) -> dict[str, Figures]:
    """Accuracy@1 of an encoder on each task; kept in a file while neither data nor code changes."""
    corpora = {task: sha256(data_folder() / TASKS[task].corpus) for task in tasks}
    key = digest([code_digest(JUDGED_BY), corpora, terminology.fingerprint])
    shape = read_json(kept)
    if shape is None or shape["key"] != key:
        shape = {"key": key, "tasks": _judged(terminology, encoder, tasks)}
        write_json(kept, shape)
    return {task: Figures.of(shape["tasks"][task], pace) for task in tasks}


def _judged(terminology: Terminology, encoder: Path, tasks: Sequence[str]) -> dict[str, Any]:
    with work_folder() as folder, indexed([terminology.path], folder, light(encoder, folder)) as index:
        return {task: _shape(reported(task, index)) for task in tasks}


def light(encoder: Path, folder: Path) -> Path:
    """The encoder in the form that is judged: static, or a transformer's ONNX form in float32."""
    if (encoder / "table.npy").exists():
        return encoder
    from ontonym.learning.encoders.export import export_onnx

    return export_onnx(encoder, folder / "float32.encoder", int8=False).float32


def reported(
    task: str,
    index: Index,
    search: SearchOptions = NAMES_ALONE,
    *,
    composite: CompositeRule = "any",
    written_out: bool = False,
) -> NormalizationReport:
    """The strict report of a task; abbreviations that a document defines are written out where that is said."""
    asked = TASKS[task]
    path = data_folder() / asked.corpus
    protocol = Protocol(
        data=path.name,
        split=split_of([str(path)]),
        terminology=titled(index.terminologies),
        names=searched_names(index, search.strategy),
        types=asked.types,
        ambiguity="strict",
        composite=composite,
        depth=DEPTH,
    )
    options = NormalizeOptions(abbreviations=written_out, document=False, composites=False, search=search)
    ask = normalizer(index, options)
    documents = PubTatorCorpus(path, default_prefix="MESH")
    return evaluate_normalization(
        documents, ask if written_out else once(ask), protocol, resolve=index.resolve, measures=("accuracy@1",)
    )


def report_of(
    task: str, ask: Normalize, resolve: Resolve, terminology: str, *, depth: int, measures: Sequence[str]
) -> NormalizationReport:
    """The strict report of any normalizer on a task; any part of a composite is enough."""
    path = data_folder() / TASKS[task].corpus
    protocol = Protocol(
        data=path.name, split=split_of([str(path)]), terminology=terminology, types=TASKS[task].types, depth=depth
    )
    documents = PubTatorCorpus(path, default_prefix="MESH")
    return evaluate_normalization(documents, ask, protocol, resolve=resolve, measures=measures)


def once(ask: Normalize) -> Normalize:
    """Asks each text once: as written, its answer depends on nothing else."""
    known: dict[str, Sequence[Hit] | MentionHits] = {}

    def asked(mentions: Sequence[Mention]) -> Iterable[Sequence[Hit] | MentionHits]:
        new = [Mention(text) for text in dict.fromkeys(mention.text for mention in mentions) if text not in known]
        known.update(zip((mention.text for mention in new), ask(new), strict=True))
        return [known[mention.text] for mention in mentions]

    return asked


def _shape(report: NormalizationReport) -> dict[str, Any]:
    return {
        "accuracy@1": report.measures["accuracy@1"].to_dict(),
        "ranks": report.ranks.tolist(),
        "documents": list(report.documents),
        "protocol": report.protocol.caption(),
    }
