"""``ontonym import``: release files to a terminology, with counts that add up."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from ontonym.artifact import Manifest, read_manifest
from ontonym.cli.options import Opt, OptionGroup
from ontonym.cli.progress import Bar
from ontonym.ontology.formats import FORMATS, read_release
from ontonym.ontology.release import ReadOptions, Release, as_before
from ontonym.ontology.tables.columns import ROLES, ColumnMapping
from ontonym.serve.shapes import to_json
from ontonym.serve.show import console, count, counted, facts, size
from ontonym.store import build_terminology

SHOWN_COLUMNS = 12
"""Up to how many columns of tables are shown one by one."""

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

EXAMPLES = """\b
Examples:
  ontonym import hp.obo -o hp.terminology
  ontonym import icd10cm_tabular_2021.xml icd10cm-order-Jan-2021.txt
  ontonym import SnomedCT_International.zip SnomedCT_Extension.zip --dialect en-GB
  ontonym import 2024AB/META --source MSH --source SNOMEDCT_US --language en
  ontonym import codes.csv --column id=code --column preferred=display --prefix LOCAL
  ontonym import codes-next.csv --like codes.terminology -o codes-next.terminology
  ontonym import hp.json hp-es.babelon.tsv my-synonyms.csv
"""


@click.command("import", epilog=EXAMPLES)
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
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
def command(
    *, release: tuple[str, ...], output: str | None, format_: str | None, options: ReadOptions,
    column: tuple[str, ...], like: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Read the files of one release into a terminology.

    RELEASE is what the publisher sent: files, folders and archives of one release, or of one and its extensions.
    """
    strict = options.strict
    if column:
        options = replace(options, columns=ColumnMapping.parse(column))
    if like is not None:
        before, earlier = as_before(read_manifest(like, "terminology").content["metadata"])
        format_, options = format_ or before, given_over(options, earlier)
    with Bar(f"reading {Path(release[0]).name}") as bar:
        opened = read_release(release, format=format_, options=options, progress=bar.stage)
        path = Path(output) if output else default_output(opened)
        if like is not None and path.resolve() == Path(like).resolve() and not output:
            raise click.UsageError(
                f"this would replace {like}; say where the new terminology goes, or that it is there: -o"
            )
        manifest = build_terminology(opened, path, strict=strict)
    if as_json:
        click.echo(to_json(import_shape(path, manifest)))
    else:
        show_import(path, manifest)


def given_over(given: ReadOptions, earlier: ReadOptions) -> ReadOptions:
    """The earlier options, with those of now that are given in their place."""
    return replace(earlier, **{f.name: v for f in fields(given) if (v := getattr(given, f.name)) != f.default})


def default_output(release: Release) -> Path:
    """``NAME.terminology`` in the working folder, by the name that the release gives itself near its beginning."""
    name = re.sub(r"[^\w.-]+", "-", release.peek().name.lower()).strip("-.") or "my"
    return Path(f"{name}.terminology")


def import_shape(path: Path, manifest: Manifest) -> dict[str, Any]:
    """What an import made: path, fingerprint, facts about the release, what was read, what is in it."""
    kept = ("metadata", "reader", "statistics", "unknown_parents", "cycles", "merged_concepts")
    return {
        "path": str(path),
        "fingerprint": manifest.fingerprint,
        **{part: manifest.content[part] for part in kept if part in manifest.content},
    }


def show_import(path: Path, manifest: Manifest) -> None:
    """Prints what was read and what became of every row."""
    out = console()
    content = manifest.content
    facts(
        [
            ("terminology", f"{path}  ({size(manifest.bytes)})"),
            ("release", release_line(content["metadata"])),
            ("columns", columns_line(content["metadata"])),
            *reader_rows(content["reader"]),
            *structure_rows(content),
        ],
        out,
    )
    for row in content["reader"]["malformed_examples"]:
        place = row["file"] if row["line"] is None else f"{row['file']}:{row['line']}"
        out.print(f"  {place}: {row['problem']}" + (f": {row['excerpt']}" if row["excerpt"] else ""), style="yellow")
    out.print(f"next: ontonym index {path}", style="dim")
    if content["metadata"]["columns"]:
        out.print(f"next release: ontonym import NEW --like {path} -o NEW.terminology", style="dim")


def release_line(metadata: dict[str, Any]) -> str:
    """Title, version, format and licence of a release in one line."""
    title = " ".join(part for part in (metadata.get("title") or metadata.get("name"), metadata.get("version")) if part)
    extra = [part for part in (metadata.get("format"), metadata.get("licence")) if part]
    return f"{title}  ({', '.join(extra)})" if extra else title


def columns_line(metadata: dict[str, Any]) -> str:
    """Which columns of a table were taken for what; empty for other formats."""
    settings: list[str] = metadata["details"].get("columns", [])
    if len(settings) > SHOWN_COLUMNS:
        files = len({setting.partition("=")[0].rpartition(":")[0] for setting in settings})
        return f"{len(settings)} of {count(files, 'table')} (ontonym info --json shows them)"
    return ", ".join(settings)


def reader_rows(reader: dict[str, Any]) -> list[tuple[str, str]]:
    """What the reader counted, each line an equation that holds."""
    rows, terms = reader["rows"], reader["terms"]
    row_skips, term_skips = rows["skipped"], terms["skipped"]
    kept = sum(terms["kept"].values())
    return [
        (
            "rows",
            f"{rows['read']:,} read = {rows['kept']:,} kept + {sum(row_skips.values()):,} skipped + "
            f"{rows['malformed']:,} malformed",
        ),
        ("  skipped", "; ".join(f"{number:,} {rule}" for rule, number in row_skips.items())),
        ("concepts", f"{reader['concepts']['active']:,} active, {reader['concepts']['retired']:,} retired"),
        (
            "names",
            f"{terms['read']:,} read = {kept:,} kept + {sum(term_skips.values()):,} skipped",
        ),
        ("  kept", counted(terms["kept"].items())),
        ("  skipped", "; ".join(f"{number:,} {rule}" for rule, number in term_skips.items())),
    ]


def structure_rows(content: dict[str, Any]) -> list[tuple[str, str]]:
    """The hierarchy and what was wrong in it."""
    rows = [("is-a", count(content["statistics"]["is_a_edges"], "edge"))]
    for key, what in (
        ("unknown_parents", "parents that are not in the release"),
        ("cycles", "is-a edges left out because they close a cycle"),
        ("merged_concepts", "concepts given twice and merged"),
    ):
        found = content.get(key, {"count": 0, "first": []})
        if found["count"]:
            more = ", …" if found["count"] > len(found["first"]) else ""
            rows.append(("", f"{found['count']:,} {what}: {', '.join(found['first'])}{more}"))
    return rows
