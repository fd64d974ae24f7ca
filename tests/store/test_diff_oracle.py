"""The difference of two releases against plain sets: of the rows of generated RF2 files, and of real records."""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from ontonym.ontology.formats import read_release
from ontonym.store import Terminology, build_terminology, open_terminology
from ontonym.store.diff import Difference, diff

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import releases

pytestmark = pytest.mark.oracle

IS_A = "116680003"
PREFERRED, FSN = "900000000000548007", "900000000000003001"
US, GB = "900000000000509007", "900000000000508004"
REPLACING = {"900000000000527005", "900000000000526001"}

Pairs = set[tuple[str, str]]


class Rf2:
    """One Snapshot read row by row: what is active, the names, and the parents of the active concepts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        concepts = self.rows("sct2_Concept_")
        self.active = {row["id"] for row in concepts if row["active"] == "1"}
        self.all = {row["id"] for row in concepts}
        self.names: Pairs = set()
        self.fsn: dict[str, set[str]] = defaultdict(set)
        preferred: dict[str, str] = {}
        languages = [row for row in self.rows("der2_cRefset_Language") if row["active"] == "1"]
        chosen = {row["referencedComponentId"] for row in languages
                  if row["refsetId"] == US and row["acceptabilityId"] == PREFERRED}  # fmt: skip
        for row in self.rows("sct2_Description_"):
            if row["active"] == "0" or row["conceptId"] not in self.all:
                continue
            self.names.add((row["conceptId"], row["term"]))
            if row["typeId"] == FSN:
                self.fsn[row["conceptId"]].add(row["term"])
            elif row["id"] in chosen:
                preferred[row["conceptId"]] = row["term"]
        self.preferred = preferred
        self.parents: Pairs = {
            (row["sourceId"], row["destinationId"])
            for row in self.rows("sct2_Relationship_")
            if row["active"] == "1" and row["typeId"] == IS_A
        }
        self.heirs: dict[str, set[str]] = defaultdict(set)
        for row in self.rows("der2_cRefset_Association"):
            if row["active"] == "1" and row["refsetId"] in REPLACING:
                self.heirs[row["referencedComponentId"]].add(row["targetComponentId"])

    def rows(self, prefix: str) -> list[dict[str, str]]:
        found = []
        for path in sorted((self.folder / "Snapshot").rglob(f"{prefix}*.txt")):
            with path.open(encoding="utf-8", newline="") as stream:
                found += list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
        return found


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Rf2, Rf2, Difference]:
    out = tmp_path_factory.mktemp("rf2")
    folders = [
        releases.write_rf2(out, releases.Options(3000, seed=11, changed=0.06, release=number)).path for number in (1, 2)
    ]
    opened = []
    for folder in folders:
        place = out / f"{folder.name}.terminology"
        build_terminology(read_release([folder]), place)
        opened.append(open_terminology(place))
    return Rf2(folders[0]), Rf2(folders[1]), diff(*opened)


def ids(difference: Difference, kind: str) -> set[str]:
    return {change.id.removeprefix("SCTID:") for change in difference.changes(kind)}


def test_concepts_come_and_go_as_in_the_files(pair) -> None:
    old, new, found = pair
    assert ids(found, "added") == new.active - old.all
    assert ids(found, "retired") == (old.active & new.all) - new.active
    assert ids(found, "removed") == old.active - new.all
    assert ids(found, "reinstated") == (new.active & old.all) - old.active
    assert min(len(ids(found, kind)) for kind in ("added", "retired")) > 10


def test_heirs_are_those_of_the_files(pair) -> None:
    _, new, found = pair
    for change in found.changes("retired"):
        published = new.heirs[change.id.removeprefix("SCTID:")]
        assert {link.id.removeprefix("SCTID:") for link in change.replaced_by if link.status == "active"} == (
            published & new.active
        )


def test_names_change_as_in_the_files(pair) -> None:
    old, new, found = pair
    both = old.active & new.active
    renamed = {concept for concept in both if old.preferred[concept] != new.preferred[concept]}
    assert ids(found, "renamed") == renamed
    lost = {(concept, name) for concept, name in old.names - new.names if concept in both}
    gained = {(concept, name) for concept, name in new.names - old.names if concept in both}
    told_lost, told_gained = set(), set()
    for kind in ("renamed", "fsn changed", "synonym respelled", "synonym gained", "synonym lost"):
        for change in found.changes(kind):
            concept = change.id.removeprefix("SCTID:")
            told_lost |= {(concept, change.old)} if change.old else set()
            told_gained |= {(concept, change.new)} if change.new else set()
    # a preferred term that changes places with a synonym is a renaming, and no name is lost or gained
    assert told_lost - {(concept, old.preferred[concept]) for concept in renamed} <= lost <= told_lost
    assert told_gained - {(concept, new.preferred[concept]) for concept in renamed} <= gained <= told_gained
    swapped = {concept for concept in both if old.fsn[concept] != new.fsn[concept]}
    assert ids(found, "fsn changed") == swapped
    assert min(map(len, (lost, gained, renamed, swapped))) > 50


def test_parents_change_as_in_the_files(pair) -> None:
    old, new, found = pair
    both = old.active & new.active
    lost, gained = set(), set()
    for change in found.changes("moved"):
        concept = change.id.removeprefix("SCTID:")
        lost |= {(concept, link.id.removeprefix("SCTID:")) for link in change.parents_lost}
        gained |= {(concept, link.id.removeprefix("SCTID:")) for link in change.parents_gained}
    assert lost == {edge for edge in old.parents - new.parents if edge[0] in both}
    assert gained == {edge for edge in new.parents - old.parents if edge[0] in both}
    assert len(gained) > 20


@pytest.mark.live
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("doid/HumanDO_2015.obo", "doid/doid_2016-09-19.obo"),
        ("hpo/hp.obo.gz", "hpo/hp_boqa_2017.obo.gz"),
        ("hpo/hp_boqa_2017.obo.gz", "hpo/hp.json.gz"),
    ],
)
def test_real_releases_record_by_record(data, tmp_path, before: str, after: str) -> None:
    opened = []
    for number, name in enumerate((before, after)):
        build_terminology(read_release([data / name]), tmp_path / str(number))
        opened.append(open_terminology(tmp_path / str(number)))
    found = diff(*opened)
    old, new = map(records, opened)
    both = {i for i in old.keys() & new.keys() if old[i].status == new[i].status == "active"}
    texts = [
        {(i, t.text, t.language) for i in both for t in side[i].terms if t.status == "active"} for side in (old, new)
    ]
    firsts = [{i: side[i].terms[0] for i in both} for side in (old, new)]
    renamed = {i for i in both if firsts[0][i].text != firsts[1][i].text}
    told = [
        {(i, side[i].text, side[i].language) for i in renamed} for side in firsts
    ]  # fmt: skip
    names = {kind: {(c.id, c.new or c.old, c.language) for c in found.changes(kind)} for kind in
             ("synonym gained", "synonym lost")}  # fmt: skip
    respelled = list(found.changes("synonym respelled"))
    assert {change.id for change in found.changes("renamed")} == renamed
    assert names["synonym gained"] | {(c.id, c.new, c.language) for c in respelled} == texts[1] - texts[0] - told[1]
    assert names["synonym lost"] | {(c.id, c.old, c.language) for c in respelled} == texts[0] - texts[1] - told[0]
    ended = {i for i, concept in old.items() if concept.status == "active"} - both
    assert {c.id for kind in ("retired", "merged", "removed") for c in found.changes(kind)} == ended
    assert {c.id for c in found.changes("added")} == {
        i for i, concept in new.items() if concept.status == "active" and i not in old
    }
    merged = {i: holder for holder, concept in new.items() for i in concept.alternative_ids if i in ended}
    assert {c.id for c in found.changes("merged")} == merged.keys()
    parents = [{(i, merged.get(p, p)) for i in both for p in side[i].parents} for side in (old, new)]
    lost = {(c.id, merged.get(link.id, link.id)) for c in found.changes("moved") for link in c.parents_lost}
    gained = {(c.id, link.id) for c in found.changes("moved") for link in c.parents_gained}
    assert (lost, gained) == (parents[0] - parents[1], parents[1] - parents[0])
    same = both - renamed - {i for i, _ in lost | gained} - {i for i, _, _ in texts[0] ^ texts[1]}
    assert found.unchanged == len(same)


def records(terminology: Terminology) -> dict:
    concepts = map(terminology.concept, range(len(terminology)))
    return {concept.id: concept for concept in concepts}
