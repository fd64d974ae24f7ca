"""``ontonym get``: an open terminology from its publisher, or from a mirror, with one command."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from ontonym.cli.options import examples, force_option, summarized
from ontonym.cli.progress import Bar
from ontonym.errors import UnknownNameError
from ontonym.files.download import download
from ontonym.ontology.published import PUBLISHED
from ontonym.serve.show import Summary, size

_MEGABYTE = 1_000_000


@click.command("get", epilog=examples(
    "get",
    "get hpo",
    "get mondo -o releases/",
    "get icd10cm --mirror https://mirror.hospital.example/terminologies",
    "get hpo --dry-run",
))  # fmt: skip
@click.argument("name", required=False, metavar="[NAME]")
@click.option("-o", "--output", metavar="FILE", help="Where to write: a file, or a folder that is there; by default "
              "the publisher's name of the file, here.")  # fmt: skip
@click.option("--mirror", metavar="URL", help="Take it from here instead: the folder of a mirror that has the file "
              "under the same name, or the address of the file itself, such as a newer release.")  # fmt: skip
@click.option("--sha256", "expected", default="", metavar="HEX", help="What its SHA-256 must be; else it is not kept.")
@force_option
@click.option("--dry-run", is_flag=True, help="Say from where, to where and under which licence, and download nothing.")
@summarized
def command(
    *, name: str | None, output: str | None, mirror: str | None, expected: str, force: bool, dry_run: bool
) -> Summary:
    """Download an open terminology from its publisher; without NAME, list those that are known.

    SNOMED CT, UMLS, LOINC and the like need a licence of your own: download them from their publishers, and
    `ontonym import` reads them. HTTPS_PROXY is honoured.
    """
    if name is None:
        return _listed()
    if name not in PUBLISHED:
        raise UnknownNameError("open terminology", name, PUBLISHED)
    found = PUBLISHED[name]
    url = found.at(mirror) if mirror else found.url
    path = Path(output or url.rpartition("/")[2])
    path = path / url.rpartition("/")[2] if path.is_dir() else path
    hint = f"ontonym import {quote(str(path))} -o {name}.terminology"
    shape = {"name": name, "title": found.title, "url": url, "path": str(path), "licence": found.licence}
    facts = [("terminology", found.title), ("licence", found.licence), ("from", url)]
    if dry_run:
        return Summary({**shape, "dry_run": True}, [*facts, ("would write", str(path))])
    otherwise = (
        f". Without a network: download {url} where there is one (see {found.page}), copy it here, and type `{hint}`; "
        "or name a mirror, `mirror=URL`. Behind a proxy set HTTPS_PROXY"
    )
    title = f"downloading {name}, MB"
    with Bar(title) as bar:

        def shown(read: int, total: int | None) -> None:
            bar.stage(title, read // _MEGABYTE, None if total is None else total // _MEGABYTE)

        done = download(url, path, expected=expected, force=force, otherwise=otherwise, progress=shown)
    facts += [("file", f"{path}  ({size(done.bytes)}){'' if done.is_new else ', the same as before'}"),
              ("sha256", done.sha256)]  # fmt: skip
    return Summary({**shape, "bytes": done.bytes, "sha256": done.sha256, "new": done.is_new}, facts, next=hint)


def _listed() -> Summary:
    """The terminologies that are known."""
    shape = {name: {"title": one.title, "url": one.url, "licence": one.licence} for name, one in PUBLISHED.items()}
    width = max(map(len, PUBLISHED))
    lines = [line for name, one in PUBLISHED.items() for line in (
        (f"{name:<{width}}  {one.title}", "bold"), (f"{'':<{width}}  {one.licence}", "dim"),
    )]  # fmt: skip
    return Summary(shape, lines=lines, next="ontonym get hpo --dry-run")
