"""Mapping terminologies to each other and to encyclopedias, and what becomes of mappings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontonym.api.frames import as_table
from ontonym.api.given import given_columns, given_files, given_places, place_if_given, place_of
from ontonym.api.opening import (
    A_TERMINOLOGY,
    using_index,
    using_pages,
    using_terminologies,
    using_terminology,
)
from ontonym.api.results import ResultList
from ontonym.distributed.dask import workers_on
from ontonym.errors import WrongTypeError
from ontonym.index import Index
from ontonym.store import Terminology
from ontonym.store.carry import CarryOptions
from ontonym.store.export.mappings import AS_IT_IS, MappingOptions
from ontonym.tasks.align import AlignOptions
from ontonym.tasks.match import Matched, MatchOptions
from ontonym.tasks.optionkeywords import chosen
from ontonym.text.counting import count

if TYPE_CHECKING:
    from ontonym.index.pages import Pages
    from ontonym.store.carrywriting import CarriedFile
    from ontonym.store.export.mappings import MappingConversion
    from ontonym.store.mappings import MappingSet
    from ontonym.tasks.align import PageAlignment

_FILES = "the path of a file of mappings, or several"
_MADE = "made with `ontonym.match()`"


class MatchList(ResultList[Matched]):
    """Source concepts with what was proposed for each, those without a match too; ``title`` names both sides."""

    def __init__(self, matched: Iterable[Matched] = (), title: str = "") -> None:
        super().__init__(matched)
        self.title = title

    @property
    def proposals(self) -> MatchList:
        """Those with a proposal."""
        return MatchList((one for one in self if one.proposed), self.title)

    @property
    def unmatched(self) -> MatchList:
        """Those without one."""
        return MatchList((one for one in self if not one.proposed), self.title)

    def columns(self) -> dict[str, list[Any]]:
        """Id and name of each source concept, predicate, target, score and why; None without a proposal."""
        made = [(one, one.proposed) for one in self]
        return {
            "id": [one.id for one, _ in made],
            "name": [one.preferred for one, _ in made],
            "predicate": [best.predicate if best else None for _, best in made],
            "target": [best.id if best else None for _, best in made],
            "target_name": [best.preferred if best else None for _, best in made],
            "confidence": [best.score if best else None for _, best in made],
            "why": [best.reason.detail if best else None for _, best in made],
        }

    def _title(self) -> str:
        return (
            f"{sum(one.proposed is not None for one in self):,} of {count(len(self), 'concept')} matched, {self.title}"
        )

    def _rows(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        columns = self.columns()
        columns["confidence"] = ["" if one is None else f"{one:.2f}" for one in columns["confidence"]]
        rows = [[cell or "" for cell in row] for row in zip(*columns.values(), strict=True)]
        return [*columns], [*rows]


def match(
    source: Any,
    index: Index | Path | str,
    output: Path | str | None = None,
    options: MatchOptions | None = None,
    *,
    candidates: Path | str | None = None,
    columns: Any = (),
    known: Any = (),
    via: Any = (),
    learn: bool = False,
    mapping: MappingOptions | None = None,
    jobs: int | None = 1,
    on: Any = None,
    **keywords: Any,
) -> MatchList:
    """Maps the concepts of a terminology, or of a release, table or data frame of local codes, to those of an index.

    What is proposed is written to ``output`` as mappings, and all candidates to ``candidates`` as SSSOM, where they are
    given. The format is that of the ending, or of ``mapping``, which has what a standard needs beside the rows.
    ``columns`` says what the columns of a table hold, where its header does not: ``["id=code", "preferred=display"]``,
    or just the column of the names. ``known`` are files of mappings that are decided, ``via`` terminologies that know
    the source's concepts. ``on`` is as in `normalize`. Keywords are fields of `MatchOptions`: ``mode="best"``,
    ``threshold=0.5``.
    """
    from ontonym.tasks.match import known_mappings
    from ontonym.tasks.match import match as matching
    from ontonym.tasks.match.files import MatchFiles, match_writer

    how = chosen(options, MatchOptions(), keywords)
    files = MatchFiles(place_if_given(output), place_if_given(candidates), chosen(mapping, AS_IT_IS, {}))
    with ExitStack() as stack:
        table = stack.enter_context(as_table(source))
        ours = stack.enter_context(using_terminology(table, given_columns(columns)))
        theirs = stack.enter_context(using_index(index)).refreshed()
        mediators = stack.enter_context(using_terminologies(via))
        write = stack.enter_context(match_writer(files, ours, theirs, theirs.opened_as.path, how, _MADE))
        decided, kept = known_mappings(given_places(known, _FILES), ours, theirs)
        workers = jobs if on is None else stack.enter_context(workers_on(on, jobs or 1))
        found = matching(ours, theirs, how, decided, via=mediators, learn=learn, jobs=workers)
        write(found, kept)
        return MatchList(found.concepts(), f"{ours.name} to {theirs.name}")


def align(
    source: Terminology | Path | str,
    pages: Pages | Path | str,
    output: Path | str,
    options: AlignOptions | None = None,
    *,
    known: Any = (),
    every: bool = False,
    threshold: float = 0.01,
    resume: bool = False,
    **keywords: Any,
) -> PageAlignment:
    """Aligns the concepts of a terminology with the pages of an encyclopedia, and writes them to ``output`` as SSSOM.

    ``pages`` is a page index, open or by its path. Concepts whose page is ``known`` (files of mappings) or named by an
    id are left out, unless ``every`` is asked for. Keywords are fields of `AlignOptions`.
    """
    from ontonym.encoder import open_encoder
    from ontonym.tasks.align import SecondStage, Weighing, default_weights, write_alignment

    how = chosen(options, AlignOptions(k=5), keywords)
    with using_terminology(source) as ours, using_pages(pages) as searched:
        return write_alignment(
            ours, searched, place_of(output), how, SecondStage(Weighing(open_encoder(), default_weights())),
            known=given_files(known, _FILES), every=every, threshold=threshold, resume=resume,
            made="made with `ontonym.align()`",
        )  # fmt: skip


def read_mappings(path: Path | str) -> MappingSet:
    """The mappings of a file in any format that holds some: SSSOM, OAEI's RDF, FHIR ConceptMap, OMOP, tables."""
    from ontonym.store.mappings import read_mappings as read

    return read(place_of(path, _FILES))


