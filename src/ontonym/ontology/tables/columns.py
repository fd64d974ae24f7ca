"""The meaning of a table's columns: given by the user as ``role=column``, or guessed from the header."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Any, NamedTuple

from ontonym.errors import InputError, UnknownNameError
from ontonym.text.numbers import whole_number
from ontonym.types import Kind, Scope

ROLE_ALIASES = MappingProxyType(
    {
        "id": ("id", "code", "source_code", "sourcecode", "local_code", "concept_id", "conceptid", "concept_code",
               "curie", "identifier", "cls", "class_id", "subject_id", "term_id", "iri", "uri", "cui", "qid",
               "entity"),
        "preferred": ("preferred", "preferred_term", "preferred_label", "preferred_name", "preflabel", "label", "name",
                      "display", "display_name", "title", "concept_name", "term", "translation_value", "cls_label",
                      "str", "lbl", "source_name", "sourcename", "source_code_description", "local_name", "diagnosis",
                      "diagnosis_name", "diagnosis_text"),
        "synonyms": ("synonyms", "synonym", "names", "alt_names", "altlabel", "aliases", "alternative_names",
                     "exact_synonyms", "exact_synonym", "has_exact_synonym"),
        "entries": ("entries", "entry_terms", "index_terms"),
        "related_synonyms": ("related_synonyms", "related_synonym", "has_related_synonym"),
        "broad_synonyms": ("broad_synonyms", "broad_synonym", "has_broad_synonym"),
        "narrow_synonyms": ("narrow_synonyms", "narrow_synonym", "has_narrow_synonym"),
        "abbreviations": ("abbreviations", "abbreviation", "acronym", "acronyms"),
        "lay": ("lay", "layperson", "lay_term", "lay_terms", "consumer_name"),
        "parents": ("parents", "parent", "parent_ids", "parent_id", "parentids", "is_a", "parent_code", "subclassof",
                    "subclass_of", "broader"),
        "parent_names": ("parent_names", "parent_name", "parent_labels", "parent_label"),
        "tree": ("tree", "tree_number", "tree_numbers", "mesh_tree_number", "tree_code"),
        "predicate": ("predicate", "p", "predicate_id", "relationship", "relation"),
        "object": ("object", "y", "object_id", "target"),
        "definition": ("definition", "definitions", "def", "textual_definition", "description"),
        "xrefs": ("xrefs", "xref", "cross_references", "database_cross_reference"),
        "tags": ("tags", "tag", "semantic_tag", "semantic_type", "semantic_types", "domain_id", "category"),
        "status": ("status", "active"),
        "retired": ("retired", "obsolete", "is_obsolete", "deprecated", "is_deprecated", "owl_deprecated", "inactive",
                    "is_inactive"),
        "language": ("language", "lang", "language_code", "translation_language"),
        "kind": ("kind", "term_type", "name_type", "tty"),
        "scope": ("scope", "synonym_scope"),
        "source": ("source", "sab", "vocabulary_id"),
        "translation_status": ("translation_status",),
        "alternative_ids": ("alternative_ids", "alternative_id", "alt_ids", "alt_id"),
        "replaced_by": ("replaced_by", "replacement", "replacements"),
        "mapped_to": ("mapped_to",),
        "mapped_label": ("mapped_label",),
        "mapping_predicate": ("mapping_predicate",),
        "mapping_modifier": ("mapping_modifier",),
        "justification": ("mapping_justification",),
        "confidence": ("mapping_confidence",),
        "frequency": ("frequency", "source_frequency", "sourcefrequency", "freq", "count", "occurrences",
                      "usage_count"),
    }
)  # fmt: skip
"""For each role the headers (lower case, words joined by ``_``) by which it is guessed, the most likely first."""

ROLES = tuple(ROLE_ALIASES)
NAME_ROLES: Mapping[str, tuple[Kind, Scope]] = MappingProxyType(
    {
        "preferred": ("preferred", "exact"), "synonyms": ("synonym", "exact"), "entries": ("entry", "exact"),
        "related_synonyms": ("synonym", "related"), "broad_synonyms": ("synonym", "broad"),
        "narrow_synonyms": ("synonym", "narrow"), "lay": ("lay", "exact"), "abbreviations": ("abbreviation", "exact"),
    }
)  # fmt: skip
"""Roles that hold names, with the kinds of these names."""
ID_ROLES = frozenset({"id", "parents", "xrefs", "alternative_ids", "replaced_by", "object", "mapped_to"})
"""Roles that hold ids; a qualifier is their prefix."""
QUALIFIED_ROLES = frozenset(NAME_ROLES) | ID_ROLES
"""Roles with an optional qualifier after ``@``: a language for names, a prefix for ids."""

_SETTINGS = ("delimiter", "header", "separator")
_DELIMITERS = MappingProxyType({"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "\\t": "\t"})
_WORDS = MappingProxyType({"\t": "tab", ",": "comma", ";": "semicolon", "|": "pipe"})
_SETTING = re.compile(r"(?:(?P<file>.+):)?(?P<role>[\w ]+?)(?:@(?P<qualifier>[\w.-]+))?\s*")


class ColumnQualifier(NamedTuple):
    """What holds of all values of a column in a role: the language of its names, or the prefix of its ids."""

    role: str
    column: str
    text: str


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Columns by role; each entry is a header, or a 1-based number if the file has no header.

    ``separator`` splits the values of list columns. An empty ``delimiter`` is detected. ``header`` None means that the
    first line is a header unless every column is given by its number. ``qualifiers`` are what
    stands after ``@``. ``files`` are mappings of single files of the release by a
    glob pattern of their name; the first that matches is used.
    """

    id: tuple[str, ...] = ()
    preferred: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    related_synonyms: tuple[str, ...] = ()
    broad_synonyms: tuple[str, ...] = ()
    narrow_synonyms: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()
    lay: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    parent_names: tuple[str, ...] = ()
    tree: tuple[str, ...] = ()
    predicate: tuple[str, ...] = ()
    object: tuple[str, ...] = ()
    definition: tuple[str, ...] = ()
    xrefs: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    translation_status: tuple[str, ...] = ()
    alternative_ids: tuple[str, ...] = ()
    replaced_by: tuple[str, ...] = ()
    mapped_to: tuple[str, ...] = ()
    mapped_label: tuple[str, ...] = ()
    mapping_predicate: tuple[str, ...] = ()
    mapping_modifier: tuple[str, ...] = ()
    justification: tuple[str, ...] = ()
    confidence: tuple[str, ...] = ()
    frequency: tuple[str, ...] = ()
    separator: str = "|"
    delimiter: str = ""
    header: bool | None = None
    qualifiers: tuple[ColumnQualifier, ...] = ()
    files: tuple[tuple[str, ColumnMapping], ...] = ()

    @classmethod
    def parse(cls, settings: Iterable[str]) -> ColumnMapping:
        """The mapping from words like ``id=code``, ``preferred=2``, ``separator=;``, ``delimiter=tab``, ``header=no``.

        A role may be repeated for several columns. ``preferred@ja=name_ja`` gives a name's language,
        ``xrefs@MESH=mesh`` an id's prefix, and ``edges*.tsv:parents=broader`` applies to files of that name only. What
        names no id column leaves it to the header.

        Raises:
            InputError: no ``=``, or an empty value.
            UnknownNameError: a role that does not exist.
        """
        drafts: dict[str, _Draft] = {}
        for setting in settings:
            place, equals, value = setting.partition("=")
            match = _SETTING.fullmatch(place.strip())
            if not equals or not value or match is None:
                raise InputError(f"column mapping {setting!r} is not of the form role=column, for example id=code")
            draft = drafts.setdefault(match["file"] or "", _Draft())
            draft.add(match["role"], match["qualifier"] or "", value, setting)
        files = tuple((pattern, draft.mapping()) for pattern, draft in drafts.items() if pattern)
        general = drafts.get("")
        return replace(general.mapping() if general else cls(), files=files)

    def for_file(self, name: str) -> ColumnMapping | None:
        """The mapping for a file of the release, or None if only other files have one."""
        base = name.rsplit("/", 1)[-1]
        for pattern, mapping in self.files:
            if pattern in {name, base} or fnmatchcase(name, pattern) or fnmatchcase(base, pattern):
                return mapping
        general = replace(self, files=())
        return general if general != ColumnMapping() else None

    @classmethod
    def of(
        cls, roles: Mapping[str, tuple[str, ...]], qualifiers: Iterable[ColumnQualifier] = (), **settings: Any
    ) -> ColumnMapping:
        """The mapping with the columns of each role; ``settings`` are its other fields."""
        columns: dict[str, Any] = dict(roles)
        return cls(**columns, qualifiers=tuple(qualifiers), **settings)

    @property
    def has_header(self) -> bool:
        """Whether the first line of the file is a header."""
        if self.header is not None:
            return self.header
        columns = [column for columns in self.by_role().values() for column in columns]
        return not columns or not all(map(str.isdecimal, columns))

    def by_role(self) -> dict[str, tuple[str, ...]]:
        """The columns of each role that has any."""
        return {role: getattr(self, role) for role in ROLES if getattr(self, role)}

    def qualifier(self, role: str, column: str) -> str:
        """The language or prefix of a column in a role; empty if none is given."""
        return next((one.text for one in self.qualifiers if (one.role, one.column) == (role, column)), "")

    def settings(self) -> list[str]:
        """The mapping as the words that `parse` reads, without default settings."""
        words = []
        for role, columns in self.by_role().items():
            for column in columns:
                qualifier = self.qualifier(role, column)
                words.append(f"{role}{'@' + qualifier if qualifier else ''}={column}")
        if self.separator != "|":
            words.append(f"separator={self.separator}")
        if self.delimiter:
            words.append(f"delimiter={_WORDS.get(self.delimiter, self.delimiter)}")
        if self.header is not None:
            words.append(f"header={'yes' if self.header else 'no'}")
        for pattern, mapping in self.files:
            words.extend(f"{pattern}:{word}" for word in mapping.settings())
        return words

    def to_dict(self) -> dict[str, str]:
        """Role to columns (joined by a comma), and the settings that are not the default; for people to read."""
        shown: dict[str, str] = {}
        for word in self.settings():
            role, _, column = word.partition("=")
            shown[role] = f"{shown[role]},{column}" if role in shown else column
        if self.delimiter:
            shown["delimiter"] = self.delimiter
        return shown


