"""Gold for search: texts with the ids of right concepts, or mappings between terminologies."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ontonym.errors import FormatError
from ontonym.evaluate.overlap import overlap_degree
from ontonym.evaluate.retrieval import Gains, Question, related_gains
from ontonym.index import Index
from ontonym.ontology.source import open_source
from ontonym.ontology.tables.headers import fold_header
from ontonym.ontology.tables.records import delimiter_of
from ontonym.ontology.xrefs import curie
from ontonym.store import Terminology

_TEXT_HEADERS = frozenset("text query mention label term name question subject_label".split())
_ID_HEADERS = frozenset("id ids code concept concept_id gold object_id".split())
_SIDES = (("subject_id", "subject_label"), ("object_id", "object_label"))


@dataclass(slots=True)
class QuestionCounts:
    """What became of the rows: ``rows == asked + sum(skipped)``; ``unknown`` are ids that the index does not have."""

    rows: int = 0
    asked: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Gold:
    """The questions of a file, and what became of its rows."""

    questions: list[Question]
    counts: QuestionCounts


def read_questions(
    path: Path | str,
    index: Index,
    *,
    source: Terminology | None = None,
    together: bool = False,
    missing: Literal["wrong", "skip"] = "wrong",
) -> Gold:
    """The questions of a file, for an index.

    A table (CSV or TSV, with or without a header) has a text and the ids of right concepts, ``|`` between several;
    equal texts are one question. A mapping file (SSSOM) has a concept of another terminology and one of the index's on
    either side; its texts are the label in the file, or all active names of the concept in ``source``. With
    ``together`` all texts of a concept are one question (Ngo, concept to concept), else each is one. Mappings that say
    that two concepts are not the same are left out and counted.

    A question none of whose ids the index has stays, and nothing right can be found for it, unless ``missing`` is
    ``skip``; its ids are counted as unknown either way.
    Raises FormatError, with the line, for a row that has no text or no id.
    """
    rows = list(_rows(path))
    counts = QuestionCounts()
    gathered: dict[str, dict[str, None]] = defaultdict(dict)
    texts: dict[str, tuple[str, ...]] = {}
    mapped = bool(rows) and {"subject_id", "object_id"} <= set(rows[0][1])
    for line, row in rows:
        counts.rows += 1
        found = _mapping(path, line, row, index, source, counts) if mapped else _text(path, line, row)
        if found is None:
            continue
        counts.asked += 1
        key, own, ids = found
        texts[key] = own
        gathered[key] |= dict.fromkeys(ids)
    if not gathered:
        raise FormatError(
            path, "no question", mend="A row has a text and an id, or is a mapping to a concept of the index"
        )
    questions = []
    for key, gold in gathered.items():
        resolved = {current for one in gold if (current := index.resolve(one)) is not None}
        counts.unknown.update(one for one in gold if index.resolve(one) is None)
        if not resolved and missing == "skip":
            continue
        labels = _labels(index, resolved)
        for number, some in enumerate([texts[key]] if together else [(text,) for text in texts[key]]):
            degree = max(overlap_degree(text, labels) for text in some) if labels else -1.0
            name = key if together or len(texts[key]) == 1 else f"{key}#{number}"
            questions.append(Question(name, some, frozenset(resolved or gold), degree))
    return Gold(questions, counts)


def gains_in(index: Index, questions: Sequence[Question]) -> list[Gains]:
    """What each concept of the index is worth for each question, by its id; none where the index has no gold of it."""
    known: dict[frozenset[str], Gains] = {}
    for question in questions:
        if question.gold not in known:
            worth: dict[str, int] = {}
            for concept_id in sorted(question.gold):
                concept = index.find(concept_id)
                if concept is None:
                    continue
                terminology, row = index.locate(concept)
                for other, gain in related_gains(terminology.hierarchy, [row]).items():
                    name = terminology.id(other)
                    worth[name] = max(worth.get(name, 0), gain)
            known[question.gold] = worth
    return [known[question.gold] for question in questions]


def _labels(index: Index, ids: set[str]) -> list[str]:
    labels = []
    for concept_id in ids:
        terminology, row = index.locate(index.number(concept_id))
        labels += [terminology.term(term).text for term in terminology.terms_of(row)]
    return labels


def _rows(path: Path | str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows by column; without a header the columns are ``text`` and ``id``. Lines with ``#`` first are no rows."""
    source = open_source(path)
    delimiter = delimiter_of(source.head()) or "\t"
    numbered = [
        (line, text) for line, text in enumerate(source.lines(), 1) if text.strip() and not text.startswith("#")
    ]
    table = csv.reader((text for _, text in numbered), delimiter=delimiter)
    header: list[str] | None = None
    for (line, _), cells in zip(numbered, table, strict=False):
        if header is None:
            names = [fold_header(cell) for cell in cells]
            is_header = bool(_TEXT_HEADERS & set(names) and _ID_HEADERS & set(names)) or "subject_id" in names
            header = names if is_header else ["text", "id"]
            if is_header:
                continue
        yield line, {name: cell.strip() for name, cell in zip(header, cells, strict=False)}


Found = tuple[str, tuple[str, ...], list[str]]


def _text(path: Path | str, line: int, row: Mapping[str, str]) -> Found:
    text = next((cell for name, cell in row.items() if name in _TEXT_HEADERS and cell), "")
    ids = next((cell for name, cell in row.items() if name in _ID_HEADERS and cell), "")
    if not text or not ids:
        raise FormatError(path, "expected a text and the id of its concept", line=line)
    return text, (text,), [curie(one) for one in ids.split("|") if one.strip()]


def _mapping(
    path: Path | str,
    line: int,
    row: Mapping[str, str],
    index: Index,
    source: Terminology | None,
    counts: QuestionCounts,
) -> Found | None:
    if row.get("predicate_modifier", "").casefold() == "not":
        counts.skipped["not the same"] += 1
        return None
    ends = [(curie(row.get(id_, "")), row.get(label, "")) for id_, label in _SIDES]
    if not all(one for one, _ in ends):
        raise FormatError(path, "a mapping needs a subject_id and an object_id", line=line)
    if index.find(ends[1][0]) is None and index.find(ends[0][0]) is not None:
        ends.reverse()
    (asked, label), (gold, _) = ends
    texts = _names(source, asked) if source is not None else ((label,) if label else ())
    if not texts:
        counts.skipped["no name of the concept" if source is not None else "no label"] += 1
        return None
    return asked, texts, [gold]


def _names(source: Terminology, concept_id: str) -> tuple[str, ...]:
    row = source.find(concept_id)
    if row is None:
        return ()
    terms = [source.term(term) for term in source.terms_of(row)]
    return tuple(dict.fromkeys(term.text for term in terms if term.status == "active"))
