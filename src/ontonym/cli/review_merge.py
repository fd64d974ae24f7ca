"""``ontonym review merge``: what several reviewers decided, put together."""

from __future__ import annotations

import click

from ontonym.cli.options import json_option
from ontonym.cli.review import decision_told, event_shape, tell_torn
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count
from ontonym.errors import CheckFailed, MissingExtraError
from ontonym.tasks.review import Agreement, Disagreement, agreements, disagreements, merge_journals, read_journal

EXAMPLES = """\b
Examples:
  ontonym review merge anna.review ben.review -o both.review
  ontonym review list both.review --filter disagreed
"""


@click.command("merge", epilog=EXAMPLES)
@click.argument("states", metavar="STATE...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="STATE", help="Write the merger; it may be one of the files that are merged. "
              "Without it, only what they agree and disagree on is told.")  # fmt: skip
@json_option
def command(*, states: tuple[str, ...], output: str | None, as_json: bool) -> None:
    """Merge reviews that were begun from the same files: the union of all that was done.

    Equal decisions fall together. Where reviewers decided otherwise without knowing of each other, that is a
    disagreement: they are listed, and the exit code is 1. Any later decision on the concept, in the merged review,
    settles it. Cohen's kappa tells how far two reviewers agree (needs ontonym[eval]).
    """
    from ontonym.tasks.review.journal import merged

    journals = [read_journal(path) for path in states]
    for journal in journals:
        tell_torn(journal, kept=False)
    events = merged(journals)[1]
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
            "agreement": [_agreement_shape(pair) for pair in pairs],
            "disagreements": [
                {"source": one.source, "decisions": [event_shape(event) for event in one.decisions]} for one in found
            ],
        }))  # fmt: skip
    else:
        _show(output, [len(journal.events) for journal in journals], len(events), pairs, found)
        if missing:
            click.echo(f"note: {missing}", err=True)
    if found:
        raise CheckFailed(f"{count(len(found), 'disagreement')}: settle them with `ontonym review open "
                          f"{output or 'MERGED'}` (filter disagreed), or `ontonym review decide`")  # fmt: skip


def _agreement_shape(pair: Agreement) -> dict[str, object]:
    kappa = None if pair.kappa is None else round(pair.kappa, 4)
    return {"reviewers": list(pair.reviewers), "both": pair.both, "same": pair.same, "kappa": kappa}


def _show(output: str | None, read: list[int], events: int, pairs: list[Agreement], found: list[Disagreement]) -> None:
    out = console()
    files = count(len(read), "file")
    out.print(f"{output or 'together'}: {count(events, 'event')} of {files} ({', '.join(f'{n:,}' for n in read)})",
              soft_wrap=True)  # fmt: skip
    for pair in pairs:
        kappa = "not defined" if pair.kappa is None else f"{pair.kappa:.2f}"
        out.print(f"{pair.reviewers[0]} and {pair.reviewers[1]}: the same on {pair.same:,} of {pair.both:,} that both "
                  f"decided alone ({pair.same / pair.both:.0%}), Cohen's kappa {kappa}", soft_wrap=True)  # fmt: skip
    for one in found:
        out.print(f"\n{one.source}", style="bold", soft_wrap=True)
        for event in one.decisions:
            out.print(f"  {event.who}: {decision_told(event)}  {event.time[:16]}", soft_wrap=True)
