"""The JSON API from Python: `ServerClient` has a method for each operation. Standard library only."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from ontonym.errors import InputError, LockedError, OntonymError, UnknownIdError
from ontonym.serve.api.operations import BASE, OPERATIONS

_METHODS = {one.path: "POST" if "POST" in one.methods else "GET" for one in OPERATIONS}


class ServerError(OntonymError):
    """A server that does not answer, or fails; ``status`` is that of HTTP, 0 without an answer."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class ServerClient:
    """Asks a server that `ontonym serve` runs, such as ``ServerClient("http://127.0.0.1:8000")``.

    ``key`` is a key or an OIDC token, for what writes. ``seconds`` is how long an answer is waited for. Answers are the
    JSON of docs/api.md as dictionaries; further parameters go by name. Every method raises InputError for what the
    server says is wrong, UnknownIdError for an unknown concept, LockedError while another process writes, ServerError.
    """

    def __init__(self, address: str, key: str = "", *, seconds: float = 60.0) -> None:
        if urlsplit(address).scheme not in ("http", "https"):
            raise InputError(f"{address!r} is no address such as http://127.0.0.1:8000")
        self._address = address.rstrip("/") + BASE
        self._key = key
        self._seconds = seconds

    def about(self) -> dict[str, Any]:
        """What is served."""
        return self._asked("/about")

    def search(self, q: str, **more: Any) -> dict[str, Any]:
        """The concepts behind words, best first."""
        return self._asked("/search", q=q, **more)

    def autocomplete(self, q: str, **more: Any) -> dict[str, Any]:
        """The concepts that a text which is still being typed may mean."""
        return self._asked("/autocomplete", q=q, **more)

    def normalize(self, text: str | Sequence[str], **more: Any) -> dict[str, Any]:
        """The concept of each mention, or none."""
        return self._asked("/normalize", text=[text] if isinstance(text, str) else list(text), **more)

    def annotate(self, text: str, **more: Any) -> dict[str, Any]:
        """The mentions in a text, with negation and doubt."""
        return self._asked("/annotate", text=text, **more)

    def explain(self, q: str, **more: Any) -> dict[str, Any]:
        """Why a concept (``id``), or each of the best ones, was found for words."""
        return self._asked("/explain", q=q, **more)

    def compare(self, q: str, first: str, second: str, **more: Any) -> dict[str, Any]:
        """Two concepts compared for words, found or not."""
        return self._asked("/compare", q=q, first=first, second=second, **more)

    def concept(self, id: str, **more: Any) -> dict[str, Any]:
        """The whole record of a concept."""
        return self._asked("/concept", id=id, **more)

    def hierarchy(self, id: str = "", **more: Any) -> dict[str, Any]:
        """What is around a concept (``relation``); without an id the roots."""
        return self._asked("/hierarchy", id=id, **more)

    def tree(self, id: str = "", **more: Any) -> dict[str, Any]:
        """The hierarchy around a concept as a tree."""
        return self._asked("/tree", id=id, **more)

    def candidates(self, id: str, **more: Any) -> dict[str, Any]:
        """The concepts of an index that one of another terminology may be the same as."""
        return self._asked("/candidates", id=id, **more)

    def terms(self, **more: Any) -> dict[str, Any]:
        """The terms that were added to an index."""
        return self._asked("/terms", **more)

    def terms_add(self, id: str, text: str, **more: Any) -> dict[str, Any]:
        """Adds a term to an index."""
        return self._asked("/terms/add", id=id, text=text, **more)

    def terms_remove(self, id: str, text: str, **more: Any) -> dict[str, Any]:
        """Removes an added term from an index."""
        return self._asked("/terms/remove", id=id, text=text, **more)

    def reviews(self) -> dict[str, Any]:
        """The reviews with their progress."""
        return self._asked("/reviews")

    def review(self, **more: Any) -> dict[str, Any]:
        """The source concepts of a review, most urgent first."""
        return self._asked("/review", **more)

    def review_item(self, id: str, **more: Any) -> dict[str, Any]:
        """A source concept of a review with its candidates."""
        return self._asked("/review/item", id=id, **more)

    def review_decide(self, id: str, verdict: str, **more: Any) -> dict[str, Any]:
        """Decides on a source concept of a review."""
        return self._asked("/review/decide", id=id, verdict=verdict, **more)

    def review_undo(self, **more: Any) -> dict[str, Any]:
        """Undoes what you did last in a review."""
        return self._asked("/review/undo", **more)

    def _asked(self, path: str, **parameters: Any) -> dict[str, Any]:
        given = {name: _listed(value) for name, value in parameters.items() if value is not None}
        headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        place, body = self._address + path, None
        if _METHODS[path] == "POST":
            body, headers["Content-Type"] = json.dumps(given).encode(), "application/json"
        elif given:
            place += f"?{_query(given)}"
        request = urllib.request.Request(place, body, headers)  # noqa: S310 (http or https, checked)
        try:
            with urllib.request.urlopen(request, timeout=self._seconds) as answer:  # noqa: S310 (as above)
                found: dict[str, Any] = json.loads(answer.read())
                return found
        except urllib.error.HTTPError as error:
            with error:
                raise _error(error.code, error.read()) from None
        except (OSError, ValueError, HTTPException) as error:  # an answer can break off in its middle
            raise ServerError(f"{self._address}: no answer: {error}") from None


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _query(given: dict[str, Any]) -> str:
    from urllib.parse import urlencode

    texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()}
    return urlencode(texts, doseq=True)


def _error(status: int, body: bytes) -> OntonymError:
    """The error of ours that a refusal stands for, with the server's message."""
    try:
        message = str(json.loads(body)["error"])
    except (ValueError, KeyError, TypeError):
        message = f"the server answered with status {status}"
    if status == 404:
        unknown = UnknownIdError("", "")
        unknown.args = (message,)
        return unknown
    if status == 409:
        return LockedError(message)
    return InputError(message) if 400 <= status < 429 else ServerError(message, status)
