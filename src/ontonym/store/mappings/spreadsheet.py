"""Mappings as a table for people: its headers and words, and cells that no spreadsheet takes for a formula."""

from __future__ import annotations

import re
from types import MappingProxyType

from ontonym.store.mappings.rows import FREQUENCY

HEADERS = MappingProxyType(
    {
        "subject_id": "source code",
        "subject_label": "source name",
        FREQUENCY: "frequency",
        "predicate_id": "the target is",
        "object_id": "target code",
        "object_label": "target name",
        "confidence": "confidence",
        "match_string": "matched name",
        "mapping_justification": "because",
        "similarity_score": "similarity",
        "author_id": "author",
        "author_label": "author name",
        "reviewer_id": "reviewer",
        "reviewer_label": "reviewer name",
        "mapping_date": "date",
        "comment": "comment",
        "other": "further",
        "subject_source": "source",
        "subject_source_version": "source version",
        "object_source": "target",
        "object_source_version": "target version",
        "similarity_measure": "similarity measure",
    }
)
"""Column of SSSOM to header, in the order of the table."""

TARGET_IS = MappingProxyType(
    {
        "skos:exactMatch": "the same",
        "owl:equivalentClass": "equivalent",
        "skos:closeMatch": "close",
        "skos:broadMatch": "broader",
        "skos:narrowMatch": "narrower",
        "skos:relatedMatch": "related",
    }
)
"""Predicate to the word for it; another stays as it is. ``not`` goes before that of a mapping that is denied."""

_RISKY = re.compile(r"'*[=+\-@\t\r\n]")
_GUARDED = re.compile(r"'+[=+\-@\t\r\n]")


def guarded(text: str) -> str:
    """The cell with an apostrophe before what a spreadsheet would run as a formula (OWASP, "CSV Injection")."""
    return f"'{text}" if _RISKY.match(text) else text


def unguarded(text: str) -> str:
    """What `guarded` made a cell of."""
    return text[1:] if _GUARDED.match(text) else text
