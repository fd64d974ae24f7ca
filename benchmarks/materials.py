"""What the benchmarks measure on: terminologies, indexes and encoders, made by this ontonym from releases on disk.

Terminologies and indexes are made anew in every run. Trained encoders are kept in the cache folder under the
fingerprint of everything they were trained from, the code included.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import ontonym
from figures import write_json
from ontonym.artifact import read_manifest
from ontonym.encoder import default_folder, open_encoder
from ontonym.errors import InputError, LockedError
from ontonym.files.user import cache_folder
from ontonym.index import Index, IndexOptions, build_index, open_index
from ontonym.ontology.batch import Batch, batches_of
from ontonym.ontology.counts import Counts
from ontonym.ontology.embedded import EMBEDDED
from ontonym.ontology.formats import read_release
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import Release, ReleaseMetadata
from ontonym.replacing import lock
from ontonym.store import Terminology, build_terminology, open_terminology
from ontonym.types import Concept

NAMES_ONLY = IndexOptions(everyday=False)
"""Figures of ontology names only are of indexes without the everyday names that come with the package."""

TRAINED_BY = ("text", "encoder", "learning/recipes", "learning/encoders", "cli/train.py")
"""The code that a trained encoder depends on."""

INDEXED_BY = ("text", "store", "encoder", "index")
"""The code that an index depends on."""

_SOURCES = ("*.py", "*.tsv", "*.json")
"""The files of a room that decide what it does: lists of words, and learned weights, as well as code."""

READ_BY = ("text", "files", "artifact.py", "manifest.py", "types.py", "ontology", "store")
"""The code that a terminology depends on."""


def bench_folder() -> Path:
    """Where benchmarks keep what takes long to make: ``bench`` in ontonym's cache folder."""
    folder = cache_folder() / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def code_digest(rooms: Sequence[str]) -> str:
    """A SHA-256 over the source files and tables of some rooms of ontonym, in hexadecimal."""
    package = Path(str(ontonym.__file__)).parent
    digest = hashlib.sha256()
    for room in rooms:
        place = package / room
        for file in sorted(one for end in _SOURCES for one in place.rglob(end)) if place.is_dir() else [place]:
            digest.update(f"{file.relative_to(package)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def import_embedded(name: str, folder: Path) -> tuple[Path, float]:
    """The terminology of a release that comes in a PyPI package, imported into ``folder``, and the seconds it took."""
    place = folder / f"{name}.terminology"
    began = time.perf_counter()
    build_terminology(read_release(EMBEDDED[name].files(), options=ReadOptions(name=name)), place)
    return place, time.perf_counter() - began


def import_files(files: Sequence[Path], place: Path, options: ReadOptions) -> Path:
    """The terminology of some release files, imported to ``place``."""
    build_terminology(read_release(files, options=options), place)
    return place


@dataclass(frozen=True, slots=True)
class ChangedRelease:
    """A release whose concepts went through ``change``, to be stored like any other."""

    whole: Release
    change: Callable[[Iterable[Concept]], Iterable[Concept]]

    @property
    def metadata(self) -> ReleaseMetadata:
        """What the whole release says about itself."""
        return self.whole.metadata

    @property
    def counts(self) -> Counts:
        """What was read of the whole release."""
        return self.whole.counts

    def batches(self) -> Iterator[Batch]:
        """The concepts as they are now."""
        return batches_of(self.change(self.whole.concepts()))


def generated_release(kind: str, concepts: int, options: Sequence[str] = ("--full",)) -> Path:
    """A generated release in the cache, made where it is not there yet."""
    place = bench_folder() / "releases" / f"{kind}-{concepts}"
    done = place / "done"
    if not done.exists():
        print(f"generating {kind} of {concepts:,} concepts in {place}", flush=True)
        command = [sys.executable, "-m", "benchmarks.releases", kind, str(place), "--concepts", str(concepts), *options]
        subprocess.run(command, cwd=Path(__file__).resolve().parent.parent, stdout=subprocess.DEVNULL, check=True)
        done.touch()
    return next(folder for folder in sorted(place.iterdir()) if folder.is_dir())


@contextmanager
def opened(places: Sequence[Path]) -> Iterator[list[Terminology]]:
    """The terminologies at some places, closed at the end."""
    with ExitStack() as stack:
        yield [stack.enter_context(open_terminology(place)) for place in places]


@contextmanager
def indexed(
    places: Sequence[Path], folder: Path, encoder: Path | str = "default", options: IndexOptions = NAMES_ONLY
) -> Iterator[Index]:
    """An index of some terminologies, made in ``folder``, opened, and closed at the end."""
    path = folder / f"{Path(encoder).name}.index"
    with opened(places) as terminologies:
        build_index(terminologies, path, encoder=encoder, options=options)
    with open_index(path, encoder=encoder) as index:
        yield index


@contextmanager
def kept_index(
    places: Sequence[Path], folder: Path, encoder: Path | str = "default", options: IndexOptions = NAMES_ONLY
) -> Iterator[Index]:
    """Like `indexed`, but an index in ``folder`` that the same code made of the same terminologies and encoder is used.

    ``encoder`` is any place that `open_encoder` takes.
    """
    made_of = [read_manifest(place, "terminology").fingerprint for place in places]
    key = digest([made_of, open_encoder(encoder).fingerprint, asdict(options), code_digest(INDEXED_BY)])
    path = folder / f"{places[0].stem}-{key}.index"
    if not path.exists():
        with opened(places) as terminologies:
            build_index(terminologies, path, encoder=encoder, options=options)
    with open_index(path, terminologies=places, encoder=encoder) as index:
        yield index


def titled(terminologies: Sequence[Terminology]) -> str:
    """Names and versions of terminologies, as protocols show them."""
    return " + ".join(f"{part.name} {part.version}".strip() for part in terminologies)


@dataclass(frozen=True, slots=True)
class Trained:
    """An encoder with how it was made: the command and its seconds, measured when it was trained.

    After a stop these are the seconds of the rest (``resumed``).
    """

    path: Path
    command: str
    seconds: float
    kept: bool
    resumed: bool = False

    def described(self) -> str:
        """One line for a protocol."""
        when = f"{', the rest after a stop' * self.resumed}{', kept from an earlier run' * self.kept}"
        return f"{self.command}: {self.seconds:.0f} s{when}"


def trained(
    terminologies: Sequence[Path],
    base: str,
    *,
    unseen: Sequence[str] = (),
    steps: int | None = None,
    further: Sequence[str] = (),
    fresh: bool = False,
) -> Trained:
    """The encoder that ``ontonym train TERMINOLOGY… --base BASE`` makes, by running that command.

    ``unseen`` are names to exclude; ``steps`` replaces the command's own default, ``further`` are other options. Taken
    from the cache where terminologies, base, options and training code are the same, unless ``fresh``; a training of
    these that was stopped goes on from its last checkpoint. Raises InputError where it fails.
    """
    sources = [read_manifest(place, "terminology").fingerprint for place in terminologies]
    folder = default_folder() if base == "default" else Path(base)
    start = read_manifest(folder, "encoder").fingerprint if folder.is_dir() else base
    title = Path(base).stem
    key = digest([sources, start, sorted(unseen), steps, code_digest(TRAINED_BY), *further])
    first = terminologies[0].name.removesuffix(".terminology")
    place = bench_folder() / f"{first}-{title}-{key}.encoder"
    options = [*(["--steps", str(steps)] if steps else []), *further]
    what = terminologies[0].name if len(terminologies) == 1 else f"({len(terminologies)} terminologies)"
    hidden = ["--exclude names.txt"] if unseen else []
    shown = " ".join(["ontonym train", what, "--base", title, *options, *hidden])
    if not fresh and (facts := _kept_facts(place)) is not None:
        return Trained(place, shown, float(facts["seconds"]), kept=True, resumed=bool(facts.get("resumed")))
    if unseen:
        names = place.with_suffix(".txt")
        names.write_text("".join(f"{name}\n" for name in sorted(set(unseen))), encoding="utf-8")
        options += ["--exclude", str(names)]
    resumed = not fresh and Path(f"{place}.training").exists()
    print(f"{shown}{', going on after a stop' * resumed}", flush=True)
    options += ["--base", base, "--force", *(["--resume"] if resumed else [])]
    command = [sys.executable, "-m", "ontonym", "train", *map(str, terminologies), *options, "-o", str(place), "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise InputError(f"{shown} ended with exit code {done.returncode}")
    seconds = float(json.loads(done.stdout)["seconds"])
    write_json(place.with_suffix(".json"), {"command": shown, "seconds": seconds, "resumed": resumed})
    return Trained(place, shown, seconds, kept=False, resumed=resumed)


def digest(parts: Sequence[Any]) -> str:
    """Twelve hexadecimal digits that stand for some JSON values."""
    return hashlib.sha256(json.dumps(list(parts), sort_keys=True, default=str).encode()).hexdigest()[:12]


def _kept_facts(place: Path) -> dict[str, Any] | None:
    """What was noted of a kept encoder, or None where it is not there whole."""
    return read_json(place.with_suffix(".json")) if place.is_dir() else None


def read_json(file: Path) -> dict[str, Any] | None:
    """What `write_json` wrote, or None where there is no such file."""
    if not file.is_file():
        return None
    facts: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return facts


@contextmanager
def work_folder(kept: str | None = None) -> Iterator[Path]:
    """A folder for one run: a new one in the cache's place, removed at the end, or ``kept``.

    What runs that were killed left is removed first; a run holds the lock of its folder.
    """
    if kept:
        folder = Path(kept)
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    for left in bench_folder().glob("run-*"):
        with suppress(LockedError), lock(left):
            shutil.rmtree(left, ignore_errors=True)
    folder = bench_folder() / f"run-{time.time_ns()}"
    with lock(folder):
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
