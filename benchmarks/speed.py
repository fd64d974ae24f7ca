"""Speed and size on the demo's two terminologies: import, index, search, memory, start; with peers in the same run."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from figures import Bench, Row, Sheet, Target, main, quantile, share, target_sheet
from materials import import_embedded, opened, titled, work_folder
from ontonym.evaluate import Interval
from ontonym.index import Index, build_index, open_index
from ontonym.tasks import search
from peers import Names, Peer, all_names, fit_peers, ranked
from queries import KINDS, Asked, draw_queries

RANKERS = ("char TF-IDF 1-5 (scikit-learn)", "BM25 (bm25s)")
FUZZY = "rapidfuzz extractOne(WRatio)"
WARM_UP = 20
STARTS = 7

_MEMORY_OF = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdin=open(os.environ["QUERIES"]), stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""
"""Runs a command from a small process: what a process counts as its peak begins with that of the one it came from."""


def measure(bench: Bench, chosen: argparse.Namespace) -> None:
    """Everything, in an order in which nothing measured is disturbed by what a peer left in memory."""
    targets: list[Target] = []
    with work_folder() as folder:
        rows, places = [], []
        for name in chosen.terminology:
            place, seconds = import_embedded(name, folder)
            places.append(place)
            rows.append(_import_row(place, seconds))
        index_place, index_row = _build(places, folder)
        bench.show(
            Sheet(
                "build",
                "From releases to an index",
                ("one run each, wall-clock seconds, reading included; release files and code on a local disk",),
                [*rows, index_row],
                digits=1,
            )
        )
        built = sum(float(str(row["seconds"])) for row in (*rows, index_row))
        targets.append(Target("import and index together", built, 60, "s"))
        with open_index(index_place) as index:
            names = all_names(index.terminologies)
            asked = draw_queries(names, chosen.queries, seed=1)
            ours, found = _our_times(index, asked)
            protocol = _protocol(index, asked)
        kinds = [_time_row(kind, ours[_of(asked, kind)], found[_of(asked, kind)]) for kind in KINDS]
        whole = _time_row("all", ours, found)
        bench.show(
            Sheet("search", "One search, by kind of query", protocol, [whole, *(row for row in kinds if row["n"])], 2)
        )
        targets.append(Target("search, median", float(np.quantile(ours, 0.5)), 5, "ms"))
        targets.append(Target("search, 99th percentile", float(np.quantile(ours, 0.99)), 15, "ms"))
        targets += _processes(bench, index_place, asked, folder)
        if not chosen.no_peers:
            _peers(bench, asked, names, ours, found, chosen.fuzzy_queries)
    bench.show(target_sheet(targets))


def _import_row(place: Path, seconds: float) -> Row:
    with opened([place]) as (terminology,):
        return {
            "step": f"import {titled([terminology])}",
            "concepts": len(terminology),
            "names": terminology.term_count,
            "seconds": seconds,
            "MB on disk": terminology.manifest.bytes / 1e6,
        }


def _build(places: Sequence[Path], folder: Path) -> tuple[Path, Row]:
    place = folder / "speed.index"
    with opened(places) as terminologies:
        began = time.perf_counter()
        manifest = build_index(terminologies, place)
        seconds = time.perf_counter() - began
        concepts = sum(map(len, terminologies))
    names = int(manifest.content["statistics"]["names"])
    what = "index of both" if len(places) == 2 else "index"
    return place, {
        "step": what,
        "concepts": concepts,
        "names": names,
        "seconds": seconds,
        "MB on disk": manifest.bytes / 1e6,
    }


def _of(asked: Sequence[Asked], kind: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.asarray([query.kind == kind for query in asked])


def _protocol(index: Index, asked: Sequence[Asked]) -> tuple[str, ...]:
    return (
        f"{titled(index.terminologies)}, {index.concept_count:,} concepts, {index.name_count:,} names; encoder "
        f"{index.encoder.fingerprint[:12]}",
        f"{len(asked):,} queries drawn from the names (seed 1), one after another in one thread, k = 10, after "
        f"{WARM_UP} others; thread settings as found",
        "found: the concept the query was made from, or one that shares the name, comes first; [low, high]: 95% "
        "percentile bootstrap over queries",
    )


def _our_times(index: Index, asked: Sequence[Asked]) -> tuple[np.ndarray, np.ndarray]:
    """Milliseconds of each query, and whether its first answer is right."""
    for query in asked[-WARM_UP:]:
        search(index, f"mild {query.text}")  # what a query found is kept: the very same would be asked for nothing
    times, found = np.empty(len(asked)), np.zeros(len(asked), dtype=np.bool_)
    for place, query in enumerate(asked):
        began = time.perf_counter()
        hits = search(index, query.text)
        times[place] = 1000 * (time.perf_counter() - began)
        found[place] = bool(hits) and hits[0].id in query.right
    return times, found


def _time_row(what: str, times: np.ndarray, found: np.ndarray) -> Row:
    if not len(times):
        return {"queries": what, "n": 0, "p50 ms": None, "p99 ms": None, "slowest ms": None, "found": None}
    return {
        "queries": what,
        "n": len(times),
        "p50 ms": quantile(times, 0.5),
        "p99 ms": quantile(times, 0.99),
        "slowest ms": float(times.max()),
        "found": share(found.tolist()),
    }


# Processes -------------------------------------------------------------------------------------------------------


def _processes(bench: Bench, index: Path, asked: Sequence[Asked], folder: Path) -> list[Target]:
    memory = _peak_memory(index, asked, folder)
    started = _median_start([sys.executable, "-c", "import ontonym"])
    helped = _median_start([sys.executable, "-m", "ontonym", "--help"])
    bare = _median_start([sys.executable, "-c", ""])
    rows: list[Row] = [
        {"process": "python -c 'import ontonym'", "n": STARTS, "seconds": started, "peak MB": None},
        {"process": "ontonym --help", "n": STARTS, "seconds": helped, "peak MB": None},
        {"process": "python -c '' (for comparison)", "n": STARTS, "seconds": bare, "peak MB": None},
        {"process": f"ontonym search INDEX - ({len(asked):,} queries)", "n": 1, "seconds": None, "peak MB": memory},
    ]
    protocol = (
        "fresh processes, interpreter included; seconds: median [least, most], which holds the true median with "
        f"{1 - 0.5 ** (STARTS - 1):.1%}",
        "peak MB: ru_maxrss of one search process (10^6 bytes), the mapped files that it touched included",
    )
    bench.show(Sheet("processes", "Start and memory", protocol, rows, 2))
    return [
        Target("import of ontonym", started.value, 0.3, "s"),
        Target("ontonym --help", helped.value, 0.4, "s"),
        Target("peak memory of a search process", memory, 600, "MB"),
    ]


def _median_start(command: Sequence[str]) -> Interval:
    seconds = []
    for _ in range(STARTS):
        began = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        seconds.append(time.perf_counter() - began)
    return Interval(float(np.median(seconds)), min(seconds), max(seconds))


def _peak_memory(index: Path, asked: Sequence[Asked], folder: Path) -> float:
    lines = folder / "queries.txt"
    lines.write_text("".join(f"{query.text}\n" for query in asked), encoding="utf-8")
    searching = [sys.executable, "-m", "ontonym", "search", str(index), "-", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", _MEMORY_OF, *searching],
        env=os.environ | {"QUERIES": str(lines)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    code, peak = done.stdout.split()
    if code != "0":
        raise SystemExit(f"{' '.join(searching)} ended with exit code {code}")
    return int(peak) * (1 if sys.platform == "darwin" else 1024) / 1e6


# Peers -----------------------------------------------------------------------------------------------------------


def _peers(
    bench: Bench, asked: Sequence[Asked], names: Names, ours: np.ndarray, found: np.ndarray, fuzzy_queries: int
) -> None:
    rows = [_peer_row("ontonym, fused", None, ours, found, ours)]
    for name, fitted in fit_peers(names.texts, RANKERS, bench.note):
        times, right = _peer_times(partial(_first_of, fitted.peer), asked, names)
        rows.append(_peer_row(name, fitted.seconds, times, right, ours))
    from rapidfuzz import fuzz, process, utils

    began = time.perf_counter()
    prepared = [utils.default_process(text) for text in names.texts]
    seconds = time.perf_counter() - began

    def best(text: str) -> int | None:
        match = process.extractOne(utils.default_process(text), prepared, scorer=fuzz.WRatio)
        return None if match is None else int(match[2])

    few = asked[:fuzzy_queries]
    times, right = _peer_times(best, few, names)
    rows.append(_peer_row(FUZZY, seconds, times, right, ours[: len(few)]))
    protocol = (
        f"the same queries over the same {len(names.texts):,} names, one at a time; {FUZZY}: the first {len(few)}",
        "prepare: reading names into the peer; ratio: the peer's median over ontonym's on the same queries",
    )
    bench.show(Sheet("peers", "Peers in the same run", protocol, rows, 2))


def _first_of(peer: Peer, text: str) -> int | None:
    (row,) = peer.similarities([text])
    place = int(ranked(row, 10)[0])
    return place if row[place] > 0 else None


def _peer_times(
    first: Callable[[str], int | None], asked: Sequence[Asked], names: Names
) -> tuple[np.ndarray, np.ndarray]:
    times, found = np.empty(len(asked)), np.zeros(len(asked), dtype=np.bool_)
    first(asked[-1].text)
    for number, query in enumerate(asked):
        began = time.perf_counter()
        place = first(query.text)
        times[number] = 1000 * (time.perf_counter() - began)
        found[number] = place is not None and names.ids[place] in query.right
    return times, found


def _peer_row(name: str, prepare: float | None, times: np.ndarray, found: np.ndarray, ours: np.ndarray) -> Row:
    return {
        "what searches": name,
        "n": len(times),
        "prepare s": prepare,
        "p50 ms": quantile(times, 0.5),
        "p99 ms": quantile(times, 0.99),
        "ratio": float(np.median(times) / np.median(ours)),
        "found": share(found.tolist()),
    }


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--queries", type=int, default=1000, help="how many queries (default: 1000)")
    parser.add_argument("--fuzzy-queries", type=int, default=100, help=f"of these for {FUZZY} (default: 100)")
    parser.add_argument("--terminology", nargs="+", default=["hp", "icd10cm"], help="which of: hp icd10cm")
    parser.add_argument("--no-peers", action="store_true", help="only ontonym")


if __name__ == "__main__":
    sys.exit(main("speed", str(__doc__), measure, _options))
