"""The state file of a review: a header, then one event per line; it only grows, and every event is written at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import orjson

from ontonym.checksums import sha256, sha256_once
from ontonym.errors import FormatError, InputError, MismatchError
from ontonym.files.output import written_file
from ontonym.jsonbytes import json_bytes
from ontonym.replacing import lock, writable
from ontonym.tasks.review.events import Event, event_from, event_line
from ontonym.tasks.review.standing import undone
from ontonym.text.counting import count

VERSION = 1
KEY = "ontonym_review"
TORN = ".torn"
"""The suffix of the file with the rest of an unfinished line of a state file."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A file that a review was started from: where it was, and the SHA-256 of its content."""

    path: str
    sha256: str

    @classmethod
    def of(cls, path: Path | str) -> Bound:
        """The file as it is now; InputError where it cannot be read."""
        try:
            return cls(str(Path(path).absolute()), sha256(Path(path)))
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from None

    def found(self, beside: Path, given: Path | str | None = None) -> Path:
        """The present path of the file: the given one, beside the state file, or the former one; its content is
        checked.

        Raises MismatchError if it holds something else, InputError if it is missing.
        """
        places = [Path(given)] if given else [beside.absolute().parent / Path(self.path).name, Path(self.path)]
        there = [place for place in places if place.is_file()]
        if not there:
            raise InputError(f"{places[-1]}: not there, and the review {beside} was begun from it: say where it is, "
                             "`candidates=FILE` (`proposals=`, `frequencies=`)")  # fmt: skip
        for place in there:
            if sha256_once(place) == self.sha256:
                return place
        raise MismatchError(f"{there[0]}: has changed since the review {beside} was begun from it: give the file as it "
                            "was, or begin a new review from it, which takes the decisions over with "
                            f"`decided={beside}`")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: when the review was started, and from which files, by their role."""

    created: str
    files: Mapping[str, Bound]

    @property
    def begun_from(self) -> tuple[tuple[str, str], ...]:
        """The checksums of the files; reviews can be merged if these are equal."""
        return tuple(sorted((role, bound.sha256) for role, bound in self.files.items()))

    def line(self) -> bytes:
        """The header as a line of JSON."""
        files = {role: asdict(bound) for role, bound in sorted(self.files.items())}
        return json_bytes({KEY: VERSION, "created": self.created, "files": files}) + b"\n"


@dataclass(slots=True)
class ReviewJournal:
    """A state file as read: ``events`` in order; ``torn`` is the content of an unfinished last line.

    ``ended`` is False if only the line break of the last line is missing. Events can be added only to a journal from
    `open_journal`.
    """

    path: Path
    header: Header
    events: list[Event] = field(default_factory=list)
    torn: bytes = b""
    ended: bool = True
    _descriptor: int | None = None
    _waiting: list[Event] | None = None

    def add(self, *events: Event) -> None:
        """Adds events at the end, in one write that is on disk on return."""
        if self._descriptor is None:
            raise ValueError(f"{self.path} is closed, or was opened only to be read")
        if self._waiting is not None:
            self._waiting.extend(events)
        else:
            self._write(events)
        self.events.extend(events)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Writes the events added in the block when it ends without an error, else none of them."""
        before = len(self.events)
        self._waiting = []
        try:
            yield
            self._write(self._waiting)
        except BaseException:
            del self.events[before:]
            raise
        finally:
            self._waiting = None

    def _write(self, events: Iterable[Event]) -> None:
        assert self._descriptor is not None  # noqa: S101 (open where the journal is written)
        data, before = b"".join(map(event_line, events)), os.fstat(self._descriptor).st_size
        try:
            with writable(self.path):
                while data:
                    data = data[os.write(self._descriptor, data) :]
                os.fsync(self._descriptor)
        except BaseException:  # a full disk, Ctrl-C: a part of a line would spoil the next one
            os.ftruncate(self._descriptor, before)
            raise

    @property
    def torn_note(self) -> str:
        """A message on an unfinished last line, and where it is kept if it was moved; empty if there is none."""
        if not self.torn:
            return ""
        kept = "" if self._descriptor is None else f", and is kept in {self.path}{TORN}"
        torn = count(len(self.torn), "byte")
        return f"the last line of {self.path} was never finished ({torn}){kept}; all before it is whole"

    @property
    def void(self) -> set[str]:
        """The ids of the events that are undone."""
        return undone(self.events)


def start_journal(path: Path | str, header: Header, events: Iterable[Event] = ()) -> None:
    """Writes a new state file; raises InputError if ``path`` exists."""
    path = Path(path)
    with lock(path.resolve()):
        if path.exists():
            raise InputError(f"{path}: is there already: go on with it, or give another name")  # fmt: skip
        write_journal(path, header, events)


