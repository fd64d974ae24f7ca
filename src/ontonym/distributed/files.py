"""A job of files: every file of a folder is answered into a file of its own, by anybody who does a part of the job.

The folder of the answers says what is done: in its folder `JOB`, ``job.json`` tells what the job is, and in ``done`` a
``NAME.json`` what became of a file that is done. Each is written whole or not at all, and after the answers themselves:
whoever is killed leaves files that are done and files that are not, and the same command goes on.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from ontonym.checksums import sha256
from ontonym.documents import FORMATS
from ontonym.errors import ArtifactError, InputError, MismatchError
from ontonym.files.output import sweep_drafts, written_file
from ontonym.files.tables import TABLE_ENDINGS
from ontonym.index import Index
from ontonym.jsonbytes import json_bytes
from ontonym.serve.answering import AnsweringOptions, answer_file, answers_identity
from ontonym.serve.answers import OutputChoice
from ontonym.tasks import NormalizeOptions
from ontonym.tasks.jobs import Jobs, SameWork, in_processes
from ontonym.text.counting import first_few
from ontonym.types import Advance

JOB = "_job"
"""The folder beside the answers that says what is done; readers of folders of tables skip what begins with ``_``."""

DONE = "done"
_SHOWN = 5
_PART = re.compile(r"([1-9]\d*)/([1-9]\d*)")


@dataclass(frozen=True, slots=True)
class JobPart:
    """Part ``number`` of ``of`` parts of a job, counted from 1: every ``of``-th file, in the order of their names."""

    number: int = 1
    of: int = 1

    @classmethod
    def parse(cls, text: str) -> JobPart:
        """The part that ``3/16`` names; raises InputError for anything else."""
        match = _PART.fullmatch(text.strip())
        if not match or int(match[1]) > int(match[2]):
            raise InputError(f"`part={text}`: give a number and of how many, from 1, such as 3/16")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def of_names(self, names: Sequence[str]) -> list[str]:
        """Those names that are of this part."""
        return list(names[self.number - 1 :: self.of])


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What became of one file; ``problem`` says why it could not be answered, and is empty for one that is done.

    ``bytes``, ``modified`` (nanoseconds) and ``sha256`` are those of the file, ``output_bytes`` the size of ``output``.
    ``rows`` are ``mentions``, rows skipped and ``malformed`` ones; in annotated files the rows are of documents.
    ``replaced`` says which columns gave way to those of the answers.
    """

    name: str
    output: str
    bytes: int = 0
    modified: int = 0
    sha256: str = ""
    output_bytes: int = 0
    rows: int = 0
    documents: int = 0
    mentions: int = 0
    malformed: int = 0
    found: dict[str, int] = field(default_factory=dict)
    negated: int = 0
    replaced: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FilesDone:
    """What one run of a job did: the files that it answered, those done before, and the ``total`` of the whole job.

    Files that cannot be read are ``failed``, files without any bytes ``empty``; what is in ``folders`` is not read.
    """

    part: JobPart
    now: tuple[FileRecord, ...]
    before: tuple[FileRecord, ...]
    failed: tuple[FileRecord, ...]
    total: int
    empty: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()

    @property
    def found(self) -> Counter[str]:
        """How many answers of the part are sure, doubtful and none, those of earlier runs too."""
        return sum((Counter(one.found) for one in (*self.now, *self.before)), Counter())

    @property
    def negated(self) -> int:
        """How many answers of the part the texts deny, those of earlier runs too."""
        return sum(one.negated for one in (*self.now, *self.before))


def answer_files(
    index: Index,
    folder: Path | str,
    output: OutputChoice,
    options: AnsweringOptions,
    *,
    part: JobPart = JobPart(),
    jobs: Jobs = 1,
    advance: Advance = lambda done: None,
) -> FilesDone:
    """Answers every file of a folder, or of a ``part`` of it, into a file of the folder ``output.path``; goes on.

    Files whose names begin with ``.`` or ``_`` are left out. An output is called as its file where the ending is one of
    the format in which it is written, else has another ending after it. A file that was answered by the same job, and
    has not changed since, is not answered again. Processes and machines may do parts of one job at the same time, where
    all see both folders at the same paths. ``advance`` is called with the number of mentions of each file that is done.
    Files that cannot be read are ``failed``, and the others are answered all the same; an empty file has no answers.
    Raises InputError where there is no file, where the output is called as a file or two have one name, or where the
    answers there are of another job: of another index or other options.
    """
    source = Path(folder).resolve()
    if output.path is None:
        raise InputError(f"{folder}: is a folder; give a folder for the answers, `output=DIR`")
    target = Path(output.path).resolve()
    if output.named_as_file:
        meant = target.with_name(target.name.partition(".")[0]).name
        raise InputError(
            f"{output.path}: is the name of a file, but every file of a folder is answered into a file of its own: "
            f"give a folder, `output={Path(output.path).parent / meant}/`, and `output_format=NAME` for another "
            "format than that of the file"
        )
    found = [one for one in source.iterdir() if not one.name.startswith((".", "_"))]
    names, folders = (sorted(one.name for one in found if is_it(one)) for is_it in (Path.is_file, Path.is_dir))
    if not names:
        raise InputError(f"{folder}: has no files")
    if source == target:
        raise InputError(f"{folder}: the answers need another folder than the files")
    job = _Job(source, target, index.manifest.fingerprint, replace(output, path=None), options)
    job.check(names)
    _begin(target, answers_identity(index, job.output, options))
    mine = part.of_names(names)
    records = {name: job.record(name) for name in mine}
    before = tuple(record for record in records.values() if record is not None)
    empty = tuple(name for name, record in records.items() if record is None and not (source / name).stat().st_size)
    todo = [name for name, record in records.items() if record is None and name not in set(empty)]
    now: list[FileRecord] = []
    failed: list[FileRecord] = []
    for record in in_processes(index, partial(_file_worker, job=job), todo, jobs):
        (failed if record.problem else now).append(record)
        advance(record.documents if options.annotating else record.mentions)
    sweep_drafts(target)  # of processes that outlived a command that was killed
    return FilesDone(part, tuple(now), before, tuple(failed), len(names), empty, tuple(folders))


