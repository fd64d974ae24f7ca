"""A shared index in Milvus as a storage: its state, its files, its journal."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import orjson

from ontonym.errors import ArtifactError, MismatchError
from ontonym.index.added import AddedTerm, Entry, Journal
from ontonym.index.shared.address import Address
from ontonym.index.shared.milvus.backend import MilvusBackend
from ontonym.index.shared.milvus.client import Entity, Milvus
from ontonym.index.shared.milvus.collections import (
    FILE,
    FORMAT,
    IN_TABLES,
    LOG,
    PART,
    names_of,
    packed,
    text_row,
    unpacked,
)
from ontonym.index.shared.mirror import index_owner
from ontonym.index.shared.storage import State, TermFiles
from ontonym.jsonbytes import json_bytes
from ontonym.manifest import MANIFEST

_STATE, _ENTRY = "state", "journal"
_AHEAD = 64


@dataclass(frozen=True, slots=True)
class Present:
    """The row of the log that says what the index is now.

    Of several the one of the highest ``generation`` is taken, and of these the one with the most entries of the
    journal, ``revision``. ``before`` is the fingerprint of the generation before, which some still have open.
    """

    generation: int
    revision: int
    fingerprint: str
    before: str
    terms: str
    added: dict[str, Any]
    format: int = FORMAT


class FilePart(NamedTuple):
    """A piece of a file, by its number."""

    name: str
    number: int
    data: bytes


class MilvusStorage:
    """See `ontonym.index.shared.storage.Storage`."""

    in_tables = IN_TABLES

    def __init__(self, address: Address) -> None:
        self.address, self.server = address, Milvus(address)
        self._counts: dict[str, Counter[str]] = {}

    # Reading --------------------------------------------------------------------------------------------------------

    def state(self) -> State:
        """See `Storage`."""
        present = self.present()
        if present is None:
            raise ArtifactError(
                f"{self.address.shown}: "
                + (
                    "is not whole yet: load it to the end with `build_index()`"
                    if self.server.has(LOG)
                    else "there is no such shared index; make one with `build_index()`"
                )
            )
        manifest = self.manifest(present.fingerprint)
        return State(present.generation, present.revision, manifest, present.added, present.terms)

    def present(self) -> Present | None:
        """What the index is now; None if it is not whole."""
        states = [state for _, state in self.states()]
        return max(states, key=lambda state: (state.generation, state.revision), default=None)

    def states(self) -> list[tuple[str, Present]]:
        """All states in the log, with their keys. Raises MismatchError for those of another version."""
        if not self.server.has(LOG):
            return []
        found = []
        for row in self.server.rows(LOG, f'kind == "{_STATE}"', ["id", "data"]):
            facts = orjson.loads(row["data"])
            if facts["format"] != FORMAT:
                newer = "upgrade ontonym" if facts["format"] > FORMAT else "load it again with `build_index()`"
                raise MismatchError(
                    f"{self.address.shown}: has collections of version {facts['format']}, and this ontonym reads "
                    f"{FORMAT}: {newer}"
                )
            found.append((str(row["id"]), Present(**facts)))
        return found

    def manifest(self, fingerprint: str) -> bytes:
        """The manifest of the index that a generation was made from."""
        found = b"".join(self.parts(index_owner(fingerprint), MANIFEST))
        if not found:
            raise ArtifactError(f"{self.address.shown}: damaged: the manifest is missing; load the index again")
        return found

    def parts(self, owner: str, name: str) -> Iterator[bytes]:
        """See `Storage`."""
        if owner not in self._counts:  # what has an owner never changes once there is a state that names it
            names = (key.removeprefix(f"{owner}/").rpartition("/")[0] for key in self.keys(owner))
            self._counts[owner] = Counter(names)
        keys = [part_key(owner, name, number) for number in range(self._counts[owner][name])]
        for row in self.server.keyed(FILE, keys, ["data"]):
            yield unpacked(row["data"])

    def journal(self) -> Journal:
        """See `Storage`."""
        rows = self.server.rows(LOG, f'kind == "{_ENTRY}"', ["id", "data"])
        facts = [orjson.loads(row["data"]) for row in sorted(rows, key=lambda row: str(row["id"]))]
        return Journal(Entry(one.pop("did"), AddedTerm(**one)) for one in facts)

    def backend(self, state: State, dim: int) -> MilvusBackend:
        """See `Storage`."""
        fingerprint = orjson.loads(state.manifest)["fingerprint"]
        return MilvusBackend(self, self.server, state, names_of(fingerprint), dim)

    # Writing --------------------------------------------------------------------------------------------------------

    def write_parts(self, owner: str, parts: Iterable[FilePart]) -> None:
        """Writes pieces of an owner's files, of which none is there."""
        rows: list[Entity] = []
        for part in parts:
            rows.append(text_row(part_key(owner, part.name, part.number), owner, packed(part.data)))
            if len(rows) == _AHEAD:
                self.server.insert(FILE, rows)
                rows = []
        if rows:
            self.server.insert(FILE, rows)

    def write_terms(self, terms: TermFiles) -> str:
        """Writes the files that users' terms are searched by; returns their owner."""
        owner = f"terms-{uuid.uuid4().hex}"
        self.write_parts(
            owner,
            (
                FilePart(name, number, data[start : start + PART])
                for name, data in terms.files.items()
                for number, start in enumerate(range(0, max(len(data), 1), PART))
            ),
        )
        return owner

    def write_entries(self, entries: Sequence[Entry], first: int) -> None:
        """Appends entries to the journal, which has ``first``. Others may append at the same time: none is lost."""
        rows = [
            text_row(
                f"journal-{number:012}-{uuid.uuid4().hex}",
                _ENTRY,
                json_bytes({"did": entry.did, **asdict(entry.term)}).decode(),
            )
            for number, entry in enumerate(entries, first)
        ]
        self.server.insert(LOG, rows)

    def publish(self, state: Present) -> None:
        """Makes a state the present one if no other knows more; states that nobody needs any more are removed."""
        old = self.states()
        key = f"state-{state.generation:012}-{state.revision:012}-{uuid.uuid4().hex}"
        self.server.insert(LOG, [text_row(key, _STATE, orjson.dumps(asdict(state)).decode())])
        old.sort(key=lambda pair: (pair[1].generation, pair[1].revision))
        kept = {state.terms, *(one.terms for _, one in old[-1:])}
        self.server.delete(LOG, [key for key, _ in old[:-1]])
        self.forget([one.terms for _, one in old[:-1] if one.terms not in kept])

    def forget(self, owners: Sequence[str]) -> None:
        """Removes all files of owners."""
        for owner in dict.fromkeys(owners):
            self.server.delete(FILE, self.keys(owner))

    def keys(self, owner: str) -> list[str]:
        """The keys of all pieces of files of an owner."""
        return [str(row["id"]) for row in self.server.rows(FILE, f'kind == "{owner}"', ["id"])]

    def close(self) -> None:
        """See `Storage`."""
        self.server.close()


def part_key(owner: str, name: str, number: int) -> str:
    """The key of a piece of a file."""
    return f"{owner}/{name}/{number}"
