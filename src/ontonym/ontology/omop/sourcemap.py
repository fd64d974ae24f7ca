"""The user's own SOURCE_TO_CONCEPT_MAP, which Usagi writes: codes of a local vocabulary and what they map to."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ontonym.files.source import Source
from ontonym.ontology.omop.files import Files, delimiter_of
from ontonym.ontology.omop.rows import EMPTY
from ontonym.ontology.omop.sides import INVALID
from ontonym.ontology.omop.words import NO_CONCEPT, PREFIX, code_prefix
from ontonym.ontology.release import OTHER_SOURCE, ReleaseLog
from ontonym.types import Concept, Mapping, Term

NEEDED = ("source_code", "source_vocabulary_id", "target_concept_id")
NO_TAGS = "row of a source code, which has no domain or class"
STATED_BY = "SOURCE_TO_CONCEPT_MAP"


@dataclass(slots=True)
class _Code:
    """What the rows of one source code say; ``targets`` in the order of the rows."""

    vocabulary: str
    name: str = ""
    own: dict[int, None] = field(default_factory=dict)
    targets: dict[int, None] = field(default_factory=dict)


def mapped_concepts(files: Files, log: ReleaseLog) -> Iterator[Concept]:
    """The source codes as concepts, by first mention, with mappings to the concepts of OMOP."""
    found: dict[str, _Code] = {}
    for source in files.kinds.get("source map", []):
        _read(source, found, log)
    for concept_id, code in found.items():
        yield Concept(
            concept_id,
            (Term(code.name, "preferred", source=code.vocabulary),) if code.name else (),
            alternative_ids=tuple(f"{PREFIX}{number}" for number in code.own),
            mappings=tuple(_mapping(concept_id, target, code) for target in code.targets),
        )


def _mapping(concept_id: str, target: int, code: _Code) -> Mapping:
    """One target of the code: alone its close match, among several a part of what it means or a value of it."""
    predicate = "skos:closeMatch" if len(code.targets) == 1 and target != NO_CONCEPT else "skos:relatedMatch"
    return Mapping(
        concept_id,
        predicate,
        f"{PREFIX}{target}" if target != NO_CONCEPT else "",
        "semapv:UnspecifiedMatching",
        source=STATED_BY,
    )


def _read(source: Source, found: dict[str, _Code], log: ReleaseLog) -> None:
    delimiter = delimiter_of(source)
    lines = (f"{line}\n" for line in source.lines())
    if delimiter == "\t":  # as in Athena's tables, quotes are part of the text
        rows = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    else:
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
    header = [name.strip().casefold() for name in next(rows)]
    missing = [name for name in NEEDED if name not in header]
    if missing:
        source.fail(1, f"no column {', '.join(missing)}", f"The columns there are: {', '.join(header)}")
    while True:
        try:
            values = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            log.malformed(source, rows.line_num, f"not valid CSV ({error})")
            continue
        if not values:
            continue
        if len(values) != len(header):
            problem = f"{len(values)} fields where {len(header)} are needed"
            log.malformed(source, rows.line_num, problem, delimiter.join(values))
        else:
            _take(dict(zip(header, values, strict=True)), source, rows.line_num, values, found, log)


def _take(
    row: dict[str, str], source: Source, line: int, values: Sequence[str], found: dict[str, _Code], log: ReleaseLog
) -> None:
    code, vocabulary = row["source_code"].strip(), row["source_vocabulary_id"].strip()
    target, own = row["target_concept_id"].strip(), _given(row, "source_concept_id")
    if not code or not vocabulary or not target.isdecimal():
        problem = "no source_code, no source_vocabulary_id, or target_concept_id is not a number"
        log.malformed(source, line, problem, " | ".join(values))
        return
    asked = [name.casefold() for name in log.options.sources]
    tags = [name.casefold() for name in log.options.tags]
    if _given(row, "invalid_reason"):
        log.counts.skip(INVALID)
    elif asked and vocabulary.casefold() not in asked:
        log.counts.skip(OTHER_SOURCE)
    elif tags and vocabulary.casefold() not in tags:
        log.counts.skip(NO_TAGS)
    else:
        log.counts.keep()
        entry = found.setdefault(log.identifier(f"{code_prefix(vocabulary)}:{code}"), _Code(vocabulary))
        entry.name = entry.name or _given(row, "source_code_description")
        entry.targets[int(target)] = None
        if own.isdecimal() and int(own) != NO_CONCEPT:
            entry.own[int(own)] = None


def _given(row: dict[str, str], column: str) -> str:
    text = row.get(column, "").strip()
    return "" if text.encode() in EMPTY else text
