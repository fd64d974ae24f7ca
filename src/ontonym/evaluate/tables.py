"""Tables as plain text, Markdown and LaTeX; figures look the same in all of them."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Sequence

from ontonym.evaluate.results import Cell, Marked, Results, Table
from ontonym.evaluate.significance import Interval

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$", "–": "--", "—": "---",
    "…": r"\ldots{}", "×": r"$\times$", "−": "$-$",
}  # fmt: skip
_LABEL = re.compile(r"[^a-z0-9]+")


def interval_of(cell: Cell) -> Interval | None:
    """The interval that a cell shows, if it shows one."""
    return cell.figure if isinstance(cell, Marked) else cell if isinstance(cell, Interval) else None


def is_figure(cell: Cell) -> bool:
    """Whether a cell is a number or an interval, which stand to the right."""
    return not isinstance(cell, str) and cell is not None


def has_figures(table: Table) -> list[bool]:
    """Whether each column of a table has a figure in any row."""
    return [any(is_figure(row[column]) for row in table.rows) for column in range(len(table.columns))]


def best_cells(table: Table) -> set[tuple[int, int]]:
    """Rows and columns of the figures that stand out: those that are best among their column's, or their row's."""
    if not table.best:
        return set()
    found: dict[int, list[tuple[float, tuple[int, int]]]] = {}
    for row, cells in enumerate(table.rows):
        for column, cell in enumerate(cells):
            interval = interval_of(cell)
            if interval is not None:
                line = row if table.methods == "columns" else column
                found.setdefault(line, []).append((round(interval.value, 3), (row, column)))
    choose = max if table.best == "high" else min
    return {
        place
        for some in found.values()
        if len(some) > 1
        for best in [choose(value for value, _ in some)]
        for value, place in some
        if value == best
    }


def cell_text(cell: Cell, *, signed: bool = False) -> str:
    """A cell in one line: a figure with three decimals, its 95% interval in brackets, its mark in parentheses."""
    interval = interval_of(cell)
    if interval is not None:
        mark = f" ({cell.mark})" if isinstance(cell, Marked) and cell.mark else ""
        return " ".join(parts_of(interval, signed=signed)) + mark
    if cell is None or isinstance(cell, str):
        return cell or ""
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:.3f}"


def parts_of(interval: Interval, *, signed: bool = False) -> tuple[str, str]:
    """A figure and its interval; both with their signs where they are ``signed``."""
    form = "+.3f" if signed else ".3f"
    return f"{interval.value:{form}}", f"[{interval.low:{form}}, {interval.high:{form}}]"


# Plain text --------------------------------------------------------------------------------------------------------


def text_table(table: Table) -> str:
    """The table as plain text, without its title and notes."""
    rows = [[cell_text(cell, signed=table.signed) for cell in row] for row in table.rows]
    left = [column == 0 or not figures for column, figures in enumerate(has_figures(table))]
    return _aligned(table.columns, rows, left)


def format_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of plain text: the first column to the left, the others to the right under their heads."""
    return _aligned(head, rows, [column == 0 for column in range(len(head))])


def _aligned(head: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[bool]) -> str:
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    blocks = []
    for columns in _blocks(widths, _terminal()):
        lines = [
            "  ".join(
                row[column].ljust(widths[column]) if left[column] else row[column].rjust(widths[column])
                for column in columns
            ).rstrip()
            for row in [head, *rows]
        ]
        rule = "-" * (sum(widths[column] + 2 for column in columns) - 2)
        blocks.append("\n".join([lines[0], rule, *lines[1:]]))
    return "\n\n".join(blocks)


