"""Reader of Wikidata entities as JSON: the full dump, lines filtered from it, or what the API gives for a few items.

The format: https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html. An entity is a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ontonym.errors import UnknownNameError
from ontonym.files.counts import BadRow
from ontonym.files.jsontext import JsonObject, json_record, read_json
from ontonym.files.source import Source
from ontonym.jsonbytes import json_bytes
from ontonym.ontology.options import ALL, MULTIPLE, OTHER_LANGUAGE, speaks
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.xrefs import canonical_prefix, curie
from ontonym.types import Concept, Kind, Property, Relation, Term

RAHIMI_LANGUAGES = (
    "en", "es", "it", "nl", "fr", "pt", "de", "cs", "ru", "zh", "ja", "hu",
    "tr", "ko", "no", "et", "sv", "pl", "fi", "el", "lv", "da", "eu", "he",
)  # fmt: skip
"""The 24 languages of the UMLS whose labels and aliases Rahimi takes from Wikidata (section 3.3, footnote 4)."""

MEDICAL_IDS = MappingProxyType(
    {
        "P2892": "UMLS", "P486": "MESH", "P6694": "MESH", "P9340": "MESH", "P9341": "MESH", "P699": "DOID",
        "P492": "OMIM", "P494": "ICD10", "P4229": "ICD10CM", "P1690": "ICD10PCS", "P7329": "ICD11", "P7807": "ICD11",
        "P493": "ICD9", "P1692": "ICD9CM", "P563": "ICDO", "P667": "ICPC2", "P1550": "ORPHA", "P3841": "HP",
        "P5270": "MONDO", "P5806": "SCTID", "P1748": "NCIT", "P3201": "MedDRA", "P4317": "GARD", "P4338": "LOINC",
        "P3345": "RXNORM", "P267": "ATC", "P715": "DrugBank", "P652": "UNII", "P604": "MedlinePlus",
        "P557": "DiseasesDB", "P673": "eMedicine", "P668": "GeneReviews", "P8656": "SYMP", "P1402": "FMA",
        "P1554": "UBERON", "P1323": "TA98", "P1693": "TE", "P1694": "TH", "P1928": "VO",
    }
)  # fmt: skip
"""Properties whose value is an id in a vocabulary of medicine, and its prefix. An item with one of them is medical."""

OTHER_IDS = MappingProxyType(
    {
        "P592": "ChEMBL", "P683": "CHEBI", "P231": "CAS", "P662": "PubChem", "P235": "InChIKey", "P665": "KEGG",
        "P595": "GTOPDB", "P686": "GO", "P7963": "CL", "P5501": "BTO", "P2158": "CLO", "P685": "NCBITaxon",
        "P351": "NCBIGene", "P354": "HGNC", "P352": "UniProt",
    }
)  # fmt: skip
"""Properties whose value is an id in a vocabulary that is not of medicine alone, and its prefix."""

EXTERNAL_IDS = MappingProxyType({**MEDICAL_IDS, **OTHER_IDS})

TREE_NUMBER = "P672"
"""MeSH tree code: a place in a tree, not an id."""
EXACT_MATCH = "P2888"
"""An IRI of the same thing elsewhere."""
INSTANCE_OF = "P31"
SUBCLASS_OF = "P279"

RELATIONS = MappingProxyType(
    {
        INSTANCE_OF: "instance of", "P361": "part of", "P527": "has part", "P780": "symptoms and signs",
        "P828": "has cause", "P927": "anatomical location", "P1995": "health specialty",
        "P2176": "drug or therapy used for treatment", "P2175": "medical condition treated",
        "P2293": "genetic association", "P769": "significant drug interaction", "P1889": "different from",
    }
)  # fmt: skip
"""Properties whose value is an item, and the predicate of the relation. All values of the best rank are taken."""

NAMES = MappingProxyType[str, Kind]({"P1813": "abbreviation", "P1843": "lay"})
"""Properties whose value is a name with its language: short name, taxon common name."""


NOT_ITEM = "entity that is not an item"
NOT_MEDICAL = "item without an id in a vocabulary of medicine"
NOT_LINKED = "item without an id in a vocabulary asked for"
NOT_TAGGED = "item that is not an instance of a class asked for"
NO_NAME = "item without a name in the languages taken"

_ENTITY = re.compile(r'\s*\[?\s*\{\s*"(?:type|id|pageid|ns|title|entities|labels|entity)"\s*:')
_MARKS = re.compile(r'"(?:id|title|entity)"\s*:\s*"[QPL]\d+(?:-[SF]\d+)?"')
_DOCUMENT = re.compile(r'\s*\{(?:\s*"entities"\s*:\s*\{|\s*\n)')
"""The beginning of one JSON document over several lines, or of an answer of the API."""
_WIKIPEDIA = re.compile(r"(?P<language>[a-z_-]+)wiki")
_NO_WIKIPEDIA = frozenset(
    {"commonswiki", "specieswiki", "metawiki", "wikidatawiki", "sourceswiki", "mediawikiwiki", "incubatorwiki",
     "outreachwiki", "testwiki", "foundationwiki", "wikimaniawiki", "wikifunctionswiki"}
)  # fmt: skip
_ITEM = re.compile(r"Q[1-9]\d*")


def is_wikidata(head: str) -> bool:
    """Whether the beginning of a file is Wikidata entities."""
    return bool(_ENTITY.match(head) and _MARKS.search(head) and re.search(r'"(?:labels|redirect)"\s*:', head))


def read_wikidata(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Concept]:
    """The items as concepts ``Wikidata:Q…``: labels and aliases, parents (subclass of), ids elsewhere, site links.

    By default it takes items with an id in a vocabulary of medicine, and names in the languages of Rahimi; the options
    ``linked_to``, ``languages`` and ``tags`` (classes an item is an instance of) change that. Statements of the rank
    deprecated are left out; of parents and relations only those of the best rank are taken.
    """
    taking = _Taking(log)
    log.describe(name="wikidata", title="Wikidata", licence="CC0-1.0")
    latest = ""
    for source in sources:
        for line, text in _entities(source):
            if not taking.worth_parsing(text):
                log.counts.skip(taking.unlinked)
                continue
            try:
                entity = json_record(text)
                concept = taking.concept(entity)
            except BadRow as bad:
                log.malformed(source, line, str(bad), text[:400])
                continue
            if isinstance(concept, str):
                log.counts.skip(concept)
                continue
            modified = entity.get("modified")
            latest = max(latest, modified[:10] if isinstance(modified, str) else "")
            log.counts.keep()
            yield concept
    log.describe(version=latest)


def _entities(source: Source) -> Iterator[tuple[int | None, str]]:
    """Line and JSON text of every entity."""
    if _DOCUMENT.match(source.head()):
        document = read_json(source)
        entities = document.get("entities", {"": document})
        for asked, entity in entities.items() if isinstance(entities, dict) else ():
            if isinstance(entity, dict) and _ITEM.fullmatch(asked) and entity.get("id", asked) != asked:
                yield None, json_bytes({"entity": asked, "redirect": entity["id"]}).decode()
            yield None, json_bytes(entity).decode()
        return
    for number, line in enumerate(source.lines(), start=1):
        text = line.strip().rstrip(",")
        if text and text not in ("[", "]"):
            yield number, text.removeprefix("[").removesuffix("]") if text[0] == "[" else text


class _Taking:
    """The selection of an entity's contents by the options."""

    def __init__(self, log: ReleaseLog) -> None:
        options = log.options
        self._counts = log.counts
        self._languages = tuple(options.languages) or RAHIMI_LANGUAGES
        self._all_languages = ALL in self._languages
        self._ranks: dict[str, int] = {}
        wanted = {canonical_prefix(prefix) for prefix in options.linked_to}
        self._classes = {tag.removeprefix("Wikidata:") for tag in options.tags}
        self.unlinked = NOT_LINKED if wanted else NOT_MEDICAL
        if ALL in options.linked_to:
            self._linking: frozenset[str] = frozenset()
        elif wanted:
            self._linking = frozenset(p for p, prefix in EXTERNAL_IDS.items() if prefix in wanted)
            missing = wanted - set(EXTERNAL_IDS.values())
            if missing:
                raise UnknownNameError("vocabulary of Wikidata's ids", sorted(missing)[0], set(EXTERNAL_IDS.values()))
        else:
            self._linking = frozenset(MEDICAL_IDS)
        self._mark = re.compile("|".join(f'"{p}"' for p in sorted(self._linking))) if self._linking else None

    def worth_parsing(self, text: str) -> bool:
        """Whether the entity can have a linking id: most of a dump has none, and need not be parsed."""
        return self._mark is None or '"redirect"' in text or self._mark.search(text) is not None

    def concept(self, entity: JsonObject) -> Concept | str:
        """The concept, or the rule that leaves the entity out."""
        if "redirect" in entity:
            return _redirect(entity)
        own = entity.get("id")
        if entity.get("type", "item") != "item":
            return NOT_ITEM
        if not isinstance(own, str) or not _ITEM.fullmatch(own):
            raise BadRow("an entity without an id")
        claims = _dict(entity.get("claims"))
        links = {prop: values for prop in EXTERNAL_IDS if (values := _values(claims, prop))}
        if self._linking and not self._linking & links.keys():
            return self.unlinked
        classes = _items(_best(claims, INSTANCE_OF))
        if self._classes and not self._classes & set(classes):
            return NOT_TAGGED
        terms = self._terms(entity, claims)
        if not terms:
            return NO_NAME
        xrefs = [_id(prefix, value) for prop, prefix in EXTERNAL_IDS.items() for value in links.get(prop, ())]
        xrefs += [curie(value) for value in _values(claims, EXACT_MATCH) if isinstance(value, str)]
        pages, properties = self._pages(entity)
        properties += [Property("tree number", v) for v in _values(claims, TREE_NUMBER) if isinstance(v, str)]
        relations = [
            Relation(predicate, f"Wikidata:{item}")
            for prop, predicate in RELATIONS.items()
            for item in _items(_best(claims, prop))
        ]
        return Concept(
            id=f"Wikidata:{own}",
            terms=terms,
            parents=tuple(f"Wikidata:{item}" for item in _items(_best(claims, SUBCLASS_OF)) if item != own),
            relations=tuple(relations),
            definitions=self._definition(entity),
            tags=tuple(classes),
            xrefs=tuple(dict.fromkeys([*filter(None, xrefs), *pages])),
            properties=tuple(properties),
        )

    def _takes(self, language: str) -> bool:
        return self._all_languages or speaks(language, self._languages)

    def _order(self, languages: Iterable[str]) -> list[str]:
        """The languages taken, those asked for first in the order asked for."""
        return sorted((tag for tag in languages if self._takes(tag)), key=lambda tag: (self._rank(tag), tag))

    def _rank(self, language: str) -> int:
        rank = self._ranks.get(language)
        if rank is None:
            places = (i for i, wanted in enumerate(self._languages) if speaks(language, (wanted,)))
            rank = len(self._languages) if language == MULTIPLE else next(places, len(self._languages) + 1)
            self._ranks[language] = rank
        return rank

    def _terms(self, entity: JsonObject, claims: JsonObject) -> tuple[Term, ...]:
        """The names of an entity in the wanted languages: labels, aliases, and properties that give names."""
        labels, aliases = _dict(entity.get("labels")), _dict(entity.get("aliases"))
        preferred = [Term(_text(labels[lang]), "preferred", language=lang) for lang in self._order(labels)]
        synonyms = [
            Term(text, language=language)
            for language in self._order(aliases)
            for value in (aliases[language] if isinstance(aliases[language], list) else [aliases[language]])
            if (text := _text(value))
        ]
        for prop, kind in NAMES.items():
            for value in _values(claims, prop):
                language = value.get("language", "") if isinstance(value, dict) else ""
                if isinstance(language, str) and language and self._takes(language):
                    synonyms.append(Term(_text(value), kind, language=language))
        left_out = sum(1 for language in labels if not self._takes(language)) + sum(
            len(v) if isinstance(v, list) else 1 for language, v in aliases.items() if not self._takes(language)
        )
        terms = tuple(dict.fromkeys(term for term in (*preferred, *synonyms) if term.text))
        if terms:
            self._counts.skip_term(OTHER_LANGUAGE, left_out)
        return terms

    def _definition(self, entity: JsonObject) -> tuple[str, ...]:
        """The description in the first language that has one."""
        descriptions = _dict(entity.get("descriptions"))
        texts = (_text(descriptions[language]) for language in self._order(descriptions))
        return tuple(text for text in (next(texts, ""),) if text)

    def _pages(self, entity: JsonObject) -> tuple[list[str], list[Property]]:
        """Wikipedia pages in the languages taken as cross-references, and how many pages there are in all."""
        links = _dict(entity.get("sitelinks"))
        pages = {}
        for site, value in links.items():
            match = _WIKIPEDIA.fullmatch(site)
            if match and site not in _NO_WIKIPEDIA and self._takes(language := match["language"].replace("_", "-")):
                pages[language] = wikipedia_id(language, _text(value, "title"))
        count = [Property("site links", str(len(links)))] if links else []
        return [pages[language] for language in self._order(pages)], count


