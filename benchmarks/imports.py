"""Importing releases at full size: time, memory and disk, beside peers; then what opening and asking cost.

The big releases are generated (benchmarks/releases), once, in the cache; ``--scale`` makes them smaller.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from figures import Bench, Row, Sheet, Target, main, quantile, target_sheet
from materials import generated_release, work_folder
from ontonym.evaluate import Interval
from ontonym.ontology.embedded import EMBEDDED
from ontonym.store import Terminology, open_terminology

HERE = Path(__file__).resolve().parent
RF2_CONCEPTS = 520_000
RRF_CONCEPTS = 4_500_000
ASKED = 1000

_MEASURED = """
import os, subprocess, sys, time
began = time.perf_counter()
child = subprocess.Popen(sys.argv[2:], stdout=open(sys.argv[1], "wb"))
_, status, usage = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), time.perf_counter() - began, usage.ru_maxrss)
"""
"""Runs a command from a small process: what a process counts as its peak begins with that of the one it came from."""

_OPEN = "import sys, ontonym; ontonym.open_terminology(sys.argv[1]).close()"
_IMPORTED = "import ontonym; ontonym.open_terminology"

PRONTO = "import sys, warnings; warnings.simplefilter('ignore'); import pronto; pronto.Ontology(sys.argv[1])"
FASTOBO = (
    "import sys, fastobo, gzip; fastobo.load(gzip.open(sys.argv[1]) if sys.argv[1].endswith('gz') else sys.argv[1])"
)
POLARS = """
import glob, sys
import polars as pl
def read(name, columns):
    file, = glob.glob(f"{sys.argv[1]}/Snapshot/**/*{name}*", recursive=True)
    return pl.read_csv(file, separator="\\t", quote_char=None, columns=columns, infer_schema=False)
concepts = read("sct2_Concept_", ["id", "active"])
names = read("sct2_Description_", ["id", "active", "conceptId", "typeId", "term"])
language = read("der2_cRefset_Language", ["active", "refsetId", "referencedComponentId", "acceptabilityId"])
links = read("sct2_Relationship_", ["active", "sourceId", "destinationId", "typeId"]).filter(pl.col("active") == "1")
parents = links.filter(pl.col("typeId") == "116680003").group_by("sourceId").agg("destinationId")
others = links.filter(pl.col("typeId") != "116680003").group_by("sourceId").agg("destinationId", "typeId")
liked = language.filter((pl.col("active") == "1") & (pl.col("refsetId") == "900000000000509007"))
liked = liked.filter(pl.col("acceptabilityId") == "900000000000548007")
named = names.join(liked, left_on="id", right_on="referencedComponentId", how="left").group_by("conceptId").agg(
    "term", "typeId", "active", "acceptabilityId")
table = concepts.join(named, left_on="id", right_on="conceptId", how="left")
table = table.join(parents, left_on="id", right_on="sourceId", how="left")
print(len(table.join(others, left_on="id", right_on="sourceId", how="left")))
"""
"""What a data frame needs to bring concepts, names, preferred terms and links together; it writes nothing."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command cost: wall-clock seconds, peak memory in 10^6 bytes, and what it printed."""

    seconds: float
    peak: float
    output: bytes


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """The real release with its peers, then the generated ones, then what the biggest costs to open and ask."""
    targets: list[Target] = []
    with work_folder() as folder:
        _real(bench, folder)
        rf2 = generated_release("rf2", int(RF2_CONCEPTS * chosen.scale), ["--full"])
        rrf = generated_release("rrf", int(RRF_CONCEPTS * chosen.scale), [])
        rows: list[Row] = []
        for what, release, seconds, peak in (
            ("RF2 Snapshot", rf2, 60, 3 << 30),
            ("RF2 Full", rf2 / "Full", 180, None),
            ("UMLS RRF", rrf, 480, 8 << 30),
        ):
            place = folder / f"{what.replace(' ', '-')}.terminology"
            cost = run([sys.executable, "-m", "ontonym", "import", str(release), "-o", str(place), "--json"], folder)
            rows.append(_import_row(what, place, cost))
            targets.append(Target(f"import of {what}", cost.seconds, seconds, "s"))
            if peak:
                targets.append(Target(f"peak memory of importing {what}", cost.peak, peak / 1e6, "MB"))
            if what == "UMLS RRF":
                targets.append(Target("UMLS on disk", float(str(rows[-1]["MB on disk"])), 3000, "MB"))
                bench.show(Sheet("imports", "Releases of full size", _protocol(chosen.scale), rows, 1))
                targets += _asked(bench, place)
        _frame_peer(bench, folder, rf2, rows[0])
    bench.show(target_sheet(targets))


def run(command: Sequence[str], folder: Path) -> Cost:
    """Runs a command in a fresh process; raises SystemExit where it fails."""
    output = folder / "output"
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, str(output), *command], stdout=subprocess.PIPE, text=True, check=True
    )
    code, seconds, peak = done.stdout.split()
    if code != "0":
        raise SystemExit(f"{' '.join(command)} ended with exit code {code}")
    return Cost(float(seconds), int(peak) * (1 if sys.platform == "darwin" else 1024) / 1e6, output.read_bytes())


def _protocol(scale: float) -> tuple[str, ...]:
    return (
        f"generated by benchmarks/releases, seed 1, scale {scale:g}; one run each in a fresh process, `ontonym import` "
        "from folder to terminology",
        "seconds: wall clock, interpreter and checksums included; peak: ru_maxrss in 10^6 bytes",
    )


