"""Every table of the five papers that open data allows, in the papers' layouts, as one page: build/papers/index.html.

    python benchmarks/papers.py             (under three hours on two cores; needs the extras eval, train and demo)

Each benchmark's figures are kept as JSON beside the page under the commit that measured them. What is there for this
commit is not measured again, so after Ctrl-C or a kill the same command goes on: trained models are kept too, and a
training that was stopped goes on from its last checkpoint. The page is written after each benchmark.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from figures import INTERRUPTED, ROOT, machine
from ontonym.evaluate import Interval
from ontonym.evaluate.page import report_page
from ontonym.evaluate.results import Cell, Results, Table


@dataclass(frozen=True, slots=True)
class PaperTables:
    """Tables of one paper: the ``benchmark`` that measures them with its ``options``, and the ``sheets`` to show.

    ``theirs`` quotes the paper's figures, and says why ours differ. ``beside`` are columns of the paper's own figures,
    one for each row of the first sheet, which stand beside ours.
    """

    paper: str
    benchmark: str
    options: tuple[str, ...]
    sheets: tuple[str, ...]
    theirs: tuple[str, ...]
    beside: Mapping[str, Sequence[float]] = field(default_factory=dict)


XU = MappingProxyType(
    {
        "Xu's ncbi": (
            0.8374, 0.8501, 0.8539, 0.8526, 0.8958, 0.8856, 0.9034, 0.8996, 0.8628, 0.8856, 0.9136, 0.9085, 0.9199,
            0.8882, 0.8958, 0.9136, 0.8640, 0.8640, 0.9111, 0.9161, 0.9125, 0.9149, 0.9225, 0.9149, 0.9161, 0.9161,
            0.9225, 0.9161,
        ),
        "Xu's disease": (
            0.8265, 0.8243, 0.7729, 0.7518, 0.8887, 0.8585, 0.8966, 0.8940, 0.8372, 0.8351, 0.9050, 0.8990, 0.8947,
            0.8693, 0.8782, 0.8985, 0.7901, 0.7841, 0.9038, 0.8992, 0.9110, 0.9088, 0.9071, 0.9047, 0.9122, 0.9083,
            0.9095, 0.9055,
        ),
        "Xu's chemical": (
            0.9700, 0.9262, 0.7421, 0.7411, 0.9775, 0.9330, 0.9762, 0.9688, 0.9714, 0.9577, 0.9764, 0.9688, 0.9776,
            0.9632, 0.9671, 0.9632, 0.7423, 0.7423, 0.9785, 0.9632, 0.9781, 0.9622, 0.9787, 0.9628, 0.9781, 0.9622,
            0.9791, 0.9628,
        ),
    }
)  # fmt: skip
"""The dev accuracies of Xu's table 4, quoted, by row."""

TABLES = (
    PaperTables(
        "Ngo: Semantic Search for Large Scale Clinical Ontologies (tables 1 to 4, figure 3)",
        "retrieval", (), ("hits-1", "usefulness-1", "overlap-1", "concepts-1"),
        (
            "theirs search SNOMED CT for CADEC, notes, HPO, FMA and NCIt; open here are names of HPO and Orphanet that "
            "people mapped to DOID",
            "theirs trained on SNOMED CT with 40 hours of a GPU; ours has not seen the names that are asked for",
        ),
    ),
    PaperTables(
        "Xu: Triplet-Trained Vector Space and Sieve-Based Search (table 4)",
        "strategies", ("--loss", "batch-hard", "--minutes", "2"), ("strategies", "agreement"),
        (
            "theirs: the columns that say so, as published; the mean rank is over five corpora",
            "theirs is PubMedBERT, ours here a static encoder with two minutes of training for each row; their "
            "chemicals are those of CTD, ours those of MeSH",
        ),
        XU,
    ),
    PaperTables(
        "Schulz: Can Embeddings Adequately Represent Medical Terminology? (tables 2 and 5)",
        "similarity", ("--threads", "1"), ("sets", "known", "unseen"),
        (
            "theirs are sets from SNOMED CT, where the best of 24 embeddings reaches 0.585 on hard names and "
            "synonyms of one concept with the closest negatives; ours are made from HPO and MeSH by the same rules",
        ),
    ),
    PaperTables(
        "Kong: Zero-shot Medical Entity Retrieval without Annotation (table 3, figure 2)",
        "kong", (), ("table-3", "figure-2", "quoted"),
        (
            "theirs are MedMentions, COMETA and 3DNotes, which need licences, with BERT on SNOMED CT, UMLS and ICD-10; "
            "open here are NCBI and BC5CDR, with names and links of ICD-10-CM, MeSH, HPO and DOID",
        ),
    ),
    PaperTables(
        "Rahimi: WikiUMLS (table 2, figure 1)",
        "wikiumls", ("--taught", "1500"), ("wikiumls", "reranked", "quoted"),
        ("theirs search 8 million pages; open here are the 23,449 pages that are known with their MeSH descriptor",),
    ),
)  # fmt: skip
"""All of it, by paper."""

