"""The tables of words and limits that come with the package, for people to read and edit: TSV files with a header."""

from __future__ import annotations

from csv import QUOTE_NONE, DictReader
from importlib.resources import files


def table(name: str) -> list[dict[str, str]]:
    """The rows of a table of this room, by column; several forms in a cell have ``|`` between them."""
    text = files("ontonym.text").joinpath(name).read_text(encoding="utf-8")
    return list(DictReader(text.splitlines(), delimiter="\t", quoting=QUOTE_NONE))
