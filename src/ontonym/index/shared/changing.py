"""Changes a shared index: terms of users, and releases as a generation of their own beside the present one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, cast

from ontonym.errors import LockedError
from ontonym.index.added import Entry, Journal
from ontonym.index.open import Index, IndexPlace, open_index
from ontonym.index.shared.address import Address
from ontonym.index.shared.loading import load_index
from ontonym.index.shared.milvus.changing import change as change_in_milvus
from ontonym.index.shared.milvus.storage import MilvusStorage
from ontonym.index.shared.opening import backend_of
from ontonym.index.shared.postgres.changing import change as change_in_postgres
from ontonym.index.shared.postgres.storage import PostgresStorage
from ontonym.index.shared.pulling import pull_index
from ontonym.types import Progress

T = TypeVar("T")

_TRIES = 3


def change_terms(place: IndexPlace, change: Callable[[Journal, Index], T]) -> T:
    """Applies a change to the journal of a shared index, and makes the terms in effect searched.

    Raises LockedError if the index itself is replaced all the time.
    """
    for _ in range(_TRIES):
        with place.open() as index:
            made, done = _changed(index, change)
            if made:
                return cast(T, done)
    raise LockedError(f"{place.path}: was replaced again and again while it was changed")


def _changed(index: Index, change: Callable[[Journal, Index], T]) -> tuple[bool, T | None]:
    storage = backend_of(index.signals).storage
    if isinstance(storage, PostgresStorage):
        return change_in_postgres(index, storage, change)
    assert isinstance(storage, MilvusStorage)  # noqa: S101 (there are no others)
    return change_in_milvus(index, storage, change)


def shared_journal(index: Index) -> list[Entry]:
    """All entries of the journal of an open shared index."""
    return backend_of(index.signals).storage.journal().entries


@contextmanager
def working_copy(
    address: Address, place: IndexPlace, encoder: Path | str | None, progress: Progress | None
) -> Iterator[Path]:
    """Lends a copy of a shared index in a folder; when the block ends well, the copy is the next generation.

    ``encoder`` is where the encoder of the changed copy is, if not where it was.
    """
    with tempfile.TemporaryDirectory(prefix="ontonym-update-") as made:
        folder = Path(made) / "update.index"
        with place.open() as index:
            pull_index(index, folder, progress=progress)
        yield folder
        with open_index(folder, encoder=encoder) as changed:
            load_index(changed, address, progress)