TITLE = "The tables of five papers, on open data"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures what is not there for this commit, and writes the page: 0 done, 1 where a benchmark failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [one.benchmark for one in TABLES]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help="only these benchmarks")
    parser.add_argument("--page", action="store_true", help="measure nothing: the page of what is there")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "papers", help="where all of it goes")
    chosen = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))  # what ends this ends the benchmark
    chosen.folder.mkdir(parents=True, exist_ok=True)
    commit = machine()["packages"]["ontonym"]
    failed = []
    try:
        for number, tables in enumerate(TABLES, 1):
            if chosen.page or tables.benchmark not in chosen.only:
                continue
            told = f"{number} of {len(TABLES)}: {tables.benchmark}"
            if _measured_by(chosen.folder / f"{tables.benchmark}.json") == commit:
                _say(f"{told}: kept, measured by this commit ({commit})")
                continue
            _say(told)
            began = time.monotonic()
            if _run(tables, chosen.folder) not in (0, 1):
                failed.append(tables.benchmark)
            _say(f"{tables.benchmark}: {time.monotonic() - began:.0f} s")
            _write_page(chosen.folder)
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


def _run(tables: PaperTables, folder: Path) -> int:
    """The exit code of a benchmark; it ends when this process is interrupted.

    In a session of its own it does not see Ctrl-C, so that nothing but this process says something about it.
    """
    command = [sys.executable, str(ROOT / "benchmarks" / f"{tables.benchmark}.py"), *tables.options]
    command += ["--json", str(folder / f"{tables.benchmark}.json")]
    process = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    try:
        return process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise


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
        shown = tuple(
            table_of(key, shape["tables"][key], tables.beside if key == tables.sheets[0] else {})
            for key in tables.sheets
            if key in shape["tables"]
        )
        yield Results(tables.paper, (*tables.theirs, measured, *shape["notes"]), shown, command=shape["command"])


def table_of(key: str, sheet: dict[str, Any], beside: Mapping[str, Sequence[float]] = MappingProxyType({})) -> Table:
    """A sheet of a benchmark's JSON as a table of a report; ``beside`` are further columns, shown where they fit."""
    names = tuple(dict.fromkeys(name for row in sheet["rows"] for name in row))
    columns = {name: [_cell(row.get(name)) for row in sheet["rows"]] for name in names}
    columns |= {name: list(quoted) for name, quoted in beside.items() if len(quoted) == len(sheet["rows"])}
    for name, cells in columns.items():
        if any(isinstance(cell, float) for cell in cells):  # of 10.2 and 12 no column shows one with decimals only
            columns[name] = [float(cell) if type(cell) is int else cell for cell in cells]
        if name == "p":
            columns[name] = [f"{cell:.1g}" if isinstance(cell, float) else cell for cell in cells]
    heads = tuple("row" if not name and type(cells[0]) is int else name for name, cells in columns.items())
    return Table(key, sheet["title"], heads, tuple(zip(*columns.values(), strict=True)), tuple(sheet["protocol"]))


def _cell(value: Any) -> Cell:
    if isinstance(value, dict):
        return Interval(value["value"], value["low"], value["high"])
    shown: Cell = value
    return shown


if __name__ == "__main__":
    sys.exit(main())
