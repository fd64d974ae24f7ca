"""``ontonym align``: the concepts of a terminology aligned with encyclopedia pages."""

from __future__ import annotations

import datetime
import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

import click
import numpy as np

import ontonym
from ontonym.cli.align_journal import Journal, journal_file
from ontonym.cli.evaluate import command_line
from ontonym.cli.options import json_option
from ontonym.cli.pages import chosen_options, chosen_stage, stage_options, statements_of
from ontonym.cli.progress import Bar, resumable
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count, facts, size
from ontonym.errors import InputError
from ontonym.index.pages import Pages, open_pages
from ontonym.store import Terminology, open_terminology
from ontonym.store.export.mappings import MappingFacts, write_mappings
from ontonym.store.mappings.rows import JUSTIFICATIONS
from ontonym.tasks.align import Aligned, AlignOptions, Candidate, SecondStage, align, known_links

PREDICATE = "skos:exactMatch"
_MEASURE = "cosine of TF-IDF of 1 to 5 characters"
_FLUSHED = 256

EXAMPLES = """\b
Examples:
  ontonym import wikidata.json.gz -o wikidata.terminology
  ontonym index wikidata.terminology --pages -o wiki.pages
  ontonym align hp.terminology wiki.pages -o hp-wiki.sssom.tsv
  ontonym align umls.terminology wiki.pages -o umls-wiki.sssom.tsv --language en --language ja --resume
  ontonym align hp.terminology wiki.pages -o hp-wiki.sssom.tsv --rerank wiki.reranker --known curated.sssom.tsv
"""


@click.command("align", epilog=EXAMPLES)
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("pages", metavar="PAGES")
@click.option("-o", "--output", required=True, metavar="FILE", help="The alignment to write, as SSSOM TSV.")
@click.option("-k", "k", type=click.IntRange(1), default=5, show_default=True, help="Pages written for a concept, the "
              "likeliest first.")  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0, 1), default=0.01, show_default=True, help="The confidence below "
              "which a page is not written.")  # fmt: skip
@click.option("--all", "every", is_flag=True, help="Align concepts too whose page is known already.")
@click.option("--known", multiple=True, metavar="FILE", help="Mappings that are decided (SSSOM): concepts of "
              "those that hold are not asked for, what is denied (predicate_modifier Not) is not proposed. May be "
              "repeated.")  # fmt: skip
@stage_options
@click.option("--resume", is_flag=True, help="Go on with what an interrupted run has found, if it left something.")
@json_option
def command(
    *, source: str, pages: str, output: str, k: int, threshold: float, every: bool, known: tuple[str, ...],
    resume: bool, as_json: bool, **chosen: Any,
) -> None:  # fmt: skip
    """Align the concepts of a terminology with the pages of an encyclopedia.

    PAGES is a page index: pages of Wikidata or a Wikipedia, imported, then made searchable with `ontonym index
    --pages`. All names of a concept together bring candidates, by words and by letters; these are weighed, and read by
    a reranker where one is given. Concepts whose page is known by an id are left out.
    """
    began = time.monotonic()
    options = chosen_options(chosen, k)
    with ExitStack() as stack:
        opened = stack.enter_context(open_terminology(source))
        searched = stack.enter_context(open_pages(pages))
        _check(opened, searched)
        second = chosen_stage(chosen)
        links, denied = _decided(opened, searched, known)
        rows = [row for row in np.flatnonzero(opened.active).tolist() if every or row not in links]
        run = _run(opened, searched, options, second, rows, chosen)
        journal = Journal(journal_file(output), run, resume=resume)
        finished = False
        try:
            taken_up = journal.done
            _find(opened, searched, rows, options, second, journal)
            told = _Told(threshold, denied)
            rows_found = told.rows(journal.read(), opened, searched)
            written = write_mappings(output, rows_found, MappingFacts(slots=_facts(opened, searched, options)),
                                     format="sssom").mappings  # fmt: skip
            finished = True
        finally:
            journal.close(finished=finished)
        _show(output, told, written, len(links), taken_up, time.monotonic() - began, as_json=as_json)


def _check(source: Terminology, pages: Pages) -> None:
    if not source.active.any():
        raise InputError(f"{source.name or source.path}: no active concept to align")
    if any(one.fingerprint == source.fingerprint for one in pages.terminologies):
        raise InputError(f"{source.path}: is what the pages of {pages.path} were made from: both sides are the same")


def _decided(
    source: Terminology, pages: Pages, known: Sequence[str]
) -> tuple[dict[int, frozenset[int]], frozenset[tuple[int, int]]]:
    """The pages that concepts are known to have, and the pairs that files deny; InputError for a file of neither."""
    links = dict(known_links(source, pages))
    denied: set[tuple[int, int]] = set()
    for path in known:
        stated = known_links(source, pages, statements_of([path]), ids=False)
        denials = known_links(source, pages, statements_of([path], denied=True), ids=False)
        if not stated and not denials:
            raise InputError(f"{path}: no mapping between {source.name or source.path} and {pages.releases}")
        links.update(stated)
        denied.update((row, page) for row, some in denials.items() for page in some)
    return links, frozenset(denied)


