"""The files of a matching: what is proposed, in a standard format, and all candidates, which a review starts from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.store import Terminology
from ontonym.store.export.mappings import (
    AS_IT_IS,
    MappingExport,
    MappingOptions,
    mapping_format,
    opened_facts,
    write_mappings,
)
from ontonym.tasks.match import (
    Matching,
    MatchOptions,
    candidate_rows,
    match_slots,
    proposal_rows,
    published_rows,
)
from ontonym.tasks.review import index_slot

WriteMatching = Callable[[Matching, Sequence[dict[str, str]]], MappingExport | None]
"""Writes a matching, after the rows of mappings that are kept; what was written of the proposals."""


@dataclass(frozen=True, slots=True)
class MatchFiles:
    """What is written: the ``proposed`` mappings, in the format of ``options`` or of the file's ending, and all
    ``candidates``, as SSSOM; None for neither. Raises InputError for one file that is to be both.
    """

    proposed: Path | None
    candidates: Path | None = None
    options: MappingOptions = AS_IT_IS

    def __post_init__(self) -> None:
        if self.proposed is not None and self.proposed == self.candidates:
            problem = "is named by `output=` and by `candidates=`, which would replace each other"
            raise InputError(f"{self.proposed}: {problem}")

    @property
    def format(self) -> str:
        """The format of what is proposed; raises what `mapping_format` raises."""
        return "sssom" if self.proposed is None else mapping_format(self.proposed, self.options.format)


@contextmanager
def match_writer(
    files: MatchFiles, source: Terminology, index: Index, place: Path | str, options: MatchOptions, made: str
) -> Iterator[WriteMatching]:
    """Lends what writes the files of a matching; options that the format cannot take are refused before it begins.

    ``place`` is where the index is, which the file that a review starts from names; ``made`` says how it was made.
    """
    slots = match_slots(source, index, options, made)
    reviewed = files.candidates or files.proposed
    named = {} if reviewed is None else index_slot(place, reviewed)
    own = slots if files.candidates is not None else {**slots, **named}
    with opened_facts(files.options, files.format, own, terminologies=(source, *index.terminologies)) as about:

        def write(found: Matching, kept: Sequence[dict[str, str]]) -> MappingExport | None:
            written = None
            if files.proposed is not None:
                rows = [*kept, *proposal_rows(found)]
                if files.format == "alignment":
                    rows = list(published_rows(rows, source, index, about.iris))
                written = write_mappings(files.proposed, rows, about, format=files.format)
            if files.candidates is not None:
                facts = replace(about, slots={**slots, **named})
                write_mappings(files.candidates, candidate_rows(found), facts, format="sssom")
            return written

        yield write
