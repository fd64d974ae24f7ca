"""``ontonym review``: one function for each of its commands, and the shapes that they print."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from types import MappingProxyType

import click

from ontonym.cli.lazy import LazyGroup
from ontonym.cli.mapping_outputs import MAPPING_FORMATS, MAPPING_OPTIONS, mappings_output
from ontonym.cli.options import Command, Opt, OptionGroup, examples, summarized
from ontonym.cli.terminal import echo
from ontonym.errors import CheckFailed, InputError, needing
from ontonym.index import open_index
from ontonym.serve.reviews import (
    decided_summary,
    exported_summary,
    list_summary,
    merger_summary,
    progress_line,
    sheet_summary,
    started_summary,
    undone_summary,
)
from ontonym.serve.show import Summary
from ontonym.store.export.mappings import MappingOptions
from ontonym.tasks.review import (
    FILTERS,
    Review,
    ReviewAccess,
    ReviewJournal,
    check_filter,
    export_review,
    merge_reviews,
    read_journal,
    read_sheet,
    save_sheet,
    start_review,
    target_index,
)
from ontonym.text.counting import count

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


@click.group("review", cls=LazyGroup, table=REVIEWS, epilog=examples(
    "match hp.terminology doid.index -o props.sssom.tsv --candidates all.sssom.tsv",
    "review start all.sssom.tsv --proposals props.sssom.tsv -o hp-doid.review",
    "review open hp-doid.review",
    "review export hp-doid.review -o decided.sssom.tsv",
))  # fmt: skip
def command() -> None:
    """Look through the candidates of a matching and decide: on the screen, in a spreadsheet, or by script."""


ACCESS = OptionGroup(
    ReviewAccess(),
    reviewer=Opt("Who decides: a name, or an ORCID (orcid:0000-0002-…). By default $ONTONYM_REVIEWER, or else your "
                 "user name.", metavar="NAME", envvar="ONTONYM_REVIEWER"),
    candidates=Opt("Where the candidates file is now, if it was moved.", metavar="FILE"),
    proposals=Opt("Where the proposals file is now, if it was moved.", metavar="FILE"),
    frequencies=Opt("Where the frequencies are now, if they were moved.", metavar="FILE"),
)  # fmt: skip
"""Who reviews, and where the files of the review are: `ReviewAccess`."""

_state_argument = click.argument("state", metavar="STATE")


_index_option = click.option("--index", "index", metavar="TARGET.index", help="The index that targets are looked up "
                             "in; by default the one that was matched to, if it is still there.")  # fmt: skip
_unchecked_option = click.option("--unchecked", is_flag=True, help="Take targets as they are, whatever they are.")


def _filter_option(help_text: str) -> Callable[[Command], Command]:
    return click.option("--filter", "chosen", default="undecided", show_default=True, metavar="NAME", help=help_text)


@contextmanager
def _opened(access: ReviewAccess, state: str, *, read_only: bool = False) -> Iterator[Review]:
    """Lends the review, and says on stderr where its last line was never finished."""
    with access.open(state, read_only=read_only) as review:
        _note_torn(review.journal)
        yield review


@contextmanager
def _checking(review: Review, index: str | None, *, unchecked: bool) -> Iterator[None]:
    """Has the review look targets up for a block; says where that is not possible."""
    place = index or target_index(review.places["candidates"])
    if unchecked:
        yield
    elif place is None:
        yield
        echo("note: targets were not checked: the candidates name no index that is still there (--index)", err=True)
    else:
        with open_index(place) as review.index:
            yield


def _note_torn(journal: ReviewJournal) -> None:
    if journal.torn_note:
        echo(f"note: {journal.torn_note}", err=True)


# Commands ---------------------------------------------------------------------------------------------------------


@click.command("start", epilog=examples(
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
@summarized
def start(*, candidates: str, output: str, proposals: str | None, frequencies: str | None, decided: str | None
          ) -> Summary:  # fmt: skip
    """Begin a review of candidates that `ontonym match --candidates` wrote.

    Reviewers who are to decide independently each begin one from the same files, and merge them.
    """
    items = start_review(output, candidates, proposals=proposals, frequencies=frequencies, decided=decided)
    does = "open" if sys.stdout.isatty() and find_spec("textual") is not None else "list"
    summary = started_summary(output, items, frequencies, decided)
    return summary.then(f"ontonym review {does} {shlex.quote(output)}")


@click.command("open", epilog=examples(
    "review open hp-doid.review",
    "review open hp-doid.review --index doid.index --reviewer anna --filter assigned",
    "review open new.review --candidates all.sssom.tsv --proposals props.sssom.tsv",
))  # fmt: skip
@_state_argument
@_index_option
@_filter_option(f"What is listed first: {', '.join(FILTERS)}.")
@ACCESS.as_("access")
def open_screen(*, state: str, index: str | None, chosen: str, access: ReviewAccess) -> None:
    """Work through a review by keyboard (needs ontonym[review]); where STATE is not there, it is begun.

    Every decision is on disk at once, so that you can leave at any moment and nothing is lost even in a crash. The
    main keys are shown at the bottom, all of them with ?.
    """
    with needing("textual", "review", "the screen of a review"):
        from ontonym.serve.screen.app import ReviewApp
    check_filter(chosen)
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        raise InputError("the screen needs a terminal: without one use `ontonym review list`, decide and sheet")
    access.start_where_new(state)
    with ExitStack() as stack:
        review = stack.enter_context(_opened(access, state))
        place = index or target_index(review.places["candidates"])
        review.index = stack.enter_context(open_index(place)) if place is not None else None
        ReviewApp(review, chosen).run()
        progress = review.progress()
    echo(f"{state}: {progress_line(progress)}")


@click.command("list", epilog=examples(
    "review list hp-doid.review",
    "review list hp-doid.review --filter disagreed --json",
    'review list hp-doid.review --filter all --search "heart fail"',
))  # fmt: skip
@_state_argument
@_filter_option("Which: " + "; ".join(f"{name}, {meaning}" for name, (meaning, _) in FILTERS.items()) + ".")
@click.option("--search", "wanted", default="", metavar="WORDS", help="Only those with these words in their id or "
              "label, or in those of their candidates.")  # fmt: skip
@click.option("-n", "number", type=click.IntRange(0), default=20, show_default=True, help="How many; 0 for all.")
@ACCESS.as_("access")
@summarized
def list_items(*, state: str, chosen: str, wanted: str, number: int, access: ReviewAccess) -> Summary:
    """List source concepts with their candidates and decisions, most urgent first: by frequency times doubt."""
    with _opened(access, state, read_only=True) as review:
        return list_summary(review, chosen, wanted, number)


@click.command("decide", epilog=examples(
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
@_index_option
@_unchecked_option
@ACCESS.as_("access")
@summarized
def decide(*, state: str, source: str, verdict: str, target: str, also: bool, comment: str, label: str,
           index: str | None, unchecked: bool, access: ReviewAccess) -> Summary:  # fmt: skip
    """Decide on the source concept ID, or on that of a code without its prefix.

    VERDICT is exact, close, broad (TARGET is broader), narrow or related; reject (not TARGET) or none (nothing fits);
    accept, which takes what is proposed as it is; skip, which puts ID off; or comment. TARGET is an id of the index
    that was matched to, or a code without its prefix.
    """
    with ExitStack() as stack:
        review = stack.enter_context(_opened(access, state))
        if target:
            stack.enter_context(_checking(review, index, unchecked=unchecked))
        review.decide(source, verdict, target, label=label, also=also, comment=comment)
        return decided_summary(review, source)


@click.command("undo", epilog=examples("review undo hp-doid.review", "review undo hp-doid.review --redo"))
@_state_argument
@click.option("--redo", is_flag=True, help="Do again what was undone last.")
@ACCESS.as_("access")
@summarized
def undo(*, state: str, redo: bool, access: ReviewAccess) -> Summary:
    """Undo what the reviewer did last: a decision, a comment, an assignment. Exit code 1 where there is nothing."""
    with _opened(access, state) as review:
        event = review.redo() if redo else review.undo()
    if event is None:
        raise CheckFailed(f"nothing of {review.reviewer} to {'do again' if redo else 'undo'}")
    return undone_summary(event, redo=redo)


@click.command("assign", epilog=examples(
    "review assign codes.review --to anna --to ben",
    "review assign codes.review HP:0000822 HP:0001250 --to orcid:0000-0002-1825-0097",
))  # fmt: skip
@_state_argument
@click.argument("sources", metavar="[ID]...", nargs=-1)
@click.option("--to", "to", multiple=True, required=True, metavar="NAME", help="A reviewer; an empty name takes the "
              "assignment away. May be repeated: they get one by turns.")  # fmt: skip
@_filter_option("Which, where no ID is given: a filter of `ontonym review list`.")
@ACCESS.as_("access")
@summarized
def assign(*, state: str, sources: tuple[str, ...], to: tuple[str, ...], chosen: str, access: ReviewAccess
           ) -> Summary:  # fmt: skip
    """Assign source concepts to reviewers, by default all that are undecided, by turns from the most urgent on."""
    with _opened(access, state) as review:
        wanted = sources or review.listed(chosen)
        new = review.assign(wanted, to)
    words = f"{count(len(wanted), 'source concept')} for {', '.join(to)}; {new:,} of them newly so"
    return Summary({"concepts": len(wanted), "new": new}, lines=[words])


@click.command("sheet", epilog=examples(
    "review sheet codes.review -o todo.csv",
    "review sheet codes.review -o mine.csv --filter assigned --reviewer anna --each 5",
    "review sheet codes.review --read todo.csv --reviewer anna",
    "review sheet codes.review -o todo.xlsx",
))  # fmt: skip
@_state_argument
@click.option("-o", "--output", metavar="FILE", help="Write the sheet, by its ending: .csv, .tsv or .xlsx.")
@click.option("--read", "filled", metavar="FILE", help="Take the decisions of a filled sheet.")
@_filter_option("Which source concepts are written: a filter of `ontonym review list`.")
@click.option("--each", type=click.IntRange(1), default=3, show_default=True, help="Candidates of each that are "
              "written.")  # fmt: skip
@click.option("--raw", is_flag=True, help="Write cells as they are, without the apostrophe that keeps a "
              "spreadsheet from running what begins with =, +, - or @.")  # fmt: skip
@_index_option
@_unchecked_option
@ACCESS.as_("access")
@summarized
def sheet(*, state: str, output: str | None, filled: str | None, chosen: str, each: int, raw: bool,
          index: str | None, unchecked: bool, access: ReviewAccess) -> Summary:  # fmt: skip
    """Review in a spreadsheet: write a row for each candidate, fill in the column decision, read it back.

    In the row of the right candidate write exact (or x), close, broad, narrow or related; reject for a wrong one; none
    in any row where nothing fits. Another target: overwrite target_id. Empty rows stay undecided. All of a sheet is
    taken, or where a line is wrong nothing.
    """
    if (output is None) == (filled is None):
        raise InputError("a sheet is either written or read: give -o FILE or --read FILE")
    with _opened(access, state, read_only=filled is None) as review:
        if output is not None:
            concepts, rows = save_sheet(review, output, chosen, each=each, raw=raw)
            words = f"{output}: {count(concepts, 'source concept')} in {count(rows, 'row')}"
            return Summary({"path": output, "concepts": concepts, "rows": rows}, lines=[words])
        with _checking(review, index, unchecked=unchecked):
            before = len(review.journal.events)
            new = read_sheet(review, filled or "")
        return sheet_summary(review, new, before)


@click.command("merge", epilog=examples(
    "review merge anna.review ben.review -o both.review",
    "review list both.review --filter disagreed",
))  # fmt: skip
@click.argument("states", metavar="STATE...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="STATE", help="Write the merger; it may be one of the files that are merged. "
              "Without it, only what they agree and disagree on is shown.")  # fmt: skip
@summarized
def merge(*, states: tuple[str, ...], output: str | None) -> Summary:
    """Merge reviews that were begun from the same files: the union of all that was done.

    Equal decisions fall together. Where reviewers decided differently without knowing of each other, that is a
    disagreement: they are listed, and the exit code is 1. Any later decision on the concept, in the merged review,
    settles it. Cohen's kappa measures how far two reviewers agree (needs ontonym[eval]).
    """
    journals = [read_journal(path) for path in states]
    for journal in journals:
        _note_torn(journal)
    merger = merge_reviews(journals, output)
    found = len(merger.disagreements)
    settle = f"`ontonym review open {output or 'MERGED'}` (filter disagreed), or `ontonym review decide`"
    failure = f"{count(found, 'disagreement')}: settle them with {settle}" if found else ""
    return replace(merger_summary(output, merger), failure=failure)


@click.command("export", epilog=f"{MAPPING_FORMATS}\n\n" + examples(
    "review export hp-doid.review -o decided.sssom.tsv",
    "match hp.terminology doid.index -o map.sssom.tsv --known decided.sssom.tsv",
))  # fmt: skip
@_state_argument
@mappings_output
@click.option("--all", "every", is_flag=True, help="Also what is undecided, as it is proposed, and each side of a "
              "disagreement; the column other has the status. Not for `ontonym match --known`.")  # fmt: skip
@MAPPING_OPTIONS.as_("options")
@ACCESS.as_("access")
@summarized
def export(*, state: str, output: str, every: bool, options: MappingOptions, access: ReviewAccess) -> Summary:
    """Write the decisions of all reviewers: as SSSOM, for `ontonym match --known`, or in another standard.

    SSSOM has all: accepted targets with semapv:ManualMappingCuration, reviewer and date; rejected ones with
    predicate_modifier Not; where nothing fits a row to sssom:NoTermFound, and the candidates that were shown as
    rejected.
    """
    with _opened(access, state, read_only=True) as review:
        return exported_summary(output, export_review(review, output, options, every=every), every=every)
