"""The JSON and TSV shapes that the command line prints, built by pure functions. Names here are stable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

import orjson

from ontonym.cli.documents import Entry
from ontonym.tasks.explain import Explanation, MentionExplanation, Nil
from ontonym.tasks.telling import told, told_mention
from ontonym.text.context import CONTEXTS
from ontonym.types import Hit

NORMALIZATION_COLUMNS = (
    "mention", "document", "start", "end", "type", "text", "id", "preferred", "matched", "kind", "source",
    "terminology", "confidence", "similarity", "reason", "ambiguous", "part",
)  # fmt: skip
"""The columns of a normalized file as TSV; ``mention`` is the mention's own id (for plain lines the line number).

A composite mention has one row for each ``part``, the name that the row's concept is for; it is empty elsewhere."""

ANNOTATION_COLUMNS = (*NORMALIZATION_COLUMNS, "context")
"""The columns of an annotated file as TSV; ``context`` lists how the text speaks of the mention (negated…)."""


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


def search_shape(
    query: str, hits: Iterable[Hit], explanations: Sequence[Explanation] = (), nil: Nil | None = None
) -> dict[str, Any]:
    """The answer to one query; where explanations of the hits are given each has its own, and ``nil`` why none."""
    shapes = [hit_shape(hit) for hit in hits]
    if explanations:
        shapes = [
            shape | {"explanation": explanation_shape(one)} for shape, one in zip(shapes, explanations, strict=True)
        ]
    return {"query": query, "hits": shapes} | ({"nil": nil_shape(nil)} if nil else {})


def explanation_shape(explanation: Explanation) -> dict[str, Any]:
    """Why a hit is one; ``said`` is the same in words."""
    rival, words = explanation.rival, explanation.words
    return {
        "said": told(explanation),
        "read_as": explanation.read_as,
        "mended": [{"written": written, "read_as": read_as} for written, read_as in explanation.mended],
        "rank": explanation.rank,
        "strategy": {
            "module": explanation.module,
            "similarity": _rounded(explanation.near),
            "believed": explanation.believed,
        },
        "signals": {
            name: {
                "similarity": None if part.similarity is None else _rounded(part.similarity),
                "share": _rounded(part.share),
                "lift": None if part.lift is None else _rounded(part.lift),
            }
            for name, part in explanation.parts.items()
        },
        "words": {
            "shared": list(words.shared),
            "only_query": list(words.only_query),
            "only_name": list(words.only_name),
        },
        "changes": list(explanation.hit.reason.changes),
        "rival": None
        if rival is None
        else {
            **asdict(rival.concept),
            "confidence": _rounded(rival.confidence),
            "lead": _rounded(rival.lead),
            "kinship": rival.kinship,
            "steps": rival.steps,
            "via": [asdict(one) for one in rival.via],
        },
        "namesakes": [asdict(one) for one in explanation.namesakes],
    }


def nil_shape(nil: Nil) -> dict[str, Any]:
    """Why there is no concept."""
    return {
        "rule": nil.rule,
        "threshold": _rounded(nil.threshold),
        "confidence": _rounded(nil.confidence),
        "missing": _rounded(nil.missing),
        "none_of_them": None if nil.none is None else _rounded(nil.none),
        "others": None if nil.others is None else _rounded(nil.others),
        "unknown_words": list(nil.unknown),
    }


def mention_shape(explanation: MentionExplanation) -> dict[str, Any]:
    """What was looked up for a mention, and why it is NIL; ``candidates`` are explained each in its place."""
    return {
        "said": told_mention(explanation),
        "lookup": explanation.lookup,
        "abbreviations": dict(explanation.abbreviations),
        "implied": explanation.implied,
        "nil": None if explanation.nil is None else nil_shape(explanation.nil),
    }


def entry_shape(entry: Entry) -> dict[str, Any]:
    """A mention with its concept, and where it was looked at with its context; ``id`` is null where no concept fits."""
    mention = entry.mention
    context = {} if entry.context is None else {name: name in entry.context for name in CONTEXTS}
    candidates = [hit_shape(hit) for hit in entry.candidates]
    explained = {}
    if entry.explanation is not None:
        explained["explanation"] = mention_shape(entry.explanation)
        for shape, explanation in zip(candidates, entry.explanation.candidates, strict=False):  # a composite has none
            shape["explanation"] = explanation_shape(explanation)
    return {
        "mention": mention.id,
        "document": mention.document,
        "start": mention.start,
        "end": mention.end,
        "type": mention.type,
        "text": mention.text,
        "id": entry.id,
        "confidence": _rounded(entry.confidence),
        **context,
        **explained,
        "candidates": candidates,
        "parts": [entry_shape(part) for part in entry.parts],
    }


def entry_rows(entry: Entry) -> list[list[str]]:
    """The same as rows, one for each part of a composite mention, else one."""
    parts = [replace(entry, id=part.id, confidence=part.confidence, candidates=part.candidates) for part in entry.parts]
    names = [part.mention.text for part in entry.parts]
    return [_row(one, name) for one, name in zip(parts or [entry], names or [""], strict=True)]


def _row(entry: Entry, part: str) -> list[str]:
    """One row of ``NORMALIZATION_COLUMNS``, or with its context of ``ANNOTATION_COLUMNS``.

    Columns are empty where no concept fits.
    """
    mention, hit = entry.mention, entry.hit
    place = ["" if value is None else str(value) for value in (mention.start, mention.end)]
    row = [mention.id, mention.document, *place, mention.type, mention.text, entry.id or ""]
    last = [part] if entry.context is None else [part, "|".join(entry.context)]
    if hit is None:
        return [*row, "", "", "", "", "", f"{entry.confidence:.4f}", "", "", "", *last]
    return [
        *row, hit.preferred, hit.matched, hit.kind, hit.source, hit.terminology, f"{entry.confidence:.4f}",
        f"{hit.similarity:.4f}", f"{hit.reason.rule}: {hit.reason.detail}", "|".join(hit.ambiguous), *last,
    ]  # fmt: skip


def tsv_line(cells: Iterable[str]) -> str:
    """Cells joined by tabs; a tab or line break inside a cell becomes a space."""
    return "\t".join(" ".join(cell.split()) if any(c in cell for c in "\t\r\n") else cell for cell in cells)


def _rounded(value: float) -> float:
    return round(float(value), 4)
