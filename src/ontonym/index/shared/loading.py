"""Loads an index of a folder into a database."""

from __future__ import annotations

from ontonym.index.open import Index
from ontonym.index.shared.address import Address
from ontonym.index.shared.outgoing import check_unsharded
from ontonym.index.shared.storage import Loaded
from ontonym.types import Progress


def load_index(index: Index, address: Address, progress: Progress | None = None) -> Loaded:
    """Makes an open index of a folder the one at an address. The one there serves until the new one is whole.

    Terms that users added to the one there are carried over; if it has none, those of the folder are loaded. If it
    raises, or the server is killed, all that was loaded before stays, and the next call with this index goes on there.
    Raises InputError for an index in shards.
    """
    check_unsharded(index)
    if address.scheme == "milvus":
        from ontonym.index.shared.milvus.loading import load
    else:
        from ontonym.index.shared.postgres.loading import load
    return load(index, address, progress)
