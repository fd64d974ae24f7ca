"""ontonym finds the concept behind any clinical words.

Data flows one way; each folder is one verb, each verb one command, and each leaves one artifact::

    release files - ontology/ -> Concept stream - store/ -> TERMINOLOGY
    TERMINOLOGY - pairs/ -> training examples - encoder/ -> ENCODER
    TERMINOLOGY + ENCODER - index/ -> INDEX - tasks/ -> hits, normalizations
    results + gold - evaluate/ -> REPORT

Imports only point down this list::

    types      frozen records: Concept, Term, Relation, Mapping, Mention, Hit, Reason
    errors     every error raised on purpose, drawn as a tree
    arrays     the few types of arrays, each named once
    checksums  checksums of files, taken while they are written
    replacing  one rename puts a finished folder in its place; locks, and what a killed writer left
    artifact   folders that are there whole or not at all, with a manifest that is checked when they are opened
    text       pure text: normalization with reasons, columns of strings, abbreviations, composites, negation cues
    files      bytes in and out: sources, archives, XML, delimited text, records, pages; knows no format of the field
    documents  mentions and documents, one file for each format, each reading and writing
    ontology   readers of releases, one room for each format behind one table with detection (formats.py)
    store      the terminology on disk: build, open, hierarchy, differences, mappings, export
    encoder    texts to vectors, inference only: static, ONNX, transformer, word vectors, joined; rerankers
    index      the signals, the query, the ranking and its confidence, inference only; an open index never changes
    tasks      search, explain, rerank, normalize, annotate, match, align, review; the spaCy component
    learning   all that learns: training examples, encoders, rerankers, ranking, calibration, hard negatives
    benchmark  similarity sets, questions for search, splits, made from a terminology itself
    evaluate   gold corpora, measures, intervals, comparisons, reports
    serve      results for people and programs: JSON and TSV shapes, answers in files, the review on a terminal
    cli        one file for each verb: options, one call, one shape

The names below are loaded when they are first asked for; importing ``ontonym`` loads nothing::

    import ontonym

    release = ontonym.read_release(["hp.obo"])
    ontonym.build_terminology(release, "hp.terminology")
    with ontonym.open_terminology("hp.terminology") as terminology:
        ontonym.build_index([terminology], "hp.index")
    with ontonym.open_index("hp.index") as index:
        for hit in ontonym.search(index, "heart skipping beats"):
            print(hit.id, hit.preferred, hit.confidence)
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ontonym.encoder import open_encoder
    from ontonym.errors import OntonymError
    from ontonym.index import build_index, open_index
    from ontonym.ontology.formats import read_release
    from ontonym.ontology.release import ReadOptions
    from ontonym.store import build_terminology, open_terminology
    from ontonym.store.diff import diff
    from ontonym.tasks.annotate import AnnotateOptions, annotate
    from ontonym.tasks.explain import explain
    from ontonym.tasks.normalize import NormalizeOptions, normalize
    from ontonym.tasks.search import SearchOptions, search
    from ontonym.types import Concept, Hit, Mention, Term

    __version__: str

__all__ = [
    "AnnotateOptions",
    "Concept",
    "Hit",
    "Mention",
    "NormalizeOptions",
    "OntonymError",
    "ReadOptions",
    "SearchOptions",
    "Term",
    "annotate",
    "build_index",
    "build_terminology",
    "diff",
    "explain",
    "normalize",
    "open_encoder",
    "open_index",
    "open_terminology",
    "read_release",
    "search",
]

_ROOMS = MappingProxyType(
    {
        "AnnotateOptions": "ontonym.tasks",
        "Concept": "ontonym.types",
        "Hit": "ontonym.types",
        "Mention": "ontonym.types",
        "NormalizeOptions": "ontonym.tasks",
        "OntonymError": "ontonym.errors",
        "ReadOptions": "ontonym.ontology.release",
        "SearchOptions": "ontonym.tasks",
        "Term": "ontonym.types",
        "annotate": "ontonym.tasks",
        "build_index": "ontonym.index",
        "build_terminology": "ontonym.store",
        "diff": "ontonym.store.diff",
        "explain": "ontonym.tasks",
        "normalize": "ontonym.tasks",
        "open_encoder": "ontonym.encoder",
        "open_index": "ontonym.index",
        "open_terminology": "ontonym.store",
        "read_release": "ontonym.ontology.formats",
        "search": "ontonym.tasks",
    }
)
"""Where each public name lives."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ontonym.artifact import ontonym_version

        value: Any = ontonym_version()
    elif name in _ROOMS:
        import importlib

        value = getattr(importlib.import_module(_ROOMS[name]), name)
    else:
        raise AttributeError(f"module 'ontonym' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
