"""``ontonym index``: terminologies and an encoder to an index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote

import click

from ontonym.cli.options import examples, force_option, language_option, summarized, wanted_languages
from ontonym.cli.progress import Bar
from ontonym.cli.spread import Spread, on_option
from ontonym.cli.update import added_facts, calibration_facts
from ontonym.distributed.encoding import encoded_on
from ontonym.errors import InputError, without_password
from ontonym.index import IndexOptions, build_index, check_replaced_index, open_index
from ontonym.index.calibration import FILE
from ontonym.index.memory import bytes_of
from ontonym.index.pagebuild import PageOptions, build_pages
from ontonym.index.shards import MOST as MOST_SHARDS
from ontonym.index.shared.places import is_index, share
from ontonym.serve.indexes import index_summary, pages_summary, shared_summary
from ontonym.serve.show import Summary
from ontonym.store import open_terminologies, refuse_repeats


@click.command("index", epilog=examples(
    "index hp.terminology",
    "index hp.terminology icd10cm.terminology -o both.index",
    "index medic.terminology --encoder medic.encoder -o medic.index",
    "index hp.terminology --to postgresql://db.example.org/terms/hp",
    "index wikidata.terminology enwiki.terminology --pages -o wiki.pages",
))  # fmt: skip
@click.argument("terminology", nargs=-1, required=True, metavar="TERMINOLOGY…")
@click.option("-o", "--output", metavar="DIR", help="The index to write; by default named after the first terminology.")
@click.option("--to", metavar="URL", help="Load the index into a PostgreSQL or Milvus database, "
              "postgresql://HOST/DATABASE/NAME or milvus://HOST/DATABASE/NAME, where many machines share it. Given "
              "again, it goes on where it was stopped. TERMINOLOGY may then be one index.")  # fmt: skip
@click.option("--encoder", default="default", show_default=True, metavar="ENCODER", help="static (comes with ontonym), "
              "contextual (comes with the package ontonym-contextual), multilingual (ontonym-multilingual), the folder "
              "of an encoder, or default: the best for English that is installed.")  # fmt: skip
@language_option
@click.option("--include-retired", is_flag=True, help="Make retired concepts and names searchable too.")
@click.option("--everyday/--no-everyday", default=True, show_default=True, help="Let concepts be found by the everyday "
              "English names that come with ontonym too (“passed out” for syncope).")  # fmt: skip
@click.option("--pages", is_flag=True, help="Make a page index for `ontonym align`: terminologies are encyclopedia "
              "pages, imported from Wikidata or a Wikipedia. A page of a later one that an earlier page names by its "
              "id lends it names and text.")  # fmt: skip
@click.option("--text", type=click.IntRange(0), metavar="N", help="For --pages: the first N letters of a page's text "
              f"are searched too.  [default: {PageOptions().text}]")  # fmt: skip
@click.option("--memory", metavar="SIZE", help="The most memory to take, such as 4G, mapped files not counted. "
              "[default: half of the machine's]")  # fmt: skip
@click.option("--shards", type=click.IntRange(1, MOST_SHARDS), default=1, show_default=True, metavar="N",
              help="Keep the large files in N folders, by the hash of the concept; answers stay the same.")  # fmt: skip
@force_option
@on_option
@summarized
def command(
    *,
    terminology: tuple[str, ...],
    output: str | None,
    to: str | None,
    encoder: str,
    language: tuple[str, ...],
    include_retired: bool,
    everyday: bool,
    pages: bool,
    text: int | None,
    memory: str | None,
    shards: int,
    force: bool,
    spread: Spread,
) -> Summary:
    """Make one or several terminologies searchable by words, by spelling and by meaning.

    A build that was killed goes on where it was when the same command is given again.

    An index that is there is replaced without --force where it is of the same terminologies and encoder; the names that
    were added to it stay.
    """
    if pages:
        if encoder != "default" or include_retired or not everyday or spread.on or memory or shards > 1:
            raise InputError(
                "--pages goes with none of --encoder, --include-retired, --no-everyday, --memory, --shards and --on: "
                "it looks at the words of pages"
            )
        return _index_pages(terminology, output, language, text, force=force)
    if text is not None:
        raise InputError("--text says how much of a page is searched: give --pages too")
    limit = None if memory is None else bytes_of(memory)
    options = IndexOptions(languages=language, retired=include_retired, everyday=everyday, shards=shards)
    if to is not None or is_index(terminology):
        if memory or shards > 1 or spread.on:
            raise InputError(
                "--memory, --shards and --on are for building in a folder, and go with neither --to nor one index"
            )
        with Bar("sharing") as bar:
            shared = share(terminology, to, output, encoder, options, bar.stage)
        place = str(shared.place) if to is None else without_password(to)  # with the options of the URL
        then = f'ontonym search {quote(place)} "heart skipping beats"'
        return shared_summary(shared, bar.seconds).then(then)
    first = Path(terminology[0].rstrip("/"))
    path = Path(output) if output else Path(f"{first.name.removesuffix('.terminology')}.index")
    calibrated = (path / FILE).is_file()
    with Bar("indexing") as bar, open_terminologies(terminology) as opened:
        refuse_repeats(opened)
        if not force:
            check_replaced_index(path, opened, encoder)
        with encoded_on(spread.on, encoder) as wrap:
            build_index(opened, path, encoder=encoder, options=options, progress=bar.stage, wrap=wrap, memory=limit)
    with open_index(path) as made:
        lost = calibration_facts(path, "dropped" if calibrated else "")
        summary = index_summary(made, path, bar.seconds, [*added_facts(path, made.manifest.content), *lost])
    return summary.then(f'ontonym search {quote(str(path))} "heart skipping beats"')


def _index_pages(
    terminologies: Sequence[str], output: str | None, languages: tuple[str, ...], text: int | None, *, force: bool
) -> Summary:
    """Builds a page index, over another one of other terminologies only by ``force``."""
    first = Path(terminologies[0].rstrip("/"))
    path = Path(output) if output else Path(f"{first.name.removesuffix('.terminology')}.pages")
    options = PageOptions(wanted_languages(languages), PageOptions().text if text is None else text)
    with Bar("reading pages") as bar, open_terminologies(terminologies) as opened:
        if not force:
            check_replaced_index(path, opened, None)
        manifest = build_pages(opened, path, options=options, progress=bar.stage)
        summary = pages_summary(path, manifest, opened, bar.seconds)
    return summary.then("ontonym align --help")
