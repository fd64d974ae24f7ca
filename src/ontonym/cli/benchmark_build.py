"""``ontonym benchmark build``: sets of similar and dissimilar names, out of a terminology and its history."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from ontonym.artifact import Manifest
from ontonym.benchmark.negatives import STRATEGIES
from ontonym.benchmark.sets import BuildOptions, build_sets, read_recipe
from ontonym.cli.options import dataclass_options, json_option, wanted_languages, wanted_scopes
from ontonym.cli.progress import Bar
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count, facts, size
from ontonym.errors import CheckFailed
from ontonym.store import open_terminology
from ontonym.types import SCOPES

HELP = MappingProxyType(
    {
        "threshold": "A similar pair is easy where its Levenshtein distance is at most this, else hard.",
        "seed": "Seed of the random negatives.",
    }
)

EXAMPLES = """\b
Examples:
  ontonym benchmark build hp.terminology -o hp.sets
  ontonym benchmark build doid-2016.terminology --older doid-2015.terminology -o doid.sets
  ontonym benchmark build snomed.terminology -o snomed.sets --threads 8
  ontonym benchmark build snomed.terminology --recipe theirs.json -o snomed.sets
"""


@click.command("build", epilog=EXAMPLES)
@click.argument("terminology", metavar="TERMINOLOGY")
@click.option("-o", "--output", required=True, metavar="DIR", help="The folder of sets to write.")
@click.option("--older", multiple=True, metavar="TERMINOLOGY", help="An older release, for what was merged since: its "
              "names of ids that are gone. The newest first. May be repeated.")  # fmt: skip
@click.option("--language", multiple=True, default=BuildOptions().languages, show_default=True, metavar="TAG",
              help="Names in this language. May be repeated; all: every language.")  # fmt: skip
@click.option("--scope", multiple=True, default=BuildOptions().scopes, show_default=True, metavar="NAME",
              help=f"Synonyms of this scope ({', '.join(SCOPES)}). May be repeated.")  # fmt: skip
@dataclass_options(BuildOptions, HELP)
@click.option("--recipe", metavar="FILE", help="Make what this recipe made (recipe.json in a folder of sets), with its "
              "options, and exit 1 where a byte differs.")  # fmt: skip
@click.option("--threads", type=click.IntRange(1), default=2, show_default=True,
              help="Threads that look for the closest names.")  # fmt: skip
@json_option
def command(
    *, terminology: str, output: str, older: tuple[str, ...], recipe: str | None, threads: int, as_json: bool,
    **chosen: Any,
) -> None:  # fmt: skip
    """Make sets of pairs of names, half of them similar, out of a terminology (needs ontonym[eval]).

    Similar are the names of one concept, and of a retired concept and its successor; easy pairs are spelled alike,
    hard ones are not. The other half are random, or as close in spelling as there are without being similar. So 20
    sets, as files of tab-separated values, with statistics, and with a recipe by which anybody who has the same
    release makes the same bytes: share that instead of licensed names.
    """
    began = time.monotonic()
    told = read_recipe(recipe) if recipe else None
    options = told.options if told else _options(chosen)
    with ExitStack() as stack, Bar("making sets") as bar:
        opened = stack.enter_context(open_terminology(terminology))
        before = [stack.enter_context(open_terminology(place)) for place in older]
        if told:
            told.check_releases(opened, before)
        manifest = build_sets(
            opened, output, options, older=before, threads=threads,
            progress=bar.stage,
        )  # fmt: skip
    seconds = time.monotonic() - began
    different = told.differences(manifest.content["recipe"]["sets"]) if told else []
    if as_json:
        same = {"different": different} if told else {}
        shape = {"path": output, "fingerprint": manifest.fingerprint, "seconds": round(seconds, 1), **same}
        click.echo(to_json({**shape, **manifest.content["statistics"]}))
    else:
        _show(Path(output), manifest, seconds)
    if different:
        raise CheckFailed(f"{output}: not what the recipe made: {', '.join(different)}")


def _options(chosen: Mapping[str, Any]) -> BuildOptions:
    plain = {name: chosen[name] for name in HELP}
    return BuildOptions(wanted_languages(chosen["language"]), wanted_scopes(chosen["scope"]), **plain)


def _show(output: Path, manifest: Manifest, seconds: float) -> None:
    from rich.table import Table

    out = console()
    statistics = manifest.content["statistics"]
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for label in ("set", "", "pairs", "similar", *(f"not ({strategy})" for strategy in STRATEGIES)):
        table.add_column(label, justify="left" if label in ("set", "") else "right", no_wrap=True)
    for row in statistics["sets"]:
        table.add_row(row["relation"], row["difficulty"], *_cells(row))
    out.print(table)
    out.print("pairs of each set, and mean Levenshtein distances, as Schulz's Table 2", style="dim")
    pairs = sum(row[strategy]["pairs"] for row in statistics["sets"] for strategy in STRATEGIES)
    facts(
        [
            ("sets", f"{output}  ({size(manifest.bytes)})"),
            ("names", f"{statistics['names']:,} different; {count(statistics['meanings'], 'group')} of similar ones, "
             f"the largest of {statistics['largest']:,}"),
            ("made", f"{count(pairs, 'pair')} in {seconds:.1f} s"),
            ("fingerprint", manifest.fingerprint),
        ],
        out,
    )  # fmt: skip
    out.print(f"next: ontonym evaluate similarity {output}", style="dim", soft_wrap=True)


def _cells(row: Mapping[str, Any]) -> Sequence[str]:
    """The size and the mean distances of one relation and difficulty."""
    first = row[STRATEGIES[0]]
    cells = [f"{first['pairs']:,}", _distance(first["positive_distance"])]
    return [*cells, *(_distance(row[strategy]["negative_distance"]) for strategy in STRATEGIES)]


def _distance(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
