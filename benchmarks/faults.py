"""All faults, one table at the end: kills, swaps, damage, hostile files, full disks, no memory, two writers."""

from __future__ import annotations

import argparse
import ctypes
import datetime
import json
import multiprocessing
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import damage
import hostile
import robust
import swaps
from figures import Bench, Cell, Row, Sheet, main
from materials import work_folder
from ontonym.artifact import verify
from ontonym.errors import LockedError
from ontonym.index import AddedTerm, add_terms, open_index, read_journal
from probing import BROKEN, DEADLOCK


@dataclass(frozen=True, slots=True)
class Share:
    """So many cases of a fault, ``times``; ``seeds`` are the seed of the run, and how many cases came before."""

    times: int
    seeds: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a share of a fault: how many ``cases``, and what was wrong with each that was ``broken``."""

    fault: str
    first: int
    cases: int
    broken: tuple[str, ...]
    seconds: float
    commit: str = ""
    when: str = ""


def kills(folder: Path, share: Share) -> tuple[int, list[str]]:
    """``kill -9`` over the commands of `robust.VERBS` on a small release, or over as many of them as are wanted."""
    made, times = damage.made(folder), share.times
    rng = np.random.default_rng(share.seeds)
    files = [made / "signs.obo"]
    broken: list[str] = []
    killed = 0
    verbs: Sequence[str] = robust.VERBS
    if times < len(verbs):
        verbs = [str(verb) for verb in rng.choice(verbs, times, replace=False)]
    each = -(-times // len(verbs))
    for scene in robust.scenes(files, folder, "mark 7", "S:7", verbs):
        outcomes = robust.kill_often(scene, each, rng)
        killed += sum(outcome.killed for outcome in outcomes)
        broken += [f"{scene.verb}: {outcome.broken}" for outcome in outcomes if outcome.broken]
    return killed, broken


def opens(folder: Path, share: Share) -> tuple[int, list[str]]:
    """Opens of an index during its replacement, one for each hundred."""
    found = swaps.swapped(folder, opens=share.times, swaps=max(share.times // 100, 10), seed=sum(share.seeds))
    return found.opens, list(found.failed)


def damages(folder: Path, share: Share) -> tuple[int, list[str]]:
    """Truncated, flipped and edited artifacts."""
    cases = damage.run_cases(damage.made(folder), share.times, sum(share.seeds))
    return len(cases), [str(case) for case in cases if case.outcome in BROKEN or case.seen_by_verify is False]


def files(folder: Path, share: Share) -> tuple[int, list[str]]:
    """Hostile files of every format."""
    cases = list(hostile.run_cases(damage.made(folder), share.times, share.seeds[0], first=share.seeds[1]))
    return len(cases), [str(case) for case in cases if case.ending.outcome in BROKEN]


# Limits --------------------------------------------------------------------------------------------------------------


def limits(folder: Path, share: Share) -> tuple[int, list[str]]:
    """Commands that write, under limits of the size of a file and of memory: told, and the old artifact stays whole."""
    made, times = damage.made(folder), share.times
    rng = np.random.default_rng(share.seeds)
    commands = (
        ("import", "signs.obo", "-o", "a.terminology"),
        ("index", "a.terminology", "-o", "a.index", "--encoder", "a.encoder"),
        ("update", "a.index", "a.terminology"),
        ("export", "a.terminology", "-o", "out.jsonl", "--force"),
        ("export", "a.terminology", "-o", "out.csv", "--force"),
    )
    broken: list[str] = []
    for number in range(times):
        command = commands[number % len(commands)]
        kind, most = (
            (resource.RLIMIT_FSIZE, int(rng.integers(1, 60_000))) if number % 2 else
            (resource.RLIMIT_AS, int(rng.integers(60, 400)) << 20)
        )  # fmt: skip
        wrong = _limited(made, command, kind, most)
        if wrong:
            what = "files" if kind == resource.RLIMIT_FSIZE else "memory"
            broken.append(f"{command[0]} with {what} of {most:,}: {wrong}")
    return times, broken


_BEGAN = r"^error: |in write_artifact$|in (update|build)_\w+$"
"""What stderr shows of a command that found no memory when it had begun: its one line, or where it was."""


def _limited(folder: Path, command: Sequence[str], kind: int, most: int) -> str:
    before = {name: verify(folder / name).created for name in ("a.terminology", "a.index")}
    done = subprocess.run(
        [sys.executable, "-m", "ontonym", *command],
        cwd=folder, capture_output=True, text=True, timeout=DEADLOCK, check=False,
        preexec_fn=lambda: resource.setrlimit(kind, (most, most)),
    )  # fmt: skip
    # The interpreter itself, or a library as it loads, may find no memory before ontonym has begun.
    began = kind == resource.RLIMIT_FSIZE or re.search(_BEGAN, done.stderr, re.MULTILINE) is not None
    if began and (done.returncode not in (0, 2) or "Traceback" in done.stderr):
        return f"exit {done.returncode}: {done.stderr.strip()[-300:]}"
    for name in before:
        verify(folder / name)
    left = [one.name for one in folder.glob(".*.writing")]
    return f"left {', '.join(left)}" if left and began else ""


_WRITING: tuple[tuple[str, ...], ...] = (
    ("import", "signs.obo", "-o", "a.terminology"),
    ("index", "a.terminology", "-o", "a.index", "--encoder", "a.encoder"),
    ("update", "a.index", "a.terminology"),
    ("add-terms", "a.index", "words.tsv"),
    ("export", "a.terminology", "-o", "out.csv"),
)
_READING: tuple[tuple[str, ...], ...] = (("search", "a.index", "mark 7"), ("info", "a.index", "--verify"))


def readonly(folder: Path, share: Share) -> tuple[int, list[str]]:
    """A folder that nobody may write to: what writes is refused, what reads answers."""
    made = damage.made(folder)
    (made / "words.tsv").write_text("id\ttext\nS:7\twords of my own\n", encoding="utf-8")
    places = [made, *made.rglob("*")]
    for place in places:
        place.chmod(0o555 if place.is_dir() else 0o444)
    broken: list[str] = []
    try:
        for number in range(share.times):
            turn = (share.seeds[0] + number) % len(_WRITING + _READING)
            command, expected = (_WRITING + _READING)[turn], 2 if turn < len(_WRITING) else 0
            done = subprocess.run(
                [sys.executable, "-m", "ontonym", *command],
                cwd=made, capture_output=True, text=True, timeout=DEADLOCK, check=False, preexec_fn=_unprivileged,
            )  # fmt: skip
            if done.returncode != expected or "Traceback" in done.stderr:
                broken.append(f"{command[0]} in a read-only folder: exit {done.returncode}: {done.stderr[-300:]}")
    finally:
        for one in places:
            one.chmod(0o755)
    return share.times, broken


def _unprivileged() -> None:
    """Takes from root, for the program that comes next, what lets it write where nobody may."""
    for capability in range(1, 4):  # DAC_OVERRIDE, DAC_READ_SEARCH, FOWNER
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def clocks(folder: Path, share: Share) -> tuple[int, list[str]]:
    """Clocks that jump: files of the future and of 1970, after which a change is made and seen."""
    made, times = damage.made(folder), share.times
    rng = np.random.default_rng(share.seeds)
    broken: list[str] = []
    with open_index(made / "a.index") as opened:
        now = opened
        for number in range(times):
            moment = float(rng.choice([0, 1, time.time() + 1e9, 2**33]))
            for file in (made / "a.index").rglob("*"):
                os.utime(file, (moment, moment))
            add_terms(made / "a.index", [AddedTerm("S:1", f"jump {number}")])
            now = now.refreshed()
            if not any(entry.term.text == f"jump {number}" for entry in read_journal(now)):
                broken.append(f"jump {number} was not seen")
    return times, broken


def _add(path: Path, who: str, count: int, results: object) -> None:
    added = []
    for number in range(count):
        while True:
            try:
                add_terms(path, [AddedTerm("S:1", f"{who} {number}")])
            except LockedError:
                time.sleep(0.005)
                continue
            break
        added.append(f"{who} {number}")
    results.put(added)  # type: ignore[attr-defined]


def writers(folder: Path, share: Share) -> tuple[int, list[str]]:
    """Two writers of one index at once: every term that was acknowledged is there."""
    made = damage.made(folder)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    each = max(share.times // 2, 1)
    both = [context.Process(target=_add, args=(made / "a.index", who, each, results)) for who in ("anna", "ben")]
    for one in both:
        one.start()
    said = [text for _ in both for text in results.get(timeout=DEADLOCK)]
    for one in both:
        one.join()
    with open_index(made / "a.index") as opened:
        held = {entry.term.text for entry in read_journal(opened)}
    return len(said), [f"{text} was acknowledged and is lost" for text in said if text not in held]


@dataclass(frozen=True, slots=True)
class Fault:
    """What tries a kind of fault, how often in ``full`` (``at_once`` in one share), and how often in a ``sample``."""

    attempt: Callable[[Path, Share], tuple[int, list[str]]]
    full: int
    at_once: int
    sample: int


FAULTS: dict[str, Fault] = {
    "kill -9": Fault(kills, 200, 27, 3),
    "opened while replaced": Fault(opens, 100_000, 5_000, 200),
    "damaged artifacts": Fault(damages, 5_000, 500, 60),
    "hostile files": Fault(files, 2_000, 200, 40),
    "full disk, no memory": Fault(limits, 100, 20, 6),
    "read-only folders": Fault(readonly, 21, 21, 3),
    "clock jumps": Fault(clocks, 50, 50, 3),
    "two writers": Fault(writers, 100, 100, 6),
}
"""Every kind of fault."""


def shares(names: Sequence[str], seed: int, *, sample: bool) -> list[tuple[str, Share]]:
    """All that is tried, a share of each fault after the other, so that a run that is broken off has tried them all."""
    found: list[tuple[float, str, Share]] = []
    for name in names:
        fault = FAULTS[name]
        full, at_once = (fault.sample, fault.sample) if sample else (fault.full, fault.at_once)
        firsts = range(0, full, at_once)
        found += [(first / full, name, Share(min(at_once, full - first), (seed, first))) for first in firsts]
    return [(name, share) for _, name, share in sorted(found, key=lambda one: one[0])]


def measure(bench: Bench, chosen: argparse.Namespace) -> bool:
    """Tries every fault; False where anything was lost, hung, or told as a mistake of ours."""
    kept = Path(chosen.resume) if chosen.resume else None
    results = [] if kept is None or not kept.exists() else [_read(line) for line in kept.read_text().splitlines()]
    started = time.monotonic()
    done = {(one.fault, one.first) for one in results}
    for name, share in shares(chosen.only or list(FAULTS), chosen.seed, sample=chosen.sample):
        if (name, share.seeds[1]) in done:
            continue
        if chosen.minutes is not None and time.monotonic() - started >= 60 * chosen.minutes:
            break
        began = time.monotonic()
        with work_folder() as folder:
            cases, broken = FAULTS[name].attempt(folder, share)
        when = datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes")
        commit = bench.facts["packages"]["ontonym"]
        results.append(Result(name, share.seeds[1], cases, tuple(broken), time.monotonic() - began, commit, when))
        if kept is not None:
            with kept.open("a", encoding="utf-8") as log:
                log.write(f"{json.dumps(asdict(results[-1]))}\n")
        print(f"{name}: {cases:,} cases, {len(broken):,} broken, {results[-1].seconds:.0f} s", flush=True)
        for one in broken[: chosen.shown]:
            print(f"  {one}", flush=True)
    protocol = (
        f"seed {chosen.seed}; broken: lost, hung, an internal error, beyond its memory, or answered as no version does",
    )
    rows = list(_rows(results))
    for file in chosen.earlier:
        rows += _earlier(Path(file), {row["fault"] for row in rows})
    rows.sort(key=lambda row: list(FAULTS).index(str(row["fault"])))
    bench.show(Sheet("faults", "Faults", protocol, rows, 0))
    return not any(one.broken for one in results)


def _read(line: str) -> Result:
    facts = json.loads(line)
    return Result(**{**facts, "broken": tuple(facts["broken"])})


def _rows(results: Sequence[Result]) -> Iterator[Row]:
    for name in dict.fromkeys(one.fault for one in results):
        own = [one for one in results if one.fault == name]
        yield {
            "fault": name,
            "cases": sum(one.cases for one in own),
            "in full": FAULTS[name].full,
            "broken": sum(len(one.broken) for one in own),
            "seconds": sum(one.seconds for one in own),
            "commit": ", ".join(dict.fromkeys(one.commit for one in own)),
            "when": max(one.when for one in own),
        }


def _earlier(file: Path, known: Collection[Cell]) -> list[Row]:
    """The rows of an earlier run for faults that are not ``known``, with its commit and when it was."""
    made = json.loads(file.read_text(encoding="utf-8"))
    commit, when = made["machine"]["packages"]["ontonym"], made["began"]
    rows = [row for row in made["tables"]["faults"]["rows"] if row["fault"] not in known]
    return [{**row, "commit": row.get("commit") or commit, "when": row.get("when") or when} for row in rows]


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sample", action="store_true", help="a sample of a minute or two, as for every change")
    parser.add_argument("--seed", type=lambda text: int(text, 0) % 2**31, default=1, help="of all that is drawn")
    parser.add_argument("--only", nargs="+", default=[], choices=FAULTS, help="kinds of faults")
    parser.add_argument("--resume", metavar="FILE", help="note what is done in FILE, and go on from there")
    parser.add_argument("--minutes", type=float, help="after which no more is begun, and what is done is shown")
    parser.add_argument("--earlier", nargs="+", default=[], metavar="JSON",
                        help="earlier figures, for the faults that this run does not try")  # fmt: skip
    parser.add_argument("--shown", type=int, default=10, help="broken cases shown of each kind")


if __name__ == "__main__":
    sys.exit(main("faults", str(__doc__), measure, _options))
