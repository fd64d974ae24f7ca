"""``ontonym update``: an index to a new release, at the price of what changed."""

from __future__ import annotations

import time

import click

from ontonym.cli.options import summarized
from ontonym.cli.progress import Bar
from ontonym.index.update import update_index
from ontonym.serve.indexes import updated_summary
from ontonym.serve.show import Summary

EXAMPLES = """\b
Examples:
  ontonym update hp.index hp-2025.terminology
  ontonym update both.index icd10cm-2026.terminology
  ontonym update medic.index medic.terminology --encoder medic.encoder
"""


@click.command("update", epilog=EXAMPLES)
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
    began = time.monotonic()
    with Bar("updating") as bar:
        updated = update_index(index, terminology, encoder=encoder, progress=bar.stage)
    return updated_summary(index, updated, time.monotonic() - began)
