"""Which column of a table means what: given by the user as ``role=column``, or guessed from the header."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType

from ontonym.errors import InputError, UnknownNameError

ROLE_ALIASES = MappingProxyType(
    {
        "id": ("id", "code", "concept_id", "conceptid", "concept_code", "curie", "identifier", "cls", "class_id",
               "subject_id", "term_id", "iri", "uri", "cui"),
        "preferred": ("preferred", "preferred_term", "preferred_label", "preferred_name", "preflabel", "label", "name",
                      "display", "title", "concept_name", "term", "translation_value", "cls_label", "str"),
        "synonyms": ("synonyms", "synonym", "names", "alt_names", "altlabel", "aliases", "entry_terms",
                     "alternative_names"),
        "parents": ("parents", "parent", "parent_ids", "parent_id", "parentids", "is_a", "parent_code"),
        "definition": ("definition", "definitions", "def", "textual_definition"),
        "xrefs": ("xrefs", "xref", "cross_references", "database_cross_reference"),
        "tags": ("tags", "tag", "semantic_tag", "semantic_type", "domain_id", "category"),
        "status": ("status", "active"),
        "language": ("language", "lang", "language_code", "translation_language"),
        "kind": ("kind", "term_type", "name_type", "tty"),
        "scope": ("scope", "synonym_scope"),
        "source": ("source", "sab", "vocabulary_id"),
        "alternative_ids": ("alternative_ids", "alternative_id", "alt_ids", "alt_id"),
        "replaced_by": ("replaced_by", "replacement", "replacements"),
    }
)  # fmt: skip
"""Role to the headers (lower case, words joined by ``_``) under which it is guessed, the likeliest first."""

ROLES = tuple(ROLE_ALIASES)
_SETTINGS = ("delimiter", "header", "separator")
_DELIMITERS = MappingProxyType({"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "\\t": "\t"})


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """Columns by role; each entry is a header, or a 1-based number where the file has no header.

    ``separator`` splits the values of list columns. ``delimiter`` is sniffed where empty. ``header`` None means that
    the first line is a header unless every column is given by its number.
    """

    id: tuple[str, ...] = ()
    preferred: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    definition: tuple[str, ...] = ()
    xrefs: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    kind: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    alternative_ids: tuple[str, ...] = ()
    replaced_by: tuple[str, ...] = ()
    separator: str = "|"
    delimiter: str = ""
    header: bool | None = None

    @classmethod
    def parse(cls, settings: Iterable[str]) -> ColumnMapping:
        """The mapping from words like ``id=code``, ``preferred=2``, ``separator=;``, ``delimiter=tab``, ``header=no``.

        A role may come twice, for two columns.

        Raises:
            InputError: no ``=``, no id column, or an empty value.
            UnknownNameError: a role that does not exist.
        """
        roles: dict[str, tuple[str, ...]] = {}
        separator, delimiter, header = "|", "", None
        for setting in settings:
            role, equals, value = setting.partition("=")
            role = role.strip()
            if not equals or not value:
                raise InputError(f"column mapping {setting!r} is not of the form role=column, for example id=code")
            if role == "separator":
                separator = value
            elif role == "delimiter":
                delimiter = _DELIMITERS.get(value, value)
                if len(delimiter) != 1:
                    raise InputError(f"delimiter {value!r} is not one character; words known: {', '.join(_DELIMITERS)}")
            elif role == "header":
                header = _yes_or_no(value)
            elif role in ROLE_ALIASES:
                roles[role] = (*roles.get(role, ()), value)
            else:
                raise UnknownNameError("column role", role, (*ROLES, *_SETTINGS))
        if "id" not in roles:
            raise InputError("the column mapping names no id column; add id=COLUMN")
        return cls(**roles, separator=separator, delimiter=delimiter, header=header)

    @property
    def has_header(self) -> bool:
        """Whether the first line of the file is a header."""
        if self.header is not None:
            return self.header
        return not all(column.isdecimal() for columns in self.by_role().values() for column in columns)

    def by_role(self) -> dict[str, tuple[str, ...]]:
        """The columns of each role that has any."""
        return {role: getattr(self, role) for role in ROLES if getattr(self, role)}

    def to_dict(self) -> dict[str, str]:
        """Role to columns (joined by a comma), and the settings that are not the default; for a manifest."""
        shown = {role: ",".join(columns) for role, columns in self.by_role().items()}
        for name in _SETTINGS:
            value = getattr(self, name)
            if value != next(f.default for f in fields(self) if f.name == name):
                shown[name] = str(value)
        return shown


def guess_columns(header: Sequence[str]) -> ColumnMapping | None:
    """The mapping that obvious headers mean, or None where no id or no name column is obvious."""
    folded = [re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") for name in header]
    position = {name: i for i, name in reversed(list(enumerate(folded)))}
    roles: dict[str, int] = {}
    for name, i in position.items():
        for suffix in ("_label", "_name"):
            base = name.removesuffix(suffix)
            stem = next((b for b in (base, base + "_id") if b != name and b in position), None)
            if name.endswith(suffix) and stem is not None and "id" not in position:
                roles.setdefault("id", position[stem])
                roles.setdefault("preferred", i)
    for role, aliases in ROLE_ALIASES.items():
        found = next((position[a] for a in aliases if a in position and position[a] not in roles.values()), None)
        if role not in roles and found is not None:
            roles[role] = found
    if "id" not in roles and folded and folded[0].endswith("_id"):
        roles["id"] = 0
    if "id" not in roles or not {"preferred", "synonyms"} & roles.keys():
        return None
    columns = {role: (header[i],) for role, i in roles.items()}
    return ColumnMapping(**columns, separator="|", delimiter="", header=None)


def resolve_columns(mapping: ColumnMapping, header: Sequence[str] | None, width: int) -> dict[str, tuple[int, ...]]:
    """Role to 0-based column positions; ``header`` is None for a file without, ``width`` its number of columns.

    Raises:
        UnknownNameError: a column that the file does not have; lists those it has.
    """
    names = list(header) if header is not None else [str(i + 1) for i in range(width)]

    def position(column: str) -> int:
        if column in names:
            return names.index(column)
        if column.isdecimal() and 1 <= int(column) <= width:
            return int(column) - 1
        raise UnknownNameError("column", column, names)

    return {role: tuple(position(c) for c in columns) for role, columns in mapping.by_role().items()}


def _yes_or_no(value: str) -> bool:
    answers = {"yes": True, "true": True, "no": False, "false": False}
    if value.lower() not in answers:
        raise UnknownNameError("header setting", value, answers)
    return answers[value.lower()]
