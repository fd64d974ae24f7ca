"""Evaluates mappings against a reference: precision, recall and F1 of pairs, as in OAEI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ontonym.errors import FormatError, InputError
from ontonym.evaluate.pairsimilarity import labelled
from ontonym.evaluate.questions import Target
from ontonym.evaluate.results import Evaluation, Results, Table, TableRows
from ontonym.evaluate.significance import EACH, BootstrapOptions, Interval, precision_recall_f1
from ontonym.store import open_terminologies
from ontonym.store.mappings import NO_TERM, SAME, denied, read_mappings
from ontonym.store.mappings.rows import UNDECIDED
from ontonym.text.counting import count

IdPair = tuple[str, str]


_SIDES = ("source", "target")


@dataclass(frozen=True, slots=True)
class Alignment:
    """The pairs of ids in a file: those that are the same, those that are not, and those to be ignored."""

    same: frozenset[IdPair]
    denied: frozenset[IdPair] = frozenset()
    ignored: frozenset[IdPair] = frozenset()


def read_alignment(path: Path | str) -> Alignment:
    """The pairs of a file of mappings; IRIs become CURIEs where possible.

    Pairs with a predicate of `SAME` are the same, or denied with the modifier Not. In OAEI's RDF the relation ``=`` is
    the same; ``?`` is to be ignored, which its large tracks use for pairs that make classes unsatisfiable. Raises
    FormatError if there is no such pair in the file.
    """
    same: set[IdPair] = set()
    wrong: set[IdPair] = set()
    ignored: set[IdPair] = set()
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
    """Of ``found`` pairs ``right`` are in the ``reference``; ``left_out`` were not judged.

    ``precision``, ``recall`` and ``f1`` are None on division by zero. ``denied`` found pairs are not the same by the
    reference or by curated negatives; they are wrong like others, and also counted by themselves.
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
    found: Iterable[IdPair],
    reference: Alignment,
    *,
    negatives: Iterable[IdPair] = (),
    partial: bool = False,
    bootstrap: BootstrapOptions = EACH,
) -> MatchingReport:
    """The report of found pairs (source, target) against a reference; pairs that it ignores are left out of both.

    With ``partial`` the reference does not cover every concept: found pairs are judged only if it has their source or
    their target; curated negatives are always judged. Raises InputError if the reference has no pair that counts.
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
    figures = precision_recall_f1(both, answered, wanted, None, bootstrap)
    return MatchingReport(len(judged), len(right), len(gold), len(judged & wrong), len(pairs) - len(judged), *figures)


def _by_source(pairs: Iterable[IdPair], units: list[str]) -> list[int]:
    counts: Mapping[str, int] = Counter(one for one, _ in pairs)
    return [counts.get(unit, 0) for unit in units]


# Files of mappings -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MatchingOptions:
    """How files of mappings are judged.

    ``negatives`` are files of pairs that are curated to be wrong, ``ignored`` of pairs that do not count. ``partial``
    is as in `evaluate_matching`. Ids are replaced by the present ids of their concepts in the terminologies of
    ``resolve``.
    """

    negatives: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    partial: bool = False
    resolve: tuple[str, ...] = ()
    resamples: int = EACH.resamples


def evaluate_mapping_files(found: Sequence[Path | str], reference: Path | str, options: MatchingOptions) -> Evaluation:
    """Precision, recall and F1 of each file of mappings against a reference; see `evaluate_matching`.

    A pair is the same in either direction, in every one of these files: two rows that say it in both are one.
    """
    if not found:
        raise InputError("there are no mappings to judge: give the path of a file, or several")
    read: dict[str, Alignment] = {}
    with open_terminologies(options.resolve) as opened:
        target = Target(opened)
        for path in map(str, (*found, reference, *options.negatives, *options.ignored)):
            read[path] = _resolved(read_alignment(path), target)
    given = read[str(reference)]
    gold = _without(_one_way(given), [read[path] for path in options.ignored])
    denied_pairs = _either_way(pair for path in options.negatives for pair in read[path].denied or read[path].same)
    bootstrap = replace(EACH, resamples=options.resamples)
    names = labelled([str(path) for path in found])
    reports = {
        name: evaluate_matching(
            _turned(read[path], gold).same, gold, negatives=denied_pairs, partial=options.partial, bootstrap=bootstrap
        )
        for name, path in names.items()
    }
    counted = f"{count(next(iter(reports.values())).reference, 'pair')} of {Path(reference).name}"
    strange = [_nothing_shared(name, read[path], given) for name, path in names.items()]
    about = (
        f"reference: {counted}{', partial' * options.partial}",
        *filter(None, strange),
        bootstrap.caption("source concept"),
    )
    columns = ("mappings", "found", "right", "denied", "left out", "precision", "recall", "F1")
    rows: TableRows = tuple(
        (name, one.found, one.right, one.denied, one.left_out, one.precision, one.recall, one.f1)
        for name, one in reports.items()
    )
    results = Results("Mappings judged", about, (Table("matching", "Mappings", columns, rows, best="high"),))
    return Evaluation(results, {"runs": {name: one.to_dict() for name, one in reports.items()}}, bootstrap)


def _nothing_shared(name: str, found: Alignment, reference: Alignment) -> str:
    """The note for a reader where a file and the reference have no concept in common on one side; else empty."""
    mine, theirs = _pairs(found), _pairs(reference)
    known = {end for pair in theirs for end in pair}
    for side in (0, 1):
        ends = {pair[side] for pair in mine}
        if ends and not ends & known:
            shown = [min(pair[side] for pair in one.same or _pairs(one)) for one in (found, reference)]
            return f"{name} and the reference share no {_SIDES[side]}: {shown[0]} in the one, {shown[1]} in the other"
    return ""


def _resolved(alignment: Alignment, target: Target) -> Alignment:
    """The alignment with the present ids of concepts in some terminologies; other ids are unchanged."""

    def today(pairs: frozenset[IdPair]) -> frozenset[IdPair]:
        return frozenset((target.resolve(one) or one, target.resolve(other) or other) for one, other in pairs)

    if not target.terminologies:
        return alignment
    return Alignment(today(alignment.same), today(alignment.denied), today(alignment.ignored))


def _without(reference: Alignment, others: Sequence[Alignment]) -> Alignment:
    """The reference with the pairs of others, in either direction, to be ignored."""
    return replace(reference, ignored=reference.ignored | _either_way(pair for other in others for pair in other.same))


def _either_way(pairs: Iterable[IdPair]) -> frozenset[IdPair]:
    return frozenset(turned for pair in pairs for turned in (pair, pair[::-1]))


def _one_way(reference: Alignment) -> Alignment:
    """The reference with each pair once, in the direction of most pairs of its two prefixes."""
    own = _pairs(reference)
    ways = Counter(map(_prefixes, own))

    def turned(pair: IdPair) -> IdPair:
        back = pair[::-1]
        return _usual_way(pair, ways) or (min(pair, back) if back in own else pair)

    return _mapped(reference, turned)


def _turned(found: Alignment, reference: Alignment) -> Alignment:
    """The found pairs in the direction of the reference's, each once.

    A pair that the reference does not have gets the direction of most pairs of its two prefixes there, or else of most
    pairs of its own file.
    """
    known, own = _pairs(reference), _pairs(found)
    ways = Counter(map(_prefixes, known))
    sources = {one for one, _ in known}
    crossed = sum(other in sources for _, other in own) > sum(one in sources for one, _ in own)

    def turned(pair: IdPair) -> IdPair:
        back = pair[::-1]
        if (pair in known) != (back in known):
            return pair if pair in known else back
        if usual := _usual_way(pair, ways):
            return usual
        if back in known or back in own:
            return min(pair, back)
        return back if crossed else pair

    return _mapped(found, turned)


def _usual_way(pair: IdPair, ways: Counter[tuple[str, str]]) -> IdPair | None:
    """The pair in the direction of most pairs of its two prefixes; None where there are as many in both."""
    back = pair[::-1]
    straight, reverse = ways[_prefixes(pair)], ways[_prefixes(back)]
    return None if straight == reverse else pair if straight > reverse else back


def _mapped(alignment: Alignment, turned: Callable[[IdPair], IdPair]) -> Alignment:
    same, wrong, ignored = (
        frozenset(map(turned, some)) for some in (alignment.same, alignment.denied, alignment.ignored)
    )
    return Alignment(same, wrong - same, ignored)


def _pairs(alignment: Alignment) -> frozenset[IdPair]:
    return alignment.same | alignment.denied | alignment.ignored


def _prefixes(pair: IdPair) -> tuple[str, str]:
    return pair[0].partition(":")[0], pair[1].partition(":")[0]
