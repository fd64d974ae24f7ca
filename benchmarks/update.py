"""``ontonym update`` after 1% changed names against ``ontonym index``: whole processes, files and answers compared."""

from __future__ import annotations

import argparse
import filecmp
import os
import shutil
import string
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from figures import Bench, Row, Sheet, Target, main, target_sheet
from materials import generated_release, import_embedded, import_files, opened, titled, work_folder
from ontonym.artifact import read_manifest
from ontonym.errors import InputError
from ontonym.index import Index, build_index, open_index, update_index
from ontonym.ontology.batch import Batch, batches_of
from ontonym.ontology.options import ReadOptions
from ontonym.store import Terminology, build_terminology
from ontonym.tasks import search
from ontonym.types import Concept, Term
from peers import Names, all_names
from queries import draw_queries

PROMISED = 20.0
ROUNDS = 3


@dataclass(slots=True)
class NextRelease:
    """A terminology with a share of its names changed, as the next release of it would have them.

    Of the names that change, half get another word, a quarter lose or gain a letter, and a quarter are new synonyms
    or gone; one concept in two thousand is retired, and one is new. The same for the same seed.
    """

    terminology: Terminology
    share: float
    seed: int = 1
    changed: int = 0
    metadata: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.metadata = {"name": self.terminology.name, "version": f"{self.terminology.version} and later"}

    @property
    def counts(self) -> NextRelease:
        """What was changed."""
        return self

    def to_dict(self) -> dict[str, int]:
        """How many names were changed."""
        return {"changed": self.changed}

    def batches(self) -> Iterator[Batch]:
        """The concepts in columns."""
        return batches_of(self._concepts())

    def _concepts(self) -> Iterator[Concept]:
        rng = np.random.default_rng(self.seed)
        texts = self.terminology.term_texts()
        for row in range(len(self.terminology)):
            concept = self.terminology.concept(row)
            fates = rng.random(len(concept.terms) + 1)
            terms: list[Term] = []
            for term, fate in zip(concept.terms, fates, strict=False):
                if fate >= self.share:
                    terms.append(term)
                    continue
                self.changed += 1
                other = texts[int(rng.integers(len(texts)))].split()
                terms += _changed(
                    term, other[int(rng.integers(len(other)))] if other else "other", fate / self.share, rng
                )
            status = "retired" if fates[-1] < 0.0005 else concept.status
            yield replace(concept, terms=tuple(terms) or concept.terms, status=status)
            if fates[-1] > 0.9995:
                yield replace(concept, id=f"{concept.id}-new", terms=(Term(f"{concept.preferred} anew", "preferred"),))


def _changed(term: Term, other: str, fate: float, rng: np.random.Generator) -> list[Term]:
    words = term.text.split()
    place = int(rng.integers(len(term.text) + 1))
    if fate < 0.5:
        words[int(rng.integers(len(words)))] = other
        return [replace(term, text=" ".join(words))]
    if fate < 0.65:
        return [replace(term, text=term.text[:place] + term.text[place + 1 :])] if len(term.text) > 3 else []
    if fate < 0.75:
        letter = str(rng.choice(list(string.ascii_lowercase)))
        return [replace(term, text=term.text[:place] + letter + term.text[place:])]
    return [term, replace(term, text=f"{term.text} {other}", kind="synonym")] if fate < 0.9 else []


def measure(bench: Bench, chosen: argparse.Namespace) -> bool:
    """Updates and rebuilds, and compares; False where anything differs."""
    same, targets = True, []
    for sort in ("embedded", "generated"):
        with work_folder() as folder:
            places = _embedded(folder, chosen) if sort == "embedded" else _generated(folder, chosen)
            if not places:
                continue
            news = [Path(chosen.new)] if chosen.new else [_next(place, folder, chosen.share) for place in places]
            alike, ratio = _compare(bench, places, news, folder, chosen)
            what = f"rebuild / update at {_size(places)} terms, processor time of whole processes"
            targets.append(Target(what, ratio, PROMISED, "", at_least=True))
            same &= alike
    bench.show(target_sheet(targets))
    return same


def _embedded(folder: Path, chosen: argparse.Namespace) -> list[Path]:
    if chosen.old:
        return [Path(chosen.old)]
    return [import_embedded(name, folder)[0] for name in chosen.terminology]


def _generated(folder: Path, chosen: argparse.Namespace) -> list[Path]:
    """A generated SNOMED CT release of the wanted size, its Snapshot."""
    if chosen.old or not chosen.concepts:
        return []
    release = generated_release("rf2", chosen.concepts)
    return [import_files([release], folder / "generated.terminology", ReadOptions(name="generated"))]


def _size(places: Sequence[Path]) -> str:
    with opened(places) as terminologies:
        return f"{sum(terminology.term_count for terminology in terminologies):,}"


def _next(place: Path, folder: Path, share: float) -> Path:
    new = folder / "next" / place.name
    with opened([place]) as (terminology,):
        build_terminology(NextRelease(terminology, share), new)
    return new


