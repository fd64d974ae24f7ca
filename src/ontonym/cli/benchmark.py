"""``ontonym benchmark``: what a terminology can be turned into to measure with."""

from __future__ import annotations

import click

from ontonym.cli import BenchmarkGroup

EXAMPLES = """\b
Examples:
  ontonym benchmark build hp.terminology -o hp.sets
"""


@click.group("benchmark", cls=BenchmarkGroup, epilog=EXAMPLES)
def command() -> None:
    """Make benchmarks from a terminology itself; no annotation is needed."""
