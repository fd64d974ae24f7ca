"""``ontonym carry``: mappings to new releases of what they map."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote

import click

from ontonym.cli.options import Opt, OptionGroup, examples, summarized
from ontonym.cli.progress import Bar
from ontonym.serve.carried import carried_summary
from ontonym.serve.show import Summary
from ontonym.store.carry import CarryOptions
from ontonym.store.carrywriting import carry_file
from ontonym.text.counting import count

CARRYING = OptionGroup(
    CarryOptions(),
    moved=Opt("Look at mappings whose concept is at another place of the hierarchy altogether.", "--moved/--no-moved"),
    better=Opt("Look at mappings where a new concept has just the other's name, and the one mapped to has not.",
               "--better/--no-better"),
)  # fmt: skip


@click.command("carry", epilog=examples(
    "carry map.sssom.tsv --releases hp-23.terminology hp-25.terminology -o new.sssom.tsv --look look.sssom.tsv",
    "review start look.sssom.tsv -o look.review",
))  # fmt: skip
@click.argument("mappings", metavar="MAP.sssom.tsv")
@click.option("--releases", nargs=2, multiple=True, required=True, metavar="OLD NEW", help="The old and the new "
              "release of a side, as terminologies; once for each side. Which side it is, the ids show. A side without "
              "a new release may be named too, twice the same: its names then count.")  # fmt: skip
@click.option("-o", "--output", required=True, metavar="FILE", help="Write the mappings that stay, byte for byte.")
@click.option("--look", "look", metavar="FILE", help="Write the mappings to look at, with their reasons and proposals, "
              "as candidates for `ontonym review`.")  # fmt: skip
@click.option("--follow", is_flag=True, help="Write those whose concepts have one replacement, or were merged, into "
              "the output too, with the new ids.")  # fmt: skip
@CARRYING.as_("options")
@click.option("--show", type=click.IntRange(0), default=3, show_default=True, metavar="N", help="Mappings shown of "
              "each reason.")  # fmt: skip
@summarized
def command(
    *, mappings: str, releases: tuple[tuple[str, str], ...], output: str, look: str | None, follow: bool,
    options: CarryOptions, show: int,
) -> Summary:  # fmt: skip
    """Carry mappings over to a new release of one side or both.

    Mappings whose concepts did not change stay as they are. Those to look at are listed with a reason and a proposal:
    follow the replacement, drop, or look again.
    """
    with Bar("comparing") as bar:
        done = carry_file(mappings, releases, output, look=look, follow=follow, options=options, progress=bar.stage)
    summary = carried_summary(output, look, done, bar.seconds, show)
    if not done.to_look_at:
        return summary
    if look is None:
        hint = f"\n{count(done.to_look_at, 'mapping')} in no file: --look FILE writes them"
        return replace(summary, lines=[*summary.lines, (hint, "yellow")])
    return replace(summary, lines=[*summary.lines, ""]).then(f"ontonym review start {quote(look)} -o look.review")
