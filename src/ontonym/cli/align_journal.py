"""What an alignment has found so far, in a file beside its output: a run that was stopped goes on from there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from ontonym.errors import InputError, MismatchError
from ontonym.tasks.align import Aligned, Candidate

VERSION = 1


def journal_file(output: str) -> Path:
    """Where the journal of an output lies while it is not finished."""
    place = Path(output)
    return place.with_name(f"{place.name}.unfinished")


class Journal:
    """Concepts in their order with what was found for each: a line each, after a line that says of what run."""

    def __init__(self, file: Path, run: Mapping[str, Any], *, resume: bool) -> None:
        """Goes on with the journal there, if ``resume`` and there is one, else begins a new one.

        Raises MismatchError where the journal there is of another run, InputError where it cannot be written.
        """
        self.file = file
        self.done = 0
        try:
            if resume and file.is_file():
                self._stream = file.open("r+b")
                self._take_up(run)
            else:
                self._stream = file.open("w+b")
                self._write({"ontonym_align": VERSION, **run})
        except OSError as error:
            raise InputError(f"{file}: cannot be written: {error.strerror}") from None

    def _take_up(self, run: Mapping[str, Any]) -> None:
        header = _parsed(self._stream.readline())
        if header != {"ontonym_align": VERSION, **run}:
            self._stream.close()
            raise MismatchError(
                f"{self.file}: is of a run with other options, or on another terminology, page index or reranker; "
                "give those again, or leave --resume out to begin anew"
            )
        end = self._stream.tell()
        for line in self._stream:
            if not line.endswith(b"\n") or _parsed(line) is None:
                break  # torn when the run was stopped
            end += len(line)
            self.done += 1
        self._stream.seek(end)
        self._stream.truncate()

    def add(self, found: Iterable[Aligned]) -> Iterator[Aligned]:
        """Keeps what was found as it comes, and passes it on."""
        for one in found:
            self._write([one.row, [_listed(candidate) for candidate in one.candidates]])
            self.done += 1
            yield one

    def flush(self) -> None:
        """Hands what was kept to the operating system."""
        self._stream.flush()

    def read(self) -> Iterator[Aligned]:
        """All that was found, in order."""
        self._stream.flush()
        with self.file.open("rb") as lines:
            lines.readline()
            for line in lines:
                row, candidates = orjson.loads(line)
                yield Aligned(row, tuple(Candidate(*values) for values in candidates))

    def close(self, *, finished: bool) -> None:
        """Lets go of the file; one that is ``finished`` is removed."""
        self._stream.close()
        if finished:
            self.file.unlink(missing_ok=True)

    def _write(self, value: Any) -> None:
        _put(self._stream, value)


def _put(stream: BinaryIO, value: Any) -> None:
    stream.write(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE))


def _parsed(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None


def _listed(one: Candidate) -> list[Any]:
    return [one.page, one.confidence, round(one.lexical, 4), round(one.char, 4), one.same, one.reranked]
