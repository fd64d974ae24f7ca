"""Mappings between terminologies as files keep them: rows by the columns of SSSOM, read from every format we know."""

from __future__ import annotations

from ontonym.store.mappings.read import (
    MAPPING_READERS,
    MappingSet,
    Statement,
    read_mappings,
    stated_mappings,
    statements,
)
from ontonym.store.mappings.rows import JUSTIFICATIONS, NO_TERM, SAME, Row, denied, inexact

__all__ = [
    "JUSTIFICATIONS",
    "MAPPING_READERS",
    "NO_TERM",
    "SAME",
    "MappingSet",
    "Row",
    "Statement",
    "denied",
    "inexact",
    "read_mappings",
    "stated_mappings",
    "statements",
]