def wikipedia_id(language: str, title: str) -> str:
    """The id of a Wikipedia page: ``Wikipedia:Heart_failure``, or ``Wikipedia.de:Herzinsuffizienz``."""
    prefix = "Wikipedia" if language == "en" else f"Wikipedia.{language}"
    return f"{prefix}:{title.strip().replace(' ', '_')}"


def _redirect(entity: JsonObject) -> Concept:
    own, target = entity.get("entity", entity.get("id")), entity["redirect"]
    for item in (own, target):
        if not isinstance(item, str) or not _ITEM.fullmatch(item):
            raise BadRow("a redirect that does not lead from an item to an item")
    return Concept(f"Wikidata:{own}", (), status="retired", replaced_by=(f"Wikidata:{target}",))


def _dict(value: Any) -> JsonObject:
    """An object; PHP writes an empty one as an empty list."""
    if isinstance(value, dict):
        return value
    if value is None or value == []:
        return {}
    raise BadRow(f"expected an object, found {type(value).__name__}")


def _text(value: Any, key: str = "value") -> str:
    """The text of a label, alias or site link: an object, or in simplified entities the bare text."""
    text = (value.get(key) or value.get("text")) if isinstance(value, dict) else value
    if not isinstance(text, str):
        raise BadRow(f"expected a text, found {type(text).__name__}")
    return " ".join(text.split())


