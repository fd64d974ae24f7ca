"""The mentions of a text as tests compare them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ontonym.index import Index
from ontonym.tasks import AnnotateOptions, annotate

_DEFAULTS = AnnotateOptions()


def found(
    index: Index, text: str, options: AnnotateOptions = _DEFAULTS, **changed: Any
) -> list[tuple[str, str | None]]:
    """The mentions in a text as they are written, each with the id of its concept; options may be given by name."""
    return [(one.text, one.id) for one in annotate(index, text, replace(options, **changed))]
