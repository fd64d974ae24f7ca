"""Regular expressions of clients, matched in linear time whatever they are (RE2)."""

from __future__ import annotations

import re
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
    return matcher("(?i)" + ".*".join(map(re.escape, text.split("*"))))
