"""What a server has opened: indexes, terminologies and reviews, in generations that requests pin.

A generation is whole and never changes. When an artifact is replaced on disk, a new generation is opened beside the
present one; each request ends with the generation it began with, and what no request holds any longer is closed.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ontonym.artifact import is_url
from ontonym.closing import Closing
from ontonym.errors import InputError, UnknownNameError, without_password
from ontonym.index import Index
from ontonym.index.open import IndexPlace
from ontonym.index.shared.address import address_of
from ontonym.index.shared.places import is_terminology, manifest_at, stamp_at
from ontonym.store import Terminology, open_terminology

POLL = 0.25
"""Seconds between two looks for artifacts that were replaced."""


class _Closable(Protocol):
    def close(self) -> None: ...


_BESIDE = 200
"""About the bytes that an answer takes beside its question and its own: its place."""

_LOG = logging.getLogger("ontonym.serve")

_Stamp = tuple[int, int] | None
T = TypeVar("T")


class _Files:
    """The files of an opened artifact, and the number of generations that have them."""

    def __init__(self, handle: _Closable) -> None:
        self.handle = handle
        self.holders = 0


@dataclass(frozen=True)
class _Held:
    """A handle on an artifact; a later one may share its files (`Index.refreshed`)."""

    handle: Index | Terminology
    stamp: _Stamp
    files: _Files

    @classmethod
    def of(cls, handle: Index | Terminology, stamp: _Stamp) -> _Held:
        return cls(handle, stamp, _Files(handle))


class KeptAnswers:
    """Answers by what was asked, those last asked for: all people who type begin with the same few letters.

    With their questions they take at most ``most`` bytes, and each at most ``longest``. Threads may share it.
    """

    def __init__(self, most: int = 16 << 20, longest: int = 64 << 10) -> None:
        self._longest = longest
        self._left = most
        self._answers: OrderedDict[bytes, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, asked: bytes) -> bytes | None:
        """The answer, if it is kept."""
        with self._lock:
            found = self._answers.get(asked)
            if found is not None:
                self._answers.move_to_end(asked)
            return found

    def keep(self, asked: bytes, answer: bytes) -> None:
        """Keeps an answer, and gives up those that were not asked for longest."""
        if len(asked) + len(answer) > self._longest:
            return
        with self._lock:
            if asked not in self._answers:
                self._answers[asked] = answer
                self._left -= len(asked) + len(answer) + _BESIDE
            while self._left < 0:
                question, old = self._answers.popitem(last=False)
                self._left += len(question) + len(old) + _BESIDE


@dataclass(eq=False)
class Opened:
    """One generation: what a request sees from its beginning to its end.

    ``indexes`` are by name, in the order given; ``terminologies`` are all that are opened by themselves and those of
    the indexes, each release once, by name: the handle of an index where one has it. ``reviews`` are the places of
    state files by name. ``number`` counts generations from 1. ``answers`` are those that were asked for last.
    """

    number: int
    indexes: Mapping[str, Index]
    terminologies: Mapping[str, Terminology]
    reviews: Mapping[str, Path] = field(default_factory=dict)
    answers: KeptAnswers = field(default_factory=KeptAnswers, repr=False)
    _made: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    _making: dict[Hashable, threading.Lock] = field(default_factory=dict, repr=False)

    def index(self, name: str = "") -> Index:
        """The index of this name, the first one without a name; UnknownNameError lists them."""
        if not self.indexes:
            raise InputError("no index is served here, only terminologies: searching needs an index")
        return chosen("index", name, self.indexes)

    def terminology(self, name: str = "") -> Terminology:
        """The terminology of this name, the first one without a name; UnknownNameError lists them."""
        return chosen("terminology", name, self.terminologies)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` gives, made once for this generation and kept with it; only who asks for the same waits."""
        with self._making.setdefault(key, threading.Lock()):
            if key not in self._made:
                self._made[key] = make()
            found: T = self._made[key]
            return found


def chosen(kind: str, name: str, among: Mapping[str, T]) -> T:
    """What is called so, or without a name the first; UnknownNameError lists the names."""
    if name and name not in among:
        raise UnknownNameError(kind, name, among)
    return among[name or next(iter(among))]


