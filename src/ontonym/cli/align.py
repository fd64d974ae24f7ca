"""``ontonym align``: the concepts of a terminology aligned with encyclopedia pages."""

from __future__ import annotations

import time
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

import click
import numpy as np

from ontonym.cli.evaluate import command_line
from ontonym.cli.options import json_option
from ontonym.cli.pages import CANDIDATES, STAGE, StageFlags, first_stage
from ontonym.cli.progress import Bar, resumable
from ontonym.index.pages import open_pages
from ontonym.serve.shapes import to_json
from ontonym.serve.show import console, count, facts, size
from ontonym.store import open_terminology
from ontonym.store.export.mappings import MappingFacts, write_mappings
from ontonym.tasks.align import AlignOptions, align, check_sides, decided_links
from ontonym.tasks.alignments import AlignJournal, AlignmentRows, align_slots, run_of

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
@STAGE.as_("flags")
@CANDIDATES.as_("options")
@click.option("--resume", is_flag=True, help="Go on with what an interrupted run has found, if it left something.")
@json_option
def command(
    *, source: str, pages: str, output: str, k: int, threshold: float, every: bool, known: tuple[str, ...],
    flags: StageFlags, options: AlignOptions, resume: bool, as_json: bool,
) -> None:  # fmt: skip
    """Align the concepts of a terminology with the pages of an encyclopedia.

    PAGES is a page index: pages of Wikidata or a Wikipedia, imported, then made searchable with `ontonym index
    --pages`. All names of a concept together bring candidates, by words and by letters; these are weighed, and read by
    a reranker where one is given. Concepts whose page is known by an id are left out.
    """
    began = time.monotonic()
    chosen = first_stage(options, k)
    with ExitStack() as stack:
        opened = stack.enter_context(open_terminology(source))
        searched = stack.enter_context(open_pages(pages))
        check_sides(opened, searched)
        second = flags.opened()
        links, denied = decided_links(opened, searched, known)
        rows = [row for row in np.flatnonzero(opened.active).tolist() if every or row not in links]
        place = Path(output)
        journal = AlignJournal(place.with_name(f"{place.name}.unfinished"),
                               run_of(opened, searched, chosen, second, rows), resume=resume)  # fmt: skip
        finished = False
        try:
            resumed = journal.done
            with Bar("aligning", len(rows)) as bar, resumable(journal.file):
                bar.advance(resumed)
                left = islice(rows, resumed, None)
                for _ in journal.add(align(opened, searched, left, chosen, second)):
                    bar.advance(1)
            found = AlignmentRows(opened, searched, threshold, denied)
            about = MappingFacts(slots=align_slots(opened, searched, chosen, command_line()))
            written = write_mappings(output, found.of(journal.read()), about, format="sssom").mappings
            finished = True
        finally:
            journal.close(finished=finished)
        _show(output, found, written, len(links), resumed, time.monotonic() - began, as_json=as_json)


def _show(
    output: str, found: AlignmentRows, written: int, known: int, resumed: int, seconds: float, *, as_json: bool
) -> None:
    if as_json:
        shape = {
            "path": output, "concepts": found.concepts, "aligned": found.aligned, "sure": found.sure, "rows": written,
            "known": known, "resumed": resumed, "seconds": round(seconds, 1),
        }  # fmt: skip
        click.echo(to_json(shape))
        return
    out = console()
    pace = f", {(found.concepts - resumed) / max(seconds, 1e-9):,.0f} concepts/s" if found.concepts > resumed else ""
    facts(
        [
            ("alignment", f"{output}  ({size(Path(output).stat().st_size)})"),
            ("proposed", f"{count(written, 'page')} for {found.aligned:,} of {count(found.concepts, 'concept')} in "
             f"{seconds:.1f} s{pace}"),
            ("sure", f"{count(found.sure, 'concept')} with a confidence of 0.9 or more"),
            ("known", f"{count(known, 'concept')} had a page already" if known else ""),
            ("resumed", f"{count(resumed, 'concept')} had been asked for before" if resumed else ""),
        ],
        out,
    )  # fmt: skip
    out.print(f"next: ontonym review start {output}", style="dim", soft_wrap=True)
