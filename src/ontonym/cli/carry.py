"""``ontonym carry``: mappings to new releases of what they map."""

from __future__ import annotations

import datetime
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import ontonym
from ontonym.cli.options import json_option
from ontonym.cli.progress import Bar
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count, facts, size
from ontonym.errors import InputError
from ontonym.files.output import written_file
from ontonym.store import open_terminology
from ontonym.store.carry import Carried, CarryOptions, Look, carry
from ontonym.store.carrywriting import carried_file, look_rows
from ontonym.store.diff import diff
from ontonym.store.export.mappings import MappingFacts, write_mappings

if TYPE_CHECKING:
    from rich.console import Console

    from ontonym.store.diff import Difference

DEFAULTS = CarryOptions()

EXAMPLES = """\b
Examples:
  ontonym carry map.sssom.tsv --releases hp-23.terminology hp-25.terminology -o new.sssom.tsv --look look.sssom.tsv
  ontonym review start look.sssom.tsv -o look.review
"""


@click.command("carry", epilog=EXAMPLES)
@click.argument("mappings", metavar="MAP.sssom.tsv")
@click.option("--releases", nargs=2, multiple=True, required=True, metavar="OLD NEW", help="The old and the new "
              "release of a side, as terminologies; once for each side. Which side it is, the ids tell. A side without "
              "a new release may be named too, twice the same: its names then count.")  # fmt: skip
@click.option("-o", "--output", required=True, metavar="FILE", help="Write the mappings that stay, byte for byte.")
@click.option("--look", "look", metavar="FILE", help="Write the mappings to look at, with their reasons and proposals, "
              "as candidates for `ontonym review`.")  # fmt: skip
@click.option("--follow", is_flag=True, help="Write those whose concepts have one replacement, or were merged, into "
              "the output too, with the new ids.")  # fmt: skip
@click.option("--moved/--no-moved", default=DEFAULTS.moved, show_default=True, help="Look at mappings whose concept is "
              "at another place of the hierarchy altogether.")  # fmt: skip
@click.option("--better/--no-better", default=DEFAULTS.better, show_default=True, help="Look at mappings where a new "
              "concept has just the other's name, and the one mapped to has not.")  # fmt: skip
@click.option("--show", type=click.IntRange(0), default=3, show_default=True, metavar="N", help="Mappings shown of "
              "each reason.")  # fmt: skip
@json_option
def command(
    *, mappings: str, releases: tuple[tuple[str, str], ...], output: str, look: str | None, follow: bool, moved: bool,
    better: bool, show: int, as_json: bool,
) -> None:  # fmt: skip
    """Carry mappings over to a new release of one side or both.

    Mappings whose concepts did not change stay as they are. Those to look at are told with a reason and a proposal:
    follow the replacement, drop, or look again.
    """
    if len(releases) > 2:
        raise InputError("--releases is given once for each side of the mappings: at most twice")
    for path in (output, look):
        if path is not None and Path(path).exists() and Path(path).samefile(mappings):
            raise InputError(f"{path}: is the mapping file itself, which stays as it is: give another name")
    began = time.monotonic()
    with ExitStack() as stack:
        opened = [(stack.enter_context(open_terminology(old)), stack.enter_context(open_terminology(new)))
                  for old, new in releases]  # fmt: skip
        bar = stack.enter_context(Bar("comparing"))
        differences = [diff(old, new, progress=bar.stage) for old, new in opened]
        carried = carry(mappings, differences, CarryOptions(moved=moved, better=better))
        with written_file(output) as stream:
            stream.writelines(carried_file(carried, differences, follow=follow))
        if look is not None:
            _write_look(look, carried, differences, follow=follow)
        told = _Told(output, look, carried, differences, follow, time.monotonic() - began)
        click.echo(to_json(told.shape())) if as_json else told.show(show)


def _write_look(path: str, carried: Carried, differences: list[Difference], *, follow: bool) -> None:
    rows = list(look_rows(carried, follow=follow))
    about = {
        "mapping_set_id": f"urn:ontonym:carried-{differences[0].new.fingerprint[:12]}",
        "license": carried.file.facts.get("license", "https://w3id.org/sssom/license/unspecified"),
        "mapping_set_title": f"Mappings of {carried.file.path.name} to look at",
        "mapping_tool": "ontonym carry",
        "mapping_tool_version": ontonym.__version__,
        "mapping_date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
    }
    write_mappings(path, rows, MappingFacts(slots=about), format="sssom")


