"""All faults, one table at the end: kills, swaps, damage, hostile files, full disks, no memory, two writers."""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import damage
import hostile
import robust
import swaps
from figures import Bench, Row, Sheet, main
from materials import work_folder
from ontonym.artifact import verify
from ontonym.errors import LockedError
from ontonym.index import AddedTerm, add_terms, open_index, read_journal
from probing import BROKEN, DEADLOCK


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one kind of fault: how many ``cases``, and what was wrong with each that was ``broken``."""

    fault: str
    cases: int
    broken: tuple[str, ...]
    seconds: float


def kills(folder: Path, times: int, seed: int) -> tuple[int, list[str]]:
    """``kill -9`` over the commands of `robust.VERBS` on a small release, or over as many of them as ``times``."""
    made = damage.made(folder)
    rng = np.random.default_rng(seed)
    files = [made / "signs.obo"]
    broken: list[str] = []
    killed = 0
    verbs: Sequence[str] = robust.VERBS
    if times < len(verbs):
        verbs = [str(verb) for verb in rng.choice(verbs, times, replace=False)]
    share = -(-times // len(verbs))
    for scene in robust.scenes(files, folder, "mark 7", "S:7", verbs):
        outcomes = robust.kill_often(scene, share, rng)
        killed += sum(outcome.killed for outcome in outcomes)
        broken += [f"{scene.verb}: {outcome.broken}" for outcome in outcomes if outcome.broken]
    return killed, broken


def opens(folder: Path, times: int, seed: int) -> tuple[int, list[str]]:
    """Opens of an index during its replacement, one for each hundred."""
    found = swaps.swapped(folder, opens=times, swaps=max(times // 100, 10), seed=seed)
    return found.opens, list(found.failed)


def damages(folder: Path, times: int, seed: int) -> tuple[int, list[str]]:
    """Truncated, flipped and edited artifacts."""
    cases = damage.run_cases(damage.made(folder), times, seed)
    return len(cases), [str(case) for case in cases if case.outcome in BROKEN or case.seen_by_verify is False]


def files(folder: Path, times: int, seed: int) -> tuple[int, list[str]]:
    """Hostile files of every format."""
    cases = list(hostile.run_cases(damage.made(folder), times, seed))
    return len(cases), [str(case) for case in cases if case.ending.outcome in BROKEN]


# Limits --------------------------------------------------------------------------------------------------------------


def limits(folder: Path, times: int, seed: int) -> tuple[int, list[str]]:
    """Commands that write, under limits of the size of a file and of memory: told, and the old artifact stays whole."""
    made = damage.made(folder)
    rng = np.random.default_rng(seed)
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


def _limited(folder: Path, command: Sequence[str], kind: int, most: int) -> str:
    before = {name: verify(folder / name).created for name in ("a.terminology", "a.index")}
    done = subprocess.run(
        [sys.executable, "-m", "ontonym", *command],
        cwd=folder, capture_output=True, text=True, timeout=DEADLOCK, check=False,
        preexec_fn=lambda: resource.setrlimit(kind, (most, most)),
    )  # fmt: skip
    # The interpreter itself, or a library as it loads, may find no memory before ontonym has begun.
    began = kind == resource.RLIMIT_FSIZE or re.search("^error: ", done.stderr, re.MULTILINE) is not None
    if began and (done.returncode not in (0, 2) or "Traceback" in done.stderr):
        return f"exit {done.returncode}: {done.stderr.strip()[-300:]}"
    for name in before:
        verify(folder / name)
    left = [one.name for one in folder.glob(".*.writing")]
    return f"left {', '.join(left)}" if left and began else ""


def clocks(folder: Path, times: int, seed: int) -> tuple[int, list[str]]:
    """Clocks that jump: files of the future and of 1970, after which a change is made and seen."""
    made = damage.made(folder)
    rng = np.random.default_rng(seed)
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


def writers(folder: Path, times: int, seed: int) -> tuple[int, list[str]]:
    """Two writers of one index at once: every term that was acknowledged is there."""
    made = damage.made(folder)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    share = max(times // 2, 1)
    both = [context.Process(target=_add, args=(made / "a.index", who, share, results)) for who in ("anna", "ben")]
    for one in both:
        one.start()
    said = [text for _ in both for text in results.get(timeout=DEADLOCK)]
    for one in both:
        one.join()
    with open_index(made / "a.index") as opened:
        held = {entry.term.text for entry in read_journal(opened)}
    return len(said), [f"{text} was acknowledged and is lost" for text in said if text not in held]


FAULTS: dict[str, tuple[Callable[[Path, int, int], tuple[int, list[str]]], int, int]] = {
    "kill -9": (kills, 200, 3),
    "opened while replaced": (opens, 100_000, 200),
    "damaged artifacts": (damages, 5_000, 60),
    "hostile files": (files, 2_000, 40),
    "full disk, no memory": (limits, 100, 6),
    "clock jumps": (clocks, 50, 3),
    "two writers": (writers, 100, 6),
}
"""Every kind of fault: what tries it, how often in full, and how often in a sample."""


def measure(bench: Bench, chosen: argparse.Namespace) -> bool:
    """Tries every fault; False where anything was lost, hung, or told as a mistake of ours."""
    results: list[Result] = []
    for fault in chosen.only or FAULTS:
        attempt, full, sample = FAULTS[fault]
        began = time.monotonic()
        with work_folder() as folder:
            cases, broken = attempt(folder, sample if chosen.sample else full, chosen.seed)
        results.append(Result(fault, cases, tuple(broken), time.monotonic() - began))
        print(f"{fault}: {cases:,} cases, {len(broken):,} broken, {results[-1].seconds:.0f} s", flush=True)
        for one in broken[: chosen.shown]:
            print(f"  {one}", flush=True)
    rows: list[Row] = [
        {"fault": one.fault, "cases": one.cases, "broken": len(one.broken), "seconds": one.seconds} for one in results
    ]
    protocol = (
        f"seed {chosen.seed}; broken: lost, hung, an internal error, beyond its memory, or answered as no version does",
    )
    bench.show(Sheet("faults", "Faults", protocol, rows, 0))
    return not any(one.broken for one in results)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sample", action="store_true", help="a sample of a minute or two, as for every change")
    parser.add_argument("--seed", type=lambda text: int(text, 0) % 2**31, default=1, help="of all that is drawn")
    parser.add_argument("--only", nargs="+", default=[], choices=FAULTS, help="kinds of faults")
    parser.add_argument("--shown", type=int, default=10, help="broken cases shown of each kind")


if __name__ == "__main__":
    sys.exit(main("faults", str(__doc__), measure, _options))
