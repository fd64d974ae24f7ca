"""The read-only handle on an index: its terminologies, its encoder and its signals, checked for consistency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from ontonym.arrays import Mask
from ontonym.artifact import is_exhausted, is_url, open_artifact
from ontonym.encoder import is_name, open_encoder
from ontonym.encoder.protocol import Encoder
from ontonym.errors import ArtifactError, InputError, MismatchError, UnknownIdError
from ontonym.index.added import find_concept
from ontonym.index.calibration import Calibration
from ontonym.index.contents import IndexContents
from ontonym.index.extra import ADDED, EVERYDAY, NIL_TEXTS, ExtraNames
from ontonym.index.fuse import Fusion, fusion_for
from ontonym.index.handle import Handle, concept_mask, first_concepts
from ontonym.index.interpret import Interpreter
from ontonym.index.nil import NilTexts
from ontonym.index.part import IndexPart
from ontonym.index.shards import whole_part
from ontonym.index.shared.address import Address, address_of
from ontonym.index.signals import Signals
from ontonym.index.sources import check_same, found_place, kept_encoder, languages_beside_english, opened_sources
from ontonym.manifest import MANIFEST, Manifest
from ontonym.memo import Memo
from ontonym.text.counting import count
from ontonym.text.lexicon import Lexicon, read_lexicon, shipped_lexicon
from ontonym.text.normalization import tokens
from ontonym.types import Term

_REMEDY = "rebuild with `build_index()`"
SomeIndex = TypeVar("SomeIndex", bound="Index")

_KEPT = 1 << 24  # bytes
_FILTERS = 4  # filter bitmaps that are cached
_NAMED = 3  # concepts of a name that an error lists
_HOLDING = ("interpreter", "nil", "_contents")  # attributes that hold files, beside the signals
_MOST_FOUND = 1 << 14  # ids whose concepts are cached: every hit of a document asks for its own


def open_index(
    path: Path | str,
    *,
    terminologies: Sequence[Path | str] | None = None,
    encoder: Path | str | None = None,
    lexicon: Path | str | None = None,
) -> Index:
    """Opens the index at ``path`` with the terminologies and the encoder it was made from. Close it, or use ``with``.

    These are looked for where they were from the index, where they were on the disk, and in the index's folder;
    ``terminologies`` and ``encoder`` give other places. ``path`` may be the URL of a shared index. ``lexicon`` is a
    TSV file of abbreviations (`ontonym.text.lexicon.read_lexicon`), whose meanings take the place of those of the
    lexicon that comes with the package. Raises ArtifactError if a source is missing, MismatchError if one has changed
    since the index was made, and what `read_lexicon` raises.
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
        path = self.path if is_url(self.path) else self.path.resolve()
        return IndexPlace(path, terminologies, encoder, lexicon)

    def open(self) -> Index:
        """Opens the index; see `open_index` for the errors raised."""
        return self.open_as(Index)

    def open_as(self, kind: type[SomeIndex]) -> SomeIndex:
        """Opens the index as a subclass of `Index`."""
        address = address_of(self.path)
        if address is not None:
            return _open_shared(address, self, kind)
        return open_artifact(self.path, "index", lambda folder, manifest: _open(folder, manifest, self, kind))


def _open(folder: Path, manifest: Manifest, given: IndexPlace, kind: type[SomeIndex]) -> SomeIndex:
    facts, stamp = manifest.content, _stamp(folder)
    made_from = facts["identity"]["terminologies"]
    places = given.terminologies or [found_place(folder, place, "terminology") for place in facts["terminologies"]]
    if len(places) != len(made_from):
        made = count(len(made_from), "terminology", "terminologies")
        raise MismatchError(f"{folder}: was made from {made}, but {len(places)} were given")
    lexicon = _lexicon(given)
    place = _encoder_place(folder, manifest, given)
    with opened_sources(folder, places, made_from, _REMEDY) as terminologies:
        encoder = open_encoder(place)
        check_same(folder, "the encoder", facts["identity"]["encoder"], encoder.fingerprint, place, _REMEDY)
        try:
            ontology = whole_part(folder, facts["identity"]["options"]["shards"])
            extras = [ExtraNames.open(folder / part, len(ontology.names)) for part in (EVERYDAY, ADDED, NIL_TEXTS)]
            everyday, added, nil = extras
            for part in (ontology, *(extra.part for extra in extras if extra)):
                _check_fits(part, sum(map(len, terminologies)), encoder.dim)
            fusion = fusion_for(folder, place)
            signals = Signals(
                encoder,
                ontology,
                added,
                lexicon=lexicon,
                firsts=first_concepts(terminologies),
                everyday=everyday,
                fusion=fusion,
                languages=languages_beside_english(terminologies, place),
            )
        except ValueError as error:
            raise ArtifactError(f"{folder}: damaged: {error}; {_REMEDY}") from error
        np.empty(_KEPT, dtype=np.uint8)  # freed at once: glibc then keeps as much for the next search
        texts = None if nil is None else NilTexts(nil, signals)
        found = IndexContents(folder, manifest, terminologies, signals, Calibration.open(folder), stamp, texts)
        return kind(found, given)


