"""Every table of the five papers that open data allows, in the papers' layouts, as one page: build/papers/index.html.

    python benchmarks/papers.py             (some two hours on two cores; needs the extras eval, train and demo)

Two benchmarks run side by side where there are two cores, each with what it says in a file beside the page. The figures
of each are kept as JSON there under the commit that measured them. What is there for this commit is not measured again,
so after Ctrl-C or a kill the same command goes on: trained models are kept too, and a training that was stopped goes on
from its last checkpoint. The page is written after each benchmark.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

from figures import INTERRUPTED, ROOT, machine
from ontonym.evaluate import Interval
from ontonym.evaluate.page import report_page
from ontonym.evaluate.results import Cell, Marked, Results, Table
from quoted import KONG, NGO, RAHIMI, SCHULZ, XU, quoted_key


@dataclass(frozen=True, slots=True)
class PaperTables:
    """Tables of one paper: the ``benchmark`` that measures them with its ``options``, and the ``sheets`` to show.

    ``theirs`` says what the paper measured, and why ours differ. ``beside`` are the paper's own figures by a column of
    the first sheet, one for each row, which stand beside ours; ``quoted`` are tables of the paper, by `quoted_key`.
    """

    paper: str
    benchmark: str
    options: tuple[str, ...]
    sheets: tuple[str, ...]
    theirs: tuple[str, ...]
    beside: Mapping[str, Sequence[float]] = field(default_factory=dict)
    quoted: tuple[Table, ...] = ()


TABLES = (
    PaperTables(
        "Ngo: Semantic Search for Large Scale Clinical Ontologies (tables 1 to 4, figure 3)",
        "retrieval", (), ("hits-1", "usefulness-1", "overlap-1", "concepts-1"),
        (
            "theirs search SNOMED CT for CADEC, notes, HPO, FMA and NCIt; open here are names of HPO and Orphanet that "
            "people mapped to DOID",
            "theirs trained on SNOMED CT with 40 hours of a GPU; ours has not seen the names that are asked for",
            "SNOMED CT has many more concepts than DOID, of which more are alike",
        ),
        quoted=NGO,
    ),
    PaperTables(
        "Xu: Triplet-Trained Vector Space and Sieve-Based Search (table 4)",
        "strategies", ("--loss", "batch-hard", "--minutes", "2"), ("strategies", "agreement"),
        (
            "theirs: the columns Xu's, each of the column before it, as published; the mean rank is over five corpora",
            "theirs is PubMedBERT, ours here a static encoder with two minutes of training for each row; their "
            "chemicals are those of CTD, ours those of MeSH",
        ),
        beside=XU,
    ),
    PaperTables(
        "Schulz: Can Embeddings Adequately Represent Medical Terminology? (tables 2 and 5)",
        "similarity", ("--threads", "1"), ("sets", "known", "unseen"),
        (
            "theirs are sets from SNOMED CT, judged by embeddings that were trained on texts; ours are made from open "
            "terminologies by the same rules, and judged by encoders that were trained on names",
        ),
        quoted=SCHULZ,
    ),
    PaperTables(
        "Kong: Zero-shot Medical Entity Retrieval without Annotation (table 3, figure 2)",
        "kong", (), ("table-3", "figure-2"),
        (
            "theirs are MedMentions, COMETA and 3DNotes, which need licences, with BERT on SNOMED CT, UMLS and ICD-10; "
            "open here are NCBI and BC5CDR, with names and links of ICD-10-CM, MeSH, HPO and DOID",
            "mentions in abstracts are spelled like names, so BM25 finds many; those of patients and notes are not",
        ),
        quoted=KONG,
    ),
    PaperTables(
        "Rahimi: WikiUMLS (table 2, figure 1)",
        "wikiumls", ("--taught", "1500"), ("wikiumls", "reranked"),
        ("theirs search 8 million pages; open here are the 23,449 pages that are known with their MeSH descriptor",),
        quoted=RAHIMI,
    ),
)  # fmt: skip
"""All of it, by paper."""

_DECIMALS = MappingProxyType(
    {"p": ".1g", "mean rank": ".1f", "Xu's": ".1f", "Xu's mean rank": ".1f"}
    | dict.fromkeys(("similar", "not (random)", "not (closest)"), ".2f")
)
"""How the figures of some columns are shown that are no shares."""

_DONE = (0, 1)
"""How a benchmark ends that has measured: 1 where a figure falls short of what it should show."""

TITLE = "The tables of five papers, on open data"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures what is not there for this commit, and writes the page: 0 done, 1 where a benchmark failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [one.benchmark for one in TABLES]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help="only these benchmarks")
    parser.add_argument("--page", action="store_true", help="measure nothing: the page of what is there")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "papers", help="where all of it goes")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="benchmarks at once (two)")
    chosen = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))  # what ends this ends the benchmarks
    chosen.folder.mkdir(parents=True, exist_ok=True)
    failed: list[str] = []
    if not chosen.page:
        wanted = [tables for tables in TABLES if tables.benchmark in chosen.only]
        try:
            failed = _measure(wanted, chosen.folder, max(chosen.jobs, 1))
        except KeyboardInterrupt:
            _say("interrupted; what is done is kept, and the same command goes on from there")
            return INTERRUPTED
    _write_page(chosen.folder)
    print(chosen.folder / "index.html")
    if failed:
        _say(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _measure(wanted: Sequence[PaperTables], folder: Path, jobs: int) -> list[str]:
    """Runs the benchmarks of which nothing is there for this commit, ``jobs`` at once; returns which of them failed.

    An interruption ends those that run, and the others are not begun.
    """
    commit = machine()["packages"]["ontonym"]
    missing = []
    for tables in wanted:
        if _measured_by(folder / f"{tables.benchmark}.json") == commit:
            _say(f"{tables.benchmark}: kept, measured by this commit ({commit})")
        else:
            missing.append(tables)
    running: set[subprocess.Popen[bytes]] = set()
    stopped, page = threading.Event(), threading.Lock()

    def is_measured(tables: PaperTables) -> bool:
        if stopped.is_set():
            return False
        log, began = folder / f"{tables.benchmark}.log", time.monotonic()
        before = _written(folder / f"{tables.benchmark}.json")
        _say(f"{tables.benchmark}: begun; what it says goes to {log}")
        with log.open("wb") as output:
            process = _started(tables, folder, output, jobs)
            running.add(process)
            if stopped.is_set():
                process.terminate()
            good = process.wait() in _DONE and _written(folder / f"{tables.benchmark}.json") > before
        if not stopped.is_set():
            said = "done" if good else f"failed ({_last_line(log)})"
            _say(f"{tables.benchmark}: {said} after {time.monotonic() - began:.0f} s")
            with page:
                _write_page(folder)
        return good

    with ThreadPoolExecutor(jobs) as pool:
        try:
            measured = list(pool.map(is_measured, missing))
        except BaseException:
            stopped.set()
            for process in tuple(running):
                process.terminate()
            raise
    return [tables.benchmark for tables, good in zip(missing, measured, strict=True) if not good]


def _started(tables: PaperTables, folder: Path, output: BinaryIO, jobs: int) -> subprocess.Popen[bytes]:
    """A benchmark that was started, with its share of the cores and the encoder that every installation has.

    In a session of its own it does not see Ctrl-C, so that nothing but this process says something about it.
    """
    command = [sys.executable, str(ROOT / "benchmarks" / f"{tables.benchmark}.py"), *tables.options]
    file = (folder / f"{tables.benchmark}.json").resolve()
    command += ["--json", str(file.relative_to(ROOT) if file.is_relative_to(ROOT) else file)]
    unless_set = {"OMP_NUM_THREADS": str(max((os.cpu_count() or 1) // jobs, 1)), "ONTONYM_ENCODER": "static"}
    return subprocess.Popen(
        command, cwd=ROOT, env=unless_set | os.environ, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
    )


def _written(file: Path) -> int:
    """When a file was written, in nanoseconds; -1 where it is not there."""
    return file.stat().st_mtime_ns if file.is_file() else -1


def _last_line(log: Path) -> str:
    """What a benchmark said last."""
    return next((line for line in reversed(log.read_text("utf-8", "replace").splitlines()) if line.strip()), "no word")


def _measured_by(file: Path) -> str:
    """The commit that measured a file, empty where it is not there."""
    return str(_read(file)["machine"]["packages"]["ontonym"]) if file.is_file() else ""


def _read(file: Path) -> dict[str, Any]:
    shape: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return shape


def _write_page(folder: Path) -> None:
    (folder / "index.html").write_text(report_page(list(_results(folder)), TITLE), encoding="utf-8")


def _results(folder: Path) -> Iterator[Results]:
    for tables in TABLES:
        file = folder / f"{tables.benchmark}.json"
        if not file.is_file():
            yield Results(tables.paper, ("not measured yet", *tables.theirs), ())
            continue
        shape = _read(file)
        packages = shape["machine"]["packages"]
        measured = (
            f"measured {shape['began'][:10]} by ontonym {packages['ontonym']} on {shape['machine']['cores']} cores"
        )
        about = (*tables.theirs, measured, *shape["notes"])
        yield Results(tables.paper, about, tuple(_shown(tables, shape["tables"])), command=shape["command"])


def _shown(tables: PaperTables, sheets: Mapping[str, Any]) -> Iterator[Table]:
    """The sheets that are there, each followed by the paper's own table; a note stands below the first that has it."""
    told: set[str] = set()
    for key in (key for key in tables.sheets if key in sheets):
        shown = table_of(key, sheets[key], tables.beside if key == tables.sheets[0] else {})
        new = tuple(note for note in shown.notes if note not in told)
        told |= set(new)
        yield replace(shown, notes=(*new, *["the rest as above"] * (len(new) < len(shown.notes))))
        yield from (table for table in tables.quoted if table.key == quoted_key(key))


