"""The check of a display that somebody sent against the names of a concept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ontonym.serve.fhir.concepts import Designation
from ontonym.serve.fhir.languages import Languages
from ontonym.serve.fhir.messages import listed
from ontonym.serve.fhir.outcomes import Issue, issue
from ontonym.serve.fhir.settings import Settings

NO_LANGUAGES = Languages()


def display_issue(
    names: Sequence[Designation], display: str, settings: Settings, *, system: str, code: str, language: str, path: str
) -> Issue | None:
    """What is wrong with a display, or None.

    It must be one of the names in the languages of the request, or in any where the request says none; case does not
    matter. ``language`` is that of names which say none.
    """
    languages = settings.languages or NO_LANGUAGES
    severity = "warning" if settings.lenient_display else "error"
    facts = {"display": display, "system": system, "code": code, "languages": languages.summary}
    problem = partial(issue, detail="invalid-display", expression=path, **facts)
    allowed = [
        n for n in names if not languages.tags or languages.rank(n.language, language if n.base else "") is not None
    ]
    same = [name for name in allowed if _same(name.value, display)]
    if same:
        if any(name.current for name in same):
            return None
        status = "deprecated" if same[0].status == "withdrawn" else same[0].status
        choices = ",".join(f'"{name.value}"' for name in allowed if name.current and name.base)
        more = {"detail": "display-comment", "status": status, "choices": choices}
        return problem("warning", "invalid", "INACTIVE_DISPLAY_FOUND", **more)
    if not names:
        return problem("warning", "invalid", "NO_VALID_DISPLAY_AT_ALL")
    current = [name for name in allowed if name.current]
    if not current:
        base = next((name for name in names if name.base), names[0])
        default = [n for n in names if n.base or n.language == base.language or not n.language]
        if any(_same(name.value, display) for name in default):
            return problem("information", "invalid", "NO_VALID_DISPLAY_FOUND_NONE_FOR_LANG_OK")
        return problem(severity, "invalid", "NO_VALID_DISPLAY_FOUND_NONE_FOR_LANG_ERR", default=base.value)
    spaced = any(_same(_spaced(name.value), _spaced(display)) for name in current)
    message = (
        "Display_Name_WS_for__should_be_one_of__instead_of"
        if spaced
        else "Display_Name_for__should_be_one_of__instead_of"
    )
    quoted = (f"'{n.value}'" + (f" ({n.language or language})" if n.language or language else "") for n in current)
    shown = list(dict.fromkeys(quoted))
    form = "_one" if len(shown) == 1 else "_other"
    found = problem(severity, "invalid", message + form, choices=listed(shown), count=len(shown))
    return replace(found, message=message)


def _same(a: str, b: str) -> bool:
    return a.casefold() == b.casefold()


def _spaced(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
