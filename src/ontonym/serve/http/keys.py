"""Who may write, and where reading is not open to everyone, who may read: keys of a file, and OIDC bearer tokens."""

from __future__ import annotations

import hashlib
import hmac
import logging
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from ontonym.errors import FormatError, InputError
from ontonym.serve.http.issuer import IssuerKeys, UnreachableIssuer
from ontonym.serve.http.pool import RefusedRequest
from ontonym.serve.http.settings import LOOPBACK, ServerOptions

LEAST = 16
"""Fewest characters of a key."""

_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_LONGEST = 16_000
_LOG = logging.getLogger("ontonym.serve")
_NAMES = ("preferred_username", "email", "name", "sub")


def read_keys(path: Path | str) -> Mapping[str, str]:
    """The names by the SHA-256 of their keys, from a file with a name and its key on each line.

    A line that begins with ``#`` is a comment. Raises FormatError, which never quotes a key.
    """
    file = Path(path)
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise FormatError(file, f"cannot be read: {why}", hint="Check the path of the keys") from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        name, _, key = line.strip().rpartition(" ")
        if line.strip().startswith("#") or not line.strip():
            continue
        if not name.strip() or len(key) < LEAST:
            raise FormatError(
                file, f"no name followed by a key of at least {LEAST} characters", line=number,
                hint="Such as: anna 3f9c2b7d51e84a06",
            )  # fmt: skip
        found[digest(key)] = name.strip()
    return MappingProxyType(found)


def digest(key: str) -> str:
    """The hexadecimal SHA-256 of a key, under which its name is kept."""
    return hashlib.sha256(key.encode()).hexdigest()


class TokenChecker:
    """Checks OIDC bearer tokens (RFC 7519, OpenID Connect Core 1.0 section 3.1.3.7) by the keys of their issuer.

    The issuer's keys are fetched when the first token comes. Raises InputError for an issuer without https.
    """

    def __init__(self, issuer: str, audience: str, scope: str = "") -> None:
        parts = urlsplit(issuer)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
            raise InputError(f"the issuer {issuer!r} is no https address")
        self._issuer = issuer
        self._audience = audience
        self._scope = scope
        self._keys = IssuerKeys(issuer)

    def holder(self, token: str, *, writing: bool) -> str | None:
        """The name of a token's subject; None for a token that is not valid, or may not write where it is to.

        Raises RefusedRequest (503) where the keys of the issuer cannot be fetched. The log says why a token is refused.
        """
        import jwt

        if len(token) > _LONGEST:
            return None
        try:
            key = self._keys.find(jwt.get_unverified_header(token).get("kid"))
            if key is None:
                raise jwt.InvalidTokenError("its key is none of the issuer's")
            claims = jwt.decode(
                token, key.key, algorithms=list(_ALGORITHMS), audience=self._audience, issuer=self._issuer, leeway=30,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )  # fmt: skip
        except UnreachableIssuer:
            raise RefusedRequest(503, "tokens cannot be checked at present", {"Retry-After": "10"}) from None
        except (jwt.PyJWTError, ValueError, TypeError) as error:  # TypeError: the key is one of another algorithm
            _LOG.warning("a token was refused: %.200r", str(error))
            return None
        if writing and self._scope and self._scope not in _scopes(claims):
            return None
        return next((str(claims[name]) for name in _NAMES if claims.get(name)), None)


def _scopes(claims: Mapping[str, Any]) -> list[str]:
    """The scopes and roles of a token, as issuers write them."""
    found: list[str] = []
    for value in map(claims.get, ("scope", "scp", "roles")):
        found += value.split() if isinstance(value, str) else value if isinstance(value, list) else []
    return found


class Doorkeeper:
    """Tells who asks, by the Authorization header of a request."""

    def __init__(self, options: ServerOptions) -> None:
        self._file = options.keys
        self._written = self._when_written()
        self._keys = read_keys(self._file) if self._file else {}
        self._tokens = TokenChecker(options.issuer, options.audience, options.scope) if options.issuer else None
        self.closed = options.closed

    @property
    def writable(self) -> bool:
        """Whether anybody may write."""
        return bool(self._present()) or self._tokens is not None

    def _present(self) -> Mapping[str, str]:
        """The keys of the file, read again when it was changed; those from before where it cannot be read."""
        written = self._when_written()
        if written != self._written:
            self._written = written
            try:
                self._keys = read_keys(self._file)
            except FormatError as error:
                _LOG.error("the keys from before still count: %s", error)
        return self._keys

    def _when_written(self) -> tuple[int, ...]:
        if not self._file:
            return ()
        try:
            found = Path(self._file).stat()
        except OSError:
            return ()
        return found.st_mtime_ns, found.st_size, found.st_ino

    def holder(self, authorization: str, *, writing: bool) -> str | None:
        """The name of who has the key or token of an ``Authorization: Bearer`` header; None where it is not known.

        A token may need the keys of its issuer to be fetched, which takes time.
        """
        scheme, _, given = authorization.partition(" ")
        given = given.strip()
        if scheme.lower() != "bearer" or not given:
            return None
        hashed = digest(given)
        found = [name for known, name in self._present().items() if hmac.compare_digest(known, hashed)]
        if found or self._tokens is None or given.count(".") != 2:
            return found[0] if found else None
        return self._tokens.holder(given, writing=writing)
