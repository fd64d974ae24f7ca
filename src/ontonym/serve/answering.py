"""A file of mentions or documents in, a file of their answers out, with counts of what became of every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias, get_args

from ontonym.checksums import sha256
from ontonym.documents import WHOLE, Document, DocumentFile, DocumentOptions
from ontonym.documents.rows import STANDARD_INPUT
from ontonym.errors import InputError, UnknownNameError
from ontonym.files.counts import RowCounts
from ontonym.files.output import check_writable
from ontonym.files.packing import naming_faults
from ontonym.index import Index
from ontonym.jsonbytes import json_bytes
from ontonym.manifest import ontonym_version
from ontonym.resuming import Draft, resumed_draft
from ontonym.serve.answers import BY_ROW, TAKEN, OutputChoice, opened_answers
from ontonym.serve.notes import note_format, opened_notes
from ontonym.tasks import AnnotateOptions, NormalizeOptions
from ontonym.tasks.answer import Certainty
from ontonym.tasks.columns import check_read, replaced_note
from ontonym.tasks.documents import MarkAnswer, annotate_documents, normalize_documents
from ontonym.tasks.jobs import Jobs
from ontonym.tasks.normalize import AT_ONCE
from ontonym.tasks.search import allowed_by
from ontonym.text.notes.context import CONTEXTS
from ontonym.types import Advance

_DONE, _NEGATED = "documents", "negated"  # what is counted in a draft, beside the certainties

DocumentAnswers: TypeAlias = tuple[Document, list[MarkAnswer]]


@dataclass(frozen=True, slots=True)
class AnsweringOptions:
    """How a file is answered: its mentions are normalized, or its texts annotated, as the options ``how`` say.

    ``reading`` says how it is read, ``but`` which contexts leave an annotated mention out (one of `CONTEXTS`), and
    ``explain`` adds the reasons for each normalization.
    """

    how: NormalizeOptions | AnnotateOptions
    reading: DocumentOptions = field(default_factory=DocumentOptions)
    but: tuple[str, ...] = ()
    explain: bool = False

    def __post_init__(self) -> None:
        for context in self.but:
            if context not in CONTEXTS:
                raise UnknownNameError("context", context, CONTEXTS)
        if self.explain and isinstance(self.how, NormalizeOptions) and self.how.reranking:
            raise InputError("`explain=` explains the order of the search, not of a reranker: leave out `rerank=`")

    @property
    def annotating(self) -> bool:
        """Whether texts are annotated."""
        return isinstance(self.how, AnnotateOptions)

    def open(self, path: str, text: str | None = None) -> DocumentFile:
        """The file at a path, which is then read as a stream, or the ``text`` that is given in its place."""
        return DocumentFile(path, self.reading, texts=self.annotating, given=text)


@dataclass(slots=True)
class FileAnswers:
    """What became of a file: its rows, and how many answers are sure, doubtful and none, and how many ``negated``.

    ``documents`` were read. ``left_out`` mentions are not in the output for their context; ``unwritten`` are counted by
    the reason why the output format has no room for them. ``replaced`` says which columns of a table gave way to those
    of the answers, and is empty where none did.
    """

    rows: RowCounts
    documents: int = 0
    found: Counter[Certainty] = field(default_factory=Counter)
    negated: int = 0
    left_out: int = 0
    unwritten: Counter[str] = field(default_factory=Counter)
    replaced: str = ""

    @property
    def mentions(self) -> int:
        """The number of mentions that were answered and written."""
        return self.found.total()

    def take_up(self, draft: Draft, documents: Iterator[Document]) -> int:
        """Counts what is in a draft, reads over the documents that it has, and says how many these are."""
        self.negated = draft.counts[_NEGATED]
        self.found.update({one: draft.counts[one] for one in get_args(Certainty) if draft.counts[one]})
        return sum(1 for _ in islice(documents, draft.counts[_DONE]))


def answer_file(
    index: Index,
    documents: DocumentFile,
    output: OutputChoice,
    options: AnsweringOptions,
    *,
    jobs: Jobs = 1,
    at_once: int = AT_ONCE,
    draft: Draft | None = None,
    advance: Advance = lambda done: None,
) -> FileAnswers:
    """Answers a file, and writes the answers as a stream; an output file takes its place only when all went well.

    A table or a file of lines is read to its end before anything is looked up. A ``draft`` of the answers
    (`answers_draft`) is gone on with, and noted while it grows. ``advance`` is called with the number of mentions, or
    of annotated documents, since the last call. Raises InputError for a format that the output cannot
    have, FormatError for a file that cannot be read.
    """
    _check(documents, output, options)
    _check_filters(index, options.how)
    if draft is None or not draft.size:
        documents.check()
    made = FileAnswers(documents.counts)
    verb = "annotate" if options.annotating else "normalize"
    source = f"ontonym {verb}, {index.name}"
    if options.annotating and note_format(output) is not None:
        opened = opened_notes(output, index, source=source, left_out=made.unwritten)
    else:
        table = None if options.annotating else documents
        opened = opened_answers(
            output, source=source, annotating=options.annotating, left_out=made.unwritten, table=table, draft=draft
        )
    done, ahead, read = 0, 0, iter(documents)
    with opened as write:
        if draft:
            done = made.take_up(draft, read)
            advance(made.mentions)
        for document, answers in _answers(index, read, options, jobs, at_once):
            kept = [one for one in answers if not set(one.context or ()) & set(options.but)]
            made.left_out += len(answers) - len(kept)
            made.found.update(one.answer.certainty for one in kept)
            made.negated += sum(one.answer.negated for one in kept)
            write(document, kept)
            advance(1 if options.annotating else len(kept))
            done, ahead = done + 1, ahead + max(len(answers), 1)
            if draft and ahead >= at_once:  # what is looked up together is the same for whoever goes on
                draft.note({_DONE: done, _NEGATED: made.negated, **{str(one): n for one, n in made.found.items()}})
                ahead = 0
    made.documents = documents.read
    if not options.annotating:
        made.replaced = replaced_note(documents.columns, TAKEN)
    return made


def answers_identity(index: Index, output: OutputChoice, options: AnsweringOptions) -> dict[str, Any]:
    """Everything that the answers to a file depend on, but the file."""
    how, lexicon, reranking = options.how, index.opened_as.lexicon, None
    if isinstance(how, NormalizeOptions):
        reranking, how = how.reranking, replace(how, reranking=None)
    return {
        "ontonym": ontonym_version(),
        "index": index.manifest.fingerprint,
        "lexicon": None if lexicon is None else sha256(Path(lexicon)),
        "task": "annotate" if options.annotating else "normalize",
        "options": asdict(replace(options, how=how)),
        "reranking": None if reranking is None else [
            reranking.reranker.fingerprint, reranking.depth, reranking.weight, reranking.below
        ],
        "format": "jsonl" if output.as_json else output.format,
        "raw": output.raw,
    }  # fmt: skip


@contextmanager
def answers_draft(
    index: Index, documents: DocumentFile, output: OutputChoice, options: AnsweringOptions
) -> Iterator[Draft | None]:
    """The draft of the answers to a file, with which the same work goes on after it was stopped, under a lock.

    None where nobody can go on: from standard input, to standard output or a device, packed, or in a format that is not
    one of `BY_ROW`. Raises InputError where the output cannot be written, LockedError while another process writes it.
    """
    path, place = output.path, Path(documents.place)
    by_row = path is not None and output.written_as in BY_ROW and not path.lower().endswith(".gz")
    if path is None or not by_row or documents.place == STANDARD_INPUT or not place.is_file():
        yield None
        return
    check_writable(path)
    if Path(path).exists() and not Path(path).is_file():
        yield None
        return
    with naming_faults(place):
        checksum = sha256(place)
    of = {**answers_identity(index, output, options), "read": documents.format, "file": checksum}
    with resumed_draft(Path(path).resolve(), json_bytes(of).decode()) as draft:
        yield draft


def _answers(
    index: Index, documents: Iterator[Document], options: AnsweringOptions, jobs: Jobs, at_once: int
) -> Iterator[DocumentAnswers]:
    if isinstance(options.how, AnnotateOptions):
        return annotate_documents(index, documents, options.how, jobs=jobs)
    return normalize_documents(index, documents, options.how, explain=options.explain, jobs=jobs, at_once=at_once)


def _check_filters(index: Index, how: NormalizeOptions | AnnotateOptions) -> None:
    """Raises InputError where the filters together leave no concept, so that every answer would be none."""
    search = (how.normalize if isinstance(how, AnnotateOptions) else how).search
    allowed = allowed_by(index, search)
    if allowed is not None and not allowed.any():
        asked = {"within": search.within, "tag": search.tags, "only": search.terminologies}
        said = ", ".join(f"`{name}={one}`" for name, given in asked.items() for one in given)
        raise InputError(f"{index.name}: no concept is left by {said} together: leave one out")


def _check(documents: DocumentFile, output: OutputChoice, options: AnsweringOptions) -> None:
    if options.annotating:
        return
    check_read(options.reading.column)
    written = output.written_as
    if written in WHOLE and not documents.has_documents:
        raise InputError(
            f"{documents.place}: {documents.format} has mentions without their documents, and {written} is made of "
            f"documents. Write .jsonl or .tsv, or give one of: {', '.join(WHOLE)}"
        )
    if options.explain and written != "jsonl":
        raise InputError(f"`explain=` is written as JSON lines, not as {written}. Write .jsonl")
