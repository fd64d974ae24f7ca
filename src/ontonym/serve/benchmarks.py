"""Summaries of benchmarks that were made: similarity sets and their study, questions for search, splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontonym.benchmark.gold import NAMES, QUESTIONS, GoldOptions
from ontonym.benchmark.negatives import STRATEGIES
from ontonym.benchmark.study import KEY, QUESTION, JudgedStudy, Quality, StudyPair
from ontonym.evaluate.tables import format_table
from ontonym.learning.recipes.split import SPLITS
from ontonym.manifest import Manifest
from ontonym.serve.show import Summary, facts_table, plain_table, size
from ontonym.text.counting import count

if TYPE_CHECKING:
    from rich.table import Table


def sets_summary(output: str, manifest: Manifest, seconds: float, different: Sequence[str] | None = None) -> Summary:
    """Similarity sets; where they follow a recipe, a failure for the sets that are ``different`` from it."""
    statistics = manifest.content["statistics"]
    same = {} if different is None else {"different": different}
    shape = {"path": output, "fingerprint": manifest.fingerprint, "seconds": round(seconds, 1), **same, **statistics}
    pairs = sum(row[strategy]["pairs"] for row in statistics["sets"] for strategy in STRATEGIES)
    facts = [
        ("sets", f"{output}  ({size(manifest.bytes)})"),
        ("names", f"{statistics['names']:,} different; {count(statistics['meanings'], 'group')} of similar ones, "
         f"the largest of {statistics['largest']:,}"),
        ("made", f"{count(pairs, 'pair')} in {seconds:.1f} s"),
        ("fingerprint", manifest.fingerprint),
    ]  # fmt: skip
    about = ("pairs of each set, and mean Levenshtein distances, as Schulz's Table 2", "dim")
    failure = f"{output}: not what the recipe made: {', '.join(different)}" if different else ""
    return Summary(shape, lines=[_sets_table(statistics["sets"]), about, facts_table(facts)], failure=failure)


def _sets_table(sets: Sequence[Mapping[str, Any]]) -> Table:
    """The size and the mean distances of each relation and difficulty."""
    table = plain_table()
    for label in ("set", "", "pairs", "similar", *(f"not ({strategy})" for strategy in STRATEGIES)):
        table.add_column(label, justify="left" if label in ("set", "") else "right", no_wrap=True)
    for row in sets:
        first = row[STRATEGIES[0]]
        distances = [first["positive_distance"], *(row[strategy]["negative_distance"] for strategy in STRATEGIES)]
        shown = ("" if one is None else f"{one:.2f}" for one in distances)
        table.add_row(row["relation"], row["difficulty"], f"{first['pairs']:,}", *shown)
    return table


def gold_summary(output: str, manifest: Manifest, options: GoldOptions, seconds: float) -> Summary:
    """Questions for search that were made of mappings."""
    statistics = manifest.content["statistics"]
    by = ", ".join(f"{number:,} by {name}" for name, number in statistics["by"].items())
    left = ", ".join(f"{number:,} {name}" for name, number in statistics["not_taken"].items())
    facts = [
        ("gold", f"{output}  ({size(manifest.bytes)})"),
        ("questions", f"{statistics['questions']:,} in {QUESTIONS}, names of "
         f"{count(statistics['concepts'], 'concept')}, made in {seconds:.1f} s"),
        ("mapped", by + (f"; not taken: {left}" if left else "")),
        ("easy", f"{statistics['copies']:,} are names of the right concept too"
         f"{'' if options.copies else ', left out'}; "
         f"{statistics['elsewhere']:,} are names of wrong concepts only"),
        ("names", f"{count(statistics['names'], 'different name')} in {NAMES}"),
    ]  # fmt: skip
    return Summary({"path": output, "fingerprint": manifest.fingerprint, **statistics}, facts)


def splits_summary(output: str, manifest: Manifest) -> Summary:
    """The concepts whose page is known, in train, dev and test."""
    statistics = manifest.content["statistics"]
    facts = [
        ("splits", f"{output}  ({size(manifest.bytes)})"),
        ("aligned", ", ".join(f"{count(statistics[name], 'concept')} in {name}" for name in SPLITS)),
        ("left out", f"{count(statistics['with several pages'], 'concept')} with several pages"),
        ("names", "; ".join(_named(side, one) for side, one in statistics["names"].items())),
    ]
    return Summary({"path": output, "fingerprint": manifest.fingerprint, **statistics}, facts)


def _named(side: str, figures: Mapping[str, float]) -> str:
    """The average names and languages of one side, as in Rahimi's table 1."""
    each = f"{figures['names']:.1f} names in {figures['languages']:.1f} languages each"
    return f"{figures['number']:,} {side}: {each}"


def sheets_summary(output: str, pairs: Sequence[StudyPair], sheets: Sequence[Path]) -> Summary:
    """The sheets that were written for a study, and what to ask."""
    key = Path(output) / KEY
    shape = {"pairs": len(pairs), "sheets": [str(sheet) for sheet in sheets], "key": str(key)}
    line = f"{count(len(pairs), 'pair')} on {', '.join(map(str, sheets))}; keep {key} to yourself"
    return Summary(shape, lines=[line, f"ask: {QUESTION}"])


def judged_summary(judged: JudgedStudy) -> Summary:
    """What the filled sheets of a study say of each set (Schulz's Table 3)."""
    sets = {name: asdict(one) for name, one in judged.sets.items()}
    head = ["set", "pairs", "no majority", "alpha", "accuracy", "recall", "precision"]
    table = format_table(head, [[name, *_quality_cells(one)] for name, one in judged.sets.items()])
    empty = ", ".join(f"{who} {number:,}" for who, number in judged.unanswered.items() if number)
    about = (
        f"{count(len(judged.annotators), 'annotator')}: {', '.join(judged.annotators)}"
        f"{f'; not answered: {empty}' if empty else ''}; "
        "alpha: Krippendorff's, nominal; accuracy, recall and precision of the sets, the majority being the truth"
    )
    shape = {"annotators": judged.annotators, "unanswered": judged.unanswered, "sets": sets}
    return Summary(shape, lines=[table, (about, "dim")])


def _quality_cells(one: Quality) -> list[str]:
    shares = (one.alpha, one.accuracy, one.recall, one.precision)
    return [f"{one.pairs:,}", f"{one.undecided:.0%}", *("/" if value is None else f"{value:.2f}" for value in shares)]
