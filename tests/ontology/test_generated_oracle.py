"""Our RF2 and RRF readers against plain loops over the files of generated releases, written from the specifications."""

from __future__ import annotations

import csv
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import releases
from ontonym.ontology.formats import read_release
from ontonym.ontology.languages import language_codes
from ontonym.ontology.options import ReadOptions
from ontonym.ontology.rf2.ids import ASSOCIATIONS, CORRELATIONS, MAP_PREFIXES
from ontonym.ontology.rrf.read import source_prefix
from ontonym.types import Concept

pytestmark = [pytest.mark.oracle, pytest.mark.slow]

Row = dict[str, str]
Facts = dict[str, dict[str, Any]]
FIRST_DAY = "20250101"
GB, US, GERMAN_LANGUAGE = "900000000000508004", "900000000000509007", "de"
FSN, SYNONYM = "900000000000003001", "900000000000013009"
PREFERRED, STATED, IS_A = "900000000000548007", "900000000000010007", "116680003"
WITHOUT_TAG = re.compile(r"\s*\([^()]+\)\s*$")


def ours(paths: Sequence[Path], facts: Callable[[Concept], dict[str, Any]], **options: object) -> Facts:
    release = read_release(paths, options=ReadOptions(**options))  # type: ignore[arg-type]
    return {concept.id: facts(concept) for concept in release.concepts()}


def same(found: Facts, expected: Facts) -> None:
    """Compares fact by fact, so that a difference says which concept and what."""
    assert found.keys() == expected.keys()
    for concept_id, facts in expected.items():
        assert {"id": concept_id, **found[concept_id]} == {"id": concept_id, **facts}


# RF2


