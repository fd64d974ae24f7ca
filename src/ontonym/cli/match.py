"""``ontonym match``: the concepts of one terminology mapped to those of an index."""

from __future__ import annotations

import datetime
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

import ontonym
from ontonym.cli.evaluate import command_line
from ontonym.cli.mapping_outputs import FORMATS, left_out_text, mapping_facts, mapping_format, mapping_options
from ontonym.cli.options import json_option
from ontonym.cli.progress import Bar
from ontonym.cli.shapes import hit_shape, to_json
from ontonym.cli.show import console, count, facts, size
from ontonym.errors import InputError
from ontonym.index import Index, open_index
from ontonym.store import Terminology, open_terminology
from ontonym.store.export.mappings import Written, write_mappings
from ontonym.store.mappings import JUSTIFICATIONS, SAME, statements
from ontonym.tasks import SIGNALS
from ontonym.tasks.match import AGGREGATES, Candidate, Known, Matched, MatchOptions, match

DEFAULTS = MatchOptions()

PREDICATE = "skos:exactMatch"
_BECAUSE = {"exact": "lexical", "normalized": "lexical"}

EXAMPLES = """\b
Examples:
  ontonym match hp.terminology doid.index -o hp-doid.sssom.tsv
  ontonym match local.terminology snomed.index -o local.sssom.tsv --mode best --threshold 0
  ontonym match hp.terminology doid.index -o new.sssom.tsv --known curated.sssom.tsv --candidates all.sssom.tsv
"""


@click.command("match", epilog=f"{FORMATS}\n\n{EXAMPLES}")
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("index", metavar="TARGET.index")
@click.option("-o", "--output", required=True, metavar="FILE", help="The mappings to write: SSSOM, an OAEI "
              "alignment, a FHIR ConceptMap, OMOP's SOURCE_TO_CONCEPT_MAP or CSV.")  # fmt: skip
@click.option("--mode", default=DEFAULTS.mode, show_default=True, metavar="NAME", help="best: each source concept's "
              "best candidate; mutual: where that has no better source concept; one-to-one: the pairs whose scores "
              "together are highest (needs ontonym[eval]).")  # fmt: skip
@click.option("--aggregate", default=DEFAULTS.aggregate, show_default=True, metavar="NAME", help="How a candidate's "
              f"score is made of what the names of a concept give: {', '.join(AGGREGATES)}.")  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0, 1), default=DEFAULTS.threshold, show_default=True,
              help="The score below which nothing is proposed.")  # fmt: skip
@click.option("-k", "k", type=click.IntRange(1), default=DEFAULTS.k, show_default=True,
              help="Candidates of each name and concept.")  # fmt: skip
@click.option("--signal", default=DEFAULTS.signal, show_default=True, metavar="NAME", help=f"{', '.join(SIGNALS)}.")
@click.option("--within", multiple=True, metavar="ID", help="Only this concept of the target and those below it. May "
              "be repeated.")  # fmt: skip
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only concepts of the target with this tag. May be "
              "repeated.")  # fmt: skip
@click.option("--known", multiple=True, metavar="FILE", help="Mappings that are decided (SSSOM): those that hold are "
              "kept and not asked for, those that are denied (predicate_modifier Not) never proposed. May be "
              "repeated.")  # fmt: skip
@click.option("--candidates", "candidates_file", metavar="FILE", help="Write all candidates too, as SSSOM, best first.")
@mapping_options
@json_option
def command(
    *, source: str, index: str, output: str, mode: str, aggregate: str, threshold: float, k: int, signal: str,
    within: tuple[str, ...], tags: tuple[str, ...], known: tuple[str, ...], candidates_file: str | None,
    as_json: bool, format_: str | None, **standards: Any,
) -> None:  # fmt: skip
    """Map the concepts of a terminology to those of an index.

    Every name of a source concept is searched for; what the names find is put together by concept. A CSV of local codes
    is a terminology too: import it first.
    """
    chosen = mapping_format(output, format_)
    options = MatchOptions(aggregate, mode, threshold, k, signal, within, tags)  # type: ignore[arg-type]
    began = time.monotonic()
    with open_terminology(source) as opened, open_index(index) as searched, ExitStack() as stack:
        ends = (opened, *searched.terminologies)
        about = mapping_facts(stack, chosen, slots=_facts(opened, searched, options), terminologies=ends, **standards)
        decided, kept = _known(known, opened, searched)
        with Bar("matching", int(opened.active.sum())) as bar:
            found = match(opened, searched, options, decided, bar.advance)
        written = write_mappings(output, [*kept, *_rows(found, searched, every=False)], about, format=chosen)
        if candidates_file:
            write_mappings(candidates_file, _rows(found, searched, every=True), about, format="sssom")
    seconds = time.monotonic() - began
    _show(output, found, decided, len(kept), written, seconds, as_json=as_json)


