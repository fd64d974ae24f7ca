"""``ontonym benchmark pages``: concepts whose encyclopedia page is known, split like WikiUMLS."""

from __future__ import annotations

import click

from ontonym.benchmark.splits import SplitOptions, build_splits
from ontonym.cli.options import json_option
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count, facts, size
from ontonym.index.pages import open_pages
from ontonym.learning.recipes.split import SPLITS, parse_shares
from ontonym.store import open_terminology
from ontonym.store.mappings import stated_mappings

EXAMPLES = """\b
Examples:
  ontonym benchmark pages mesh.terminology wiki.pages -o mesh-wiki.gold
  ontonym benchmark pages mesh.terminology wiki.pages --mappings mesh_wikipedia.sssom.tsv -o mesh-wiki.gold
  ontonym evaluate alignment mesh.terminology wiki.pages mesh-wiki.gold
"""


@click.command("pages", epilog=EXAMPLES)
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("pages", metavar="PAGES")
@click.option("-o", "--output", required=True, metavar="DIR", help="The folder to write: train, dev and test as SSSOM.")
@click.option("--mappings", multiple=True, metavar="FILE", help="More mappings between concepts and pages, such as a "
              "SSSOM file. May be repeated.")  # fmt: skip
@click.option("--split", default="10/2/5.8", show_default=True, metavar="A/B/C", help="Shares of the concepts "
              "to learn from, choose by and judge by (Rahimi's thousands); linked ones stay together.")  # fmt: skip
@click.option("--seed", default=SplitOptions().seed, show_default=True, help="Draws the splits.")
@json_option
def command(
    *, source: str, pages: str, output: str, mappings: tuple[str, ...], split: str, seed: int, as_json: bool
) -> None:  # fmt: skip
    """Split the concepts whose encyclopedia page is known by an id into train, dev and test.

    A page is known where it has the concept's id (Wikidata's items have those of MeSH, UMLS, DOID and others), or the
    concept the page's. Concepts of several pages are left out.
    """
    options = SplitOptions(parse_shares(split), seed)
    with open_terminology(source) as opened, open_pages(pages) as searched:
        manifest = build_splits(opened, searched, output, options, mappings=stated_mappings(mappings))
    told = manifest.content["statistics"]
    if as_json:
        click.echo(to_json({"path": output, "fingerprint": manifest.fingerprint, **told}))
        return
    out = console()
    facts(
        [
            ("splits", f"{output}  ({size(manifest.bytes)})"),
            ("aligned", ", ".join(f"{count(told[name], 'concept')} in {name}" for name in SPLITS)),
            ("left out", f"{count(told['with several pages'], 'concept')} with several pages"),
        ],
        out,
    )
    out.print(f"next: ontonym evaluate alignment {source} {pages} {output}", style="dim", soft_wrap=True)
