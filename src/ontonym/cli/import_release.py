"""``ontonym import``: release files to a terminology, with counts that add up."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory

import click

from ontonym.cli.options import Opt, OptionGroup, examples, force_option, summarized_as
from ontonym.cli.progress import Bar
from ontonym.ontology.formats import FORMATS, read_release
from ontonym.ontology.like import options_like
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.release import Release
from ontonym.ontology.tables.columns import ROLES, ColumnMapping
from ontonym.serve.releases import import_summary, tried_summary
from ontonym.serve.show import Summary
from ontonym.store import build_terminology
from ontonym.store.successor import check_replacement, replaced

READING = OptionGroup(
    ReadOptions(),
    languages=Opt("Keep only names in this language (BCP 47; en takes en-GB too). May be repeated; by default all.",
                  "--language", "TAG"),
    sources=Opt("Keep only names from this source of the release. May be repeated; by default all.", "--source",
                "NAME"),
    prefix=Opt("Put before ids that have none: LOCAL makes LOCAL:123.", metavar="PREFIX"),
    name=Opt("The terminology's name instead of the release's own.", metavar="NAME"),
    dialects=Opt("SNOMED CT: the dialect whose preferred terms are taken (en-GB, or the id of a language reference "
                 "set). May be repeated, best first.", "--dialect", "TAG"),
    at=Opt("SNOMED CT: read the Full files as they were on this day.", metavar="YYYYMMDD"),
    term_types=Opt("UMLS, RxNorm: keep only names of this term type. May be repeated.", "--term-type", "TTY"),
    tags=Opt("Keep only concepts with this semantic tag or type (a TUI too). May be repeated.", "--tag", "NAME"),
    suppressible=Opt("UMLS, RxNorm: take names marked as suppressible too, as retired."),
    full_titles=Opt("ICD: join titles that are not understood alone with the titles of what is above."),
    linked_to=Opt("Wikidata: keep only items with an id in this vocabulary (MESH, UMLS…), or with all every item; by "
                  "default those of medicine.", metavar="PREFIX"),
    strict=Opt("Stop at the first malformed row or cycle instead of counting it."),
)  # fmt: skip


@click.command("import", epilog=examples(
    "import hp.obo -o hp.terminology",
    "import icd10cm_tabular_2021.xml icd10cm-order-Jan-2021.txt",
    "import SnomedCT_International.zip SnomedCT_Extension.zip --dialect en-GB",
    "import 2024AB/META --source MSH --source SNOMEDCT_US --language en",
    "import codes.csv --column id=code --column preferred=display --prefix LOCAL",
    "import codes-next.csv --like codes.terminology -o codes-next.terminology",
    "import hp.json hp-es.babelon.tsv my-synonyms.csv",
))  # fmt: skip
@click.argument("release", nargs=-1, required=True, metavar="RELEASE…")
@click.option("-o", "--output", metavar="DIR", help="The terminology to write; by default NAME.terminology, with the "
              "name that the release gives itself.")  # fmt: skip
@click.option(
    "--format", "format_", metavar="NAME", help=f"{', '.join(FORMATS)}; by default detected from the content."
)
@READING.as_("options")
@click.option("--column", multiple=True, metavar="ROLE=COLUMN", help="For tables: the column (header or number) of a "
              f"role. Roles: {', '.join(ROLES)}; also separator=, delimiter=, header=yes|no. ROLE@de says a name's "
              "language, ROLE@MESH an id's prefix, FILE:ROLE=COLUMN is for files of that name only. May be repeated; "
              "by default guessed from the header.")  # fmt: skip
@click.option("--like", metavar="TERMINOLOGY", help="Read the release as the one of this terminology was read: format, "
              "columns and all other options, except those given now.")  # fmt: skip
@force_option
@click.option("--dry-run", is_flag=True, help="Read all, say what would be written and replaced, and write nothing.")
@summarized_as("Print the counts as JSON.")
def command(
    *, release: tuple[str, ...], output: str | None, format_: str | None, options: ReadOptions,
    column: tuple[str, ...], like: str | None, force: bool, dry_run: bool,
) -> Summary:  # fmt: skip
    """Read the files of one release into a terminology.

    RELEASE is what the publisher sent: files, folders and archives of one release, or of one and its extensions.
    """
    if column:
        options = replace(options, columns=ColumnMapping.parse(column))
    if like is not None:
        before, options = options_like(like, options)
        format_ = format_ or before
    with Bar(f"reading {Path(release[0]).name}") as bar:
        opened = read_release(release, format=format_, options=options, progress=bar.stage)
        path = Path(output) if output else default_output(opened)
        if like is not None and path.resolve() == Path(like).resolve() and not output:
            raise click.UsageError(
                f"this would replace {like}; say where the new terminology goes, or that it is there: -o"
            )
        if dry_run:
            with TemporaryDirectory(prefix="ontonym-") as folder:
                tried = Path(folder) / "tried.terminology"
                manifest = build_terminology(opened, tried, strict=options.strict)
                return tried_summary(path, manifest, replaced(path, tried))
        accept = None if force else partial(check_replacement, path)
        manifest = build_terminology(opened, path, strict=options.strict, accept=accept)
    following = f"ontonym index {quote(str(path))}"
    if manifest.content["metadata"]["columns"]:
        following += f"\nwith the next release: ontonym import NEW --like {quote(str(path))} -o NEW.terminology"
    return import_summary(path, manifest, many_columns="ontonym info --json shows them").then(following)


def default_output(release: Release) -> Path:
    """``NAME.terminology`` in the working folder, by the name that the release gives itself near its beginning."""
    name = re.sub(r"[^\w.-]+", "-", release.peek().name.lower()).strip("-.") or "my"
    return Path(f"{name}.terminology")
