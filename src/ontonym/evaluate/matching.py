"""Mappings against a reference: precision, recall and F1 of pairs, as OAEI has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ontonym.errors import FormatError, InputError
from ontonym.evaluate.significance import BootstrapOptions, Interval, ratio_interval
from ontonym.store.mappings import NO_TERM, SAME, denied, read_mappings
from ontonym.store.mappings.rows import UNDECIDED

BY_CONCEPT = BootstrapOptions(unit="mention")
"""Intervals over the source concepts that found pairs or those of the reference have."""


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


@dataclass(frozen=True, slots=True)
class MatchingReport:
    """Of ``found`` pairs ``right`` are among the ``reference``; ``left_out`` were not judged.

    ``precision``, ``recall`` and ``f1`` are None where they divide by nothing. ``denied`` found pairs are ones that the
    reference, or curated negatives, say are not the same; they are wrong like others, and counted by themselves.
    """

    found: int
    right: int
    reference: int
    denied: int
    left_out: int
    precision: Interval | None
    recall: Interval | None
    f1: Interval | None

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values."""
        counts = {name: getattr(self, name) for name in ("found", "right", "reference", "denied", "left_out")}
        shares = {name: getattr(self, name) for name in ("precision", "recall", "f1")}
        return {**counts, "measures": {name: one and one.to_dict() for name, one in shares.items()}}


def evaluate_matching(
    found: Iterable[Pair],
    reference: Alignment,
    *,
    negatives: Iterable[Pair] = (),
    partial: bool = False,
    bootstrap: BootstrapOptions = BY_CONCEPT,
) -> MatchingReport:
    """The report of found pairs (source, target) against a reference; pairs that it ignores are left out of both.

    With ``partial`` the reference does not speak of every concept: found pairs are judged only where it has their
    source or their target, and curated negatives always.
    Raises InputError where the reference has no pair that counts.
    """
    gold = reference.same - reference.ignored
    if not gold:
        raise InputError("the reference has no pair that counts")
    wrong = reference.denied | set(negatives)
    pairs = set(found)
    judged = pairs - reference.ignored
    if partial:
        sources, targets = {one for one, _ in gold}, {other for _, other in gold}
        judged = {pair for pair in judged if pair in wrong or pair[0] in sources or pair[1] in targets}
    right = judged & gold
    units = sorted({one for one, _ in judged | gold})
    rows = [_by_source(some, units) for some in (right, judged, gold)]
    both, answered, wanted = (np.asarray(row, dtype=np.float64) for row in rows)
    options = replace(bootstrap, unit="mention")
    return MatchingReport(
        len(judged), len(right), len(gold), len(judged & wrong), len(pairs) - len(judged),
        ratio_interval(both, answered, None, options),
        ratio_interval(both, wanted, None, options),
        ratio_interval(2 * both, answered + wanted, None, options),
    )  # fmt: skip


def _by_source(pairs: Iterable[Pair], units: list[str]) -> list[int]:
    counts: Mapping[str, int] = Counter(one for one, _ in pairs)
    return [counts.get(unit, 0) for unit in units]
