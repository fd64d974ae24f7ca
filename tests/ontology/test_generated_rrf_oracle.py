"""Our RRF reader against plain loops over the files of generated releases, written from the specification."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from generatedfacts import (
    Facts,
    ours,
    same,
)

import releases
from ontonym.ontology.languages import language_codes
from ontonym.ontology.rrf.read import source_prefix
from ontonym.types import Concept

pytestmark = [pytest.mark.oracle, pytest.mark.slow]


HIERARCHY = {"PAR": (0, 4), "CHD": (4, 0), "inverse_isa": (0, 4), "isa": (4, 0)}
"""REL or RELA to the places of child and parent: both say what the second concept is to the first."""
RXNORM_NAMES = ("PSN", "SY", "TMSY", "ET")
"""Types of RxNorm's names that are not the concept's own."""


class Rrf:
    """The rows of every file, and what they say of the concepts; ``keep`` chooses the names."""

    def __init__(
        self, folder: Path, keep: Callable[[list[str]], bool], prefix: str = "UMLS:", sources: Sequence[str] = ()
    ) -> None:
        self.prefix, self.sources = prefix, sources
        self.folder, self.start = folder, "RXN" if prefix == "RXNORM:" else "MR"
        self.ranks = {(row[1], row[2]): int(row[0]) for row in self.rows("RANK")}
        self.atoms: dict[str, list[list[str]]] = defaultdict(list)
        for row in self.rows("CONSO"):
            if keep(row):
                self.atoms[row[0]].append(row)

    def rows(self, table: str) -> list[list[str]]:
        path = self.folder / f"{self.start}{table}.RRF"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        return [line.split("|") for line in text.split("\n")[:-1]]

    def facts(self) -> Facts:
        tags, texts, parents, relations = (defaultdict(set) for _ in range(4))
        for row in self.rows("STY"):
            tags[row[0]].add(row[3])
        for row in self.rows("DEF"):
            if row[6] in ("N", "") and (not self.sources or row[4] in self.sources):
                texts[row[0]].add(row[5])
        for row in self.rows("REL"):
            ends = HIERARCHY.get(row[3]) or HIERARCHY.get(row[7])
            if row[14] not in ("N", "") or row[0] == row[4]:
                continue
            if ends:
                parents[row[ends[0]]].add(f"{self.prefix}{row[ends[1]]}")
            elif self.start == "RXN" and row[7]:
                relations[row[4]].add((row[7], f"{self.prefix}{row[0]}"))
        found = {
            f"{self.prefix}{cui}": {
                "status": "active",
                "preferred": self.preferred(atoms),
                "names": {(language_codes().get(row[1].lower()), row[14]) for row in atoms},
                "xrefs": {
                    row[13] if ":" in row[13] else f"{source_prefix(row[11])}:{row[13]}"
                    for row in atoms
                    if row[13] not in ("", "NOCODE")
                },
                "tags": tags[cui],
                "definitions": texts[cui],
                "parents": parents[cui],
                "relations": relations[cui],
                "replaced_by": set(),
                "consider": set(),
            }
            for cui, atoms in self.atoms.items()
        }
        return found | self.retired(found.keys())

    def preferred(self, atoms: list[list[str]]) -> dict[str, str]:
        """Of each language the name of the highest rank, of these the one UMLS likes best, or the first."""
        found = {}
        for language in {row[1] for row in atoms}:
            spoken = [row for row in atoms if row[1] == language]
            best = min(
                spoken,
                key=lambda row: (row[16] != "N", -self.rank(row), row[2] != "P", row[4] != "PF", row[6] != "Y"),
            )
            found[language_codes()[language.lower()]] = best[14]
        return found

    def rank(self, row: list[str]) -> int:
        if self.start == "RXN":
            return (row[11] == "RXNORM") + (row[11] == "RXNORM" and row[12] not in RXNORM_NAMES)
        return self.ranks.get((row[11], row[12]), -1)

    def retired(self, known: Iterable[str]) -> Facts:
        """The ids that went and are not back: with one heir or several, in RxNorm those of a split only suggested."""
        heirs: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for row in self.rows("CUI"):
            rxnorm = self.start == "RXN"
            heir, how = (row[4], "SY") if rxnorm else (row[5], row[2])
            heirs[row[0]].update({(how, f"{self.prefix}{heir}")} if heir and heir != row[0] else ())
        nothing: dict[str, Any] = {"preferred": {}, "names": set(), "xrefs": set(), "tags": set(), "definitions": set()}
        found = {}
        for cui, gone in heirs.items():
            merged = {heir for how, heir in gone if how == "SY"}
            split = self.start == "RXN" and len(merged) > 1
            found[f"{self.prefix}{cui}"] = {
                **nothing,
                "status": "retired",
                "parents": set(),
                "relations": set(),
                "replaced_by": set() if split else merged,
                "consider": {heir for how, heir in gone if split or how != "SY"},
            }
        return {key: facts for key, facts in found.items() if key not in set(known)}


def rrf_facts(concept: Concept) -> dict[str, Any]:
    return {
        "status": concept.status,
        "preferred": {term.language: term.text for term in concept.terms if term.kind == "preferred"},
        "names": {(term.language, term.text) for term in concept.terms},
        "xrefs": set(concept.xrefs),
        "tags": set(concept.tags),
        "definitions": set(concept.definitions),
        "parents": set(concept.parents),
        "relations": {(relation.predicate, relation.target) for relation in concept.relations},
        "replaced_by": set(concept.replaced_by),
        "consider": set(concept.consider),
    }


@pytest.fixture(scope="module")
def umls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    options = releases.Options(2000, seed=11, release=3, changed=0.08)
    path: Path = releases.write_rrf(tmp_path_factory.mktemp("umls"), options).path
    with (path / "META" / "MRCONSO.RRF").open("a", encoding="utf-8", newline="") as stream:
        stream.write("C9999999|ENG|P|L9|PF|S9|Y|A9||||CHV|PT|NOCODE|a name without a code|0|N||\n")
    return path


def test_umls(umls: Path) -> None:
    expected = Rrf(umls / "META", lambda row: row[16] == "N").facts()
    same(ours([umls], rrf_facts), expected)
    assert {facts["status"] for facts in expected.values()} == {"active", "retired"}
    for told in ("preferred", "xrefs", "tags", "definitions", "parents", "replaced_by", "consider"):
        assert any(facts[told] for facts in expected.values())


def test_umls_with_suppressible_names(umls: Path) -> None:
    same(ours([umls], rrf_facts, suppressible=True), Rrf(umls / "META", lambda row: True).facts())


def test_umls_names_of_some_languages_and_sources(umls: Path) -> None:
    sources = ("MSH", "MSHGER", "SNOMEDCT_US")

    def keep(row: list[str]) -> bool:
        return row[16] == "N" and row[1] in ("GER", "ENG") and row[11] in sources

    found = ours([umls], rrf_facts, languages=("de", "en"), sources=tuple(name.lower() for name in sources))
    same(found, Rrf(umls / "META", keep, sources=sources).facts())


def test_rxnorm(tmp_path: Path) -> None:
    written = releases.write_rxnorm(tmp_path, releases.Options(1500, seed=11, release=3, changed=0.08))
    expected = Rrf(written.path / "rrf", lambda row: row[16] == "N", "RXNORM:").facts()
    same(ours([written.path], rrf_facts), expected)
    assert any(facts["relations"] for facts in expected.values())
    assert any(facts["replaced_by"] for facts in expected.values())
    names = written.path / "rrf" / "RXNCONSO.RRF"
    rows = names.read_text(encoding="utf-8").splitlines(keepends=True)
    rows.sort(key=lambda row: (int(row.partition("|")[0]), "|RXNORM|" in row))
    names.write_text("".join(rows), encoding="utf-8")
    turned = Rrf(written.path / "rrf", lambda row: row[16] == "N", "RXNORM:").facts()
    same(ours([written.path], rrf_facts), turned)
    assert {key: facts["preferred"] for key, facts in turned.items()} == {
        key: facts["preferred"] for key, facts in expected.items()
    }
