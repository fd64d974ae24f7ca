"""``ontonym align``: the concepts of a terminology aligned with encyclopedia pages."""

from __future__ import annotations

from shlex import quote

import click

from ontonym.cli.aligning import CANDIDATES, STAGE, StageFlags, first_stage
from ontonym.cli.mapping_outputs import state_of
from ontonym.cli.options import command_line, examples, summarized
from ontonym.cli.progress import Bar, resumable
from ontonym.index.pages import open_pages
from ontonym.resuming import unfinished
from ontonym.serve.mappings import alignment_summary
from ontonym.serve.show import Summary
from ontonym.store import open_terminology
from ontonym.tasks.align import AlignOptions, write_alignment


@click.command("align", epilog=examples(
    "import wikidata.json.gz -o wikidata.terminology",
    "index wikidata.terminology --pages -o wiki.pages",
    "align hp.terminology wiki.pages -o hp-wiki.sssom.tsv",
    "align umls.terminology wiki.pages -o umls-wiki.sssom.tsv --language en --language ja --resume",
    "align hp.terminology wiki.pages -o hp-wiki.sssom.tsv --rerank wiki.reranker --known curated.sssom.tsv",
))  # fmt: skip
@click.argument("source", metavar="SOURCE.terminology")
@click.argument("pages", metavar="PAGES")
@click.option("-o", "--output", required=True, metavar="FILE", help="The alignment to write, as SSSOM TSV.")
@click.option("-k", "k", type=click.IntRange(1), default=5, show_default=True, help="Pages written for a concept, the "
              "likeliest first.")  # fmt: skip
@click.option("--threshold", type=click.FloatRange(0, 1), default=0.01, show_default=True, help="The confidence below "
              "which a page is not written.")  # fmt: skip
@click.option("--all", "every", is_flag=True, help="Align concepts too whose page is known already.")
@click.option("--known", multiple=True, metavar="FILE", help="Mappings that are decided (SSSOM): concepts of "
              "those that hold are not asked for, what is denied (predicate_modifier Not) is not proposed. May be "
              "repeated.")  # fmt: skip
@STAGE.as_("flags")
@CANDIDATES.as_("options")
@click.option("--resume", is_flag=True, help="Go on with what an interrupted run has found, if it left something.")
@summarized
def command(
    *, source: str, pages: str, output: str, k: int, threshold: float, every: bool, known: tuple[str, ...],
    flags: StageFlags, options: AlignOptions, resume: bool,
) -> Summary:  # fmt: skip
    """Align the concepts of a terminology with the pages of an encyclopedia.

    PAGES is a page index: pages of Wikidata or a Wikipedia, imported, then made searchable with `ontonym index
    --pages`. All names of a concept together bring candidates, by words and by letters; these are weighed, and read by
    a reranker where one is given. Concepts whose page is known by an id are left out.
    """
    chosen, second = first_stage(options, k), flags.opened()
    with (
        open_terminology(source) as opened,
        open_pages(pages) as searched,
        Bar("aligning") as bar,
        resumable(unfinished(output)),
    ):
        found = write_alignment(
            opened, searched, output, chosen, second, known=known, every=every, threshold=threshold,
            resume=resume, made=command_line(), progress=bar.stage,
        )  # fmt: skip
    return alignment_summary(output, found, bar.seconds).then(
        f"ontonym review start {quote(output)} -o {state_of(output)}"
    )
