"""What processes of other machines open for themselves: an index or an encoder by its place, checked, once a process.

Nothing that is open is ever sent; a reference is, and whoever gets it opens what it names.
"""

from __future__ import annotations

import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from ontonym.checksums import sha256
from ontonym.encoder import Encoder, is_name, open_encoder
from ontonym.encoder.places import installed
from ontonym.errors import MismatchError
from ontonym.index import Index
from ontonym.index.open import IndexPlace
from ontonym.manifest import ontonym_version
from ontonym.tasks.jobs import Given, Result

_Tool = TypeVar("_Tool")
_Tool_co = TypeVar("_Tool_co", covariant=True)

_MOST_OPEN = 4
_MOST_WORKS = 8


class Openable(Protocol[_Tool_co]):
    """Names what a process opens, by value: equal references mean the same."""

    def open(self) -> _Tool_co:
        """Opens it anew; raises MismatchError if it is not what the reference was made from."""

    def __hash__(self) -> int: ...


@dataclass(frozen=True, slots=True)
class IndexReference:
    """An index by its absolute place and its fingerprint, which a copy at another place has too.

    ``lexicon`` is the checksum of the user's own lexicon, if there is one; ``version`` that of ontonym.
    """

    place: IndexPlace
    fingerprint: str
    lexicon: str = ""
    version: str = ""

    @classmethod
    def of(cls, index: Index | IndexReference | Path | str) -> IndexReference:
        """The reference to an index, open or by its path; raises what `open_index` raises."""
        if isinstance(index, IndexReference):
            return index
        if not isinstance(index, Index):
            with IndexPlace(Path(index).expanduser()).open() as opened:
                return cls.of(opened)
        place = index.opened_as.resolved()
        lexicon = "" if place.lexicon is None else sha256(Path(place.lexicon))
        return cls(place, index.manifest.fingerprint, lexicon, ontonym_version())

    def at(self, path: Path | str) -> IndexReference:
        """The same index where the workers have a copy of it, an absolute path."""
        return replace(self, place=self.place.at(path))

    def open(self) -> Index:
        """Opens the index; raises MismatchError if it, the lexicon or ontonym are not those of the reference."""
        _check("ontonym", "", self.version, ontonym_version())
        if self.place.lexicon is not None:
            _check("the lexicon", self.place.lexicon, self.lexicon, sha256(Path(self.place.lexicon)))
        opened = self.place.open()
        try:
            _check("the index", self.place.path, self.fingerprint, opened.manifest.fingerprint)
        except MismatchError:
            opened.close()
            raise
        return opened


@dataclass(frozen=True, slots=True)
class EncoderReference:
    """An encoder by its name or absolute place, and its fingerprint."""

    place: str
    fingerprint: str
    version: str = ""

    @classmethod
    def of(cls, place: Path | str, encoder: Encoder) -> EncoderReference:
        """The reference to the encoder that was opened from ``place``."""
        known = installed(place)
        absolute = str(known) if is_name(known) else str(Path(known).resolve())
        return cls(absolute, encoder.fingerprint, ontonym_version())

    def open(self) -> Encoder:
        """Opens the encoder; raises MismatchError if it is another one."""
        _check("ontonym", "", self.version, ontonym_version())
        encoder = open_encoder(self.place)
        _check("the encoder", self.place, self.fingerprint, encoder.fingerprint)
        return encoder


def _check(what: str, place: Path | str, wanted: str, found: str) -> None:
    if wanted and found != wanted:
        where = f"{place}: " if str(place) else ""
        raise MismatchError(
            f"{where}{what} of this worker is {found[:16]}, but the work was begun with {wanted[:16]}: give all "
            "workers the same one, or begin again"
        )


# In the process that does the work ---------------------------------------------------------------------------------


class _Kept(Generic[_Tool]):
    """The latest few of what was made, by key; safe among threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, _Tool] = OrderedDict()
        self._lock = threading.RLock()

    def get(self, key: Hashable, make: Callable[[], _Tool]) -> _Tool:
        with self._lock:
            if key not in self._kept:
                self._kept[key] = make()
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()


_OPEN: _Kept[Any] = _Kept(_MOST_OPEN)
_WORKS: _Kept[list[Callable[[Any], Any]]] = _Kept(_MOST_WORKS)


def opened(reference: Openable[_Tool]) -> _Tool:
    """What a reference names, opened once in this process; threads may share it."""
    found: _Tool = _OPEN.get(reference, reference.open)
    return found


def forget() -> None:
    """Lets go of all that this process has opened for references."""
    _WORKS.clear()
    _OPEN.clear()


def work_on(reference: Openable[_Tool], worker: Callable[[_Tool], Callable[[Given], Result]], given: Given) -> Result:
    """The result of ``worker(opened)`` for one piece of work.

    What ``worker`` made is used again for the next piece, by one thread at a time: its caches live as long as the
    process. ``worker`` must be picklable.
    """
    free = _WORKS.get((reference, pickle.dumps(worker)), list)
    try:
        work = free.pop()
    except IndexError:
        work = worker(opened(reference))
    result: Result = work(given)
    free.append(work)
    return result
