"""The read-only handle on an index: its terminologies, its encoder and its signals, checked for consistency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import accumulate
from pathlib import Path

import numpy as np

from ontonym.arrays import Mask
from ontonym.artifact import MANIFEST, Manifest, open_artifact
from ontonym.encoder import is_name, open_encoder
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
from ontonym.text.lexicon import read_lexicon, shipped_lexicon
from ontonym.types import Term

_REMEDY = "rebuild with `build_index()`"
_FILTERS = 4  # filter bitmaps that are cached


def open_index(
    path: Path | str,
    *,
    terminologies: Sequence[Path | str] | None = None,
    encoder: Path | str | None = None,
    lexicon: Path | str | None = None,
) -> Index:
    """Opens the index at ``path`` with the terminologies and the encoder it was made from. Close it, or use ``with``.

    These are looked for beside the index first, then where they were; ``terminologies`` and ``encoder`` give other
    places. ``lexicon`` is a TSV file of abbreviations (`ontonym.text.lexicon.read_lexicon`), whose meanings take the
    place of those of the lexicon that comes with the package. Raises ArtifactError if a source of the index is missing,
    MismatchError if one has changed since the index was made, and what `read_lexicon` raises.
    """
    return IndexPlace(Path(path), tuple(terminologies or ()), encoder, lexicon).open()


@dataclass(frozen=True, slots=True)
class IndexPlace:
    """Where an index is, where its terminologies and its encoder are if they were moved, and the user's own lexicon.

    See `open_index`.
    """

    path: Path
    terminologies: tuple[Path | str, ...] = ()
    encoder: Path | str | None = None
    lexicon: Path | str | None = None

    def at(self, path: Path | str) -> IndexPlace:
        """The same places for the index at ``path``."""
        return replace(self, path=Path(path))

    def resolved(self) -> IndexPlace:
        """The same places as absolute paths."""
        terminologies = tuple(Path(place).resolve() for place in self.terminologies)
        encoder = self.encoder
        if encoder is not None and not is_name(encoder):
            encoder = Path(encoder).resolve()
        lexicon = None if self.lexicon is None else Path(self.lexicon).resolve()
        return IndexPlace(self.path.resolve(), terminologies, encoder, lexicon)

    def open(self) -> Index:
        """Opens the index; see `open_index` for the errors raised."""
        return open_artifact(self.path, "index", lambda folder, manifest: _open(folder, manifest, self))


def _open(folder: Path, manifest: Manifest, given: IndexPlace) -> Index:
    facts, stamp = manifest.content, _stamp(folder)
    made_from = facts["identity"]["terminologies"]
    places = given.terminologies or [found_place(folder, place, "terminology") for place in facts["terminologies"]]
    if len(places) != len(made_from):
        raise MismatchError(f"{folder}: was made from {len(made_from)} terminologies, but {len(places)} were given")
    lexicon = shipped_lexicon()
    if given.lexicon is not None:
        lexicon = lexicon.with_own(read_lexicon(given.lexicon))
    place = kept_encoder(folder, facts["encoder"]) if given.encoder is None else given.encoder
    with opened_sources(folder, places, made_from, _REMEDY) as terminologies:
        encoder = open_encoder(place)
        firsts = [0, *accumulate(map(len, terminologies))][:-1]
        check_same(folder, "the encoder", facts["identity"]["encoder"], encoder.fingerprint, place, _REMEDY)
        try:
            ontology = IndexPart(folder)
            signals = Signals(
                encoder, ontology, Added.open(folder, len(ontology.names)), lexicon=lexicon, firsts=firsts
            )
        except (OSError, ValueError) as error:
            raise ArtifactError(f"{folder}: damaged: {error}; {_REMEDY}") from error
        return Index(folder, manifest, terminologies, signals, Calibration.open(folder), given, stamp)


def _stamp(path: Path) -> tuple[int, int] | None:
    """A stamp that changes when the artifact at a path is replaced; None if it cannot be read."""
    try:
        status = (path / MANIFEST).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


class Index(Handle):
    """An open index, which threads may share. It never changes: `refreshed` gives one with later additions.

    Concepts are numbered through all terminologies in order. ``signals`` are searched; ``calibration`` is what
    `ontonym.evaluate.calibration` learned, or None.
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
        """The index with the present added terms, calibration and tuned strategy.

        Returns itself if nothing changed, which costs one check of the manifest's time. Otherwise the new handle shares
        its files, so that closing either closes both. If another index has replaced this one, the opened one is kept.
        """
        stamp = _stamp(self.path)
        if stamp == self._stamp or stamp is None:
            return self
        try:
            return open_artifact(self.path, "index", partial(self._reopened, stamp))
        except (ArtifactError, OSError, ValueError):  # gone or damaged: keep what was opened
            return self

    def _reopened(self, stamp: tuple[int, int], folder: Path, manifest: Manifest) -> Index:
        signals, calibration = self.signals, self.calibration
        if manifest.content["identity"] == self.manifest.content["identity"]:
            signals = signals.with_added(Added.open(folder, len(signals.names)))
            calibration = Calibration.open(folder)
        else:
            manifest = self.manifest
        return Index(self.path, manifest, self.terminologies, signals, calibration, self.opened_as, stamp)

    @property
    def fusion(self) -> Fusion:
        """The fusion of all signals into one confidence."""
        return self.signals.fusion

    @property
    def encoder(self) -> Encoder:
        """The encoder of queries."""
        return self.signals.encoder

    @property
    def concept_count(self) -> int:
        """The number of concepts of all its terminologies."""
        return self._offsets[-1]

    def find(self, concept_id: str) -> int | None:
        """The number of the concept that an id means, by its id, an alternative id or a retired id's replacement; or
        None.
        """
        return find_concept(self.terminologies, concept_id)

    def term(self, name: int) -> Term:
        """The term of a name row; rows of added terms follow the ontology's."""
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
        """The searched names of a concept, one of each spelling: the preferred term first, added terms last; may be
        empty.
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
        """The concept number with this id; raises UnknownIdError, which lists the nearest ids."""
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
        """The concept number of exactly this id in the terminology of this name, as several may have the same id."""
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
        """A bitmap over concepts, or None for all: concepts at or below one of ``within``, with one of ``tags``, of one
        of the named ``terminologies``. Unknown names raise errors that list the valid ones.
        """
        if not (within or tags or terminologies):
            return None
        numbers = tuple(self.number(concept_id) for concept_id in within)
        return self._masks(numbers, tuple(tags), tuple(terminologies))  # successive queries have the same filter


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
