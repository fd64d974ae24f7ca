"""``ontonym demo``: the main job on two open terminologies that come as PyPI packages, with nothing to prepare."""

from __future__ import annotations

import shlex
import shutil
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from ontonym.cli.options import json_option
from ontonym.cli.progress import Bar
from ontonym.ontology.embedded import EMBEDDED
from ontonym.serve.shapes import search_shape, to_json
from ontonym.serve.show import NARROW, concept_cell, confidence_cell, console, count
from ontonym.tasks import SearchOptions, search
from ontonym.tasks.demo import PreparedDemo, cache_folder, prepare_demo
from ontonym.types import Hit

QUERIES = (
    ("heart skipping beats", "everyday words"),
    ("ringing in my ears", "everyday words"),
    ("drooping eyelid", "everyday words"),
    ("broken collarbone", "everyday words"),
    ("bitten by a dog", "what happened"),
    ("heart murmer", "misspelled"),
    ("type 2 diabetis", "misspelled"),
    ("cancer of the oesophagus", "British"),
    ("haemorrhage, subarachnoid", "British, inverted"),
    ("raised eosinophils", "clinical"),
)
"""What the demo asks, and what each query shows. Answers are shown as they come."""

EXAMPLES = """\b
Examples:
  ontonym demo
  ontonym demo "tired all the time"
  ontonym demo "kidney stones" --json

\b
The demo keeps its artifacts in ~/.cache/ontonym (XDG_CACHE_HOME and ONTONYM_CACHE are honoured).
"""


@click.command("demo", epilog=EXAMPLES)
@click.argument("words", nargs=-1, metavar="[WORDS]")
@click.option("-k", "k", type=int, default=5, show_default=True, help="How many concepts to show for WORDS.")
@click.option("--rebuild", is_flag=True, help="Make everything anew, even where the cache is current.")
@json_option
def command(*, words: tuple[str, ...], k: int, rebuild: bool, as_json: bool) -> None:
    """Search the Human Phenotype Ontology and ICD-10-CM: a tour without WORDS, the concepts for WORDS with them.

    The first run reads both releases and builds an index (under a minute); later runs open it at once.
    """
    options = SearchOptions(k=k)
    with Bar("preparing") as bar:
        prepared = prepare_demo(cache_folder() / "demo", bar.stage, rebuild=rebuild)
    with prepared.index:
        if words:
            _answer(prepared, " ".join(words), options, as_json)
            return
        answers, seconds = _tour(prepared)
        if as_json:
            click.echo(to_json(_shape(prepared, answers, seconds)))
        else:
            _show_tour(prepared, answers, seconds)


def _answer(prepared: PreparedDemo, words: str, options: SearchOptions, as_json: bool) -> None:
    hits = search(prepared.index, words, options)
    if as_json:
        click.echo(to_json(search_shape(words, hits)))
        return
    from ontonym.cli.search import show_hits

    show_hits(prepared.index, words, hits, titled=False)


def _tour(prepared: PreparedDemo) -> tuple[dict[str, list[Hit]], list[float]]:
    """The hits of every query of the tour, and the seconds that each took once the index was in memory."""
    answers = {query: search(prepared.index, query) for query, _ in QUERIES}
    seconds = []
    for query, _ in QUERIES:
        began = time.perf_counter()
        search(prepared.index, query)
        seconds.append(time.perf_counter() - began)
    return answers, seconds


def _shape(prepared: PreparedDemo, answers: Mapping[str, Sequence[Hit]], seconds: Sequence[float]) -> dict[str, object]:
    index = prepared.index
    return {
        "index": str(index.path),
        "terminologies": [
            {"name": part.name, "version": part.version, "concepts": len(part), "terms": part.term_count}
            for part in index.terminologies
        ],
        "names": len(index),
        "seconds": {name: round(value, 4) for name, value in prepared.seconds.items()},
        "search_seconds": [round(value, 6) for value in seconds],
        "queries": [search_shape(query, hits) for query, hits in answers.items()],
    }


def _show_tour(prepared: PreparedDemo, answers: Mapping[str, Sequence[Hit]], seconds: Sequence[float]) -> None:
    from rich.table import Table
    from rich.text import Text

    out = console()
    out.print(Text("ontonym finds the concept behind the words", style="bold"))
    narrow = out.width < NARROW
    out.print(_artifacts(prepared, narrow=narrow))
    out.print()
    table = Table(box=None, padding=(0, 2, 1, 0), pad_edge=False, header_style="dim")
    table.add_column("the words", min_width=20, max_width=25 if narrow else 30)
    table.add_column("the concept, and why", ratio=1)
    if not narrow:
        table.add_column("id", no_wrap=True)
    table.add_column("confidence", no_wrap=True)
    for query, shows in QUERIES:
        asked = Text.assemble((query, "cyan"), (f"\n{shows}", "dim"))
        hits = answers[query]
        if hits:
            cell = concept_cell(hits[0], with_id=narrow)
            table.add_row(asked, cell, *([] if narrow else [hits[0].id]), confidence_cell(hits[0].confidence))
        else:
            table.add_row(asked, Text("nothing found", style="dim"))
    out.print(table)
    out.print()
    milliseconds = sorted(1000 * value for value in seconds)
    out.print(
        f"one search takes {statistics.median(milliseconds):.1f} ms (median of these {len(seconds)}; the slowest "
        f"{milliseconds[-1]:.1f} ms)",
        style="dim",
    )
    out.print()
    _show_next(prepared.index.path)


def _artifacts(prepared: PreparedDemo, *, narrow: bool) -> object:
    """What is searched, and how long each step took that this run had to do."""
    from rich.table import Table

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
    rows.append(("one index of both", count(index.concept_count, "concept"), count(len(index), "name"), took))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False, style="dim")
    table.add_column(no_wrap=True)
    table.add_column(justify="right")
    if not narrow:
        table.add_column(justify="right")
    table.add_column()
    for what, concepts, names, how in rows:
        table.add_row(what, concepts, *([] if narrow else [names]), how)
    return table


def _show_next(index: Path) -> None:
    out = console()
    program, place = _program(), _short(index)
    out.print("Try next", style="bold")
    for comment, line in (
        ("your own words", f'{program} demo "tired all the time"'),
        ("why each was found", f'{program} search {place} "brittle nails" --explain'),
        ("only below one concept (eye)", f'{program} search {place} "drooping" --within HP:0000478'),
        ("a column of words", f"printf 'fever\\nfits\\n' | {program} normalize {place} -"),
        ("your own terminology", f"{program} import RELEASE -o my.terminology && {program} index my.terminology"),
    ):
        out.print(f"  # {comment}", style="dim")
        out.print(f"  {line}", soft_wrap=True)


def _short(path: Path) -> str:
    """A path as a shell takes it, from ``~`` where that is shorter."""
    try:
        below = f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return shlex.quote(str(path))
    return below if shlex.quote(below[2:]) == below[2:] else shlex.quote(str(path))


def _program() -> str:
    """How this program is called from a shell: ``ontonym``, or a path where the shell would not find it."""
    if shutil.which("ontonym"):
        return "ontonym"
    called = Path(sys.argv[0])
    if called.name == "ontonym":
        return shlex.quote(str(called))
    return f"{shlex.quote(sys.executable)} -m ontonym"
