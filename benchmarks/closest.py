"""Closest names by Levenshtein distance: exact, beside comparing every two names with rapidfuzz, on real names."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from figures import Bench, Row, Sheet, Target, main, target_sheet
from materials import generated_release, import_files, opened, work_folder
from ontonym.arrays import Rows
from ontonym.benchmark.nearest import Neighbours, nearest_texts
from ontonym.errors import InputError
from ontonym.ontology.options import ReadOptions
from ontonym.store import Terminology
from sources import import_sources

SAMPLED = 500
"""Names whose distances to all others rapidfuzz works out, in turns of a few; all would take it too long."""

TURNS = 5
GENERATED = 500_000
RATIO, HOUR = 8.0, 3600.0


def measure(bench: Bench, chosen: argparse.Namespace) -> bool:
    """Each size once, the smallest first; the checked answers must be those of comparing with all."""
    with work_folder() as folder:
        names, concepts = _names(folder, max(chosen.sizes))
    rows: list[Row] = []
    wrong = 0
    for size in sorted(chosen.sizes):
        drawn = np.sort(np.random.default_rng(0).choice(len(names), size, replace=False))
        row, missed = _row([names[number] for number in drawn.tolist()], concepts[drawn], chosen)
        wrong += missed
        rows.append(row)
        print(", ".join(f"{name} {value}" for name, value in row.items()), flush=True)
    bench.show(
        Sheet(
            "closest",
            "The closest name that is not of the same concept, for every name",
            (
                f"names of open terminologies in lower case, drawn from {len(names):,} different ones "
                "(generated SNOMED CT names where there are not enough)",
                f"ontonym: all names, {chosen.threads} threads; rapidfuzz: cdist with {chosen.threads} workers of "
                f"{SAMPLED} of them with all, times their number; wrong: of those, answers that are not the closest",
                "growth: the exponent of n from the row above; ratio: rapidfuzz to ontonym, by the clock",
            ),
            _grown(rows),
            2,
        )
    )
    if targets := _targets(rows):
        bench.show(target_sheet(targets))
    return wrong == 0


def _targets(rows: Sequence[Row]) -> list[Target]:
    found = []
    for row in rows:
        if row["names"] == 100_000:
            ratio = float(str(row["ratio"]))
            found.append(Target("100,000 names, as fast as rapidfuzz", ratio, RATIO, "times", at_least=True))
        if row["names"] == 700_000:
            found.append(Target("700,000 names", float(str(row["ontonym s"])), HOUR, "s"))
    return found


def _row(texts: Sequence[str], groups: Rows, chosen: argparse.Namespace) -> tuple[dict[str, float | int], int]:
    """One size: ours whole, then rapidfuzz and the check."""
    everything = np.arange(len(texts))
    nearest_texts(texts[:50], everything[:50], np.ones(50, dtype=np.int64), groups[:50])  # compiled before the clock
    began = time.perf_counter()
    found = nearest_texts(texts, everything, np.ones(len(texts), dtype=np.int64), groups, threads=chosen.threads)
    ours = time.perf_counter() - began
    sample = np.random.default_rng(1).choice(len(texts), min(SAMPLED, len(texts)), replace=False)
    theirs, wrong = 0.0, 0
    for turn in np.array_split(sample, TURNS):
        began = time.perf_counter()
        table = cdist(
            [texts[number] for number in turn.tolist()], texts, scorer=Levenshtein.distance, dtype=np.int32,
            workers=chosen.threads,
        )  # fmt: skip
        theirs += time.perf_counter() - began
        wrong += sum(_is_wrong(found, number, row, groups) for number, row in zip(turn.tolist(), table, strict=True))
    whole = theirs * len(texts) / len(sample)
    distances = found.distances
    return {
        "names": len(texts), "characters": float(np.mean([len(text) for text in texts])),
        "distance": float(distances.mean()), "ontonym s": ours, "names/s": round(len(texts) / ours),
        "rapidfuzz s": whole, "ratio": whole / ours, "wrong": wrong,
    }, wrong  # fmt: skip


def _is_wrong(found: Neighbours, number: int, distances: Rows, groups: Rows) -> bool:
    others = np.flatnonzero(groups != groups[number])
    rows, least = found.of(number)
    best = others[np.argmin(distances[others])]
    return (rows.tolist(), least.tolist()) != ([int(best)], [int(distances[best])])


def _grown(rows: Sequence[Row]) -> list[Row]:
    """The rows with how the time grew since the one above."""
    grown: list[Row] = []
    for place, row in enumerate(rows):
        before = rows[place - 1] if place else None
        exponent = None
        if before is not None:
            times, sizes = (float(str(row[name])) / float(str(before[name])) for name in ("ontonym s", "names"))
            exponent = float(np.log(times) / np.log(sizes))
        grown.append({**row, "growth": exponent})
    return grown


def _names(folder: Path, count: int) -> tuple[list[str], Rows]:
    """Different names with numbers of their concepts: of the open terminologies, then generated ones."""
    numbers: dict[str, int] = {}
    concepts = 0
    for terminology in _terminologies(folder):
        owners = terminology.term_concepts().tolist()
        for text, concept in zip(terminology.term_texts(), owners, strict=True):
            numbers.setdefault(text.lower(), concepts + concept)
        concepts += len(terminology)
        if len(numbers) >= count:
            break
    if len(numbers) < count:
        raise InputError(f"{count:,} names were asked for, and there are {len(numbers):,}")
    return list(numbers)[:count], np.fromiter(numbers.values(), dtype=np.int64, count=count)


def _terminologies(folder: Path) -> Iterator[Terminology]:
    yield from import_sources(folder)
    release = generated_release("rf2", GENERATED, [])
    place = import_files([release], folder / "generated.terminology", ReadOptions(name="generated"))
    with opened([place]) as (terminology,):
        yield terminology


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", type=int, nargs="+", default=[25_000, 50_000, 100_000], metavar="N")
    parser.add_argument("--threads", type=int, default=2)


if __name__ == "__main__":
    sys.exit(main("closest", __doc__, measure, _options))