def _import_row(what: str, place: Path, cost: Cost) -> Row:
    told = json.loads(cost.output)
    statistics = told["statistics"]
    with open_terminology(place) as terminology:
        disk = terminology.manifest.bytes / 1e6
    return {
        "release": what,
        "concepts": statistics["concepts"],
        "names": statistics["terms"],
        "rows read": told["reader"]["rows"]["read"],
        "seconds": cost.seconds,
        "peak MB": cost.peak,
        "MB on disk": disk,
    }


def _asked(bench: Bench, place: Path) -> list[Target]:
    """Opening the biggest terminology, and asking it for ids, names and ancestors drawn at random."""
    draw = np.random.default_rng(1)
    opening = _opening(place)
    with open_terminology(place) as terminology:
        rows = draw.integers(0, len(terminology), ASKED)
        terms = draw.integers(0, terminology.term_count, ASKED)
        ids = [terminology.id(int(row)) for row in rows]
        texts = terminology.term_texts().take(terms)
        hierarchy = terminology.hierarchy
        asked: list[tuple[str, Callable[[int], object]]] = [
            ("find by id", lambda place: terminology.row(ids[place])),
            ("find by name", lambda place: terminology.rows_named(texts[place])),
            ("ancestors", lambda place: hierarchy.ancestors(int(rows[place]))),
            ("whole concept", lambda place: terminology.concept(int(rows[place]))),
        ]
        timed = {what: _times(ask) for what, ask in asked}
        counted = _counted(terminology)
    table: list[Row] = [
        {"asked": what, "n": ASKED, "p50 ms": quantile(times, 0.5), "p99 ms": quantile(times, 0.99)}
        for what, times in timed.items()
    ]
    table.insert(
        0, {"asked": "open (fresh process, without importing ontonym)", "n": 7, "p50 ms": opening, "p99 ms": None}
    )
    protocol = (f"{counted}; drawn at random (seed 1), one after another, one thread; the second of two rounds",)
    bench.show(Sheet("asked", "Opening and asking", protocol, table, 3))
    targets = [Target("open", opening.value / 1000, 0.3, "s")]
    return targets + [Target(f"{what}, 99th percentile", float(np.quantile(timed[what], 0.99)), 1, "ms")
                      for what in ("find by id", "find by name", "ancestors")]  # fmt: skip


def _counted(terminology: Terminology) -> str:
    return f"{len(terminology):,} concepts, {terminology.term_count:,} names"


def _times(ask: Callable[[int], object]) -> np.ndarray:
    times = np.empty(ASKED)
    for _ in range(2):
        for place in range(ASKED):
            began = time.perf_counter()
            ask(place)
            times[place] = 1000 * (time.perf_counter() - began)
    return times


def _opening(place: Path) -> Interval:
    """Milliseconds of opening in fresh processes: median, least and most of seven."""
    seconds = []
    for _ in range(7):
        each = []
        for command in ([_OPEN, str(place)], [_IMPORTED]):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", *command], check=True)
            each.append(time.perf_counter() - began)
        seconds.append(1000 * max(each[0] - each[1], 0))
    return Interval(float(np.median(seconds)), min(seconds), max(seconds))


# Peers -----------------------------------------------------------------------------------------------------------


def _real(bench: Bench, folder: Path) -> None:
    """HPO as its publisher sends it, against parsers that hold it in memory and write nothing."""
    file = str(EMBEDDED["hp"].files()[0])
    ours = run([sys.executable, "-m", "ontonym", "import", file, "-o", str(folder / "hp.terminology")], folder)
    rows = [_peer_row("ontonym import (reads and writes)", ours, ours)]
    for name, script in (("pronto", PRONTO), ("fastobo", FASTOBO)):
        if find_spec(name) is None:
            bench.note(f"{name} is not installed")
            continue
        rows.append(_peer_row(f"{name} (reads)", run([sys.executable, "-c", script, file], folder), ours))
    protocol = (f"{Path(file).name}, {os.path.getsize(file) / 1e6:.1f} MB; one run each in a fresh process",)  # noqa: PTH202
    bench.show(Sheet("obo", "HPO in OBO", protocol, rows, 2))


def _frame_peer(bench: Bench, folder: Path, release: Path, ours: Row) -> None:
    if find_spec("polars") is None:
        bench.note("polars is not installed: no peer for RF2")
        return
    cost = run([sys.executable, "-c", POLARS, str(release)], folder)
    own = Cost(float(str(ours["seconds"])), float(str(ours["peak MB"])), b"")
    rows = [
        _peer_row("ontonym import (all tables, checksums, lookups, hierarchy, written)", own, own),
        _peer_row("polars (four tables read and joined, nothing written)", cost, own),
    ]
    protocol = ("the generated RF2 Snapshot; polars with its own threads, ontonym with one",)
    bench.show(Sheet("frame", "RF2 Snapshot beside a data frame", protocol, rows, 2))


def _peer_row(what: str, cost: Cost, ours: Cost) -> Row:
    return {
        "what": what,
        "seconds": cost.seconds,
        "ratio": cost.seconds / ours.seconds,
        "peak MB": cost.peak,
        "memory ratio": cost.peak / ours.peak,
    }


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--scale", type=float, default=1.0, help="size of the generated releases (default: 1)")


if __name__ == "__main__":
    sys.exit(main("imports", str(__doc__), measure, _options))
