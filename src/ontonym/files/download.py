"""A file from the web: streamed to its place, whole or not at all, with its checksum. Nothing calls this unasked."""

from __future__ import annotations

import hashlib
import http.client
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ontonym.checksums import sha256
from ontonym.errors import CheckFailed, InputError
from ontonym.files.output import written_file

LARGEST = 32 << 30
"""Bytes of the largest file that is taken."""
_CHUNK = 1 << 18
_PATIENCE = 60
"""Seconds without a byte after which a server is given up."""

DownloadProgress = Callable[[int, int | None], object]
"""Called with the bytes that are there, and with how many there will be, if the server says so."""


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A file that was downloaded to ``path``; ``is_new`` is False where the same bytes were there already."""

    path: Path
    url: str
    bytes: int
    sha256: str
    is_new: bool


def download(
    url: str,
    path: Path | str,
    *,
    expected: str = "",
    force: bool = False,
    otherwise: str = "",
    progress: DownloadProgress = lambda done, total: None,
) -> Downloaded:
    """The file behind an http or https address, written to ``path``.

    ``expected`` is its SHA-256 in hexadecimal, where it is known. Another file at ``path`` is replaced only with
    ``force``. Raises InputError where the server cannot be reached or refuses, with what to do ``otherwise``, or sends
    less than it said; CheckFailed for another checksum.
    """
    path = Path(path)
    if urlsplit(url).scheme not in ("http", "https"):
        raise InputError(f"{url}: is no address that begins with https:// or http://")
    before = sha256(path) if path.is_file() else ""
    try:
        with written_file(path, packing=False) as out:
            found, size = _streamed(url, out.write, progress)
            if expected and found != expected.lower():
                raise CheckFailed(f"{url}: its SHA-256 is {found}, not {expected.lower()}: it was not kept")
            if before and before != found and not force:
                raise InputError(f"{path}: is there already, with other content: give another place, or `force=`")
    except (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError) as error:
        raise InputError(f"{url}: {_said(error)}{otherwise}") from None
    return Downloaded(path, url, size, found, before != found)


def _streamed(url: str, write: Callable[[bytes], object], progress: DownloadProgress) -> tuple[str, int]:
    """The checksum and the size of what was read."""
    request = urllib.request.Request(url, headers={"User-Agent": "ontonym"})  # noqa: S310 (the caller checks the scheme)
    digest, done = hashlib.sha256(), 0
    with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:  # noqa: S310 (as above)
        said = answer.headers.get("Content-Length", "")
        total = int(said) if said.isdecimal() else None
        while chunk := answer.read(_CHUNK):
            done += len(chunk)
            if done > LARGEST:
                raise InputError(f"{url}: more than {LARGEST >> 30} GB, which no terminology has")
            digest.update(chunk)
            write(chunk)
            progress(done, total)
    if total is not None and done != total:
        raise InputError(f"{url}: the connection ended after {done:,} of {total:,} bytes: try again")
    if not done:
        raise InputError(f"{url}: the server sent an empty file")
    return digest.hexdigest(), done


def _said(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answers {error.code} {error.reason}"
    reason = getattr(error, "reason", None) or error
    return f"cannot be reached ({getattr(reason, 'strerror', None) or reason or type(error).__name__})"
