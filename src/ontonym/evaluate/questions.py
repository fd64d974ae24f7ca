"""Gold for search: texts with the ids of right concepts, or mappings between terminologies."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from ontonym.arrays import Mask
from ontonym.artifact import read_manifest
from ontonym.benchmark.gold import QUESTIONS
from ontonym.errors import FormatError, InputError, UnknownIdError
from ontonym.evaluate.corpora import detected_format
from ontonym.evaluate.corpora.files import first_line
from ontonym.evaluate.corpora.tables import COLUMNS, OWN_IDS, gold_ids
from ontonym.evaluate.goldids import refuse_foreign_gold
from ontonym.evaluate.measures import Gains, overlap_degree
from ontonym.evaluate.retrieval import BOTH, MENTIONS_ONLY, SEEN, SearchQuestion, related_gains
from ontonym.evaluate.texts import annotated_texts, excluded_names
from ontonym.files.records import delimiter_of, fold_header, text_records
from ontonym.files.source import open_source
from ontonym.ontology.xrefs import curie
from ontonym.store import Terminology, open_terminology
from ontonym.store.mappings import NO_TERM, denied, inexact
from ontonym.text.normalization import normalize

_TEXT_HEADERS = (*COLUMNS["text"], "question", "subject_label")
_ID_HEADERS = (*COLUMNS["ids"], "object_id", *OWN_IDS)
_ASKED_HEADER = "source_id"
_SIDES = (("subject_id", "subject_label"), ("object_id", "object_label"))


@dataclass(frozen=True)
class Target:
    """One or several terminologies; an id means the active concept of the first one that has it.

    With ``within`` only these concepts and those below them belong to it (Ngo, table 1: a branch is searched).
    """

    terminologies: Sequence[Terminology]
    within: tuple[str, ...] = ()

    @property
    def releases(self) -> str:
        """Names and versions, and the branch, for a protocol."""
        named = ", ".join(one.full_name for one in self.terminologies)
        return f"{named}, within {' or '.join(self.within)}" if self.within else named

    @cached_property
    def branch(self) -> Sequence[Mask]:
        """For each terminology a bitmap of its concepts that belong to the target.

        Raises UnknownIdError for an id of ``within`` that no terminology has.
        """
        if not self.within:
            return [np.ones(len(one), dtype=np.bool_) for one in self.terminologies]
        for concept_id in self.within:
            if all(one.find(concept_id) is None for one in self.terminologies):
                raise UnknownIdError(concept_id, ", ".join(one.name for one in self.terminologies))
        found = [[one.find(concept_id) for concept_id in self.within] for one in self.terminologies]
        return [
            one.hierarchy.descendants_mask(row for row in rows if row is not None)
            for one, rows in zip(self.terminologies, found, strict=True)
        ]

    def locate(self, concept_id: str) -> tuple[Terminology, int] | None:
        """The terminology and the row of the active concept that an id means, or None."""
        for terminology, belongs in zip(self.terminologies, self.branch, strict=True):
            row = terminology.current(concept_id)
            if row is not None and belongs[row]:
                return terminology, row
        return None

    def resolve(self, concept_id: str) -> str | None:
        """The present id of the concept that an id means, or None."""
        found = self.locate(concept_id)
        return None if found is None else found[0].id(found[1])

    def labels(self, concept_id: str) -> list[str]:
        """All active names of a concept; none for an unknown id."""
        found = self.locate(concept_id)
        return [] if found is None else found[0].names(found[1])

    def gains(self, gold: Sequence[str]) -> Gains:
        """The gain of each concept if ``gold`` are right (Ngo's gains); empty if no gold id is known."""
        worth: dict[str, int] = {}
        for concept_id in gold:
            found = self.locate(concept_id)
            if found is not None:
                terminology, row = found
                for other, gain in related_gains(terminology.hierarchy, [row]).items():
                    name = terminology.id(other)
                    worth[name] = max(worth.get(name, 0), gain)
        return worth


@dataclass(slots=True)
class Seen:
    """Texts and concepts used in training; texts are compared after normalization."""

    texts: set[str] = field(default_factory=set)
    concepts: set[str] = field(default_factory=set)

    def add(self, texts: Iterable[str], concepts: Iterable[str] = ()) -> None:
        """Adds texts, and ids of concepts as the target has them."""
        self.texts.update(map(normalize, texts))
        self.concepts.update(concepts)

    def newness(self, question: SearchQuestion) -> str:
        """How new a question is relative to training: one of `ZERO_SHOT`."""
        if any(normalize(text) in self.texts for text in question.texts):
            return SEEN
        return MENTIONS_ONLY if question.gold & self.concepts else BOTH


def read_seen(places: Sequence[str], target: Target) -> Seen:
    """The training data: texts, and the target's concepts, of terminologies, tables, corpora and lists of names.

    A file with a tab in its first line is a table; a list of names has one per line. Raises FormatError for a file that
    cannot be read as any of these.
    """

    def known(ids: Iterable[str]) -> Iterator[str]:
        return (known for one in ids if (known := target.resolve(one)) is not None)

    seen = Seen()
    for place in places:
        if Path(place).is_dir():
            with open_terminology(place) as terminology:
                seen.add(terminology.term_texts(), known(terminology.ids()))
        elif detected_format(place) or "\t" in first_line(open_source(place)):
            texts, _ = annotated_texts([place])
            seen.add((text for text, _ in texts), known({curie(one) for _, one in texts}))
        else:
            seen.add(excluded_names([place]))
    return seen


@dataclass(slots=True)
class QuestionCounts:
    """Counts of rows: ``rows == asked + sum(skipped)``; ``unknown`` are gold ids that the target lacks."""

    rows: int = 0
    asked: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Gold:
    """The questions of a file, and the counts of its rows."""

    questions: list[SearchQuestion]
    counts: QuestionCounts


def read_questions(
    path: Path | str,
    target: Target,
    *,
    source: Terminology | None = None,
    together: bool = False,
    missing: Literal["wrong", "skip"] = "wrong",
    seen: Seen | None = None,
) -> Gold:
    """Reads questions about the concepts of a target.

    A table (CSV or TSV, with or without a header) has a text and the ids of right concepts, separated by ``|`` or
    ``+``; equal texts are one question. The same holds for a folder of `build_gold`. A mapping file (SSSOM) has a
    concept of another terminology and one of the target's, in either order; its texts are the label in the file, or
    all active names of the concept in ``source``. With ``together`` all texts of a concept are one question (Ngo,
    concept to concept), else each is one. Mappings that say that two concepts are not the same, that one is broader,
    narrower or only related, or that nothing fits, are left out and counted.

    A question none of whose ids the target has is kept, and counts as wrong, unless ``missing`` is ``skip``; its ids
    are counted as unknown either way. With ``seen``, the training data, each question gets its newness. Raises
    FormatError, with the line, for a row without a text or an id, and InputError where its
    terminologies have none of the ids.
    """
    place = _questions_file(path)
    rows = list(_rows(place))
    counts = QuestionCounts()
    gathered: dict[str, dict[str, None]] = defaultdict(dict)
    texts: dict[str, dict[str, None]] = defaultdict(dict)
    mapped = bool(rows) and {"subject_id", "object_id"} <= set(rows[0][1])
    if source is not None and rows and not mapped:
        raise InputError(
            f"{place}: has texts of its own, and no mapped concepts that `labels=` could name: leave it out"
        )
    for line, row in rows:
        counts.rows += 1
        found = (
            _mapping(place, line, row, target, source, counts) if mapped else _text(place, line, row, together=together)
        )
        if found is None:
            continue
        counts.asked += 1
        key, own, ids = found
        texts[key] |= dict.fromkeys(own)
        gathered[key] |= dict.fromkeys(ids)
    if not gathered:
        hint = "A row has a text and an id, or says which concept of the target is the same"
        raise FormatError(place, f"no question{_left_out(counts)}", hint=hint)
    every = (one for gold in gathered.values() for one in gold)
    refuse_foreign_gold(str(place), every, replace(target, within=()).resolve, target.terminologies)
    questions: list[SearchQuestion] = []
    for key, gold in gathered.items():
        known = {one: current for one in gold if (current := target.resolve(one)) is not None}
        counts.unknown.update(one for one in gold if one not in known)
        if not known and missing == "skip":
            continue
        questions += _as_questions(key, list(texts[key]), frozenset(known.values() or gold), target, together=together)
    return Gold([replace(one, seen=seen.newness(one)) for one in questions] if seen else questions, counts)


def _left_out(counts: QuestionCounts) -> str:
    listed = ", ".join(f"{number:,} {why}" for why, number in counts.skipped.items())
    return f" (left out: {listed})" if listed else ""


def gains_in(target: Target, questions: Sequence[SearchQuestion]) -> list[Gains]:
    """The gain of each concept of the target for each question, by id; empty without any gold concept."""
    known: dict[frozenset[str], Gains] = {}
    for question in questions:
        if question.gold not in known:
            known[question.gold] = target.gains(sorted(question.gold))
    return [known[question.gold] for question in questions]


def _as_questions(
    key: str, texts: list[str], gold: frozenset[str], target: Target, *, together: bool
) -> Iterator[SearchQuestion]:
    """One question of all texts, or one for each of them."""
    labels = [label for one in sorted(gold) for label in target.labels(one)]
    groups = [texts] if together else [[text] for text in texts]
    for number, some in enumerate(groups):
        degree = max(overlap_degree(text, labels) for text in some) if labels else -1.0
        yield SearchQuestion(key if len(groups) == 1 else f"{key}#{number}", tuple(some), gold, degree)


def _questions_file(path: Path | str) -> Path:
    """The file of questions; a folder of gold is checked."""
    place = Path(path)
    if not place.is_dir():
        return place
    read_manifest(place, "benchmark")
    if not (place / QUESTIONS).is_file():
        raise FormatError(place, "a benchmark without questions", hint="Make one with `build_gold()`")
    return place / QUESTIONS


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows by column, with the line each ends on; without a header the columns are ``text`` and ``id``. Lines that
    begin with ``#`` are skipped.
    """
    source = open_source(path)
    header: list[str] | None = None
    for record in text_records(source.lines(), delimiter_of(source.head()) or "\t"):
        if record.problem:
            raise FormatError(path, record.problem, line=record.line)
        cells = [str(cell).strip() for cell in record.fields]
        if header is None:
            names = [fold_header(cell) for cell in cells]
            is_header = bool({*_TEXT_HEADERS} & {*names} and {*_ID_HEADERS} & {*names}) or "subject_id" in names
            header = names if is_header else ["text", "id"]
            if is_header:
                continue
        if record.text.strip() and not record.text.startswith("#"):
            yield record.line or 0, dict(zip(header, cells, strict=False))


_Row = tuple[str, Sequence[str], list[str]]


def _text(path: Path, line: int, row: Mapping[str, str], *, together: bool) -> _Row:
    """The question of a text; with ``together`` all texts of one source concept share its id as their key."""
    text = next((row[name] for name in _TEXT_HEADERS if row.get(name)), "")
    ids = next((row[name] for name in _ID_HEADERS if row.get(name)), "")
    if not text or not ids:
        raise FormatError(path, "expected a text and the id of its concept", line=line)
    if together and not row.get(_ASKED_HEADER):
        hint = "Ask for each text, or give mappings with `labels=TERMINOLOGY`"
        raise FormatError(path, f"no column {_ASKED_HEADER} to put texts together by", line=line, hint=hint)
    return (row[_ASKED_HEADER] if together else text), (text,), gold_ids(ids)


def _mapping(
    path: Path,
    line: int,
    row: Mapping[str, str],
    target: Target,
    source: Terminology | None,
    counts: QuestionCounts,
) -> _Row | None:
    """The question of a mapping: the source's id, its texts and the gold; None, and counted, where it asks nothing."""
    if denied(row):
        counts.skipped["not the same"] += 1
        return None
    if inexact(row):
        counts.skipped[row["predicate_id"]] += 1
        return None
    ends = [(curie(row.get(id_, "")), row.get(label, "")) for id_, label in _SIDES]
    if not ends[1][0] or not any(ends[0]):
        raise FormatError(path, "a mapping needs a subject_id and an object_id", line=line)
    if ends[1][0] == NO_TERM:
        counts.skipped["nothing fits"] += 1
        return None
    if target.locate(ends[1][0]) is None and target.locate(ends[0][0]) is not None:
        ends.reverse()
    (asked, label), (gold, _) = ends
    texts = _names(source, asked) if source is not None and asked else ([label] if label else [])
    if not texts:
        counts.skipped["no name of the concept" if source is not None else "no label"] += 1
        return None
    return asked or label, texts, [gold]


def _names(source: Terminology, concept_id: str) -> list[str]:
    row = source.find(concept_id)
    return [] if row is None else source.names(row)