def _compare(
    bench: Bench, olds: Sequence[Path], news: Sequence[Path], folder: Path, chosen: argparse.Namespace
) -> tuple[bool, float]:
    old, updated, rebuilt = folder / "old.index", folder / "updated.index", folder / "rebuilt.index"
    with opened(olds) as terminologies:
        build_index(terminologies, old)
    spent: dict[str, list[Spent]] = {"ontonym index": [], "ontonym update": []}
    for verb in ("index", "update"):
        _run(folder, verb, "--help")  # compiles the modules
    for _ in range(chosen.rounds):
        spent["ontonym index"].append(_run(folder, "index", *news, "-o", rebuilt))
        _copied(old, updated)
        spent["ontonym update"].append(_run(folder, "update", updated, *news))
    different = _different(updated, rebuilt)
    with opened(news) as terminologies:
        began = time.process_time()
        build_index(terminologies, rebuilt)
        loaded = [time.process_time() - began]
    _copied(old, updated)
    began = time.process_time()
    done = update_index(updated, news)
    loaded.append(time.process_time() - began)
    with open_index(updated) as one, open_index(rebuilt) as other:
        answers = _different_answers(one, other, all_names(one.terminologies), chosen.queries)
        title = titled(one.terminologies)
    rows: list[Row] = []
    for (what, each), within in zip(spent.items(), loaded, strict=True):
        best = min(each, key=lambda one: one.processor)
        rows.append(
            {"process": what, "processor s": best.processor, "wall s": best.wall, "peak MB": best.peak,
             "processor s, all loaded": within}
        )  # fmt: skip
    columns = [name for name in rows[0] if "s" in name.split(",")[0].split()]
    ratios = {name: float(str(rows[0][name])) / float(str(rows[1][name])) for name in columns}
    rows.append({"process": "ratio", **{name: ratios.get(name) for name in rows[0] if name != "process"}})
    protocol = (
        f"{title}; {done.names:,} names, {done.encoded:,} of them encoded, {done.dropped:,} texts dropped",
        f"whole processes, the best of {chosen.rounds} by processor time, which other work on the machine disturbs "
        "less; modules are compiled before, as an installation has them; all loaded: build_index and update_index "
        "alone, in one process; the index before was made already",
        f"files of the updated and the rebuilt index, byte by byte: {len(different)} differ"
        + (f" ({', '.join(different)})" if different else ""),
        f"{chosen.queries:,} queries drawn from the names (seed 1) as in speed.py, ten hits each, all fields compared: "
        f"{answers} differ",
    )
    bench.show(Sheet(f"update {done.names}", f"Updating {done.names:,} names", protocol, rows, 2))
    return not different and not answers, ratios["processor s"]


def _copied(source: Path, place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(source, place)


@dataclass(frozen=True, slots=True)
class Spent:
    """What a process cost: seconds of the processor and of the wall clock, and megabytes at most."""

    processor: float
    wall: float
    peak: float


_SPENT = """
import os, resource, subprocess, sys, time
began = time.perf_counter()
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
wall = time.perf_counter() - began
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss)
"""
"""Runs a command from a small process: what a process counts as its peak begins with that of the one it came from."""


def _run(folder: Path, *arguments: str | Path) -> Spent:
    """Runs ontonym; compiled modules are kept in ``folder``."""
    command = [sys.executable, "-m", "ontonym", *map(str, arguments)]
    kept = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    timed = [sys.executable, "-c", _SPENT, *command]
    done = subprocess.run(timed, stdout=subprocess.PIPE, text=True, check=True, env=kept)
    code, processor, wall, peak = map(float, done.stdout.split())
    if code:
        raise InputError(f"{' '.join(command)} ended with exit code {code:.0f}")
    return Spent(processor, wall, peak * (1 if sys.platform == "darwin" else 1024) / 1e6)


def _different(one: Path, other: Path) -> list[str]:
    """Files that are not the same in both indexes, but for the manifests, which have paths and dates."""
    names = sorted({name for place in (one, other) for name in read_manifest(place, "index").files})
    wrong = [name for name in names if not _same(one / name, other / name)]
    facts = [read_manifest(place, "index") for place in (one, other)]
    return wrong if facts[0].fingerprint == facts[1].fingerprint else [*wrong, "fingerprint"]


def _same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and filecmp.cmp(one, other, shallow=False)


def _different_answers(one: Index, other: Index, names: Names, count: int) -> int:
    asked = draw_queries(names, count, seed=1)
    return sum(search(one, query.text) != search(other, query.text) for query in asked)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--terminology", nargs="+", default=["hp", "icd10cm"], help="which of: hp icd10cm")
    parser.add_argument("--concepts", type=int, default=520_000, help="of a generated release of SNOMED CT's form, "
                        "measured too (default: 520,000; 0: none)")  # fmt: skip
    parser.add_argument("--old", metavar="DIR", help="a terminology instead, and")
    parser.add_argument("--new", metavar="DIR", help="the next release of it (default: made by changing names)")
    parser.add_argument("--share", type=float, default=0.01, help="of the names changed (default: 0.01)")
    parser.add_argument("--queries", type=int, default=10_000, help="how many queries (default: 10,000)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"runs of each process (default: {ROUNDS})")


if __name__ == "__main__":
    sys.exit(main("update", str(__doc__), measure, _options))
