"""``ontonym carry``: mappings to new releases of what they map."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ontonym.cli.options import Opt, OptionGroup, json_option
from ontonym.cli.progress import Bar
from ontonym.errors import InputError
from ontonym.files.output import written_file
from ontonym.serve.shapes import to_json
from ontonym.serve.show import console, count, facts, size
from ontonym.store import open_terminology
from ontonym.store.carry import Carried, CarryOptions, DoubtfulMapping, carry
from ontonym.store.carrywriting import carried_file, doubtful_rows, doubtful_slots
from ontonym.store.diff import Difference, diff
from ontonym.store.export.mappings import MappingFacts, write_mappings

if TYPE_CHECKING:
    from rich.console import Console

CARRYING = OptionGroup(
    CarryOptions(),
    moved=Opt("Look at mappings whose concept is at another place of the hierarchy altogether.", "--moved/--no-moved"),
    better=Opt("Look at mappings where a new concept has just the other's name, and the one mapped to has not.",
               "--better/--no-better"),
)  # fmt: skip

EXAMPLES = """\b
Examples:
  ontonym carry map.sssom.tsv --releases hp-23.terminology hp-25.terminology -o new.sssom.tsv --look look.sssom.tsv
  ontonym review start look.sssom.tsv -o look.review
"""


@click.command("carry", epilog=EXAMPLES)
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
@json_option
def command(
    *, mappings: str, releases: tuple[tuple[str, str], ...], output: str, look: str | None, follow: bool,
    options: CarryOptions, show: int, as_json: bool,
) -> None:  # fmt: skip
    """Carry mappings over to a new release of one side or both.

    Mappings whose concepts did not change stay as they are. Those to look at are listed with a reason and a proposal:
    follow the replacement, drop, or look again.
    """
    if len(releases) > 2:
        raise InputError("--releases is given once for each side of the mappings: at most twice")
    for path in (output, look):
        if path is not None and Path(path).exists() and Path(path).samefile(mappings):
            raise InputError(f"{path}: is the mapping file itself, which stays as it is: give another name")
    began = time.monotonic()
    with ExitStack() as stack:
        opened = [tuple(stack.enter_context(open_terminology(one)) for one in pair) for pair in releases]
        bar = stack.enter_context(Bar("comparing"))
        differences = [diff(old, new, progress=bar.stage) for old, new in opened]
        carried = carry(mappings, differences, options)
        with written_file(output) as stream:
            stream.writelines(carried_file(carried, differences, follow=follow))
        if look is not None:
            about = MappingFacts(slots=doubtful_slots(carried, differences))
            write_mappings(look, doubtful_rows(carried, follow=follow), about, format="sssom")
        # what was written with new ids, or was there already
        followed = carried.proposals.get("follow", 0) if follow else 0
        seconds = time.monotonic() - began
        if as_json:
            click.echo(to_json(_shape(carried, differences, output, look, followed, seconds)))
        else:
            _show(carried, differences, output, look, followed, seconds, show, follow=follow)


def _cautions(differences: Sequence[Difference]) -> list[str]:
    """What makes a comparison doubtful; the same release named twice on purpose does not."""
    found = (caution for one in differences if one.old.path != one.new.path for caution in one.cautions)
    return list(dict.fromkeys(found))


def _shape(
    carried: Carried, differences: Sequence[Difference], output: str, look: str | None, followed: int, seconds: float
) -> dict[str, Any]:
    return {
        "path": output, "look": look, "mappings": len(carried.stay) + len(carried.doubtful),
        "stay": len(carried.stay), "followed": followed, "to_look_at": len(carried.doubtful) - followed,
        "reasons": carried.counts, "proposals": carried.proposals, "seconds": round(seconds, 1),
        "cautions": _cautions(differences),
        "changed": [_doubtful_shape(one) for one in carried.doubtful],
    }  # fmt: skip


def _doubtful_shape(doubtful: DoubtfulMapping) -> dict[str, Any]:
    row = doubtful.row
    return {
        "line": row.line, "subject_id": row.subject, "predicate_id": row.cells["predicate_id"],
        "object_id": row.ids["object"], "proposal": doubtful.proposal,
        "reasons": [
            {"end": one.end, "reason": one.reason, "words": one.words,
             "instead": [{"id": link.id, "preferred": link.preferred} for link in one.links]}
            for one in doubtful.findings
        ],
    }  # fmt: skip


def _show(
    carried: Carried, differences: Sequence[Difference], output: str, look: str | None, followed: int, seconds: float,
    number: int, *, follow: bool,
) -> None:  # fmt: skip
    out = console()
    total = len(carried.stay) + len(carried.doubtful)
    left = len(carried.doubtful) - followed
    facts(
        [
            *((one.new.name, _releases(one)) for one in differences),
            ("mappings", f"{total:,} in {seconds:.1f} s"),
            ("stay", f"{len(carried.stay):,}: {output} ({size(Path(output).stat().st_size)})"),
            ("followed", f"{followed:,} with their new ids, unless there already" if follow else ""),
            ("to look at", f"{left:,}"),
            ("proposed", ", ".join(f"{times:,} {name}" for name, times in carried.proposals.items())),
        ],
        out,
    )  # fmt: skip
    for caution in _cautions(differences):
        out.print(f"caution: {caution}", style="yellow", soft_wrap=True)
    for reason, times in carried.counts.items():
        _show_reason(carried, reason, times, number, out)
    if left and look:
        out.print(f"\nnext: ontonym review start {look} -o look.review", style="dim", soft_wrap=True)
    elif left:
        out.print(f"\n{count(left, 'mapping')} in no file: --look FILE writes them", style="yellow", soft_wrap=True)


def _show_reason(carried: Carried, reason: str, times: int, number: int, out: Console) -> None:
    out.print(f"\n{reason}: {times:,}", style="bold")
    having = [one for one in carried.doubtful if any(finding.reason == reason for finding in one.findings)]
    for one in having[:number]:
        words = "; ".join(finding.words for finding in one.findings if finding.reason == reason)
        out.print(f"  line {one.row.line}  {one.row.subject} {one.row.cells['predicate_id']} {one.row.ids['object']}"
                  f"  ({one.proposal})\n      {words}", soft_wrap=True)  # fmt: skip
    if times > number:
        out.print(f"  and {times - number:,} more", style="dim")


def _releases(difference: Difference) -> str:
    old, new = difference.old, difference.new
    same = old.fingerprint == new.fingerprint
    return f"{new.version or '?'}, the same" if same else f"{old.version or '?'} → {new.version or '?'}"
