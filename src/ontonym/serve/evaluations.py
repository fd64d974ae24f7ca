"""What evaluations found, for a person."""

from __future__ import annotations

from collections.abc import Sequence

from ontonym.evaluate.comparison import Comparison
from ontonym.evaluate.results import Results
from ontonym.evaluate.tables import text_table
from ontonym.serve.show import ShownLine


def results_lines(results: Results, comparisons: Sequence[Comparison] = ()) -> list[ShownLine]:
    """Tables with their notes, what comparisons say of the first measure, and what the results are about."""
    lines: list[ShownLine] = []
    for table in results.tables:
        lines += [(table.title, "bold"), text_table(table), *((note, "dim") for note in table.notes), ""]
    if comparisons:
        lines += [*(one.verdict(next(iter(one.differences))) for one in comparisons), ""]
    return [*lines, ("\n".join((*results.about, f"command: {results.command}")), "dim")]
