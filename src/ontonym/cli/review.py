"""``ontonym review``: one function for each of its commands, and the shapes that they print."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from ontonym.cli.lazy import LazyGroup
from ontonym.cli.mapping_outputs import MAPPING_FLAGS, MAPPING_FORMATS, MappingFlags, left_out_text, mapping_facts
from ontonym.cli.options import Command, json_option
from ontonym.errors import CheckFailed, InputError, MissingExtraError
from ontonym.files.output import written_file
from ontonym.index import open_index
from ontonym.serve.reviews import (
    agreement_shape,
    decision_words,
    event_shape,
    item_shape,
    progress_line,
    show_item,
    show_merger,
)
from ontonym.serve.shapes import to_json
from ontonym.serve.show import console, count, facts
from ontonym.store.export.mappings import mapping_format, write_mappings
from ontonym.tasks.review import (
    FILTERS,
    Review,
    ReviewJournal,
    agreements,
    check_filter,
    counted_rows,
    disagreements,
    merge_journals,
    merged_events,
    open_review,
    read_journal,
    read_sheet,
    review_slots,
    start_review,
    unlisted,
    write_sheet,
)
from ontonym.tasks.review.journal import TORN

if TYPE_CHECKING:
    pass

REVIEWS = MappingProxyType(
    {
        "start": ("ontonym.cli.review:start", "Begin a review of candidates."),
        "open": ("ontonym.cli.review:open_screen", "Go on with a review, on the screen."),
        "list": ("ontonym.cli.review:list_items", "List what is to be decided, and what was."),
        "decide": ("ontonym.cli.review:decide", "Decide on one source concept."),
        "undo": ("ontonym.cli.review:undo", "Undo what was done last."),
        "assign": ("ontonym.cli.review:assign", "Share the work out."),
        "sheet": ("ontonym.cli.review:sheet", "Decide in a spreadsheet."),
        "merge": ("ontonym.cli.review:merge", "Put the reviews of several people together."),
        "export": ("ontonym.cli.review:export", "Write what was decided as mappings."),
    }
)
"""What ``ontonym review`` does."""


def _examples(*lines: str) -> str:
    return "\b\nExamples:\n" + "\n".join(f"  ontonym {line}" for line in lines)


@click.group("review", cls=LazyGroup, table=REVIEWS, epilog=_examples(
    "match hp.terminology doid.index -o props.sssom.tsv --candidates all.sssom.tsv",
    "review start all.sssom.tsv --proposals props.sssom.tsv -o hp-doid.review",
    "review open hp-doid.review",
    "review export hp-doid.review -o decided.sssom.tsv",
))  # fmt: skip
def command() -> None:
    """Look through the candidates of a matching and decide: on the screen, in a spreadsheet, or by script."""


# Options that several commands share ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReviewAccess:
    """Who reviews, and where the files are now that the review was begun from."""

    reviewer: str
    files: dict[str, str | None]

    @contextmanager
    def open(self, state: str, *, read_only: bool = False) -> Iterator[Review]:
        """Lends the review, and says on stderr where its last line was never finished."""
        with open_review(state, self.reviewer, read_only=read_only, **self.files) as review:
            _note_torn(review.journal, kept=not read_only)
            yield review


def _review_options(function: Command) -> Command:
    """``--reviewer``, ``--candidates``, ``--proposals`` and ``--frequencies``, as one argument ``access``."""

    @wraps(function)
    def call(*args: Any, reviewer: str, candidates: str, proposals: str, frequencies: str, **given: Any) -> Any:
        files: dict[str, str | None] = {"candidates": candidates, "proposals": proposals, "frequencies": frequencies}
        return function(*args, access=ReviewAccess(reviewer, files), **given)

    decorated: Any = call
    for option in (
        click.option("--frequencies", metavar="FILE", help="Where the frequencies are now, if they were moved."),
        click.option("--proposals", metavar="FILE", help="Where the proposals file is now, if it was moved."),
        click.option("--candidates", metavar="FILE", help="Where the candidates file is now, if it was moved."),
        click.option("--reviewer", metavar="NAME", envvar="ONTONYM_REVIEWER", default=_user, help="Who decides: a "
                     "name, or an ORCID (orcid:0000-0002-…). By default $ONTONYM_REVIEWER, or else your user name."),
    ):  # fmt: skip
        decorated = option(decorated)
    result: Command = decorated
    return result


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return os.environ.get("USERNAME", "")


def _filter_option(help_text: str) -> Callable[[Command], Command]:
    return click.option("--filter", "chosen", default="undecided", show_default=True, metavar="NAME", help=help_text)


_state_argument = click.argument("state", metavar="STATE")


def _note_torn(journal: ReviewJournal, *, kept: bool) -> None:
    if journal.torn:
        where = f", and is kept in {journal.path}{TORN}" if kept else ""
        click.echo(f"note: the last line of {journal.path} was never finished ({len(journal.torn)} bytes){where}; all "
                   "before it is whole", err=True)  # fmt: skip


# Commands ---------------------------------------------------------------------------------------------------------


@click.command("start", epilog=_examples(
    "review start all.sssom.tsv --proposals props.sssom.tsv -o hp-doid.review",
    "review start all.sssom.tsv --frequencies codes.csv -o codes.review",
))  # fmt: skip
@click.argument("candidates", metavar="CANDIDATES.sssom.tsv")
@click.option("-o", "--output", required=True, metavar="STATE", help="The state file to write: all that is decided "
              "goes into it.")  # fmt: skip
@click.option("--proposals", metavar="FILE", help="What is proposed (SSSOM): the main output of `ontonym match`. By "
              "default the best candidate, from a confidence of 0.5.")  # fmt: skip
@click.option("--frequencies", metavar="FILE", help="How often the source concepts occur: a CSV with the columns id "
              "and frequency. By default the column ext_frequency of CANDIDATES, or else 1.")  # fmt: skip
@click.option("--decided", metavar="STATE", help="An earlier review, whose decisions are taken over.")
@json_option
def start(*, candidates: str, output: str, proposals: str | None, frequencies: str | None, decided: str | None,
          as_json: bool) -> None:  # fmt: skip
    """Begin a review of candidates that `ontonym match --candidates` wrote.

    Reviewers who are to decide independently each begin one from the same files, and merge them.
    """
    items = start_review(output, candidates, proposals=proposals, frequencies=frequencies, decided=decided)
    proposed = sum(item.proposed is not None for item in items.values())
    pairs = sum(len(item.candidates) for item in items.values())
    known = sum(item.frequency != 1 for item in items.values())
    missing = unlisted(items, frequencies) if frequencies else []
    if as_json:
        click.echo(to_json({"path": output, "concepts": len(items), "candidates": pairs, "proposed": proposed,
                            "without_candidates": missing}))  # fmt: skip
        return
    out = console()
    facts(
        [
            ("review", output),
            ("to decide", f"{count(len(items), 'source concept')} with {count(pairs, 'candidate')}"),
            ("proposed", f"for {proposed:,} of them"),
            ("frequencies", f"of {known:,} of them" if known else "not known: each counts 1"),
            ("not in it", f"{count(len(missing), 'id')} of {frequencies} without a candidate: "
                          f"{', '.join(missing[:3])}{'…' if len(missing) > 3 else ''}" if missing else ""),
        ],
        out,
    )  # fmt: skip
    out.print(f"next: ontonym review open {output}", style="dim", soft_wrap=True)


@click.command("open", epilog=_examples(
    "review open hp-doid.review",
    "review open hp-doid.review --index doid.index --reviewer anna --filter assigned",
    "review open new.review --candidates all.sssom.tsv --proposals props.sssom.tsv",
))  # fmt: skip
@_state_argument
@click.option("--index", "index", metavar="TARGET.index", help="Search it for other targets while you review.")
@_filter_option(f"What is listed first: {', '.join(FILTERS)}.")
@_review_options
def open_screen(*, state: str, index: str | None, chosen: str, access: ReviewAccess) -> None:
    """Work through a review by keyboard (needs ontonym[review]); where STATE is not there, it is begun.

    Every decision is on disk at once, so that you can leave at any moment and nothing is lost even in a crash. The
    main keys are shown at the bottom, all of them with ?.
    """
    try:
        from ontonym.serve.screen.app import ReviewApp
    except ImportError as error:
        raise MissingExtraError("textual", "review", "the screen of a review") from error
    check_filter(chosen)
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise InputError("the screen needs a terminal: without one use `ontonym review list`, decide and sheet")
    candidates, *others = access.files.values()
    if not Path(state).exists() and candidates is not None:
        start_review(state, candidates, **dict(zip(("proposals", "frequencies"), others, strict=True)))
    with ExitStack() as stack:
        searched = stack.enter_context(open_index(index)) if index is not None else None
        review = stack.enter_context(access.open(state))
        ReviewApp(review, searched, chosen).run()
        progress = review.progress()
    click.echo(f"{state}: {progress_line(progress)}")


@click.command("list", epilog=_examples(
    "review list hp-doid.review",
    "review list hp-doid.review --filter disagreed --json",
    'review list hp-doid.review --filter all --search "heart fail"',
))  # fmt: skip
@_state_argument
@_filter_option("Which: " + "; ".join(f"{name}, {meaning}" for name, (meaning, _) in FILTERS.items()) + ".")
@click.option("--search", "wanted", default="", metavar="WORDS", help="Only those with these words in their id or "
              "label, or in those of their candidates.")  # fmt: skip
@click.option("-n", "number", type=click.IntRange(0), default=20, show_default=True, help="How many; 0 for all.")
@_review_options
@json_option
def list_items(*, state: str, chosen: str, wanted: str, number: int, access: ReviewAccess, as_json: bool) -> None:
    """List source concepts with their candidates and decisions, most urgent first: by frequency times doubt."""
    with access.open(state, read_only=True) as review:
        found = review.listed(chosen, wanted)
        shown = [(review.items[source], review.standing(source)) for source in found[: number or None]]
        progress = review.progress()
    if as_json:
        counts = {name: getattr(progress, name) for name in ("items", "mapped", "none", "disagreed", "undecided")}
        items = [item_shape(item, standing) for item, standing in shown]
        click.echo(to_json({"filter": chosen, "found": len(found), "progress": counts, "items": items}))
        return
    out = console()
    out.print(progress_line(progress), style="bold", soft_wrap=True)
    for item, standing in shown:
        show_item(item, standing, out)
    more = f", {len(found) - len(shown):,} more" if len(found) > len(shown) else ""
    out.print(f"\n{chosen}: {len(found):,}{more}", style="dim", soft_wrap=True)


@click.command("decide", epilog=_examples(
    "review decide hp-doid.review HP:0000822 accept",
    'review decide hp-doid.review HP:0000822 broad DOID:6543 --comment "no narrower one there"',
    "review decide hp-doid.review HP:0000822 none --reviewer anna",
    "review decide hp-doid.review HP:0000822 skip",
))  # fmt: skip
@_state_argument
@click.argument("source", metavar="ID")
@click.argument("verdict", metavar="VERDICT")
@click.argument("target", metavar="[TARGET]", default="")
@click.option("--also", is_flag=True, help="In addition to what ID is mapped to already.")
@click.option("--comment", default="", metavar="TEXT", help="Why.")
@click.option("--label", default="", metavar="TEXT", help="The name of TARGET, where it is no candidate.")
@_review_options
@json_option
def decide(*, state: str, source: str, verdict: str, target: str, also: bool, comment: str, label: str,
           access: ReviewAccess, as_json: bool) -> None:  # fmt: skip
    """Decide on the source concept ID.

    VERDICT is exact, close, broad (TARGET is broader), narrow or related; reject (not TARGET) or none (nothing fits);
    accept, which takes what is proposed as it is; skip, which puts ID off; or comment. TARGET may be any id.
    """
    with access.open(state) as review:
        review.do(source, verdict, target, label=label, also=also, comment=comment)
        item, standing = review.item(source), review.standing(source)
    if as_json:
        click.echo(to_json(item_shape(item, standing)))
        return
    decisions = "; ".join(f"{event.who}: {decision_words(event)}" for event in standing.in_force) or "undecided"
    click.echo(f"{item.id} {item.label}: {decisions}")


@click.command("undo", epilog=_examples("review undo hp-doid.review", "review undo hp-doid.review --redo"))
@_state_argument
@click.option("--redo", is_flag=True, help="Do again what was undone last.")
@_review_options
@json_option
def undo(*, state: str, redo: bool, access: ReviewAccess, as_json: bool) -> None:
    """Undo what the reviewer did last: a decision, a comment, an assignment. Exit code 1 where there is nothing."""
    with access.open(state) as review:
        event = review.redo() if redo else review.undo()
    if event is None:
        raise CheckFailed(f"nothing of {access.reviewer} to {'do again' if redo else 'undo'}")
    if as_json:
        click.echo(to_json({"did": event.did, "source": event.source, "event": event.id, "redo": redo}))
        return
    what = decision_words(event) or event.text or event.to
    click.echo(f"{'done again' if redo else 'undone'}: {event.source}: {event.did}{f' {what}' if what else ''}")


@click.command("assign", epilog=_examples(
    "review assign codes.review --to anna --to ben",
    "review assign codes.review HP:0000822 HP:0001250 --to orcid:0000-0002-1825-0097",
))  # fmt: skip
@_state_argument
@click.argument("sources", metavar="[ID]...", nargs=-1)
@click.option("--to", "to", multiple=True, required=True, metavar="NAME", help="A reviewer; an empty name takes the "
              "assignment away. May be repeated: they get one by turns.")  # fmt: skip
@_filter_option("Which, where no ID is given: a filter of `ontonym review list`.")
@_review_options
@json_option
def assign(*, state: str, sources: tuple[str, ...], to: tuple[str, ...], chosen: str, access: ReviewAccess,
           as_json: bool) -> None:  # fmt: skip
    """Assign source concepts to reviewers, by default all that are undecided, by turns from the most urgent on."""
    if len(set(to)) != len(to):
        raise InputError("--to names the same reviewer twice")
    with access.open(state) as review:
        wanted = list(sources or review.listed(chosen))
        new = review.assign_all([(source, to[place % len(to)]) for place, source in enumerate(wanted)])
    if as_json:
        click.echo(to_json({"concepts": len(wanted), "new": new}))
        return
    click.echo(f"{count(len(wanted), 'source concept')} for {', '.join(to)}; {new:,} of them newly so")


@click.command("sheet", epilog=_examples(
    "review sheet codes.review -o todo.csv",
    "review sheet codes.review -o mine.csv --filter assigned --reviewer anna --each 5",
    "review sheet codes.review --read todo.csv --reviewer anna",
))  # fmt: skip
@_state_argument
@click.option("-o", "--output", metavar="FILE.csv", help="Write the sheet.")
@click.option("--read", "filled", metavar="FILE.csv", help="Take the decisions of a filled sheet.")
@_filter_option("Which source concepts are written: a filter of `ontonym review list`.")
@click.option("--each", type=click.IntRange(1), default=3, show_default=True, help="Candidates of each that are "
              "written.")  # fmt: skip
@_review_options
@json_option
def sheet(*, state: str, output: str | None, filled: str | None, chosen: str, each: int, access: ReviewAccess,
          as_json: bool) -> None:  # fmt: skip
    """Review in a spreadsheet: write a CSV with a row for each candidate, fill in the column decision, read it back.

    In the row of the right candidate write exact (or x), close, broad, narrow or related; reject for a wrong one; none
    in any row where nothing fits. Another target: overwrite target_id. Empty rows stay undecided. All of a sheet is
    taken, or where a line is wrong nothing.
    """
    if (output is None) == (filled is None):
        raise InputError("a sheet is either written or read: give -o FILE.csv or --read FILE.csv")
    shape: dict[str, Any]
    with access.open(state, read_only=filled is None) as review:
        if output is not None:
            sources = review.listed(chosen)
            with written_file(output) as stream:
                rows = write_sheet(review, sources, stream, each=each)
            shape = {"path": output, "concepts": len(sources), "rows": rows}
            words = f"{output}: {count(len(sources), 'source concept')} in {count(rows, 'row')}"
        else:
            shape = {"new": read_sheet(review, filled or "")}
            words = f"{count(shape['new'], 'new decision')} of {access.reviewer}; {progress_line(review.progress())}"
    click.echo(to_json(shape) if as_json else words)


@click.command("merge", epilog=_examples(
    "review merge anna.review ben.review -o both.review",
    "review list both.review --filter disagreed",
))  # fmt: skip
@click.argument("states", metavar="STATE...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="STATE", help="Write the merger; it may be one of the files that are merged. "
              "Without it, only what they agree and disagree on is shown.")  # fmt: skip
@json_option
def merge(*, states: tuple[str, ...], output: str | None, as_json: bool) -> None:
    """Merge reviews that were begun from the same files: the union of all that was done.

    Equal decisions fall together. Where reviewers decided differently without knowing of each other, that is a
    disagreement: they are listed, and the exit code is 1. Any later decision on the concept, in the merged review,
    settles it. Cohen's kappa measures how far two reviewers agree (needs ontonym[eval]).
    """
    journals = [read_journal(path) for path in states]
    for journal in journals:
        _note_torn(journal, kept=False)
    events = merged_events(journals)
    if output is not None:
        events = merge_journals(states, output).events
    found = disagreements(events)
    try:
        pairs, missing = agreements(events), ""
    except MissingExtraError as error:
        pairs, missing = [], str(error)
    if as_json:
        click.echo(to_json({
            "path": output, "events": len(events), "reviewers": sorted({event.who for event in events}),
            "agreement": [agreement_shape(pair) for pair in pairs],
            "disagreements": [
                {"source": one.source, "decisions": [event_shape(event) for event in one.decisions]} for one in found
            ],
        }))  # fmt: skip
    else:
        show_merger(output, [len(journal.events) for journal in journals], len(events), pairs, found)
        if missing:
            click.echo(f"note: {missing}", err=True)
    if found:
        raise CheckFailed(f"{count(len(found), 'disagreement')}: settle them with `ontonym review open "
                          f"{output or 'MERGED'}` (filter disagreed), or `ontonym review decide`")  # fmt: skip


@click.command("export", epilog=f"{MAPPING_FORMATS}\n\n" + _examples(
    "review export hp-doid.review -o decided.sssom.tsv",
    "match hp.terminology doid.index -o map.sssom.tsv --known decided.sssom.tsv",
))  # fmt: skip
@_state_argument
@click.option("-o", "--output", required=True, metavar="FILE", help="The mappings to write: SSSOM, an OAEI "
              "alignment, a FHIR ConceptMap, OMOP's SOURCE_TO_CONCEPT_MAP or CSV.")  # fmt: skip
@click.option("--all", "every", is_flag=True, help="Also what is undecided, as it is proposed, and each side of a "
              "disagreement; the column other has the status. Not for `ontonym match --known`.")  # fmt: skip
@MAPPING_FLAGS.as_("flags")
@_review_options
@json_option
def export(*, state: str, output: str, every: bool, flags: MappingFlags, access: ReviewAccess, as_json: bool) -> None:
    """Write the decisions of all reviewers: as SSSOM, for `ontonym match --known`, or in another standard.

    SSSOM has all: accepted targets with semapv:ManualMappingCuration, reviewer and date; rejected ones with
    predicate_modifier Not; where nothing fits a row to sssom:NoTermFound, and the candidates that were shown as
    rejected.
    """
    format_ = mapping_format(output, flags.format)
    with ExitStack() as stack:
        review = stack.enter_context(access.open(state, read_only=True))
        (rows, kinds), progress = counted_rows(review, every=every), review.progress()
        about = mapping_facts(flags, stack, format_, review_slots(review))
        written = write_mappings(output, rows, about, format=format_)
    if as_json:
        click.echo(to_json({"path": output, "rows": len(rows), **kinds, "disagreed": progress.disagreed}))
        return
    out = console()
    words = ", ".join(f"{number:,} {kind}" for kind, number in kinds.most_common())
    out.print(f"{output}: {count(len(rows), 'row')}{f' ({words})' if words else ''}; {progress_line(progress)}",
              soft_wrap=True)  # fmt: skip
    if left_out := left_out_text(written.left_out):
        out.print(f"not taken by the format: {left_out}", style="yellow", soft_wrap=True)
    if progress.disagreed and not every:
        out.print("what reviewers disagree on is left out: settle it first", style="yellow", soft_wrap=True)