class ServedLibrary(Closing):
    """The artifacts at some places; `pinned` lends the present generation. Threads may share it. Close it at the end.

    ``paths`` are indexes and terminologies, told apart by their manifests, and named by their files. ``reviews`` are
    state files of reviews. ``warm`` is called with every index before requests see it. ``worded`` gives what is wrong
    in the words of whoever runs the server.
    Raises ArtifactError for what cannot be opened, InputError where two have one name.
    """

    def __init__(
        self,
        paths: Sequence[Path | str],
        reviews: Sequence[Path | str] = (),
        warm: Callable[[Index], object] = lambda index: None,
        worded: Callable[[str], str] = str,
    ) -> None:
        self._warm = warm
        self._worded = worded
        self._lock = threading.Lock()
        self._opening = threading.Lock()
        self._closed = False
        self._stop = threading.Event()
        self._watcher: threading.Thread | None = None
        self._pins: dict[Opened, int] = {}
        self._held_by: dict[Opened, list[_Held]] = {}
        self.failure = ""
        """Why the last replaced artifact could not be opened; empty where it could."""
        self.failures = 0
        """How many times a replaced artifact could not be opened."""
        self._tried: dict[str, _Stamp] = {}
        self._sources: tuple[_Stamp, ...] = ()
        self._places = {name: path if is_url(path) else path.absolute() for name, path in _named(paths).items()}
        self._reviews = {name: path.resolve() for name, path in _named(reviews).items()}
        self._held: dict[str, _Held] = {}
        self._now = self._opened_anew()

    @property
    def generation(self) -> int:
        """The number of the present generation, from 1."""
        return self._now.number

    @contextmanager
    def pinned(self) -> Iterator[Opened]:
        """Lends the present generation, which stays open until the block ends, whatever is replaced meanwhile."""
        with self._lock:
            now = self._now
            self._pins[now] += 1
        try:
            yield now
        finally:
            self._unpin(now)

    def refresh(self) -> bool:
        """Opens what was replaced on disk and makes it the present generation; True where there was anything.

        Where something cannot be opened (as between the replacements of a terminology and its index), the present
        generation stays, ``failure`` says why, and it is tried again when the artifact changes again.
        """
        with self._opening:
            stamps = {name: stamp_at(path) for name, path in self._places.items()}
            changed = {name for name, stamp in stamps.items() if stamp and stamp != self._held[name].stamp}
            tried = all(self._tried.get(name) == stamps[name] for name in changed)
            if not changed:
                self.failure, self._tried = "", {}  # what is served stands there (again)
                return False
            if tried and self._sources == self._source_stamps():
                return False
            try:
                self._become(self._opened_anew())
            except Exception as error:  # whatever is wrong with what is new, the server goes on and looks again
                self._tried = {name: stamps[name] for name in changed}
                self._sources = self._source_stamps()
                self.failure = without_password(self._worded(str(error))) or type(error).__name__
                self.failures += 1
                _LOG.warning(
                    "what was replaced cannot be opened, generation %d stays: %s", self.generation, self.failure
                )
                return False
            self.failure, self._tried = "", {}
            return True

    def watch(self, looked: Callable[[], object] = lambda: None) -> None:
        """Looks for replaced artifacts from now on, in a thread of its own, every `POLL` seconds, and calls ``looked``
        after each look.
        """
        if self._watcher is None:
            self._watcher = threading.Thread(target=self._watch, args=(looked,), name="ontonym-library", daemon=True)
            self._watcher.start()

    def close(self) -> None:
        """Stops watching and closes everything as soon as no request holds it."""
        self._stop.set()
        if self._watcher is not None and self._watcher is not threading.current_thread():
            self._watcher.join(timeout=10)
        with self._lock:
            closed, self._closed = self._closed, True
        if not closed:
            self._unpin(self._now)

    # Generations ------------------------------------------------------------------------------------------------------

    def _watch(self, looked: Callable[[], object]) -> None:
        while not self._stop.wait(POLL):
            self.refresh()
            looked()

    def _opened_anew(self) -> Opened:
        """The next generation, pinned once: artifacts that did not change are taken over."""
        held: dict[str, _Held] = {}
        try:
            for name, path in self._places.items():
                stamp, before = stamp_at(path), self._held.get(name)
                held[name] = before if before and stamp == before.stamp else self._opened(name, before, stamp)
            indexes = {name: one.handle for name, one in held.items() if isinstance(one.handle, Index)}
            alone = [one.handle for one in held.values() if isinstance(one.handle, Terminology)]
            number = self._now.number + 1 if self._held else 1
            opened = Opened(number, indexes, _terminologies(indexes, alone), self._reviews)
        except BaseException:
            for name, one in held.items():
                if name not in self._held or one.files is not self._held[name].files:
                    one.handle.close()
            raise
        with self._lock:
            self._held = held
            self._held_by[opened] = list(held.values())
            for one in held.values():
                one.files.holders += 1
            self._pins[opened] = 1
        return opened

    def _opened(self, name: str, before: _Held | None, stamp: _Stamp) -> _Held:
        """An artifact opened; an index with other added terms or another calibration shares the files of before."""
        place = _followed(self._places[name])
        if before is not None and isinstance(before.handle, Index) and before.handle.opened_as.path == place:
            now = manifest_at(place, "index").content["identity"]
            if now == before.handle.manifest.content["identity"]:
                shared = before.handle.refreshed()
                self._warm(shared)
                return _Held(shared, stamp, before.files)
        handle = open_terminology(place) if is_terminology(place) else IndexPlace(place).open()
        try:
            if isinstance(handle, Index):
                self._warm(handle)
        except BaseException:
            handle.close()
            raise
        return _Held.of(handle, stamp)

    def _become(self, opened: Opened) -> None:
        with self._lock:
            before, self._now = self._now, opened
        self._unpin(before)

    def _unpin(self, opened: Opened) -> None:
        drained: list[_Files] = []
        with self._lock:
            self._pins[opened] -= 1
            if self._pins[opened] == 0:
                del self._pins[opened]
                for one in self._held_by.pop(opened):
                    one.files.holders -= 1
                    if one.files.holders == 0:
                        drained.append(one.files)
        for files in drained:
            files.handle.close()

    def _source_stamps(self) -> tuple[_Stamp, ...]:
        """Stamps of the terminologies that indexes were made from: an index opens once all of them fit."""
        return tuple(stamp_at(one.path) for name in self._now.indexes for one in self._now.indexes[name].terminologies)


