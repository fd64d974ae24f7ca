"""Phenopackets: for each document the phenotypic features that its text states of the patient, as GA4GH exchanges them.

Jacobsen et al. 2022, The GA4GH Phenopacket schema defines a computable representation of clinical data; version 2,
https://phenopacket-schema.readthedocs.io. Only what a note says is written: neither onset nor sex nor a diagnosis.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ontonym.documents import Document
from ontonym.errors import InputError, needing
from ontonym.files.output import written_file
from ontonym.index import Index
from ontonym.serve.notes.names import DocumentNames
from ontonym.tasks.documents import MarkAnswer

FEATURES = "HP:0000118"
"""Phenotypic abnormality, below which the concepts lie that are features."""

_NOT_STATED = frozenset({"family", "uncertain", "hypothetical"})
_OBO = "http://purl.obolibrary.org/obo"


class PhenopacketFolder:
    """A folder with a phenopacket for each document, NAME.json.

    A concept is a feature if the text states it of the patient somewhere, now or in the past, and an excluded one if it
    only denies it; a concept of another terminology is the feature that it is equivalent to. Mentions of the family,
    uncertain and hypothetical ones are left out, and so is what is not below `FEATURES`: ``left_out`` counts them by
    reason. Raises MissingExtraError without the library, InputError if the index has no HPO.
    """

    def __init__(self, place: Path, index: Index, source: str, left_out: Counter[str]) -> None:
        with needing("phenopackets", "phenopackets", "writing phenopackets"):
            import phenopackets
        number = index.find(FEATURES)
        if number is None:
            raise InputError(f"{index.name}: phenopackets have features of HPO, and this index has no {FEATURES}")
        self._schema: Any = phenopackets
        self._index = index
        self._allowed = index.mask(within=(FEATURES,))
        self._release = index.locate(number)[0].version
        self._source = source
        self._left_out = left_out
        self._place = place
        self._names = DocumentNames()
        place.mkdir(parents=True, exist_ok=True)

    def write(self, document: Document, found: Sequence[MarkAnswer]) -> None:
        """The phenopacket of a document."""
        from google.protobuf.json_format import MessageToJson

        name = self._names.of(document.id)
        packet = self._schema.Phenopacket(
            id=document.id or name,
            subject=self._schema.Individual(id=document.id or name),
            phenotypic_features=self._features(found),
            meta_data=self._about(),
        )
        with written_file(self._place / f"{name}.json") as stream:
            stream.write(f"{MessageToJson(packet, ensure_ascii=False)}\n".encode(errors="replace"))

    def _features(self, found: Sequence[MarkAnswer]) -> list[Any]:
        """One feature for each concept, in the order of the first mentions."""
        concepts: dict[str, list[MarkAnswer]] = {}
        for one in found:
            feature = self._feature_of(one)
            if feature is None:
                self._left_out["of no phenotypic abnormality in HPO"] += 1
            elif _NOT_STATED.isdisjoint(one.context or ()):
                concepts.setdefault(feature, []).append(one)
            else:
                self._left_out["not stated of the patient"] += 1
        features = []
        for id_, ones in concepts.items():
            stated = [one for one in ones if "negated" not in (one.context or ())]
            words = dict.fromkeys(" ".join(one.mark.mention.text.split()) for one in stated or ones)
            features.append(
                self._schema.PhenotypicFeature(
                    type=self._schema.OntologyClass(id=id_, label=self._label(id_)),
                    excluded=not stated,
                    description="; ".join(words),
                )
            )
        return features

    def _feature_of(self, one: MarkAnswer) -> str | None:
        """The concept of a mention, or an equivalent one, that is a feature."""
        ids = () if one.answer.id is None else (one.answer.id, *one.answer.equivalents)
        return next(filter(self._is_feature, ids), None)

    def _is_feature(self, id_: str) -> bool:
        number = self._index.find(id_)
        return id_ != FEATURES and number is not None and (self._allowed is None or bool(self._allowed[number]))

    def _label(self, id_: str) -> str:
        terminology, row = self._index.locate(self._index.number(id_))
        return terminology.preferred(row)

    def _about(self) -> Any:
        about = self._schema.MetaData(
            created_by=self._source,
            resources=[
                self._schema.Resource(
                    id="hp", name="human phenotype ontology", url=f"{_OBO}/hp.owl", version=self._release,
                    namespace_prefix="HP", iri_prefix=f"{_OBO}/HP_",
                )
            ],
            phenopacket_schema_version="2.0",
        )  # fmt: skip
        about.created.FromDatetime(datetime.now(UTC).replace(microsecond=0))
        return about
