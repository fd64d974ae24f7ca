"""``ontonym update``: an index to a new release, at the price of what changed."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import orjson

from ontonym.cli.progress import Bar
from ontonym.index.added import added_counts
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
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
        click.echo(orjson.dumps(_shape(index, updated, seconds)).decode())
    else:
        _show(Path(index), updated, seconds)


def added_rows(path: Path, content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What became of the terms that users added, where there are any."""
    terms, searched = added_counts(content)
    if not terms:
        return []
    gone = f"; {terms - searched:,} not searched: `ontonym terms {path} --gone` lists them" if searched < terms else ""
    return [("added", f"{searched:,} terms of users carried over{gone}")]


def calibration_rows(path: Path, became: str) -> list[tuple[str, str]]:
    """What became of the calibration that an index had, its curves, where it had one."""
    if not became:
        return []
    kept = f"carried over; new names were not asked: `ontonym calibrate {path}` learns it anew"
    gone = f"dropped, for it was learned of another index: `ontonym calibrate {path}` learns it anew"
    return [("curves", kept if became == "kept" else gone)]


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
        "calibration": updated.calibration,
        "seconds": round(seconds, 3),
        "content": updated.manifest.content,
    }


def _show(path: Path, updated: Updated, seconds: float) -> None:
    """Prints in plain text: loading what draws tables would take longer than many an update."""
    manifest = updated.manifest
    listed = [f"{part['name']} {part['version']}".strip() for part in manifest.content["identity"]["terminologies"]]
    for label, value in (
        ("index", f"{path}  ({manifest.bytes / 1e6:.1f} MB)"),
        ("of", ", ".join(listed)),
        ("copied", f"{updated.copied:,} names of {updated.names:,}"),
        ("encoded", f"{updated.encoded:,} names"),
        ("dropped", f"{updated.dropped:,} names that no concept has now"),
        ("made", f"in {seconds:.1f} s"),
        *calibration_rows(path, updated.calibration),
        *added_rows(path, manifest.content),
    ):
        click.echo(f"{label:<9}{value}")
