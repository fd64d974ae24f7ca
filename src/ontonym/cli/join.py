"""``ontonym join``: two or more encoders to one, whose vectors are theirs end to end."""

from __future__ import annotations

import click

from ontonym.cli.options import examples, summarized
from ontonym.learning.encoders.joining import join_trained
from ontonym.serve.show import Summary, size


@click.command("join", epilog=examples(
    "join ./MiniLM default -o both.encoder",
    "join my.encoder my-static.encoder --share 0.7 --share 0.3 -o both.encoder",
))  # fmt: skip
@click.argument("encoder", nargs=-1, required=True, metavar="ENCODER ENCODER…")
@click.option("-o", "--output", required=True, metavar="DIR", help="The encoder to write.")
@click.option("--share", multiple=True, type=float, metavar="NUMBER", help="How much each encoder counts, one for each "
              "in their order. [default: equal parts]")  # fmt: skip
@summarized
def command(*, encoder: tuple[str, ...], output: str, share: tuple[float, ...]) -> Summary:
    """Join encoders, so that what one of them misses another one finds.

    A transformer knows what words mean, a static encoder how they are spelled; together they are more often right than
    either. `ontonym train --base` goes on with the transformer of joined encoders, and leaves the others as they are.
    """
    manifest = join_trained(encoder, output, share)
    shape = {"path": output, "fingerprint": manifest.fingerprint, "content": manifest.content}
    parts = zip(manifest.content["identity"]["shares"], encoder, strict=True)
    facts = [("encoder", f"{output}  ({size(manifest.bytes)})")]
    facts += [("part", f"{name}, {part:.0%} of the similarity") for part, name in parts]
    return Summary(shape, [*facts, ("fingerprint", manifest.fingerprint)])
