"""Growth: import, index, open, search and autocomplete over 0.15 to 15 million names, each step in a fresh process.

The names are those of the open terminologies; where more are asked for, the words of two real names are put together,
with numbers, and with new words made of two real ones, so that the vocabulary grows as it does in real terminologies.
What was made is kept in ``--folder``, and what was measured beside it, so that a run that is broken off goes on.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np

from figures import Bench, Row, Sheet, main
from materials import work_folder
from ontonym.artifact import read_manifest
from sources import import_sources

GIB = 1 << 30
OPENS = 7
WARM_UP = 20
DRAWN = 4000
"""Names from which the queries are made: as many are read from all over the terminology."""

NAMES, ASKED = 500_000_000, 1_000
"""The names and the searches a second that are extrapolated to."""

_TAILS = ("type {}", "{} mg", "stage {}", "variant {}", "{} MG/ML", "grade {}", "group {}", "subtype {}A", "no. {}")

_OPENED = """
import sys, time
from ontonym.index import open_index
began, worked = time.perf_counter(), time.process_time()
open_index(sys.argv[1]).close()
print(time.perf_counter() - began, time.process_time() - worked)
"""

_ASKED = """
import json, resource, sys, time
from ontonym.index import open_index
from ontonym.tasks.completing import complete
from ontonym.tasks import search

def timed(ask, texts):
    times = []
    for text in texts:
        began = time.process_time()
        ask(text)
        times.append(1000 * (time.process_time() - began))
    return times

queries, right = json.load(open(sys.argv[2]))
with open_index(sys.argv[1]) as index:
    others = int(sys.argv[3])  # what they found is kept: they are not asked again
    first = timed(lambda text: search(index, text), queries[-1:])
    timed(lambda text: search(index, text), queries[-others:-1])
    queries, right = queries[:-others], right[:-others]
    answers = []
    searched = timed(lambda text: answers.append(search(index, text)), queries)
    found = sum(bool(hits) and hits[0].id in ids for hits, ids in zip(answers, right))
    typed = [text[: 3 + number % 6] for number, text in enumerate(queries)]
    begun = timed(lambda text: complete(index, text), typed[:1])
    suggested = timed(lambda text: complete(index, text), typed)
    part, signals = index.signals.ontology, {}
    asked = {query.text: query for query in index.signals.queries(queries)}
    signals["words"] = timed(lambda text: part.lexical.nearest(asked[text].words, 50), queries)
    signals["letters"] = timed(lambda text: part.char.nearest(part.char.query(asked[text].words), 50), queries)
    signals["meaning"] = timed(lambda text: part.dense.nearest(asked[text].vector, 50), queries)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps([first, searched, begun, suggested, signals, found / len(queries), peak]))
