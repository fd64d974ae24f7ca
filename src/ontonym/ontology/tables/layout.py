"""The layout of one table: the role of each column, and its records as rows by roles."""

from __future__ import annotations

import glob
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ontonym.errors import InputError
from ontonym.files.cells import RAW_NOTE, is_spreadsheet_made, twofold, unguarded, whole_count
from ontonym.files.counts import BadRow
from ontonym.files.lists import split_list
from ontonym.files.records import (
    SAMPLE,
    Field,
    Record,
    comments_of,
    delimiter_of,
    is_json_table,
    json_header,
    json_records,
    sample_lines,
    text_records,
)
from ontonym.files.source import OTHER_ENCODINGS, Source
from ontonym.files.titles import below_titles
from ontonym.files.workbooks import other_sheets_hint
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.tables.columns import NAME_ROLES, ColumnMapping, resolve_columns
from ontonym.ontology.tables.headers import guess_columns, guess_table, with_guessed_id, with_told_languages
from ontonym.ontology.tables.rows import DEFINITION_WORDS, TableRow
from ontonym.ontology.xrefs import canonical_prefix, curie
from ontonym.types import Mapping, Property, Relation, Term

LIST_ROLES = frozenset(
    {"synonyms", "entries", "related_synonyms", "broad_synonyms", "narrow_synonyms", "lay", "abbreviations", "parents",
     "parent_names", "tree", "xrefs", "tags", "alternative_ids", "replaced_by"}
)  # fmt: skip
"""Roles whose columns hold several values, split at the mapping's separator."""

DENIED = "not "
"""The prefix, before the predicate, of the name of the property for a denied mapping."""

FREQUENCY = "frequency"
"""The property for the frequency of a local code, and the role of its column."""

UNSPLIT = "lists_not_split"
"""Where the details of a release count cells of lists that have semicolons and no separator."""

UNREAD = "frequencies_not_read"
"""Where the details of a release count the frequencies that are no numbers."""

CHANGED_IDS = "ids_changed_by_a_spreadsheet"
"""Where the details of a release count the ids that a spreadsheet seems to have made of others."""

_MAPPING_ROLES = ("mapped_label", "mapping_predicate", "mapping_modifier", "justification", "confidence")

EXPORTED = (
    "id", "preferred", "synonyms", "related_synonyms", "broad_synonyms", "narrow_synonyms", "lay", "abbreviations",
    "parents", "definition", "xrefs", "tags", "status", "language", "alternative_ids", "replaced_by",
)  # fmt: skip
"""The header of a table that ontonym wrote, whose cells are guarded from spreadsheets unless a comment denies it."""

IS_A = frozenset(
    {"is_a", "isa", "is a", "subclassof", "subclass of", "rdfs:subclassof", "skos:broader", "broader", "116680003",
     "http://www.w3.org/2000/01/rdf-schema#subclassof", "http://www.w3.org/2004/02/skos/core#broader"}
)  # fmt: skip
"""Words of a predicate column (lower case) that make the edge an is-a edge; any other makes a relation."""


@dataclass(frozen=True, slots=True)
class RoleColumn:
    """A column in a role: its position, and the language or prefix of its values, or empty."""

    role: str
    index: int
    qualifier: str


