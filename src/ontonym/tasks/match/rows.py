"""A match as mappings: rows by the columns of SSSOM, and the metadata of the set."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ontonym.index import Index
from ontonym.ontology.tables.layout import FREQUENCY as FREQUENCY_PROPERTY
from ontonym.store import Terminology
from ontonym.store.export.mappings import made_between
from ontonym.store.mappings import JUSTIFICATIONS, NO_TERM
from ontonym.store.mappings.rows import EXACT, FREQUENCY
from ontonym.tasks.match.options import MatchOptions
from ontonym.tasks.match.results import MatchCandidate, Matched, Matching
from ontonym.text.counting import count
from ontonym.text.placeholders import is_placeholder

_BECAUSE = {
    "exact": "lexical", "normalized": "lexical", "spelling": "spelling", "words": "spelling", "meaning": "meaning",
}  # fmt: skip
"""One of `JUSTIFICATIONS` for each rule of a reason."""


def proposal_rows(matching: Matching) -> Iterator[dict[str, str]]:
    """The proposals, one row each, and after them a row to ``sssom:NoTermFound`` for each concept without one."""
    for one in matching.proposals():
        if one.proposed is not None:
            yield _row(matching, one, one.proposed)
    for one in matching.unmatched():
        yield _unmatched_row(matching, one)


def candidate_rows(matching: Matching) -> Iterator[dict[str, str]]:
    """All candidates of all source concepts, best first within each; for one with none a row to NoTermFound."""
    for one in matching.concepts():
        for candidate in one.candidates:
            yield _row(matching, one, candidate)
        if not one.candidates:
            yield _unmatched_row(matching, one)


def frequency_of(source: Terminology, id_: str) -> float | None:
    """How often a local code occurs; None if unknown."""
    text = frequency_cell(source, id_).get(FREQUENCY)
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _unmatched_row(matching: Matching, one: Matched) -> dict[str, str]:
    best = next(iter(one.candidates), None)
    nothing = "its name says nothing" if is_placeholder(one.preferred) else "nothing resembles it"
    nearest = f"the nearest is {best.id} {best.preferred} ({best.score:.2f})" if best else nothing
    return {
        "subject_id": one.id,
        "subject_label": one.preferred,
        "predicate_id": EXACT,
        "object_id": NO_TERM,
        "mapping_justification": JUSTIFICATIONS["unspecified"],
        "comment": f"nothing is proposed: {nearest}",
        **frequency_cell(matching.source, one.id),
    }


def published_rows(
    rows: Iterable[dict[str, str]], source: Terminology, index: Index, prefixes: Collection[str] = ()
) -> Iterator[dict[str, str]]:
    """Rows with the IRIs that their concepts have in the releases, if known.

    Ids with one of ``prefixes`` are unchanged: the IRI of the prefix is given elsewhere.
    """
    for row in rows:
        number = None if row["object_id"] == NO_TERM else index.find(row["object_id"])
        sides = {"subject_id": (source, source.row(row["subject_id"]))}
        if number is not None:
            sides["object_id"] = index.locate(number)
        published = dict(row)
        for end, (terminology, place) in sides.items():
            iris = (id_ for id_ in terminology.lists("alternative_ids")[place] if "://" in id_)
            if row[end].partition(":")[0] not in prefixes:
                published[end] = next(iris, row[end])
        yield published


def match_slots(source: Terminology, index: Index, options: MatchOptions, made: str) -> Mapping[str, str]:
    """The SSSOM metadata of a match; ``made`` says how it was made, such as a command line."""
    said = f"{options.mode} by {options.aggregate}, from {options.threshold:g}; {made}"
    return made_between(source, index.terminologies, index.manifest.fingerprint, said)


def _row(matching: Matching, one: Matched, candidate: MatchCandidate) -> dict[str, str]:
    comments = [candidate.reason.detail]
    found_by = [f"found by {candidate.found} of {count(candidate.of, 'name')}"] if candidate.of > 1 else []
    if candidate.lender:
        comments.append(f"under a name that {candidate.lender} has for it")
    if candidate.referenced:
        comments.append("both have a cross-reference in common")
    if candidate.turned:
        comments.append(f"turns the hierarchies against {count(candidate.turned, 'other mapping')}")
    because = "structure" if candidate.above else _BECAUSE.get(candidate.reason.rule, "meaning")
    return {
        "subject_id": one.id,
        "subject_label": one.preferred,
        "predicate_id": candidate.predicate,
        "object_id": candidate.id,
        "object_label": candidate.preferred,
        "mapping_justification": JUSTIFICATIONS[because],
        "confidence": f"{candidate.score:.4f}",
        "match_string": candidate.name,
        "similarity_score": f"{max(candidate.similarity, 0.0):.4f}",
        "similarity_measure": f"cosine of ontonym encoder {matching.index.encoder.fingerprint[:12]}",
        "other": "; ".join([f"matched name: {candidate.matched}", *found_by]),
        "comment": "; ".join(comments),
        **frequency_cell(matching.source, one.id),
    }


def frequency_cell(source: Terminology, id_: str) -> dict[str, str]:
    """The frequency of a local code as a column of a row, if known."""
    values: Sequence[str] = [
        one.value for one in source.concept(source.row(id_)).properties if one.name == FREQUENCY_PROPERTY
    ]
    return {FREQUENCY: values[0]} if values else {}
