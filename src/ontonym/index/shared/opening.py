"""Opens a shared index: its unchanging files are copied once, all else is asked of the database."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from ontonym.encoder import open_encoder
from ontonym.errors import ArtifactError
from ontonym.index.calibration import Calibration
from ontonym.index.contents import IndexContents
from ontonym.index.extra import EVERYDAY, ExtraNames
from ontonym.index.fuse import fusion_for
from ontonym.index.handle import first_concepts
from ontonym.index.part import IndexPart
from ontonym.index.shared.address import Address
from ontonym.index.shared.mirror import mirrored_index, mirrored_terminology, present_terms
from ontonym.index.shared.storage import SharedBackend, State, Storage
from ontonym.index.signals import Signals
from ontonym.index.sources import check_same, kept_encoder, languages_beside_english
from ontonym.manifest import Manifest, check_version, parse_manifest
from ontonym.store import open_terminology
from ontonym.text.lexicon import Lexicon

REMEDY = "load it again with `build_index()`"


def opened_contents(address: Address, encoder: Path | str | None, lexicon: Lexicon) -> IndexContents:
    """Opens the shared index at an address. ``encoder`` is where its encoder is now, if not where it was.

    Raises ArtifactError if there is no server, no such index, or no such encoder here.
    """
    with ExitStack() as stack:
        storage = connect(address)
        stack.callback(storage.close)
        state, terms = present_terms(storage, storage.state())
        manifest = manifest_of(address, state)
        facts = manifest.content
        folder = mirrored_index(storage, state.manifest)
        places = [mirrored_terminology(storage, source["fingerprint"]) for source in facts["identity"]["terminologies"]]
        terminologies = tuple(stack.enter_context(open_terminology(place)) for place in places)
        place = encoder_place(address, facts, encoder)
        opened = open_encoder(place)
        check_same(address.path, "the encoder", facts["identity"]["encoder"], opened.fingerprint, place, REMEDY)
        try:
            ontology = IndexPart(folder, backend=storage.backend(state, opened.dim))
            signals = Signals(
                opened,
                ontology,
                _added(terms, len(ontology.names)),
                lexicon=lexicon,
                firsts=first_concepts(terminologies),
                everyday=ExtraNames.open(folder / EVERYDAY, len(ontology.names)),
                fusion=fusion_for(folder, place),
                languages=languages_beside_english(terminologies, place),
            )
        except (OSError, ValueError) as error:
            raise ArtifactError(f"{folder}: damaged: {error}; delete the folder, it is only a copy") from error
        calibration = Calibration.open(folder)
        stack.pop_all()
        return IndexContents(address.path, manifest, terminologies, signals, calibration, state.stamp)


def amended_contents(contents: IndexContents) -> IndexContents:
    """What an open shared index holds with the present terms of users; the same contents if none changed.

    If another generation took its place, the opened one is kept.
    """
    signals = contents.signals
    backend = backend_of(signals)
    storage = backend.storage
    state, generation = storage.state(), backend.state.generation
    if state.stamp == contents.stamp or state.generation != generation:
        return contents
    state, terms = present_terms(storage, state)
    if state.generation != generation:
        return contents
    manifest = manifest_of(storage.address, state)
    added = _added(terms, len(signals.names))
    return replace(contents, manifest=manifest, signals=signals.amended(added, signals.fusion), stamp=state.stamp)


def backend_of(signals: Signals) -> SharedBackend:
    """The backend of an open shared index."""
    backend = signals.ontology.backend
    assert isinstance(backend, SharedBackend)  # noqa: S101 (for mypy)
    return backend


def shared_manifest(address: Address) -> Manifest:
    """The manifest of the shared index at an address."""
    with closing(connect(address)) as storage:
        return manifest_of(address, storage.state())


def shared_stamp(address: Address) -> tuple[int, int]:
    """What differs after every change of the shared index at an address."""
    with closing(connect(address)) as storage:
        return storage.state().stamp


def manifest_of(address: Address, state: State) -> Manifest:
    """The manifest of the index in a folder that a generation was made from, with the present counts of added terms."""
    manifest = parse_manifest(address.path, state.manifest)
    check_version(address.path, manifest)
    manifest.content.pop("added", None)
    if state.added.get("terms"):
        manifest.content["added"] = {name: state.added[name] for name in ("terms", "searched")}
    return manifest


def encoder_place(address: Address, facts: dict[str, Any], given: Path | str | None) -> Path | str:
    """The encoder of a shared index: the given one, or that of its manifest, which must be on this machine too."""
    if given is not None:
        return given
    try:
        return kept_encoder(address.path, facts["encoder"])
    except ArtifactError as error:
        raise ArtifactError(
            f"{address.shown}: its encoder {facts['encoder'].get('absolute', '')} is not on this machine: copy it here "
            "and give its place, `encoder=DIR`"
        ) from error


def _added(terms: Path | None, names: int) -> ExtraNames | None:
    return None if terms is None else ExtraNames.open(terms, names)


def connect(address: Address) -> Storage:
    """The storage at an address, which is asked when it is first needed. Close it at the end."""
    if address.scheme == "milvus":
        from ontonym.index.shared.milvus.storage import MilvusStorage

        return MilvusStorage(address)
    from ontonym.index.shared.postgres.storage import PostgresStorage

    return PostgresStorage(address)
