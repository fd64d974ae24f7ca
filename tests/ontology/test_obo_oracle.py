"""Our OBO reader against fastobo, an independent parser of the whole grammar."""

from __future__ import annotations

import contextlib
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ontonym.ontology.formats import read_release
from ontonym.ontology.xrefs import curie

pytestmark = [pytest.mark.oracle, pytest.mark.live]
fastobo = pytest.importorskip("fastobo")

Facts = dict[str, Any]


def term_frames(path: Path) -> Iterator[Any]:
    """The Term stanzas that fastobo accepts, each parsed alone: it refuses a whole file for one loose reference."""
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    for stanza in re.split(r"\n(?=\[)", text.partition("\n[")[2]):
        if not stanza.startswith(("Term]", "[Term]")):
            continue
        with contextlib.suppress(SyntaxError):
            yield from fastobo.loads("format-version: 1.2\n\n[" + stanza.removeprefix("[") + "\n")


def oracle(path: Path) -> dict[str, Facts]:
    found: dict[str, Facts] = {}
    for frame in term_frames(path):
        facts: Facts = {"name": "", "synonyms": [], "parents": [], "alt": [], "xrefs": [], "def": [], "obsolete": False}
        for clause in frame:
            match type(clause).__name__:
                case "NameClause":
                    facts["name"] = clause.name.strip()
                case "SynonymClause":
                    s = clause.synonym
                    facts["synonyms"].append((s.desc.strip(), s.scope.lower(), str(s.type) if s.type else ""))
                case "IsAClause":
                    facts["parents"].append(curie(str(clause.term)))
                case "AltIdClause":
                    facts["alt"].append(str(clause.alt_id))
                case "XrefClause":
                    facts["xrefs"].append(curie(str(clause.xref.id).replace("\\n", "").replace("\\", "")))
                case "DefClause":
                    facts["def"].append(str(clause.definition).strip())
                case "IsObsoleteClause":
                    facts["obsolete"] = clause.obsolete
        found[curie(str(frame.id))] = {
            key: sorted(dict.fromkeys(value)) if isinstance(value, list) else value for key, value in facts.items()
        }
    return found


@pytest.mark.parametrize(
    ("name", "refused"),
    [
        ("hpo/hp.obo.gz", 14),
        ("hpo/hp_boqa_2017.obo.gz", 14),
        ("doid/doid_2016-09-19.obo", 7),
        ("doid/orphanet_import.obo", 0),
    ],
)
def test_every_term_reads_as_fastobo_reads_it(data: Path, name: str, refused: int) -> None:
    expected = oracle(data / name)
    found = {
        c.id: {
            "name": c.preferred,
            "synonyms": sorted((t.text, t.scope, t.source) for t in c.terms[1:]),
            "parents": sorted(c.parents),
            "alt": sorted(i for i in c.alternative_ids if curie(i) != c.id),
            "xrefs": sorted(c.xrefs),
            "def": sorted(c.definitions),
            "obsolete": c.status == "retired",
        }
        for c in read_release([data / name]).concepts()
    }
    assert (expected.keys() - found.keys(), len(found.keys() - expected.keys())) == (set(), refused)
    assert {i: (found[i], expected[i]) for i in expected if found[i] != expected[i]} == {}
