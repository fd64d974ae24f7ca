"""``ontonym benchmark gold``: questions for search, out of mappings between two terminologies."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import click

from ontonym.benchmark.gold import ANY, NAMES, QUESTIONS, XREF, GoldOptions, build_gold
from ontonym.cli.options import json_option, language_option, wanted_languages
from ontonym.cli.progress import Bar
from ontonym.cli.shapes import to_json
from ontonym.cli.show import console, count, facts, size
from ontonym.ontology.formats import read_release
from ontonym.store import open_terminology
from ontonym.types import Mapping

EXAMPLES = """\b
Examples:
  ontonym benchmark gold hp.terminology mesh.terminology -o hp-mesh.gold
  ontonym benchmark gold hp.terminology doid.terminology --mappings hp_doid.sssom.tsv -o hp-doid.gold
  ontonym benchmark gold snomed.terminology icd10.terminology --predicate any -o snomed-icd10.gold
  ontonym train hp.terminology --exclude hp-mesh.gold/names.txt -o blind.encoder
"""


@click.command("gold", epilog=EXAMPLES)
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("target", metavar="TARGET.terminology")
@click.option("-o", "--output", required=True, metavar="DIR", help="The folder of questions to write.")
@click.option("--mappings", multiple=True, metavar="FILE|TERMINOLOGY", help="More mappings, such as a SSSOM file. May "
              "be repeated.")  # fmt: skip
@click.option("--predicate", multiple=True, default=GoldOptions().predicates, show_default=True, metavar="NAME",
              help=f"What says that two concepts are the same: a mapping's predicate, {XREF} for cross-references, or "
              f"{ANY}. May be repeated.")  # fmt: skip
@language_option
@click.option("--no-copies", is_flag=True, help="Leave out names that the right concept has too: they show spelling "
              "alone.")  # fmt: skip
@json_option
def command(
    *, source: str, target: str, output: str, mappings: tuple[str, ...], predicate: tuple[str, ...],
    language: tuple[str, ...], no_copies: bool, as_json: bool,
) -> None:  # fmt: skip
    """Make questions for search out of mappings: every name of a mapped concept, and the concepts it stands for.

    Mappings are those that either terminology holds (RF2 maps of SNOMED CT among them), cross-references of either, and
    more from files. The folder goes to `ontonym evaluate search`; its names.txt to `ontonym train --exclude`, so that
    no encoder has seen what it is asked for.
    """
    began = time.monotonic()
    options = GoldOptions(predicate, wanted_languages(language), copies=not no_copies)
    with (
        open_terminology(source) as opened, open_terminology(target) as searched, Bar("making questions") as bar,
    ):  # fmt: skip
        more = (mapping for place in mappings for mapping in _mappings(place))
        manifest = build_gold(
            opened, searched, output, options, mappings=more,
            progress=bar.stage,
        )  # fmt: skip
    told = manifest.content["statistics"]
    if as_json:
        click.echo(to_json({"path": output, "fingerprint": manifest.fingerprint, **told}))
        return
    seconds = time.monotonic() - began
    out = console()
    by = ", ".join(f"{number:,} by {name}" for name, number in told["by"].items())
    left = ", ".join(f"{number:,} {name}" for name, number in told["not_taken"].items())
    facts(
        [
            ("gold", f"{output}  ({size(manifest.bytes)})"),
            ("questions", f"{told['questions']:,} in {QUESTIONS}, names of {count(told['concepts'], 'concept')}, "
             f"made in {seconds:.1f} s"),
            ("mapped", by + (f"; not taken: {left}" if left else "")),
            ("easy", f"{told['copies']:,} are names of the right concept too{', left out' * no_copies}; "
             f"{told['elsewhere']:,} are names of wrong concepts only"),
            ("names", f"{count(told['names'], 'different name')} in {NAMES}"),
        ],
        out,
    )  # fmt: skip
    out.print(f"next: ontonym evaluate search {Path(target).stem}.index {output}", style="dim", soft_wrap=True)


def _mappings(place: str) -> Iterator[Mapping]:
    """The mappings of a terminology, or of a release in any format."""
    if Path(place).is_dir():
        with open_terminology(place) as terminology:
            for row in range(len(terminology)):
                yield from terminology.mappings_of(row)
    else:
        for concept in read_release([place]).concepts():
            yield from concept.mappings
