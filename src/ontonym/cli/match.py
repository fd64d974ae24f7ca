"""``ontonym match``: the concepts of one terminology, or of a table of local codes, mapped to those of an index."""

from __future__ import annotations

import datetime
import os
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import click

import ontonym
from ontonym.cli.evaluate import command_line
from ontonym.cli.mapping_outputs import FORMATS, left_out_text, mapping_facts, mapping_format, mapping_options
from ontonym.cli.options import json_option
from ontonym.cli.progress import Bar, resumable
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count, facts, size
from ontonym.errors import InputError
from ontonym.index import Index, open_index
from ontonym.ontology.formats import read_release
from ontonym.ontology.tables.layout import FREQUENCY
from ontonym.store import Terminology, build_terminology, open_terminology
from ontonym.store.export.mappings import Written, write_mappings
from ontonym.store.mappings import JUSTIFICATIONS, NO_TERM, SAME, denied, read_mappings
from ontonym.store.mappings.rows import FREQUENCY as EXT_FREQUENCY
from ontonym.store.mappings.rows import Row
from ontonym.tasks import SIGNALS
from ontonym.tasks.match import (
    AGGREGATES,
    BROAD,
    NARROW,
    Aggregate,
    Candidate,
    Known,
    Matched,
    Matching,
    MatchOptions,
    Mode,
    match,
)

DEFAULTS = MatchOptions()

_FEW = 5_000
"""Up to so many concepts one process is as quick as several, which must begin first."""

_BECAUSE = {
    "exact": "lexical", "normalized": "lexical", "spelling": "spelling", "words": "spelling", "meaning": "meaning",
}  # fmt: skip
"""Of `JUSTIFICATIONS`, by the rule of a reason."""

DECIDED = SAME | {BROAD, NARROW, "skos:closeMatch", "skos:relatedMatch"}
"""Predicates of --known that settle a source concept; those of `SAME` settle the target too."""

EXAMPLES = """\b
Examples:
  ontonym match hp.terminology doid.index -o hp-doid.sssom.tsv
  ontonym match codes.csv snomed.index -o codes.sssom.tsv --mode best --candidates codes-all.sssom.tsv
  ontonym match hp.terminology doid.index -o new.sssom.tsv --known curated.sssom.tsv --jobs 2
"""


@click.command("match", epilog=f"{FORMATS}\n\n{EXAMPLES}")
@click.argument("source", metavar="SOURCE")
@click.argument("index", metavar="TARGET.index")
@click.option("-o", "--output", required=True, metavar="FILE", help="The mappings to write: SSSOM, an OAEI "
              "alignment, a FHIR ConceptMap, OMOP's SOURCE_TO_CONCEPT_MAP or CSV.")  # fmt: skip
@click.option("--mode", default=DEFAULTS.mode, show_default=True, metavar="NAME", help="best: each source concept's "
              "best candidate; mutual: where that has no better source concept; one-to-one: the pairs whose scores "
              "together are highest (needs ontonym[eval]).")  # fmt: skip
@click.option("--aggregate", default=DEFAULTS.aggregate, show_default=True, metavar="NAME", help="How a candidate's "
              "score is made. learned: of names, hierarchies and cross-references, a probability; of the confidences "
              f"that names give alone: {', '.join(AGGREGATES[1:])}.")  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0, 1), default=DEFAULTS.threshold, show_default=True,
              help="The score below which nothing is proposed.")  # fmt: skip
@click.option("-k", "k", type=click.IntRange(1), default=DEFAULTS.k, show_default=True,
              help="Candidates of each name and concept.")  # fmt: skip
@click.option("--signal", default=DEFAULTS.signal, show_default=True, metavar="NAME", help=f"{', '.join(SIGNALS)}; "
              "one alone needs another aggregate than learned.")  # fmt: skip
@click.option("--structure/--no-structure", default=DEFAULTS.structure, show_default=True,
              help="learned: look at what is above and below both concepts.")  # fmt: skip
@click.option("--xrefs/--no-xrefs", default=DEFAULTS.xrefs, show_default=True, help="Look at cross-references: they "
              "bring candidates, and count in the learned score.")  # fmt: skip
