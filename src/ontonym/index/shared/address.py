"""Where a shared index is: the URL of a database with the name of the index, and how it is shown without a password."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from ontonym.artifact import is_url
from ontonym.errors import InputError, UnknownNameError

_FORMS = {
    "postgresql": "postgresql://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE/INDEX",
    "milvus": "milvus://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE/INDEX",
}
_NAMES = {
    "postgresql": (re.compile(r"[a-z_][a-z0-9_-]{0,39}"), "lower-case letters, digits, - and _"),
    "milvus": (re.compile(r"[a-z_][a-z0-9_]{0,39}"), "lower-case letters, digits and _"),
}
_OPTIONS = {"postgresql": ("host", "sslmode", "prepared"), "milvus": ()}
_SWITCH = {"on": True, "off": False}

if TYPE_CHECKING:
    _Path = Path
else:
    _Path = type(Path())


class SharedPath(_Path):
    """The place of a shared index among paths of folders: it is shown as the URL without the password."""

    def __str__(self) -> str:
        return re.sub("^([a-z]+):/+", r"\1://", super().__str__().replace("\\", "/"))


@dataclass(frozen=True, slots=True)
class Address:
    """A database, and the name of an index in it, which is that of a schema or the beginning of collections' names.

    ``scheme`` is ``postgresql`` or ``milvus``. ``password`` and ``user`` may be None: then PostgreSQL takes those of
    the environment (``PGPASSWORD``, ``PGUSER``) and of the file ``~/.pgpass``. ``sslmode`` is as in libpq.
    ``prepared``: statements are prepared once for each connection, which some poolers do not allow.
    """

    scheme: str
    host: str | None
    port: int | None
    database: str
    index: str
    user: str | None = None
    password: str | None = None
    sslmode: str | None = None
    prepared: bool = True

    def __repr__(self) -> str:
        return f"<Address {self.shown}>"

    @property
    def shown(self) -> str:
        """The URL without the password."""
        user = f"{self.user}@" if self.user else ""
        return f"{self.scheme}://{user}{self.server}/{self.database}/{self.index}"

    @property
    def server(self) -> str:
        """The host with its port, as in the URL."""
        host = "localhost" if self.host is None or self.host.startswith("/") else self.host
        host = f"[{host}]" if ":" in host else host
        return host if self.port is None else f"{host}:{self.port}"

    @property
    def path(self) -> SharedPath:
        """The address among paths, without the password."""
        return SharedPath(self.shown)


def address_of(place: Path | str) -> Address | None:
    """The address that a place means, or None for a folder. Raises InputError for a URL that is not complete.

    A ``Path`` has one slash after the colon instead of two; both are read.
    """
    text = str(place).replace("\\", "/") if isinstance(place, Path) else place
    if not is_url(text):
        return None
    given, _, rest = text.partition(":")
    scheme = "milvus" if given.lower() == "milvus" else "postgresql"
    form, (allowed, letters) = _FORMS[scheme], _NAMES[scheme]
    try:
        parts = urlsplit(f"{given}://{rest.lstrip('/')}")
        port = parts.port
    except ValueError:
        raise InputError(f"the URL of a shared index is not of the form {form}") from None
    database, _, index = parts.path.strip("/").partition("/")
    options = dict(parse_qsl(parts.query))
    for name in options:
        if name not in _OPTIONS[scheme]:
            raise UnknownNameError("option of a shared index", name, _OPTIONS[scheme])
    if not parts.hostname and "host" not in options:
        raise InputError(f"the URL of a shared index names no host; its form is {form}")
    if not index:
        raise InputError(
            f"the URL of a shared index names the database {database!r}, but no index in it; its form is {form}"
        )
    if not allowed.fullmatch(index):
        raise InputError(f"{index!r} cannot be the name of a shared index: use {letters}, at most 40")
    prepared = options.get("prepared", "on")
    if prepared not in _SWITCH:
        raise UnknownNameError("value of the option prepared", prepared, _SWITCH)
    return Address(
        scheme=scheme,
        host=options.get("host") or parts.hostname,
        port=port,
        database=unquote(database),
        index=index,
        user=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
        sslmode=options.get("sslmode"),
        prepared=_SWITCH[prepared],
    )