class _Told:
    """What is said of a carrying over."""

    def __init__(
        self, output: str, look: str | None, carried: Carried, differences: list[Difference], follow: bool,
        seconds: float,
    ) -> None:  # fmt: skip
        self.output, self.look, self.carried, self.differences = output, look, carried, differences
        self.follow, self.seconds = follow, seconds

    @property
    def followed(self) -> int:
        """Mappings that were written with new ids, or were there already."""
        return self.carried.proposals.get("follow", 0) if self.follow else 0

    @property
    def cautions(self) -> list[str]:
        """What makes a comparison doubtful; the same release named twice on purpose does not."""
        found = (caution for one in self.differences if one.old.path != one.new.path for caution in one.cautions)
        return list(dict.fromkeys(found))

    def shape(self) -> dict[str, Any]:
        """As JSON."""
        carried = self.carried
        return {
            "path": self.output, "look": self.look, "mappings": len(carried.stay) + len(carried.look),
            "stay": len(carried.stay), "followed": self.followed, "to_look_at": len(carried.look) - self.followed,
            "reasons": carried.counts, "proposals": carried.proposals, "seconds": round(self.seconds, 1),
            "cautions": self.cautions,
            "changed": [_shape(one) for one in carried.look],
        }  # fmt: skip

    def show(self, number: int) -> None:
        """For people."""
        out, carried = console(), self.carried
        total = len(carried.stay) + len(carried.look)
        proposals = ", ".join(f"{times:,} {name}" for name, times in carried.proposals.items())
        facts(
            [
                *((one.new.name, _releases(one)) for one in self.differences),
                ("mappings", f"{total:,} in {self.seconds:.1f} s"),
                ("stay", f"{len(carried.stay):,}: {self.output} ({size(Path(self.output).stat().st_size)})"),
                ("followed", f"{self.followed:,} with their new ids, unless there already" if self.follow else ""),
                ("to look at", f"{len(carried.look) - self.followed:,}"),
                ("proposed", proposals),
            ],
            out,
        )  # fmt: skip
        for caution in self.cautions:
            out.print(f"caution: {caution}", style="yellow", soft_wrap=True)
        for reason, times in carried.counts.items():
            self._show_reason(reason, times, number, out)
        left = len(carried.look) - self.followed
        if left and self.look:
            out.print(f"\nnext: ontonym review start {self.look} -o look.review", style="dim", soft_wrap=True)
        elif left:
            out.print(f"\n{count(left, 'mapping')} in no file: --look FILE writes them", style="yellow", soft_wrap=True)

    def _show_reason(self, reason: str, times: int, number: int, out: Console) -> None:
        out.print(f"\n{reason}: {times:,}", style="bold")
        having = [one for one in self.carried.look if any(finding.reason == reason for finding in one.findings)]
        for one in having[:number]:
            cells = one.row.cells
            words = "; ".join(finding.words for finding in one.findings if finding.reason == reason)
            out.print(f"  line {one.row.line}  {one.row.subject} {cells['predicate_id']} {one.row.ids['object']}"
                      f"  ({one.proposal})\n      {words}", soft_wrap=True)  # fmt: skip
        if times > number:
            out.print(f"  and {times - number:,} more", style="dim")


def _releases(difference: Difference) -> str:
    old, new = difference.old, difference.new
    same = old.fingerprint == new.fingerprint
    return f"{new.version or '?'}, the same" if same else f"{old.version or '?'} → {new.version or '?'}"


def _shape(look: Look) -> dict[str, Any]:
    cells = look.row.cells
    return {
        "line": look.row.line, "subject_id": look.row.subject, "predicate_id": cells["predicate_id"],
        "object_id": look.row.ids["object"], "proposal": look.proposal,
        "reasons": [
            {"end": one.end, "reason": one.reason, "words": one.words,
             "instead": [{"id": link.id, "preferred": link.preferred} for link in one.links]}
            for one in look.findings
        ],
    }  # fmt: skip