def table_of(key: str, sheet: dict[str, Any], beside: Mapping[str, Sequence[float]] = MappingProxyType({})) -> Table:
    """A sheet of a benchmark's JSON as a table of a report; ``beside`` are the paper's figures by a column of ours."""
    names = dict.fromkeys(name for row in sheet["rows"] for name in row)
    heads: list[str] = []
    columns: list[list[Cell]] = []
    for name in names:
        cells = [_cell(row.get(name)) for row in sheet["rows"]]
        heads.append("row" if not name and type(cells[0]) is int else "Xu's" if name == "Xu's mean rank" else name)
        columns.append(_alike(name, cells))
        if len(beside.get(name, ())) == len(cells):
            heads.append("Xu's")
            columns.append(list(beside[name]))
    rows = tuple(zip(*columns, strict=True))
    return Table(key, sheet["title"], tuple(heads), rows, tuple(sheet["protocol"]))


def _alike(name: str, cells: list[Cell]) -> list[Cell]:
    """The cells of a column with as many decimals as its figures have, so that they are of one kind."""
    if name in _DECIMALS:
        return [f"{cell:{_DECIMALS[name]}}" if isinstance(cell, int | float) else cell for cell in cells]
    if any(isinstance(cell, float) for cell in cells):  # of 10.2 and 12 no column shows one with decimals only
        return [float(cell) if type(cell) is int else cell for cell in cells]
    return cells


def _cell(value: Any) -> Cell:
    if isinstance(value, dict):
        figure = Interval(value["value"], value["low"], value["high"])
        return Marked(figure, value["mark"]) if value.get("mark") else figure
    shown: Cell = value
    return shown


if __name__ == "__main__":
    sys.exit(main())