"""


def measure(bench: Bench, chosen: argparse.Namespace) -> bool:
    """Each size once, the smallest first; False where a search missed what it was made from more often than not."""
    rows = _kept(chosen)
    with work_folder(chosen.folder) as folder:
        for row in rows if chosen.again else ():
            if row["shards"] == chosen.shards and row["names asked for"] in chosen.names:
                row.update(_asked(bench, folder, int(str(row["names asked for"])), chosen))
                print(", ".join(f"{name} {value}" for name, value in row.items()), flush=True)
        for size in sorted(chosen.names):
            if any(row["names asked for"] == size and row["shards"] == chosen.shards for row in rows):
                continue
            row = _row(bench, folder, size, chosen)
            rows.append(row)
            _keep(rows, chosen)
        _keep(rows, chosen)
    rows.sort(key=lambda row: (float(str(row["names asked for"])), float(str(row["shards"]))))
    protocol = (
        "names of open terminologies, further ones of the words of two of them with numbers and new words (seed 1); "
        "static encoder; each step in a fresh process",
        "seconds: wall clock; processor: user and system; peak: most memory without mapped files, sampled ten times "
        "a second, and ru_maxrss, which counts the mapped files that were touched; 10^6 bytes",
        "search and complete: processor milliseconds of one thread, k = 10, one query after another, after others; "
        "first: of the first in a process; words, letters, meaning: the 50 nearest names of one signal; found: the "
        "first answer is the concept that the query was made from",
    )
    bench.show(Sheet("scale", "Growth", protocol, rows, 1))
    whole = [row for row in rows if row["shards"] == 1 and "meaning p50 ms" in row]
    if len(whole) > 1:
        bench.show(_beyond(whole))
    return all(float(str(row["found"])) > 0.5 for row in rows)


def _kept(chosen: argparse.Namespace) -> list[dict[str, Any]]:
    kept = Path(chosen.kept) if chosen.kept else None
    return [] if kept is None or not kept.exists() else [json.loads(line) for line in kept.read_text().splitlines()]


_GROWING = (
    "import processor s", "index processor s", "index peak MB", "index MB", "terminology MB", "search p50 ms",
    "words p50 ms", "letters p50 ms", "meaning p50 ms", "complete p50 ms", "open processor s",
)  # fmt: skip


def _beyond(rows: list[dict[str, Any]]) -> Sheet:
    """What `NAMES` names would take: nothing of it was run."""
    before, last = rows[-2:]
    factor = last["names"] / before["names"]
    table: list[Row] = []
    for what in _GROWING:
        if not before.get(what) or not last.get(what):
            continue
        exponent = float(np.log(last[what] / before[what]) / np.log(factor))
        table.append({"what": what, "measured": last[what], "exponent": exponent,
                      "computed": last[what] * (NAMES / last["names"]) ** exponent})  # fmt: skip
    by_name = {str(row["what"]): float(str(row["computed"])) for row in table}
    parts = [f"{name} p50 ms" for name in ("words", "letters", "meaning")]
    rest = max(last["search p50 ms"] - sum(last[part] for part in parts), 0)
    whole = sum(by_name[part] for part in parts) + rest  # its parts grow faster than the whole did
    table.append({"what": "search p50 ms, from its parts", "measured": last["search p50 ms"], "exponent": None,
                  "computed": whole})  # fmt: skip
    cores = whole / 1e3 * ASKED
    table.append({"what": f"processors for {ASKED:,} searches a second", "measured": None, "exponent": None,
                  "computed": cores})  # fmt: skip
    protocol = (
        f"extrapolated, nothing of it was run: {NAMES:,} names, by the exponent of the number of names between "
        f"{before['names']:,} and {last['names']:,}; measured: at {last['names']:,}",
    )
    return Sheet("beyond", "Extrapolated", protocol, table, 2)


def _keep(rows: list[dict[str, Any]], chosen: argparse.Namespace) -> None:
    if chosen.kept:
        Path(chosen.kept).write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def _row(bench: Bench, folder: Path, size: int, chosen: argparse.Namespace) -> dict[str, Any]:
    """All steps for one size; what they made is removed unless the folder is kept."""
    release, terminology = folder / f"{size}" / "MRCONSO.RRF", folder / f"{size}.terminology"
    index = folder / f"{size}-{chosen.shards}.index"
    if not terminology.exists() and not release.exists():
        write_release(release, size, folder / "sources")
    importing = _command("import", release.parent, "-o", terminology, most=chosen.most, made=terminology)
    if not chosen.folder:
        shutil.rmtree(release.parent)
    more = [*(["--memory", chosen.memory] if chosen.memory else []),
            *(["--shards", chosen.shards] if chosen.shards > 1 else [])]  # fmt: skip
    indexing = _command("index", terminology, "-o", index, "--encoder", "static", "--force", *more, most=chosen.most)
    facts = read_manifest(index, "index")
    row = {
        "names asked for": size, "shards": chosen.shards, "names": facts.content["statistics"]["names"],
        "words": facts.content["statistics"]["words"], **_named("import", importing), **_named("index", indexing),
        "memory": chosen.memory or "default", "index MB": facts.bytes / 1e6,
        "terminology MB": read_manifest(terminology, "terminology").bytes / 1e6,
        "made at": bench.facts["packages"]["ontonym"], **_asked(bench, folder, size, chosen),
    }  # fmt: skip
    print(", ".join(f"{name} {value}" for name, value in row.items()), flush=True)
    return row


def _asked(bench: Bench, folder: Path, size: int, chosen: argparse.Namespace) -> dict[str, Any]:
    """What the index of a size costs to open, to search and to complete with."""
    index, asked = folder / f"{size}-{chosen.shards}.index", folder / f"{size}.json"
    opening = [_printed(_OPENED, index) for _ in range(OPENS)]
    asked.write_text(json.dumps(_queries(folder / f"{size}.terminology", chosen.queries + WARM_UP)), encoding="utf-8")
    first, searched, begun, suggested, signals, found, peak = json.loads(_printed(_ASKED, index, asked, WARM_UP))
    return {
        "open s": float(np.median([float(told.split()[0]) for told in opening])),
        "open processor s": float(np.median([float(told.split()[1]) for told in opening])),
        "search first ms": first[0], "search p50 ms": float(np.quantile(searched, 0.5)),
        "search p99 ms": float(np.quantile(searched, 0.99)), "found": found,
        **{f"{name} p50 ms": float(np.quantile(times, 0.5)) for name, times in signals.items()},
        "complete first ms": begun[0], "complete p50 ms": float(np.quantile(suggested, 0.5)),
        "complete p99 ms": float(np.quantile(suggested, 0.99)),
        "searching peak MB": peak / 1e6, "queries": len(searched), "load": round(os.getloadavg()[0], 1),
        "asked at": bench.facts["packages"]["ontonym"],
        "when": datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes"),
    }  # fmt: skip


def _named(what: str, cost: dict[str, float] | None) -> Row:
    units = ("s", "processor s", "peak MB", "peak with files MB")
    return {f"{what} {unit}": None if cost is None else cost[unit] for unit in units}


def _command(*words: object, most: float, made: Path | None = None) -> dict[str, float] | None:
    """What a command cost; None where ``made`` is there already. It is ended where it takes more than ``most`` GiB."""
    if made is not None and made.exists():
        return None
    began, ended = time.perf_counter(), threading.Event()
    child = subprocess.Popen([sys.executable, "-m", "ontonym", *map(str, words)], stdout=subprocess.DEVNULL)
    peaks = [0]

    def watch() -> None:
        while not ended.wait(0.1):
            peaks.append(_own_bytes(child.pid))
            if peaks[-1] > most * GIB:
                child.kill()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    _, status, usage = os.wait4(child.pid, 0)
    ended.set()
    watcher.join()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"ontonym {' '.join(map(str, words))} ended with {child.returncode}")
    return {
        "s": time.perf_counter() - began, "processor s": usage.ru_utime + usage.ru_stime, "peak MB": max(peaks) / 1e6,
        "peak with files MB": usage.ru_maxrss * 1024 / 1e6,
    }  # fmt: skip


def _own_bytes(pid: int) -> int:
    """The memory of a process that is not of mapped files, in bytes."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith(("RssAnon", "RssShmem")))


