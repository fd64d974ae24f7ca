"""Guesses the contents of a table's columns from its header and first records."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from types import MappingProxyType

from ontonym.files.lists import split_list
from ontonym.files.records import fold_header
from ontonym.ontology.languages import language_names
from ontonym.ontology.tables.columns import NAME_ROLES, ROLE_ALIASES, ColumnMapping, ColumnQualifier
from ontonym.ontology.tables.rows import RETIRED_WORDS
from ontonym.ontology.xrefs import CANONICAL_PREFIXES, canonical_prefix

TRANSLATION_STATUS = frozenset({"OFFICIAL", "CANDIDATE", "NOT_TRANSLATED"})
"""Values of ``translation_status`` in Babelon (https://github.com/monarch-initiative/babelon)."""

_TEMPLATE = re.compile(r"(?:ID|LABEL|TYPE|CLASS_TYPE|(?:A[LTI]?|SC|EC|C|P|I|>A[LTI]?)\s+.*)?")
_CELL = re.compile(r"A[LTI]?\s+(?P<property>[^@^\s]+)(?:@(?P<language>[\w-]+))?(?:\^\^\S+)?(?:\s+SPLIT=(?P<split>.+))?")
_ID = re.compile(r"(?:[A-Za-z][\w.]*:\S+|[A-Za-z]{0,12}_?\d[\w.-]*)")
_PROPERTY_ROLES = MappingProxyType(
    {
        "rdfs:label": "preferred", "label": "preferred", "skos:preflabel": "preferred", "skos:altlabel": "synonyms",
        "oboinowl:hasexactsynonym": "synonyms", "has_exact_synonym": "synonyms",
        "oboinowl:hasrelatedsynonym": "related_synonyms", "has_related_synonym": "related_synonyms",
        "oboinowl:hasbroadsynonym": "broad_synonyms", "has_broad_synonym": "broad_synonyms",
        "oboinowl:hasnarrowsynonym": "narrow_synonyms", "has_narrow_synonym": "narrow_synonyms",
        "iao:0000115": "definition", "definition": "definition", "oboinowl:hasdbxref": "xrefs",
        "database_cross_reference": "xrefs", "oboinowl:hasalternativeid": "alternative_ids",
        "iao:0100001": "replaced_by",
    }
)  # fmt: skip
"""Properties of a ROBOT template (lower case) to the role of their column."""

_BABELON = MappingProxyType(
    {
        "id": "subject_id", "preferred": "translation_value", "language": "translation_language",
        "kind": "predicate_id", "translation_status": "translation_status",
    }
)  # fmt: skip
"""Role to column of Babelon, the OBO community's format of translations; the first three are always there."""
_SSSOM = MappingProxyType(
    {
        "id": "subject_id", "mapped_to": "object_id", "justification": "mapping_justification",
        "preferred": "subject_label", "mapped_label": "object_label", "mapping_predicate": "predicate_id",
        "mapping_modifier": "predicate_modifier", "confidence": "confidence",
    }
)  # fmt: skip
"""Role to column of SSSOM (https://mapping-commons.github.io/sssom/); the first three are always there."""
_STANDARDS = (_BABELON, _SSSOM)
_OTHER_WORDS = frozenset({"id", "la"})
"""Tags of languages that are something else in a header."""
_NATIONAL_IDS = frozenset(
    "kode schlüssel schluessel schlüsselnummer código codigo codice kód kod コード 编码 編碼 代码 代碼".split()
)
"""Headers of ids in other languages, in small letters."""
_NATIONAL_NAMES = MappingProxyType(
    {
        **dict.fromkeys("titel bezeichnung klartext benennung".split(), "de"),
        **dict.fromkeys("descripción descripcion".split(), "es"),
        **dict.fromkeys("libellé libelle".split(), "fr"),
        **dict.fromkeys("descrizione denominazione".split(), "it"),
        **dict.fromkeys("descrição descricao".split(), "pt"),
        **dict.fromkeys("omschrijving".split(), "nl"),
        **dict.fromkeys("název nazev".split(), "cs"),
        **dict.fromkeys("tanım açıklama".split(), "tr"),
        **dict.fromkeys("病名 傷病名 疾患名".split(), "ja"),
        **dict.fromkeys("疾病名称 诊断名称 中文名称".split(), "zh"),
        **dict.fromkeys("diagnose diagnosetext diagnóstico diagnostico diagnosi".split(), ""),
    }
)
"""Headers of names in other languages, in small letters, with the language that they are in; of several it is empty."""
_NATIONAL_SYNONYMS = frozenset(
    "synonyme sinónimos sinonimos sinonimi sinônimos synoniemen synonyma eşanlamlılar 同義語 別名 同义词 别名".split()
)
"""Headers of synonyms in other languages, in small letters: they are in the language of the names."""
_NATIONAL_PARENTS = frozenset("übergeordnet uebergeordnet obercode elterncode".split())
_LANGUAGE_WORDS = MappingProxyType(
    {
        **dict.fromkeys("deutsch allemand alemán tedesco".split(), "de"),
        **dict.fromkeys("englisch anglais inglés inglese engels".split(), "en"),
        **dict.fromkeys("français francais französisch francés francese frans".split(), "fr"),
        **dict.fromkeys("italiano italienisch italien".split(), "it"),
        **dict.fromkeys("español espanol spanisch espagnol".split(), "es"),
        **{"português": "pt", "portugues": "pt", "nederlands": "nl", "čeština": "cs", "türkçe": "tr"},
        **{"日本語": "ja", "中文": "zh"},
    }
)
"""What languages are called in headers that are not English, in small letters."""
_NATIONAL_STATUS = frozenset("aktiv gültig gueltig actif activo ativo attivo actief aktywny 有効 有效".split())
_NATIONAL_FREQUENCIES = frozenset(
    "häufigkeit haeufigkeit anzahl fallzahl fréquence frecuencia frequência frequenza aantal antal 件数 频次".split()
)
_VOCABULARIES = frozenset(
    {prefix.casefold() for prefix in CANONICAL_PREFIXES if len(prefix) > 3}
    | {"umls_cui", "snomed", "icd_10", "mim", "cui"}
)
"""Headers that name the vocabulary of their codes; shorter prefixes are too likely to be other words."""


def guess_table(records: Sequence[Sequence[str]]) -> tuple[ColumnMapping | None, int]:
    """The mapping guessed from a table's first records, or None, and the number of records that are not data.

    Recognized are a ROBOT template (https://robot.obolibrary.org/template), whose second line describes its columns;
    obvious headers, Babelon's among them; and a file without header that has an id and a name first on every line.
    """
    if not records:
        return None, 0
    header, rows = records[0], records[1:]
    if rows and len(rows[0]) == len(header) and _is_template(rows[0]):
        return _from_template(header, rows), 2
    mapping = guess_columns(header, rows)
    if mapping is not None:
        return _with_parent_names(mapping, header, rows), 1
    return _headless(records), 0


def _is_template(cells: Sequence[str]) -> bool:
    return "ID" in cells and all(_TEMPLATE.fullmatch(cell.strip()) for cell in cells)


def _from_template(header: Sequence[str], rows: Sequence[Sequence[str]]) -> ColumnMapping | None:
    """The mapping of a ROBOT template, whose second row says what each column holds; None if it is none."""
    roles: dict[str, tuple[str, ...]] = {}
    qualifiers: list[ColumnQualifier] = []
    separator = "|"
    for i, cell in enumerate(map(str.strip, rows[0])):
        column = header[i]
        match = _CELL.fullmatch(cell)
        role = "id" if cell == "ID" else "preferred" if cell == "LABEL" else "parents" if cell == "SC %" else ""
        if match is not None:
            role = _PROPERTY_ROLES.get(match["property"].lower(), "")
            separator = match["split"] or separator
        elif not cell and _all_among(i, rows[1:], TRANSLATION_STATUS):
            role = "translation_status"
        if role:
            roles[role] = (*roles.get(role, ()), column)
            if match is not None and match["language"] and role != "definition":
                qualifiers.append(ColumnQualifier(role, column, match["language"]))
    if "id" not in roles or len(roles) == 1:
        return None
    return ColumnMapping.of(roles, qualifiers, separator=separator, header=True)


def _all_among(column: int, rows: Sequence[Sequence[str]], known: Container[str]) -> bool:
    """Whether a column has values, all of them known, in this or in small letters."""
    values = {row[column].strip() for row in rows if column < len(row)} - {""}
    return bool(values) and all(value in known or value.lower() in known for value in values)


def _with_parent_names(mapping: ColumnMapping, header: Sequence[str], rows: Sequence[Sequence[str]]) -> ColumnMapping:
    """The mapping with parents by name, if ids are CURIEs and the values of the parents column never are."""
    if len(mapping.parents) != 1 or mapping.parents[0] not in header or mapping.id[0] not in header:
        return mapping
    parent, own = header.index(mapping.parents[0]), header.index(mapping.id[0])
    full = [row for row in rows if len(row) == len(header) and row[parent].strip()]
    ids = {row[own].strip() for row in rows if len(row) == len(header)}
    if any(part.strip() in ids for row in full for part in split_list(row[parent], mapping.separator)):
        return mapping
    if full and all(":" in row[own] and not _ID.fullmatch(row[parent].strip()) for row in full):
        return replace(mapping, parents=(), parent_names=mapping.parents)
    return mapping


def _headless(records: Sequence[Sequence[str]]) -> ColumnMapping | None:
    """Id, name, and synonyms if the third column has lists; None if the first is not an id on every line."""
    full = [row for row in records if len(row) == len(records[0])]
    if len(records[0]) < 2 or len({row[0] for row in full}) < max(2, len(full) // 2):
        return None
    if not all(_ID.fullmatch(row[0].strip()) for row in full):
        return None
    if any(_ID.fullmatch(row[1].strip()) and ":" in row[1] for row in full) or not any(
        re.search(r"[^\W\d]{3}", row[1]) for row in full
    ):
        return None
    lists = len(records[0]) > 2 and any("|" in row[2] for row in full)
    return ColumnMapping(id=("1",), preferred=("2",), synonyms=("3",) if lists else (), header=False)


def guess_columns(header: Sequence[str], rows: Sequence[Sequence[str]] = ()) -> ColumnMapping | None:
    """The mapping by obvious headers, or None if none is obvious for ids or for their contents.

    A column such as ``deprecated`` says that concepts are retired where the first ``rows`` have only yes and no in it:
    others say when or why.

    A header such as ``ja_label``, ``Label (ja)`` or ``Japanese name`` is a name in that language, ``mesh_id`` next to
    another id column is a cross-reference with that prefix, and ``x``, ``p``, ``y`` are the ends and the predicate of
    an edge.
    """
    folded = [fold_header(name) for name in header]
    position = {name: i for i, name in reversed(list(enumerate(folded)))}
    for standard in _STANDARDS:
        if set(islice(standard.values(), 3)) <= position.keys():
            return ColumnMapping.of({r: (header[position[n]],) for r, n in standard.items() if n in position})
    roles = _obvious(position)
    if "id" not in roles and folded and folded[0].endswith("_id"):
        roles["id"] = 0
    _add_national(header, roles)
    if "retired" in roles and not _all_among(roles["retired"], rows, RETIRED_WORDS):
        del roles["retired"]
    if "id" not in roles:
        return None
    counts = Counter(header)
    names = [name if counts[name] == 1 else str(i + 1) for i, name in enumerate(header)]
    columns: dict[str, tuple[str, ...]] = {role: (names[i],) for role, i in roles.items()}
    qualifiers = (
        *_guess_qualified(header, folded, names, roles, columns),
        *_languages_of_national(header, names, roles),
    )
    if not columns.keys() & {*NAME_ROLES, "parents", "tree", "object", "xrefs", "mapped_to"}:
        return None
    numbered = any(name not in header for found in columns.values() for name in found)
    return ColumnMapping.of(columns, qualifiers, header=numbered or None)


def with_guessed_id(
    mapping: ColumnMapping, header: Sequence[str], rows: Sequence[Sequence[str]] = ()
) -> ColumnMapping | None:
    """A given mapping without an id column, completed by the header and the first rows; None if they do not say it.

    Settings alone (``separator=;``) leave all columns to the header.
    """
    given = {column.strip(): role for role, columns in mapping.by_role().items() for column in columns}
    guessed = guess_columns([given.get(name.strip(), name) for name in header], rows)
    if guessed is None or guessed.id[0] not in header:
        return None
    if given:
        prefixes = (found for found in guessed.qualifiers if found.role == "id")
        return replace(mapping, id=guessed.id, qualifiers=(*mapping.qualifiers, *prefixes))
    header_given = guessed.header if mapping.header is None else mapping.header
    return replace(guessed, separator=mapping.separator, delimiter=mapping.delimiter, header=header_given)


def _add_national(header: Sequence[str], roles: dict[str, int]) -> None:
    """Adds the columns that headers in other languages name, where no other header has their role."""
    for role, known in (
        ("id", _NATIONAL_IDS),
        ("preferred", _NATIONAL_NAMES),
        ("synonyms", _NATIONAL_SYNONYMS),
        ("parents", _NATIONAL_PARENTS),
        ("status", _NATIONAL_STATUS),
        ("frequency", _NATIONAL_FREQUENCIES),
    ):
        found = [i for i, name in enumerate(header) if name.strip().lower() in known and i not in roles.values()]
        if found and role not in roles:
            roles[role] = found[0]


def with_told_languages(mapping: ColumnMapping) -> ColumnMapping:
    """A given mapping whose columns of names have the language that their header tells, if nobody else told one:
    ``preferred=Bezeichnung`` is ``preferred@de=Bezeichnung``.
    """
    told = mapping.language or any(mapping.qualifier(role, name) for role, name in _name_columns(mapping))
    languages = {language for name in mapping.preferred if (language := _national_language(name))}
    if told or len(languages) != 1:
        return mapping
    (language,) = languages
    return replace(mapping, qualifiers=(*mapping.qualifiers, *_in_language(_name_columns(mapping), language)))


def _name_columns(mapping: ColumnMapping) -> list[tuple[str, str]]:
    return [(role, name) for role, names in mapping.by_role().items() if role in NAME_ROLES for name in names]


def _in_language(columns: Iterable[tuple[str, str]], language: str) -> Iterator[ColumnQualifier]:
    """The roles and headers of the names and synonyms among some columns that are in this language, with it."""
    for role, name in columns:
        is_told = role == "synonyms" and name.strip().lower() in _NATIONAL_SYNONYMS
        if is_told or (role == "preferred" and _national_language(name) == language):
            yield ColumnQualifier(role, name, language)


def _national_language(name: str) -> str:
    return _NATIONAL_NAMES.get(name.strip().lower(), "")


def _first_word(header: str) -> str:
    return re.split(r"[\W_]+", header.strip().lower(), maxsplit=1)[0]


def _languages_of_national(
    header: Sequence[str], names: Sequence[str], roles: Mapping[str, int]
) -> Iterator[ColumnQualifier]:
    place = roles.get("preferred")
    language = "" if place is None else _national_language(header[place])
    if place is not None and language:
        yield ColumnQualifier("preferred", names[place], language)
    if place is None:  # "Bezeichnung (DE)" says the language of "Synonyme"
        told = (_language_of(name)[1] for name in header if _NATIONAL_NAMES.get(_first_word(name)))
        language = next(filter(None, told), "")
    if not language:
        return
    synonyms = roles.get("synonyms")
    if synonyms is not None and header[synonyms].strip().lower() in _NATIONAL_SYNONYMS:
        yield ColumnQualifier("synonyms", names[synonyms], language)


def _obvious(position: Mapping[str, int]) -> dict[str, int]:
    """The position of each role, by headers alone."""
    roles: dict[str, int] = {}
    for name, i in position.items():
        for suffix in ("_label", "_name"):
            base = name.removesuffix(suffix)
            stem = next((b for b in (base, base + "_id") if b != name and b in position), None)
            if name.endswith(suffix) and stem is not None and "id" not in position:
                roles.setdefault("id", position[stem])
                roles.setdefault("preferred", i)
    if {"p", "y"} <= position.keys() or {"predicate", "object"} <= position.keys():
        found = next((position[name] for name in ("subject", "x") if name in position), None)
        if found is not None:
            roles["id"] = found
    for role, aliases in ROLE_ALIASES.items():
        found = next((position[a] for a in aliases if a in position and position[a] not in roles.values()), None)
        if role not in roles and found is not None:
            roles[role] = found
    if {"predicate", "object"} <= roles.keys():
        return roles
    return {role: i for role, i in roles.items() if role not in {"predicate", "object"}}


def _guess_qualified(
    written: Sequence[str],
    folded: Sequence[str],
    header: Sequence[str],
    roles: Mapping[str, int],
    columns: dict[str, tuple[str, ...]],
) -> tuple[ColumnQualifier, ...]:
    """Adds columns whose header names a language or a vocabulary to ``columns``; returns their qualifiers."""
    qualifiers: list[ColumnQualifier] = []
    if folded[roles["id"]] == "qid":
        qualifiers.append(ColumnQualifier("id", header[roles["id"]], "Wikidata"))
    for i, name in enumerate(folded):
        if i in roles.values():
            continue
        role, language = _language_of(written[i])
        base = re.sub(r"_(?:id|ids|code|codes)$", "", name)
        if role in NAME_ROLES:
            columns[role] = (*columns.get(role, ()), header[i])
            qualifiers.append(ColumnQualifier(role, header[i], language))
        elif language == "en" and role and role not in columns:
            columns[role] = (header[i],)
        elif base in _VOCABULARIES:
            columns["xrefs"] = (*columns.get("xrefs", ()), header[i])
            prefix = "UMLS" if base == "cui" else canonical_prefix(base)
            qualifiers.append(ColumnQualifier("xrefs", header[i], prefix))
    return tuple(qualifiers)


def _language_of(header: str) -> tuple[str, str]:
    """Role and language of a header like ``ja_label``, ``Bezeichnung (DE)`` or ``English name``; empty if it is none.

    The name of a language alone (``Deutsch``) heads the names in it.
    """
    name = re.sub(r"[\W_]+", "_", header.lower()).strip("_")
    if name in _LANGUAGE_WORDS or name in language_names():
        return "preferred", _tag_of(name)
    first, _, rest = name.partition("_")
    start, _, last = name.rpartition("_")
    for word, base in ((first, rest), (last, start)):
        language = _tag_of(word)
        if language and language not in _OTHER_WORDS:
            if base in _NATIONAL_NAMES or base in _NATIONAL_SYNONYMS:
                return ("preferred" if base in _NATIONAL_NAMES else "synonyms"), language
            role = next((role for role, aliases in ROLE_ALIASES.items() if role != "id" and base in aliases), "")
            if role:
                return role, language
    return "", ""


def _tag_of(word: str) -> str:
    """The tag of a language by its tag or its name in small letters; empty for any other word."""
    tag = _LANGUAGE_WORDS.get(word) or language_names().get(word, "")
    return tag or (word if word in language_names().values() else "")
