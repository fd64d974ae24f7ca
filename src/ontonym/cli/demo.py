"""``ontonym demo``: the main job on two open terminologies that come as PyPI packages, with nothing to prepare."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from ontonym.cli.options import examples, summarized
from ontonym.cli.progress import Bar
from ontonym.encoder.places import CHOICES
from ontonym.files.user import cache_folder
from ontonym.serve.demo import answer_summary, tour_summary
from ontonym.serve.show import ShownLine, Summary
from ontonym.tasks import SearchOptions, search
from ontonym.tasks.demo import prepare_demo, take_tour

PLACE = """\b
The demo keeps its artifacts in ~/.cache/ontonym (XDG_CACHE_HOME and ONTONYM_CACHE are honoured).
"""


@click.command("demo", epilog=examples(
    "demo",
    'demo "tired all the time"',
    'demo "kidney stones" --json',
) + f"\n\n{PLACE}")  # fmt: skip
@click.argument("words", nargs=-1, metavar="[WORDS]")
@click.option("-k", "k", type=int, default=5, show_default=True, help="How many concepts to show for WORDS.")
@click.option(
    "--encoder", type=click.Choice(CHOICES), help="static, made in seconds (the default), or another that is installed."
)
@click.option("--rebuild", is_flag=True, help="Make everything anew, even where the cache is current.")
@summarized
def command(*, words: tuple[str, ...], k: int, encoder: str | None, rebuild: bool) -> Summary:
    """Search the Human Phenotype Ontology and ICD-10-CM: a tour without WORDS, the concepts for WORDS with them.

    The first run reads both releases and builds an index (under a minute; some minutes with the contextual encoder);
    later runs open it at once.
    """
    options = SearchOptions(k=k)
    with Bar("preparing") as bar:
        prepared = prepare_demo(cache_folder() / "demo", bar.stage, encoder=encoder, rebuild=rebuild)
    with prepared.index as index:
        if words:
            query = " ".join(words)
            return answer_summary(prepared, query, search(index, query, options))
        summary = tour_summary(prepared, take_tour(index))
        return replace(summary, lines=[*summary.lines, *_next_lines(index.path)])


def _next_lines(index: Path) -> Iterator[ShownLine]:
    """What to try next: commands that a shell takes as they are."""
    program, place = _program(), _short(index)
    yield "Try next", "bold"
    for comment, line in (
        ("your own words", f'{program} demo "tired all the time"'),
        ("why each was found", f'{program} search {place} "brittle nails" --explain'),
        ("only below one concept (eye)", f'{program} search {place} "drooping" --within HP:0000478'),
        ("a column of words", f"printf 'fever\\nfits\\n' | {program} normalize {place} -"),
        ("your own terminology", f"{program} import RELEASE -o my.terminology && {program} index my.terminology"),
    ):
        yield f"  # {comment}", "dim"
        yield f"  {line}"


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
