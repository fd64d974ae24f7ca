"""A match as mappings: rows by the columns of SSSOM, the metadata of the set, and decisions in earlier mappings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.ontology.tables.layout import FREQUENCY as FREQUENCY_PROPERTY
from ontonym.store import Terminology
from ontonym.store.export.mappings import made_between
from ontonym.store.mappings import JUSTIFICATIONS, NO_TERM, SAME, Row, denied, read_mappings
from ontonym.store.mappings.rows import EXACT, FREQUENCY
from ontonym.tasks.match.options import KnownMappings, MatchOptions
from ontonym.tasks.match.related import BROAD, NARROW
from ontonym.tasks.match.results import MatchCandidate, Matched, Matching
from ontonym.text.counting import count

DECIDED = SAME | {BROAD, NARROW, "skos:closeMatch", "skos:relatedMatch"}
"""Predicates of known mappings that decide a source concept; those of `SAME` decide the target too."""

_PROPOSED = MatchOptions().threshold
_BY_PERSON = frozenset({JUSTIFICATIONS["manual"], JUSTIFICATIONS["review"]})
_PERSONS = ("author_id", "author_label", "reviewer_id", "reviewer_label")

_BECAUSE = {
    "exact": "lexical", "normalized": "lexical", "spelling": "spelling", "words": "spelling", "meaning": "meaning",
}  # fmt: skip
"""One of `JUSTIFICATIONS` for each rule of a reason."""


def known_mappings(
    paths: Iterable[Path | str], source: Terminology, index: Index
) -> tuple[KnownMappings, list[dict[str, str]]]:
    """The decisions of mapping files between a terminology and an index, and the rows that apply.

    Mappings of either direction count; candidates that nobody looked at do not, if a match would not propose them.
    Raises InputError for a file that has no mapping between the two.
    """
    undecided = 0
    mapped: dict[str, set[str]] = defaultdict(set)
    denied_pairs: set[tuple[str, str]] = set()
    kept: list[dict[str, str]] = []
    for path in paths:
        before = len(mapped) + len(denied_pairs)
        for read in read_mappings(path).rows:
            row = _between(read, source, index)
            if row is None:
                continue
            ends = row["subject_id"], row["object_id"]
            if denied(row):
                denied_pairs.add(ends)
            elif ends[1] == NO_TERM and row.get("mapping_justification") == JUSTIFICATIONS["unspecified"]:
                continue  # a match found nothing: nobody has decided
            elif _is_undecided(row):
                undecided += 1
            elif ends[1] == NO_TERM or row["predicate_id"] in DECIDED:
                mapped[ends[0]].update([ends[1]] if row["predicate_id"] in SAME and ends[1] != NO_TERM else [])
                kept.append(row)
        if len(mapped) + len(denied_pairs) == before:
            why = (
                f": {count(undecided, 'candidate')} below {_PROPOSED:g} that nobody decided"
                if undecided
                else ", new or denied"
            )
            raise InputError(f"{path}: no mapping between {source.name or source.path} and {index.name}{why}")
    known = {one: frozenset(some) for one, some in mapped.items()}
    return KnownMappings(known, frozenset(denied_pairs), undecided), kept


def _is_undecided(row: Row) -> bool:
    """Whether a program found a mapping and is less sure of it than what is proposed, and no person looked at it."""
    by_person = row.get("mapping_justification") in _BY_PERSON or any(row.get(name) for name in _PERSONS)
    try:
        return not by_person and float(row.get("confidence") or 1) < _PROPOSED
    except ValueError:
        return False


def _between(read: Row, source: Terminology, index: Index) -> dict[str, str] | None:
    """A row in the direction from the source to the index, with the present ids and names; None if it is not of these
    two.

    Its author and its justification are kept.
    """
    first, second, predicate = read.get("subject_id", ""), read["object_id"], read["predicate_id"]
    turned = {BROAD: NARROW, NARROW: BROAD}.get(predicate, predicate)
    for one, other, said in ((first, second, predicate), (second, first, turned)):
        row = source.current(one) if one else None
        target = other if other == NO_TERM else index.resolve(other) if other else None
        if row is not None and target is not None:
            name = "" if target == NO_TERM else index.preferred(index.number(target))
            ends = {"subject_id": source.id(row), "subject_label": source.preferred(row), "predicate_id": said}
            return {**read, **ends, "object_id": target, "object_label": name}
    return None


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
    text = _frequency(source, id_).get(FREQUENCY)
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _unmatched_row(matching: Matching, one: Matched) -> dict[str, str]:
    best = next(iter(one.candidates), None)
    nearest = f"the nearest is {best.id} {best.preferred} ({best.score:.2f})" if best else "nothing resembles it"
    return {
        "subject_id": one.id,
        "subject_label": one.preferred,
        "predicate_id": EXACT,
        "object_id": NO_TERM,
        "mapping_justification": JUSTIFICATIONS["unspecified"],
        "comment": f"nothing is proposed: {nearest}",
        **_frequency(matching.source, one.id),
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
    found_by = [f"found by {candidate.found} of {count(candidate.of, 'name')}"] if candidate.of else []
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
        **_frequency(matching.source, one.id),
    }


def _frequency(source: Terminology, id_: str) -> dict[str, str]:
    """The frequency of a local code, if known."""
    values: Sequence[str] = [
        one.value for one in source.concept(source.row(id_)).properties if one.name == FREQUENCY_PROPERTY
    ]
    return {FREQUENCY: values[0]} if values else {}
