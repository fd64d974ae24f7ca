"""``ontonym benchmark``: what a terminology can be turned into to measure with, each by a command of its own."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from ontonym.artifact import Manifest
from ontonym.benchmark.gold import ANY, NAMES, QUESTIONS, XREF, GoldOptions, build_gold, mappings_in
from ontonym.benchmark.negatives import STRATEGIES
from ontonym.benchmark.sets import BuildOptions, build_sets, open_sets, read_recipe
from ontonym.benchmark.splits import SplitOptions, build_splits
from ontonym.benchmark.study import KEY, QUESTION, Quality, StudyOptions, draw_study, judge_study, write_sheets
from ontonym.cli.lazy import LazyGroup
from ontonym.cli.options import dataclass_options, json_option, language_option, wanted_languages, wanted_scopes
from ontonym.cli.progress import Bar
from ontonym.errors import CheckFailed, InputError
from ontonym.evaluate.tables import format_table
from ontonym.index.pages import open_pages
from ontonym.learning.recipes.split import SPLITS, parse_shares
from ontonym.serve.shapes import to_json
from ontonym.serve.show import console, count, facts, size
from ontonym.store import open_terminology
from ontonym.store.mappings import stated_mappings
from ontonym.types import SCOPES

BENCHMARKS = MappingProxyType(
    {
        "build": ("ontonym.cli.benchmark:build", "Make sets of similar and dissimilar names."),
        "gold": ("ontonym.cli.benchmark:gold", "Make questions for search out of mappings."),
        "pages": ("ontonym.cli.benchmark:pages", "Split concepts whose encyclopedia page is known."),
        "study": ("ontonym.cli.benchmark:study", "Let people judge such sets, and measure how good they are."),
    }
)
"""What ``ontonym benchmark`` makes."""

EXAMPLES = """\b
Examples:
  ontonym benchmark build hp.terminology -o hp.sets
"""


@click.group("benchmark", cls=LazyGroup, table=BENCHMARKS, epilog=EXAMPLES)
def command() -> None:
    """Make benchmarks from a terminology itself; no annotation is needed."""


HELP = MappingProxyType(
    {
        "threshold": "A similar pair is easy where its Levenshtein distance is at most this, else hard.",
        "seed": "Seed of the random negatives.",
    }
)

BUILD_EXAMPLES = """\b
Examples:
  ontonym benchmark build hp.terminology -o hp.sets
  ontonym benchmark build doid-2016.terminology --older doid-2015.terminology -o doid.sets
  ontonym benchmark build snomed.terminology -o snomed.sets --threads 8
  ontonym benchmark build snomed.terminology --recipe theirs.json -o snomed.sets
"""


@click.command("build", epilog=BUILD_EXAMPLES)
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
def build(
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
        _show_sets(Path(output), manifest, seconds)
    if different:
        raise CheckFailed(f"{output}: not what the recipe made: {', '.join(different)}")


def _options(chosen: Mapping[str, Any]) -> BuildOptions:
    plain = {name: chosen[name] for name in HELP}
    return BuildOptions(wanted_languages(chosen["language"]), wanted_scopes(chosen["scope"]), **plain)


def _show_sets(output: Path, manifest: Manifest, seconds: float) -> None:
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


GOLD_EXAMPLES = """\b
Examples:
  ontonym benchmark gold hp.terminology mesh.terminology -o hp-mesh.gold
  ontonym benchmark gold hp.terminology doid.terminology --mappings hp_doid.sssom.tsv -o hp-doid.gold
  ontonym benchmark gold snomed.terminology icd10.terminology --predicate any -o snomed-icd10.gold
  ontonym train hp.terminology --exclude hp-mesh.gold/names.txt -o blind.encoder
