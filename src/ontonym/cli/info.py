"""``ontonym info``: what an artifact is, from which release or artifacts it was made, and whether it is whole."""

from __future__ import annotations

from pathlib import Path

import click

from ontonym.cli.options import examples, summarized_as
from ontonym.errors import ArtifactError, CheckFailed
from ontonym.index.shared.address import address_of
from ontonym.index.shared.places import manifest_at
from ontonym.index.sources import check_whole
from ontonym.serve.artifacts import artifact_summary
from ontonym.serve.show import Summary


@click.command("info", epilog=examples(
    "info hp.terminology",
    "info hp.index --verify",
    "info hp.pairs",
    "info my.encoder --json",
))  # fmt: skip
@click.argument("artifact", metavar="ARTIFACT")
@click.option(
    "--verify",
    "check",
    is_flag=True,
    help="Recompute every checksum, those of what it was made from too; exit 1 where one does not match.",
)
@summarized_as("Print the whole manifest as JSON.")
def command(*, artifact: str, check: bool) -> Summary:
    """Tell what a terminology, pairs, an index, a page index, an encoder or a reranker is and what it was made from."""
    path = Path(artifact)
    manifest = manifest_at(path)
    if check:
        try:
            check_whole(path)
        except ArtifactError as error:
            raise CheckFailed(str(error)) from None
    address = address_of(path)
    return artifact_summary(path if address is None else address.path, manifest, verified=check)