@click.option("--via", multiple=True, metavar="TERMINOLOGY", help="A terminology that knows concepts of the source, by "
              "cross-reference or name: they are searched for by its names too. May be repeated.")  # fmt: skip
@click.option("--related", is_flag=True, help="For concepts that stay without a match, propose one that is broader or "
              "narrower.")  # fmt: skip
@click.option("--within", multiple=True, metavar="ID", help="Only this concept of the target and those below it. May "
              "be repeated.")  # fmt: skip
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only concepts of the target with this tag. May be "
              "repeated.")  # fmt: skip
@click.option("--known", multiple=True, metavar="FILE", help="Mappings that are decided, in any format that we "
              "write: those that hold are kept and not asked for, those that are denied (predicate_modifier Not) never "
              "proposed. May be repeated.")  # fmt: skip
@click.option("--learn", is_flag=True, help="Learn the score from what --known holds, 50 mappings or more (needs "
              "ontonym[eval]).")  # fmt: skip
@click.option("--candidates", "candidates_file", metavar="FILE", help="Write all candidates too, as SSSOM, best first: "
              "what a review starts from.")  # fmt: skip
@mapping_options
@click.option("--resume", is_flag=True, help="Go on with what an interrupted run has found, if it left something.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes that share the search; by default one "
              f"for each core where the source has over {_FEW:,} concepts.")  # fmt: skip
@json_option
def command(
    *, source: str, index: str, output: str, mode: str, aggregate: str, threshold: float, k: int, signal: str,
    structure: bool, xrefs: bool, via: tuple[str, ...], related: bool, within: tuple[str, ...],
    tags: tuple[str, ...], known: tuple[str, ...], learn: bool, candidates_file: str | None,
    resume: bool, jobs: int | None, as_json: bool, format_: str | None, **standards: Any,
) -> None:  # fmt: skip
    """Map the concepts of a terminology to those of an index.

    Every name of a source concept is searched for; what is known of a pair makes one score. SOURCE is a terminology, or
    a release or table that `ontonym import` reads as it is, such as a CSV of local codes with a name and a frequency
    each. What was found lies in FILE.unfinished until the end: interrupted, --resume goes on from there.
    """
    chosen = mapping_format(output, format_)
    options = MatchOptions(
        cast(Aggregate, aggregate),
        cast(Mode, mode),
        threshold,
        k,
        signal,
        within,
        tags,
        structure,
        xrefs,
        related,
    )
    began = time.monotonic()
    with ExitStack() as stack:
        opened = _source(source, stack)
        mediators = [stack.enter_context(open_terminology(place)) for place in via]
        searched = stack.enter_context(open_index(index))
        ends = (opened, *searched.terminologies)
        about = mapping_facts(stack, chosen, slots=_facts(opened, searched, options), terminologies=ends, **standards)
        decided, kept = _known(known, opened, searched)
        concepts = int(opened.active.sum())
        keep = Path(f"{output}.unfinished")
        with Bar("matching", concepts) as bar, resumable(keep):
            found = match(opened, searched, options, decided, via=mediators, learn=learn,
                          jobs=jobs or (1 if concepts <= _FEW else os.cpu_count() or 1), keep=keep, resume=resume,
                          progress=bar.advance)  # fmt: skip
        rows = [*kept, *_rows(found, found.proposals(), every=False)]
        if chosen == "alignment":
            rows = [_as_published(row, opened, searched, about.iris) for row in rows]
        written = write_mappings(output, rows, about, format=chosen)
        if candidates_file:
            write_mappings(candidates_file, _rows(found, found.concepts(), every=True), about, format="sssom")
        seconds = time.monotonic() - began
        _show(output, found, decided, len(kept), written, seconds, candidates=candidates_file,
              as_json=as_json)  # fmt: skip


def _source(path: str, stack: ExitStack) -> Terminology:
    """The terminology at a path, or what import makes of a release there, for as long as it is wanted."""
    place = Path(path)
    if not place.exists() or (place / "manifest.json").exists():
        return stack.enter_context(open_terminology(place))
    made = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ontonym-"))) / "source.terminology"
    build_terminology(read_release([place]), made)
    return stack.enter_context(open_terminology(made))


