"""What an artifact is and what it was made from, for a person: labelled rows from its manifest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ontonym.index.added import added_counts
from ontonym.index.amend import TUNED
from ontonym.manifest import Manifest
from ontonym.serve.indexes import BESIDE, beside_fact
from ontonym.serve.releases import reader_rows, release_line, structure_rows, value_rows
from ontonym.serve.show import Summary, counted, counted_nouns, size
from ontonym.text.counting import count

Fact = tuple[str, str]
"""A label and what belongs to it; nothing where the artifact does not have it."""


def artifact_summary(path: Path, manifest: Manifest, *, verified: bool = False) -> Summary:
    """The artifact at ``path``, as JSON its whole manifest; ``verified``: its checksums were recomputed and match."""
    facts = [
        (manifest.kind, f"{path}  ({size(manifest.bytes)} in {count(len(manifest.files), 'file')})"),
        *_CONTENT_ROWS[manifest.kind](manifest.content),
        ("fingerprint", manifest.fingerprint),
        ("made", f"{manifest.created} by ontonym {manifest.ontonym}, format {manifest.format_version}"),
        ("checked", "every checksum matches" if verified else ""),
    ]
    return Summary({"path": str(path), **asdict(manifest), **({"verified": True} if verified else {})}, facts)


def pairs_rows(content: Mapping[str, Any]) -> list[Fact]:
    """What training examples are."""
    shown = {"identity", "recipe", "options", "examples", "texts", "names", "concepts", "terminologies"}
    options = content["options"]
    texts, names, concepts = (count(content[f"{what}s"], what) for what in ("text", "name", "concept"))
    return [
        ("recipe", str(content["recipe"])),
        ("examples", ", ".join(f"{number:,} {split}" for split, number in content["examples"].items())),
        ("texts", f"{texts}, of {names} of {concepts}"),
        ("of", _sources(content["terminologies"])),
        *((name.replace("_", " "), _lines(value)) for name, value in content.items() if name not in shown and value),
        ("options", described({name: value for name, value in options.items() if name != "pool"})),
        ("names", described(options.get("pool", {}))),
    ]


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


def _lines(value: Any) -> str:
    """A value in words; counts of each split, or of each of some things, a line each, but none for zeros."""
    if isinstance(value, dict) and value and all(isinstance(item, dict) for item in value.values()):
        counted = {name: item for name, item in value.items() if any(item.values())}
        return "\n".join(f"{name.replace('_', ' ')}: {described(item)}" for name, item in counted.items())
    return described(value)


def _described_items(values: Mapping[str, Any]) -> Iterable[Fact]:
    return ((name, described(value)) for name, value in values.items())


def _sources(sources: Iterable[Any]) -> str:
    return "\n".join(map(_source, sources))


def _source(source: Any) -> str:
    """Name, version and fingerprint of what an artifact was made from."""
    if not isinstance(source, dict):
        return str(source)
    return f"{source.get('name', '')} {source.get('version', '')}  {source.get('fingerprint', '')}".strip()


# By kind ---------------------------------------------------------------------------------------------------------


def _terminology(content: Mapping[str, Any]) -> list[Fact]:
    metadata, statistics = content.get("metadata", {}), content.get("statistics", {})
    files = "\n".join(f"{file['name']}  sha256 {file['sha256']}" for file in metadata.get("sources", ()))
    parts = ("definitions", "xrefs", "relations", "mappings", "properties", "tags", "alternative_ids", "replaced_by")
    return [
        ("name", str(metadata.get("name", ""))),
        ("release", release_line(metadata)),
        ("files", files),
        *(reader_rows(content["reader"]) if "rows" in content.get("reader", {}) else ()),
        *value_rows(content),
        *(structure_rows(content) if "is_a_edges" in statistics else ()),
        ("languages", counted(statistics.get("terms_by_language", {}).items())),
        ("scopes", counted(statistics.get("terms_by_scope", {}).items())),
        ("also", counted_nouns((part.replace("_", " "), statistics.get(part, 0)) for part in parts)),
    ]


def _index(content: Mapping[str, Any]) -> list[Fact]:
    identity, encoder = content["identity"], content["encoder"]
    terms, searched = added_counts(content)
    return [
        *_searched(content),
        ("encoder", f"{encoder if isinstance(encoder, str) else encoder['absolute']}  {identity['encoder']}"),
        ("languages", ", ".join(identity["options"]["languages"]) or "all"),
        ("retired", "searchable too" if identity["options"]["retired"] else "left out"),
        ("added", f"{count(terms, 'term')}, {searched:,} of them searched" if terms else ""),
        ("tuned", _tuned(content)),
    ]


def _tuned(content: Mapping[str, Any]) -> str:
    """The strategy that was kept in an index, and what it was chosen by; empty where there is none."""
    kept = content.get(TUNED)
    return f"strategy {kept['strategy']}, by {', '.join(kept['data'])} (signal {kept['signal']})" if kept else ""


def _pages(content: Mapping[str, Any]) -> list[Fact]:
    options = content["identity"]["options"]
    return [
        *_searched(content),
        ("languages", ", ".join(options["languages"]) or "all"),
        ("text", f"the first {count(options['text'], 'letter')}" if options["text"] else "none"),
    ]


def _searched(content: Mapping[str, Any]) -> list[Fact]:
    """What an index holds, and of which terminologies."""
    statistics = content["statistics"]
    return [
        ("holds", counted_nouns((key, number) for key, number in statistics.items() if key not in BESIDE)),
        beside_fact(statistics),
        ("of", _sources(content["identity"]["terminologies"])),
        ("at", "\n".join(place["absolute"] for place in content["terminologies"])),
    ]


def _encoder(content: Mapping[str, Any]) -> list[Fact]:
    return [
        ("kind", described(content.get("identity", {}))),
        ("of", _sources(content.get("terminologies", ()))),
        *_described_items({name: one for name, one in content.items() if name not in {"identity", "terminologies"}}),
    ]


def _reranker(content: Mapping[str, Any]) -> list[Fact]:
    return _encoder({name: value for name, value in content.items() if name != "history"})


def _benchmark(content: Mapping[str, Any]) -> list[Fact]:
    if "pages" in content["identity"]:
        return _splits(content)
    return _similarity_sets(content) if "recipe" in content else _gold(content)


def _similarity_sets(content: Mapping[str, Any]) -> list[Fact]:
    recipe = content["recipe"]
    pairs = sum(made["pairs"] for made in recipe["sets"].values())
    return [
        ("of", _sources((recipe["terminology"], *recipe["older"]))),
        ("sets", f"{count(len(recipe['sets']), 'set')} of {count(pairs, 'pair')} together"),
        ("names", f"{content['statistics']['names']:,} different"),
        *_described_items(recipe["options"]),
    ]


def _gold(content: Mapping[str, Any]) -> list[Fact]:
    identity, statistics = content["identity"], content["statistics"]
    return [
        ("names of", _source(identity["source"])),
        ("searched in", _source(identity["target"])),
        ("questions", f"{statistics['questions']:,} of {count(statistics['concepts'], 'concept')}"),
        ("mapped by", ", ".join(f"{name} {number:,}" for name, number in statistics["by"].items())),
        *_described_items(identity["options"]),
    ]


def _splits(content: Mapping[str, Any]) -> list[Fact]:
    identity = content["identity"]
    return [
        ("concepts of", _source(identity["source"])),
        ("page index", str(identity["pages"])),
        ("aligned", described(content["statistics"])),
        *_described_items(identity["options"]),
    ]


_CONTENT_ROWS = MappingProxyType(
    {
        "terminology": _terminology,
        "pairs": pairs_rows,
        "index": _index,
        "encoder": _encoder,
        "reranker": _reranker,
        "benchmark": _benchmark,
        "page index": _pages,
    }
)
"""What the content of each kind's manifest tells."""
