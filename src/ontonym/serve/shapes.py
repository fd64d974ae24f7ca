"""The JSON and TSV shapes that the command line prints, built by pure functions. Names here are stable."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from ontonym.index import Index
from ontonym.tasks.concepts import branches_of
from ontonym.tasks.explain import Explanation, HitComparison, MentionExplanation, Nil, Rival
from ontonym.tasks.explain.decisions import Decision
from ontonym.tasks.explain.decisiontexts import because
from ontonym.tasks.explain.texts import described, described_comparison, described_mention
from ontonym.types import Hit


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
    query: str,
    hits: Iterable[Hit],
    explanations: Sequence[Explanation] = (),
    nil: Nil | None = None,
    *,
    index: Index | None = None,
) -> dict[str, Any]:
    """The answer to one query; where explanations of the hits are given each has its own, and ``nil`` why none.

    With the ``index`` that was searched, each hit has the branches of its terminology that it belongs to.
    """
    shapes = [hit_shape(hit) for hit in hits]
    if index is not None:
        shapes = [shape | {"branches": branch_shapes(index, shape["id"])} for shape in shapes]
    if explanations:
        shapes = [
            shape | {"explanation": explanation_shape(one)} for shape, one in zip(shapes, explanations, strict=True)
        ]
    return {"query": query, "hits": shapes} | ({"nil": nil_shape(nil)} if nil else {})


def branch_shapes(index: Index, concept_id: str) -> list[dict[str, str]]:
    """The branches of its terminology that a concept belongs to, the nearest first."""
    return [{"id": one.id, "preferred": one.preferred} for one in branches_of(index, concept_id)]


def explanation_shape(explanation: Explanation) -> dict[str, Any]:
    """Why a hit is one; ``said`` is the same in words."""
    rival, words = explanation.rival, explanation.words
    return {
        "said": described(explanation),
        "read_as": explanation.read_as,
        "mended": [{"written": written, "read_as": read_as} for written, read_as in explanation.corrections],
        "probability": rounded(explanation.probability),
        "prior": rounded(explanation.prior),
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
        "rival": None if rival is None else rival_shape(rival),
        "namesakes": [asdict(one) for one in explanation.namesakes],
    }


def rival_shape(rival: Rival) -> dict[str, Any]:
    """A rival: what it is to the concept, and what decided between both."""
    return {
        **asdict(rival.concept),
        "confidence": rounded(rival.confidence),
        "lead": rounded(rival.lead),
        "kinship": rival.kinship,
        "steps": rival.steps,
        "via": [asdict(one) for one in rival.via],
        "decision": None if rival.decision is None else decision_shape(rival.decision),
    }


def decision_shape(decision: Decision) -> dict[str, Any]:
    """What decided between a first and a second concept; ``said`` is the same in words."""
    return {
        "said": because(decision),
        "group": decision.group,
        "for": "first" if decision.is_for_first else "second",
        "term": None if decision.term is None else round(decision.term, 6),
        "feature": decision.feature or None,
        "values": None if decision.values is None else [rounded(value) for value in decision.values],
        "words": {"query": list(decision.query), "first": list(decision.first), "second": list(decision.second)},
    }


def comparison_shape(comparison: HitComparison, *, index: Index | None = None) -> dict[str, Any]:
    """Two concepts compared for a query: both as hits with their explanations, and the terms of the difference.

    With the ``index`` that was searched, both have the branches of their terminology that they belong to.
    """
    both = (comparison.first, comparison.second)
    first, second = search_shape(comparison.text, [one.hit for one in both], both, index=index)["hits"]
    return {
        "query": comparison.text,
        "said": [line.strip() for line in described_comparison(comparison)],
        "relation": comparison.relation,
        "unit": comparison.unit,
        "difference": round(comparison.difference, 6),
        "terms": {name: round(term, 6) for name, term in comparison.terms.items()},
        "rival": rival_shape(comparison.rival),
        "first": first,
        "second": second,
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