def _followed(place: Path) -> Path:
    """Where a place leads now: a link may lead to another release than before."""
    return place if is_url(place) else place.resolve()


def _named(paths: Sequence[Path | str]) -> dict[str, Path]:
    """Places by name: ``hp`` for ``data/hp.index``; where that is taken, ``hp.index``."""
    found: dict[str, Path] = {}
    for path in map(Path, paths):
        if path.resolve() in (other.resolve() for other in found.values()):
            raise InputError(f"{without_password(str(path))} is given twice")
        address = address_of(path)
        name = path.name.split(".")[0] or path.name if address is None else address.index
        if name in found:
            name = path.name
        if name in found:
            both = without_password(f"{path} and {found[name]}")
            raise InputError(f"{both} have the same name: rename one of them")
        found[name] = path
    return found


def _terminologies(indexes: Mapping[str, Index], alone: Sequence[Terminology]) -> dict[str, Terminology]:
    """Each release once, by its name; where several releases have one name, the later ones by name and version."""
    found: dict[str, Terminology] = {}
    of_indexes = [one for index in indexes.values() for one in index.terminologies]
    handles = {one.fingerprint: one for one in (*alone, *reversed(of_indexes))}  # that of the first index wins
    for one in (handles[each] for each in dict.fromkeys(one.fingerprint for one in (*alone, *of_indexes))):
        name = one.name or one.path.name.split(".")[0]
        while name in found:
            name = f"{name} {one.version}".strip() if name == one.name and one.version else f"{name}+"
        found[name] = one
    return found
