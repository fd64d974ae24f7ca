"""The read-only handle on an index: its terminologies, its encoder and its signals, checked against one another."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from ontonym.arrays import Mask
from ontonym.artifact import MANIFEST, Manifest, open_artifact
from ontonym.encoder import open_encoder
from ontonym.encoder.protocol import Encoder
from ontonym.errors import ArtifactError, MismatchError, UnknownIdError, UnknownNameError
from ontonym.index.added import Added, find_concept
from ontonym.index.calibration import Calibration
from ontonym.index.evidence import Signals
from ontonym.index.fuse import Fusion, default_fusion
from ontonym.index.part import Part
from ontonym.index.place import found_place, kept_encoder
from ontonym.index.spelling import Speller
from ontonym.store import Terminology, open_terminology
from ontonym.types import Term


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


def _open(
    folder: Path,
    manifest: Manifest,
    given: IndexPlace,
) -> Index:
    facts = manifest.content
    places = given.terminologies or [found_place(folder, place, "terminology") for place in facts["terminologies"]]
    expected = facts["identity"]["terminologies"]
    if len(places) != len(expected):
        raise MismatchError(f"{folder}: was made from {len(expected)} terminologies, but {len(places)} were given")
    encoder = given.encoder
    if encoder is None:
        encoder = kept_encoder(folder, facts["encoder"])
    opened: list[Terminology] = []
    try:
        for place, source in zip(places, expected, strict=True):
            opened.append(open_terminology(place))
            _check_same(folder, f"the terminology {source['name']}", source["fingerprint"], opened[-1], place)
        coder = open_encoder(encoder)
        _check_same(folder, "the encoder", facts["identity"]["encoder"], coder, encoder)
        return Index(folder, manifest, tuple(opened), coder, given)
    except BaseException:
        for terminology in opened:
            terminology.close()
        raise


def _check_same(index: Path, what: str, expected: str, found: Terminology | Encoder, place: Path | str) -> None:
    if found.fingerprint != expected:
        raise MismatchError(
            f"{index}: {what} it was made from is not the one at {place} (fingerprint {expected[:12]} then, "
            f"{found.fingerprint[:12]} now): rebuild with `ontonym index`"
        )


def _stamp(path: Path) -> tuple[int, int] | None:
    """What changes when the artifact at a path is replaced; None where it cannot be read."""
    try:
        status = (path / MANIFEST).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


class Index:
    """An open index; read-only, and shared by threads. Concepts are numbered through all terminologies in order."""

    def __init__(
        self,
        path: Path,
        manifest: Manifest,
        terminologies: tuple[Terminology, ...],
        encoder: Encoder,
        opened_as: IndexPlace,
    ) -> None:
        self.path = path
        self.opened_as = opened_as
        self.manifest = manifest
        self.terminologies = terminologies
        self.encoder = encoder
        try:
            self._stamp = _stamp(path)
            ontology = Part(path)
            self.signals = Signals(encoder, ontology, Added.open(path, len(ontology.names)))
        except (OSError, ValueError) as error:
            raise ArtifactError(f"{path}: damaged: {error}; rebuild with `ontonym index`") from error
        self.calibration: Calibration | None = Calibration.open(path)
        self.speller = Speller(self.signals.names)
        self.fusion: Fusion = default_fusion()
        self._offsets = [0, *accumulate(map(len, terminologies))]
        self._last_mask: tuple[tuple[tuple[str, ...], ...], Mask | None] = ((), None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the terminologies; the handle cannot be asked afterwards."""
        for terminology in self.terminologies:
            terminology.close()

    def __len__(self) -> int:
        return len(self.signals.names)

    def refresh(self) -> None:
        """Takes up the terms that were added or removed since, and the calibration; the next search sees them.

        Costs one look at the manifest's time. Where the index itself was replaced by another, the handle stays with the
        one it opened.
        """
        stamp = _stamp(self.path)
        if stamp == self._stamp or stamp is None:
            return
        try:
            open_artifact(self.path, "index", self._take_up)
        except ArtifactError:  # it is being replaced or is gone: what was opened is whole
            return
        self._stamp = stamp

    def _take_up(self, folder: Path, manifest: Manifest) -> None:
        if manifest.content["identity"] != self.manifest.content["identity"]:
            return
        ontology = self.signals.ontology
        self.manifest = manifest
        self.signals = Signals(self.encoder, ontology, Added.open(folder, len(ontology.names)))
        self.calibration = Calibration.open(folder)

    def __repr__(self) -> str:
        return f"<Index of {self.name} at {self.path}>"

    @property
    def name(self) -> str:
        """The names of its terminologies."""
        return " + ".join(terminology.name for terminology in self.terminologies)

    @property
    def releases(self) -> str:
        """The names of its terminologies with their versions."""
        return " + ".join(f"{terminology.name} {terminology.version}".strip() for terminology in self.terminologies)

    @property
    def concept_count(self) -> int:
        """The number of concepts of all its terminologies."""
        return self._offsets[-1]

    def locate(self, concept: int) -> tuple[Terminology, int]:
        """The terminology of a concept number and the concept's row in it."""
        place = bisect_right(self._offsets, concept) - 1
        return self.terminologies[place], concept - self._offsets[place]

    def id(self, concept: int) -> str:
        """The id of a concept number."""
        terminology, row = self.locate(concept)
        return terminology.id(row)

    def preferred(self, concept: int) -> str:
        """The preferred term of a concept number."""
        terminology, row = self.locate(concept)
        return terminology.preferred(row)

    def find(self, concept_id: str) -> int | None:
        """The concept number with this id, alternative ids and replacements of retired ones included, or None."""
        return find_concept(self.terminologies, concept_id)

    def term(self, name: int) -> Term:
        """The term of a name row of the ontology."""
        names = self.signals.names
        terminology, _ = self.locate(int(names.concepts[name]))
        return terminology.term(int(names.terms[name]))

    def text(self, name: int) -> str:
        """The text of a name row of the ontology."""
        names = self.signals.names
        terminology, _ = self.locate(int(names.concepts[name]))
        return terminology.term_texts()[int(names.terms[name])]

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
                if "Did you mean" in str(error):
                    raise
        raise UnknownIdError(concept_id, self.name)

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
        wanted = (tuple(within), tuple(tags), tuple(terminologies))
        kept, mask = self._last_mask
        if kept != wanted:  # one query after another is asked under the same filter
            mask = self._made_mask(*wanted)
            self._last_mask = (wanted, mask)
        return mask

    def _made_mask(self, within: Sequence[str], tags: Sequence[str], terminologies: Sequence[str]) -> Mask:
        mask = np.ones(self.concept_count, dtype=np.bool_)
        if terminologies:
            names = [terminology.name for terminology in self.terminologies]
            for name in terminologies:
                if name not in names:
                    raise UnknownNameError("terminology", name, names)
            mask &= self._spread([np.full(len(t), t.name in terminologies) for t in self.terminologies])
        if within:
            mask &= self._below(within)
        if tags:
            mask &= self._tagged(tags)
        mask.flags.writeable = False
        return mask

    def _below(self, ids: Sequence[str]) -> Mask:
        numbers = [self.number(concept_id) for concept_id in ids]
        parts = []
        for terminology, offset in zip(self.terminologies, self._offsets, strict=False):
            rows = [number - offset for number in numbers if 0 <= number - offset < len(terminology)]
            empty = np.zeros(len(terminology), dtype=np.bool_)
            parts.append(terminology.hierarchy.descendants_mask(rows) if rows else empty)
        return self._spread(parts)

    def _tagged(self, tags: Sequence[str]) -> Mask:
        known = {tag for terminology in self.terminologies for tag in terminology.tags}
        for tag in tags:
            if tag not in known:
                raise UnknownNameError("tag", tag, known)
        parts = []
        for terminology in self.terminologies:
            part = np.zeros(len(terminology), dtype=np.bool_)
            for tag in set(tags) & set(terminology.tags):
                part |= terminology.tagged(tag)
            parts.append(part)
        return self._spread(parts)

    @staticmethod
    def _spread(parts: Sequence[Mask]) -> Mask:
        return np.concatenate(parts)