def _printed(program: str, *words: object) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)], stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


# Names -----------------------------------------------------------------------------------------------------------


def write_release(file: Path, size: int, sources: Path) -> None:
    """Writes so many names of made-up concepts as a names table of UMLS, the same ones in every run."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(".writing")
    left = size
    with beside.open("w", encoding="utf-8") as out:
        for number, concept in enumerate(_concepts(sources), 1):
            names = list({_form(name): name for name in reversed(concept)}.values())[::-1][:left]
            for place, name in enumerate(names):
                kind = "PT" if place == 0 else "SY"
                status, first = ("P", "Y") if place == 0 else ("S", "N")
                out.write(f"C{number:07}|ENG|{status}|L|PF|S|{first}|A||||SRC|{kind}|{number}|{name}|0|N||\n")
            left -= len(names)
            if not left:
                break
    beside.replace(file)


def _concepts(folder: Path) -> Iterator[list[str]]:
    """The names of concepts without end: the real ones first, then ones of the words of two of them."""
    real = _real(folder)
    draw = np.random.default_rng(1)
    yield from real
    stride = int(len(real) * 0.6180339887) | 1
    while gcd(stride, len(real)) != 1:
        stride += 2
    turn = 1
    while True:
        chances = draw.random((len(real), 2))
        numbers = draw.integers(1, 500, len(real))
        for place, names in enumerate(real):
            other = real[(place * stride + turn * 7919) % len(real)]
            yield [
                _mixed(name, other[at % len(other)], chances[place], int(numbers[place]) + at)
                for at, name in enumerate(names)
            ]
        turn += 1


def _form(name: str) -> str:
    """What names that an index takes for one have in common, nearly always."""
    return " ".join(sorted(name.casefold().replace(",", " ").replace("-", " ").split()))


def _mixed(name: str, other: str, chances: np.ndarray, number: int) -> str:
    """Half of the words of each of two names; a number in every third, and a word of two words in every seventh."""
    own, more = name.split(), other.split()
    words = own[: (len(own) + 1) // 2] + more[len(more) // 2 :]
    if chances[0] < 1 / 7:
        place = number % len(words)
        begin, end = words[place], more[0]
        words[place] = begin[: max(3, len(begin) // 2)] + end[len(end) // 2 :].lower()
    if chances[1] < 1 / 3:
        words.append(_TAILS[number % len(_TAILS)].format(number))
    return " ".join(words)


def _real(folder: Path) -> list[list[str]]:
    """The different names of each concept of the open terminologies."""
    found: list[list[str]] = []
    for terminology in import_sources(folder):
        texts, bounds = list(terminology.term_texts()), np.searchsorted(
            terminology.term_concepts(), np.arange(len(terminology) + 1)
        )  # fmt: skip
        for start, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            names = {text.casefold(): text.replace("|", " ") for text in texts[start:stop] if len(text) < 200}
            if names:
                found.append(list(names.values()))
    order = np.random.default_rng(2).permutation(len(found)).tolist()
    return [found[place] for place in order]


def _queries(terminology: Path, count: int) -> tuple[list[str], list[list[str]]]:
    """Queries of all kinds in turn from names of all over a terminology, and the ids that each was made from."""
    from ontonym.store import open_terminology
    from peers import Names
    from queries import draw_queries

    with open_terminology(terminology) as opened:
        rows = np.sort(np.random.default_rng(3).choice(opened.term_count, min(DRAWN, opened.term_count), replace=False))
        ids = [opened.id(owner) for owner in opened.term_concepts()[rows].tolist()]
        drawn = draw_queries(Names(opened.term_texts().take(rows), ids), count, seed=1)
    return [one.text for one in drawn], [sorted(one.right) for one in drawn]


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--names", type=int, nargs="+", default=[150_000, 1_500_000], metavar="N")
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--shards", type=int, default=1, help="of the index")
    parser.add_argument("--memory", default="", help="of ontonym index, such as 4G")
    parser.add_argument("--folder", metavar="DIR", help="keep what is made in DIR, and use what is there")
    parser.add_argument("--kept", metavar="FILE", help="note what was measured in FILE, and go on from there")
    parser.add_argument("--again", action="store_true", help="open and ask the indexes in --folder again")
    parser.add_argument("--most", type=float, default=12.0, metavar="GIB", help="end a command that takes more (12)")


if __name__ == "__main__":
    sys.exit(main("scale", str(__doc__), measure, _options))