def _run(
    source: Terminology,
    pages: Pages,
    options: AlignOptions,
    second: SecondStage,
    rows: Sequence[int],
    chosen: Mapping[str, Any],
) -> dict[str, Any]:
    """What makes two runs the same, so that one can go on with what the other found."""
    reranker = "" if second.reranker is None else second.reranker.fingerprint
    told = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(options).items()}
    return {
        "source": source.fingerprint,
        "pages": pages.fingerprint,
        "concepts": hashlib.sha256(np.asarray(rows, dtype=np.int64).tobytes()).hexdigest(),
        "options": told,
        "reranker": reranker,
        "depth": second.depth,
        "weight": chosen["rerank_weight"],
    }


def _find(
    source: Terminology, pages: Pages, rows: Sequence[int], options: AlignOptions, second: SecondStage, journal: Journal
) -> None:
    """Aligns the concepts that the journal has not, and puts them into it."""
    left = islice(rows, journal.done, None)
    with Bar("aligning", len(rows)) as bar, resumable(journal.file):
        bar.advance(journal.done)
        for number, _ in enumerate(journal.add(align(source, pages, left, options, second)), 1):
            bar.advance(1)
            if number % _FLUSHED == 0:
                journal.flush()


class _Told:
    """Turns what was found into rows of SSSOM, and counts."""

    def __init__(self, threshold: float, denied: frozenset[tuple[int, int]]) -> None:
        self._threshold, self._denied = threshold, denied
        self.concepts = self.aligned = self.sure = 0

    def rows(self, found: Iterator[Aligned], source: Terminology, pages: Pages) -> Iterator[dict[str, str]]:
        """The pages of every concept, ranked, as they come."""
        for one in found:
            kept = [each for each in one.candidates if self._keeps(one.row, each)]
            self.concepts += 1
            self.aligned += bool(kept)
            self.sure += bool(kept) and (kept[0].confidence or 0) >= 0.9
            for rank, candidate in enumerate(kept, 1):
                yield _row(source, one.row, pages, candidate, rank)

    def _keeps(self, row: int, one: Candidate) -> bool:
        sure = one.confidence is None or one.confidence >= self._threshold
        return sure and (row, one.page) not in self._denied


def _row(source: Terminology, row: int, pages: Pages, one: Candidate, rank: int) -> dict[str, str]:
    others = [f"rank {rank}", f"BM25 {one.lexical:.2f}"]
    if one.same:
        others.insert(1, f"{count(one.same, 'name')} in common")
    if one.reranked is not None:
        others.append(f"reranker {one.reranked:.4f}")
    return {
        "subject_id": source.id(row),
        "subject_label": source.preferred(row),
        "predicate_id": PREDICATE,
        "object_id": pages.id(one.page),
        "object_label": pages.title(one.page),
        "mapping_justification": JUSTIFICATIONS["lexical" if one.same else "spelling"],
        "confidence": "" if one.confidence is None else f"{one.confidence:.4f}",
        "similarity_score": f"{one.char:.4f}",
        "similarity_measure": _MEASURE,
        "other": "; ".join(others),
    }


def _facts(source: Terminology, pages: Pages, options: AlignOptions) -> dict[str, str]:
    """The metadata of the mapping set."""
    return {
        "mapping_set_id": f"urn:ontonym:{source.fingerprint[:12]}-{pages.fingerprint[:12]}",
        "license": "https://w3id.org/sssom/license/unspecified",
        "mapping_set_title": f"{source.name} to {pages.releases}",
        "subject_source_version": source.version,
        "object_source_version": pages.terminologies[0].version,
        "mapping_tool": "ontonym",
        "mapping_tool_version": ontonym.__version__,
        "mapping_date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "comment": f"proposals, ranked for each subject, of {options.candidates} candidates; {command_line()}",
    }


def _show(
    output: str, told: _Told, written: int, known: int, taken_up: int, seconds: float, *, as_json: bool
) -> None:  # fmt: skip
    if as_json:
        shape = {
            "path": output, "concepts": told.concepts, "aligned": told.aligned, "sure": told.sure, "rows": written,
            "known": known, "resumed": taken_up, "seconds": round(seconds, 1),
        }  # fmt: skip
        click.echo(to_json(shape))
        return
    out = console()
    pace = f", {(told.concepts - taken_up) / max(seconds, 1e-9):,.0f} concepts/s" if told.concepts > taken_up else ""
    facts(
        [
            ("alignment", f"{output}  ({size(Path(output).stat().st_size)})"),
            ("proposed", f"{count(written, 'page')} for {told.aligned:,} of {count(told.concepts, 'concept')} in "
             f"{seconds:.1f} s{pace}"),
            ("sure", f"{count(told.sure, 'concept')} with a confidence of 0.9 or more"),
            ("known", f"{count(known, 'concept')} had a page already" if known else ""),
            ("resumed", f"{count(taken_up, 'concept')} had been asked for before" if taken_up else ""),
        ],
        out,
    )  # fmt: skip
    out.print(f"next: ontonym review start {output}", style="dim", soft_wrap=True)
