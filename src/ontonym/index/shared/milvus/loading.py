"""Loads an index of a folder into Milvus: in steps that are each kept for good, so that a second try goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import orjson

from ontonym.errors import ArtifactError
from ontonym.index.added import Journal
from ontonym.index.open import Index
from ontonym.index.shared.address import Address
from ontonym.index.shared.milvus.changing import search_terms
from ontonym.index.shared.milvus.client import LONG, Milvus
from ontonym.index.shared.milvus.collections import FILE, LOG, PART, make, name_entities, names_of, search_in
from ontonym.index.shared.milvus.storage import FilePart, MilvusStorage, Present, part_key
from ontonym.index.shared.mirror import index_owner, terminology_owner
from ontonym.index.shared.outgoing import files_to_share, pieces, searched_terms
from ontonym.index.shared.storage import Loaded
from ontonym.manifest import MANIFEST
from ontonym.store.columns import load_numbers
from ontonym.types import Advance, Progress, staged

_NAMES = 1 << 13


def load(index: Index, address: Address, progress: Progress | None) -> Loaded:
    """See `ontonym.index.shared.loading.load_index`."""
    with closing(MilvusStorage(address)) as storage:
        for name in (LOG, FILE):
            make(storage.server, name)
            search_in(storage.server, name)
        present, fingerprint = storage.present(), index.manifest.fingerprint
        if present is not None and present.fingerprint == fingerprint:
            return Loaded(present.generation, index.name_count, was_there=True)
        _load_files(storage, index, progress)
        begun = _load_names(storage.server, index, progress)
        return Loaded(_publish(storage, index), index.name_count, continued_at=begun)


def _load_files(storage: MilvusStorage, index: Index, progress: Progress | None) -> None:
    """Loads the files that clients copy, but for the pieces that are there."""
    todo = files_to_share(index, storage.in_tables)
    todo[-1][2].append(MANIFEST)
    advance = staged(progress, "loading columns", sum(len(names) for _, _, names in todo))
    for owner, folder, names in todo:
        storage.write_parts(owner, _missing(folder, names, owner, set(storage.keys(owner)), advance))


def _missing(folder: Path, names: Sequence[str], owner: str, held: set[str], advance: Advance) -> Iterator[FilePart]:
    """The pieces of files that are not ``held`` yet; ``advance`` counts the files."""
    for name in names:
        for number, data in enumerate(pieces(folder / name, PART)):
            if part_key(owner, name, number) not in held:
                yield FilePart(name, number, data)
        advance(1)


def _load_names(server: Milvus, index: Index, progress: Progress | None) -> int:
    """Loads the names, some thousands at a time; returns from which name on an earlier try was continued."""
    collection, total = names_of(index.manifest.fingerprint), index.name_count
    there = server.has(collection)
    make(server, collection, index.encoder.dim)
    search_in(server, collection)
    files = [load_numbers(index.path, name) for name in ("dense_sign", "dense_int8", "dense_scale")]
    advance = staged(progress, "loading names", total)
    begun = 0
    for start in range(0, total, _NAMES):
        stop = min(start + _NAMES, total)
        held = server.count(collection, f"{start} <= row and row < {stop}") if there else 0
        if held != stop - start:  # more, if two loaded the same index at the same time
            there = there and held > 0  # what comes after a part that is missing was not written either
            rows = name_entities(start, tuple(np.asarray(array[start:stop]) for array in files))
            (server.replace if held else server.insert)(collection, rows)
        elif there:
            begun = stop
        advance(stop - start)
    server.call("flush", server.collection(collection), timeout=LONG)
    held = server.count(collection, "row >= 0")
    if held != total:
        raise ArtifactError(f"{server.address.shown}: holds {held} of {total} names: give the same command again")
    return begun


def _publish(storage: MilvusStorage, index: Index) -> int:
    """Makes the loaded generation the present one, with the users' terms, and removes the one before the last.

    The generation before it stays, for those that have it open.
    """
    present, fingerprint = storage.present(), index.manifest.fingerprint
    journal = storage.journal()
    if not journal.entries:
        journal = Journal.open(index.path)
        storage.write_entries(journal.entries, 0)
    generation = 1 if present is None else present.generation + 1
    before = "" if present is None else present.fingerprint
    terms = searched_terms(index, journal, None)
    owner = storage.write_terms(terms)
    storage.publish(Present(generation, len(journal.entries), fingerprint, before, owner, terms.added))
    search_terms(storage, index)  # what others added meanwhile
    if present is not None and present.before:
        _remove(storage, present.before, (fingerprint, before))
    return generation


def _remove(storage: MilvusStorage, fingerprint: str, kept: tuple[str, ...]) -> None:
    """Removes a generation that nobody needs any more, but for what the ``kept`` ones have too."""
    if fingerprint in kept:
        return
    needed: set[str] = set()
    for one in kept:
        needed |= _owners(storage, one)
    gone = _owners(storage, fingerprint) - needed
    storage.server.call("drop_collection", storage.server.collection(names_of(fingerprint)))
    storage.forget(sorted(gone))


def _owners(storage: MilvusStorage, fingerprint: str) -> set[str]:
    facts = orjson.loads(storage.manifest(fingerprint))
    sources = facts["content"]["identity"]["terminologies"]
    return {index_owner(fingerprint), *(terminology_owner(one["fingerprint"]) for one in sources)}