def _statements(claims: Mapping[str, Any], prop: str) -> list[tuple[str, Any]]:
    """Rank and value of every statement that is not deprecated and has a value; simplified claims are bare values."""
    found = []
    statements = claims.get(prop)
    for statement in statements if isinstance(statements, list) else []:
        if not isinstance(statement, dict) or "mainsnak" not in statement:
            value = statement.get("value", statement) if isinstance(statement, dict) else statement
            found.append(("normal", value))
            continue
        rank, snak = statement.get("rank", "normal"), _dict(statement["mainsnak"])
        if rank != "deprecated" and snak.get("snaktype", "value") == "value":
            found.append((rank, _dict(snak.get("datavalue")).get("value")))
    return [(rank, value) for rank, value in found if value is not None]


def _values(claims: Mapping[str, Any], prop: str) -> list[Any]:
    """All values, those of the rank preferred first."""
    return [v for _, v in sorted(_statements(claims, prop), key=lambda statement: statement[0] != "preferred")]


def _best(claims: Mapping[str, Any], prop: str) -> list[Any]:
    """The values of the best rank that there is."""
    statements = _statements(claims, prop)
    preferred = [value for rank, value in statements if rank == "preferred"]
    return preferred or [value for _, value in statements]


def _items(values: Iterable[Any]) -> list[str]:
    items = (value.get("id") or f"Q{value.get('numeric-id')}" if isinstance(value, dict) else value for value in values)
    return list(dict.fromkeys(item for item in items if isinstance(item, str) and _ITEM.fullmatch(item)))


def _id(prefix: str, value: Any) -> str:
    """An external id as a CURIE; some are published with a prefix of their own (``HP:…``, ``MONDO_…``)."""
    if not isinstance(value, str) or not value.strip():
        return ""
    local = value.strip()
    for mark in (":", "_"):
        own, found, rest = local.partition(mark)
        if found and rest and canonical_prefix(own) == prefix:
            local = rest
    return f"{prefix}:{local}"