class Rf2:
    """The latest rows of some views of some releases, in the order given."""

    def __init__(self, views: Iterable[tuple[Path, str]], at: str = "99999999") -> None:
        self.tables: dict[str, dict[str, Row]] = defaultdict(dict)
        for folder, view in views:
            for path in sorted((folder / view).rglob("*.txt")):
                with path.open(encoding="utf-8", newline="") as stream:
                    for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
                        self._add(path.name, row, at)

    def _add(self, name: str, row: Row, at: str) -> None:
        kind = re.sub(r"(Snapshot|Full|Delta).*", "", name).strip("_").rpartition("_")[2]
        known = self.tables[kind].get(row["id"])
        if row["effectiveTime"] <= at and (known is None or row["effectiveTime"] >= known["effectiveTime"]):
            self.tables[kind][row["id"]] = row

    def active(self, kind: str) -> list[Row]:
        return [row for row in self.tables[kind].values() if row["active"] == "1"]

    def by(self, kind: str, column: str) -> dict[str, list[Row]]:
        found = defaultdict(list)
        for row in self.active(kind):
            found[row[column]].append(row)
        return found

    def facts(self, dialects: Sequence[str]) -> Facts:
        """What `rf2_facts` tells of our concepts; ``dialects`` are the reference sets, best first."""
        self.prefers: dict[str, set[str]] = defaultdict(set)
        self.accepts: dict[str, set[str]] = defaultdict(set)
        for member in self.active("Language"):
            self.accepts[member["refsetId"]].add(member["referencedComponentId"])
            if member["acceptabilityId"] == PREFERRED:
                self.prefers[member["refsetId"]].add(member["referencedComponentId"])
        self.names: dict[str, list[Row]] = defaultdict(list)
        for row in self.tables["Description"].values():
            self.names[row["conceptId"]].append(row)
        self.dialects = dialects
        inferred = [row for row in self.active("Relationship") if row["characteristicTypeId"] != STATED]
        related = defaultdict(list)
        for row in inferred:
            related[row["sourceId"]].append(row)
        definitions = self.by("TextDefinition", "conceptId")
        linked = self.by("Association", "referencedComponentId")
        maps = self.by("SimpleMap", "referencedComponentId"), self.by("ExtendedMap", "referencedComponentId")
        reasons = self.by("AttributeValue", "referencedComponentId")
        values = self.by("RelationshipConcreteValues", "sourceId")
        members = self.by("Simple", "referencedComponentId")
        return {
            f"SCTID:{key}": {
                "status": "active" if row["active"] == "1" else "retired",
                "names": {self.name_of(name) for name in self.names[key]},
                "preferred": self.preferred(key),
                "tags": self.tags(key),
                "definitions": sorted(text["term"] for text in definitions[key]),
                "parents": {r["destinationId"] for r in related[key] if r["typeId"] == IS_A},
                "relations": {
                    (self.called(r["typeId"]), r["destinationId"]) for r in related[key] if r["typeId"] != IS_A
                }
                | {(ASSOCIATIONS[int(r["refsetId"])], r["targetComponentId"]) for r in linked[key]},
                "replaced_by": self.successors(linked[key], "527005", "526001"),
                "consider": self.successors(linked[key], "523009", "530003"),
                "mappings": {
                    (r["mapTarget"], "skos:relatedMatch", r["refsetId"], "", "", 0, 0) for r in maps[0][key]
                }
                | {
                    (
                        r["mapTarget"], CORRELATIONS.get(int(r["correlationId"]), "skos:relatedMatch"), r["refsetId"],
                        r["mapRule"], r["mapAdvice"], int(r["mapGroup"]), int(r["mapPriority"]),
                    )
                    for r in maps[1][key]
                },
                "properties": {
                    ("moduleId", row["moduleId"]),
                    ("effectiveTime", row["effectiveTime"]),
                    ("sufficientlyDefined", str(row["definitionStatusId"] == "900000000000073002").lower()),
                    *(("inactivation reason", self.called(r["valueId"])) for r in reasons[key]),
                    *((self.called(r["typeId"]), r["value"].removeprefix("#").strip('"')) for r in values[key]),
                    *(("memberOf", r["refsetId"]) for r in members[key]),
                },
            }
            for key, row in self.tables["Concept"].items()
        }  # fmt: skip

    def name_of(self, row: Row) -> tuple[str, bool, str, str]:
        """Text, whether it is an FSN, language and status; a name that only one English dialect has is in it."""
        language = row["languageCode"]
        dialects = [tag for refset, tag in ((US, "en-US"), (GB, "en-GB")) if row["id"] in self.accepts[refset]]
        if language == "en" and len(dialects) == 1:
            language = dialects[0]
        return row["term"], row["typeId"] == FSN, language, "active" if row["active"] == "1" else "retired"

    def preferred(self, key: str) -> dict[str, str]:
        """The preferred term by language: of the first dialect that prefers a synonym in it."""
        found: dict[str, str] = {}
        refsets = [*self.dialects, *sorted(self.prefers.keys() - set(self.dialects))]
        for refset in refsets:
            for row in self.names[key]:
                if row["active"] == "1" and row["typeId"] == SYNONYM and row["id"] in self.prefers[refset]:
                    found.setdefault(row["languageCode"], row["term"])
        return found

    def called(self, key: str) -> str:
        """A concept's preferred English term without its semantic tag."""
        return WITHOUT_TAG.sub("", self.preferred(key)["en"])

    def tags(self, key: str) -> tuple[str, ...]:
        """From the fully specified name in force, or else the last that was."""
        named = [row for row in self.names[key] if row["typeId"] == FSN and row["languageCode"] == "en"]
        best = max(named, key=lambda row: (row["active"], row["effectiveTime"]))
        tag = re.search(r"\(([^()]+)\)$", best["term"])
        return (tag[1],) if tag else ()

    @staticmethod
    def successors(rows: Iterable[Row], *endings: str) -> set[str]:
        return {row["targetComponentId"] for row in rows if row["refsetId"].endswith(endings)}


def rf2_facts(refsets: dict[str, str]) -> Callable[[Concept], dict[str, Any]]:
    """The facts of our concepts; ``refsets`` are the ids of map reference sets by name."""

    def facts(concept: Concept) -> dict[str, Any]:
        return {
            "status": concept.status,
            "names": {(term.text, term.kind == "fsn", term.language, term.status) for term in concept.terms},
            "preferred": {t.language.partition("-")[0]: t.text for t in concept.terms if t.kind == "preferred"},
            "tags": concept.tags,
            "definitions": sorted(concept.definitions),
            "parents": plain(concept.parents),
            "relations": {(r.predicate, r.target.removeprefix("SCTID:")) for r in concept.relations},
            "replaced_by": plain(concept.replaced_by),
            "consider": plain(concept.consider),
            "mappings": {
                (without(m.object_id, refsets[m.source]), m.predicate_id, refsets[m.source], m.rule, m.comment, m.group,
                 m.priority)
                for m in concept.mappings
            },
            "properties": {(p.name, p.value) for p in concept.properties},
        }  # fmt: skip

    return facts


