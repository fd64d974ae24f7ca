"""JSONL: a line about the release, then one object a concept. Loses nothing."""

from __future__ import annotations

from collections import Counter
from typing import BinaryIO

import orjson

from ontonym.ontology.tables.interchange import concept_record, header_record
from ontonym.store.export.walk import Walk


def write_jsonl(walk: Walk, out: BinaryIO) -> Counter[str]:
    """Writes the terminology; nothing is left out."""
    out.write(orjson.dumps(header_record(walk.metadata), option=orjson.OPT_APPEND_NEWLINE))
    for concept in walk.concepts():
        out.write(orjson.dumps(concept_record(concept), option=orjson.OPT_APPEND_NEWLINE))
    return Counter()
