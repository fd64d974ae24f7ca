"""An alignment as a file: a journal of results while it runs, and its rows and metadata as SSSOM."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from ontonym.errors import InputError, MismatchError
from ontonym.index.pages import Pages
from ontonym.jsonbytes import json_bytes
from ontonym.resuming import unfinished
from ontonym.store import Terminology
from ontonym.store.export.mappings import MappingFacts, made_between, write_mappings
from ontonym.store.mappings.rows import EXACT, JUSTIFICATIONS
from ontonym.tasks.align.aligning import (
    Aligned,
    AlignOptions,
    PageCandidate,
    SecondStage,
    align,
    check_sides,
    decided_links,
)
from ontonym.tasks.align.pageclaims import PageClaims
from ontonym.text.counting import count
from ontonym.types import Progress, no_progress

SURE = 0.9
"""The confidence from which a concept's best page counts as certain."""

_VERSION = 1
_MEASURE = "cosine of TF-IDF of 1 to 5 characters"
_FLUSHED = 256


class AlignJournal:
    """A journal of alignment results, one line for each concept in order, after a line that identifies the run."""

    def __init__(self, file: Path, run: Mapping[str, Any], *, resume: bool) -> None:
        """Continues the existing journal if ``resume`` is set, else begins a new one, as if the file is empty.

        Raises MismatchError if the journal belongs to another run, InputError if it cannot be written.
        """
        self.file = file
        self.done = 0
        try:
            if resume and file.is_file() and file.stat().st_size:
                self._stream = file.open("r+b")
                self._take_up(run)
            else:
                self._stream = file.open("w+b")
                self._write({"ontonym_align": _VERSION, **run})
                self._stream.flush()  # a run that is killed early leaves a journal that can be continued
        except OSError as error:
            raise InputError(f"{file}: cannot be written: {error.strerror}") from None

    def _take_up(self, run: Mapping[str, Any]) -> None:
        header = _parsed(self._stream.readline())
        if header != {"ontonym_align": _VERSION, **run}:
            self._stream.close()
            raise MismatchError(
                f"{self.file}: is of a run with other options, or on another terminology, page index or reranker; "
                "give those again, or leave `resume=` out to begin anew"
            )
        end = self._stream.tell()
        for line in self._stream:
            if not line.endswith(b"\n") or _parsed(line) is None:
                break  # a line cut off when the run was stopped
            end += len(line)
            self.done += 1
        self._stream.seek(end)
        self._stream.truncate()

    def add(self, found: Iterable[Aligned]) -> Iterator[Aligned]:
        """Writes results as they come and passes them on."""
        for number, one in enumerate(found, 1):
            listed = [
                [each.page, each.confidence, round(each.lexical, 4), round(each.char, 4), each.same, each.reranked]
                for each in one.candidates
            ]
            self._write([one.row, listed])
            self.done += 1
            yield one
            if number % _FLUSHED == 0:
                self._stream.flush()

    def read(self) -> Iterator[Aligned]:
        """All results, in order."""
        self._stream.flush()
        with self.file.open("rb") as lines:
            lines.readline()
            for line in lines:
                row, candidates = orjson.loads(line)
                yield Aligned(row, tuple(PageCandidate(*values) for values in candidates))

    def close(self, *, finished: bool) -> None:
        """Closes the file, and removes it if ``finished``."""
        self._stream.close()
        if finished:
            self.file.unlink(missing_ok=True)

    def _write(self, value: Any) -> None:
        self._stream.write(json_bytes(value, option=orjson.OPT_APPEND_NEWLINE))


def _parsed(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None


def run_of(
    source: Terminology, pages: Pages, options: AlignOptions, second: SecondStage, rows: Sequence[int]
) -> dict[str, Any]:
    """What identifies a run, so that it is resumed only with equal inputs and options; ``rows`` are the concepts."""
    given = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(options).items()}
    return {
        "source": source.fingerprint,
        "pages": pages.fingerprint,
        "concepts": hashlib.sha256(np.asarray(rows, dtype=np.int64).tobytes()).hexdigest(),
        "options": given,
        "reranker": "" if second.reranker is None else second.reranker.fingerprint,
        "depth": second.depth,
        "weight": second.weight,
    }


