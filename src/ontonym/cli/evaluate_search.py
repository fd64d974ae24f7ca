"""``ontonym evaluate search``: how far up the right concept stands, for texts or for concepts that are mapped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Literal

import click

from ontonym.cli.evaluate import chosen_signals, provenance
from ontonym.cli.options import json_option
from ontonym.cli.progress import Bar
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count
from ontonym.errors import InputError
from ontonym.evaluate.questions import Gold, gains_in, read_questions
from ontonym.evaluate.report import format_table
from ontonym.evaluate.retrieval import (
    BY_QUESTION,
    CUTOFFS,
    Ask,
    RetrievalReport,
    paired_t_test,
    ranked,
    report_retrieval,
)
from ontonym.evaluate.significance import Interval
from ontonym.index import Index, open_index
from ontonym.store import open_terminology
from ontonym.store.export.file import written_file
from ontonym.tasks import SearchOptions, search_many

_AT_ONCE = 256

EXAMPLES = """\b
Examples:
  ontonym evaluate search hp.index queries.tsv --signal all
  ontonym evaluate search mesh.index hp-mesh.sssom.tsv --labels hp.terminology
  ontonym evaluate search mesh.index hp-mesh.sssom.tsv --labels hp.terminology --together --json
  ontonym evaluate search mesh.index hp-mesh.sssom.tsv --labels hp.terminology --queries queries.txt
