"""Names in RDF: namespaces, concept ids made from IRIs, and labels in several languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from ontonym.ontology.options import ALL
from ontonym.ontology.xrefs import CANONICAL_PREFIXES, canonical_prefix, curie
from ontonym.types import Term

OWL = "http://www.w3.org/2002/07/owl#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
DC = "http://purl.org/dc/elements/1.1/"
DCT = "http://purl.org/dc/terms/"
WELL_KNOWN = MappingProxyType(
    {OWL: "owl", RDF: "rdf", RDFS: "rdfs", SKOS: "skos", DC: "dc", DCT: "dct", "http://xmlns.com/foaf/0.1/": "foaf"}
)
"""The usual prefixes of these namespaces."""


_LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_CODED = re.compile(r"([A-Za-z][A-Za-z]*)_([A-Za-z]{0,2}\d[\w.-]*)$")
_SPLIT = re.compile(r"^(.*[#/:])([^#/:]+)$", re.DOTALL)
_GENERIC = frozenset(
    "concept concepts class classes code codes data def en id ids instance instances ns item ontologies ontology ont "
    "resource resources scheme schemes skos term terms terminology thesauri vocab vocabularies vocabulary voc".split()
)
"""Parts of a path that do not identify a vocabulary."""
_ENDINGS = (".owl", ".rdf", ".ttl", ".xml", ".skos", ".nt", ".html", ".jsonld")
_KNOWN = {prefix.casefold() for prefix in CANONICAL_PREFIXES}
_OPAQUE = re.compile(r"_?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}|_?[0-9a-f]{16,}", re.IGNORECASE)


class Identifiers:
    """The CURIE of every IRI of one release, the same in every serialization.

    ``prefixes`` are namespaces to which the release itself gives a prefix. ``ids`` may be filled with those that the
    release gives otherwise than by the IRI.
    """

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self.ids: dict[str, str] = {}
        self._prefixes = {**WELL_KNOWN, **prefixes}
        self._namespaces: dict[str, str] = {}

    def claim(self, iris: Iterable[str], prefix: str) -> None:
        """Gives the prefix to the namespaces of these IRIs, if they have no known one."""
        for iri in iris:
            split = _SPLIT.match(iri)
            if split is not None and self._known(iri, split[2]) is None:
                self._prefixes[split[1]] = prefix

    def of(self, iri: str) -> str:
        """The CURIE; the IRI itself where it has no local name."""
        known = self.ids.get(iri)
        if known is None:
            known = self.ids[iri] = self._make(iri)
        return known

    def alias(self, iri: str) -> tuple[str, ...]:
        """The IRI, where its CURIE was made here and does not follow from the IRI alone."""
        made = self.of(iri)
        return () if made == iri or curie(iri) == made else (iri,)

    def coin(self, iri: str, local: str) -> str:
        """A CURIE with the prefix of the IRI's namespace."""
        split = _SPLIT.match(iri)
        return f"{self._named(split[1] if split is not None else iri)}:{local}"

    def _make(self, iri: str) -> str:
        split = _SPLIT.match(iri)
        if split is None:
            return curie(iri)
        return self._known(iri, split[2]) or self.coin(iri, split[2])

    @staticmethod
    def _known(iri: str, local: str) -> str | None:
        """The CURIE of a known pattern, or of a local name that has the form of one."""
        made = curie(iri)
        if made != iri or "://" not in iri:
            return made
        coded = _CODED.match(local)
        if coded is None:
            return None
        prefix, code = coded.groups()
        known = prefix.casefold() in _KNOWN or canonical_prefix(prefix) != prefix
        if known or (prefix.isupper() and len(prefix) > 1 and sum(map(str.isdigit, code)) > 3):
            return curie(f"{prefix}:{code}")
        return None

    def _named(self, namespace: str) -> str:
        """The prefix of a namespace; two namespaces never share one."""
        found = self._prefixes.get(namespace)
        if found is None:
            found = canonical_prefix(stem(namespace))
            if self._namespaces.get(found, namespace) != namespace:
                found = f"{_host(namespace)}.{found}"
            number = 2
            plain = found
            while self._namespaces.get(found, namespace) != namespace:
                found, number = f"{plain}{number}", number + 1
            self._namespaces[found] = namespace
            self._prefixes[namespace] = found
        return found