@dataclass(frozen=True, slots=True)
class TableLayout:
    """A table: its mapping, the number of records before the data, its width, and its columns.

    ``delimiter`` is empty for JSON; ``keys`` are then those that have a role. ``status`` is the position of the column
    that says whether a name is translated, or -1. ``guarded``: the cells of a table that `ontonym export` wrote are
    guarded from spreadsheets. ``unread`` are the headers of columns without a role.
    """

    source: Source
    mapping: ColumnMapping
    delimiter: str
    keys: tuple[str, ...]
    skipped: int
    width: int
    columns: tuple[RoleColumn, ...]
    id: RoleColumn
    status: int
    mapping_set: str
    guarded: bool = False
    unread: tuple[str, ...] = ()

    @property
    def names_concepts(self) -> bool:
        """Whether there is a column with names or with mappings, which define concepts."""
        return any(column.role in NAME_ROLES or column.role == "mapped_to" for column in self.columns)

    @property
    def name_pattern(self) -> str:
        """A glob pattern of the file's name that matches the next release too: digits may change."""
        name = glob.escape(self.source.name.rsplit("/", 1)[-1]).replace("=", "?")
        return re.sub(r"\d+(?:[-_.]?\d+)*", "*", name)

    def has(self, role: str) -> bool:
        """Whether there is a column in the role."""
        return any(column.role == role for column in self.columns)

    def records(self) -> Iterator[Record]:
        """The records with data, in the order of the file; none of the rows of empty cells that spreadsheets leave."""
        if not self.delimiter:
            return json_records(self.source, self.keys)
        records = islice(text_records(self.source.lines(), self.delimiter), self.skipped, None)
        filled = (one for one in records if one.problem or any(map(_one, one.fields)))
        return map(_unguarded, filled) if self.guarded else filled

    def concept_id(self, fields: Sequence[Field], log: ReleaseLog) -> str:
        """The id of the row's concept; raises ``BadRow`` for a wrong number of fields or an empty id.

        Empty fields at the end are no fields: separators there are left by spreadsheets.
        """
        if len(fields) < self.width or any(fields[self.width :]):
            raise BadRow(f"expected {self.width} fields, found {len(fields)}")
        text = _one(fields[self.id.index])
        if not text:
            raise BadRow("an empty id")
        return _qualified(text, self.id.qualifier, log)

    def untranslated(self, fields: Sequence[Field]) -> bool:
        """Whether the row says that its name is not translated."""
        return self.status >= 0 and fields[self.status] == "NOT_TRANSLATED"

    def texts(self, role: str, fields: Sequence[Field]) -> list[str]:
        """The values of a role, stripped, without empty ones."""
        return [text for column in self.columns if column.role == role for text in self._texts(column, fields)]

    def _texts(self, column: RoleColumn, fields: Sequence[Field]) -> list[str]:
        value = fields[column.index]
        if isinstance(value, list):
            return [stripped for text in value if (stripped := text.strip())]
        if not value:
            return []
        parts = split_list(value, self.mapping.separator) if column.role in LIST_ROLES else (value,)
        return [stripped for text in parts if (stripped := text.strip())]

    def row(self, line: int | None, fields: Sequence[Field], log: ReleaseLog) -> TableRow:
        """The row by roles; ids with a qualifier get their prefix here."""
        values: dict[str, tuple[str, ...]] = {}
        terms: list[Term] = []
        for column in self.columns:
            found = self._texts(column, fields)
            if not found:
                continue
            if len(found) == 1 and ";" in found[0] and column.role in LIST_ROLES and self.mapping.separator != ";":
                log.remark(UNSPLIT, found[0], self.source, line)
            if column.qualifier and column.role in NAME_ROLES:
                kind, scope = NAME_ROLES[column.role]
                source = next(iter(self.texts("translation_status", fields)), "")
                terms.extend(Term(text, kind, scope, column.qualifier, source=source) for text in found)
                continue
            if column.qualifier:
                found = [_qualified(text, column.qualifier, log) for text in found]
            values[column.role] = (*values.get(column.role, ()), *found)
        relations: tuple[Relation, ...] = ()
        if "object" in values:
            objects = values.pop("object")
            predicate = values.pop("predicate", ("",))[0]
            if predicate.lower() in IS_A:
                values["parents"] = (*values.get("parents", ()), *objects)
            else:
                relations = tuple(Relation(curie(predicate), log.identifier(text)) for text in objects)
        properties, mappings = self._mapped(values, fields, log)
        if FREQUENCY in values:
            properties += self._frequency(values.pop(FREQUENCY)[0], line, log)
        if values.get("kind", ("",))[0].lower() in DEFINITION_WORDS:
            values["definition"] = (*values.get("definition", ()), *values.pop("preferred", ()))
        if is_spreadsheet_made(own := _one(fields[self.id.index])):
            log.remark(CHANGED_IDS, own, self.source, line)
        return TableRow(own, values, tuple(terms), relations, properties, mappings)

    def _frequency(self, text: str, line: int | None, log: ReleaseLog) -> tuple[Property, ...]:
        """The frequency of a local code as a property; what is no number is noted and left out."""
        number = whole_count(text)
        if number is not None:
            return (Property(FREQUENCY, str(number)),)
        log.leave_out(UNREAD, f"the frequency {text!r} {twofold(text) or 'is not a whole number'}", self.source, line)
        return ()

    def _mapped(
        self, values: dict[str, tuple[str, ...]], fields: Sequence[Field], log: ReleaseLog
    ) -> tuple[tuple[Property, ...], tuple[Mapping, ...]]:
        """The mapping of the concept; a denied one (``Not``) becomes a property only."""
        objects = values.pop("mapped_to", ())
        if not objects:
            return (), ()
        given = {role: values.pop(role, ("",))[0] for role in _MAPPING_ROLES}
        predicate = given["mapping_predicate"] or "skos:relatedMatch"
        targets = tuple(log.identifier(text) for text in objects)
        if given["mapping_modifier"].lower() == "not":
            return tuple(Property(f"{DENIED}{predicate}", target) for target in targets), ()
        try:
            confidence = float(given["confidence"]) if given["confidence"] else None
        except ValueError:
            raise BadRow(f"the confidence {given['confidence']!r} is not a number") from None
        mappings = (
            Mapping(
                subject_id=self.concept_id(fields, log),
                predicate_id=predicate,
                object_id=target,
                justification=given["justification"] or "semapv:UnspecifiedMatching",
                confidence=confidence,
                subject_label=next(iter(values.get("preferred", ())), ""),
                object_label=given["mapped_label"],
                source=self.mapping_set,
            )
            for target in targets
        )
        return (), tuple(mappings)


