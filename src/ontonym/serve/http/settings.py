"""The options of a server, and how they reach its worker processes."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Any, Self
from urllib.parse import SplitResult, unquote, urlsplit

from ontonym.errors import InputError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""The addresses that only this machine reaches."""
FHIR_PATHS = ("/r4", "/r5", "/fhir")
OWN_PATHS = frozenset({"/api", "/health", "/ready", "/metrics", *FHIR_PATHS})
"""The first parts of the paths that programs ask for."""
_HOST = re.compile(r"[A-Za-z0-9._-]+|\[?[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\]?")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a server answers.

    ``artifacts`` and ``reviews`` are the places of what is served, ``resources`` those of FHIR resources: files,
    folders and packages, read when the server starts. ``keys`` is a file of keys (`read_keys`); ``issuer``
    and ``audience`` are those of OIDC tokens, which must have ``scope``, if it is not empty, to write. With ``closed``
    reading needs a key or token too.

    ``workers`` processes each search in at most ``threads`` threads, and as many requests times ``waiting`` wait for
    one. ``rate`` is the number of requests a second that a client may make of each process, 0 for any, ``seconds`` the
    time an answer may take, ``longest_body`` in bytes. ``origins`` are the web sites that may read answers (CORS);
    ``names`` the values of the Host header that are answered, empty for any, or those of this machine on a loopback
    address. ``public`` is the address that clients use, where a reverse proxy gives the server another one than its
    own. ``access_log`` writes a line for each request, ``log_queries`` with its query string.
    """

    artifacts: tuple[str, ...] = ()
    reviews: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    threads: int = 2
    waiting: int = 64
    keys: str = ""
    issuer: str = ""
    audience: str = ""
    scope: str = ""
    closed: bool = False
    rate: float = 0.0
    seconds: float = 30.0
    longest_body: int = 4_000_000
    origins: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    public: str = ""
    access_log: bool = True
    log_queries: bool = False

    def __post_init__(self) -> None:
        if self.closed and not (self.keys or self.issuer):
            raise InputError("with `closed=` nobody could read: give `keys=FILE` or `issuer=URL` too")
        if bool(self.issuer) != bool(self.audience):
            raise InputError("tokens are checked by `issuer=URL` and `audience=NAME`: give both")
        if self.log_queries and not self.access_log:
            raise InputError(
                "`log_queries=` is of the lines for requests, of which none is written: ask for one of both"
            )
        if self.scope and not self.issuer:
            raise InputError("`scope=NAME` is of tokens: give `issuer=URL` and `audience=NAME` too")
        for origin in self.origins:
            _check_origin(origin)
        for name in self.names:
            if not _HOST.fullmatch(name):
                raise InputError(f"no request is for the host name {name!r}: give it alone, such as terms.example.org")
        if self.public and not _is_base(self.public):
            raise InputError(f"{self.public!r} is no address of a server, such as https://terms.example.org/terms")
        if "/".join(self.prefix.split("/")[:2]) in OWN_PATHS:
            raise InputError(
                f"{self.public!r} ends where a path of the server's own begins: leave {self.prefix} out, "
                "or take another path, such as /terms"
            )

    @property
    def answered_names(self) -> frozenset[str]:
        """The values of the Host header, without a port, that are answered; empty for any.

        A page of another site cannot then reach a server on this machine under a name of its own (DNS rebinding).
        """
        if not self.names and self.host not in LOOPBACK:
            return frozenset()
        names = self.names or (*LOOPBACK, "[::1]")
        return frozenset(name.lower() for name in (*names, without_port(urlsplit(self.public).netloc)) if name)

    @property
    def prefix(self) -> str:
        """The first part of the path of all that clients ask for, such as ``/terms``; empty for none."""
        return unquote(urlsplit(self.public).path).rstrip("/")

    def as_text(self) -> str:
        """The options as JSON, for `from_text`."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The options that `as_text` wrote."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in json.loads(text).items()
        }
        return cls(**values)


def without_port(host: str) -> str:
    """The name of a Host header; empty where what follows the name is no port."""
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        return host
    return name if port.isdecimal() and port.isascii() else ""


def _check_origin(origin: str) -> None:
    """Raises InputError for an origin that no browser sends so (RFC 6454, section 6.2)."""
    if origin == "*":
        return
    parts = _parts(origin)
    if parts is None:
        raise InputError(f"{origin!r} is no web site, such as https://example.org")
    port = "" if parts.port in (None, _PORTS[parts.scheme]) else f":{parts.port}"
    host = without_port(parts.netloc.rpartition("@")[2]).lower()
    sent = f"{parts.scheme}://{host}{port}"
    if origin != sent:
        raise InputError(f"no browser says that it comes from {origin!r}: give {sent}")


def _is_base(address: str) -> bool:
    parts = _parts(address)
    return parts is not None and "@" not in parts.netloc and not re.search(r"[?#\s]", address)


def _parts(address: str) -> SplitResult | None:
    """The parts of an http address; None for anything else."""
    try:
        parts = urlsplit(address)
        known = parts.scheme in _PORTS and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return None
    return parts if known else None