"""


@click.command("gold", epilog=GOLD_EXAMPLES)
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("target", metavar="TARGET.terminology")
@click.option("-o", "--output", required=True, metavar="DIR", help="The folder of questions to write.")
@click.option("--mappings", multiple=True, metavar="FILE|TERMINOLOGY", help="More mappings, such as a SSSOM file. May "
              "be repeated.")  # fmt: skip
@click.option("--predicate", multiple=True, default=GoldOptions().predicates, show_default=True, metavar="NAME",
              help=f"What says that two concepts are the same: a mapping's predicate, {XREF} for cross-references, or "
              f"{ANY}. May be repeated.")  # fmt: skip
@language_option
@click.option("--no-copies", is_flag=True, help="Leave out names that the right concept has too: they show spelling "
              "alone.")  # fmt: skip
@json_option
def gold(
    *, source: str, target: str, output: str, mappings: tuple[str, ...], predicate: tuple[str, ...],
    language: tuple[str, ...], no_copies: bool, as_json: bool,
) -> None:  # fmt: skip
    """Make questions for search out of mappings: every name of a mapped concept, and the concepts it stands for.

    Mappings are those that either terminology holds (RF2 maps of SNOMED CT among them), cross-references of either, and
    more from files. The folder goes to `ontonym evaluate search`; its names.txt to `ontonym train --exclude`, so that
    no encoder has seen what it is asked for.
    """
    began = time.monotonic()
    options = GoldOptions(predicate, wanted_languages(language), copies=not no_copies)
    with (
        open_terminology(source) as opened, open_terminology(target) as searched, Bar("making questions") as bar,
    ):  # fmt: skip
        manifest = build_gold(
            opened, searched, output, options, mappings=mappings_in(mappings),
            progress=bar.stage,
        )  # fmt: skip
    told = manifest.content["statistics"]
    if as_json:
        click.echo(to_json({"path": output, "fingerprint": manifest.fingerprint, **told}))
        return
    seconds = time.monotonic() - began
    out = console()
    by = ", ".join(f"{number:,} by {name}" for name, number in told["by"].items())
    left = ", ".join(f"{number:,} {name}" for name, number in told["not_taken"].items())
    facts(
        [
            ("gold", f"{output}  ({size(manifest.bytes)})"),
            ("questions", f"{told['questions']:,} in {QUESTIONS}, names of {count(told['concepts'], 'concept')}, "
             f"made in {seconds:.1f} s"),
            ("mapped", by + (f"; not taken: {left}" if left else "")),
            ("easy", f"{told['copies']:,} are names of the right concept too{', left out' * no_copies}; "
             f"{told['elsewhere']:,} are names of wrong concepts only"),
            ("names", f"{count(told['names'], 'different name')} in {NAMES}"),
        ],
        out,
    )  # fmt: skip
    out.print(f"next: ontonym evaluate search {Path(target).stem}.index {output}", style="dim", soft_wrap=True)


PAGES_EXAMPLES = """\b
Examples:
  ontonym benchmark pages mesh.terminology wiki.pages -o mesh-wiki.gold
  ontonym benchmark pages mesh.terminology wiki.pages --mappings mesh_wikipedia.sssom.tsv -o mesh-wiki.gold
  ontonym evaluate alignment mesh.terminology wiki.pages mesh-wiki.gold
"""


@click.command("pages", epilog=PAGES_EXAMPLES)
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("pages", metavar="PAGES")
@click.option("-o", "--output", required=True, metavar="DIR", help="The folder to write: train, dev and test as SSSOM.")
@click.option("--mappings", multiple=True, metavar="FILE", help="More mappings between concepts and pages, such as a "
              "SSSOM file. May be repeated.")  # fmt: skip
@click.option("--split", default="10/2/5.8", show_default=True, metavar="A/B/C", help="Shares of the concepts "
              "to learn from, choose by and judge by (Rahimi's thousands); linked ones stay together.")  # fmt: skip
@click.option("--seed", default=SplitOptions().seed, show_default=True, help="Draws the splits.")
@json_option
def pages(
    *, source: str, pages: str, output: str, mappings: tuple[str, ...], split: str, seed: int, as_json: bool
) -> None:  # fmt: skip
    """Split the concepts whose encyclopedia page is known by an id into train, dev and test.

    A page is known where it has the concept's id (Wikidata's items have those of MeSH, UMLS, DOID and others), or the
    concept the page's. Concepts of several pages are left out.
    """
    options = SplitOptions(parse_shares(split), seed)
    with open_terminology(source) as opened, open_pages(pages) as searched:
        manifest = build_splits(opened, searched, output, options, mappings=stated_mappings(mappings))
    told = manifest.content["statistics"]
    if as_json:
        click.echo(to_json({"path": output, "fingerprint": manifest.fingerprint, **told}))
        return
    out = console()
    facts(
        [
            ("splits", f"{output}  ({size(manifest.bytes)})"),
            ("aligned", ", ".join(f"{count(told[name], 'concept')} in {name}" for name in SPLITS)),
            ("left out", f"{count(told['with several pages'], 'concept')} with several pages"),
        ],
        out,
    )
    out.print(f"next: ontonym evaluate alignment {source} {pages} {output}", style="dim", soft_wrap=True)


STUDY_EXAMPLES = """\b
Examples:
  ontonym benchmark study hp.sets -o study --annotator anna --annotator ben --annotator chris --xlsx
  ontonym benchmark study study
