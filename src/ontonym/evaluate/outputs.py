"""Writes reports to files: a page, Markdown, LaTeX, each plot as a picture, or results that can be read again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import MappingProxyType

from ontonym.errors import InputError
from ontonym.evaluate.page import report_page
from ontonym.evaluate.plots import draw
from ontonym.evaluate.results import Results, to_bytes
from ontonym.evaluate.tables import latex, markdown
from ontonym.files.output import written_file

_WRITERS: MappingProxyType[str, Callable[[Sequence[Results]], bytes]] = MappingProxyType(
    {
        ".html": lambda results: report_page(results).encode(),
        ".md": lambda results: markdown(results).encode(),
        ".tex": lambda results: latex(results).encode(),
        ".json": lambda results: to_bytes(results[0]),
    }
)
"""The content of a file with each ending."""

ENDINGS = (".html", ".md", ".tex", ".svg", ".json")
"""The endings of report files."""


def check_endings(paths: Iterable[str]) -> None:
    """Raises InputError for a path whose ending `write_reports` does not know."""
    for path in paths:
        if Path(path).suffix.lower() not in ENDINGS:
            raise InputError(f"{path}: unknown ending. Endings known: {' '.join(ENDINGS)}")


def write_reports(paths: Sequence[str], results: Sequence[Results]) -> None:
    """Writes results to each path, in the form of its ending; for ``NAME.svg`` each plot as ``NAME.PLOT.svg``.

    Raises InputError for an unknown ending, for plots if there are none, for a results file (``.json``) of other than
    one evaluation, and if a file cannot be written; MissingExtraError for plots without matplotlib.
    """
    check_endings(paths)
    for path in paths:
        ending = Path(path).suffix.lower()
        if ending == ".svg":
            _write_plots(Path(path), results)
            continue
        if ending == ".json" and len(results) != 1:
            raise InputError(f"{path}: a results file has one evaluation, not {len(results)}")
        content = _WRITERS[ending](results)
        with written_file(path) as stream:
            stream.write(content)


def _write_plots(path: Path, results: Sequence[Results]) -> None:
    plots = [plot for one in results for plot in one.plots]
    if not plots:
        raise InputError(f"{path}: there is nothing to plot")
    taken: set[str] = set()
    for plot in plots:
        name = f"{path.stem}.{plot.key}.svg"
        for number in range(2, len(plots) + 2):
            if name in taken:
                name = f"{path.stem}.{plot.key}-{number}.svg"
        taken.add(name)
        with written_file(path.with_name(name)) as stream:
            stream.write(draw(plot).encode())