def export_mappings(
    mappings: Path | str, target: Path | str, options: MappingOptions | None = None, **keywords: Any
) -> MappingConversion:
    """Writes a file of mappings in another standard format, by the ending of ``target`` or ``format=NAME``.

    Keywords are fields of `MappingOptions`.
    """
    from ontonym.store.export.mappings import convert_mappings

    return convert_mappings(place_of(mappings, _FILES), place_of(target), chosen(options, MappingOptions(), keywords))


def carry(
    mappings: Path | str,
    releases: Any,
    output: Path | str,
    *,
    look: Path | str | None = None,
    follow: bool = False,
    options: CarryOptions | None = None,
    **keywords: Any,
) -> CarriedFile:
    """Carries a file of mappings over to new releases: ``output`` gets what stays, ``look`` what is to be looked at.

    ``releases`` is the pair of an old and a new terminology, or several pairs, one for each side. Keywords are fields
    of `CarryOptions`.
    """
    from ontonym.store.carrywriting import carry_file

    sides = [(_place(old), _place(new)) for old, new in _pairs_of(releases)]
    return carry_file(
        place_of(mappings, _FILES), sides, place_of(output), look=place_if_given(look),
        follow=follow, options=chosen(options, CarryOptions(), keywords),
    )  # fmt: skip


def _pairs_of(releases: Any) -> Sequence[Any]:
    """The pairs of an old and a new terminology, of one pair or several; WrongTypeError for anything else."""
    wanted = "the pair of an old and a new terminology, or several pairs"
    if not isinstance(releases, list | tuple):
        raise WrongTypeError(releases, wanted)
    pairs = [releases] if len(releases) == 2 and not isinstance(releases[0], list | tuple) else releases
    for place, pair in enumerate(pairs):
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise WrongTypeError(pair, wanted, place)
    return pairs


def _place(terminology: Any) -> Path:
    return terminology.path if isinstance(terminology, Terminology) else place_of(terminology, A_TERMINOLOGY)