"""


@click.command("study", epilog=STUDY_EXAMPLES)
@click.argument("place", metavar="SETS|STUDY")
@click.option("-o", "--output", metavar="DIR", help="Write sheets and their key into this folder.")
@click.option("--annotator", multiple=True, metavar="NAME", help="Who gets a sheet. May be repeated.")
@dataclass_options(
    StudyOptions, {"each": "Similar pairs drawn of each set, and as many others.", "seed": "Which ones."}
)
@click.option("--xlsx", "excel", is_flag=True, help="XLSX sheets with a choice of answers, instead of CSV.")
@json_option
def study(
    *, place: str, output: str | None, annotator: tuple[str, ...], each: int, seed: int, excel: bool, as_json: bool
) -> None:
    """Let people judge pairs without knowing their set, and say how good the sets are (needs ontonym[eval]).

    With -o, draws pairs of SETS and writes a sheet for each annotator; key.json says what is what: keep it from them.
    Without, reads the filled sheets of STUDY: on how many pairs there is no majority, Krippendorff's alpha, and
    accuracy, recall and precision of each set against the majority (Schulz's Table 3).
    """
    if output is not None:
        pairs = draw_study(open_sets(place), StudyOptions(each, seed))
        sheets = write_sheets(output, pairs, annotator, excel=excel)
        if as_json:
            click.echo(
                to_json(
                    {"pairs": len(pairs), "sheets": [str(sheet) for sheet in sheets], "key": str(Path(output) / KEY)}
                )
            )
            return
        click.echo(
            f"{count(len(pairs), 'pair')} on {', '.join(map(str, sheets))}; keep {Path(output) / KEY} to yourself"
        )
        click.echo(f"ask: {QUESTION}")
        click.echo(f"then: ontonym benchmark study {output}")
        return
    if annotator:
        raise InputError("--annotator is for writing sheets: give -o too")
    judged = judge_study(place)
    if as_json:
        shapes = {name: asdict(one) for name, one in judged.sets.items()}
        click.echo(to_json({"annotators": judged.annotators, "unanswered": judged.unanswered, "sets": shapes}))
        return
    out = console()
    head = ["set", "pairs", "no majority", "alpha", "accuracy", "recall", "precision"]
    out.print(format_table(head, [[name, *_quality_cells(one)] for name, one in judged.sets.items()]), soft_wrap=True)
    empty = ", ".join(f"{who} {number:,}" for who, number in judged.unanswered.items() if number)
    left = f"; not answered: {empty}" if empty else ""
    out.print(
        f"{count(len(judged.annotators), 'annotator')}: {', '.join(judged.annotators)}{left}; "
        "alpha: Krippendorff's, nominal; accuracy, recall and precision of the sets, the majority being the truth",
        style="dim", soft_wrap=True,
    )  # fmt: skip


def _quality_cells(one: Quality) -> list[str]:
    shares = (one.alpha, one.accuracy, one.recall, one.precision)
    return [f"{one.pairs:,}", f"{one.undecided:.0%}", *("/" if value is None else f"{value:.2f}" for value in shares)]
