"""An alignment as a file: what was found so far, kept while it runs; its rows and metadata by the slots of SSSOM."""

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
from ontonym.store import Terminology
from ontonym.store.export.mappings import MappingFacts, made_between, write_mappings
from ontonym.store.mappings.rows import EXACT, JUSTIFICATIONS, counted
from ontonym.tasks.align import (
    Aligned,
    AlignOptions,
    PageCandidate,
    SecondStage,
    align,
    check_sides,
    decided_links,
)
from ontonym.types import Progress

SURE = 0.9
"""The confidence from which the best page of a concept counts as sure."""

_VERSION = 1
_MEASURE = "cosine of TF-IDF of 1 to 5 characters"
_FLUSHED = 256


class AlignJournal:
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
                self._write({"ontonym_align": _VERSION, **run})
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
                break  # torn when the run was stopped
            end += len(line)
            self.done += 1
        self._stream.seek(end)
        self._stream.truncate()

    def add(self, found: Iterable[Aligned]) -> Iterator[Aligned]:
        """Keeps what was found as it comes, and passes it on."""
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
        """All that was found, in order."""
        self._stream.flush()
        with self.file.open("rb") as lines:
            lines.readline()
            for line in lines:
                row, candidates = orjson.loads(line)
                yield Aligned(row, tuple(PageCandidate(*values) for values in candidates))

    def close(self, *, finished: bool) -> None:
        """Lets go of the file; one that is ``finished`` is removed."""
        self._stream.close()
        if finished:
            self.file.unlink(missing_ok=True)

    def _write(self, value: Any) -> None:
        self._stream.write(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE))


def _parsed(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None


def run_of(
    source: Terminology, pages: Pages, options: AlignOptions, second: SecondStage, rows: Sequence[int]
) -> dict[str, Any]:
    """What makes two runs the same, so that one can go on with what the other found; ``rows`` are the concepts."""
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
    """Turns what was found into rows of SSSOM, and counts: concepts, those with a page, those with a sure one.

    Pages below ``threshold`` and pairs that are ``denied`` (concept row, page) are left out.
    """

    source: Terminology
    pages: Pages
    threshold: float = 0.0
    denied: frozenset[tuple[int, int]] = frozenset()
    concepts: int = 0
    aligned: int = 0
    sure: int = 0

    def of(self, found: Iterable[Aligned]) -> Iterator[dict[str, str]]:
        """The pages of every concept, ranked, as they come."""
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
            others.insert(1, f"{counted(one.same, 'name')} in common")
        if one.reranked is not None:
            others.append(f"reranker {one.reranked:.4f}")
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
    """The metadata of an alignment by slots of SSSOM; ``made`` says how it was made, such as a command line."""
    said = f"proposals, ranked for each subject, of {options.candidates} candidates; {made}"
    return made_between(source, pages.terminologies, pages.fingerprint, said)


@dataclass(frozen=True, slots=True)
class PageAlignment:
    """What an alignment found: its counts, the pages ``written``, and the concepts left out or found before.

    ``known`` concepts had a page already; ``resumed`` had been asked for by the run that was interrupted.
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
    progress: Progress = lambda stage, done, total: None,
) -> PageAlignment:
    """Aligns the concepts of ``source`` with pages and writes the alignment as SSSOM TSV, the likeliest page first.

    Concepts whose page is known, by an id or by the mapping files ``known``, are left out, unless ``every`` one is
    wanted; pages below ``threshold`` are not written. What was found is kept in `unfinished` until the end, from where
    ``resume`` goes on. ``made`` says how the alignment was made, such as a command line. Raises what `align` raises,
    InputError where both sides are the same or a file cannot be written, MismatchError where what is kept is of another
    run.
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
        about = MappingFacts(slots=align_slots(source, pages, options, made))
        written = write_mappings(output, counts.of(journal.read()), about, format="sssom").mappings
        finished = True
    finally:
        journal.close(finished=finished)
    return PageAlignment(counts, written, len(links), resumed)


def unfinished(output: Path | str) -> Path:
    """Where an alignment that is written to ``output`` is kept until it is finished."""
    return Path(f"{output}.unfinished")