@dataclass(frozen=True, slots=True)
class _Job:
    """The folders, the fingerprint of the index, the format of the outputs, and how files are answered."""

    source: Path
    target: Path
    fingerprint: str
    output: OutputChoice
    options: AnsweringOptions

    def check(self, names: Iterable[str]) -> None:
        """Raises, before any file is read, UnknownNameError for a format that there is not, and InputError where two
        files have one output."""
        self.output.written_as  # noqa: B018
        of: dict[str, str] = {}
        for name in names:
            other = of.setdefault(self.written(name), name)
            if other != name:
                raise InputError(
                    f"{self.source}: the answers of {other} and {name} would both be {self.written(name)}: give one "
                    "of them another name"
                )

    def written(self, name: str) -> str:
        """The name of the output of a file."""
        form, endings = "jsonl" if self.output.as_json else self.output.format, dict(TABLE_ENDINGS)
        endings |= {one: FORMATS[one].written_endings for one in FORMATS if FORMATS[one].written_endings}
        if form is None:
            try:
                named = OutputChoice(name).written_as
            except InputError:
                named = ""
            return name if named and Path(name).suffix else f"{name}.jsonl"
        return name if name.lower().removesuffix(".gz").endswith(endings[form]) else f"{name}{endings[form][0]}"

    def record(self, name: str) -> FileRecord | None:
        """The record of a file that is done and has not changed since; None for one that is to be answered."""
        try:
            found = FileRecord(**orjson.loads((self.target / JOB / DONE / f"{name}.json").read_bytes()))
            status, output = (self.source / name).stat(), (self.target / found.output).stat()
        except (OSError, ValueError, TypeError):
            return None
        same = status.st_mtime_ns == found.modified or sha256(self.source / name) == found.sha256
        whole = (status.st_size, output.st_size) == (found.bytes, found.output_bytes)
        return found if same and whole and found.output == self.written(name) else None

    def answer(self, index: Index, name: str, jobs: Jobs) -> FileRecord:
        """Answers a file, and then says that it is done."""
        path, output = self.source / name, self.target / self.written(name)
        status = path.stat()
        checksum = sha256(path)
        made = answer_file(
            index, self.options.open(str(path)), replace(self.output, path=str(output)), self.options, jobs=jobs
        )
        record = FileRecord(
            name, output.name, status.st_size, status.st_mtime_ns, checksum, output.stat().st_size, made.rows.rows,
            made.documents, made.mentions, made.rows.malformed, dict(made.found.items()),
            made.negated, made.replaced,
        )  # fmt: skip
        _write(self.target / JOB / DONE / f"{name}.json", asdict(record))
        return record


def _file_worker(index: Index, *, job: _Job) -> Callable[[str], FileRecord]:
    if index.manifest.fingerprint != job.fingerprint:
        raise MismatchError(f"{index.path}: was changed while the job ran: begin again, with another folder")
    how = job.options.how
    same = 1 if isinstance(how, NormalizeOptions) and how.reranking else SameWork()

    def answered(name: str) -> FileRecord:
        try:
            return job.answer(index, name, same)
        except ArtifactError:
            raise
        except InputError as error:
            return FileRecord(name, job.written(name), problem=str(error))

    return answered


def _begin(target: Path, identity: dict[str, Any]) -> None:
    """Says what the job is, whoever is the first; raises InputError where it is another one."""
    place = target / JOB / "job.json"
    wanted = orjson.loads(json_bytes(identity))
    if not place.exists():
        (place.parent / DONE).mkdir(parents=True, exist_ok=True)
        draft = place.with_name(f".job.{os.getpid()}.{os.urandom(6).hex()}")
        _write(draft, identity)
        try:
            os.link(draft, place)
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            draft.replace(place)
        finally:
            draft.unlink(missing_ok=True)
    try:
        found = orjson.loads(place.read_bytes())
    except ValueError:
        found = {}
    other = [key for key in wanted if found.get(key) != wanted[key]] if isinstance(found, dict) else list(wanted)
    if other:
        raise InputError(
            f"{target}: holds answers of another job ({', '.join(other)} differ): run it as it was begun, or give "
            "another folder"
        )


def _write(path: Path, value: dict[str, Any]) -> None:
    with written_file(path) as stream:
        stream.write(json_bytes(value, orjson.OPT_INDENT_2) + b"\n")


def problems(failed: Iterable[FileRecord]) -> str:
    """What is wrong with the files that could not be read, in one line: the first of them, and which others."""
    first, *others = failed
    named = first.problem if first.name in first.problem else f"{first.name}: {first.problem}"
    more = f"; {len(others):,} more ({first_few((one.name for one in others), _SHOWN)})" if others else ""
    return f"{named}{more}: the other files are done; fix these, and run the same again"
