"""Matchings and alignments, as JSON and for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ontonym.serve.releases import malformed_lines, read_rows
from ontonym.serve.show import ShownLine, Summary, size_at
from ontonym.store.export.formats import left_out_words
from ontonym.store.export.mappings import MappingExport
from ontonym.store.mappings import NO_TERM, Row, denied
from ontonym.tasks.align import PageAlignment
from ontonym.tasks.match import BROAD, CLOSE, NARROW, RELATED, KnownMappings, MatchCandidate, Matched, Matching
from ontonym.tasks.match.rows import frequency_of
from ontonym.text.composite import tells_several
from ontonym.text.counting import count, first_few


def match_summary(
    output: str,
    found: Matching,
    known: KnownMappings,
    kept: int,
    written: MappingExport,
    seconds: float,
    *,
    read: bool = False,
    candidates: str | None = None,
) -> Summary:
    """A matching that was written to ``output``, with the number of known mappings that were ``kept``.

    ``read``: the source was a table or release that was read on the way, so that its rows are accounted for too.
    ``candidates`` is the file of all candidates, where one was written.
    """
    source = found.source.manifest.content
    made = [(one, one.proposed) for one in found.proposals() if one.proposed]
    kinds = Counter(proposed.predicate for _, proposed in made)
    rules = Counter(proposed.reason.rule for _, proposed in made)
    turned = sum(proposed.turned > 0 for _, proposed in made)
    unequal = [*found.unmatched(), *(one for one, proposed in made if proposed.predicate == BROAD)]
    several = [one for one in unequal if read and tells_several(one.preferred)]
    shape = {
        "path": output,
        **({"candidates": candidates} if candidates else {}),
        "concepts": len(found),
        "proposed": len(made),
        "kept": kept,
        **_known_shape(known),
        "by_reason": dict(rules),
        "by_predicate": dict(kinds),
        "turned": turned,
        "on_both_sides": found.on_both_sides,
        "nameless": found.nameless,
        "retired": found.retired,
        "names": found.options.names,
        **({"reader": source["reader"]} if read else {}),
        "unmatched": [{"id": one.id, "preferred": one.preferred} for one in found.unmatched()],
        **({"several": [one.id for one in several]} if read else {}),
        "left_out": dict(+written.left_out),
        "seconds": round(seconds, 1),
        "mappings": [_proposal_shape(one, proposed) for one, proposed in made],
    }
    words = ", ".join(f"{number:,} {rule}" for rule, number in rules.most_common())
    facts = [
        ("mappings", f"{output}  ({size_at(output)})"),
        ("to review", f"{candidates}  ({size_at(candidates)})" if candidates else ""),
        *(read_rows(source) if read else ()),
        ("retired", f"{count(found.retired, 'concept')}: not searched for" if found.retired else ""),
        ("nameless", f"{count(found.nameless, 'concept')} without a name: not searched for" if found.nameless else ""),
        ("proposed", f"{len(made):,} for {count(len(found), 'concept')} in {seconds:.1f} s{words and ': '}{words}"),
        ("names", _READ_AS[found.options.names] if read else ""),
        ("related", _related(kinds)),
        ("doubtful", f"{turned:,} turn the hierarchies against others; their comments say so" if turned else ""),
        ("kept", f"{kept:,} known, {len(known.denied):,} denied" if known.mapped or known.denied else ""),
        *_left_out(known),
        ("unmatched", f"{len(found) - len(made):,}"),
        ("  several", _several(several)),
        ("not asked", f"{count(found.on_both_sides, 'id')} on both sides" if found.on_both_sides else ""),
        ("left out", left_out_words(written.left_out)),
    ]
    lines = [*(malformed_lines(source) if read else ()), *_changes(known), *_preview(found, made)]
    return Summary(shape, facts, lines=lines)


def _known_shape(known: KnownMappings) -> dict[str, Any]:
    return {
        "undecided": known.undecided,
        "relabelled": [asdict(one) for one in known.relabelled],
        "followed": [asdict(one) for one in known.followed],
        "sourceless": len(known.sourceless),
        "targetless": len(known.targetless),
        "gone": [dict(one) for one in (*known.sourceless, *known.targetless)],
    }


_READ_AS: Mapping[str, str] = {
    "read": "read as in a search, with abbreviations written out",
    "written": "taken as written: abbreviations stay",
}


def _related(kinds: Mapping[str, int]) -> str:
    """How many proposals are not the same as their source; empty where all are."""
    words = [f"{kinds[BROAD]:,} broader", f"{kinds[NARROW]:,} narrower"] if kinds[BROAD] + kinds[NARROW] else []
    words += [f"{kinds[kind]:,} only {word}" for kind, word in ((CLOSE, "close"), (RELATED, "related")) if kinds[kind]]
    return ", ".join(words)


def _several(names: Sequence[Matched]) -> str:
    """The names of a table that no one concept means, and what finds the concepts of each; empty for none."""
    if not names:
        return ""
    said = count(len(names), "name tells several findings", "names tell several findings")
    return f"{said} ({first_few((one.id for one in names), PREVIEW)}): normalizing gives a concept for each"


def _left_out(known: KnownMappings) -> Iterator[tuple[str, str]]:
    """The known decisions that are not in the result, as facts."""
    if known.undecided:
        yield "undecided", f"{known.undecided:,} of the known ones left out: candidates that nobody decided"
    if known.sourceless:
        yield "no source", f"{len(known.sourceless):,} of the known ones left out: the source has no such concept"
    if known.targetless:
        yield "no target", f"{len(known.targetless):,} of the known ones left out: the index has no such concept"


def _changes(known: KnownMappings) -> Iterator[ShownLine]:
    """The known decisions whose concepts have another name or another id than when they were made, or are gone."""
    if known.relabelled:
        yield "\nknown under another name: matched again", "bold"
        yield from _first([f"  {one.id} was “{one.was}” and is now “{one.now}”" for one in known.relabelled])
    if known.followed:
        yield "\nkept, with the successor of a retired or merged id", "bold"
        yield from _first([f"  {one.id}: {one.was} is now {one.now}" for one in known.followed])
    for rows, side, then in (
        (known.sourceless, "source", ""),
        (known.targetless, "index", ": matched again, if not decided elsewhere"),
    ):
        if held := [one for one in rows if not denied(one)]:
            yield f"\nleft out, because the {side} has no such concept{then}", "bold"
            yield from _first([f"  {_as_read(one)}" for one in held])


def _as_read(row: Row) -> str:
    """A mapping as its file has it."""
    subject, target = (" ".join(f"{row.get(f'{end}_id', '')} {row.get(f'{end}_label', '')}".split())
                       for end in ("subject", "object"))  # fmt: skip
    said = "has no match" if row["object_id"] == NO_TERM else f"{_DRAWN.get(row['predicate_id'], '= ')}{target}"
    return f"{subject}  {said}"


PREVIEW = 8
"""How many proposals, concepts without one and changed decisions are shown."""

_DRAWN = {BROAD: "< ", NARROW: "> ", CLOSE: "~ ", RELATED: "~ "}


def _preview(found: Matching, made: Sequence[tuple[Matched, MatchCandidate]]) -> Iterator[ShownLine]:
    """The proposals for the most frequent concepts, and the most frequent concepts without one."""
    often = {one.id: frequency_of(found.source, one.id) for one, _ in made}
    shown = sorted(made, key=lambda pair: -(often[pair[0].id] or 0))[:PREVIEW]
    if shown:
        order = ", most frequent first" if any(often.values()) else ""
        yield f"\nproposed{order}  (< the target is broader, ~ it is only near)", "bold"
    for one, proposed in shown:
        said = f"{_DRAWN.get(proposed.predicate, '= ')}{proposed.id} {proposed.preferred}"
        yield f"  {proposed.score:.2f}  {_named(one, often[one.id])}  {said}"
    left = [(one, frequency_of(found.source, one.id)) for one in found.unmatched()]
    if left:
        yield "\nwithout a proposal", "bold"
    left.sort(key=lambda pair: -(pair[1] or 0))
    yield from _first([f"        {_named(one, times)}" for one, times in left])


def _first(lines: Sequence[str]) -> Iterator[ShownLine]:
    """The first lines, and how many more there are."""
    yield from lines[:PREVIEW]
    if len(lines) > PREVIEW:
        yield f"        and {len(lines) - PREVIEW:,} more", "dim"


def _named(one: Matched, frequency: float | None) -> str:
    often = f"{frequency:g}× " if frequency is not None else ""
    return f"{often}{one.id} {' '.join(one.preferred.split())}"


def _proposal_shape(one: Matched, proposed: MatchCandidate) -> dict[str, Any]:
    return {
        "id": one.id,
        "preferred": one.preferred,
        "predicate": proposed.predicate,
        "target": proposed.id,
        "target_preferred": proposed.preferred,
        "score": round(proposed.score, 4),
        "similarity": round(proposed.similarity, 4),
        "name": proposed.name,
        "lender": proposed.lender,
        "matched": proposed.matched,
        "reason": {"rule": proposed.reason.rule, "detail": proposed.reason.detail},
        "found": proposed.found,
        "names": proposed.of,
        "referenced": proposed.referenced,
        "turned": proposed.turned,
    }


def alignment_summary(output: str, found: PageAlignment, seconds: float) -> Summary:
    """An alignment with encyclopedia pages that was written to ``output``."""
    counts, known, resumed = found.counts, found.known, found.resumed
    shape = {
        "path": output,
        "concepts": counts.concepts,
        "aligned": counts.aligned,
        "sure": counts.sure,
        "rows": found.written,
        "known": known,
        "resumed": resumed,
        "seconds": round(seconds, 1),
    }
    asked = counts.concepts - resumed
    pace = f", {asked / max(seconds, 1e-9):,.0f} concepts/s" if asked > 0 else ""
    proposed = f"{count(found.written, 'page')} for {counts.aligned:,} of {count(counts.concepts, 'concept')}"
    facts = [
        ("alignment", f"{output}  ({size_at(output)})"),
        ("proposed", f"{proposed} in {seconds:.1f} s{pace}"),
        ("sure", f"{count(counts.sure, 'concept')} with a confidence of 0.9 or more"),
        ("known", f"{count(known, 'concept')} had a page already" if known else ""),
        ("resumed", f"{count(resumed, 'concept')} had been asked for before" if resumed else ""),
    ]
    return Summary(shape, facts)
