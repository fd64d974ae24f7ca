"""Our RF2 reader against plain loops over the files of generated releases, written from the specification."""

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

from generatedfacts import (
    FIRST_DAY,
    FSN,
    GB,
    GERMAN_LANGUAGE,
    IS_A,
    PREFERRED,
    STATED,
    SYNONYM,
    US,
    WITHOUT_TAG,
    Facts,
    Row,
    ours,
    same,
)

import releases
from ontonym.ontology.rf2.ids import ASSOCIATIONS, CORRELATIONS, MAP_PREFIXES
from ontonym.types import Concept

pytestmark = [pytest.mark.oracle, pytest.mark.slow]


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
