"""Summaries of mappings that were carried over to new releases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ontonym.serve.show import ShownLine, Summary, size_at
from ontonym.store.carry import Carried, DoubtfulMapping
from ontonym.store.carrywriting import CarriedFile
from ontonym.store.diff import Difference
from ontonym.store.mappings.rows import NOT


def carried_summary(output: str, look: str | None, done: CarriedFile, seconds: float, shown: int = 0) -> Summary:
    """How many mappings stay, and for each reason how many are to be looked at, with the first ``shown`` of them."""
    carried = done.carried
    shape = {
        "path": output,
        "look": look,
        "mappings": done.mappings,
        "stay": len(carried.stay),
        "followed": done.followed,
        "to_look_at": done.to_look_at,
        "reasons": carried.counts,
        "proposals": carried.proposals,
        "seconds": round(seconds, 1),
        "cautions": done.cautions,
        "changed": [_doubtful_shape(one) for one in carried.doubtful],
    }
    facts = [
        *((one.new.name, _releases(one)) for one in done.differences),
        ("mappings", f"{done.mappings:,} in {seconds:.1f} s"),
        ("stay", f"{len(carried.stay):,}: {output} ({size_at(output)})"),
        ("followed", f"{done.followed:,} with their new ids, unless there already" if done.follow else ""),
        ("to look at", f"{done.to_look_at:,}"),
        ("proposed", ", ".join(f"{times:,} {name}" for name, times in carried.proposals.items())),
    ]
    lines: list[ShownLine] = [(f"caution: {caution}", "yellow") for caution in done.cautions]
    for reason, times in carried.counts.items():
        lines += _reason_lines(carried, reason, times, shown)
    return Summary(shape, facts, lines)


def _doubtful_shape(doubtful: DoubtfulMapping) -> dict[str, Any]:
    row = doubtful.row
    return {
        "line": row.line,
        "subject_id": row.subject,
        "predicate_id": row.cells["predicate_id"],
        **({"predicate_modifier": NOT} if row.denied else {}),
        "object_id": row.ids["object"],
        "proposal": doubtful.proposal,
        "reasons": [
            {"end": one.end, "reason": one.reason, "words": one.words,
             "instead": [{"id": link.id, "preferred": link.preferred} for link in one.links]}
            for one in doubtful.findings
        ],
    }  # fmt: skip


def _reason_lines(carried: Carried, reason: str, times: int, shown: int) -> Iterator[ShownLine]:
    yield f"\n{reason}: {times:,}", "bold"
    having = [one for one in carried.doubtful if any(finding.reason == reason for finding in one.findings)]
    for one in having[:shown]:
        row = one.row
        words = "; ".join(finding.words for finding in one.findings if finding.reason == reason)
        yield f"  line {row.line}  {row.statement}  ({one.proposal})\n      {words}"
    if times > shown:
        yield f"  and {times - shown:,} more", "dim"


def _releases(difference: Difference) -> str:
    old, new = difference.old, difference.new
    same = old.fingerprint == new.fingerprint
    before, now = (one.version or "no version" for one in (old, new))
    return f"{now}, the same" if same else f"{before} → {now}"
