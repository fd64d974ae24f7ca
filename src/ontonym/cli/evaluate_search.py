"""``ontonym evaluate search``: how far up the right concept stands, for texts or for concepts that are mapped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Literal

import click

from ontonym.cli.evaluate import chosen_signals, command_line, command_note, encoder_note
from ontonym.cli.options import json_option
from ontonym.cli.progress import Bar
from ontonym.cli.reports import check_outputs, check_runs, compare_option, give_results, output_option, resamples_option
from ontonym.cli.reranking import opened_reranking, rerank_options
from ontonym.cli.seen import read_seen
from ontonym.cli.show import count
from ontonym.evaluate.measures import CUTOFFS, MEASURES, Ranking
from ontonym.evaluate.questions import Gold, Target, gains_in, read_questions
from ontonym.evaluate.rankers import IndexRanker
from ontonym.evaluate.results import Results
from ontonym.evaluate.retrieval import (
    BY_QUESTION,
    Answers,
    RetrievalReport,
    SearchQuestion,
    answered,
    rankings_of,
    report_retrieval,
    runs_of,
    tables_of,
)
from ontonym.evaluate.significance import paired_t_test
from ontonym.evaluate.trec import write_trec
from ontonym.files.output import written_file
from ontonym.index import Index, open_index
from ontonym.index.place import kept_encoder
from ontonym.learning.unseen import names_digest, unseen_digest
from ontonym.store import open_terminology
from ontonym.tasks.rerank import Reranking

_RERANKED = " reranked"

EXAMPLES = """\b
Examples:
  ontonym evaluate search hp.index queries.tsv --signal all --compare fused lexical
  ontonym benchmark gold hp.terminology mesh.terminology -o hp-mesh.gold
  ontonym evaluate search mesh.index hp-mesh.gold -o report.html -o table.tex
  ontonym evaluate search mesh.index hp-mesh.gold --together --k 1 --k 64 --trec runs
  ontonym evaluate search mesh.index hp-mesh.sssom.tsv --labels hp.terminology --rerank hp.reranker
