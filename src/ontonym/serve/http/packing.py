"""Bodies of requests that clients pack (RFC 9110, section 8.4)."""

from __future__ import annotations

import io
import zlib
from gzip import GzipFile

_PLAIN = ("", "identity")
_GZIP = ("gzip", "x-gzip")


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