def _open_shared(address: Address, given: IndexPlace, kind: type[SomeIndex]) -> SomeIndex:
    from ontonym.index.shared.opening import opened_contents

    if given.terminologies:
        raise InputError(f"{address.shown}: its terminologies are in the database: leave out `terminologies=`")
    return kind(opened_contents(address, given.encoder, _lexicon(given)), given)


def _lexicon(given: IndexPlace) -> Lexicon:
    shipped = shipped_lexicon()
    return shipped if given.lexicon is None else shipped.with_own(read_lexicon(given.lexicon))


def _encoder_place(folder: Path, manifest: Manifest, given: IndexPlace) -> Path | str:
    return kept_encoder(folder, manifest.content["encoder"]) if given.encoder is None else given.encoder


def _check_fits(part: IndexPart, concepts: int, dim: int) -> None:
    """Raises ValueError for a part that is not over this number of concepts, with vectors of this length."""
    if len(part.names.bounds) - 1 != concepts:
        raise ValueError(f"its names are of {len(part.names.bounds) - 1} concepts, its terminologies have {concepts}")
    if part.dense.dim != dim:
        raise ValueError(f"its vectors have {part.dense.dim} numbers, those of its encoder {dim}")


def _stamp(path: Path) -> tuple[int, int] | None:
    """A stamp that changes when the artifact at a path is replaced; None if it cannot be read."""
    try:
        status = (path / MANIFEST).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


