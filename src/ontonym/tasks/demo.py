"""The demo: its artifacts in the cache folder, and its queries.

What is missing or out of date is made, everything else is only opened.

Their manifests are the cache's keys. A terminology is current if this version of ontonym made it from files with the
same checksums; the index, if it opens with the present terminologies and encoder. So an interrupted run needs no
repair, and a new version of a package, of ontonym or of the encoder remakes only what depends on it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from ontonym.artifact import read_manifest
from ontonym.checksums import sha256
from ontonym.encoder.places import CHOICE, DEFAULT, STATIC, installed
from ontonym.errors import ArtifactError
from ontonym.index import Index, open_index
from ontonym.manifest import ontonym_version
from ontonym.ontology.embedded import EMBEDDED, EmbeddedRelease
from ontonym.tasks.search import search
from ontonym.types import Hit, Progress, staged

QUERIES = (
    ("heart skipping beats", "everyday words"),
    ("ringing in my ears", "everyday words"),
    ("drooping eyelid", "everyday words"),
    ("broken collarbone", "everyday words"),
    ("bitten by a dog", "what happened"),
    ("heart murmer", "misspelled"),
    ("type 2 diabetis", "misspelled"),
    ("cancer of the oesophagus", "British"),
    ("haemorrhage, subarachnoid", "British, inverted"),
    ("raised eosinophils", "clinical"),
)
"""The queries of the demo, each with what it shows."""


@dataclass(slots=True)
class PreparedDemo:
    """The demo's index, opened, and the seconds that each step took; steps that were not needed are absent."""

    index: Index
    seconds: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DemoTour:
    """The hits of each of `QUERIES`, and the seconds that each search took once the index was in memory."""

    answers: dict[str, list[Hit]]
    seconds: list[float]


def take_tour(index: Index) -> DemoTour:
    """Searches for all of `QUERIES`, once others have brought the index into memory: what the same words found is kept,
    so that a second search for them would tell nothing of the time.
    """
    for query, _ in QUERIES:
        search(index, f"mild {query}")
    answers: dict[str, list[Hit]] = {}
    seconds = []
    for query, _ in QUERIES:
        began = time.perf_counter()
        answers[query] = search(index, query)
        seconds.append(time.perf_counter() - began)
    return DemoTour(answers, seconds)


def prepare_demo(
    folder: Path, progress: Progress, *, encoder: str | None = None, rebuild: bool = False
) -> PreparedDemo:
    """The demo's index in ``folder``, made if it is missing or not current.

    ``encoder`` is one of `CHOICES`; None stands for ``ONTONYM_ENCODER``, or for the static one, which is made in
    seconds. The index of each encoder has a place of its own.

    Raises `MissingExtraError` if a package that brings a release is not installed, `ArtifactError` if the folder cannot
    be written.
    """
    seconds: dict[str, float] = {}
    terminologies = []
    for release in EMBEDDED.values():
        path = folder / f"{release.name}.terminology"
        files = release.files()
        if rebuild or not _is_current(path, files):
            began = time.perf_counter()
            _read(release, files, path, progress)
            seconds[release.name] = time.perf_counter() - began
        terminologies.append(path)
    encoder = encoder or str(installed(DEFAULT if os.environ.get(CHOICE) else STATIC))
    path = folder / ("demo.index" if encoder == STATIC else f"demo-{encoder}.index")
    began = time.perf_counter()
    index = None if rebuild else _opened(path, terminologies)
    if index is None:
        _build(terminologies, path, encoder, progress)
        seconds["index"] = time.perf_counter() - began
        began = time.perf_counter()
        index = open_index(path, terminologies=terminologies)
    seconds["open"] = time.perf_counter() - began
    return PreparedDemo(index, seconds)


def _is_current(path: Path, files: Sequence[Path]) -> bool:
    try:
        manifest = read_manifest(path, "terminology")
    except ArtifactError:
        return False
    made_from = [source["sha256"] for source in manifest.content["metadata"]["sources"]]
    return manifest.ontonym == ontonym_version() and made_from == [sha256(file) for file in files]


def _read(release: EmbeddedRelease, files: Sequence[Path], path: Path, progress: Progress) -> None:
    from ontonym.ontology.formats import read_release
    from ontonym.ontology.options import ReadOptions
    from ontonym.store import build_terminology

    advance = staged(progress, f"reading {release.title}")
    build_terminology(read_release(files, options=ReadOptions(name=release.name)), path, progress=advance)


def _opened(path: Path, terminologies: Sequence[Path]) -> Index | None:
    try:
        if read_manifest(path, "index").ontonym != ontonym_version():
            return None
        return open_index(path, terminologies=terminologies)
    except ArtifactError:
        return None


def _build(terminologies: Sequence[Path], path: Path, encoder: str, progress: Progress) -> None:
    from ontonym.index import build_index
    from ontonym.store import open_terminology

    with ExitStack() as stack:
        opened = [stack.enter_context(open_terminology(one)) for one in terminologies]
        build_index(opened, path, encoder=encoder, progress=progress)
