"""``ontonym evaluate``: what can be measured."""

from __future__ import annotations

import shlex
from types import MappingProxyType

import click

from ontonym.cli.lazy import LazyGroup

_IN = "ontonym.cli.evaluate_"

EVALUATIONS = MappingProxyType(
    {
        "normalization": (f"{_IN}normalization:normalization", "Normalize the mentions of gold corpora."),
        "search": (f"{_IN}search:search", "Search for texts whose concepts are known."),
        "strategies": (f"{_IN}normalization:strategies", "Try every search strategy, and keep the best."),
        "heldout": (f"{_IN}normalization:heldout", "Hide synonyms of a terminology and search for them."),
        "similarity": (f"{_IN}similarity:similarity", "Tell names that mean the same from others."),
        "categories": (f"{_IN}similarity:categories", "Tell near categories from far ones."),
        "matching": (f"{_IN}matching:matching", "Judge mappings by a reference alignment."),
        "ranking": (f"{_IN}matching:ranking", "Rank given candidates of concepts (Bio-ML)."),
        "alignment": (f"{_IN}matching:alignment", "Align concepts whose encyclopedia page is known."),
        "baselines": (f"{_IN}search:baselines", "Compare search methods by a plan, every run kept."),
        "runs": (f"{_IN}search:runs", "Measure runs of any search engine, as TREC files."),
        "report": (f"{_IN}report", "Show results as a page or for a paper, and compare runs."),
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