class Index(Handle):
    """An open index, which threads may share. It never changes: `refreshed` gives one with later additions.

    Concepts are numbered through all terminologies in order. ``signals`` are searched, for a query as ``interpreter``
    interprets it; ``calibration`` and ``nil`` are as in `IndexContents`. ``opened_as`` is where it was opened.
    """

    def __init__(self, contents: IndexContents, opened_as: IndexPlace) -> None:
        super().__init__(contents.path, contents.manifest, contents.terminologies)
        self.signals = contents.signals
        self.interpreter = Interpreter(contents.signals)
        self.nil = contents.nil
        self.calibration = contents.calibration
        self.opened_as = opened_as
        self._contents, self._stamp = contents, contents.stamp
        self._masks = lru_cache(_FILTERS)(partial(concept_mask, contents.terminologies))
        self._found = Memo(partial(find_concept, contents.terminologies), _MOST_FOUND)

    @property
    def name_count(self) -> int:
        """The number of names of its terminologies that are searched."""
        return len(self.signals.names)

    def as_kind(self, kind: type[SomeIndex]) -> SomeIndex:
        """The index as one of a subclass, on the same files: closing either closes both."""
        return kind(self._contents, self.opened_as)

    def refreshed(self) -> Self:
        """The index with the present added terms, calibration, learned ranking and tuned strategy.

        Returns itself if nothing changed, which costs one check of the manifest's time. Otherwise the new handle shares
        its files, so that closing either closes both. If another index has replaced this one, or it is gone or damaged,
        the opened one is kept. Raises ArtifactError where too many files are open, or memory is used up.
        """
        if is_url(self.opened_as.path):
            return self._shared_now()
        stamp = _stamp(self.path)
        if stamp == self._stamp or stamp is None:
            return self
        try:
            return open_artifact(self.path, "index", partial(self._reopened, stamp))
        except ArtifactError as error:  # gone or damaged: keep what was opened
            if is_exhausted(error.__cause__):
                raise
            return self

    def _shared_now(self) -> Self:
        from ontonym.index.shared.opening import amended_contents

        amended = amended_contents(self._contents)
        return self if amended is self._contents else type(self)(amended, self.opened_as)

    def close(self) -> None:
        """Lets go of all files; the handle cannot be used afterwards. Closing twice is fine."""
        super().close()
        self._found.clear()
        signals = self.__dict__.pop("signals", None)
        if signals is not None:
            signals.close()
        for name in _HOLDING:
            self.__dict__.pop(name, None)

    @property
    def closed(self) -> bool:
        """Whether it was closed: only its path and the names of its releases can be asked for then."""
        return "signals" not in self.__dict__

    if not TYPE_CHECKING:  # so that mypy still finds misspelt attributes

        def __getattr__(self, name: str) -> Any:
            # only called for what is not there: after close() that is what held the files
            if name in ("signals", *_HOLDING):
                raise ValueError(f"the index {self.__dict__.get('path')} is closed")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _reopened(self, stamp: tuple[int, int], folder: Path, manifest: Manifest) -> Self:
        if manifest.content["identity"] != self.manifest.content["identity"]:
            return type(self)(replace(self._contents, stamp=stamp), self.opened_as)
        signals = self.signals
        added = ExtraNames.open(folder / ADDED, len(signals.names))
        signals = signals.amended(added, fusion_for(folder, _encoder_place(folder, manifest, self.opened_as)))
        texts = ExtraNames.open(folder / NIL_TEXTS, len(signals.names))
        nil = None if texts is None else NilTexts(texts, signals)
        calibration, same = Calibration.open(folder), self.terminologies
        return type(self)(IndexContents(self.path, manifest, same, signals, calibration, stamp, nil), self.opened_as)

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
        return self._found[concept_id]

    def term(self, name: int) -> Term:
        """The term of a name row: one of the ontology, an everyday name or an added term, in this order."""
        names = self.signals.names
        if name < len(names):
            terminology, _ = self.locate(int(names.concepts[name]))
            return terminology.term(int(names.terms[name]))
        row = name - len(names)
        for held in (self.signals.everyday, self.signals.added):
            if held is not None:
                if row < len(held):
                    return held.term(row)
                row -= len(held)
        raise IndexError(f"name row {name} of {name - row}")

    def text(self, name: int) -> str:
        """The text of a name row of the ontology."""
        names = self.signals.names
        terminology, _ = self.locate(int(names.concepts[name]))
        return terminology.term_texts()[int(names.terms[name])]

    def aliases(self, concept: int) -> tuple[str, ...]:
        """The searched names of a concept, one of each spelling: the preferred term first, added terms last; may be
        empty.
        """
        names = self.signals.names
        texts = self.locate(concept)[0].term_texts()
        found = [texts[int(row)] for row in names.terms[names.bounds[concept] : names.bounds[concept + 1]]]
        for extra in (self.signals.everyday, self.signals.added):
            found += extra.texts_of(concept) if extra else []
        return tuple(dict.fromkeys(found))

    def resolve(self, concept_id: str) -> str | None:
        """The current id of the concept that this id means today, or None."""
        concept = self.find(concept_id)
        return None if concept is None else self.id(concept)

    def number(self, concept_id: str) -> int:
        """The concept number with this id; raises UnknownIdError, which lists the nearest ids, or the concepts that
        have this very name.
        """
        concept = self.find(concept_id)
        if concept is not None:
            return concept
        for terminology in self.terminologies:
            try:
                terminology.row(concept_id)
            except UnknownIdError as error:
                if error.nearest:
                    raise
        named = () if is_url(self.path) else self.signals.concepts_named(tokens(concept_id)).tolist()
        raise UnknownIdError(concept_id, self.name, map(self.id, dict.fromkeys(named[:_NAMED])))

    def coded(self, code: str) -> int:
        """The concept number that an id means, with or without its prefix or dot; as a whole id if it is one, then in
        the first terminology that has it. Raises UnknownIdError, which lists the nearest ids.
        """
        concept = self.find(code)
        for terminology, offset in zip(self.terminologies, self._offsets, strict=False):
            if concept is None and (row := terminology.coded(code)) is not None:
                now = terminology.current(terminology.id(row))
                concept = None if now is None else offset + now
        return self.number(code) if concept is None else concept

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
        """A bitmap over concepts, or None for all: concepts at or below one of ``within`` (ids, as `coded` takes them),
        with one of ``tags``, of one of the named ``terminologies``. An unknown name raises an error that lists the
        valid ones.
        """
        if not (within or tags or terminologies):
            return None
        numbers = tuple(map(self.coded, within))
        return self._masks(numbers, tuple(tags), tuple(terminologies))  # successive queries have the same filter
