"""Bodies of requests: received up to a limit, and unpacked (RFC 9110, section 8.4)."""

from __future__ import annotations

import io
import zlib
from gzip import GzipFile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request

_PLAIN = ("", "identity")
_GZIP = ("gzip", "x-gzip")


async def received(request: Request, most: int) -> tuple[int, bytes]:
    """How many bytes a body has, and the body; of one of more than ``most`` bytes no more is read than shows that."""
    declared = request.headers.get("content-length", "")[:20]
    size = int(declared) if declared.isdecimal() else 0
    if size > most:
        return size, b""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        parts.append(part)
        size += len(part)
        if size > most:
            break
    return size, b"".join(parts)


def unpacked(body: bytes, packing: str, most: int) -> bytes:
    """The body without what its Content-Encoding says; of one of more than ``most`` bytes so many and one.

    Raises LookupError where it is packed otherwise, ValueError where it is not what it says.
    """
    name = packing.strip().lower()
    if name in _PLAIN:
        return body
    if name not in _GZIP:
        raise LookupError(f"a body packed as {packing[:60]!r} is not supported. Supported: gzip")
    try:
        return GzipFile(fileobj=io.BytesIO(body)).read(most + 1)
    except EOFError:
        raise ValueError("it ends too early") from None
    except (OSError, zlib.error) as error:
        raise ValueError(str(error)) from None
