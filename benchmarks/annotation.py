"""Mentions found in gold documents, beside a dictionary matcher over all names: case reports with HPO, abstracts with
MEDIC, and notes of our own with HPO and ICD-10-CM."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from figures import Bench, Row, Sheet, main
from materials import import_embedded, import_files, indexed, opened, titled, work_folder
from ncbi import medic
from ontonym.evaluate.annotation import (
    AnnotationEvaluationOptions,
    JudgedDocument,
    PartsWanted,
    Placed,
    judge_annotations,
    judged_documents,
    right_by_confidence,
)
from ontonym.evaluate.corpora import GoldDocument, open_corpus
from ontonym.index import Index, IndexOptions
from ontonym.ontology.embedded import EMBEDDED
from ontonym.ontology.options import ReadOptions
from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions
from ontonym.tasks.annotation.spans import Sought
from sources import data_folder

HOW: tuple[Sought, ...] = ("names", "phrases", "likely", "all")
EVERYDAY = IndexOptions()
"""An index as it comes, with the everyday names of the package."""

PEER = "every name (spaCy PhraseMatcher, lower case)"


@dataclass(frozen=True, slots=True)
class Judged:
    """A corpus (below the data folder), the types that are judged, the terminology (*demo*: those of the demo), and the
    branch."""

    title: str
    corpus: str
    terminology: str
    types: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    composite: PartsWanted = "all"


NOTES = Path(__file__).resolve().parent / "data" / "notes.json"
"""Twelve invented notes by somebody who had seen no rule, with the findings in them: a code of either terminology."""

SECOND = NOTES.with_name("notes_second.json")
"""Twelve more of other kinds, written so too, when the rules had been corrected by the first."""

THIRD = NOTES.with_name("notes_third.json")
"""Twelve of further kinds, written so when they had been corrected by both."""

FOURTH = NOTES.with_name("notes_fourth.json")
"""Twelve of the kinds that those lack (dental, growth, an operation ...), written so later still."""

FIFTH = NOTES.with_name("notes_fifth.json")
"""Eight of further kinds (a stroke's discharge, audiology, a wound, a home visit ...), with the values in them."""

TASKS: Mapping[str, Judged] = MappingProxyType(
    {
        "cases": Judged(
            "Case reports, HPO below Phenotypic abnormality", "hpo_cases/case_reports_dev.pubtator", "hpo",
            within=("HP:0000118",), left_out=("negated",),
        ),
        "ncbi": Judged("NCBI disease, dev, MEDIC", "ncbi_disease/NCBIdevelopset_corpus.txt", "medic"),
        "bc5cdr": Judged(
            "BC5CDR diseases, dev, MEDIC", "bc5cdr/CDR_DevelopmentSet.PubTator.txt", "medic", ("Disease",)
        ),
        "notes": Judged("Notes of our own, HPO with ICD-10-CM", str(NOTES), "demo", composite="any"),
        "second": Judged("More notes of our own, HPO with ICD-10-CM", str(SECOND), "demo", composite="any"),
        "third": Judged("A third set of notes, HPO with ICD-10-CM", str(THIRD), "demo", composite="any"),
        "fourth": Judged("A fourth set of notes, HPO with ICD-10-CM", str(FOURTH), "demo", composite="any"),
        "fifth": Judged("A fifth set of notes, HPO with ICD-10-CM", str(FIFTH), "demo", composite="any"),
    }
)  # fmt: skip


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Every chosen task: each way of finding, and the dictionary."""
    for name in chosen.task:
        task = TASKS[name]
        with work_folder() as folder:
            places = _terminologies(task.terminology, folder)
            with opened(places) as terminologies:
                title = titled(terminologies)
            (folder / "everyday").mkdir()
            with indexed(places, folder) as index, indexed(places, folder / "everyday", options=EVERYDAY) as usual:
                _measure_task(bench, name, task, index, usual, title)


def _terminologies(name: str, folder: Path) -> list[Path]:
    if name == "medic":
        return [medic(folder)]
    if name == "demo":
        return [import_embedded(one, folder)[0] for one in EMBEDDED]
    return [import_files([data_folder() / "hpo" / "hp.json.gz"], folder / "hpo.terminology", ReadOptions(name="hpo"))]


def _measure_task(bench: Bench, name: str, task: Judged, index: Index, usual: Index, title: str) -> None:
    documents = list(open_corpus(data_folder() / task.corpus, types=task.types or None, default_prefix="MESH"))
    judging = AnnotationEvaluationOptions(except_=task.left_out, composite=task.composite)
    search = SearchOptions(k=3, within=task.within)
    normalizing = NormalizeOptions(threshold=0.0, composites=False, search=search)
    rows: list[Row] = []
    gold: Sequence[JudgedDocument] = ()
    likely: Sequence[JudgedDocument] = ()
    for how in HOW:
        began = time.perf_counter()
        gold = list(judged_documents(index, documents, AnnotateOptions(normalizing, find=how), judging))
        likely = gold if how == "likely" else likely
        rows.append(_row(f"ontonym, find={how}", gold, index, judging, time.perf_counter() - began))
    began = time.perf_counter()
    with_everyday = list(judged_documents(usual, documents, AnnotateOptions(normalizing), judging))
    rows.append(_row("the same with the everyday names", with_everyday, usual, judging, time.perf_counter() - began))
    began = time.perf_counter()
    found = list(_dictionary(index, documents, gold, task.within))
    rows.append(_row(PEER, found, index, judging, time.perf_counter() - began))
    protocol = (
        f"{title}; names of the ontology only, but in the row of an index as it comes, with everyday names; "
        "nothing was learned from a corpus",
        "composites are right, as mentions, with any part; gold without a concept or a place left out; "
        f"left out of what ontonym finds: {', '.join(task.left_out) or 'nothing'}",
        "documents/s in one process; the dictionary's time includes reading the names",
    )
    bench.show(Sheet(name, task.title, protocol, rows))
    sure = right_by_confidence(likely, judging)
    said = (
        title,
        "mentions found with find=likely and names of the ontology only; right: as an overlapping gold mention",
    )
    rows = [dict(zip(sure.columns, row, strict=True)) for row in sure.rows]
    bench.show(Sheet(f"{name}-confidence", f"{task.title}: right by confidence", said, rows))


def _row(
    name: str, judged: Sequence[JudgedDocument], index: Index, judging: AnnotationEvaluationOptions, seconds: float
) -> Row:
    figures = judge_annotations(judged, index, judging)
    precision, recall, f1 = figures["document"]
    return {
        "found by": name,
        "document precision": precision,
        "document recall": recall,
        "document F1": f1,
        **{f"{level} F1": figures[level][2] for level in ("exact", "overlapping", "near")},
        "documents/s": len(judged) / seconds,
    }


def _dictionary(
    index: Index, documents: Sequence[GoldDocument], gold: Sequence[JudgedDocument], within: Sequence[str]
) -> Iterator[JudgedDocument]:
    """The longest names in each text, whatever their concept's other names; of concepts that share one, the first."""
    import spacy
    from spacy.matcher import PhraseMatcher
    from spacy.util import filter_spans

    nlp = spacy.blank("en")
    matcher = PhraseMatcher(nlp.vocab, attr="LOWER")
    allowed = index.mask(within=tuple(within)) if within else None
    names = index.signals.names
    for row in range(len(names)):
        concept = int(names.concepts[row])
        if allowed is None or allowed[concept]:
            matcher.add(index.id(concept), [nlp.make_doc(index.text(row))])
    for document, judged in zip(documents, gold, strict=True):
        spans = filter_spans(matcher(nlp.make_doc(document.text), as_spans=True))
        found = tuple(Placed(one.start_char, one.end_char, (frozenset([one.label_]),)) for one in spans)
        yield JudgedDocument(document.id, document.text, judged.gold, found)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--task", nargs="+", choices=list(TASKS), default=list(TASKS), help="which corpora")


if __name__ == "__main__":
    sys.exit(main("annotation", str(__doc__), measure, _options))