def _unguarded(record: Record) -> Record:
    return replace(record, fields=[unguarded(one) if isinstance(one, str) else one for one in record.fields])


def _one(value: Field) -> str:
    if isinstance(value, list):
        if len(value) > 1:
            raise BadRow("several ids")
        value = value[0] if value else ""
    return value.strip()


def _qualified(text: str, prefix: str, log: ReleaseLog) -> str:
    """The id with the prefix of its column, unless it has that prefix already or is an IRI."""
    if not prefix or "://" in text or canonical_prefix(text.partition(":")[0]) == canonical_prefix(prefix):
        return log.identifier(text)
    return f"{canonical_prefix(prefix)}:{text}"


_COLUMNS_HINT = 'Columns are named by `columns=["ROLE=COLUMN"]`'
NOT_UTF8 = "the header is not UTF-8"
NOT_UTF8_HINT = (
    f"Save the table as CSV UTF-8, or re-encode it: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW {OTHER_ENCODINGS}"
)


def unreadable(header: Sequence[str]) -> bool:
    """Whether a header has characters that could not be decoded."""
    return any("\ufffd" in name for name in header)


def layout_of(source: Source, head: str, log: ReleaseLog) -> TableLayout | None:
    """The layout of a table, by the given mapping or else guessed from its beginning.

    None for a file found in a folder or archive whose columns cannot be guessed.

    Raises:
        FormatError: the columns are not obvious, or the mapping names one that the file does not have.
    """
    given = log.options.columns
    mapping = given.for_file(source.name) if given else None
    if is_json_table(head):
        delimiter, sample = "", [json_header(source)]
    else:
        delimiter = (mapping.delimiter if mapping else "") or delimiter_of(head) or "\t"
        sample = [[str(text) for text in record.fields] for record in text_records(sample_lines(head), delimiter)]
    skipped, above = 1, len(sample)
    if delimiter and (mapping is None or mapping.has_header):
        sample = _from_header(sample, mapping)
    above -= len(sample)
    sample = list(filter(None, sample))  # without what is malformed
    first = sample[0] if sample else []
    if mapping is not None:
        mapping = _with_id(source, with_told_languages(mapping), sample)
    if mapping is None:
        mapping, skipped = guess_table(sample[:SAMPLE]) if delimiter else (_json_columns(first), 1)
    elif mapping.has_header and delimiter:
        skipped = max(1, guess_table(sample[:3])[1])
    if mapping is None and not source.packed.named:
        return None
    if mapping is None:
        shown = ", ".join(f"{i}={text[:30]!r}" for i, text in enumerate(first[:20], start=1))
        if unreadable(first):
            source.fail(1, NOT_UTF8, NOT_UTF8_HINT)
        hint = ". ".join(filter(None, (_naming(first, shown), other_sheets_hint(source.label))))
        source.fail(1, "cannot tell which columns hold ids and names", hint)
    return _laid_out(source, mapping, delimiter, sample, above + skipped)


