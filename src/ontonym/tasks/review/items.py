"""The items of a review: source concepts with their candidates, read from a candidates file (SSSOM)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ontonym.errors import FormatError
from ontonym.files.cells import twofold, whole_count
from ontonym.files.records import delimiter_of, fold_header, text_records
from ontonym.files.source import open_source
from ontonym.ontology.xrefs import curie
from ontonym.store.mappingfile import MappingFile, MappingRow
from ontonym.store.mappings.iris import BARE_PREFIX
from ontonym.store.mappings.rows import FREQUENCY
from ontonym.tasks.review.events import VERDICTS, Verdict
from ontonym.text.normalization import key

LIKELY = 0.5
"""The confidence from which the best candidate is proposed if no file gives proposals."""

LEFT_OPEN = 0.5

_VERDICT_OF: Mapping[str, Verdict] = {predicate: verdict for verdict, predicate in VERDICTS.items() if predicate}


@dataclass(frozen=True, slots=True)
class ReviewCandidate:
    """A target concept that a source concept may be mapped to.

    ``confidence`` is in [0, 1], higher is better, None if the file has none. ``name`` is the name of the source that
    found it; ``why`` is the evidence in words. ``denied``: the proposal is that it does not hold. ``added``: a reviewer
    added it.
    """

    id: str
    label: str = ""
    predicate: str = "skos:exactMatch"
    confidence: float | None = None
    name: str = ""
    why: tuple[str, ...] = ()
    justification: str = ""
    denied: bool = False
    added: bool = False

    @property
    def verdict(self) -> Verdict:
        """The decision of accepting it: the proposed relation, ``exact`` if the predicate is not one of `VERDICTS`."""
        return "reject" if self.denied else _VERDICT_OF.get(self.predicate, "exact")


@dataclass(frozen=True, slots=True)
class Item:
    """A source concept with its candidates, best first; ``place`` is its position in the file, ``proposed`` a
    candidate.

    ``frequency`` is how often it occurs, 1 if unknown (not ``counted``). ``note`` is the file's text for a concept
    without candidates.
    """

    id: str
    label: str
    candidates: tuple[ReviewCandidate, ...]
    proposed: ReviewCandidate | None
    frequency: float = 1.0
    place: int = 0
    note: str = ""
    counted: bool = False

    @property
    def frequency_text(self) -> str:
        """The frequency as it is written: a whole number where it is one."""
        return f"{self.frequency:.0f}" if float(self.frequency).is_integer() else f"{self.frequency:g}"

    @property
    def doubt(self) -> float:
        """The probability that the proposal is wrong, in [0, 1]; 1 if nothing is known.

        It is 1 minus the confidence of the proposal. Without a proposal it is the confidence of the best candidate: the
        probability that something fits after all.
        """
        best = self.proposed or next(iter(self.candidates), None)
        if best is None or best.confidence is None:
            return 1.0
        return 1 - best.confidence if self.proposed else best.confidence

    @property
    def urgency(self) -> tuple[float, float, int]:
        """A sort key: frequency times doubt, then frequency, then the order of the file.

        Where nothing is proposed, the doubt counts as `LEFT_OPEN` at least: a frequent code without match comes early.
        """
        doubt = self.doubt if self.proposed else max(self.doubt, LEFT_OPEN)
        return -self.frequency * doubt, -self.frequency, self.place

    def candidate(self, target: str) -> ReviewCandidate | None:
        """The candidate with this id."""
        return next((one for one in self.candidates if one.id == target), None)


Items = Mapping[str, Item]
"""The items of a review by the ids of their source concepts, in the order of the file."""


@dataclass(slots=True)
class _Gathered:
    label: str = ""
    note: str = ""
    frequency: float | None = None
    candidates: dict[str, ReviewCandidate] = field(default_factory=dict)


def read_items(
    candidates: Path | str, proposals: Path | str | None = None, frequencies: Path | str | None = None
) -> Items:
    """The items of a candidates file, with the proposals of a proposals file and the frequencies of concepts.

    Without proposals the best candidate is proposed, unless its confidence is below `LIKELY`. A row whose object is
    ``sssom:NoTermFound`` is a source concept for which nothing was found. Raises FormatError with the line for what
    cannot be read.
    """
    found: dict[str, _Gathered] = {}
    for row in MappingFile(candidates).rows():
        one = found.setdefault(row.subject, _Gathered())
        one.label = one.label or row.cells.get("subject_label", "")
        if row.cells.get(FREQUENCY):
            one.frequency = _number(row.cells[FREQUENCY], "frequency", candidates, row.line, None)
        if row.object:
            one.candidates.setdefault(row.object, _candidate(row, candidates))
        else:
            one.note = one.note or row.cells.get("comment", "")
    if not found:
        hint = "`match()` with `candidates=FILE` writes what is reviewed, and `carry()` with `look=FILE`"
        raise FormatError(candidates, "no mapping to review is in it", hint=hint)
    proposed = _proposals(proposals, found) if proposals is not None else None
    codes = ids_by_code(found)
    given = read_frequencies(frequencies) if frequencies is not None else {}
    counts = {one if one in found else codes.get(one, one): number for one, number in given.items()}
    items: dict[str, Item] = {}
    for place, (source, one) in enumerate(found.items()):
        ranked = tuple(sorted(one.candidates.values(), key=lambda each: -(each.confidence or 0)))
        best = ranked[0] if ranked and (ranked[0].confidence is None or ranked[0].confidence >= LIKELY) else None
        if proposed is not None:
            best = one.candidates.get(proposed.get(source, ""))
        frequency = counts.get(source, counts.get(curie(source), one.frequency))
        items[source] = Item(source, one.label or source, ranked, best, 1.0 if frequency is None else frequency, place,
                             one.note, counted=frequency is not None)  # fmt: skip
    return items


def _candidate(row: MappingRow, path: Path | str) -> ReviewCandidate:
    cells = row.cells
    confidence = cells.get("confidence", "")
    why = [cells.get("comment", ""), cells.get("other", "")]
    return ReviewCandidate(
        row.object,
        cells.get("object_label", ""),
        cells["predicate_id"],
        _number(confidence, "confidence", path, row.line, 1.0) if confidence else None,
        cells.get("match_string", "") or cells.get("subject_match_field", ""),
        tuple(text for text in why if text),
        cells.get("mapping_justification", ""),
        row.denied,
    )


def _number(text: str, what: str, path: Path | str, line: int, most: float | None) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= (float("inf") if most is None else most) or number == float("inf"):
        raise FormatError(path, f"the {what} {text!r} is no number {'from 0' if most is None else 'in [0, 1]'}",
                          line=line)  # fmt: skip
    return number


def _proposals(path: Path | str, found: dict[str, _Gathered]) -> dict[str, str]:
    """The first proposed target for each source; a target that is not a candidate becomes one."""
    proposed: dict[str, str] = {}
    known = False
    for row in MappingFile(path).rows():
        source = row.subject
        known = known or source in found
        if source in found and row.object and not row.denied:
            found[source].candidates[row.object] = _candidate(row, path)
            proposed.setdefault(source, row.object)
    if not known:
        raise FormatError(path, "no proposal for any concept of the candidates file",
                          hint="Give both as one run of `match()` wrote them")  # fmt: skip
    return proposed


_FREQUENCIES = ("frequency", "freq", "count", "counts", "n", "source_frequency", "ext_frequency", "times", "number")
_IDS = ("id", "code", "source_id", "source_code", "subject_id", "concept_id", "curie")


def read_frequencies(path: Path | str) -> dict[str, float]:
    """The frequencies of source concepts: a CSV or TSV with a column of ids and one of frequencies.

    Raises FormatError if its header has neither, or a frequency is not a number.
    """
    source = open_source(path)
    records = text_records(source.lines(), delimiter_of(source.head()) or ",")
    header = [fold_header(str(name)) for name in next((record.fields for record in records), [])]
    places = [next((header.index(name) for name in names if name in header), -1) for names in (_IDS, _FREQUENCIES)]
    if -1 in places:
        hint = f"Name them in the first line: one of {', '.join(_IDS)}; one of {', '.join(_FREQUENCIES)}"
        raise FormatError(path, "no column of ids, or none of frequencies", line=1, hint=hint)
    found: dict[str, float] = {}
    for record in records:
        if record.problem:
            raise FormatError(path, record.problem, line=record.line, hint="Fix the row")
        row, line = [str(field).strip() for field in record.fields], record.line or 0
        if len(row) > max(places) and row[places[0]]:
            concept, number = row[places[0]], _frequency(row[places[1]], path, line)
            found[concept] = found.get(concept, 0) + number
    return found


def _frequency(text: str, path: Path | str, line: int) -> float:
    """A count as people write it, else any number from 0; 1 for an empty cell."""
    if not text:
        return 1.0
    if (whole := whole_count(text)) is not None:
        return float(whole)
    if two := twofold(text):
        raise FormatError(path, f"the frequency {text!r} {two}", line=line, hint="Write it without the separator")
    return _number(text, "frequency", path, line, None)


def unlisted(items: Items, path: Path | str) -> list[str]:
    """The ids in a file of frequencies that are not source concepts of the review, so have no candidates."""
    there = {*map(curie, items), *ids_by_code(items)}
    return [one for one in read_frequencies(path) if curie(one) not in there]


def with_candidate(item: Item, candidate: ReviewCandidate) -> Item:
    """The item with one more candidate."""
    return item if item.candidate(candidate.id) else replace(item, candidates=(*item.candidates, candidate))


def nearest_source(items: Items, source: str) -> str:
    """The source concept that is meant: without the prefix that files write before codes, by its name, or with other
    separators, zeros and case (D0087 for D-0087, 12 for 0012). Empty for none, or where it may be several.
    """
    if (bare := source.removeprefix(f"{BARE_PREFIX}:")) in items:
        return bare
    code, name = _plain_code(source), key(source)
    near = [one.id for one in items.values() if key(one.label) == name or _plain_code(one.id) == code]
    return near[0] if len(near) == 1 else ""


def _plain_code(code: str) -> str:
    """A code without separators, zeros before a number, and case."""
    return re.sub(r"(?<!\d)0+(?=\d)|[\W_]+", "", code.lower())


def ids_by_code(ids: Iterable[str]) -> dict[str, str]:
    """The ids that have a prefix by what follows it, where only one has it: ``17`` stands for ``LOCAL:17``."""
    found: dict[str, list[str]] = defaultdict(list)
    for one in ids:
        found[one.partition(":")[2]].append(one)
    return {code: having[0] for code, having in found.items() if code and len(having) == 1}
