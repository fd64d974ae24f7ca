"""The report page: tables and plots of results in one HTML file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ontonym.evaluate.plots import draw
from ontonym.evaluate.results import Cell, Marked, Plot, Results, Table
from ontonym.evaluate.tables import best_cells, cell_text, has_figures, interval_of, parts_of
from ontonym.files.page import page_lines, picture, points, preformatted, table, text

_MOST_FIGURES = 5
"""The number of columns of figures from which on intervals are below figures, so that the table fits."""

_MANY_FIGURES = 8
"""The same from which on columns stand close together."""


def report_page(results: Sequence[Results], title: str = "") -> str:
    """The page as HTML, by default with the title of the first results.

    Raises MissingExtraError if there are plots and matplotlib is not installed.
    """
    more = f" and {len(results) - 1} more" if len(results) > 1 else ""
    return "\n".join(page_lines(title or f"{results[0].title}{more}", _body(results, title)))


def _body(results: Sequence[Results], title: str) -> Iterator[str]:
    if title:
        yield f"<h1>{text(title)}</h1>"
    if len(results) > 1:
        items = "".join(f'<li><a href="#r{number}">{text(one.title)}</a></li>' for number, one in enumerate(results))
        yield f"<nav><ol>{items}</ol></nav>"
    for number, one in enumerate(results):
        yield from _section(one, f"r{number}")


def _section(results: Results, anchor: str) -> Iterator[str]:
    """The parts of one result: protocol, then each table below its plot, and how to get it again."""
    yield f'<h1 id="{anchor}">{text(results.title)}</h1>'
    yield points(results.about)
    beside = {plot.key: plot for plot in results.plots}
    alone = [plot for plot in results.plots if all(plot.key != one.key for one in results.tables)]
    for number, one in enumerate(results.tables):
        yield f"<h2>{text(one.title)}</h2>"
        if one.key in beside:
            yield _figure(beside[one.key])
        yield from table_lines(one)
        yield points(one.notes)
        for plot in alone if number == 0 else ():
            yield f"<h2>{text(plot.title)}</h2>"
            yield _figure(plot)
    if results.command:
        yield f"<h2>How to get these figures again</h2>{preformatted(results.command)}"


def _figure(plot: Plot) -> str:
    names = ", ".join(line.name for line in plot.lines)
    about = f"{plot.title}: {plot.y} by {plot.x} for {names}" if plot.ordered else f"{plot.title}: {plot.y} for {names}"
    dotted = " The dotted line is chance." if plot.chance is not None else ""
    return picture(draw(plot), about, f"Bands and whiskers are the intervals of the table.{dotted}")


def table_lines(shown: Table) -> Iterator[str]:
    """A table as HTML, its best figures bold, with the interval of each."""
    numeric = [column for column, figures in enumerate(has_figures(shown)) if figures]
    best = best_cells(shown)
    rows = [
        [_cell(cell, strong=(row, column) in best, signed=shown.signed) for column, cell in enumerate(cells)]
        for row, cells in enumerate(shown.rows)
    ]
    kinds = ["stacked"] * (len(numeric) > _MOST_FIGURES) + ["tight"] * (len(numeric) > _MANY_FIGURES)
    return table(shown.columns, rows, numeric=numeric, kind=" ".join(kinds))


def _cell(cell: Cell, *, strong: bool, signed: bool) -> str:
    interval = interval_of(cell)
    if interval is None:
        return text(cell_text(cell))
    value, between = parts_of(interval, signed=signed)
    mark = f"<sup>{text(cell.mark)}</sup>" if isinstance(cell, Marked) and cell.mark else ""
    return f"{f'<b>{value}</b>' if strong else value}{mark}<small>{between}</small>"
