"""The keys with which an OIDC issuer signs its tokens: fetched when a token needs one, and kept for a while."""

from __future__ import annotations

import json
import logging
import math
import threading
import time
import urllib.request
from typing import Any

KEPT = 300.0
"""Seconds for which fetched keys count."""
PAUSE = 10.0
"""Fewest seconds between two questions to the issuer, so that neither its outage nor made-up tokens cost more."""

_LONGEST = 1 << 20
_PATIENCE = 5.0
_LOG = logging.getLogger("ontonym.serve")


class UnreachableIssuer(Exception):
    """The keys of the issuer cannot be fetched at present."""


class IssuerKeys:
    """The keys of the issuer at an address, by their names (OpenID Connect Discovery 1.0, section 4).

    Several threads may ask. Where the issuer could not be reached, only one of them tries again, `PAUSE` seconds later;
    meanwhile the others get that answer at once.
    """

    def __init__(self, issuer: str) -> None:
        self._issuer = issuer
        self._client: Any = None
        self._keys: dict[str, Any] = {}
        self._fetched = -math.inf
        self._tried = -math.inf
        self._failed = False
        self._asking = threading.Lock()

    def find(self, name: Any) -> Any | None:
        """The key of a name (``kid``); None where the issuer has none. Raises UnreachableIssuer."""
        if time.monotonic() - self._fetched < KEPT and name in self._keys:
            return self._keys[name]
        self._ask()
        return self._keys.get(name)

    def _ask(self) -> None:
        """Fetches the keys, if the last attempt was not just now. Raises UnreachableIssuer."""
        if not self._asking.acquire(blocking=not self._failed):
            raise UnreachableIssuer
        try:
            if time.monotonic() - self._tried >= PAUSE:
                self._fetch()
            if self._failed:
                raise UnreachableIssuer
        finally:
            self._asking.release()

    def _fetch(self) -> None:
        import jwt

        try:
            if self._client is None:
                place = f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"
                with urllib.request.urlopen(place, timeout=_PATIENCE) as answer:  # noqa: S310 (https, or this machine)
                    found = json.loads(answer.read(_LONGEST))["jwks_uri"]
                self._client = jwt.PyJWKClient(found, cache_jwk_set=False, timeout=_PATIENCE)
            self._keys = {key.key_id: key for key in self._client.get_signing_keys()}
            self._fetched, self._failed = time.monotonic(), False
        except (jwt.PyJWTError, OSError, LookupError, TypeError, ValueError) as error:
            self._failed = True
            _LOG.error("the keys of the issuer %s cannot be fetched: %s", self._issuer, error)
        finally:
            self._tried = time.monotonic()
