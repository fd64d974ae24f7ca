"""``ontonym evaluate``: what can be measured."""

from __future__ import annotations

from types import MappingProxyType

import click

from ontonym.cli.lazy import LazyGroup
from ontonym.cli.options import examples

_MENTIONS = "ontonym.cli.evaluate_normalization"

EVALUATIONS = MappingProxyType(
    {
        "normalization": (f"{_MENTIONS}:normalization", "Normalize the mentions of gold corpora."),
        "annotation": ("ontonym.cli.evaluate_annotation:annotation", "Find the mentions of gold documents."),
        "search": ("ontonym.cli.evaluate_search:search", "Search for texts whose concepts are known."),
        "strategies": (f"{_MENTIONS}:strategies", "Try every search strategy, and keep the best."),
        "heldout": (f"{_MENTIONS}:heldout", "Hide synonyms of a terminology and search for them."),
        "similarity": ("ontonym.cli.evaluate_similarity:similarity", "Tell names that mean the same from others."),
        "categories": ("ontonym.cli.evaluate_similarity:categories", "Tell near categories from far ones."),
        "matching": ("ontonym.cli.evaluate_matching:matching", "Judge mappings by a reference alignment."),
        "ranking": ("ontonym.cli.evaluate_matching:ranking", "Rank given candidates of concepts (Bio-ML)."),
        "alignment": ("ontonym.cli.evaluate_matching:alignment", "Align concepts whose encyclopedia page is known."),
        "baselines": ("ontonym.cli.evaluate_search:baselines", "Compare search methods by a plan, every run kept."),
        "runs": ("ontonym.cli.evaluate_search:runs", "Measure runs of any search engine, as TREC files."),
        "report": ("ontonym.cli.evaluate_report", "Show results as a page or for a paper, and compare runs."),
    }
)
"""What ``ontonym evaluate`` measures."""


@click.group("evaluate", cls=LazyGroup, table=EVALUATIONS, epilog=examples(
    "evaluate normalization medic.index NCBIdevelopset_corpus.txt",
    "evaluate heldout hp.obo",
))  # fmt: skip
def command() -> None:
    """Measure against gold data; every figure comes with its protocol and a 95% interval."""
