"""Taking typed fields out of FHIR JSON: what is absent is empty, what has the wrong type is said in words."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import orjson

Json = dict[str, Any]


class Broken(Exception):
    """A resource, or an element of one, that is not what the specification says; the text says why."""


def parsed(text: bytes | str) -> Any:
    """The JSON value; raises ``orjson.JSONDecodeError``. The garbage collector, which would look at every object of a
    large document again and again and finds nothing, waits meanwhile.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        return orjson.loads(text)
    finally:
        if collecting:
            gc.enable()


def text_of(parent: Json, key: str) -> str:
    """The text under ``key``, without white space around it; empty where there is none."""
    value = parent.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Broken(f"{key!r} is {_kind(value)} where a text is needed")
    return value.strip()


def object_of(parent: Json, key: str) -> Json:
    """The object under ``key``; an empty one where there is none."""
    value = parent.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Broken(f"{key!r} is {_kind(value)} where an object is needed")
    return value


def objects_of(parent: Json, key: str) -> list[Json]:
    """The objects in the list under ``key``."""
    value = parent.get(key)
    if value is None:
        return []
    if type(value) is not list or any(type(item) is not dict for item in value):
        raise Broken(f"{key!r} is not a list of objects")
    return value


def texts_of(parent: Json, key: str) -> list[str]:
    """The texts in the list under ``key``; a single text counts as a list of one."""
    value = parent.get(key)
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Broken(f"{key!r} is not a list of texts")
    return value


def flag_of(parent: Json, key: str) -> bool | None:
    """The truth under ``key``, or None where there is none."""
    value = parent.get(key)
    if value is not None and not isinstance(value, bool):
        raise Broken(f"{key!r} is {_kind(value)} where true or false is needed")
    return value


def value_of(element: Json) -> tuple[str, Any]:
    """The type (``Code``, ``Boolean``) and the value of an element with ``value[x]``; ``("", None)`` without one."""
    for key, value in element.items():
        if key.startswith("value") and len(key) > 5 and value is not None:
            return key[5:], value
    return "", None


def written(value: Any) -> str:
    """A ``value[x]`` as text: codes, strings and dates as they are, truths and numbers as in JSON, a Coding in the
    syntax of FHIR Shorthand (``system|version#code "display"``), any other object as JSON.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and isinstance(value.get("code"), str):
        return coding_text(value)
    return orjson.dumps(value).decode()


def code_in(value: Any) -> str:
    """The code in a value of type code or Coding; any other value as text."""
    code = value.get("code") if isinstance(value, dict) else None
    return code if isinstance(code, str) else written(value)


def coding_text(coding: Json) -> str:
    """A Coding as FHIR Shorthand writes it; a code with white space is quoted."""
    system, version, code = text_of(coding, "system"), text_of(coding, "version"), text_of(coding, "code")
    quoted = f'"{code}"' if any(c.isspace() for c in code) else code
    display = text_of(coding, "display")
    return f"{system}{'|' + version if version else ''}#{quoted}" + (
        f" {orjson.dumps(display).decode()}" if display else ""
    )


def translations(parent: Json, key: str) -> Iterator[tuple[str, str]]:
    """Language and text of every translation of the primitive ``key`` (extension ``translation`` on ``_key``)."""
    beside = f"_{key}"
    for extension in objects_of(object_of(parent, beside), "extension") if beside in parent else ():
        if extension.get("url") == "http://hl7.org/fhir/StructureDefinition/translation":
            parts = {text_of(part, "url"): value_of(part)[1] for part in objects_of(extension, "extension")}
            language, content = parts.get("lang"), parts.get("content")
            if isinstance(language, str) and isinstance(content, str) and language and content.strip():
                yield language, content.strip()


def excerpt(value: Any) -> str:
    """The beginning of a value as JSON, for a message."""
    try:
        return orjson.dumps(value)[:400].decode(errors="replace")
    except TypeError:
        return ""


def _kind(value: Any) -> str:
    return {dict: "an object", list: "a list", bool: "a truth value", str: "a text"}.get(type(value), "a number")
