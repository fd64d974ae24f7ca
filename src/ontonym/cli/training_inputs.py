"""What training reads beside terminologies: names that must not be seen, and texts that were annotated."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from ontonym.evaluate.corpora import PubTatorCorpus
from ontonym.ontology.source import open_source
from ontonym.text import normalize

PUBTATOR_SUFFIXES = (".pubtator", ".txt.gz", ".pubtator.gz")


def read_names(paths: Sequence[str]) -> frozenset[str]:
    """The names in files: of a PubTator corpus all mentions, of any other file every line that is not blank."""
    names: set[str] = set()
    for path in paths:
        if is_pubtator(path):
            names |= {text for text, _ in read_annotated([path])}
        else:
            names |= {line.strip() for line in open_source(path).lines() if line.strip()}
    return frozenset(names)


def is_pubtator(path: str) -> bool:
    """Whether the file begins as a PubTator corpus does: ``id|t|title``."""
    for line in open_source(path).lines():
        if line.strip():
            return "|t|" in line[:40]
    return False


def read_annotated(paths: Sequence[str], default_prefix: str = "MESH") -> list[tuple[str, str]]:
    """The mentions of PubTator corpora with each concept id they were given; composites and NIL are left out."""
    found: dict[tuple[str, str], None] = {}
    for path in paths:
        for document in PubTatorCorpus(Path(path), default_prefix=default_prefix):
            for gold in document.mentions:
                if not gold.composite and not gold.nil:
                    found |= dict.fromkeys((gold.mention.text, id_) for id_ in sorted(gold.ids))
    return list(found)


def names_digest(names: Iterable[str]) -> str:
    """A SHA-256 that is the same for the same names, whatever their order and spelling variants."""
    return hashlib.sha256("\n".join(sorted({normalize(name) for name in names})).encode()).hexdigest()