def _known(paths: Sequence[str], source: Terminology, index: Index) -> tuple[Known, list[dict[str, str]]]:
    """What is decided between the two, and the rows to keep; InputError for a file that has nothing of both."""
    mapped: dict[str, set[str]] = defaultdict(set)
    denied_pairs: set[tuple[str, str]] = set()
    kept: list[dict[str, str]] = []
    for path in paths:
        before = len(mapped) + len(denied_pairs)
        for said in read_mappings(path).rows:
            row = _between(said, source, index)
            if row is None:
                continue
            ends = row["subject_id"], row["object_id"]
            if denied(row):
                denied_pairs.add(ends)
            elif ends[1] == NO_TERM or row["predicate_id"] in DECIDED:
                mapped[ends[0]].update([ends[1]] if row["predicate_id"] in SAME and ends[1] != NO_TERM else [])
                kept.append(row)
        if len(mapped) + len(denied_pairs) == before:
            raise InputError(f"{path}: no mapping between {source.name or source.path} and {index.name}, new or denied")
    return Known({one: frozenset(some) for one, some in mapped.items()}, frozenset(denied_pairs)), kept


def _between(said: Row, source: Terminology, index: Index) -> dict[str, str] | None:
    """A row as one from the source to the index, with the ids and names of today; None where it is not of these two.

    What it says of who decided and why stays.
    """
    first, second = said.get("subject_id", ""), said["object_id"]
    for one, other, predicate in ((first, second, said["predicate_id"]), (second, first, _turned(said))):
        row = source.current(one) if one else None
        target = other if other == NO_TERM else index.resolve(other) if other else None
        if row is not None and target is not None:
            name = "" if target == NO_TERM else index.preferred(index.number(target))
            ends = {"subject_id": source.id(row), "subject_label": source.preferred(row), "predicate_id": predicate}
            return {**said, **ends, "object_id": target, "object_label": name}
    return None


def _turned(said: Row) -> str:
    """The predicate the other way round."""
    predicate = said["predicate_id"]
    return {BROAD: NARROW, NARROW: BROAD}.get(predicate, predicate)


def _rows(found: Matching, concepts: Iterable[Matched], *, every: bool) -> Iterator[dict[str, str]]:
    """What is proposed, or every candidate, as rows of SSSOM."""
    measure = f"cosine of ontonym encoder {found.index.encoder.fingerprint[:12]}"
    for one in concepts:
        often = _frequency(found.source, one.id)
        for candidate in one.candidates if every else [one.proposed] if one.proposed else []:
            yield _row(one, candidate, measure) | often


def _as_published(row: dict[str, str], source: Terminology, index: Index, iris: Collection[str]) -> dict[str, str]:
    """A row with the IRIs that its concepts have in the releases, where these are known and no --iri says otherwise."""
    number = None if row["object_id"] == NO_TERM else index.find(row["object_id"])
    sides = {"subject_id": (source, source.row(row["subject_id"]))}
    if number is not None:
        sides["object_id"] = index.locate(number)
    for end, (terminology, place) in sides.items():
        written = (id_ for id_ in terminology.lists("alternative_ids")[place] if "://" in id_)
        if row[end].partition(":")[0] not in iris:
            row = {**row, end: next(written, row[end])}
    return row


def _frequency(source: Terminology, id_: str) -> dict[str, str]:
    """How often a local code is used, where that is known."""
    said = [one.value for one in source.concept(source.row(id_)).properties if one.name == FREQUENCY]
    return {EXT_FREQUENCY: said[0]} if said else {}


