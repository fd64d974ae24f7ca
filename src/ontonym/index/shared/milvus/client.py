"""A Milvus server, asked from any thread: every error is one line, and a server that comes back is waited for."""

from __future__ import annotations

import importlib.util
import logging
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ontonym.errors import ArtifactError, MissingExtraError
from ontonym.index.shared.address import Address

_PATIENCE = 10.0  # seconds for a connection
_WORKING = 60.0  # for the answer to a question
LONG = 600.0  # for making, filling and reading a collection
_LOADING = 120.0  # seconds for a collection that a server which was just started reads again
_PAUSE = 0.2
_PORT = 19530
_READ = 64  # rows of up to 64 kB at once
_NOT_FOUND = 100

Entity = Mapping[str, Any]


class Milvus:
    """A connection to the database of an address. Close it at the end."""

    def __init__(self, address: Address) -> None:
        if importlib.util.find_spec("pymilvus") is None:
            raise MissingExtraError("pymilvus", "milvus", "a shared index in Milvus")
        self.address = address
        self._lock = threading.Lock()
        self._client: Any = None
        self._process = os.getpid()

    def collection(self, name: str) -> str:
        """The name of one of the index's collections."""
        return f"{self.address.index}_{name}"

    def has(self, name: str) -> bool:
        """Whether there is a collection."""
        return bool(self.call("has_collection", self.collection(name)))

    def insert(self, name: str, rows: Sequence[Entity]) -> None:
        """Adds rows, of which none is there yet."""
        self.call("insert", self.collection(name), list(rows))

    def replace(self, name: str, rows: Sequence[Entity]) -> None:
        """Adds rows, and replaces those that are there."""
        self.call("upsert", self.collection(name), list(rows))

    def delete(self, name: str, keys: Sequence[str]) -> None:
        """Removes rows by their keys."""
        for start in range(0, len(keys), 1000):
            self.call("delete", self.collection(name), ids=list(keys[start : start + 1000]))

    def count(self, name: str, condition: str) -> int:
        """How many rows fulfil a condition, everything counted that was acknowledged before."""
        (found,) = self.rows(name, condition, ["count(*)"])
        return int(found["count(*)"])

    def rows(self, name: str, condition: str, fields: Sequence[str], *, now: bool = True) -> list[Entity]:
        """Rows that fulfil a condition. ``now``: everything is seen that was acknowledged before the question."""
        level = "Strong" if now else "Bounded"
        return list(
            self.call(
                "query", self.collection(name), filter=condition, output_fields=list(fields), consistency_level=level
            )
        )

    def keyed(self, name: str, keys: Iterable[str], fields: Sequence[str]) -> Iterator[Entity]:
        """Large rows by their keys, some at a time, in the order of the keys; those that are missing are left out."""
        wanted = list(keys)
        for start in range(0, len(wanted), _READ):
            some = wanted[start : start + _READ]
            listed = ", ".join(f'"{key}"' for key in some)
            found: dict[str, Entity] = {}
            for now in (False, True):  # most often no wait for the newest is needed
                if len(found) < len(some):
                    asked = self.rows(name, f"id in [{listed}]", ["id", *fields], now=now)
                    found = {row["id"]: row for row in asked}
            yield from (found[key] for key in some if key in found)

    def call(self, method: str, *given: Any, **named: Any) -> Any:
        """What a method of pymilvus's client gives; raises ArtifactError for what the server says or does not say."""
        from pymilvus import MilvusException

        until = time.monotonic() + _LOADING
        while True:
            try:
                return getattr(self._connected(), method)(*given, **{"timeout": _WORKING, **named})
            except MilvusException as error:
                if not _is_loading(error) or time.monotonic() > until:
                    raise self.failure(error) from error
            except Exception as error:
                raise self.failure(error) from error
            time.sleep(_PAUSE)

    def failure(self, error: Exception) -> ArtifactError:
        """What an error of the connection or of the server means, in one line and without the password."""
        from pymilvus import MilvusException

        shown, server = self.address.shown, f"{self.address.host}:{self.address.port or _PORT}"
        told = " ".join(str(getattr(error, "message", "") or error or type(error).__name__).split())
        told = told.replace(self.address.password, "***") if self.address.password else told
        low = told.lower()
        if "illegal connection params" in low:  # pymilvus does not say which
            return ArtifactError(
                f"{shown}: no answer from a Milvus server at {server}, or it refuses user and password"
            )
        if "auth" in low or "permission" in low or "privilege" in low:
            return ArtifactError(f"{shown}: the server refuses the user: {told}; give user and password in the URL")
        if "database not found" in low:
            return ArtifactError(f"{shown}: the server has no database {self.address.database}: {told}")
        if any(sign in low for sign in ("unavailable", "deadline", "timeout", "fail connecting", "connect")):
            return ArtifactError(f"{shown}: no answer from a Milvus server at {server}: {told}")
        if isinstance(error, MilvusException) and error.code == _NOT_FOUND:
            return ArtifactError(f"{shown}: was replaced twice or removed since it was opened: open it again")
        return ArtifactError(f"{shown}: the server at {server} refuses: {told}")

    def close(self) -> None:
        """Closes the connection."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None and self._process == os.getpid():
            client.close()

    def _connected(self) -> Any:
        with self._lock:
            if self._process != os.getpid():  # forked: the connection is the parent's
                self._client, self._process = None, os.getpid()
            if self._client is None:
                self._client = self._connect()
            return self._client

    def _connect(self) -> Any:
        address = self.address
        from pymilvus import MilvusClient

        logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # every error is raised, and told in one line
        host = f"[{address.host}]" if address.host and ":" in address.host else address.host
        return MilvusClient(
            uri=f"http://{host}:{address.port or _PORT}",
            user=address.user or "",
            password=address.password or "",
            db_name=address.database,
            timeout=_PATIENCE,
        )


def _is_loading(error: Any) -> bool:
    """Whether an error says that the server was just started and reads a collection again."""
    told = str(error.message).lower()
    signs = ("not loaded", "not fully loaded", "no available", "not ready", "channel not available", "not healthy")
    return any(sign in told for sign in signs)
