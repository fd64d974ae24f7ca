"""Opens an index over and over while a writer replaces it: every open must give one version of it, whole."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import numpy as np

from figures import Bench, Row, Sheet, main
from materials import work_folder
from ontonym import replacing
from ontonym.encoder import DEFAULT
from ontonym.index import AddedTerm, Index, add_terms, build_index, open_index, remove_terms, update_index
from ontonym.ontology.formats import read_release
from ontonym.store import build_terminology, open_terminology

_RELEASES = (400, 700)
"""Concepts of the two releases between which the index is updated; all files of the two differ in size."""

_ADDED = AddedTerm("S:7", "wobbly walk", who="swaps")
_SHOWN = 5

WITHOUT_EXCHANGE = False
"""Whether the writer replaces by two renames, as on a system that cannot exchange two folders in one step."""


@dataclass(frozen=True, slots=True)
class Swapped:
    """What came of it: ``failed`` lists the errors of failed opens and the answers that no version gives.

    ``versions`` counts the different versions that were opened.
    """

    opens: int
    swaps: int
    versions: int
    failed: tuple[str, ...]
    seconds: float


def swapped(folder: Path, *, opens: int, swaps: int, readers: int = 2, seed: int = 1) -> Swapped:
    """Opens an index at least ``opens`` times in ``readers`` processes while one more replaces it ``swaps`` times."""
    index, terminologies = _made(folder)
    context = multiprocessing.get_context("spawn")
    opened = [context.Value("q", 0) for _ in range(readers)]
    results, written = context.Queue(), context.Queue()
    finished = context.Event()
    share = -(-opens // readers)
    began = time.perf_counter()
    processes = [
        context.Process(target=_read, args=(index, share, opened[number], finished, results, seed + number))
        for number in range(readers)
    ]
    writer = context.Process(
        target=_write, args=(index, terminologies, swaps, opened, share * readers, finished, written, WITHOUT_EXCHANGE)
    )
    for process in (*processes, writer):
        process.start()
    versions: set[str] = set()
    failed: list[str] = []
    for _ in processes:
        seen, wrong = results.get()
        versions |= seen
        failed += wrong
    done = written.get()
    for process in (*processes, writer):
        process.join()
    return Swapped(sum(one.value for one in opened), done, len(versions), tuple(failed), time.perf_counter() - began)


def _made(folder: Path) -> tuple[Path, list[Path]]:
    terminologies = []
    for number, size in enumerate(_RELEASES):
        file = folder / f"{number}.obo"
        terms = [
            f'[Term]\nid: S:{i}\nname: sign {i} of the {i % 13} kind\nsynonym: "mark {i}" EXACT []\n'
            for i in range(size)
        ]
        file.write_text("format-version: 1.2\nontology: signs\n\n" + "\n".join(terms), encoding="utf-8")
        terminologies.append(folder / f"{number}.terminology")
        build_terminology(read_release([file]), terminologies[-1])
    with ExitStack() as stack:
        build_index([stack.enter_context(open_terminology(terminologies[0]))], folder / "a.index", encoder=DEFAULT)
    return folder / "a.index", terminologies


def _read(index: Path, opens: int, opened: Any, finished: Event, results: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    versions: set[str] = set()
    failed: list[str] = []
    while opened.value < opens or not finished.is_set():
        try:
            with open_index(index) as found:
                versions.add(found.manifest.fingerprint)
                problem = _problem(found, searched=rng.random() < 0.02)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        if problem:
            failed.append(problem)
        opened.value += 1
    results.put((versions, failed))


def _problem(index: Index, *, searched: bool) -> str:
    """What is not of one version in an open index; empty where all is."""
    held = index.manifest.content.get("added", {}).get("searched", 0)
    added = index.signals.added
    if held != (0 if added is None else len(added.part.names)):
        return "the added terms are not those of the manifest"
    if index.concept_count not in _RELEASES or index.name_count != 2 * index.concept_count:
        return f"{index.name_count} names of {index.concept_count} concepts"
    if searched:
        from ontonym.tasks import search

        asked = _ADDED.text if held else "mark 7"
        hits = search(index, asked)
        if not hits or hits[0].id != _ADDED.id:
            return f"{asked!r} gives {hits[0].id if hits else 'nothing'}"
    return ""


def _write(
    index: Path,
    terminologies: list[Path],
    swaps: int,
    opened: Sequence[Any],
    opens: int,
    finished: Event,
    written: Any,
    without_exchange: bool,
) -> None:
    """Replaces the index ``swaps`` times, evenly: terms added, another release, terms removed."""
    if without_exchange:
        replacing._exchange = lambda a, b: False
    done = 0
    try:
        while done < swaps:
            if sum(one.value for one in opened) * swaps < done * opens:
                time.sleep(0.0005)
                continue
            if done % 3 == 0:
                add_terms(index, [_ADDED])
            elif done % 3 == 1:
                update_index(index, [terminologies[done // 3 % 2 - 1]])
            else:
                remove_terms(index, [_ADDED])
            done += 1
    finally:
        finished.set()
        written.put(done)


def measure(bench: Bench, chosen: argparse.Namespace) -> bool:
    """One table; False where an open failed."""
    with work_folder() as folder:
        found = swapped(folder, opens=chosen.opens, swaps=chosen.swaps, readers=chosen.readers, seed=chosen.seed)
    row: Row = {
        "opens": found.opens,
        "replaced": found.swaps,
        "versions seen": found.versions,
        "failed": len(found.failed),
        "first failures": "; ".join(dict.fromkeys(found.failed[:_SHOWN])) or "none",
        "seconds": found.seconds,
    }
    protocol = (
        f"{chosen.readers} processes open, one replaces: added terms, the other release, removed terms, in turn",
        "failed: an error, files of two versions, or another answer than every version gives",
    )
    bench.show(Sheet("swaps", "An index opened while it is replaced", protocol, [row], 1))
    return not found.failed


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--opens", type=int, default=100_000, help="opens in all (default: 100,000)")
    parser.add_argument("--swaps", type=int, default=1_000, help="replacements meanwhile (default: 1,000)")
    parser.add_argument("--readers", type=int, default=2, help="processes that open (default: 2)")
    parser.add_argument("--seed", type=int, default=1, help="of the opens that are searched too")


if __name__ == "__main__":
    sys.exit(main("swaps", str(__doc__), measure, _options))
