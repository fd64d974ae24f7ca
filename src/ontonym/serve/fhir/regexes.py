"""Regular expressions of clients, matched in linear time whatever they are (RE2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ontonym.errors import needing
from ontonym.serve.fhir.outcomes import refused

LONGEST = 2000


@lru_cache(maxsize=256)
def matcher(pattern: str) -> Callable[[str], bool]:
    """A function that says whether a whole text fits the expression.

    Raises FhirError (422) where RE2 cannot read it: it is no expression, has look-around or back references, or would
    grow too large; MissingExtraError without google-re2.
    """
    with needing("google-re2", "serve", "a regular expression of a client"):
        import re2
    options = re2.Options()
    options.log_errors = False
    options.max_mem = 8 << 20
    if len(pattern) > LONGEST:
        raise refused(
            422, "invalid", "BAD_REGEX", detail="vs-invalid", value=pattern[:60], problem=f"longer than {LONGEST}"
        )
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        problem = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
        raise refused(422, "invalid", "BAD_REGEX", detail="vs-invalid", value=pattern, problem=problem) from None
    return lambda text: compiled.fullmatch(text) is not None


def wildcard_matcher(text: str) -> Callable[[str], bool]:
    """A function that says whether a whole text fits one with stars, each for any letters; case does not matter."""
    first, *rest = text.casefold().split("*")
    if not rest:
        return lambda name: name.casefold() == first
    *between, last = rest

    def fits(name: str) -> bool:
        name = name.casefold()
        place, end = len(first), len(name) - len(last)
        if place > end or not name.startswith(first) or not name.endswith(last):
            return False
        for part in between:  # as far to the left as it goes: so the rest has most room
            place = name.find(part, place, end)
            if place < 0:
                return False
            place += len(part)
        return True

    return fits
