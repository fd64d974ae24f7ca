"""The options of a server, and how they reach its worker processes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Self

from ontonym.errors import InputError

LOOPBACK = ("127.0.0.1", "::1", "localhost")
"""The addresses that only this machine reaches."""


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
    address. ``access_log`` writes a line for each request, ``log_queries`` with its query string.
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

    @property
    def answered_names(self) -> frozenset[str]:
        """The values of the Host header, without a port, that are answered; empty for any.

        A page of another site cannot then reach a server on this machine under a name of its own (DNS rebinding).
        """
        if self.names or self.host not in LOOPBACK:
            return frozenset(name.lower() for name in self.names)
        return frozenset({*LOOPBACK, "[::1]"})

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
