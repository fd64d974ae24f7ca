"""RF2 tables joined into concepts, all in columns: a release of half a million concepts takes seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ontonym.arrays import Column, Mask
from ontonym.files.source import Source
from ontonym.ontology.batch import Batch, BatchBuilder
from ontonym.ontology.release import ReleaseLog
from ontonym.ontology.rf2.components import UNPUBLISHED, Loader, Rf2Rows, Wanted
from ontonym.ontology.rf2.files import chosen_files
from ontonym.ontology.rf2.ids import FULLY_DEFINED
from ontonym.ontology.rf2.links import LINK_TABLES, PREFIX, Spoken, link_concepts
from ontonym.ontology.rf2.names import DEFINITION, KIND_NAMES, SnomedNames, names_of, semantic_tags
from ontonym.text.strings import Coded, Strings

NOT_TAGGED = "concept without one of the semantic tags asked for"
BATCH = 1 << 16
"""Concepts in one batch."""

_DESCRIPTION = Wanted(("conceptId", "typeId"), ("languageCode", "term"))


def read_rf2(sources: Sequence[Source], log: ReleaseLog) -> Iterator[Batch]:
    """The concepts of an RF2 release, or of several that build on one another, by ascending id.

    Options: ``dialects`` decide the preferred term, ``at`` reads Full files as they were on a day, ``tags`` keeps
    concepts of some semantic tags, ``languages`` names in some languages.

    Raises:
        FormatError: files that cannot be read, or that lack what the release needs.
        InputError: a dialect that the release has no reference set for.
    """
    files = chosen_files(sources, log)
    yield Batch.of(())
    loader = Loader(files, log)
    concepts = loader.load("concept", Wanted(("definitionStatusId",)))
    concepts = concepts.only(np.argsort(concepts["id"], kind="stable"))
    ids = concepts["id"]
    names = _load_names(ids, loader, log)
    tags, tag_names = semantic_tags(names, len(ids))
    wanted = _tagged(tags, tag_names, log)
    gathered = _gather(concepts, names, loader)
    gathered.add("tags", np.flatnonzero(tags >= 0), coded={"tag": Coded(tags[tags >= 0], tag_names)})
    log.details["modules"] = _modules(concepts)
    texts = Strings.decimal(ids, PREFIX)
    log.counts.drop(NOT_TAGGED, int(np.count_nonzero(~wanted)))
    for start in range(0, len(ids), BATCH):
        rows = start + np.flatnonzero(wanted[start : start + BATCH])
        if len(rows):
            yield Batch(texts.take(rows), ~concepts["active"][rows], gathered.parts(rows))


def _load_names(ids: Column, loader: Loader, log: ReleaseLog) -> SnomedNames:
    """All names, with their dialects; the tables they come from are freed before others are read."""
    members = loader.load("language", Wanted(("refsetId", "referencedComponentId", "acceptabilityId")))
    return names_of(ids, loader.load("description", _DESCRIPTION), members, loader, log)


def _gather(concepts: Rf2Rows, names: SnomedNames, loader: Loader) -> BatchBuilder:
    """Everything of the concepts but their tags, by group."""
    ids = concepts["id"]
    gathered = BatchBuilder(len(ids))
    is_definition = names.kind == DEFINITION
    own = np.flatnonzero(names.wanted & ~is_definition)
    count = len(own)
    status = Coded(names.retired[own].astype(np.uint8), ("active", "retired"))
    gathered.add(
        "terms",
        names.owner[own],
        {"term_text": names.text.take(own) if count < len(names.text) else names.text},
        {
            "term_kind": Coded(names.kind[own], KIND_NAMES),
            "term_scope": Coded.same("exact", count),
            "term_status": status,
            "term_language": Coded(names.language[own], names.languages),
            "term_source": Coded.same("", count),
        },
    )
    stated = np.flatnonzero(is_definition & names.wanted & ~names.retired)
    gathered.add("definitions", names.owner[stated], {"definitions": names.text.take(stated)})
    spoken = Spoken(ids, names)
    for table, wanted in LINK_TABLES.items():
        link_concepts(table, loader.load(table, wanted), spoken, loader, gathered)
    _add_properties(concepts, gathered)
    return gathered


def _add_properties(concepts: Rf2Rows, gathered: BatchBuilder) -> None:
    """What the concept file itself says of each concept; one that is not published yet has no date."""
    defined = np.where(concepts["definitionStatusId"] == FULLY_DEFINED, 0, 1)
    every, published = np.arange(len(concepts)), np.flatnonzero(concepts["time"] < UNPUBLISHED)
    for name, rows, values in (
        ("sufficientlyDefined", every, Strings.of(("true", "false")).take(defined)),
        ("moduleId", every, Strings.decimal(concepts["module"])),
        ("effectiveTime", published, Strings.decimal(concepts["time"][published])),
    ):
        gathered.add("properties", rows, {"property_value": values}, {"property_name": Coded.same(name, len(rows))})


def _tagged(tags: Column, tag_names: Sequence[str], log: ReleaseLog) -> Mask:
    """Which concepts are wanted; ``tags`` are places in ``tag_names``, -1 for a concept without a tag."""
    if not log.options.tags:
        return np.ones(len(tags), dtype=np.bool_)
    return np.isin(tags, [place for place, name in enumerate(tag_names) if log.options.takes_tags((name,))])


def _modules(concepts: Rf2Rows) -> dict[str, str]:
    """The modules of the release, each with the latest date of any concept of it."""
    concepts = concepts.only(concepts["time"] < UNPUBLISHED)
    modules, inverse = np.unique(concepts["module"], return_inverse=True)
    latest = np.zeros(len(modules), dtype=np.int64)
    np.maximum.at(latest, inverse, concepts["time"])
    return {str(module): str(time) for module, time in zip(modules.tolist(), latest.tolist(), strict=True)}
