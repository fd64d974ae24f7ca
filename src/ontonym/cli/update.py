"""``ontonym update``: an index to a new release, at the price of what changed."""

from __future__ import annotations

import time
from pathlib import Path

import click

from ontonym.cli.options import json_option
from ontonym.cli.progress import Bar
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count, facts, size
from ontonym.index.update import Updated, update_index

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
@json_option
def command(*, index: str, terminology: tuple[str, ...], encoder: str | None, as_json: bool) -> None:
    """Bring an index up to a new release of its terminology, or of some of them.

    Only names that the index does not know are read and encoded; what comes out is the index that `ontonym index`
    would make, with the same options. A TERMINOLOGY takes the place of the one of the same name. The old index serves
    until the new one is whole.
    """
    began = time.monotonic()
    with Bar("updating") as bar:
        updated = update_index(index, terminology, encoder=encoder, progress=bar.stage)
    seconds = time.monotonic() - began
    if as_json:
        click.echo(to_json(_shape(index, updated, seconds)))
    else:
        _show(Path(index), updated, seconds)


def _shape(index: str, updated: Updated, seconds: float) -> dict[str, object]:
    return {
        "path": index,
        "fingerprint": updated.manifest.fingerprint,
        "names": updated.names,
        "copied": updated.copied,
        "encoded": updated.encoded,
        "dropped": updated.dropped,
        "terms": updated.terms,
        "read": updated.read,
        "seconds": round(seconds, 3),
        "content": updated.manifest.content,
    }


def _show(path: Path, updated: Updated, seconds: float) -> None:
    manifest = updated.manifest
    listed = [f"{part['name']} {part['version']}".strip() for part in manifest.content["identity"]["terminologies"]]
    rows = [
        ("index", f"{path}  ({size(manifest.bytes)})"),
        ("of", ", ".join(listed)),
        ("copied", f"{count(updated.copied, 'name')} of {updated.names:,}"),
        ("encoded", f"{count(updated.encoded, 'name')}"),
        ("dropped", f"{count(updated.dropped, 'name')} that no concept has now"),
        ("made", f"in {seconds:.1f} s"),
    ]
    facts(rows, console())
