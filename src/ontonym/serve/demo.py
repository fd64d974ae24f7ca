"""What the demo shows: the tour of its queries, and the concepts for words of the user's own."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ontonym.ontology.embedded import EMBEDDED
from ontonym.serve.hitlists import NARROW, concept_cell, confidence_cell, hits_table
from ontonym.serve.shapes import search_shape
from ontonym.serve.show import Summary, console, plain_table
from ontonym.tasks.demo import QUERIES, DemoTour, PreparedDemo
from ontonym.tasks.explain.texts import language_advice
from ontonym.text.counting import count
from ontonym.types import Hit

if TYPE_CHECKING:
    from rich.table import Table


def answer_summary(prepared: PreparedDemo, query: str, hits: Sequence[Hit]) -> Summary:
    """The hits of one query."""
    parts = len(prepared.index.terminologies)
    table = hits_table(hits, width=console().width, terminologies=parts) if hits else ("nothing found", "dim")
    advice = language_advice(prepared.index, query, hits)
    return Summary(search_shape(query, hits), lines=[table, *([(advice, "dim")] if advice else [])])


def tour_summary(prepared: PreparedDemo, tour: DemoTour) -> Summary:
    """What is searched, the best answer to every query of the tour, and how long a search takes."""
    from rich.text import Text

    index = prepared.index
    shape = {
        "index": str(index.path),
        "terminologies": [
            {"name": part.name, "version": part.version, "concepts": len(part), "terms": part.term_count}
            for part in index.terminologies
        ],
        "names": index.name_count,
        "seconds": {name: round(value, 4) for name, value in prepared.seconds.items()},
        "search_seconds": [round(value, 6) for value in tour.seconds],
        "queries": [search_shape(query, hits) for query, hits in tour.answers.items()],
    }
    narrow = console().width < NARROW
    milliseconds = sorted(1000 * value for value in tour.seconds)
    took = (
        f"one search takes {statistics.median(milliseconds):.1f} ms (median of these {len(milliseconds)}; the slowest "
        f"{milliseconds[-1]:.1f} ms)"
    )
    title = ("ontonym finds the concept behind the words", "bold")
    answers = _answers(tour, narrow=narrow)
    return Summary(shape, lines=[title, _artifacts(prepared, narrow=narrow), "", answers, "", Text(took, "dim"), ""])


def _answers(tour: DemoTour, *, narrow: bool) -> Table:
    """Every query with what it shows, and the best answer to it."""
    from rich.text import Text

    table = plain_table(padding=(0, 2, 1, 0))
    table.add_column("the words", min_width=20, max_width=25 if narrow else 30)
    table.add_column("the concept, and why", ratio=1)
    if not narrow:
        table.add_column("id", no_wrap=True)
    table.add_column("confidence", no_wrap=True)
    for query, shows in QUERIES:
        asked = Text.assemble((query, "cyan"), (f"\n{shows}", "dim"))
        hits = tour.answers[query]
        if hits:
            cell = concept_cell(hits[0], with_id=narrow)
            table.add_row(asked, cell, *([] if narrow else [hits[0].id]), confidence_cell(hits[0].confidence))
        else:
            table.add_row(asked, Text("nothing found", style="dim"))
    return table


def _artifacts(prepared: PreparedDemo, *, narrow: bool) -> Table:
    """What is searched, and how long each step took that this run had to do."""
    index, seconds = prepared.index, prepared.seconds
    rows = [
        (
            f"{EMBEDDED[part.name].title} {part.version}",
            count(len(part), "concept"),
            count(part.term_count, "name"),
            f"read in {seconds[part.name]:.1f} s" if part.name in seconds else "from the cache",
        )
        for part in index.terminologies
    ]
    took = f"built in {seconds['index']:.1f} s" if "index" in seconds else f"opened in {seconds['open']:.2f} s"
    rows.append(("one index of both", count(index.concept_count, "concept"), count(index.name_count, "name"), took))
    table = plain_table(show_header=False, style="dim")
    table.add_column(no_wrap=True)
    table.add_column(justify="right")
    if not narrow:
        table.add_column(justify="right")
    table.add_column()
    for what, concepts, names, how in rows:
        table.add_row(what, concepts, *([] if narrow else [names]), how)
    return table
