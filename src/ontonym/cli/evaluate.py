"""``ontonym evaluate``: what can be measured."""

from __future__ import annotations

import shlex
from types import MappingProxyType

import click

from ontonym.cli.lazy import LazyGroup

EVALUATIONS = MappingProxyType(
    {
        "normalization": ("ontonym.cli.evaluate_normalization", "Normalize the mentions of gold corpora."),
        "search": ("ontonym.cli.evaluate_search", "Search for texts whose concepts are known."),
        "strategies": ("ontonym.cli.evaluate_strategies", "Try every search strategy, and keep the best."),
        "heldout": ("ontonym.cli.evaluate_heldout", "Hide synonyms of a terminology and search for them."),
        "similarity": ("ontonym.cli.evaluate_similarity", "Tell names that mean the same from others."),
        "categories": ("ontonym.cli.evaluate_categories", "Tell near categories from far ones."),
        "matching": ("ontonym.cli.evaluate_matching", "Judge mappings by a reference alignment."),
        "ranking": ("ontonym.cli.evaluate_ranking", "Rank given candidates of concepts (Bio-ML)."),
        "alignment": ("ontonym.cli.evaluate_alignment", "Align concepts whose encyclopedia page is known."),
        "baselines": ("ontonym.cli.evaluate_baselines", "Compare search methods by a plan, every run kept."),
        "runs": ("ontonym.cli.evaluate_runs", "Measure runs of any search engine, as TREC files."),
        "report": ("ontonym.cli.evaluate_report", "Show results as a page or for a paper, and compare runs."),
    }
)
"""What ``ontonym evaluate`` measures."""

EXAMPLES = """\b
Examples:
  ontonym evaluate normalization medic.index NCBIdevelopset_corpus.txt
  ontonym evaluate heldout hp.obo
"""


@click.group("evaluate", cls=LazyGroup, table=EVALUATIONS, epilog=EXAMPLES)
def command() -> None:
    """Measure against gold data; every figure comes with its protocol and a 95% interval."""


def command_line() -> str:
    """The command that gives the same figures again, in one line."""
    return shlex.join(click.get_current_context().find_root().obj)


def command_note() -> str:
    """The same as a note below figures."""
    return f"command: {command_line()}"