def _known(paths: Sequence[str], source: Terminology, index: Index) -> tuple[Known, list[dict[str, str]]]:
    """What is decided between the two, and the rows to keep; InputError for a file that has nothing of both."""
    mapped: dict[str, set[str]] = defaultdict(set)
    denied: set[tuple[str, str]] = set()
    rows: list[dict[str, str]] = []
    for path in paths:
        before = len(mapped) + len(denied)
        for said in statements(path):
            ends = _ends(source, index, *said.ends)
            if ends is None:
                continue
            if said.denied:
                denied.add(ends)
            elif said.predicate in SAME:
                mapped[ends[0]].add(ends[1])
                rows.append(_known_row(ends, said.predicate, source, index))
        if len(mapped) + len(denied) == before:
            raise InputError(f"{path}: no mapping between {source.name or source.path} and {index.name}, new or denied")
    return Known({one: frozenset(some) for one, some in mapped.items()}, frozenset(denied)), rows


def _ends(source: Terminology, index: Index, first: str, second: str) -> tuple[str, str] | None:
    for one, other in ((first, second), (second, first)):
        row, target = source.current(one), index.resolve(other)
        if row is not None and target is not None:
            return source.id(row), target
    return None


def _known_row(ends: tuple[str, str], predicate: str, source: Terminology, index: Index) -> dict[str, str]:
    return {
        "subject_id": ends[0],
        "subject_label": source.preferred(source.row(ends[0])),
        "predicate_id": predicate,
        "object_id": ends[1],
        "object_label": index.preferred(index.number(ends[1])),
        "mapping_justification": JUSTIFICATIONS["manual"],
    }


def _rows(found: Iterable[Matched], index: Index, *, every: bool) -> Iterator[dict[str, str]]:
    """What is proposed, or every candidate, as rows of SSSOM."""
    measure = f"cosine of ontonym encoder {index.encoder.fingerprint[:12]}"
    for one in found:
        for candidate in one.candidates if every else [one.proposed] if one.proposed else []:
            yield _row(one, candidate, measure)


def _row(one: Matched, candidate: Candidate, measure: str) -> dict[str, str]:
    hit = candidate.hit
    return {
        "subject_id": one.id,
        "subject_label": one.preferred,
        "predicate_id": PREDICATE,
        "object_id": hit.id,
        "object_label": hit.preferred,
        "mapping_justification": JUSTIFICATIONS[_BECAUSE.get(hit.reason.rule, "meaning")],
        "confidence": f"{candidate.score:.4f}",
        "match_string": candidate.name,
        "similarity_score": f"{max(hit.similarity, 0.0):.4f}",
        "similarity_measure": measure,
        "other": f"matched name: {hit.matched}; found by {candidate.found} of {count(candidate.of, 'name')}",
        "comment": hit.reason.detail,
    }


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
    output: str, found: Sequence[Matched], known: Known, kept: int, written: Written, seconds: float, *, as_json: bool
) -> None:
    made = [one.proposed for one in found if one.proposed]
    rules = Counter(one.hit.reason.rule for one in made)
    if as_json:
        shape = {
            "path": output, "concepts": len(found), "proposed": len(made), "kept": kept, "by_reason": dict(rules),
            "left_out": dict(+written.left_out),
            "seconds": round(seconds, 1), "mappings": [_shape(one, one.proposed) for one in found if one.proposed],
        }  # fmt: skip
        click.echo(to_json(shape))
        return
    out = console()
    told = ", ".join(f"{number:,} {rule}" for rule, number in rules.most_common())
    facts(
        [
            ("mappings", f"{output}  ({size(Path(output).stat().st_size)})"),
            ("proposed", f"{len(made):,} for {count(len(found), 'concept')} in {seconds:.1f} s: {told}"),
            ("kept", f"{kept:,} known, {len(known.denied):,} denied" if known.mapped or known.denied else ""),
            ("unmatched", f"{len(found) - len(made):,}"),
            ("left out", left_out_text(written.left_out)),
        ],
        out,
    )  # fmt: skip
    out.print(f"next: look through {output}, and give what you decided back with --known", style="dim", soft_wrap=True)


def _shape(one: Matched, candidate: Candidate) -> dict[str, Any]:
    told = {"id": one.id, "preferred": one.preferred, "score": round(candidate.score, 4), "name": candidate.name}
    return {**told, "hit": hit_shape(candidate.hit)}
