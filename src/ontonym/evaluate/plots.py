"""Plots of figures with their intervals, as SVG (extra ``eval``: matplotlib).

Colours are those of Okabe and Ito (2008), which people with any colour vision can distinguish; each method also has its
own marker and line style, for print in black and white.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ontonym.evaluate.results import Line, Plot
from ontonym.files.output import written_file
from ontonym.files.page import new_figure, to_svg
from ontonym.text.counting import count

if TYPE_CHECKING:
    from ontonym.evaluate.calibration import Calibrated
    from ontonym.evaluate.reliability import Reliability

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))

_WIDTH = 7.2
_LEGEND_LETTERS = 88
"""The width of a legend row in letters; a marker counts as six."""
_APART = 1.3
_INK, _SOFT = "#1a1d21", "#5c6570"


def draw(plot: Plot) -> str:
    """The plot as an SVG element: curves with bands, or dots with whiskers, one row for each position.

    Raises MissingExtraError without matplotlib.
    """
    columns = _legend_columns([line.name for line in plot.lines])
    names = -(-len(plot.lines) // columns) * 0.24 + 0.2
    height = 3.6 if plot.ordered else 0.75 + len(plot.places) * max(0.34, 0.15 * len(plot.lines) + 0.12)
    figure = new_figure(_WIDTH, height + names)
    axes = figure.add_subplot()
    (_curves if plot.ordered else _dots)(axes, plot)
    axes.tick_params(labelsize=9, colors=_INK)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.suptitle(plot.title, fontsize=10.5, color=_INK)
    if len(plot.lines) > 1:
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside lower center", ncols=columns, fontsize=9,
            frameon=False,
        )  # fmt: skip
    return to_svg(figure)


def _legend_columns(names: Sequence[str]) -> int:
    """The number of legend columns that fit, with rows of similar length."""
    room = max(1, min(len(names), _LEGEND_LETTERS // (max(map(len, names), default=0) + 6)))
    rows = -(-len(names) // room)
    return -(-len(names) // max(rows, 1)) or 1


def _style(number: int) -> dict[str, Any]:
    round_about = number // len(COLOURS)
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": MARKERS[(number + round_about) % len(MARKERS)],
        "linestyle": DASHES[(number + round_about) % len(DASHES)],
    }


def _values(line: Line) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Values, low and high ends; NaN where the line has no point."""
    table = np.array(
        [(np.nan,) * 3 if point is None else (point.value, point.low, point.high) for point in line.points],
        dtype=np.float64,
    ).reshape(len(line.points), 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _curves(axes: Any, plot: Plot) -> None:
    """Curves with bands; an x axis of numbers is logarithmic."""
    numeric = all(place.isdigit() and int(place) for place in plot.places) and len(plot.places) > 1
    at = np.array([float(place) for place in plot.places]) if numeric else np.arange(len(plot.places), dtype=np.float64)
    for number, line in enumerate(plot.lines):
        values, low, high = _values(line)
        style = _style(number)
        axes.plot(at, values, label=line.name, markersize=5, linewidth=1.6, **style)
        axes.fill_between(at, low, high, color=style["color"], alpha=0.13, linewidth=0)
    if numeric:
        axes.set_xscale("log", base=2)
        axes.minorticks_off()
    shown = _spread(at, numeric=numeric)
    axes.set_xticks(at[shown], [plot.places[place] for place in shown])
    axes.set_xlabel(plot.x, fontsize=9.5, color=_INK)
    axes.set_ylabel(plot.y, fontsize=9.5, color=_INK)
    axes.grid(axis="y", color="#d9dee3", linewidth=0.7)
    axes.set_axisbelow(True)
    if plot.chance is not None:
        axes.axhline(plot.chance, color=_SOFT, linewidth=1, linestyle=":")


def _spread(at: np.ndarray[Any, Any], *, numeric: bool) -> list[int]:
    """The positions of ticks: all, or on a logarithmic axis the last and those far enough from the next."""
    if not numeric:
        return list(range(len(at)))
    shown = [len(at) - 1]
    for place in range(len(at) - 2, -1, -1):
        if at[shown[-1]] / at[place] > _APART:
            shown.append(place)
    return shown[::-1]


def _dots(axes: Any, plot: Plot) -> None:
    """A row for each position, with a dot and whiskers for each method, the first method on top."""
    reach = 0.7 if len(plot.lines) > 1 else 0.0
    rows = np.arange(len(plot.places), dtype=np.float64)
    for number, line in enumerate(plot.lines):
        values, low, high = _values(line)
        off = 0.0 if len(plot.lines) == 1 else reach * (number / (len(plot.lines) - 1) - 0.5)
        style = _style(number)
        whiskers = np.maximum(np.stack([values - low, high - values]), 0)
        axes.errorbar(
            values, rows + off, xerr=whiskers, fmt=style["marker"], color=style["color"], label=line.name,
            markersize=5, elinewidth=1.4, capsize=2,
        )  # fmt: skip
    axes.set_yticks(rows, plot.places)
    axes.set_ylim(len(plot.places) - 0.5, -0.5)
    for edge in rows[:-1] + 0.5:
        axes.axhline(edge, color="#d9dee3", linewidth=0.7)
    axes.set_xlabel(plot.y, fontsize=9.5, color=_INK)
    axes.grid(axis="x", color="#e6eaee", linewidth=0.7)
    axes.set_axisbelow(True)
    if plot.chance is not None:
        axes.axvline(plot.chance, color=_SOFT, linewidth=1, linestyle=":")


# Reliability ---------------------------------------------------------------------------------------------------------


def reliability_diagram(calibrated: Calibrated) -> str:
    """A reliability diagram as an SVG document. A dot is a bin, its size the number of queries; the dashed line is
    ideal.

    Raises MissingExtraError without matplotlib.
    """
    figure = new_figure(8, 4.2)
    sides = figure.subplots(1, 2, sharey=True)
    for axes, title, one in zip(
        sides, ("before", "after, cross-fitted"), (calibrated.before, calibrated.after), strict=True
    ):
        _reliability(axes, title, one, len(calibrated.outcomes))
    sides[0].set(ylabel="share of first hits that are right")
    figure.suptitle(
        f"{calibrated.calibration.facts['data']}, {count(len(calibrated.outcomes), 'query', 'queries')}", fontsize=10
    )
    return to_svg(figure)


def write_reliability_diagram(path: Path | str, calibrated: Calibrated) -> None:
    """Writes `reliability_diagram` to an SVG file; raises InputError if it cannot be written."""
    with written_file(path) as stream:
        stream.write(reliability_diagram(calibrated).encode())


def _reliability(axes: Any, title: str, one: Reliability, n: int) -> None:
    places = [each.confidence for each in one.bins]
    axes.plot((0, 1), (0, 1), color="#9ca3af", linestyle="--", linewidth=1)
    axes.plot(places, [each.right for each in one.bins], color="#2563eb", linewidth=1)
    axes.scatter(
        places, [each.right for each in one.bins], [12 + 300 * each.n / n for each in one.bins], color="#2563eb"
    )
    axes.set(xlabel="confidence", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    axes.set_title(f"{title}: ECE {one.ece.value:.3f}", fontsize=10)