def write_journal(path: Path, header: Header, events: Iterable[Event]) -> None:
    """Writes a whole state file, in the place of what is there."""
    with written_file(path, packing=False) as stream:
        stream.write(header.line())
        stream.writelines(map(event_line, events))


def is_review(path: Path | str) -> bool:
    """Whether a file is the state file of a review, by how it begins."""
    with Path(path).open("rb") as stream:
        return stream.read(len(KEY) + 2) == b'{"' + KEY.encode()


def read_journal(path: Path | str) -> ReviewJournal:
    """Reads the state file at ``path``; another process may be writing it.

    Raises FormatError with the line if it is damaged; it is not changed.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        problem = "no such review" if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror}"
        raise InputError(f"{path}: {problem}. Begin one: `start_review()`") from None
    *whole, last = data.split(b"\n")
    ended = not _is_json(last)
    if not ended:  # a whole line that only lacks its end
        whole.append(last)
    header = _header(path, whole[0] if whole else last)
    return ReviewJournal(path, header, _events(path, whole[1:]), last if ended else b"", ended)


def _is_json(line: bytes) -> bool:
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError:
        return False
    return True


_NEW = "Begin one: `start_review()`"
_FIX = "Fix the line, or restore the file from a copy; all other lines are as they were"


def _header(path: Path, line: bytes) -> Header:
    try:
        record = orjson.loads(line)
        version = record[KEY]
        files = {str(role): Bound(str(one["path"]), str(one["sha256"])) for role, one in record["files"].items()}
        header = Header(str(record["created"]), files)
        candidates = header.files["candidates"]
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        raise FormatError(path, "the first line is not the header of a review", line=1, hint=_NEW) from None
    if version != VERSION or not candidates.sha256:
        raise FormatError(path, f"format {version}; this ontonym reads {VERSION}", line=1, hint="Upgrade ontonym")
    return header


def _events(path: Path, lines: Sequence[bytes]) -> list[Event]:
    """The events in their order, each once."""
    found: dict[str, Event] = {}
    places: dict[str, int] = {}
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        try:
            event = event_from(orjson.loads(line))
        except orjson.JSONDecodeError as error:
            raise FormatError(path, f"not JSON: {error.msg}", line=number, hint=_FIX) from None
        except InputError as error:
            raise FormatError(path, str(error), line=number, hint=_FIX) from None
        if found.setdefault(event.id, event) != event:
            problem = f"another event than that of line {places[event.id]}, with the same id {event.id}"
            raise FormatError(path, problem, line=number, hint=_FIX)
        places.setdefault(event.id, number)
    ordered = sorted(found.values(), key=lambda event: event.order)
    _check_order(path, ordered, places)
    return ordered


def _check_order(path: Path, ordered: Sequence[Event], places: Mapping[str, int]) -> None:
    """Checks that an event comes after all events that it refers to."""
    seen: dict[str, Event] = {}
    for event in ordered:
        wanted = [*event.saw, *event.replaces, *([event.event] if event.event else [])]
        missing = [each for each in wanted if each not in seen]
        if missing:
            problem = f"the event {event.id} names the event {missing[0]}, which is not before it"
            raise FormatError(path, problem, line=places[event.id], hint=_FIX)
        if event.did in ("undo", "redo") and (seen[event.event].did == "undo") != (event.did == "redo"):
            problem = f"the {event.did} {event.id} is of something that cannot be"
            raise FormatError(path, problem, line=places[event.id], hint=_FIX)
        seen[event.id] = event


@contextmanager
def open_journal(path: Path | str, *, patience: float = 0.0) -> Iterator[ReviewJournal]:
    """Opens a state file to add to it; raises LockedError while another process has it, after ``patience`` seconds.

    The rest of an unfinished line is moved to a file beside it, ``NAME.torn``, and is in ``torn``.
    """
    path = Path(path)
    if not path.exists():
        read_journal(path)
    with lock(path.resolve(), patience=patience):
        journal = read_journal(path)
        if journal.torn:
            _set_aside(path, journal)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
        try:
            if not journal.ended:
                os.write(descriptor, b"\n")
            journal._descriptor = descriptor
            yield journal
        finally:
            journal._descriptor = None
            os.close(descriptor)


def keep_aside(path: Path, torn: bytes) -> None:
    """Keeps the rest of an unfinished line of a state file in a file beside it."""
    with path.with_name(path.name + TORN).open("ab") as aside:
        aside.write(torn + b"\n")
        aside.flush()
        os.fsync(aside.fileno())


def _set_aside(path: Path, journal: ReviewJournal) -> None:
    keep_aside(path, journal.torn)
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size - len(journal.torn))
        stream.flush()
        os.fsync(stream.fileno())
