"""Expression constraints as trees: the grammar, and what the leaves of a tree mean."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

from ontonym.errors import needing
from ontonym.serve.fhir.ecl.values import unsupported
from ontonym.serve.fhir.outcomes import refused
from ontonym.text.numbers import whole_number

LONGEST = 20_000
MOST_LEVELS = 60

LONG_OPERATORS = {
    "descendantof": "<",
    "descendantorselfof": "<<",
    "childof": "<!",
    "childorselfof": "<<!",
    "ancestorof": ">",
    "ancestororselfof": ">>",
    "parentof": ">!",
    "parentorselfof": ">>!",
}


def parse(text: str) -> Any:
    """The tree of an expression constraint. Raises FhirError (422) where it is none."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput

    depth = most = 0
    for letter in text:
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(letter, 0)
        most = max(most, depth)
    if len(text) > LONGEST or most > MOST_LEVELS:
        raise unsupported(f"more than {LONGEST} characters or {MOST_LEVELS} levels")
    try:
        return _parser().parse(text)
    except UnexpectedInput as error:
        ended = getattr(getattr(error, "token", None), "type", "") == "$END"
        at = len(text) if ended or error.pos_in_stream is None else max(error.pos_in_stream, 0)
        near = text[at : at + 20]
        what = "unexpected character" if isinstance(error, UnexpectedCharacters) else "unexpected"
        problem = f"{what} {near!r}" if near.strip() else "the expression ends too early"
        raise refused(422, "invalid", "ECL_SYNTAX", detail="vs-invalid", at=at + 1, problem=problem) from None


@cache
def _parser() -> Any:
    with needing("lark", "serve", "an expression constraint (ECL)"):
        from lark import Lark
    return Lark(files(__package__).joinpath("grammar.lark").read_text("utf-8"), parser="lalr", maybe_placeholders=True)


def operator_of(token: Any) -> str:
    """An operator by its sign; empty for none."""
    return "" if token is None else LONG_OPERATORS.get(str(token).lower(), str(token))


def bounds(text: str) -> tuple[int, int | None]:
    """The least and the most of a cardinality; None is no limit."""
    low, high = re.findall(r"\d+|\*|many", text)[:2]
    return _count(low), None if high in ("*", "many") else _count(high)


def _count(text: str) -> int:
    number = whole_number(text)
    return 10**18 if number is None else number


def unquoted(text: str) -> str:
    """A text without its quotes and escapes."""
    return re.sub(r"\\(.)", r"\1", text[1:-1])
