"""Rows of a table by the role of their columns, and their combination to concepts by id."""

from __future__ import annotations

from collections.abc import Mapping as ReadOnlyDict
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from ontonym.files.counts import MAX_EXAMPLES, BadRow
from ontonym.ontology.obo.flat import SYNONYM_SCOPES
from ontonym.ontology.options import REPEATED
from ontonym.ontology.release import ReleaseLog, published_alias
from ontonym.ontology.tables.columns import NAME_ROLES
from ontonym.ontology.xrefs import curie
from ontonym.text.counting import first_few
from ontonym.types import KINDS, SCOPES, Concept, Kind, Mapping, Property, Relation, Scope, Status, Term

_T = TypeVar("_T")

NAMELESS = "row of a concept without any name"
UNKNOWN = "row of a concept that is not in the release"
NOT_TRANSLATED = "name not translated"

SCOPE_WORDS: ReadOnlyDict[str, Scope] = MappingProxyType(
    {scope: scope for scope in SCOPES} | {f"oboinowl:{name.lower()}": scope for name, scope in SYNONYM_SCOPES.items()}
)
"""Words of a scope column (lower case); empty means exact, any other word makes the row malformed."""

KIND_WORDS: ReadOnlyDict[str, tuple[Kind, Scope]] = MappingProxyType(
    {
        **{kind: (kind, "exact") for kind in KINDS}, "pt": ("preferred", "exact"),
        "preferred term": ("preferred", "exact"), "label": ("preferred", "exact"),
        "rdfs:label": ("preferred", "exact"), "skos:preflabel": ("preferred", "exact"),
        "fully specified name": ("fsn", "exact"), "sy": ("synonym", "exact"), "layperson": ("lay", "exact"),
        "skos:altlabel": ("synonym", "exact"), "acronym": ("abbreviation", "exact"), "et": ("entry", "exact"),
        **{word: ("synonym", scope) for word, scope in SCOPE_WORDS.items()},
    }
)  # fmt: skip
"""Words of a kind column (lower case). An unknown word makes a synonym with the word as its source."""

DEFINITION_WORDS = frozenset({"iao:0000115", "skos:definition", "definition", "rdfs:comment"})
"""Words of a kind column (lower case) that make the row's text a definition, not a name."""

_CALLED_OBSOLETE = ("obsolete ", "OBSOLETE ")
"""How OBO ontologies begin the preferred term of a retired concept, which a table of ids and labels keeps."""

_NAMED = 23
"""How many known words are named where one is not known: of status words the English ones."""

STATUS_WORDS: ReadOnlyDict[str, Status] = MappingProxyType(
    {
        **dict.fromkeys("active 1 true yes current a y valid".split(), "active"),
        **dict.fromkeys("retired inactive obsolete deprecated 0 false no d i n invalid withdrawn discontinued disabled "
                        "deleted".split(), "retired"),
        **dict.fromkeys("ja j wahr aktiv gültig gueltig oui vrai actif sí si verdadero activo sim ativo vero attivo "
                        "waar actief tak prawda aktywny はい 有効 是 有效".split(), "active"),
        **dict.fromkeys("nein falsch inaktiv ungültig ungueltig non faux inactif falso inactivo não nao inativo "
                        "inattivo nee onwaar inactief nie fałsz nieaktywny nej nei いいえ 無効 否 无效".split(),
                        "retired"),
    }
)  # fmt: skip
"""Words of a status column (lower case), also as spreadsheets of the languages whose headers are known write yes and
no, or as these headers read; empty means active, any other word makes the row malformed."""

_ANSWERS = frozenset(
    "1 true yes y ja j wahr oui vrai si sí verdadero sim vero waar tak prawda はい 是 "
    "0 false no n nein falsch non faux falso não nao nee onwaar nie fałsz nej nei いいえ 否".split()
)
"""The status words that say yes or no, and nothing else."""

RETIRED_WORDS: ReadOnlyDict[str, Status] = MappingProxyType(
    {
        word: status if word not in _ANSWERS else "retired" if status == "active" else "active"
        for word, status in STATUS_WORDS.items()
    }
    | {"x": "retired"}
)
"""Words of a column that says whether a concept is retired (lower case): as for the status, but yes means retired."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: non-empty ``values`` by role; ``terms`` and ``relations`` with more facts than a role alone."""

    id: str
    values: ReadOnlyDict[str, tuple[str, ...]]
    terms: tuple[Term, ...] = ()
    relations: tuple[Relation, ...] = ()
    properties: tuple[Property, ...] = ()
    mappings: tuple[Mapping, ...] = ()

    def one(self, role: str) -> str:
        """The first value of a role, or an empty string."""
        values = self.values.get(role)
        return values[0] if values else ""

    def status(self) -> Status:
        """The status: retired where one of its two columns says so; raises ``BadRow`` for a word that is not known."""
        stated = _word("status", self.one("status"), STATUS_WORDS, "active")
        return _word("answer to retired", self.one("retired"), RETIRED_WORDS, stated) if stated == "active" else stated

    def named(self) -> list[Term]:
        """The names of the row; raises ``BadRow`` for a scope that is not in ``SCOPE_WORDS``."""
        language = self.one("language") or "en"
        source, word = self.one("source") or self.one("translation_status"), self.one("kind")
        kind, scope = KIND_WORDS.get(word.lower(), ("synonym", "exact")) if word else ("preferred", "exact")
        if word and word.lower() not in KIND_WORDS:
            source = source or word
        scope = _word("scope", self.one("scope"), SCOPE_WORDS, scope)
        names = [Term(text, kind, scope, language, source=source) for text in self.values.get("preferred", ())]
        names.extend(self.terms)
        for role, texts in self.values.items():
            if role in NAME_ROLES and role != "preferred":
                other, how = NAME_ROLES[role]
                names.extend(Term(text, other, how, language, source=source) for text in texts)
        return names


