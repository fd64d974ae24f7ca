"""BioC with gold concepts, XML and JSON: BC5CDR from BioCreative, PubTator 3's export and similar files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType

from ontonym.documents import CharSpan, Document, Mark
from ontonym.documents.bioc import json_documents, xml_documents
from ontonym.evaluate.corpora.files import CorpusFiles, only
from ontonym.evaluate.corpora.gold import (
    NIL_WORDS,
    Corpus,
    CorpusOptions,
    GoldDocument,
    GoldMention,
    spelled,
)
from ontonym.evaluate.corpora.pubtator import several
from ontonym.files.records import fold_header
from ontonym.files.source import Source
from ontonym.ontology.xrefs import CANONICAL_PREFIXES, canonical_prefix, curie

ID_KEYS = ("identifier", "concept_id", "conceptid", "concept", "cui", "id", "ids")
"""Infons that have ids, by folded key; the first one present counts."""

_VOCABULARIES = MappingProxyType(
    {"ncbi_gene": "NCBIGene", "ncbigene": "NCBIGene", "ncbi_taxonomy": "NCBITaxon", "ncbi_mesh": "MESH"}
)
_XML = re.compile(r"\s*(?:<\?xml\b[^>]*>\s*)?(?:<!DOCTYPE\s+collection\b[^>]*>\s*)?<collection\b")
_BETWEEN = re.compile(r"\s*[,;]\s*")


class BioCCorpus(Corpus):
    """The documents of a BioC file; iterating streams them. A row is a passage or an annotation.

    The ids of an annotation are in its infon ``identifier`` (or another of `ID_KEYS`), with the vocabulary of ids
    without prefix in its infon ``database``; else in infons named by a vocabulary (``MESH``, ``OMIM``), which is their
    prefix. ``|`` between ids is as in `PubTatorCorpus`; ``,`` and ``;`` are treated as ``+`` there: each id is
    accepted, and none is known to be the whole meaning. An annotation without such an infon is skipped and counted, as
    are BC5CDR's ``IndividualMention``, the parts of composite mentions, which are present themselves. Raises
    FormatError for a file that is not well-formed.
    """

    nothing = ("no BioC document in it", "Is it BioC? `format=` names another format")

    def _documents(self) -> Iterator[GoldDocument]:
        read = xml_documents if _XML.match(self.source.head()) else json_documents
        for document in read(self.source):
            self.counts.rows += len(document.passages) + len(document.marks)
            self.counts.text += len(document.passages)
            text = document.text
            marks = zip(document.marks, _spans(document), strict=True)
            yield self._document(document.id, text, (self._mention(document, *mark, text) for mark in marks))

    def _mention(self, document: Document, mark: Mark, spans: Sequence[CharSpan], text: str) -> GoldMention | None:
        """The mention of an annotation; None, and counted, where it is none to evaluate."""
        if mark.problem:
            self._malformed(self.source.label, mark.line, mark.problem)
            return None
        role = mark.infons.get("CompositeRole", "")
        ids = _ids(mark)
        if role == "IndividualMention" or ids is None:
            self.counts.skipped["part of a composite" if role == "IndividualMention" else "no concept given"] += 1
            return None
        if not self._wanted(mark.mention.type):
            return None
        (start, end), found = self._span_and_words(document, mark, spans, text)
        if not found:
            self._malformed(self.source.label, mark.line, f"document {document.id}: an annotation without text")
            return None
        kind = role if role == "CompositeMention" else mark.mention.type
        parts, joined = several(ids, found, kind, self.options.default_prefix)
        return GoldMention(replace(mark.mention, text=found, start=start, end=end), parts, joined)

    def _span_and_words(
        self, document: Document, mark: Mark, spans: Sequence[CharSpan], text: str
    ) -> tuple[CharSpan | tuple[None, None], str]:
        """The span of a mention, none if its offsets do not match its text or are several, and its words."""
        words = " ".join(mark.mention.text.split())
        try:
            found, whole = spelled(text, spans) if spans else ("", None)
        except ValueError:
            found, whole = "", None
        if found and found.split() == (words or found).split():
            self.counts.discontinuous += whole is None
            return whole or (None, None), words or found
        if mark.places and self.options.strict:
            problem = f"document {document.id}: its places do not point at {words!r}"
            self._malformed(self.source.label, mark.line, problem)
        self.counts.without_offsets += bool(words)
        return (None, None), words


def _spans(document: Document) -> Iterator[list[CharSpan]]:
    """Where the pieces of each mark lie in the document's text, without those outside of its passages."""
    placed = iter(document.places(chain.from_iterable(mark.places for mark in document.marks)))
    for mark in document.marks:
        pieces = islice(placed, len(mark.places))
        yield [(start, end) for start, end in pieces if start is not None and end is not None]


def _ids(mark: Mark) -> str | None:
    """The ids of an annotation in PubTator's notation; None if no infon has ids."""
    infons = {fold_header(key): text for key, text in mark.infons.items()}
    own = next((infons[key] for key in ID_KEYS if key in infons), None)
    if own is not None:
        return _prefixed(own, vocabulary(infons.get("database", "")))
    named = [_prefixed(text, prefix) for key, text in mark.infons.items() if (prefix := vocabulary(key))]
    return "|".join(named) if named else None


def _prefixed(ids: str, prefix: str) -> str:
    """Ids with ``+`` instead of ``,`` and ``;``, and with a prefix if they have none; NIL words are unchanged."""
    parts = ([id_.strip() for id_ in _BETWEEN.split(part)] for part in ids.split("|"))
    return "|".join("+".join(_with(prefix, id_) for id_ in part) for part in parts)


def _with(prefix: str, id_: str) -> str:
    bare = ":" not in id_ and id_.casefold() not in NIL_WORDS
    return f"{prefix}:{id_}" if prefix and bare else curie(id_)


def vocabulary(key: str) -> str:
    """The prefix of the vocabulary that names an infon (``MESH``, ``ncbi_gene``); empty if none does.

    A name of up to three letters must match exactly (``HP``), since it is likely to be another word.
    """
    prefix = _VOCABULARIES.get(fold_header(key), canonical_prefix(key))
    known = prefix in CANONICAL_PREFIXES and (len(prefix) > 3 or key == prefix)
    return prefix if known or fold_header(key) in _VOCABULARIES else ""


def is_bioc(found: CorpusFiles) -> bool:
    """Whether a file begins as BioC XML, or is JSON with passages."""
    return any(map(_is_bioc, found.samples))


def _is_bioc(source: Source) -> bool:
    head = source.head()
    return bool(_XML.match(head)) or (head.lstrip()[:1] in ("{", "[") and '"passages"' in head)


def open_bioc(found: CorpusFiles, split: str | None, options: CorpusOptions) -> Corpus:
    """The documents of the only BioC file."""
    source = only(found, _is_bioc, BioCCorpus.nothing)
    return BioCCorpus(Path(source.label), options, source)
