"""``ontonym match``: the concepts of one terminology, or of a table of local codes, mapped to those of an index."""

from __future__ import annotations

import shlex
import time
from contextlib import ExitStack
from pathlib import Path

import click

from ontonym.cli.mapping_outputs import MAPPING_FORMATS, MAPPING_OPTIONS, mappings_output, state_of
from ontonym.cli.options import Opt, OptionGroup, command_line, examples, refuse_without, summarized
from ontonym.cli.progress import Bar, resumable
from ontonym.cli.spread import Spread, on_option
from ontonym.index import open_index
from ontonym.manifest import MANIFEST
from ontonym.serve.mappings import match_summary
from ontonym.serve.show import Summary
from ontonym.store import open_terminologies
from ontonym.store.build import open_or_read
from ontonym.store.export.mappings import MappingOptions
from ontonym.tasks import SIGNALS
from ontonym.tasks.match import AGGREGATES, FEW, MatchOptions, known_mappings, match
from ontonym.tasks.match.files import MatchFiles, match_writer

MATCHING = OptionGroup(
    MatchOptions(),
    mode=Opt("best: each source concept's best candidate; mutual: where that has no better source concept; one-to-one: "
             "the pairs whose scores together are highest (needs ontonym[eval]).", metavar="NAME"),
    aggregate=Opt("How a candidate's score is made. learned: of names, hierarchies and cross-references, a "
                  "probability; of the confidences that names give alone: "
                  f"{', '.join(AGGREGATES[1:])}.", metavar="NAME"),
    threshold=Opt("The score below which nothing is proposed.", type=click.FloatRange(0, 1)),
    k=Opt("Candidates of each name and concept.", "-k", type=click.IntRange(1)),
    signal=Opt(f"{', '.join(SIGNALS)}; one alone needs another aggregate than learned.", metavar="NAME"),
    structure=Opt("learned: look at what is above and below both concepts.", "--structure/--no-structure"),
    xrefs=Opt("Look at cross-references: they bring candidates, and count in the learned score.",
              "--xrefs/--no-xrefs"),
    related=Opt("For concepts that stay without a match, propose one that is broader or narrower."),
    within=Opt("Only this concept of the target and those below it. May be repeated.", metavar="ID"),
    names=Opt("How names of the source are searched for. written: as they are; read: as `ontonym search` reads them, "
              "with abbreviations written out and slips corrected; auto: read, where the source is a list of codes "
              "(no hierarchy but groups, no cross-references, one name for most).", metavar="WAY"),
    tags=Opt("Only concepts of the target with this tag. May be repeated.", "--tag", "TAG"),
)  # fmt: skip


@click.command("match", epilog=f"{MAPPING_FORMATS}\n\n" + examples(
    "match hp.terminology doid.index -o hp-doid.sssom.tsv",
    "match codes.csv snomed.index -o codes.sssom.tsv --mode best --candidates codes-all.sssom.tsv",
    "match hp.terminology doid.index -o new.sssom.tsv --known curated.sssom.tsv --jobs 2",
))  # fmt: skip
@click.argument("source", metavar="SOURCE")
@click.argument("index", metavar="TARGET.index")
@mappings_output
@MATCHING.as_("options")
@click.option("--via", multiple=True, metavar="TERMINOLOGY", help="A terminology that knows concepts of the source, by "
              "cross-reference or name: they are searched for by its names too. May be repeated.")  # fmt: skip
@click.option("--known", multiple=True, metavar="FILE", help="Mappings that are decided, in any format that we "
              "write: those that hold are kept and not asked for, those that are denied (predicate_modifier Not) never "
              "proposed. May be repeated.")  # fmt: skip
@click.option("--column", multiple=True, metavar="COLUMN", help="Of a table: the column of the names (header or "
              "number), or ROLE=COLUMN as for `ontonym import`, such as id=code. May be repeated; by default guessed "
              "from the header.")  # fmt: skip
@click.option("--learn", is_flag=True, help="Learn the score from what --known holds, 50 mappings or more (needs "
              "ontonym[eval]).")  # fmt: skip
@click.option("--candidates", "candidates_file", metavar="FILE", help="Write all candidates too, as SSSOM, best first: "
              "what a review starts from.")  # fmt: skip
@MAPPING_OPTIONS.as_("mapping")
@click.option("--resume", is_flag=True, help="Go on with what an interrupted run has found, if it left something.")
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes that share the search; by default one "
              f"for each core where the source has over {FEW:,} concepts.")  # fmt: skip
@on_option
@summarized
def command(
    *, source: str, index: str, output: str, options: MatchOptions, via: tuple[str, ...], known: tuple[str, ...],
    column: tuple[str, ...], learn: bool, candidates_file: str | None, mapping: MappingOptions, resume: bool,
    jobs: int | None, spread: Spread,
) -> Summary:  # fmt: skip
    """Map the concepts of a terminology to those of an index.

    Every name of a source concept is searched for; what is known of a pair makes one score. SOURCE is a terminology, or
    a release or table that `ontonym import` reads as it is, such as a CSV or xlsx of local codes with a name and a
    frequency each (--column). What stays without a match is written too, as mapped to sssom:NoTermFound.
    FILE.unfinished holds what was found until the end: after an interruption, --resume goes on from there.
    """
    files = MatchFiles(Path(output), None if candidates_file is None else Path(candidates_file), mapping)
    is_sssom = files.format == "sssom"  # an unknown format is refused before anything is searched for
    began = time.monotonic()
    if options.aggregate != "learned":
        refuse_without("--aggregate learned", "options__structure")
    if not known:
        refuse_without("--known", "learn")
    with ExitStack() as stack:
        opened = stack.enter_context(open_or_read(source, column))
        mediators = stack.enter_context(open_terminologies(via))
        searched = stack.enter_context(open_index(index))
        write = stack.enter_context(match_writer(files, opened, searched, index, options, command_line()))
        decided, kept = known_mappings(known, opened, searched)
        keep = Path(f"{output}.unfinished")
        workers = jobs if spread.on is None else stack.enter_context(spread.workers(jobs or 1))
        with Bar("matching", int(opened.active.sum())) as bar, resumable(keep, holding="*.npz"):
            found = match(opened, searched, options, decided, via=mediators, learn=learn, jobs=workers, keep=keep,
                          resume=resume, progress=bar.advance)  # fmt: skip
        written = write(found, kept)
        assert written is not None  # noqa: S101 (there is an output)
        seconds = time.monotonic() - began
        read = not (Path(source) / MANIFEST).exists()
        summary = match_summary(output, found, decided, len(kept), written, seconds, read=read,
                                candidates=candidates_file)  # fmt: skip
    if not len(found):
        return summary  # all is decided: there is nothing to review
    return summary.then(_review_hint(output, candidates_file, is_sssom=is_sssom))


def _review_hint(output: str, candidates: str | None, *, is_sssom: bool) -> str:
    """The command that begins a review, of all candidates or else of what is proposed; empty where neither is SSSOM."""
    if candidates is None and not is_sssom:
        return ""
    proposals = f" --proposals {shlex.quote(output)}" if candidates is not None and is_sssom else ""
    return f"ontonym review start {shlex.quote(candidates or output)}{proposals} -o {state_of(output)}"
