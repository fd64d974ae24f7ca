"""The JSON and TSV shapes that the command line prints, built by pure functions. Names here are stable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import orjson

from ontonym.types import Hit, Mention

NORMALIZATION_COLUMNS = (
    "mention", "document", "start", "end", "type", "text", "id", "preferred", "matched", "kind", "source",
    "terminology", "confidence", "similarity", "reason", "ambiguous", "part",
)  # fmt: skip
"""The columns of a normalized file as TSV; ``mention`` is the mention's own id (for plain lines the line number).

A composite mention has one row for each ``part``, the name that the row's concept is for; it is empty elsewhere."""


def to_json(value: Any) -> str:
    """One line of JSON."""
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode()


def hit_shape(hit: Hit) -> dict[str, Any]:
    """A hit: id, preferred, matched, confidence, similarity, signals and reason first, then what tells more."""
    return {
        "id": hit.id,
        "preferred": hit.preferred,
        "matched": hit.matched,
        "confidence": _rounded(hit.confidence),
        "similarity": _rounded(hit.similarity),
        "signals": {name: _rounded(value) for name, value in hit.signals.items()},
        "reason": asdict(hit.reason),
        "kind": hit.kind,
        "scope": hit.scope,
        "source": hit.source,
        "terminology": hit.terminology,
        "status": hit.status,
        "ambiguous": list(hit.ambiguous),
    }


def search_shape(query: str, hits: Iterable[Hit]) -> dict[str, Any]:
    """The answer to one query."""
    return {"query": query, "hits": [hit_shape(hit) for hit in hits]}


def normalization_shape(
    mention: Mention,
    concept_id: str | None,
    confidence: float,
    candidates: Iterable[Hit],
    parts: Iterable[dict[str, Any]] = (),
) -> dict[str, Any]:
    """A mention with its concept; ``id`` is null where no concept fits; ``parts`` are the shapes of a composite's."""
    return {
        "mention": mention.id,
        "document": mention.document,
        "start": mention.start,
        "end": mention.end,
        "type": mention.type,
        "text": mention.text,
        "id": concept_id,
        "confidence": _rounded(confidence),
        "candidates": [hit_shape(hit) for hit in candidates],
        "parts": list(parts),
    }


def normalization_row(
    mention: Mention, concept_id: str | None, confidence: float, candidates: Iterable[Hit], *, part: str = ""
) -> list[str]:
    """The same as one row of ``NORMALIZATION_COLUMNS``; empty columns where no concept fits."""
    place = ["" if value is None else str(value) for value in (mention.start, mention.end)]
    row = [mention.id, mention.document, *place, mention.type, mention.text, concept_id or ""]
    hit = next((hit for hit in candidates if hit.id == concept_id), None)
    if hit is None:
        return [*row, "", "", "", "", "", f"{confidence:.4f}", "", "", "", part]
    return [
        *row, hit.preferred, hit.matched, hit.kind, hit.source, hit.terminology, f"{confidence:.4f}",
        f"{hit.similarity:.4f}", f"{hit.reason.rule}: {hit.reason.detail}", "|".join(hit.ambiguous), part,
    ]  # fmt: skip


def tsv_line(cells: Iterable[str]) -> str:
    """Cells joined by tabs; a tab or line break inside a cell becomes a space."""
    return "\t".join(" ".join(cell.split()) if any(c in cell for c in "\t\r\n") else cell for cell in cells)


def _rounded(value: float) -> float:
    return round(float(value), 4)
