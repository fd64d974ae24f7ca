"""A pooler between clients and a PostgreSQL server, as PgBouncer in transaction mode: each transaction of a client goes
to the next of its connections, so that nothing of a session holds from one to the next.
"""

from __future__ import annotations

import asyncio
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_START, _SSL = 196608, 80877103
_CONNECTIONS = 3


class Pooler:
    """A running pooler; ``switched`` counts the transactions that went to another connection than the one before."""

    def __init__(self, server: int, database: str = "postgres", user: str = "postgres") -> None:
        self._server, self._database, self._user = server, database, user
        self._free: asyncio.Queue[tuple[int, asyncio.StreamReader, asyncio.StreamWriter]]
        self._greeting = b""
        self.port, self.switched = 0, 0
        self._loop = asyncio.new_event_loop()
        self._serving: asyncio.Task[None] | None = None
        self._opened: list[asyncio.StreamWriter] = []

    def run(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        with suppress(asyncio.CancelledError):
            self._loop.run_until_complete(self._serve(ready))
        self._loop.run_until_complete(self._ended())
        self._loop.close()

    def stop(self) -> None:
        assert self._serving is not None
        self._loop.call_soon_threadsafe(self._serving.cancel)

    async def _ended(self) -> None:
        while not self._free.empty():
            self._opened.append(self._free.get_nowait()[2])
        for writer in self._opened:
            writer.close()
        for writer in self._opened:
            with suppress(ConnectionError):
                await writer.wait_closed()
        await asyncio.sleep(0.05)

    async def _serve(self, ready: threading.Event) -> None:
        self._serving = asyncio.current_task()
        self._free = asyncio.Queue()
        for number in range(_CONNECTIONS):
            self._free.put_nowait((number, *await self._connected()))
        served = await asyncio.start_server(self._client, "127.0.0.1", 0)
        self.port = served.sockets[0].getsockname()[1]
        ready.set()
        await served.serve_forever()

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._server)
        said = f"user\0{self._user}\0database\0{self._database}\0\0".encode()
        writer.write(struct.pack("!II", 8 + len(said), _START) + said)
        self._greeting = b""
        while True:
            kind, body = await _message(reader)
            self._greeting += _packed(kind, body)
            if kind == b"Z":
                return reader, writer

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._opened.append(writer)
        last, asked = None, None
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                size, code = struct.unpack("!II", await reader.readexactly(8))
                await reader.readexactly(size - 8)
                if code != _SSL:
                    break
                writer.write(b"N")
            writer.write(self._greeting)
            while True:
                asked = asked or asyncio.ensure_future(_message(reader))
                await asyncio.wait([asked])
                if asked.exception() or asked.result()[0] == b"X":
                    break
                number, from_server, to_server = await self._free.get()
                self.switched += last not in (None, number)
                last = number
                asked = await _transaction(asked, reader, writer, from_server, to_server)
                self._free.put_nowait((number, from_server, to_server))
        writer.close()


_Asked = asyncio.Future[tuple[bytes, bytes]]


async def _transaction(
    asked: _Asked,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    from_server: asyncio.StreamReader,
    to_server: asyncio.StreamWriter,
) -> _Asked | None:
    """Passes messages both ways until the server says that no transaction is open; the next message, if one is read."""
    answering = asyncio.ensure_future(_answered(from_server, writer))
    while True:
        await asyncio.wait([asked, answering], return_when=asyncio.FIRST_COMPLETED)
        if answering.done():
            return asked
        kind, body = asked.result()
        to_server.write(_packed(kind, body))
        asked = asyncio.ensure_future(_message(reader))


async def _answered(from_server: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        kind, body = await _message(from_server)
        writer.write(_packed(kind, body))
        if (kind, body) == (b"Z", b"I"):
            return


def _packed(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!I", 4 + len(body)) + body


async def _message(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    kind = await reader.readexactly(1)
    (size,) = struct.unpack("!I", await reader.readexactly(4))
    return kind, await reader.readexactly(size - 4)


@contextmanager
def pooled(server: int) -> Iterator[Pooler]:
    """Lends a pooler before the server on a port."""
    pooler, ready = Pooler(server), threading.Event()
    thread = threading.Thread(target=pooler.run, args=(ready,), daemon=True)
    thread.start()
    assert ready.wait(30)
    try:
        yield pooler
    finally:
        pooler.stop()
        thread.join(timeout=10)
