"""``ontonym info``: what an artifact is, from which release or artifacts it was made, and whether it is whole."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ontonym.artifact import read_manifest, verify
from ontonym.cli.import_release import reader_rows, release_line, structure_rows
from ontonym.errors import ArtifactError, CheckFailed
from ontonym.index.added import added_counts
from ontonym.index.tuned import TUNED
from ontonym.serve.shapes import to_json
from ontonym.serve.show import console, count, counted, facts, size

EXAMPLES = """\b
Examples:
  ontonym info hp.terminology
  ontonym info hp.index --verify
  ontonym info hp.pairs
  ontonym info my.encoder --json
"""


@click.command("info", epilog=EXAMPLES)
@click.argument("artifact", metavar="ARTIFACT")
@click.option("--verify", "check", is_flag=True, help="Recompute every checksum; exit 1 where one does not match.")
@click.option("--json", "as_json", is_flag=True, help="Print the whole manifest as JSON.")
def command(*, artifact: str, check: bool, as_json: bool) -> None:
    """Tell what a terminology, pairs, an index, a page index, an encoder or a reranker is and what it was made from."""
    path = Path(artifact)
    manifest = read_manifest(path)
    if check:
        try:
            verify(path)
        except ArtifactError as error:
            raise CheckFailed(str(error)) from None
    if as_json:
        verified = {"verified": True} if check else {}
        click.echo(to_json({"path": str(path), **asdict(manifest), **verified}))
        return
    out = console()
    facts(
        [
            (manifest.kind, f"{path}  ({size(manifest.bytes)} in {count(len(manifest.files), 'file')})"),
            *DETAILS[manifest.kind](manifest.content),
            ("fingerprint", manifest.fingerprint),
            ("made", f"{manifest.created} by ontonym {manifest.ontonym}, format {manifest.format_version}"),
            ("checked", "every checksum matches" if check else ""),
        ],
        out,
    )


def _terminology(content: dict[str, Any]) -> list[tuple[str, str]]:
    metadata, statistics = content.get("metadata", {}), content.get("statistics", {})
    sources = "\n".join(f"{file['name']}  sha256 {file['sha256']}" for file in metadata.get("sources", ()))
    return [
        ("name", str(metadata.get("name", ""))),
        ("release", release_line(metadata)),
        ("files", sources),
        *(reader_rows(content["reader"]) if "rows" in content.get("reader", {}) else ()),
        *(structure_rows(content) if "is_a_edges" in statistics else ()),
        ("languages", counted(statistics.get("terms_by_language", {}).items())),
        ("scopes", counted(statistics.get("terms_by_scope", {}).items())),
        ("also", _others(statistics)),
    ]


def _others(statistics: dict[str, Any]) -> str:
    names = ("definitions", "xrefs", "relations", "mappings", "properties", "tags", "alternative_ids", "replaced_by")
    return counted((name.replace("_", " "), statistics.get(name, 0)) for name in names)


def _index(content: dict[str, Any]) -> list[tuple[str, str]]:
    identity, statistics = content["identity"], content["statistics"]
    encoder = content["encoder"]
    options = identity["options"]
    terms, searched = added_counts(content)
    return [
        ("holds", counted(statistics.items())),
        ("of", "\n".join(_told_source(source) for source in identity["terminologies"])),
        ("at", "\n".join(place["absolute"] for place in content["terminologies"])),
        ("encoder", f"{encoder if isinstance(encoder, str) else encoder['absolute']}  {identity['encoder']}"),
        ("languages", ", ".join(options["languages"]) or "all"),
        ("retired", "searchable too" if options["retired"] else "left out"),
        ("added", f"{count(terms, 'term')}, {searched:,} of them searched" if terms else ""),
        ("tuned", tuned_line(content)),
    ]


def tuned_line(content: dict[str, Any]) -> str:
    """The strategy that was kept in an index, and what it was chosen by; empty where there is none."""
    kept = content.get(TUNED)
    return f"strategy {kept['strategy']}, by {', '.join(kept['data'])} (signal {kept['signal']})" if kept else ""


def _encoder(content: dict[str, Any]) -> list[tuple[str, str]]:
    identity = content.get("identity", {})
    told_apart = {"identity", "terminologies"}
    return [
        ("kind", described(identity)),
        ("of", "\n".join(_told_source(source) for source in content.get("terminologies", ()))),
        *((name, described(value)) for name, value in content.items() if name not in told_apart),
    ]


def _reranker(content: dict[str, Any]) -> list[tuple[str, str]]:
    return _encoder({name: value for name, value in content.items() if name != "history"})


def pairs_rows(content: dict[str, Any]) -> list[tuple[str, str]]:
    """The facts about training examples."""
    shown = {"identity", "recipe", "options", "examples", "texts", "names", "concepts", "terminologies"}
    options = content["options"]
    pool = options.get("pool", {})
    return [
        ("recipe", str(content["recipe"])),
        ("examples", ", ".join(f"{number:,} {split}" for split, number in content["examples"].items())),
        ("texts", f"{count(content['texts'], 'text')}, of {count(content['names'], 'name')} of "
                  f"{count(content['concepts'], 'concept')}"),
        ("of", "\n".join(_told_source(source) for source in content["terminologies"])),
        *((name.replace("_", " "), _lines(value)) for name, value in content.items() if name not in shown and value),
        ("options", described({name: value for name, value in options.items() if name != "pool"})),
        ("names", described(pool)),
    ]  # fmt: skip


def _lines(value: Any) -> str:
    """A value in words; counts of each split, or of each of some things, a line each."""
    if isinstance(value, dict) and value and all(isinstance(item, dict) for item in value.values()):
        return "\n".join(f"{name.replace('_', ' ')}: {described(item)}" for name, item in value.items())
    return described(value)


def _told_source(source: Any) -> str:
    if not isinstance(source, dict):
        return str(source)
    return f"{source.get('name', '')} {source.get('version', '')}  {source.get('fingerprint', '')}".strip()


def described(value: Any) -> str:
    """A value of a manifest as a person reads it: dictionaries as ``name value``, lists one item a line."""
    if isinstance(value, dict):
        return ", ".join(f"{name.replace('_', ' ')} {described(item)}" for name, item in value.items())
    if isinstance(value, list):
        if any(isinstance(item, dict) for item in value):
            return "\n".join(described(item) for item in value)
        return ", ".join(map(described, value)) or "none"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)


def _benchmark(content: dict[str, Any]) -> list[tuple[str, str]]:
    if "pages" in content["identity"]:
        return _splits(content)
    if "recipe" not in content:
        return _gold(content)
    recipe, statistics = content["recipe"], content["statistics"]
    pairs = sum(made["pairs"] for made in recipe["sets"].values())
    return [
        ("of", "\n".join(_told_source(source) for source in (recipe["terminology"], *recipe["older"]))),
        ("sets", f"{count(len(recipe['sets']), 'set')} of {count(pairs, 'pair')} together"),
        ("names", f"{statistics['names']:,} different"),
        *((name, described(value)) for name, value in recipe["options"].items()),
    ]


def _gold(content: dict[str, Any]) -> list[tuple[str, str]]:
    identity, statistics = content["identity"], content["statistics"]
    return [
        ("names of", _told_source(identity["source"])),
        ("searched in", _told_source(identity["target"])),
        ("questions", f"{statistics['questions']:,} of {count(statistics['concepts'], 'concept')}"),
        ("mapped by", ", ".join(f"{name} {number:,}" for name, number in statistics["by"].items())),
        *((name, described(value)) for name, value in identity["options"].items()),
    ]


def _splits(content: dict[str, Any]) -> list[tuple[str, str]]:
    identity = content["identity"]
    return [
        ("concepts of", _told_source(identity["source"])),
        ("page index", str(identity["pages"])),
        ("aligned", described(content["statistics"])),
        *((name, described(value)) for name, value in identity["options"].items()),
    ]


def _pages(content: dict[str, Any]) -> list[tuple[str, str]]:
    options = content["identity"]["options"]
    return [
        ("holds", counted(content["statistics"].items())),
        ("of", "\n".join(_told_source(source) for source in content["identity"]["terminologies"])),
        ("at", "\n".join(place["absolute"] for place in content["terminologies"])),
        ("languages", ", ".join(options["languages"]) or "all"),
        ("text", f"the first {count(options['text'], 'letter')}" if options["text"] else "none"),
    ]


DETAILS = {
    "terminology": _terminology, "pairs": pairs_rows, "index": _index, "encoder": _encoder, "reranker": _reranker,
    "benchmark": _benchmark, "page index": _pages,
}  # fmt: skip
"""The facts about each kind of artifact, from the content of its manifest."""
