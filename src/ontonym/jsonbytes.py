"""JSON of anything that files and their names can hold: lone surrogates and numbers beyond 64 bits too."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import orjson


def json_bytes(value: Any, option: int = 0) -> bytes:
    """The value as JSON in UTF-8, by ``orjson`` with its options, arrays of numpy included.

    What JSON in UTF-8 cannot say is written otherwise: a byte of a file's name that is not UTF-8 and a lone surrogate
    as ``\\xff`` or ``\\ud800`` spelled out, a whole number beyond 64 bits as text.
    """
    option |= orjson.OPT_SERIALIZE_NUMPY
    try:
        return orjson.dumps(value, option=option)
    except TypeError:
        return orjson.dumps(_plain(value), option=option)


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        of_a_file = all("\udc80" <= one <= "\udcff" for one in value if "\ud800" <= one <= "\udfff")
        raw = value.encode(errors="surrogateescape" if of_a_file else "backslashreplace")
        return raw.decode(errors="backslashreplace")
    if isinstance(value, int) and not isinstance(value, bool) and not -(1 << 63) <= value < 1 << 64:
        return str(value) if value.bit_length() < 10_000 else hex(value)
    if isinstance(value, dict):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value