class _Draft:
    """A mapping under construction."""

    def __init__(self) -> None:
        self.roles: dict[str, tuple[str, ...]] = {}
        self.qualifiers: list[ColumnQualifier] = []
        self.settings: dict[str, Any] = {}

    def add(self, role: str, qualifier: str, value: str, setting: str) -> None:
        """Takes one setting: the role of a column, or how the table is read; InputError for one that makes no sense."""
        role = role.strip()
        if qualifier and role in ROLE_ALIASES and role not in QUALIFIED_ROLES:
            raise InputError(f"{setting!r}: {role} takes no @; roles that do: {', '.join(sorted(QUALIFIED_ROLES))}")
        if role == "separator":
            self.settings[role] = value
        elif role == "delimiter":
            self.settings[role] = delimiter = _DELIMITERS.get(value, value)
            if len(delimiter) != 1:
                raise InputError(f"delimiter {value!r} is not one character; words known: {', '.join(_DELIMITERS)}")
        elif role == "header":
            self.settings[role] = _yes_or_no(value)
        elif role in ROLE_ALIASES:
            self.roles[role] = (*self.roles.get(role, ()), value)
            if qualifier:
                self.qualifiers.append(ColumnQualifier(role, value, qualifier))
        else:
            raise UnknownNameError("column role", role, (*ROLES, *_SETTINGS))

    def mapping(self) -> ColumnMapping:
        return ColumnMapping.of(self.roles, self.qualifiers, **self.settings)


def resolve_columns(mapping: ColumnMapping, header: Sequence[str] | None, width: int) -> dict[str, tuple[int, ...]]:
    """Role to 0-based column positions; ``header`` is None for a file without, ``width`` its number of columns.

    Raises:
        UnknownNameError: a column that the file does not have; lists those it has.
        InputError: a header that stands over several columns.
    """
    names = [name.strip() for name in header] if header is not None else [str(i + 1) for i in range(width)]

    def position(column: str) -> int:
        column = column.strip()
        places = [i for i, name in enumerate(names) if name == column]
        if len(places) > 1:
            numbers = " and ".join(str(i + 1) for i in places)
            raise InputError(f"several columns are called {column!r}: give the number instead, {numbers}")
        if places:
            return places[0]
        if (number := whole_number(column)) is not None and 1 <= number <= width:
            return number - 1
        raise UnknownNameError("column", column, names)

    return {role: tuple(position(c) for c in columns) for role, columns in mapping.by_role().items()}


def _yes_or_no(value: str) -> bool:
    answers: Mapping[str, bool] = {"yes": True, "true": True, "no": False, "false": False}
    if value.lower() not in answers:
        raise UnknownNameError("header setting", value, answers)
    return answers[value.lower()]
