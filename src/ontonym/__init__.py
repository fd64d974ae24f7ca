"""ontonym finds the concept behind any clinical words.

Data flows one way; each folder is one verb, each verb one command, and each leaves one artifact::

    release files - ontology/ -> Concept stream - store/ -> TERMINOLOGY
    TERMINOLOGY - pairs/ -> training examples - encoder/ -> ENCODER
    TERMINOLOGY + ENCODER - index/ -> INDEX - tasks/ -> hits, normalizations
    results + gold - evaluate/ -> REPORT

Imports only point down this list::

    pickling     records that travel between processes are pickled as a tuple of their fields
    types        frozen records: Concept, Term, Relation, Mapping, Mention, Hit, Reason
    errors       every error raised on purpose, drawn as a tree
    ranges       the least and the most that a number among options may be
    arrays       the few types of arrays, each named once
    ragged       lists of different lengths, end to end in one array
    closing      what is open until the end of a `with`
    jsonbytes    JSON of anything that files and their names can hold
    wanted       whether anybody waits for what a thread computes
    memo         what was computed is kept for the next time, up to a number of values
    checksums    checksums of files, taken while they are written
    replacing    one rename puts a finished folder in its place; locks, and what a killed writer left
    resuming     what the writer of an artifact or of a long file has done, so that it goes on after it was killed
    manifest     what an artifact is, where it comes from and what it must hold; the kinds and their format versions
    artifact     folders that are there whole or not at all, with a manifest that is checked when they are opened
    text         pure text: normalization with reasons, columns of strings, abbreviations, composites, negation cues
    files        bytes in and out: sources, archives, XML, delimited text, records, pages; knows no format of the field
    documents    mentions and documents, one file for each format, each reading and writing
    ontology     readers of releases, one room for each format behind one table with detection (formats.py)
    store        the terminology on disk: build, open, hierarchy, differences, mappings, export
    encoder      texts to vectors, inference only: static, ONNX, transformer, word vectors, joined; rerankers
    index        the signals, the query, the ranking and its confidence, inference only; an open index never changes
    tasks        search, explain, rerank, normalize, annotate, match, align, review; the spaCy component
    learning     all that learns: training examples, encoders, rerankers, ranking, calibration, hard negatives
    benchmark    similarity sets, questions for search, splits, made from a terminology itself
    evaluate     gold corpora, measures, intervals, comparisons, reports
    serve        results for people and programs: shapes, answers in files, the review on a terminal, the server
    distributed  work shared out among machines: Arrow batches for every engine, Dask, Spark, jobs of files
    api          the Python interface: open artifacts that answer, functions for every verb, frames of other libraries
    cli          one file for each verb: options, one call, one shape

The names below are loaded when they are first asked for; importing ``ontonym`` loads nothing::

    import ontonym

    ontonym.import_release("hp.obo", "hp.terminology")
    ontonym.build_index("hp.terminology", "hp.index")
    with ontonym.open("hp.index") as index:
        for hit in index.search("heart skipping beats", k=3):
            print(hit.id, hit.preferred, hit.confidence)
        print(index["HP:0001962"].parents)
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ontonym.api.duck import register_duckdb
    from ontonym.api.finding import annotate, explain, normalize, search, show, tree
    from ontonym.api.handles import IndexHandle
    from ontonym.api.learning import calibrate, distill, join, learn_ranking, pairs, train_reranker
    from ontonym.api.making import (
        add_terms,
        build_index,
        diff,
        export,
        import_release,
        info,
        remove_terms,
        terms,
        update,
    )
    from ontonym.api.mapping import align, carry, export_mappings, match, read_mappings
    from ontonym.api.measuring import (
        build_gold,
        build_sets,
        evaluate_alignment,
        evaluate_annotation,
        evaluate_baselines,
        evaluate_categories,
        evaluate_heldout,
        evaluate_matching,
        evaluate_normalization,
        evaluate_runs,
        evaluate_search,
        evaluate_similarity,
        evaluate_strategies,
        hidden_names,
    )
    from ontonym.api.opening import (
        open,
        open_encoder,
        open_index,
        open_pages,
        open_reranker,
        open_terminology,
        sentence_transformer,
    )
    from ontonym.api.reviewing import ReviewHandle, merge_reviews, open_review, start_review
    from ontonym.api.terminologies import TerminologyHandle
    from ontonym.api.training import train
    from ontonym.errors import (
        ArtifactError,
        CheckFailed,
        FormatError,
        InputError,
        LockedError,
        MismatchError,
        MissingExtraError,
        OntonymError,
        UnknownIdError,
        UnknownNameError,
        WrongTypeError,
    )
    from ontonym.ontology.formats import read_release
    from ontonym.ontology.options import ReadOptions
    from ontonym.store import build_terminology
    from ontonym.tasks import AnnotateOptions, NormalizeOptions, SearchOptions
    from ontonym.tasks.concepts import ConceptView
    from ontonym.tasks.match import MatchOptions
    from ontonym.types import Concept, Hit, Mention, Term

    __version__: str

__all__ = [
    "AnnotateOptions",
    "ArtifactError",
    "CheckFailed",
    "Concept",
    "ConceptView",
    "FormatError",
    "Hit",
    "IndexHandle",
    "InputError",
    "LockedError",
    "MatchOptions",
    "Mention",
    "MismatchError",
    "MissingExtraError",
    "NormalizeOptions",
    "OntonymError",
    "ReadOptions",
    "ReviewHandle",
    "SearchOptions",
    "Term",
    "TerminologyHandle",
    "UnknownIdError",
    "UnknownNameError",
    "WrongTypeError",
    "add_terms",
    "align",
    "annotate",
    "build_gold",
    "build_index",
    "build_sets",
    "build_terminology",
    "calibrate",
    "carry",
    "diff",
    "distill",
    "evaluate_alignment",
    "evaluate_annotation",
    "evaluate_baselines",
    "evaluate_categories",
    "evaluate_heldout",
    "evaluate_matching",
    "evaluate_normalization",
    "evaluate_runs",
    "evaluate_search",
    "evaluate_similarity",
    "evaluate_strategies",
    "explain",
    "export",
    "export_mappings",
    "hidden_names",
    "import_release",
    "info",
    "join",
    "learn_ranking",
    "match",
    "merge_reviews",
    "normalize",
    "open",
    "open_encoder",
    "open_index",
    "open_pages",
    "open_reranker",
    "open_review",
    "open_terminology",
    "pairs",
    "read_mappings",
    "read_release",
    "register_duckdb",
    "remove_terms",
    "search",
    "sentence_transformer",
    "show",
    "start_review",
    "terms",
    "train",
    "train_reranker",
    "tree",
    "update",
]

_ROOMS = MappingProxyType(
    {
        "AnnotateOptions": "ontonym.tasks",
        "ArtifactError": "ontonym.errors",
        "CheckFailed": "ontonym.errors",
        "Concept": "ontonym.types",
        "ConceptView": "ontonym.tasks.concepts",
        "FormatError": "ontonym.errors",
        "Hit": "ontonym.types",
        "IndexHandle": "ontonym.api.handles",
        "InputError": "ontonym.errors",
        "LockedError": "ontonym.errors",
        "MatchOptions": "ontonym.tasks.match",
        "Mention": "ontonym.types",
        "MismatchError": "ontonym.errors",
        "MissingExtraError": "ontonym.errors",
        "NormalizeOptions": "ontonym.tasks",
        "OntonymError": "ontonym.errors",
        "ReadOptions": "ontonym.ontology.options",
        "ReviewHandle": "ontonym.api.reviewing",
        "SearchOptions": "ontonym.tasks",
        "Term": "ontonym.types",
        "TerminologyHandle": "ontonym.api.terminologies",
        "UnknownIdError": "ontonym.errors",
        "UnknownNameError": "ontonym.errors",
        "WrongTypeError": "ontonym.errors",
        "add_terms": "ontonym.api.making",
        "align": "ontonym.api.mapping",
        "annotate": "ontonym.api.finding",
        "build_gold": "ontonym.api.measuring",
        "build_index": "ontonym.api.making",
        "build_sets": "ontonym.api.measuring",
        "build_terminology": "ontonym.store",
        "calibrate": "ontonym.api.learning",
        "carry": "ontonym.api.mapping",
        "diff": "ontonym.api.making",
        "distill": "ontonym.api.learning",
        "evaluate_alignment": "ontonym.api.measuring",
        "evaluate_annotation": "ontonym.api.measuring",
        "evaluate_baselines": "ontonym.api.measuring",
        "evaluate_categories": "ontonym.api.measuring",
        "evaluate_heldout": "ontonym.api.measuring",
        "evaluate_matching": "ontonym.api.measuring",
        "evaluate_normalization": "ontonym.api.measuring",
        "evaluate_runs": "ontonym.api.measuring",
        "evaluate_search": "ontonym.api.measuring",
        "evaluate_similarity": "ontonym.api.measuring",
        "evaluate_strategies": "ontonym.api.measuring",
        "explain": "ontonym.api.finding",
        "export": "ontonym.api.making",
        "export_mappings": "ontonym.api.mapping",
        "hidden_names": "ontonym.api.measuring",
        "import_release": "ontonym.api.making",
        "info": "ontonym.api.making",
        "join": "ontonym.api.learning",
        "learn_ranking": "ontonym.api.learning",
        "match": "ontonym.api.mapping",
        "merge_reviews": "ontonym.api.reviewing",
        "normalize": "ontonym.api.finding",
        "open": "ontonym.api.opening",
        "open_encoder": "ontonym.api.opening",
        "open_index": "ontonym.api.opening",
        "open_pages": "ontonym.api.opening",
        "open_reranker": "ontonym.api.opening",
        "open_review": "ontonym.api.reviewing",
        "open_terminology": "ontonym.api.opening",
        "pairs": "ontonym.api.learning",
        "read_mappings": "ontonym.api.mapping",
        "read_release": "ontonym.ontology.formats",
        "register_duckdb": "ontonym.api.duck",
        "remove_terms": "ontonym.api.making",
        "search": "ontonym.api.finding",
        "sentence_transformer": "ontonym.api.opening",
        "show": "ontonym.api.finding",
        "start_review": "ontonym.api.reviewing",
        "terms": "ontonym.api.making",
        "train": "ontonym.api.training",
        "train_reranker": "ontonym.api.learning",
        "tree": "ontonym.api.finding",
        "update": "ontonym.api.making",
    }
)
"""Where each public name lives."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ontonym.manifest import ontonym_version

        value: Any = ontonym_version()
    elif name in _ROOMS:
        import importlib

        value = getattr(importlib.import_module(_ROOMS[name]), name)
    else:
        raise AttributeError(f"module 'ontonym' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__, "__version__"})
