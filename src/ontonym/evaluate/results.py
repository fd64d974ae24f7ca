"""The results of an evaluation: tables and plots for people, and each question's figures, to compare runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any, Literal

import numpy as np
import orjson

from ontonym.arrays import Doubles
from ontonym.errors import FormatError, InputError
from ontonym.evaluate.significance import BootstrapOptions, Interval
from ontonym.jsonbytes import json_bytes

VERSION = 1
"""The version of the results file's format."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A figure with a superscript beside it, such as ``2/-1``: better than two, worse than one."""

    figure: Interval
    mark: str


Cell = str | int | float | Interval | Marked | None
TableRows = tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table: text cells to the left, figures to the right; ``notes`` are caveats.

    The best figures are highlighted: the highest or the lowest (``best``) of each column, or of each row if the methods
    are the ``columns``; empty: none. Figures that are differences are ``signed``.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    rows: TableRows
    notes: tuple[str, ...] = ()
    best: Literal["", "high", "low"] = ""
    methods: Literal["rows", "columns"] = "rows"
    signed: bool = False

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise InputError(f"the table {self.key} has rows that are not {len(self.columns)} cells long")


@dataclass(frozen=True, slots=True)
class Line:
    """One method's figures in a plot, one for each position of its x axis, None if missing."""

    name: str
    points: tuple[Interval | None, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot of figures with intervals: curves over an ``ordered`` x axis, else dots by position, methods side by side.

    ``x`` and ``y`` name the axes with their units; ``chance`` is the figure of guessing, if there is one.
    """

    key: str
    title: str
    x: str
    y: str
    places: tuple[str, ...]
    lines: tuple[Line, ...]
    ordered: bool = True
    chance: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One run's figures for every question, so that runs over the same questions can be compared.

    ``keys`` name the questions; ``item`` is the word for one. ``groups`` are the units that the bootstrap draws (a
    mention's document; empty: the questions themselves); ``unit`` is the word for one. ``values`` are measures by name,
    each of shape ``(questions,)``, higher is better. ``names`` says what was searched, in the words of a protocol: runs
    that differ in it are never compared.
    """

    name: str
    keys: tuple[str, ...]
    values: Mapping[str, Doubles]
    groups: tuple[str, ...] = ()
    unit: str = "question"
    item: str = "question"
    names: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """The results of one evaluation. ``about`` names the data, the protocol and the intervals."""

    title: str
    about: tuple[str, ...]
    tables: tuple[Table, ...]
    plots: tuple[Plot, ...] = ()
    runs: tuple[Run, ...] = ()
    command: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The results as JSON values; `read_results` reads them back."""
        return {
            "ontonym_results": VERSION,
            "title": self.title,
            "about": list(self.about),
            "command": self.command,
            "tables": [
                {
                    "key": table.key,
                    "title": table.title,
                    "columns": list(table.columns),
                    "rows": [[cell_json(cell) for cell in row] for row in table.rows],
                    "notes": list(table.notes),
                    "best": table.best,
                    "methods": table.methods,
                    "signed": table.signed,
                }
                for table in self.tables
            ],
            "plots": [
                {
                    **{name: getattr(plot, name) for name in ("key", "title", "x", "y", "ordered", "chance")},
                    "places": list(plot.places),
                    "lines": [
                        {"name": line.name, "points": [point and point.to_dict() for point in line.points]}
                        for line in plot.lines
                    ],
                }
                for plot in self.plots
            ],
            "runs": [
                {
                    **{name: getattr(run, name) for name in ("name", "unit", "item", "names")},
                    "keys": list(run.keys),
                    "groups": list(run.groups),
                    "values": {measure: values.tolist() for measure, values in run.values.items()},
                }
                for run in self.runs
            ],
        }


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcome of an evaluation: ``results`` for people, and the same figures as JSON values (``shape``).

    ``bootstrap`` says how runs are compared with each other. ``text`` is given if the figures as text differ from the
    tables of the results.
    """

    results: Results
    shape: Mapping[str, Any]
    bootstrap: BootstrapOptions = field(default_factory=BootstrapOptions)
    text: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON values."""
        return dict(self.shape)

    def __repr__(self) -> str:
        return self.text or f"<{type(self).__name__}: {self.results.title}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def to_bytes(results: Results) -> bytes:
    """The results file, as JSON."""
    return json_bytes(results.to_dict(), option=orjson.OPT_INDENT_2) + b"\n"


def read_results(path: Path | str) -> Results:
    """Reads the results file of `to_bytes`, as written by the commands.

    Raises InputError if the file cannot be read, FormatError if it is something else.
    """
    try:
        held = orjson.loads(Path(path).read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except orjson.JSONDecodeError as error:
        raise FormatError(path, f"not JSON: {error}", hint=_HINT) from None
    if not isinstance(held, dict) or "ontonym_results" not in held:
        raise FormatError(path, "not a results file", hint=_HINT)
    if held["ontonym_results"] != VERSION:
        raise FormatError(path, f"results of version {held['ontonym_results']}, but this ontonym reads {VERSION}")
    try:
        return Results(
            held["title"],
            tuple(held["about"]),
            tuple(map(_table, held["tables"])),
            tuple(map(_plot, held["plots"])),
            tuple(map(_run, held["runs"])),
            held["command"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(path, f"a results file that was changed ({error})", hint=_HINT) from None


_HINT = "Write one with `output=FILE.json` of an evaluation"


def cell_json(cell: Cell) -> Any:
    """A cell of a table as JSON."""
    if isinstance(cell, Marked):
        return {**cell.figure.to_dict(), "mark": cell.mark}
    return cell.to_dict() if isinstance(cell, Interval) else cell


def _interval(held: Mapping[str, float]) -> Interval:
    return Interval(held["value"], held["low"], held["high"])


def _cell(held: Any) -> Cell:
    if not isinstance(held, dict):
        cell: Cell = held
        return cell
    return Marked(_interval(held), held["mark"]) if "mark" in held else _interval(held)


def _table(held: Mapping[str, Any]) -> Table:
    rows = tuple(tuple(map(_cell, row)) for row in held["rows"])
    return Table(
        held["key"], held["title"], tuple(held["columns"]), rows, tuple(held["notes"]), held["best"], held["methods"],
        held["signed"],
    )  # fmt: skip


def _plot(held: Mapping[str, Any]) -> Plot:
    lines = tuple(
        Line(line["name"], tuple(point and _interval(point) for point in line["points"])) for line in held["lines"]
    )
    return Plot(
        held["key"], held["title"], held["x"], held["y"], tuple(held["places"]), lines, held["ordered"], held["chance"]
    )  # fmt: skip


def _run(held: Mapping[str, Any]) -> Run:
    keys = tuple(held["keys"])
    values = {measure: np.asarray(some, dtype=np.float64) for measure, some in held["values"].items()}
    if any(len(some) != len(keys) for some in values.values()):
        raise ValueError(f"the run {held['name']} has not one value for each question")
    return Run(held["name"], keys, values, tuple(held["groups"]), held["unit"], held["item"], held["names"])


def gathered(several: Sequence[tuple[str, Results]]) -> tuple[Run, ...]:
    """The runs of several results, by name; by ``label:name`` if results share a name."""
    names = [run.name for _, results in several for run in results.runs]
    shared = len(set(names)) < len(names)
    return tuple(
        replace(run, name=f"{label}:{run.name}") if shared else run
        for label, results in several
        for run in results.runs
    )


def labelled_files(paths: Iterable[str]) -> dict[str, str]:
    """Files by a label of their own: the name without its ending, as much of the path as is needed where several have
    that, and the whole path where only the ending tells two of them apart.
    """
    different = {path: (Path(path).stem, str(Path(path).with_suffix(""))) for path in paths}
    shared = Counter(label for labels in different.values() for label in set(labels))
    return {next((one for one in labels if shared[one] == 1), path): path for path, labels in different.items()}
