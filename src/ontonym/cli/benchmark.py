"""``ontonym benchmark``: what a terminology can be turned into to measure with."""

from __future__ import annotations

from types import MappingProxyType

import click

from ontonym.cli.lazy import LazyGroup

BENCHMARKS = MappingProxyType(
    {
        "build": ("ontonym.cli.benchmark_build", "Make sets of similar and dissimilar names."),
        "gold": ("ontonym.cli.benchmark_gold", "Make questions for search out of mappings."),
        "pages": ("ontonym.cli.benchmark_pages", "Split concepts whose encyclopedia page is known."),
        "study": ("ontonym.cli.benchmark_study", "Let people judge such sets, and measure how good they are."),
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
