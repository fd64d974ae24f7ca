"""Finding mentions in abstracts with the ontology's names only: NCBI disease and BC5CDR, dev splits."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from figures import Bench, Row, Sheet, main
from materials import indexed, opened, titled, work_folder
from ncbi import TASKS, TERMINOLOGIES, Task
from ontonym.evaluate import BootstrapOptions, Interval, PubTatorCorpus
from ontonym.evaluate.corpora import GoldDocument
from ontonym.evaluate.measures import Resolve
from ontonym.evaluate.significance import clusters, mean_interval
from ontonym.index import Index
from ontonym.tasks import AnnotateOptions, Annotation, annotate_texts
from sources import data_folder

BOOTSTRAP = BootstrapOptions()


@dataclass(slots=True)
class Tally:
    """Which finds were right and which gold was found, with the document of each."""

    right: list[bool] = field(default_factory=list)
    right_in: list[str] = field(default_factory=list)
    found: list[bool] = field(default_factory=list)
    found_in: list[str] = field(default_factory=list)

    def add(self, document: str, right: Collection[bool], found: Collection[bool]) -> None:
        """Counts one document: for each find whether it is right, for each gold one whether it was found."""
        self.right += right
        self.right_in += [document] * len(right)
        self.found += found
        self.found_in += [document] * len(found)

    def row(self, what: str) -> Row:
        """Precision, recall and F1 with intervals; F1 is the share of right ones among finds and gold together."""
        return {
            "what has to be right": what,
            "found": len(self.right),
            "gold": len(self.found),
            "precision": _mean(self.right, self.right_in),
            "recall": _mean(self.found, self.found_in),
            "F1": _mean(self.right + self.found, self.right_in + self.found_in),
        }


def _mean(outcomes: Sequence[bool], documents: Sequence[str]) -> Interval:
    return mean_interval(np.asarray(outcomes, dtype=np.float64), clusters(documents, BOOTSTRAP), BOOTSTRAP)


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Every chosen task: what is found, and how fast."""
    speeds: list[Row] = []
    for name in chosen.task:
        task = TASKS[name]
        with work_folder() as folder:
            place = TERMINOLOGIES[task.terminology](folder)
            with opened([place]) as terminologies:
                title = titled(terminologies)
            with indexed([place], folder) as index:
                speeds.append(_measure_task(bench, name, task, index, title))
    protocol = (
        "the documents of a task one after another, in one process; a mention seen before is not searched again",
    )
    bench.show(Sheet("speed", "Speed", protocol, speeds, 1))


def _measure_task(bench: Bench, name: str, task: Task, index: Index, terminology: str) -> Row:
    types = frozenset(task.types) or None
    documents = list(PubTatorCorpus(data_folder() / task.corpus, types=types, default_prefix="MESH"))
    began = time.perf_counter()
    found = list(annotate_texts(index, [document.text for document in documents], AnnotateOptions()))
    seconds = time.perf_counter() - began
    spans, mentions, concepts = Tally(), Tally(), Tally()
    for document, finds in zip(documents, found, strict=True):
        _judge(document, finds, index.resolve, spans, mentions, concepts)
    rows = [
        spans.row("place"),
        mentions.row("place and concept"),
        concepts.row("concept of the document"),
    ]
    protocol = (
        f"{terminology}, the encoder that comes with the package; names of the ontology only, no mention was seen",
        "place: both ends the same; a composite is right with any part; gold without a concept or a place left out",
        "concept of the document: each concept once a document, wherever it was found",
        BOOTSTRAP.caption(),
    )
    bench.show(Sheet(name, task.title, protocol, rows))
    letters = sum(len(document.text) for document in documents)
    return {
        "task": name,
        "documents": len(documents),
        "seconds": seconds,
        "documents/s": len(documents) / seconds,
        "characters/s": round(letters / seconds),
    }


def _judge(
    document: GoldDocument,
    finds: Sequence[Annotation],
    resolve: Resolve,
    spans: Tally,
    mentions: Tally,
    concepts: Tally,
) -> None:
    gold = {
        (one.mention.start, one.mention.end): _resolved(one.ids, resolve)
        for one in document.mentions
        if one.mention.start is not None and one.mention.end is not None and not one.nil
    }
    found = {one.span: one.id for one in finds if one.id is not None}
    spans.add(document.id, [span in gold for span in found], [span in found for span in gold])
    mentions.add(
        document.id,
        [id_ in gold.get(span, ()) for span, id_ in found.items()],
        [found.get(span, "") in ids for span, ids in gold.items()],
    )
    wanted = {
        frozenset(_resolved(part, resolve)) for one in document.mentions for part in one.parts if part and not one.nil
    }
    ids = set(found.values())
    concepts.add(
        document.id,
        [any(id_ in part for part in wanted) for id_ in sorted(ids)],
        [not part.isdisjoint(ids) for part in sorted(wanted, key=sorted)],
    )


def _resolved(ids: Collection[str], resolve: Resolve) -> set[str]:
    return {resolve(id_) or id_ for id_ in ids}


def _options(parser: argparse.ArgumentParser) -> None:
    diseases = [name for name, task in TASKS.items() if task.terminology == "medic"]
    parser.add_argument("--task", nargs="+", choices=list(TASKS), default=diseases, help="which corpora")


if __name__ == "__main__":
    sys.exit(main("annotate", str(__doc__), measure, _options))
