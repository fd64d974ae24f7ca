"""``ontonym review export``: what was decided, as mappings."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from typing import Any

import click

import ontonym
from ontonym.cli.mapping_outputs import FORMATS, left_out_text, mapping_facts, mapping_format, mapping_options
from ontonym.cli.options import json_option
from ontonym.cli.review import opened, progress_told, review_options
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count
from ontonym.store.export.mappings import write_mappings
from ontonym.store.mappingfile import MappingFile
from ontonym.store.mappings.rows import NO_TERM
from ontonym.tasks.review import Review, mapping_rows

EXAMPLES = """\b
Examples:
  ontonym review export hp-doid.review -o decided.sssom.tsv
  ontonym match hp.terminology doid.index -o map.sssom.tsv --known decided.sssom.tsv
"""

_KEPT = (
    "license", "mapping_set_title", "subject_source", "object_source", "subject_source_version",
    "object_source_version",
)  # fmt: skip


@click.command("export", epilog=f"{FORMATS}\n\n{EXAMPLES}")
@click.argument("state", metavar="STATE")
@click.option("-o", "--output", required=True, metavar="FILE", help="The mappings to write: SSSOM, an OAEI "
              "alignment, a FHIR ConceptMap, OMOP's SOURCE_TO_CONCEPT_MAP or CSV.")  # fmt: skip
@click.option("--all", "every", is_flag=True, help="Also what is undecided, as it is proposed, and each side of a "
              "disagreement; the column other has the status. Not for `ontonym match --known`.")  # fmt: skip
@mapping_options
@review_options
@json_option
def command(
    *, state: str, output: str, every: bool, reviewer: str, candidates: str | None, proposals: str | None,
    frequencies: str | None, as_json: bool, format_: str | None, **standards: Any,
) -> None:  # fmt: skip
    """Write the decisions of all reviewers: as SSSOM, for `ontonym match --known`, or in another standard.

    SSSOM has all: accepted targets with semapv:ManualMappingCuration, reviewer and date; rejected ones with
    predicate_modifier Not; where nothing fits a row to sssom:NoTermFound, and the candidates that were shown as
    rejected.
    """
    chosen = mapping_format(output, format_)
    with ExitStack() as stack:
        review = stack.enter_context(opened(state, reviewer, candidates, proposals, frequencies, read_only=True))
        rows, progress = list(mapping_rows(review, every=every)), review.progress()
        facts = mapping_facts(stack, chosen, slots=_about(review), **standards)
        written = write_mappings(output, rows, facts, format=chosen)
    kinds = Counter(_kind(row) for row in rows)
    if as_json:
        click.echo(to_json({"path": output, "rows": len(rows), **kinds, "disagreed": progress.disagreed}))
        return
    out = console()
    told = ", ".join(f"{number:,} {kind}" for kind, number in kinds.most_common())
    out.print(f"{output}: {count(len(rows), 'row')}{f' ({told})' if told else ''}; {progress_told(progress)}",
              soft_wrap=True)  # fmt: skip
    if left_out := left_out_text(written.left_out):
        out.print(f"not taken by the format: {left_out}", style="yellow", soft_wrap=True)
    if progress.disagreed and not every:
        out.print("what reviewers disagree on is left out: settle it first", style="yellow", soft_wrap=True)


def _kind(row: dict[str, str]) -> str:
    if "status: undecided" in row["other"]:
        return "undecided"
    if row["object_id"] == NO_TERM:
        return "with no match"
    return "rejected" if row["predicate_modifier"] else "mapped"


def _about(review: Review) -> dict[str, str]:
    """The metadata of the set: what the candidates file says of the terminologies, and ours."""
    given = MappingFile(review.places["candidates"]).facts
    header = review.journal.header
    return {name: given[name] for name in _KEPT if name in given} | {
        "mapping_set_id": f"urn:ontonym:review-{header.files['candidates'].sha256[:12]}",
        "license": given.get("license", "https://w3id.org/sssom/license/unspecified"),
        "mapping_tool": "ontonym review",
        "mapping_tool_version": ontonym.__version__,
    }
