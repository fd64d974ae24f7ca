"""A user's own terms, from tables, JSON lines and gold corpora: added to an index, or removed from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ontonym.documents.pubtator import begins_pubtator
from ontonym.errors import InputError, UnknownIdError
from ontonym.evaluate.corpora.files import first_line
from ontonym.evaluate.texts import annotated_texts
from ontonym.files.counts import RowCounts
from ontonym.files.source import open_source
from ontonym.files.user import user_name
from ontonym.index import AddedTerm, Index, TermsChange, add_terms, remove_terms
from ontonym.index.open import IndexPlace
from ontonym.index.termfile import TermFile, read_terms
from ontonym.index.terms import holdings
from ontonym.tasks.concepts import find_concept
from ontonym.types import NIL


@dataclass(frozen=True, slots=True)
class OwnTerms:
    """Terms to add or to remove: those of ``files``, and ``terms``, each the id of a concept and a text.

    All terms of ``concepts`` are removed too. ``who`` (None: the present user) and ``why`` are for terms without their
    own. Of a gold corpus ``types`` keeps only mentions of these types, if any are given; with ``nil`` its mentions
    without a concept are texts of `NIL`. ``strict`` adds nothing if a row is malformed or a concept unknown.
    ``columns`` say which column of a table, or key of JSON lines, is which, as ``id=ontonym_id``.
    """

    files: tuple[str, ...] = ()
    terms: tuple[tuple[str, str], ...] = ()
    concepts: tuple[str, ...] = ()
    who: str | None = None
    why: str = ""
    types: tuple[str, ...] = ()
    nil: bool = False
    strict: bool = False
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if wrong := next((one for one in self.columns if not all(one.partition("="))), None):
            raise InputError(f"{wrong!r} names no column: give for example `column=id=ontonym_id`")


@dataclass(frozen=True, slots=True)
class OwnTermsChange:
    """The result for the terms, and the counts of rows of each file."""

    change: TermsChange
    files: tuple[TermFile, ...]


def add_own_terms(index: IndexPlace, own: OwnTerms) -> OwnTermsChange:
    """Adds terms to an index, as `add_terms` does; ids may lack their prefix or dot, as in `find_concept`.

    Raises InputError if there are none, FormatError for a file that cannot be read, and with ``strict`` also for a
    malformed row, and UnknownIdError for an id that no concept has.
    """
    if not own.files and not own.terms:
        raise InputError("no terms: give a FILE, or `terms=ID TEXT`")
    files = tuple(
        terms_of_file(path, strict=own.strict, types=own.types, nil=own.nil, columns=own.columns) for path in own.files
    )
    terms = list(_signed(own, files))
    with index.open() as opened:
        terms = with_present_ids(opened, terms)
        unknown = [term.id for term in terms if term.id != NIL and opened.find(term.id) is None]
        if own.strict and unknown:
            raise UnknownIdError(unknown[0], opened.name)
    change = add_terms(index.path, terms, terminologies=index.terminologies, encoder=index.encoder)
    return OwnTermsChange(change, files)


def remove_own_terms(index: IndexPlace, own: OwnTerms) -> OwnTermsChange:
    """Removes terms from an index, as `remove_terms` does; in a file, a row may be an id only.

    Raises InputError if there are none, FormatError for a file that cannot be read.
    """
    if not (own.files or own.terms or own.concepts):
        raise InputError("no terms: give a FILE, `terms=ID TEXT` or `concepts=ID`")
    files = tuple(
        terms_of_file(path, removal=True, types=own.types, nil=own.nil, columns=own.columns) for path in own.files
    )
    with index.open() as opened:
        terms = with_present_ids(opened, _signed(own, files), removal=True)
    change = remove_terms(index.path, terms, terminologies=index.terminologies, encoder=index.encoder)
    return OwnTermsChange(change, files)


def with_present_ids(index: Index, terms: Iterable[AddedTerm], *, removal: bool = False) -> list[AddedTerm]:
    """The terms with the ids of their concepts, which they may have without prefix or dot; unknown ones as they are.

    For a ``removal`` ids of added terms are as they were added.
    """
    held = {one.term.id for one in holdings(index)} if removal else set()
    return [term if term.id in held else _resolved(index, term) for term in terms]


def terms_of_file(
    path: str,
    *,
    strict: bool = False,
    removal: bool = False,
    types: Sequence[str] = (),
    nil: bool = False,
    columns: Sequence[str] = (),
) -> TermFile:
    """The terms of a table, of JSON lines (see `read_terms`), or the mentions of a gold corpus (`corpus_terms`)."""
    if Path(path).is_dir() or begins_pubtator(first_line(open_source(path))):
        if columns:
            raise InputError(f"{path}: is an annotated corpus, which has no columns: leave out `column=`")
        return corpus_terms(path, types, nil=nil)
    named = {field: column for field, _, column in (one.partition("=") for one in columns)}
    return read_terms(path, strict=strict, removal=removal, columns=named)


def corpus_terms(path: str, types: Sequence[str], *, nil: bool = False) -> TermFile:
    """The mentions of one concept each in a gold corpus, as terms; ``types`` and ``nil`` as in `annotated_texts`."""
    found, left_out = annotated_texts([path], types, nil=nil)
    malformed = left_out.pop("malformed", 0)
    counts = RowCounts(len(found) + sum(left_out.values()) + malformed, len(found), Counter(left_out), malformed)
    why = f"annotated in {Path(path).name}"
    return TermFile(path, [AddedTerm(concept_id, text, why=why) for text, concept_id in found], counts)


def _resolved(index: Index, term: AddedTerm) -> AddedTerm:
    """The term with the id of its concept, where it has it without its prefix or dot; else as it is."""
    if term.id == NIL or index.find(term.id) is not None:
        return term
    try:
        return replace(term, id=find_concept(index, term.id).id)
    except UnknownIdError:
        return term


def _signed(own: OwnTerms, files: Sequence[TermFile]) -> Iterator[AddedTerm]:
    """The given terms and those of files, with who and why filled in if missing."""
    who = user_name() if own.who is None else own.who
    given = [AddedTerm(*one) for one in (*own.terms, *((concept, "") for concept in own.concepts))]
    for term in (*given, *(term for one in files for term in one.terms)):
        yield replace(term, who=term.who or who, why=term.why or own.why)
