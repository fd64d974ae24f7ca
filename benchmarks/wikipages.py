"""The two sides of the alignment benchmark: MeSH, and pages made of WikiUMLS's titles and Wikidata's labels."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from materials import import_files
from ontonym.ontology.options import ReadOptions
from ontonym.text.normalization import normalize
from sources import SOURCES, data_folder


def import_sides(folder: Path) -> None:
    """Imports ``mesh.terminology`` and ``pages.terminology`` into a folder."""
    data = data_folder()
    _, files, options = SOURCES["mesh"]
    import_files(files(data, folder), folder / "mesh.terminology", options)
    with (folder / "pages.jsonl").open("w", encoding="utf-8") as stream:
        for page in _pages(data):
            stream.write(json.dumps(page, ensure_ascii=False) + "\n")
    import_files([folder / "pages.jsonl"], folder / "pages.terminology", ReadOptions(name="wikipages"))


def _pages(data: Path) -> Iterator[dict[str, Any]]:
    """The titles that WikiUMLS links MeSH to, and the diseases and symptoms of Wikidata.

    An item is the page of a title where both have one MeSH id, or else the same name; else it is a page of its own.
    """
    linked: dict[str, str] = json.loads((data / "wikiumls/meshdesc_wiki.json").read_text(encoding="utf-8"))
    pages: dict[str, dict[str, Any]] = {}
    for mesh, title in sorted(linked.items()):
        name = {"text": title.replace("_", " "), "kind": "preferred", "language": "en"}
        page = pages.setdefault(
            f"Wikipedia:{title}", {"id": f"Wikipedia:{title}", "terms": [name], "xrefs": [], "definitions": []}
        )
        page["xrefs"].append(f"MESH:{mesh}")
    named: dict[str, str] = {}
    for number, page in pages.items():
        named.setdefault(normalize(page["terms"][0]["text"]), number)
    for item in _items(data):
        title = linked.get(item["mesh_id"], "")
        number = f"Wikipedia:{title}" if title else named.get(normalize(item["en_label"]), "")
        own = f"Wikidata:{item['qid']}"
        page = pages.setdefault(number or own, {"id": own, "terms": [], "xrefs": [], "definitions": []})
        if number:
            page["xrefs"].append(own)
        for language in ("en", "ja"):
            label = item[f"{language}_label"]
            if label and all(label != one["text"] for one in page["terms"]):
                first = language != "en" or not page["terms"]
                kind = "preferred" if first else "synonym"
                page["terms"].append({"text": label, "kind": kind, "language": language})
        if item["en_description"]:
            page["definitions"].append(item["en_description"])
    yield from (page for page in pages.values() if page["terms"])


def _items(data: Path) -> Iterator[dict[str, str]]:
    seen: set[str] = set()
    for kind in ("disease", "symptom"):
        with (data / f"wikidata/{kind}.csv").open(encoding="utf-8-sig", newline="") as lines:
            for item in csv.DictReader(lines):
                if item["qid"] not in seen:
                    seen.add(item["qid"])
                    yield item
