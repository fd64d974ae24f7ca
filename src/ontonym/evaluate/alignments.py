"""Reference alignments: pairs of concepts that are the same, from SSSOM and other mappings, or OAEI's RDF."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ontonym.errors import FormatError
from ontonym.store.mappings import NO_TERM, SAME, denied, read_mappings
from ontonym.store.mappings.rows import UNDECIDED

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Alignment:
    """What a file says of pairs of ids: which are the same, which are not, and which are to be ignored."""

    same: frozenset[Pair]
    denied: frozenset[Pair] = frozenset()
    ignored: frozenset[Pair] = frozenset()


def read_alignment(path: Path | str) -> Alignment:
    """The pairs of a file of mappings, as CURIEs where an IRI is one.

    Those with a predicate of `SAME` are the same, and those of them with the modifier Not are denied. Of OAEI's RDF the
    relation ``=`` is the same; ``?`` is to be ignored, as its large tracks do with what makes classes unsatisfiable.
    Raises FormatError where there is no such pair in the file.
    """
    same: set[Pair] = set()
    wrong: set[Pair] = set()
    ignored: set[Pair] = set()
    for row in read_mappings(path).rows:
        if not row.get("subject_id") or row["object_id"] == NO_TERM:
            continue
        pair = (row["subject_id"], row["object_id"])
        if row["predicate_id"] == UNDECIDED:
            ignored.add(pair)
        elif row["predicate_id"] in SAME:
            (wrong if denied(row) else same).add(pair)
    if not (same or wrong or ignored):
        raise FormatError(path, "no pair of concepts that are the same", hint="Give SSSOM, or an alignment as RDF")
    return Alignment(frozenset(same), frozenset(wrong - same), frozenset(ignored))