def plain(ids: Iterable[str]) -> set[str]:
    return {concept_id.removeprefix("SCTID:") for concept_id in ids}


def without(target: str, refset: str) -> str:
    return target.removeprefix(f"{MAP_PREFIXES.get(int(refset), '')}:")


@pytest.fixture(scope="module")
def rf2(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Releases 1, 2 and 3 of the International edition in all views, and the extension to release 3."""
    out = tmp_path_factory.mktemp("rf2")
    options = releases.Options(1500, seed=11, changed=0.08)
    views = ("Snapshot", "Full", "Delta")
    found = {str(n): releases.write_rf2(out, options.at(n), views=views).path for n in (1, 2, 3)}
    extension = releases.write_extension(out, options.at(3), concepts=200).path
    (inferred,) = (found["3"] / "Snapshot").rglob("sct2_Relationship_*.txt")
    last = inferred.read_text(encoding="utf-8").splitlines()[-1].split("\t")
    stated = ["9" + last[0], *last[1:5], "138875005", "0", IS_A, STATED, last[9]]
    with inferred.open("a", encoding="utf-8", newline="") as stream:
        stream.write("\t".join(stated) + "\r\n")
    return {**found, "extension": extension}


def check_rf2(paths: Sequence[Path], oracle: Rf2, dialect: str = "en-US", **options: object) -> Facts:
    expected = oracle.facts((GB, US) if dialect == "en-GB" else (US, GB))
    maps = {row["refsetId"] for kind in ("SimpleMap", "ExtendedMap") for row in oracle.active(kind)}
    facts = rf2_facts({oracle.called(refset): refset for refset in maps})
    same(ours(paths, facts, dialects=(dialect,), **options), expected)
    return expected


@pytest.mark.parametrize("dialect", ["en-US", "en-GB"])
def test_a_snapshot(rf2: dict[str, Path], dialect: str) -> None:
    expected = check_rf2([rf2["3"] / "Snapshot"], Rf2([(rf2["3"], "Snapshot")]), dialect)
    assert {facts["status"] for facts in expected.values()} == {"active", "retired"}
    for told in ("tags", "definitions", "parents", "relations", "replaced_by", "consider", "mappings"):
        assert any(facts[told] for facts in expected.values())


def test_the_dialects_prefer_other_terms(rf2: dict[str, Path]) -> None:
    oracle = Rf2([(rf2["3"], "Snapshot")])
    american, british = oracle.facts((US, GB)), oracle.facts((GB, US))
    assert any(american[key]["preferred"] != british[key]["preferred"] for key in american)


def test_a_full_is_the_snapshot_of_its_last_day_and_of_earlier_days(rf2: dict[str, Path]) -> None:
    snapshot = Rf2([(rf2["3"], "Snapshot")]).facts((US, GB))
    assert check_rf2([rf2["3"] / "Full"], Rf2([(rf2["3"], "Full")])) == snapshot
    then = check_rf2([rf2["3"]], Rf2([(rf2["3"], "Full")], at=FIRST_DAY), at=FIRST_DAY)
    assert then == Rf2([(rf2["1"], "Snapshot")]).facts((US, GB)) != snapshot


@pytest.mark.parametrize("view", ["Snapshot", "Full"])
def test_a_delta_onto_its_base_is_the_next_snapshot(rf2: dict[str, Path], view: str) -> None:
    expected = check_rf2(
        [rf2["2"] / view, rf2["3"] / "Delta"], Rf2([(rf2["2"], view), (rf2["3"], "Delta")]), "en-GB"
    )  # fmt: skip
    assert expected == Rf2([(rf2["3"], "Snapshot")]).facts((GB, US))


def test_international_with_an_extension(rf2: dict[str, Path]) -> None:
    oracle = Rf2([(rf2["3"], "Snapshot"), (rf2["extension"], "Snapshot")])
    expected = check_rf2([rf2["3"] / "Snapshot", rf2["extension"]], oracle)
    assert any(GERMAN_LANGUAGE in facts["preferred"] for facts in expected.values())


# RRF

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