@dataclass(slots=True)
class AlignmentRows:
    """Turns results into SSSOM rows and counts concepts, those with a page, and those with a certain one.

    Pages below ``threshold`` and ``denied`` pairs (concept row, page) are left out.
    """

    source: Terminology
    pages: Pages
    threshold: float = 0.0
    denied: frozenset[tuple[int, int]] = frozenset()
    concepts: int = 0
    aligned: int = 0
    sure: int = 0

    def of(self, found: Iterable[Aligned]) -> Iterator[dict[str, str]]:
        """The SSSOM rows of all results, pages ranked, as they come."""
        for one in found:
            kept = [each for each in one.candidates if self._keeps(one.row, each)]
            self.concepts += 1
            self.aligned += bool(kept)
            self.sure += bool(kept) and (kept[0].confidence or 0) >= SURE
            for rank, candidate in enumerate(kept, 1):
                yield self._row(one.row, candidate, rank)

    def _keeps(self, row: int, one: PageCandidate) -> bool:
        likely = one.confidence is None or one.confidence >= self.threshold
        return likely and (row, one.page) not in self.denied

    def _row(self, row: int, one: PageCandidate, rank: int) -> dict[str, str]:
        others = [f"rank {rank}", f"BM25 {one.lexical:.2f}"]
        if one.same:
            others.insert(1, f"{count(one.same, 'name')} in common")
        if one.reranked is not None:
            others.append(f"reranker {one.reranked:.4f}")
        if one.claimed_by is not None:
            others.append(
                f"rather the page of {self.source.id(one.claimed_by)} {self.source.preferred(one.claimed_by)}"
            )
        return {
            "subject_id": self.source.id(row),
            "subject_label": self.source.preferred(row),
            "predicate_id": EXACT,
            "object_id": self.pages.id(one.page),
            "object_label": self.pages.title(one.page),
            "mapping_justification": JUSTIFICATIONS["lexical" if one.same else "spelling"],
            "confidence": "" if one.confidence is None else f"{one.confidence:.4f}",
            "similarity_score": f"{one.char:.4f}",
            "similarity_measure": _MEASURE,
            "other": "; ".join(others),
        }


def align_slots(source: Terminology, pages: Pages, options: AlignOptions, made: str) -> Mapping[str, str]:
    """The SSSOM metadata of an alignment; ``made`` says how it was made, such as a command line."""
    said = f"proposals, ranked for each subject, of {count(options.candidates, 'candidate')}; {made}"
    return made_between(source, pages.terminologies, pages.fingerprint, said)


@dataclass(frozen=True, slots=True)
class PageAlignment:
    """The result of an alignment: its counts, the pages ``written``, and the concepts left out or found before.

    ``known`` concepts had a page already; ``resumed`` concepts were done by the run that was interrupted.
    """

    counts: AlignmentRows
    written: int
    known: int
    resumed: int


def write_alignment(
    source: Terminology,
    pages: Pages,
    output: Path | str,
    options: AlignOptions,
    second: SecondStage,
    *,
    known: Sequence[str] = (),
    every: bool = False,
    threshold: float = 0.0,
    resume: bool = False,
    made: str = "",
    progress: Progress = no_progress,
) -> PageAlignment:
    """Aligns the concepts of ``source`` with pages and writes the alignment as SSSOM TSV, the most likely page first.

    Concepts whose page is known, by an id or by the mapping files ``known``, are left out, unless ``every`` is set. A
    page of which another concept is surer, or that is known to be another's, is hardly a concept's
    (`ontonym.tasks.align.pageclaims`). Pages below ``threshold`` are not written. Results are kept in the file
    `unfinished` until the end, and ``resume`` continues from it. ``made`` says how the alignment was made, such as a
    command line.

    Raises what `align` raises, InputError if both sides are the same or a file cannot be written, MismatchError if the
    file of results belongs to another run.
    """
    check_sides(source, pages)
    links, denied = decided_links(source, pages, known)
    rows = [row for row in np.flatnonzero(source.active).tolist() if every or row not in links]
    run = run_of(source, pages, options, second, rows)
    journal = AlignJournal(unfinished(output), run, resume=resume)
    finished = False
    try:
        resumed = journal.done
        progress("aligning", resumed, len(rows))
        for _ in journal.add(align(source, pages, islice(rows, resumed, None), options, second)):
            progress("aligning", journal.done, len(rows))
        counts = AlignmentRows(source, pages, threshold, denied)
        found = journal.read()
        if second.weighing is not None:  # else the confidences are a reranker's scores, of each page by itself
            found = PageClaims(found, links, denied).settle(journal.read())
        about = MappingFacts(slots=align_slots(source, pages, options, made))
        written = write_mappings(output, counts.of(found), about, format="sssom").mappings
        finished = True
    finally:
        journal.close(finished=finished)
    return PageAlignment(counts, written, len(links), resumed)