def stem(namespace: str) -> str:
    """The distinctive part of an IRI: ``http://purl.obolibrary.org/obo/hp.owl#`` gives ``hp``."""
    path = namespace.split("://", 1)[-1].rstrip("#/:?=")
    parts = [part for part in re.split(r"[/#:]", path) if part]
    for part in reversed(parts[1:]):
        name = part
        for ending in _ENDINGS:
            name = name.removesuffix(ending)
        name = re.sub(r"[^\w.-]", "", name)
        if name and name.casefold() not in _GENERIC and re.match(r"[A-Za-z_]", name) and not re.match(r"v\d", name):
            return name
    return _host(namespace)


def local_name(iri: str) -> str:
    """The part after the last ``#``, ``/`` or ``:``."""
    return re.split(r"[#/:]", iri.rstrip("#/:"))[-1]


def is_opaque(local: str) -> bool:
    """Whether a local name is a UUID or the like, which no person would use as a code."""
    return _OPAQUE.fullmatch(local) is not None


def _host(namespace: str) -> str:
    host = re.split(r"[/#]", namespace.split("://", 1)[-1])[0].removeprefix("www.")
    labels = [label for label in re.sub(r"[^\w.-]", "", host).split(".") if label]
    if labels and labels[-1] in {"owl", "rdf"}:
        labels.pop()
    return (labels[0] if len(labels) < 2 else labels[-2]) if labels else "local"


EMPTY = "empty name"
UNSPECIFIED_MATCHING = "semapv:UnspecifiedMatching"
"""The justification of a mapping where the release states none."""


def in_order(terms: Sequence[Term], languages: Sequence[str]) -> tuple[Term, ...]:
    """The terms as published, with the preferred term first: that of the first of ``languages`` that has one, else of
    English, else the first.

    Each language has one preferred term, the first that is marked so; a further one is a synonym, or left out where it
    has the same text. Where no term is marked, the first exact synonym is preferred.
    """
    marked = [term for term in terms if term.kind == "preferred"]
    if not marked:
        plain = next((term for term in terms if term.kind == "synonym" and term.scope == "exact"), None)
        if plain is None:
            return tuple(terms)
        marked = [replace(plain, kind="preferred")]
        terms = (*marked, *(term for term in terms if term is not plain))
    preferred: dict[str, Term] = {}
    for term in marked:
        preferred.setdefault(term.language, term)
    wanted = [language for language in languages if language != ALL]
    first = next((preferred[tag] for asked in (*wanted, "en") for tag in preferred if _speaks(tag, asked)), None)
    if first is None:
        first = next(iter(preferred.values()))
    kept = [first]
    for term in terms:
        if term.kind != "preferred":
            kept.append(term)
        else:
            chosen = preferred[term.language]
            kept.append(chosen if term.text == chosen.text else replace(term, kind="synonym"))
    return tuple(dict.fromkeys(kept))


def language_rank(language: str, languages: Sequence[str]) -> int:
    """How early a language comes, 0 first: those asked for in their order, then English, then any other."""
    wanted = (*(asked for asked in languages if asked != ALL), "en")
    return next((rank for rank, asked in enumerate(wanted) if _speaks(language, asked)), len(wanted))


def plain(text: str) -> str:
    """The text without the line breaks and indentation of the file around it."""
    return " ".join(text.split()) if "\n" in text or "\t" in text else text.strip()


def _speaks(language: str, wanted: str) -> bool:
    tag, asked = language.lower(), wanted.lower()
    return tag == asked or tag.startswith(f"{asked}-")


def only_language(said: Iterable[str]) -> str:
    """The tag, in small letters, of the language that a release says that it is in; empty where it says none, or
    several."""
    tags = {tag.lower() for tag in said if _LANGUAGE_TAG.fullmatch(tag)}
    return tags.pop() if len(tags) == 1 else ""
