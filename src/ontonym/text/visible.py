"""Text for people to read: cut where it is too long, and without characters that would command a terminal."""

from __future__ import annotations

import re

_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but tab and line feed, those that turn the direction of text, and bytes of names of files that are
not UTF-8 (PEP 383)."""

_IN_JSON = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text as it may go to a terminal: ``\\x1b`` for the escape character, ``\\xff`` for a byte that is no text."""
    return _COMMANDS.sub(_shown, text) if _COMMANDS.search(text) else text


def cut_to(text: str, most: int) -> str:
    """The text in at most so many characters, the last of them ``…`` where it is longer."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def visible_json(text: str) -> str:
    """The same JSON with what a terminal would obey as escapes; those below a space are so already."""
    return _IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text) if _IN_JSON.search(text) else text


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
