"""``ontonym benchmark``: what a terminology can be turned into to measure with, each by a command of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shlex import quote
from types import MappingProxyType

import click

from ontonym.benchmark.gold import ANY, XREF, GoldOptions, build_gold, mappings_in
from ontonym.benchmark.sets import BuildOptions, build_sets, open_sets, read_recipe
from ontonym.benchmark.splits import SplitOptions, build_splits
from ontonym.benchmark.study import StudyOptions, draw_study, judge_study, write_sheets
from ontonym.cli.lazy import LazyGroup
from ontonym.cli.options import (
    LANGUAGES,
    Opt,
    OptionGroup,
    examples,
    refuse_with,
    refuse_without,
    summarized,
    wanted_languages,
)
from ontonym.cli.progress import Bar
from ontonym.index.pages import open_pages
from ontonym.learning.recipes.split import parse_shares
from ontonym.serve.benchmarks import gold_summary, judged_summary, sets_summary, sheets_summary, splits_summary
from ontonym.serve.show import Summary
from ontonym.store import open_terminologies, open_terminology
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


@click.group("benchmark", cls=LazyGroup, table=BENCHMARKS, epilog=examples("benchmark build hp.terminology -o hp.sets"))
def command() -> None:
    """Make benchmarks from a terminology itself; no annotation is needed."""


BUILD = OptionGroup(
    BuildOptions(),
    languages=Opt("Names in this language. May be repeated; all: every language.", "--language", "TAG"),
    scopes=Opt(f"Synonyms of this scope ({', '.join(SCOPES)}). May be repeated.", "--scope", "NAME"),
    threshold=Opt(
        "A similar pair is easy where its Levenshtein distance is at most this, else hard.", "--easy-distance"
    ),
    seed=Opt("Seed of the random negatives."),
)

GOLD = OptionGroup(
    GoldOptions(),
    predicates=Opt(
        f"What says that two concepts are the same: a mapping's predicate, {XREF} for cross-references, or {ANY}. May "
        "be repeated.",
        "--predicate",
        "NAME",
    ),
    languages=LANGUAGES,
    copies=Opt("Leave out names that the right concept has too: they show spelling alone.", "--no-copies", off=True),
)

STUDY = OptionGroup(
    StudyOptions(), each=Opt("Similar pairs drawn of each set, and as many others."), seed=Opt("Which ones.")
)


@click.command("build", epilog=examples(
    "benchmark build hp.terminology -o hp.sets",
    "benchmark build doid-2016.terminology --older doid-2015.terminology -o doid.sets",
    "benchmark build snomed.terminology -o snomed.sets --jobs 8",
    "benchmark build snomed.terminology --recipe-file theirs.json -o snomed.sets",
))  # fmt: skip
@click.argument("terminology", metavar="TERMINOLOGY")
@click.option("-o", "--output", required=True, metavar="DIR", help="The folder of sets to write.")
@click.option("--older", multiple=True, metavar="TERMINOLOGY", help="An older release, for what was merged since: its "
              "names of ids that are gone. The newest first. May be repeated.")  # fmt: skip
@BUILD.as_("options")
@click.option("--recipe-file", "recipe", metavar="FILE", help="Make what this recipe made (recipe.json in a "
              "folder of sets), with its options, and exit 1 where a byte differs.")  # fmt: skip
@click.option("--jobs", "threads", type=click.IntRange(1), default=2, show_default=True, metavar="N",
              help="Threads that share the search for the closest names.")  # fmt: skip
@summarized
def build(
    *, terminology: str, output: str, older: tuple[str, ...], options: BuildOptions, recipe: str | None, threads: int
) -> Summary:
    """Make sets of pairs of names, half of them similar, out of a terminology (needs ontonym[eval]).

    Similar are the names of one concept, and of a retired concept and its successor; easy pairs are spelled alike,
    hard ones are not. The other half are random, or as close in spelling as there are without being similar. So 20
    sets, as files of tab-separated values, with statistics, and with a recipe by which anybody who has the same
    release makes the same bytes: share that instead of licensed names.
    """
    if recipe:
        refuse_with("--recipe-file, which has them", *(f"options__{name}" for name in BUILD.opts))
    told = read_recipe(recipe) if recipe else None
    options = told.options if told else replace(options, languages=wanted_languages(options.languages))
    with Bar("making sets") as bar, open_terminology(terminology) as opened, open_terminologies(older) as before:
        if told:
            told.check_releases(opened, before)
        manifest = build_sets(opened, output, options, older=before, threads=threads, progress=bar.stage)
    different = told.differences(manifest.content["recipe"]["sets"]) if told else None
    return sets_summary(output, manifest, bar.seconds, different).then(f"ontonym evaluate similarity {quote(output)}")


@click.command("gold", epilog=examples(
    "benchmark gold hp.terminology mesh.terminology -o hp-mesh.gold",
    "benchmark gold hp.terminology doid.terminology --mappings hp_doid.sssom.tsv -o hp-doid.gold",
    "benchmark gold snomed.terminology icd10.terminology --predicate any -o snomed-icd10.gold",
    "train hp.terminology --exclude hp-mesh.gold/names.txt -o blind.encoder",
))  # fmt: skip
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("target", metavar="TARGET.terminology")
@click.option("-o", "--output", required=True, metavar="DIR", help="The folder of questions to write.")
@click.option("--mappings", multiple=True, metavar="FILE|TERMINOLOGY", help="More mappings, such as a SSSOM file. May "
              "be repeated.")  # fmt: skip
@GOLD.as_("options")
@summarized
def gold(*, source: str, target: str, output: str, mappings: tuple[str, ...], options: GoldOptions) -> Summary:
    """Make questions for search out of mappings: every name of a mapped concept, and the concepts it stands for.

    Mappings are those that either terminology holds (RF2 maps of SNOMED CT among them), cross-references of either, and
    more from files. The folder goes to `ontonym evaluate search`; its names.txt to `ontonym train --exclude`, so that
    no encoder has seen what it is asked for.
    """
    options = replace(options, languages=wanted_languages(options.languages))
    more = mappings_in(mappings)
    with Bar("making questions") as bar, open_terminology(source) as opened, open_terminology(target) as searched:
        manifest = build_gold(opened, searched, output, options, mappings=more, progress=bar.stage)
    summary = gold_summary(output, manifest, options, bar.seconds)
    index = Path(target.rstrip("/")).with_suffix(".index")
    return summary.then(f"ontonym evaluate search {quote(str(index))} {quote(output)}" if index.is_dir() else "")


@click.command("pages", epilog=examples(
    "benchmark pages mesh.terminology wiki.pages -o mesh-wiki.gold",
    "benchmark pages mesh.terminology wiki.pages --mappings mesh_wikipedia.sssom.tsv -o mesh-wiki.gold",
    "evaluate alignment mesh.terminology wiki.pages mesh-wiki.gold",
))  # fmt: skip
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("pages", metavar="PAGES")
@click.option("-o", "--output", required=True, metavar="DIR", help="The folder to write: train, dev and test as SSSOM.")
@click.option("--mappings", multiple=True, metavar="FILE", help="More mappings between concepts and pages, such as a "
              "SSSOM file. May be repeated.")  # fmt: skip
@click.option("--shares", "split", default="10/2/5.8", show_default=True, metavar="A/B/C", help="Shares of the "
              "concepts to learn from, choose by and judge by (Rahimi); linked ones stay together.")  # fmt: skip
@click.option("--seed", default=SplitOptions().seed, show_default=True, help="Draws the splits.")
@summarized
def pages(*, source: str, pages: str, output: str, mappings: tuple[str, ...], split: str, seed: int) -> Summary:
    """Split the concepts whose encyclopedia page is known by an id into train, dev and test.

    A page is known where it has the concept's id (Wikidata's items have those of MeSH, UMLS, DOID and others), or the
    concept the page's. Concepts of several pages are left out.
    """
    options = SplitOptions(parse_shares(split), seed)
    with open_terminology(source) as opened, open_pages(pages) as searched:
        manifest = build_splits(opened, searched, output, options, mappings=stated_mappings(mappings))
    return splits_summary(output, manifest).then(
        f"ontonym evaluate alignment {quote(source)} {quote(pages)} {quote(output)}"
    )


@click.command("study", epilog=examples(
    "benchmark study hp.sets -o study --annotator anna --annotator ben --annotator chris --xlsx",
    "benchmark study study",
))  # fmt: skip
@click.argument("place", metavar="SETS|STUDY")
@click.option("-o", "--output", metavar="DIR", help="Write sheets and their key into this folder.")
@click.option("--annotator", multiple=True, metavar="NAME", help="Who gets a sheet. May be repeated.")
@STUDY.as_("options")
@click.option("--xlsx", "excel", is_flag=True, help="XLSX sheets with a choice of answers, instead of CSV.")
@summarized
def study(*, place: str, output: str | None, annotator: tuple[str, ...], options: StudyOptions, excel: bool) -> Summary:
    """Let people judge pairs without knowing their set, and say how good the sets are (needs ontonym[eval]).

    With -o, draws pairs of SETS and writes a sheet for each annotator; key.json says what is what: keep it from them.
    Without, reads the filled sheets of STUDY: on how many pairs there is no majority, Krippendorff's alpha, and
    accuracy, recall and precision of each set against the majority (Schulz's Table 3).
    """
    if output is not None:
        pairs = draw_study(open_sets(place), options)
        summary = sheets_summary(output, pairs, write_sheets(output, pairs, annotator, excel=excel))
        return summary.then(f"ontonym benchmark study {quote(output)}")
    refuse_without("-o", "annotator", "excel", *(f"options__{name}" for name in STUDY.opts))
    return judged_summary(judge_study(place))
