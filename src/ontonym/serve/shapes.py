"""The JSON and TSV shapes that the command line prints, built by pure functions. Names here are stable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import orjson

from ontonym.tasks.describing import described, described_mention
from ontonym.tasks.explain import Explanation, MentionExplanation, Nil
from ontonym.types import Hit


def to_json(value: Any) -> str:
    """One line of JSON."""
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode()


def hit_shape(hit: Hit) -> dict[str, Any]:
    """A hit: id, preferred, matched, confidence, similarity, signals and reason first, then what tells more."""
    return {
        "id": hit.id,
        "preferred": hit.preferred,
        "matched": hit.matched,
        "confidence": rounded(hit.confidence),
        "similarity": rounded(hit.similarity),
        "signals": {name: rounded(value) for name, value in hit.signals.items()},
        "reason": {"rule": hit.reason.rule, "detail": hit.reason.detail, "changes": hit.reason.changes},
        "kind": hit.kind,
        "scope": hit.scope,
        "source": hit.source,
        "terminology": hit.terminology,
        "status": hit.status,
        "negated": hit.reason.negated,
        "ambiguous": list(hit.ambiguous),
        "equivalents": list(hit.equivalents),
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
        "said": described(explanation),
        "read_as": explanation.read_as,
        "mended": [{"written": written, "read_as": read_as} for written, read_as in explanation.corrections],
        "rank": explanation.rank,
        "strategy": {
            "module": explanation.module,
            "similarity": rounded(explanation.near),
            "believed": explanation.believed,
        },
        "signals": {
            name: {
                "similarity": None if part.similarity is None else rounded(part.similarity),
                "share": rounded(part.share),
                "lift": None if part.lift is None else rounded(part.lift),
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
            "confidence": rounded(rival.confidence),
            "lead": rounded(rival.lead),
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
        "threshold": rounded(nil.threshold),
        "confidence": rounded(nil.confidence),
        "missing": rounded(nil.missing),
        "none_of_them": None if nil.none is None else rounded(nil.none),
        "others": None if nil.others is None else rounded(nil.others),
        "unknown_words": list(nil.unknown),
    }


def mention_shape(explanation: MentionExplanation) -> dict[str, Any]:
    """What was looked up for a mention, and why it is NIL; ``candidates`` are explained each in its place."""
    return {
        "said": described_mention(explanation),
        "lookup": explanation.lookup,
        "abbreviations": dict(explanation.abbreviations),
        "implied": explanation.implied,
        "nil": None if explanation.nil is None else nil_shape(explanation.nil),
    }


def rounded(value: float) -> float:
    """A number as it is printed, with at most four decimals."""
    return round(float(value), 4)
