"""What a database of shared indexes must be able to do: everything else about a shared index is the same for all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ontonym.index.added import Journal
from ontonym.index.part import Backend
from ontonym.index.shared.address import Address
from ontonym.types import Progress


@dataclass(frozen=True, slots=True)
class State:
    """The present state of a shared index: the number of its generation, and how often its terms were changed.

    ``manifest`` is that of the index in a folder that the generation was made from; ``added`` counts the users' terms
    in effect and those searched. ``terms`` is the owner of the files of the users' terms.
    """

    generation: int
    revision: int
    manifest: bytes
    added: dict[str, Any]
    terms: str

    @property
    def stamp(self) -> tuple[int, int]:
        """What differs after every change."""
        return self.generation, self.revision


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of loading: the number of the generation, its names, and from which name on an earlier try was
    continued. ``was_there``: the very index was in the database already.
    """

    generation: int
    names: int
    continued_at: int = 0
    was_there: bool = False


@dataclass(frozen=True, slots=True)
class TermFiles:
    """What users' terms are searched by: the content of files by name, and what a state says of them (``added``)."""

    files: dict[str, bytes]
    added: dict[str, Any]


@runtime_checkable
class SharedBackend(Backend, Protocol):
    """The backend of a generation, with the storage that it asks."""

    storage: Storage
    state: State

    def write_tables(self, folder: Path, names: int, progress: Progress | None) -> None:
        """Writes the files `Storage.in_tables` of the generation, which has so many names, into a folder."""
        ...


class Storage(Protocol):
    """A database with shared indexes, opened for one of them.

    All methods raise ArtifactError, in one line and without the password, for what the server says or does not say.
    """

    address: Address
    in_tables: frozenset[str]
    """The files of an index whose content the database searches; all others are copied to whoever opens it."""

    def state(self) -> State:
        """The present state. Raises ArtifactError if there is no such index, or none that is whole."""
        ...

    def parts(self, owner: str, name: str) -> Iterator[bytes]:
        """The content of a file in pieces; none if there is no such file."""
        ...

    def backend(self, state: State, dim: int) -> SharedBackend:
        """The backend of a generation, whose vectors have ``dim`` numbers."""
        ...

    def journal(self) -> Journal:
        """All that users added and removed."""
        ...

    def close(self) -> None:
        """Closes the connections."""
        ...
