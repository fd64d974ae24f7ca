"""The OpenAPI 3.1 description of the API (https://spec.openapis.org/oas/v3.1.0), made from the table of operations."""

from __future__ import annotations

from typing import Any

from ontonym.manifest import ontonym_version
from ontonym.serve.api.operations import BASE, OPERATIONS, ApiOperation

_ERROR = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
_REFUSED = {
    "400": "A parameter is wrong; the message says what to change",
    "401": "A key is needed, or the one given is not known",
    "403": "This needs a key, and none is set up",
    "404": "There is no such concept",
    "409": "Another process is writing there: try again",
    "413": "The body is too large",
    "415": "The body is not JSON",
    "429": "Too many requests: wait as long as Retry-After says",
    "503": "The server is busy: wait as long as Retry-After says",
    "507": "The disk of the server is full",
}


def openapi_description(address: str = "") -> dict[str, Any]:
    """The description, as JSON values; ``address`` is the one that clients use, where it is not the server's own."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "ontonym",
            "version": ontonym_version(),
            "description": "Concept search, normalization and mapping for clinical terminologies.",
        },
        **({"servers": [{"url": address.rstrip("/")}]} if address else {}),
        "paths": {BASE + one.path: _path(one) for one in OPERATIONS},
        "components": {
            "schemas": {"Error": _ERROR},
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _path(one: ApiOperation) -> dict[str, Any]:
    return {method.lower(): _operation(one, method) for method in one.methods}


def _operation(one: ApiOperation, method: str) -> dict[str, Any]:
    name = one.path.strip("/").replace("/", "_")
    found: dict[str, Any] = {
        "operationId": name if len(one.methods) == 1 or method == "GET" else f"{name}_{method.lower()}",
        "summary": one.summary,
        "responses": {
            "200": {"description": one.summary, "content": {"application/json": {"schema": {"type": "object"}}}},
            **{status: _refused(why) for status, why in _REFUSED.items()},
        },
    }
    if one.writes:
        found["security"] = [{"key": []}]
    if method == "GET":
        found["parameters"] = [
            {"name": p.name, "in": "query", "description": p.help, "required": p.required, "schema": p.schema()}
            for p in one.parameters
        ]
    else:
        schema = {
            "type": "object",
            "properties": {p.name: p.schema() | {"description": p.help} for p in one.parameters},
            "required": [p.name for p in one.parameters if p.required],
            "additionalProperties": False,
        }
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return found


def _refused(why: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Error"}
    return {"description": why, "content": {"application/json": {"schema": schema}}}