"""


@click.command("search", epilog=EXAMPLES)
@click.argument("index", metavar="INDEX")
@click.argument("gold", metavar="GOLD")
@click.option("--signal", multiple=True, default=("all",), show_default=True, metavar="NAME",
              help="fused, lexical, char, dense, or all. May be repeated.")  # fmt: skip
@click.option("--k", "cutoffs", type=click.IntRange(1), multiple=True, default=CUTOFFS, show_default=True, metavar="K",
              help="Hits and nDCG among the first K. May be repeated.")  # fmt: skip
@click.option("--labels", metavar="TERMINOLOGY", help="For mappings: search for every name that the mapped concept has "
              "in this terminology, instead of its label in the file.")  # fmt: skip
@click.option("--together", is_flag=True, help="For mappings: all names of a concept are one question, each candidate "
              "with its best confidence.")  # fmt: skip
@click.option("--missing", type=click.Choice(["wrong", "skip"]), default="wrong", show_default=True,
              help="Questions whose gold concepts the index lacks: counted as wrong, or left out.")  # fmt: skip
@click.option("--queries", metavar="FILE", help="Write the texts, one a line, and stop: what `ontonym train --exclude` "
              "takes, so that no encoder has seen them.")  # fmt: skip
@click.option("--resamples", type=click.IntRange(1), default=BY_QUESTION.resamples, show_default=True,
              help="Resamples of the bootstrap.")  # fmt: skip
@json_option
def command(
    *, index: str, gold: str, signal: tuple[str, ...], cutoffs: tuple[int, ...], labels: str | None, together: bool,
    missing: Literal["wrong", "skip"], queries: str | None, resamples: int, as_json: bool,
) -> None:  # fmt: skip
    """Search for texts whose concepts are known, and measure Hits@K, MRR and nDCG@K (needs ontonym[eval]).

    GOLD is a table of texts and ids, or a mapping file (SSSOM) between another terminology and one of the index. nDCG
    gives 3 for the right concept, 2 for its parents and children, 1 for grandparents, grandchildren, siblings and
    uncles. By overlap degree too: the share of a text's words that the names of its concept have.
    """
    if together and not labels:
        raise InputError("--together needs the names of the mapped concepts: give --labels TERMINOLOGY")
    signals = chosen_signals(signal)
    bootstrap = replace(BY_QUESTION, resamples=resamples)
    ks = sorted(set(cutoffs))
    depth = ks[-1]
    with ExitStack() as stack, Bar("searching") as bar:
        opened = stack.enter_context(open_index(index))
        source = stack.enter_context(open_terminology(labels)) if labels else None
        read = read_questions(gold, opened, source=source, together=together, missing=missing)
        if queries:
            with written_file(queries) as stream:
                texts = dict.fromkeys(text for question in read.questions for text in question.texts)
                stream.write("".join(f"{text}\n" for text in texts if "\n" not in text).encode())
            return
        gains = gains_in(opened, read.questions)
        reports = {}
        for name in signals:
            bar.stage(f"searching, {name}", 0, None)
            rankings = ranked(_ask(opened, name, depth, bar), read.questions, depth)
            reports[name] = report_retrieval(read.questions, rankings, gains, bootstrap, ks)
        test = f"{bootstrap.caption('question')}; p: paired t-test against the first run"
        notes = [_told(read, opened, missing), test, *provenance(opened)]
    if as_json:
        shape = {name: {**report.to_dict(), **_against(reports, name)} for name, report in reports.items()}
        click.echo(to_json({"runs": shape, "unknown": dict(read.counts.unknown), "notes": notes}))
        return
    out = console()
    out.print(_table(reports), soft_wrap=True)
    out.print()
    if any(report.by_overlap for report in reports.values()):
        out.print(_by_overlap(reports, f"hits@{depth}"), soft_wrap=True)
        out.print()
    out.print("\n".join(notes), style="dim", soft_wrap=True)


def _ask(index: Index, signal: str, depth: int, bar: Bar) -> Ask:
    options = SearchOptions(k=depth, signal=signal)

    def ask(texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        found: list[list[tuple[str, float]]] = []
        for start in range(0, len(texts), _AT_ONCE):
            some = texts[start : start + _AT_ONCE]
            found += [[(hit.id, hit.confidence) for hit in hits] for hits in search_many(index, some, options)]
            bar.advance(len(some))
        return found

    return ask


def _table(reports: Mapping[str, RetrievalReport]) -> str:
    """A row for each run; p is that of the paired t-test on Hits of the first K against the first run."""
    first = next(iter(reports))
    measures = list(reports[first].measures)
    head = ["run", "n", *measures, *([f"p {measures[0]}"] if len(reports) > 1 else [])]
    rows = []
    for name, report in reports.items():
        row = [name, f"{report.n:,}", *(_cell(report.measures[measure]) for measure in measures)]
        if len(reports) > 1:
            row.append("" if name == first else _p(_against(reports, name)["p"][measures[0]]))
        rows.append(row)
    return format_table(head, rows)


def _against(reports: Mapping[str, RetrievalReport], name: str) -> dict[str, dict[str, float]]:
    first = next(iter(reports))
    if name == first:
        return {}
    values = reports[name].values
    return {"p": {measure: paired_t_test(reports[first].values[measure], one) for measure, one in values.items()}}


def _by_overlap(reports: Mapping[str, RetrievalReport], measure: str) -> str:
    """A measure by overlap degree: a row for each interval, a column for each run (Ngo, figure 3)."""
    some = next(iter(reports.values())).by_overlap
    rows = [
        [degree, f"{n:,}", *(_cell(report.by_overlap[degree][1][measure]) for report in reports.values())]
        for degree, (n, _) in some.items()
    ]
    return format_table([measure, "n", *reports], rows)


def _told(read: Gold, index: Index, missing: str) -> str:
    counts = read.counts
    skipped = "".join(f", {number:,} left out ({why})" for why, number in counts.skipped.items())
    unknown = counts.unknown
    shown = ", ".join(list(unknown)[:3])
    fate = "counted as wrong" if missing == "wrong" else "left out"
    lost = f"; {count(len(unknown), 'gold id')} the index does not have ({shown}…), {fate}" if unknown else ""
    return f"{index.releases}: {count(len(read.questions), 'question')} of {count(counts.rows, 'row')}{skipped}{lost}"


def _cell(one: Interval) -> str:
    return f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"


def _p(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"