def _word(what: str, word: str, known: ReadOnlyDict[str, _T], default: _T) -> _T:
    if not word:
        return default
    value = known.get(word.lower())
    if value is None:
        raise BadRow(f"unknown {what} {word!r} (known: {first_few(known, _NAMED)})")
    return value


RENAMED = "ids_with_several_preferred_names"
"""Details of ids to which further rows give another preferred name, which is kept as a synonym."""


@dataclass(slots=True)
class Merging:
    """The concept made from one or more rows of the same id; ``id`` is empty if it is made from ``published``."""

    published: str
    id: str = ""
    rows: int = 0
    terms: list[Term] = field(default_factory=list)
    status: Status = "active"
    fields: dict[str, dict[str, None]] = field(default_factory=dict)
    relations: dict[Relation, None] = field(default_factory=dict)
    properties: dict[Property, None] = field(default_factory=dict)
    mappings: dict[Mapping, None] = field(default_factory=dict)
    mapped: bool = False
    known: set[tuple[str, str]] = field(default_factory=set)
    has_preferred: set[str] = field(default_factory=set)
    renamed: str = ""

    def add(self, row: TableRow, log: ReleaseLog) -> None:
        """Adds a row; raises ``BadRow`` before any part of it is added."""
        status, named = row.status(), row.named()
        if self.rows == 0 or status == "active":
            self.status = status
        before = (
            (self.known if len(named) < 2 else frozenset(self.known)) if self.rows else frozenset[tuple[str, str]]()
        )
        for term in named:
            name = (term.text, term.language)
            if name in before:
                log.counts.skip_term(REPEATED)
                continue
            self.known.add(name)
            if term.kind == "preferred" and term.language in self.has_preferred:
                self.renamed = self.renamed or (term.text if self.rows else "")
                self.terms.append(Term(term.text, "synonym", term.scope, term.language, source=term.source))
            else:
                self.terms.append(term)
                if term.kind == "preferred":
                    self.has_preferred.add(term.language)
        for role, values in row.values.items():
            if role in NAME_ROLES:
                continue
            if role in self.fields:
                self.fields[role].update(dict.fromkeys(values))
            else:
                self.fields[role] = dict.fromkeys(values)
        if row.relations or row.properties or row.mappings:
            self.relations.update(dict.fromkeys(row.relations))
            self.properties.update(dict.fromkeys(row.properties))
            self.mappings.update(dict.fromkeys(row.mappings))
            self.mapped = self.mapped or bool(row.mappings or row.properties)
        self.rows += 1

    def concept(self, log: ReleaseLog) -> Concept | None:
        """The concept, preferred names first, with its rows counted; None if no row named it.

        If the rows add to a release in another format, a concept needs no name here, but must be in that release.
        """
        concept_id = self.id or log.identifier(self.published)
        rule = "" if self.terms or self.mapped else NAMELESS
        if log.base is not None:
            rule = "" if concept_id in log.base else UNKNOWN
        log.counts.keep(self.rows, rule)
        if rule:
            return None
        if self.renamed:
            known = log.details.setdefault(RENAMED, {"count": 0, "first": []})
            known["count"] += 1
            if len(known["first"]) < MAX_EXAMPLES:
                known["first"].append(f"{concept_id} {self.terms[0].text}, {self.renamed}")
        fields, terms = self.fields, tuple(sorted(self.terms, key=_not_preferred))
        is_told = "status" in fields or "retired" in fields
        is_retired = not is_told and bool(terms) and terms[0].text.startswith(_CALLED_OBSOLETE)

        def ids(role: str) -> tuple[str, ...]:
            return tuple(dict.fromkeys(map(log.identifier, fields[role]))) if role in fields else ()

        return Concept(
            id=concept_id,
            terms=terms,
            parents=ids("parents"),
            relations=tuple(self.relations),
            definitions=tuple(fields.get("definition", ())),
            tags=tuple(fields.get("tags", ())),
            status="retired" if is_retired else self.status,
            alternative_ids=(*published_alias(self.published, concept_id), *ids("alternative_ids")),
            replaced_by=ids("replaced_by"),
            consider=ids("consider"),
            xrefs=tuple(dict.fromkeys(map(curie, fields["xrefs"]))) if "xrefs" in fields else (),
            properties=tuple(self.properties),
            mappings=tuple(self.mappings),
        )


def _not_preferred(term: Term) -> bool:
    return term.kind != "preferred"