def _with_id(source: Source, mapping: ColumnMapping, sample: Sequence[Sequence[str]]) -> ColumnMapping:
    """A given mapping with its id column; FormatError where neither it nor the header says which that is."""
    if mapping.id:
        return mapping
    first = sample[0] if sample else []
    found = with_guessed_id(mapping, first, sample[1:]) if mapping.has_header else None
    if found is None:
        columns = ", ".join(first) if mapping.has_header else f"1 to {len(first)}"
        hint = f'Name it, `columns=["id=COLUMN"]`; the columns are {columns}'
        source.fail(1, "cannot tell which column holds the ids", hint)
    return found


def _naming(first: Sequence[str], shown: str) -> str:
    """How the columns of a table are named whose first line reads so."""
    by_number = '`columns=["id=1", "preferred=2"]`'
    named = [text for text in first if text.strip() and not any(char in text for char in ',"`')]
    if len(named) < 2 or len({*first}) < len(first):
        return f"Name them, for example {by_number}. The first line reads: {shown}"
    by_header = f'`columns=["id={named[0]}", "preferred={named[1]}"]`'
    return (
        f"Name them, for example {by_header}, or by number if the first line is no header, {by_number}. The first line "
        f"reads: {shown}"
    )


def _from_header(sample: list[list[str]], mapping: ColumnMapping | None) -> list[list[str]]:
    """The sample from its header on. Without a mapping, what stands above has one cell a row, or is no table."""
    if mapping is not None and mapping.by_role():
        known = mapping.id or next(iter(mapping.by_role().values()))
        return below_titles(sample, set(known).intersection)
    below = below_titles(sample, guess_columns)
    above = sample[: -len(below)]
    are_titles = all(sum(map(bool, one)) < 2 for one in above)
    return below if are_titles or guess_table([*filter(None, sample[:SAMPLE])])[0] is None else sample


def _laid_out(
    source: Source, mapping: ColumnMapping, delimiter: str, sample: list[list[str]], skipped: int
) -> TableLayout:
    """The layout of a table by a mapping; ``sample`` are its first records, ``skipped`` those above the data."""
    first = sample[0] if sample else []
    header = first if mapping.has_header or not delimiter else None
    width = len(first)
    if header is None and sample:
        width = Counter(len(record) for record in sample).most_common(1)[0][0]
    try:
        positions = resolve_columns(mapping, header, width)
    except InputError as error:
        if unreadable(first):
            source.fail(1, NOT_UTF8, NOT_UTF8_HINT)
        source.fail(1 if delimiter else None, str(error), _COLUMNS_HINT)
    keys: tuple[str, ...] = ()
    used = sorted({index for indices in positions.values() for index in indices})
    unread = tuple(name for index, name in enumerate(header or ()) if name.strip() and index not in used)
    if not delimiter:
        keys, width = tuple(first[index] for index in used), len(used)
        positions = {role: tuple(map(used.index, indices)) for role, indices in positions.items()}
    columns = [
        RoleColumn(role, index, mapping.qualifier(role, name))
        for role, indices in positions.items()
        for index, name in zip(indices, getattr(mapping, role), strict=True)
    ]
    rest = tuple(column for column in columns if column.role != "id")
    status = next((column.index for column in rest if column.role == "translation_status"), -1)
    mapping_set = comments_of(source.head()).get("mapping_set_id", "") if positions.get("mapped_to") else ""
    return TableLayout(
        source,
        replace(mapping, files=()),
        delimiter,
        keys,
        skipped=skipped if header is not None else 0,
        width=width,
        columns=rest,
        id=columns[0],
        status=status,
        mapping_set=mapping_set,
        guarded=header == list(EXPORTED) and RAW_NOTE not in source.head(),
        unread=unread,
    )


def _json_columns(header: Sequence[str]) -> ColumnMapping | None:
    if list(header) == ["key", "value"]:
        return ColumnMapping(id=("key",), preferred=("value",))
    return guess_table([list(header)])[0]