def _terminal() -> int:
    """How many columns the terminal of standard output has; 0 where it is none, and a line may be as long as it is."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def _blocks(widths: Sequence[int], room: int) -> list[list[int]]:
    """The columns of the tables in which one too wide for a terminal is shown: the first one stands in each."""
    blocks = [[0]] if widths else [[]]
    for column in range(1, len(widths)):
        taken = sum(widths[one] + 2 for one in blocks[-1])
        if room and taken + widths[column] > room and len(blocks[-1]) > 1:
            blocks.append([0])
        blocks[-1].append(column)
    return blocks


# Markdown ----------------------------------------------------------------------------------------------------------


def markdown(results: Sequence[Results]) -> str:
    """Results as Markdown: titles, protocols and tables; plots are on the page and in the picture files."""
    parts: list[str] = []
    for one in results:
        parts += [f"# {_inline(one.title)}", *([_points(one.about)] if one.about else [])]
        for table in one.tables:
            parts += [f"## {_inline(table.title)}", _markdown_table(table)]
            parts += [_points(table.notes)] if table.notes else []
        parts += [f"```\n{one.command}\n```"] if one.command else []
    return "\n\n".join(parts) + "\n"


def _points(lines: Sequence[str]) -> str:
    return "\n".join(f"- {_inline(line)}" for line in lines)


def _inline(text: str) -> str:
    """Text in which nothing is taken for Markdown, on one line."""
    return re.sub(r"([\\`*_|<>\[\]#])", r"\\\1", " ".join(text.split()))


def _markdown_table(table: Table) -> str:
    """The rows of a table as a Markdown table, the best figures in bold."""
    best = best_cells(table)

    def cell(row: int, column: int, value: Cell) -> str:
        shown = _inline(cell_text(value, signed=table.signed))
        return f"**{shown}**" if (row, column) in best else shown

    lines = [
        "| " + " | ".join(map(_inline, table.columns)) + " |",
        "|" + "|".join("---:" if figure else "---" for figure in has_figures(table)) + "|",
    ]
    for row, cells in enumerate(table.rows):
        lines.append("| " + " | ".join(cell(row, column, value) for column, value in enumerate(cells)) + " |")
    return "\n".join(lines)


# LaTeX -------------------------------------------------------------------------------------------------------------


def latex(results: Sequence[Results]) -> str:
    """The tables as LaTeX, for a document that has ``\\usepackage{booktabs}``; a note below each says how it was
    measured.
    """
    parts = ["% Needs \\usepackage{booktabs}; wide tables: put \\resizebox or \\small around the tabular."]
    taken: set[str] = set()
    for one in results:
        parts += [f"% {' '.join(line.split())}" for line in (one.title, one.command) if line]
        parts += [_latex_table(table, one, taken) for table in one.tables]
    return "\n\n".join(parts) + "\n"


def _latex_table(table: Table, results: Results, taken: set[str]) -> str:
    """A table environment with caption, label, figures and what stands below them."""
    best = best_cells(table)

    def cell(row: int, column: int, value: Cell) -> str:
        return _latex_cell(value, bold=(row, column) in best, signed=table.signed)

    lines = [" & ".join(map(_escaped, table.columns)) + r" \\", r"\midrule"]
    for row, cells in enumerate(table.rows):
        lines.append(" & ".join(cell(row, column, value) for column, value in enumerate(cells)) + r" \\")
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_sentences((f'{table.title}: {results.title}',))}}}",
            rf"\label{{tab:{_label(table.key, taken)}}}",
            rf"\begin{{tabular}}{{{''.join('r' if figure else 'l' for figure in has_figures(table))}}}",
            r"\toprule",
            *lines,
            r"\bottomrule",
            r"\end{tabular}",
            *_latex_note((*results.about, *table.notes)),
            r"\end{table}",
        ]
    )


def _latex_note(lines: Sequence[str]) -> list[str]:
    """What stands below a table in small print."""
    if not lines:
        return []
    return [r"\par\smallskip", r"\begin{minipage}{\linewidth}\footnotesize", _sentences(lines), r"\end{minipage}"]


def _sentences(lines: Sequence[str]) -> str:
    return " ".join(_escaped(" ".join(line.split()).rstrip(".")) + "." for line in lines)


def _label(key: str, taken: set[str]) -> str:
    """A label that no table before has."""
    name = _LABEL.sub("-", key.lower()).strip("-")
    free = next(one for one in (name, *(f"{name}-{number}" for number in range(2, len(taken) + 3))) if one not in taken)
    taken.add(free)
    return free


def _latex_cell(cell: Cell, *, bold: bool, signed: bool) -> str:
    interval = interval_of(cell)
    strong: Callable[[str], str] = (lambda text: rf"\textbf{{{text}}}") if bold else (lambda text: text)
    if interval is None:
        return strong(_escaped(cell_text(cell)))
    mark = rf"$^{{{cell.mark}}}$" if isinstance(cell, Marked) and cell.mark else ""
    value, between = parts_of(interval, signed=signed)
    return rf"{strong(value)}{mark} {{\scriptsize {between}}}"


def _escaped(text: str) -> str:
    parts = text.split("--")  # an option of a command, which LaTeX would print as a dash
    return "-{}-".join("".join(_LATEX.get(character, character) for character in part) for part in parts)