def _row(one: Matched, candidate: Candidate, measure: str) -> dict[str, str]:
    told = [candidate.reason.detail]
    found_by = [f"found by {candidate.found} of {count(candidate.of, 'name')}"] if candidate.of else []
    if candidate.lender:
        told.append(f"under a name that {candidate.lender} has for it")
    if candidate.referenced:
        told.append("both have a cross-reference in common")
    if candidate.turned:
        told.append(f"turns the hierarchies against {count(candidate.turned, 'other mapping')}")
    return {
        "subject_id": one.id,
        "subject_label": one.preferred,
        "predicate_id": candidate.predicate,
        "object_id": candidate.id,
        "object_label": candidate.preferred,
        "mapping_justification": _justification(candidate),
        "confidence": f"{candidate.score:.4f}",
        "match_string": candidate.name,
        "similarity_score": f"{max(candidate.similarity, 0.0):.4f}",
        "similarity_measure": measure,
        "other": "; ".join([f"matched name: {candidate.matched}", *found_by]),
        "comment": "; ".join(told),
    }


def _justification(candidate: Candidate) -> str:
    return JUSTIFICATIONS["structure" if candidate.above else _BECAUSE.get(candidate.reason.rule, "meaning")]


def _facts(source: Terminology, index: Index, options: MatchOptions) -> dict[str, str]:
    """The metadata of the mapping set."""
    target = index.terminologies[0]
    return {
        "mapping_set_id": f"urn:ontonym:{source.fingerprint[:12]}-{index.manifest.fingerprint[:12]}",
        "license": "https://w3id.org/sssom/license/unspecified",
        "mapping_set_title": f"{source.name} to {index.releases}",
        "subject_source_version": source.version,
        "object_source_version": target.version,
        "mapping_tool": "ontonym",
        "mapping_tool_version": ontonym.__version__,
        "mapping_date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "comment": f"{options.mode} by {options.aggregate}, from {options.threshold:g}; {command_line()}",
    }


def _show(
    output: str, found: Matching, known: Known, kept: int, written: Written, seconds: float, *,
    candidates: str | None, as_json: bool,
) -> None:  # fmt: skip
    made = [one for one in found.proposals() if one.proposed]
    kinds = Counter(one.proposed.predicate for one in made if one.proposed)
    rules = Counter(one.proposed.reason.rule for one in made if one.proposed)
    turned = sum(one.proposed.turned > 0 for one in made if one.proposed)
    if as_json:
        shape = {
            "path": output, "concepts": len(found), "proposed": len(made), "kept": kept, "by_reason": dict(rules),
            "by_predicate": dict(kinds),
            "turned": turned, "on_both_sides": found.on_both_sides, "left_out": dict(+written.left_out),
            "seconds": round(seconds, 1),
            "mappings": [_shape(one, one.proposed) for one in made if one.proposed],
        }  # fmt: skip
        click.echo(to_json(shape))
        return
    out = console()
    told = ", ".join(f"{number:,} {rule}" for rule, number in rules.most_common())
    facts(
        [
            ("mappings", f"{output}  ({size(Path(output).stat().st_size)})"),
            ("proposed", f"{len(made):,} for {count(len(found), 'concept')} in {seconds:.1f} s: {told}"),
            ("related", f"{kinds[BROAD]:,} are broader, {kinds[NARROW]:,} narrower" if found.related else ""),
            ("doubtful", f"{turned:,} turn the hierarchies against others; their comments say so" if turned else ""),
            ("kept", f"{kept:,} known, {len(known.denied):,} denied" if known.mapped or known.denied else ""),
            ("unmatched", f"{len(found) - len(made):,}"),
            ("not asked", f"{count(found.on_both_sides, 'id')} on both sides" if found.on_both_sides else ""),
            ("left out", left_out_text(written.left_out)),
        ],
        out,
    )  # fmt: skip
    out.print(f"next: ontonym review start {candidates or output}", style="dim", soft_wrap=True)


def _shape(one: Matched, candidate: Candidate) -> dict[str, Any]:
    """A proposal as JSON values."""
    return {
        "id": one.id,
        "preferred": one.preferred,
        "predicate": candidate.predicate,
        "target": candidate.id,
        "target_preferred": candidate.preferred,
        "score": round(candidate.score, 4),
        "similarity": round(candidate.similarity, 4),
        "name": candidate.name,
        "lender": candidate.lender,
        "matched": candidate.matched,
        "reason": {"rule": candidate.reason.rule, "detail": candidate.reason.detail},
        "found": candidate.found,
        "names": candidate.of,
        "referenced": candidate.referenced,
        "turned": candidate.turned,
    }
