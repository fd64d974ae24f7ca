"""What commands wrote, as the cache folder remembers it: checksums alone, and no name of a file.

It tells whether an output that is there is what a command line made, and still as it was made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ontonym.errors import InputError
from ontonym.replacing import lock, told_before

REMEMBERED = 1000
"""How many outputs are remembered."""

_FILE = "written.json"
_PATIENCE = 5.0
"""Seconds that a command waits for others to note what they wrote."""
_MANIFEST = "manifest.json"


class Written(NamedTuple):
    """What an output holds, by its `seal`, and what stands for the command line that made it."""

    seal: str
    maker: str


_Notes: TypeAlias = Mapping[str, Sequence[Written]]
"""By what stands for a place: what was written there, and then what was to replace it, if its writer was stopped."""


def seal(place: Path) -> str:
    """What tells one content of an output from another; empty where there is nothing that could be lost."""
    try:
        if place.is_file():
            status = place.stat()
            return f"{status.st_size}:{status.st_mtime_ns}" if status.st_size else ""
        if (place / _MANIFEST).is_file():
            return hashlib.sha256((place / _MANIFEST).read_bytes()).hexdigest()
        inside = sorted(file for file in place.rglob("*") if file.is_file()) if place.is_dir() else []
        told = [f"{file.relative_to(place)}:{seal(file)}" for file in inside]
        return hashlib.sha256("\n".join(told).encode(errors="surrogatepass")).hexdigest() if told else ""
    except OSError:
        return ""


def why_not_replaced(place: Path, maker: str) -> str:
    """Why a command line does not replace what is at a place unasked; empty where it may, or nothing is there."""
    found = seal(place)
    if not found:
        return ""
    known = _known().get(_key(place))
    if not known:
        return "was not made by this command"
    same = [one for one in known if one.seal == found]
    if maker not in {one.maker for one in same or known}:
        return "was made by another command or with other options"
    return "" if same else "was changed since it was made"


@contextmanager
def remembered(places: Sequence[Path], maker: str) -> Iterator[None]:
    """Remembers which of some places a block writes, even if it fails or its process is killed.

    Where the cache cannot be written, nothing is remembered, and ``--force`` is asked for the next time.
    """
    before = [seal(place) for place in places]
    try:
        with told_before(partial(_note_next, {one.resolve(): one for one in places}, maker)):
            yield
    finally:
        _note_written([place for place, old in zip(places, before, strict=True) if seal(place) not in ("", old)], maker)


def _note_written(places: Sequence[Path], maker: str) -> None:
    if places:
        _keep({_key(place): [Written(seal(place), maker)] for place in places})


def _note_next(places: Mapping[Path, Path], maker: str, whole: Path, path: Path) -> None:
    """Notes what an output is replaced by next, before it is: if the process is killed then, the note is there."""
    place = places.get(path.resolve())
    if place is not None:
        _keep({_key(place): [*_known().get(_key(place), ())[:1], Written(seal(whole), maker)]})


def _key(place: Path) -> str:
    return hashlib.sha256(str(place.absolute()).encode(errors="surrogatepass")).hexdigest()


def _memory() -> Path:
    """The file that remembers what was written."""
    from ontonym.files.user import cache_folder

    return cache_folder() / _FILE


def _known() -> dict[str, tuple[Written, ...]]:
    """What is remembered; nothing where that cannot be read."""
    try:
        read = json.loads(_memory().read_bytes())
        return {key: tuple(Written(*one) for one in notes) for key, notes in read.items()}
    except (OSError, ValueError, AttributeError, TypeError, InputError):
        return {}


def _keep(noted: _Notes) -> None:
    from ontonym.files.output import written_file

    try:
        memory = _memory()
        memory.parent.mkdir(parents=True, exist_ok=True)
        with lock(memory, patience=_PATIENCE):  # commands that run side by side note what they wrote too
            known = {key: value for key, value in _known().items() if key not in noted} | dict(noted)
            with written_file(memory) as out:
                out.write(json.dumps(dict([*known.items()][-REMEMBERED:])).encode())
    except (OSError, InputError):
        return
