"""The parameters of an operation: their types and bounds, read from a query string or a JSON body, and their schema."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ontonym.errors import InputError
from ontonym.types import LONGEST_ID, LONGEST_TEXT

ValueType = Literal["text", "texts", "number", "share", "flag"]
"""``texts`` may be repeated; ``number`` is whole; ``share`` is from 0 to 1."""

LONGEST_NOTE = 1_000_000
"""Most characters of a text to annotate."""
MOST_TEXTS = 1_000
"""Most values of a parameter that may be repeated."""

ApiValues: TypeAlias = Mapping[str, Any]
"""The values of an operation's parameters by name, checked; ``who``: the name of the key, empty without one; and
``writable``: whether the server knows keys at all."""

_NO_TEXT = re.compile("[\0\ud800-\udfff]")
"""What no text has: NUL, and halves of a pair of UTF-16."""
_SCHEMAS: Mapping[str, str] = {"text": "string", "number": "integer", "share": "number", "flag": "boolean"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. ``least`` and ``most`` bound a number, ``longest`` the characters of a text.

    One without a default is required, unless it is a list.
    """

    name: str
    help: str
    type: ValueType = "text"
    default: Any = None
    required: bool = False
    least: int = 0
    most: int = 1_000_000_000
    longest: int = LONGEST_ID
    choices: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of a value."""
        if self.type == "texts":
            return {"type": "array", "maxItems": MOST_TEXTS, "items": {"type": "string", "maxLength": self.longest}}
        found: dict[str, Any] = {"type": _SCHEMAS[self.type]}
        if self.type == "text":
            found["maxLength"] = self.longest
            if self.required:
                found["minLength"] = 1
        elif self.type == "number":
            found |= {"minimum": self.least, "maximum": self.most}
        elif self.type == "share":
            found |= {"minimum": 0, "maximum": 1}
        if self.choices:
            found["enum"] = list(self.choices)
        if self.default is not None:
            found["default"] = self.default
        return found


QUERY = Parameter("q", "The words to look for.", required=True, longest=LONGEST_TEXT)
INDEX = Parameter("index", "The index to ask; by default the first one.", default="")
TERMINOLOGY = Parameter("terminology", "The terminology; by default the first one that has the id.", default="")
ID = Parameter("id", "The id of a concept, such as HP:0001250.", required=True)


def from_query(parameters: Sequence[Parameter], pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The values of parameters that a query string gives; InputError for one that is unknown or wrong."""
    known = {one.name: one for one in parameters}
    raw: dict[str, Any] = {}
    for name, value in pairs:
        one = _known(known, name)
        if one.type == "texts":
            raw.setdefault(name, []).append(value)
        elif name in raw:
            raise InputError(f"the parameter {name} is given twice")
        else:
            raw[name] = _parsed(one, value)
    return _checked(parameters, raw)


def from_body(parameters: Sequence[Parameter], body: Any) -> dict[str, Any]:
    """The values of parameters that a JSON object gives; InputError for one that is unknown or wrong."""
    if not isinstance(body, dict):
        raise InputError("the body is no JSON object")
    known = {one.name: one for one in parameters}
    for name in body:
        _known(known, name)
    return _checked(parameters, body)


def _known(known: Mapping[str, Parameter], name: str) -> Parameter:
    if name not in known:
        raise InputError(f"unknown parameter {name[:100]!r}. Valid: {', '.join(known) or 'none'}")
    return known[name]


def _parsed(one: Parameter, value: str) -> Any:
    """The value that the text of a query string stands for; it is checked afterwards."""
    if one.type == "number":
        return int(value) if value.isascii() and value.removeprefix("-").isdigit() and len(value) < 19 else value
    if one.type == "share":
        try:
            return float(value)
        except ValueError:
            return value
    if one.type == "flag":
        return {"true": True, "1": True, "": True, "false": False, "0": False}.get(value.lower(), value)
    return value


def _checked(parameters: Sequence[Parameter], raw: Mapping[str, Any]) -> dict[str, Any]:
    return {one.name: _value(one, raw.get(one.name)) for one in parameters}


def _value(one: Parameter, value: Any) -> Any:
    if value is None:
        if one.required:
            raise InputError(f"the parameter {one.name} is missing: {one.help}")
        return () if one.type == "texts" else one.default
    if one.type == "texts":
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or len(values) > MOST_TEXTS:
            raise InputError(f"the parameter {one.name} is no list of at most {MOST_TEXTS:,} texts")
        return tuple(_text(one, text) for text in values)
    if one.type == "flag":
        if not isinstance(value, bool):
            raise InputError(f"the parameter {one.name} is neither true nor false")
        return value
    if one.type == "number":
        if isinstance(value, bool) or not isinstance(value, int) or not one.least <= value <= one.most:
            raise InputError(f"the parameter {one.name} is no whole number from {one.least:,} to {one.most:,}")
        return value
    if one.type == "share":
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise InputError(f"the parameter {one.name} is no number from 0 to 1")
        return float(value)
    return _text(one, value)


def _text(one: Parameter, value: Any) -> str:
    if not isinstance(value, str):
        raise InputError(f"the parameter {one.name} is no text")
    if len(value) > one.longest:
        raise InputError(f"the parameter {one.name} has {len(value):,} characters: at most {one.longest:,} are taken")
    if one.required and not value.strip():
        raise InputError(f"the parameter {one.name} is empty: {one.help}")
    if _NO_TEXT.search(value):
        raise InputError(f"the parameter {one.name} has a character that no text has")
    if one.choices and value not in one.choices:
        raise InputError(f"the parameter {one.name} is {value[:100]!r}. Valid: {', '.join(one.choices)}")
    return value
