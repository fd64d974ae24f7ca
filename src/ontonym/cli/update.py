"""``ontonym update``: an index to a new release, at the price of what changed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import Any

import click

from ontonym.cli.options import examples, summarized
from ontonym.cli.progress import Bar
from ontonym.errors import without_password
from ontonym.index.added import added_counts
from ontonym.index.update import update_index
from ontonym.serve.indexes import updated_summary
from ontonym.serve.show import Summary
from ontonym.text.counting import count


@click.command("update", epilog=examples(
    "update hp.index hp-2025.terminology",
    "update both.index icd10cm-2026.terminology",
    "update medic.index medic.terminology --encoder medic.encoder",
))  # fmt: skip
@click.argument("index", metavar="INDEX")
@click.argument("terminology", nargs=-1, required=True, metavar="TERMINOLOGY…")
@click.option("--encoder", metavar="ENCODER", help="Where the index's encoder is now; another one encodes every name "
              "anew.")  # fmt: skip
@summarized
def command(*, index: str, terminology: tuple[str, ...], encoder: str | None) -> Summary:
    """Bring an index up to a new release of its terminology, or of some of them.

    Only names that the index does not know are read and encoded; what comes out is the index that `ontonym index`
    would make, with the same options. A TERMINOLOGY takes the place of the one of the same name. The old index serves
    until the new one is whole.
    """
    with Bar("updating") as bar:
        updated = update_index(index, terminology, encoder=encoder, progress=bar.stage)
    shown = without_password(index)
    more = [*calibration_facts(shown, updated.calibration), *added_facts(shown, updated.manifest.content)]
    return updated_summary(shown, updated, bar.seconds, more)


def added_facts(path: Path | str, content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What became of the terms that users added, where there are any."""
    terms, searched = added_counts(content)
    if not terms:
        return []
    gone = (
        f"; {terms - searched:,} not searched: `ontonym terms {quote(str(path))} --gone` lists them"
        if searched < terms
        else ""
    )
    return [("added", f"{count(searched, 'term')} of users carried over{gone}")]


def calibration_facts(path: Path | str, became: str) -> list[tuple[str, str]]:
    """What became of the calibration that an index had, its curves, where it had one."""
    if not became:
        return []
    kept = f"carried over; new names were not asked: `ontonym calibrate {quote(str(path))}` learns it anew"
    gone = f"dropped, for it was learned of another index: `ontonym calibrate {quote(str(path))}` learns it anew"
    return [("curves", kept if became == "kept" else gone)]