"""


@click.command("search", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("gold", metavar="GOLD")
@click.option("--signal", multiple=True, default=("all",), show_default=True, metavar="NAME",
              help="fused, lexical, char, dense, or all. May be repeated.")  # fmt: skip
@click.option("--measure", "measures", multiple=True, default=MEASURES[:3], show_default=True, metavar="NAME",
              help=f"{', '.join(MEASURES)}. May be repeated.")  # fmt: skip
@click.option("--k", "cutoffs", type=click.IntRange(1), multiple=True, default=CUTOFFS, show_default=True, metavar="K",
              help="Measures of the first K. May be repeated.")  # fmt: skip
@click.option("--labels", metavar="TERMINOLOGY", help="For mappings: search for every name that the mapped concept has "
              "in this terminology, instead of its label in the file.")  # fmt: skip
@click.option("--together", is_flag=True, help="Concept to concept: all names of a mapped concept are one question, "
              "each candidate with its best confidence.")  # fmt: skip
@click.option("--missing", type=click.Choice(["wrong", "skip"]), default="wrong", show_default=True,
              help="Questions whose gold concepts the index lacks: counted as wrong, or left out.")  # fmt: skip
@click.option("--seen", multiple=True, metavar="PATH", help="What training has seen, to tell zero-shot questions "
              "apart: a terminology, a table of texts and ids, a corpus, or names one a line. May be "
              "repeated.")  # fmt: skip
@rerank_options
@click.option("--candidates", metavar="RUN", help="Also measure over the questions for which this run found a right "
              "concept at all (normalized recall); with --rerank, by default, the run that is reranked.")  # fmt: skip
@compare_option
@click.option("--queries", metavar="FILE", help="Write the texts, one a line, and stop: what `ontonym train --exclude` "
              "takes, so that no encoder has seen them.")  # fmt: skip
@click.option("--trec", metavar="DIR", help="Write gold, questions and runs as TREC files (qrels.txt, RUN.run).")
@resamples_option
@output_option
@json_option
def command(
    *, index: str, gold: str, signal: tuple[str, ...], measures: tuple[str, ...], cutoffs: tuple[int, ...],
    labels: str | None, together: bool, missing: Literal["wrong", "skip"], seen: tuple[str, ...], rerank: str | None,
    rerank_depth: int | None, rerank_weight: float | None, rerank_below: float | None, candidates: str | None,
    compared: tuple[tuple[str, str], ...], queries: str | None, trec: str | None, resamples: int,
    outputs: tuple[str, ...], as_json: bool,
) -> None:  # fmt: skip
    """Search for texts whose concepts are known, and measure Hits@K, MRR, nDCG@K and recall@K (needs ontonym[eval]).

    GOLD is a table of texts and ids, a folder made by `ontonym benchmark gold`, or a mapping file (SSSOM) between
    another terminology and one of the index. nDCG gives 3 for the right concept, 2 for its parents and children, 1 for
    grandparents, grandchildren, siblings and uncles. By overlap degree too: the share of a text's words that the names
    of its concept have.
    """
    check_outputs(outputs)
    second = opened_reranking(rerank, rerank_depth, rerank_weight, rerank_below)
    signals = chosen_signals(signal)
    names = (*signals, *(f"{name}{_RERANKED}" for name in signals if second))
    check_runs(compared, names, candidates)
    bootstrap = replace(BY_QUESTION, resamples=resamples)
    ks = sorted(set(cutoffs))
    with ExitStack() as stack, Bar("searching") as bar:
        opened = stack.enter_context(open_index(index))
        target = Target(opened.terminologies)
        source = stack.enter_context(open_terminology(labels)) if labels else None
        known = read_seen(seen, target) if seen else None
        read = read_questions(gold, target, source=source, together=together, missing=missing, seen=known)
        if queries:
            _write_texts(queries, read.questions)
            return
        gains = gains_in(target, read.questions)
        runs = _searched(opened, read.questions, names, ks[-1], second, bar)
        reports = {}
        for name in names:
            bar.stage(f"measuring, {name}", 0, None)
            stage = _first_stage(name, runs, candidates, second)
            reports[name] = report_retrieval(
                read.questions, rankings_of(runs[name]), gains, bootstrap, ks, measures, stage
            )
        about = (_told(read, opened, missing), bootstrap.caption("question"), *_encoder_notes(opened, read.questions))
    if trec:
        write_trec(trec, read.questions, gains, runs)
    tables, plots = tables_of(reports, _shown(reports, ks[-1]), first_stage=candidates or "the first stage")
    title = f"Searching {opened.releases} for {Path(gold).name}{', concept to concept' * together}"
    results = Results(title, about, tables, plots, runs_of(reports, read.questions), command_line())
    runs_shape = {name: {**report.to_dict(), **_against(reports, name)} for name, report in reports.items()}
    told = {"unknown": dict(read.counts.unknown), "notes": [*about, command_note()]}
    give_results(results, compared, bootstrap, outputs, {"runs": runs_shape, **told} if as_json else None)


def _searched(
    index: Index,
    questions: Sequence[SearchQuestion],
    names: Sequence[str],
    depth: int,
    second: Reranking | None,
    bar: Bar,
) -> dict[str, list[Answers]]:
    """The answers of every run, as deep as is measured or reranked."""
    depth = max(depth, second.depth if second else 1)
    runs = {}
    for name in names:
        ranker = IndexRanker(index, name.removesuffix(_RERANKED), second if name.endswith(_RERANKED) else None)

        def ask(texts: Sequence[str], ranker: IndexRanker = ranker, name: str = name) -> Sequence[Answers]:
            return ranker.search(texts, depth, lambda _, done, total: bar.stage(f"searching, {name}", done, total))

        runs[name] = answered(ask, questions, depth)
    return runs


def _first_stage(
    name: str, runs: Mapping[str, Sequence[Answers]], candidates: str | None, second: Reranking | None
) -> list[Ranking] | None:
    """The candidates that a run's measures are normalized by; None where there is no first stage."""
    if candidates:
        return rankings_of(runs[candidates])
    if second is None:
        return None
    return [ranking[: second.depth] for ranking in rankings_of(runs[name.removesuffix(_RERANKED)])]


def _shown(reports: Mapping[str, RetrievalReport], depth: int) -> str:
    """The measure that is shown by kind of question: the most of the first ``depth``, if there is one."""
    measures = next(iter(reports.values())).measures
    return next((name for name in (f"hits@{depth}", f"recall@{depth}") if name in measures), next(iter(measures)))


def _write_texts(path: str, questions: Sequence[SearchQuestion]) -> None:
    with written_file(path) as stream:
        texts = dict.fromkeys(text for question in questions for text in question.texts)
        stream.write("".join(f"{text}\n" for text in texts if "\n" not in text).encode())


def _against(reports: Mapping[str, RetrievalReport], name: str) -> dict[str, dict[str, float]]:
    first = next(iter(reports))
    if name == first:
        return {}
    values = reports[name].values
    return {"p": {measure: paired_t_test(reports[first].values[measure], one) for measure, one in values.items()}}


def _told(read: Gold, index: Index, missing: str) -> str:
    counts = read.counts
    skipped = "".join(f", {number:,} left out ({why})" for why, number in counts.skipped.items())
    unknown = counts.unknown
    shown = ", ".join(list(unknown)[:3])
    fate = "counted as wrong" if missing == "wrong" else "left out"
    lost = f"; {count(len(unknown), 'gold id')} the index does not have ({shown}…), {fate}" if unknown else ""
    return f"{index.releases}: {count(len(read.questions), 'question')} of {count(counts.rows, 'row')}{skipped}{lost}"


def _encoder_notes(index: Index, questions: Sequence[SearchQuestion]) -> list[str]:
    """The encoder, and whether its training certainly had none of the texts."""
    known = unseen_digest(str(kept_encoder(index.path, index.manifest.content["encoder"])))
    asked = names_digest(text for question in questions for text in question.texts)
    said = (
        "trained without these texts" if known == asked else
        "may have seen these texts in training; for one that has not: --queries FILE, then ontonym train --exclude FILE"
    )  # fmt: skip
    return [f"{encoder_note(index)}, {said}"]
