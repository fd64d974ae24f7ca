"""The storage that an address means."""

from __future__ import annotations

from ontonym.index.shared.address import Address
from ontonym.index.shared.storage import Storage


def connect(address: Address) -> Storage:
    """The storage at an address, which is asked when it is first needed. Close it at the end."""
    if address.scheme == "milvus":
        from ontonym.index.shared.milvus.storage import MilvusStorage

        return MilvusStorage(address)
    from ontonym.index.shared.postgres.storage import PostgresStorage

    return PostgresStorage(address)
