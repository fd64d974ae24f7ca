"""The read-only handle on an index: its terminologies, its encoder and its signals, checked against one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from ontonym.arrays import Mask
from ontonym.artifact import MANIFEST, Manifest, open_artifact
from ontonym.encoder import open_encoder
from ontonym.encoder.protocol import Encoder
from ontonym.errors import ArtifactError, MismatchError, UnknownIdError, UnknownNameError
from ontonym.index.added import Added, find_concept
from ontonym.index.calibration import Calibration
from ontonym.index.fuse import Fusion
from ontonym.index.handle import Handle, check_same, opened_sources
from ontonym.index.part import IndexPart
from ontonym.index.place import found_place, kept_encoder
from ontonym.index.signals import Signals
from ontonym.store import Terminology
from ontonym.types import Term

_REMEDY = "rebuild with `build_index()`"
_FILTERS = 4  # bitmaps that are kept


def open_index(
    path: Path | str,
    *,
    terminologies: Sequence[Path | str] | None = None,
    encoder: Path | str | None = None,
) -> Index:
    """The index at ``path`` with the terminologies and the encoder it was made from; close it, or use ``with``.

    These are looked for where they were, beside the index first; ``terminologies`` and ``encoder`` say where else.
    Raises ArtifactError where one is missing, MismatchError where one is no longer what the index was made from.
    """
    return IndexPlace(Path(path), tuple(terminologies or ()), encoder).open()


@dataclass(frozen=True, slots=True)
class IndexPlace:
    """Where an index is, and where its terminologies and its encoder are if they were moved (see `open_index`)."""

    path: Path
    terminologies: tuple[Path | str, ...] = ()
    encoder: Path | str | None = None

    def at(self, path: Path | str) -> IndexPlace:
        """The same, for the index at ``path``."""
        return replace(self, path=Path(path))

    def open(self) -> Index:
        """The index, opened."""
        return open_artifact(self.path, "index", lambda folder, manifest: _open(folder, manifest, self))


def _open(folder: Path, manifest: Manifest, given: IndexPlace) -> Index:
    facts, stamp = manifest.content, _stamp(folder)
    made_from = facts["identity"]["terminologies"]
    places = given.terminologies or [found_place(folder, place, "terminology") for place in facts["terminologies"]]
    if len(places) != len(made_from):
        raise MismatchError(f"{folder}: was made from {len(made_from)} terminologies, but {len(places)} were given")
    place = kept_encoder(folder, facts["encoder"]) if given.encoder is None else given.encoder
    with opened_sources(folder, places, made_from, _REMEDY) as terminologies:
        encoder = open_encoder(place)
        check_same(folder, "the encoder", facts["identity"]["encoder"], encoder.fingerprint, place, _REMEDY)
        try:
            ontology = IndexPart(folder)
            signals = Signals(encoder, ontology, Added.open(folder, len(ontology.names)))
        except (OSError, ValueError) as error:
            raise ArtifactError(f"{folder}: damaged: {error}; {_REMEDY}") from error
        return Index(folder, manifest, terminologies, signals, Calibration.open(folder), given, stamp)


def _stamp(path: Path) -> tuple[int, int] | None:
    """What changes when the artifact at a path is replaced; None where it cannot be read."""
    try:
        status = (path / MANIFEST).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


class Index(Handle):
    """An open index, which threads may share. It never changes: `refreshed` gives one that has what was added since.

    Concepts are numbered through all terminologies in order. ``signals`` are what is searched, and ``calibration`` is
    what `ontonym.evaluate.calibration` learned, or None.
    """

    def __init__(
        self,
        path: Path,
        manifest: Manifest,
        terminologies: tuple[Terminology, ...],
        signals: Signals,
        calibration: Calibration | None,
        opened_as: IndexPlace,
        stamp: tuple[int, int] | None,
    ) -> None:
        super().__init__(path, manifest, terminologies)
        self.signals = signals
        self.calibration = calibration
        self.opened_as = opened_as
        self._stamp = stamp
        self._masks = lru_cache(_FILTERS)(partial(_mask, terminologies))

    def __len__(self) -> int:
        return len(self.signals.names)

    def refreshed(self) -> Index:
        """The index with the terms that were added or removed since, the calibration and the tuned strategy of today.

        Itself where nothing changed, which costs one look at the time of the manifest; else a handle that shares its
        files, so that closing either closes both. Where the index was replaced by another one, what was opened stays.
        """
        stamp = _stamp(self.path)
        if stamp == self._stamp or stamp is None:
            return self
        try:
            return open_artifact(self.path, "index", partial(self._again, stamp))
        except (ArtifactError, OSError, ValueError):  # it is gone or damaged: what was opened is whole
            return self

    def _again(self, stamp: tuple[int, int], folder: Path, manifest: Manifest) -> Index:
        signals, calibration = self.signals, self.calibration
        if manifest.content["identity"] == self.manifest.content["identity"]:
            signals = signals.with_added(Added.open(folder, len(signals.names)))
            calibration = Calibration.open(folder)
        else:
            manifest = self.manifest
        return Index(self.path, manifest, self.terminologies, signals, calibration, self.opened_as, stamp)

    @property
    def fusion(self) -> Fusion:
        """What makes one confidence of all signals."""
        return self.signals.fusion

    @property
    def encoder(self) -> Encoder:
        """What encodes queries."""
        return self.signals.encoder

    @property
    def concept_count(self) -> int:
        """The number of concepts of all its terminologies."""
        return self._offsets[-1]

    def find(self, concept_id: str) -> int | None:
        """The concept number with this id, alternative ids and replacements of retired ones included, or None."""
        return find_concept(self.terminologies, concept_id)

    def term(self, name: int) -> Term:
        """The term of a name row; those of added terms follow the ontology's."""
        names, added = self.signals.names, self.signals.added
        if name >= len(names) and added is not None:
            return added.term(name - len(names))
        terminology, _ = self.locate(int(names.concepts[name]))
        return terminology.term(int(names.terms[name]))

    def text(self, name: int) -> str:
        """The text of a name row of the ontology."""
        names = self.signals.names
        terminology, _ = self.locate(int(names.concepts[name]))
        return terminology.term_texts()[int(names.terms[name])]

    def aliases(self, concept: int) -> tuple[str, ...]:
        """The names of a concept number that are searched, one of each spelling, the preferred one first, those that
        were added last; empty where it has none.
        """
        names, added = self.signals.names, self.signals.added
        texts = self.locate(concept)[0].term_texts()
        found = [texts[int(row)] for row in names.terms[names.bounds[concept] : names.bounds[concept + 1]]]
        if added is not None:
            own = added.part.names.bounds
            found += [added.term(row).text for row in range(int(own[concept]), int(own[concept + 1]))]
        return tuple(dict.fromkeys(found))

    def resolve(self, concept_id: str) -> str | None:
        """The current id of the concept that this id means today, or None."""
        concept = self.find(concept_id)
        return None if concept is None else self.id(concept)

    def number(self, concept_id: str) -> int:
        """The concept number with this id; UnknownIdError names the nearest ids."""
        concept = self.find(concept_id)
        if concept is not None:
            return concept
        for terminology in self.terminologies:
            try:
                terminology.row(concept_id)
            except UnknownIdError as error:
                if error.nearest:
                    raise
        raise UnknownIdError(concept_id, self.name)

    def number_in(self, terminology: str, concept_id: str) -> int:
        """The concept number with this very id in the terminology of this name; several terminologies may have it."""
        for one, offset in zip(self.terminologies, self._offsets, strict=False):
            if one.name == terminology:
                return offset + one.row(concept_id)
        return self.number(concept_id)

    def mask(
        self,
        *,
        within: Sequence[str] = (),
        tags: Sequence[str] = (),
        terminologies: Sequence[str] = (),
    ) -> Mask | None:
        """A bitmap over concepts, or None for all: below or at one of ``within``, with one of ``tags``, and of one of
        the named ``terminologies``. Unknown names are errors that list the valid ones.
        """
        if not (within or tags or terminologies):
            return None
        numbers = tuple(self.number(concept_id) for concept_id in within)
        return self._masks(numbers, tuple(tags), tuple(terminologies))  # one query after another has the same filter


def _mask(
    terminologies: Sequence[Terminology], within: tuple[int, ...], tags: tuple[str, ...], named: tuple[str, ...]
) -> Mask:
    names = [terminology.name for terminology in terminologies]
    known = {tag for terminology in terminologies for tag in terminology.tags}
    for what, wanted, valid in (("terminology", named, names), ("tag", tags, known)):
        for name in wanted:
            if name not in valid:
                raise UnknownNameError(what, name, valid)
    parts, first = [], 0
    for terminology in terminologies:
        count = len(terminology)
        part = np.full(count, not named or terminology.name in named)
        if within:
            rows = [number - first for number in within if 0 <= number - first < count]
            part &= terminology.hierarchy.descendants_mask(rows) if rows else np.False_
        if tags:
            tagged = np.zeros(count, dtype=np.bool_)
            for tag in set(tags) & set(terminology.tags):
                tagged |= terminology.tagged(tag)
            part &= tagged
        parts.append(part)
        first += count
    mask = np.concatenate(parts)
    mask.flags.writeable = False
    return mask
