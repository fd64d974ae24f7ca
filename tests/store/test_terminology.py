from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ontonym.store.lookup as lookup_room
from listed import stored
from ontonym.artifact import verify
from ontonym.errors import ArtifactError, InputError, UnknownIdError, UnknownNameError
from ontonym.store import Terminology, build_terminology, open_terminology
from ontonym.store.lookup import near_ids
from ontonym.text.strings import Strings
from ontonym.types import Concept, Relation, Term

Store = Callable[..., Terminology]

ROOT = Concept("HP:0000001", (Term("All", "preferred"),))
SEIZURE = Concept(
    "HP:0001250",
    (
        Term("Seizure", "preferred"),
        Term("Epileptic seizure", "synonym", "related", source="UMLS"),
        Term("Crise d’épilepsie", "synonym", language="fr", status="retired"),
        Term("Fits", "lay", source="layperson"),
    ),
    parents=("HP:0000001",),
    relations=(Relation("part_of", "UBERON:0000955"), Relation("causes", "HP:0000001")),
    definitions=("An intermittent abnormality.", "Zweite Definition, mit ß."),
    tags=("phenotype", "neuro"),
    alternative_ids=("HP:0002279", "HP:0002391"),
    xrefs=("MSH:D012640",),
)
RETIRED = Concept(
    "HP:0000057",
    (Term("obsolete Clitoromegaly", "preferred"),),
    tags=("phenotype",),
    status="retired",
    replaced_by=("HP:0008665",),
    consider=("HP:0000001",),
)


def test_gives_back_every_field_of_a_concept(store: Store) -> None:
    terminology = store(ROOT, SEIZURE, RETIRED)
    assert [terminology.concept(row) for row in range(len(terminology))] == [ROOT, SEIZURE, RETIRED]


@pytest.mark.skipif(not Path("/proc/self/maps").is_file(), reason="only Linux says which files are mapped")
def test_no_file_is_replaced_or_moved_while_it_is_mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[str] = []

    def watched(move: Callable[[Path, Path], Path]) -> Callable[[Path, Path], Path]:
        def moving(path: Path, target: Path) -> Path:
            mapped = Path("/proc/self/maps").read_text()
            assert not [one for one in (path, target) if str(one.resolve()) in mapped], "Windows would refuse it"
            moved.append(target.name)
            return move(path, target)

        return moving

    monkeypatch.setattr("ontonym.replacing._exchange", lambda *_: False)
    monkeypatch.setattr(Path, "replace", watched(Path.replace))
    monkeypatch.setattr(Path, "rename", watched(Path.rename))
    for _ in ("new", "over the old one"):
        stored(tmp_path / "a.terminology", [ROOT, SEIZURE, RETIRED, SEIZURE])
    assert {"concept_id.utf8", "term_kind.npy", "a.terminology"} <= {*moved}


def test_rows_of_ids(store: Store) -> None:
    terminology = store(ROOT, SEIZURE, RETIRED)
    assert [terminology.row(i) for i in ("HP:0000001", "HP:0001250", "HP:0002391", "HP:0000057")] == [0, 1, 1, 2]
    assert terminology.find("HP:9") is None
    assert terminology.id(1) == "HP:0001250"
    assert terminology.preferred(1) == "Seizure"


@pytest.mark.parametrize(
    "wrong", ["HP_0001250", "hp:0001250", "0001250", "HP:1250", "HP:0001251", "HP:001250", " HP:0001250"]
)
def test_unknown_id_names_the_nearest(store: Store, wrong: str) -> None:
    with pytest.raises(UnknownIdError, match=r"Did you mean HP:0001250"):
        store(ROOT, SEIZURE).row(wrong)


def test_few_ids_are_near_one_that_is_longer_than_any_code() -> None:
    prefixes = ["HP", "MONDO", "SCTID"]
    assert len(list(near_ids("x" * 2_000, prefixes))) < 20
    assert "HP:0001250" in list(near_ids("HP:000125", prefixes))
    assert f"HP:{'1' * 59}" in list(near_ids(f"HP:{'1' * 60}", prefixes))


def test_own_id_goes_before_an_alternative_id(store: Store) -> None:
    claims = Concept("A:1", (Term("a"),), alternative_ids=("A:2", "A:3"))
    own = Concept("A:2", (Term("b"),))
    later = Concept("A:4", (Term("c"),), alternative_ids=("A:3",))
    terminology = store(claims, own, later)
    assert terminology.row("A:2") == 1
    assert terminology.row("A:3") == 0
    assert terminology.manifest.content["shadowed_alternative_ids"] == {"count": 1, "first": ["A:2"]}
    assert terminology.concept(0) == claims


def test_current_follows_retired_ids_to_the_active_concept(store: Store) -> None:
    def retired(name: str, *replaced_by: str) -> Concept:
        return Concept(name, (Term(name),), status="retired", replaced_by=replaced_by)

    terminology = store(
        Concept("A:0", (Term("live"),), alternative_ids=("A:1", "A:9")),
        retired("A:1", "A:5"),
        retired("A:2", "A:3"),
        retired("A:3", "A:9"),
        retired("A:4", "A:0", "A:5"),
        Concept("A:5", (Term("other"),)),
        retired("A:6", "A:7"),
        retired("A:7", "A:6"),
    )
    found = [terminology.current(f"A:{i}") for i in (0, 9, 1, 2, 3, 4, 5, 6, 8)]
    assert found == [0, 0, 0, 0, 0, None, 5, None, None]
    assert terminology.row("A:1") == 1


def test_columns_of_terms(store: Store) -> None:
    terminology = store(ROOT, SEIZURE)
    kinds, scopes, sources = terminology.term_kinds(), terminology.term_scopes(), terminology.term_sources()
    assert list(terminology.term_texts()) == ["All", "Seizure", "Epileptic seizure", "Crise d’épilepsie", "Fits"]
    assert terminology.term_concepts().tolist() == [0, 1, 1, 1, 1]
    assert terminology.term_concepts().dtype == np.uint32
    assert [kinds.names[code] for code in kinds.codes] == ["preferred", "preferred", "synonym", "synonym", "lay"]
    assert [scopes.names[code] for code in scopes.codes] == ["exact", "exact", "related", "exact", "exact"]
    assert [sources.names[code] for code in sources.codes] == ["", "", "UMLS", "", "layperson"]
    assert terminology.terms_of(1) == range(1, 5)
    assert terminology.term_count == 5


def test_texts_are_indexed_sliced_and_taken(store: Store) -> None:
    texts = store(ROOT, SEIZURE).term_texts()
    assert texts[3] == texts[-2] == "Crise d’épilepsie"
    assert texts[2:4] == ["Epileptic seizure", "Crise d’épilepsie"]
    assert texts[::-2] == ["Fits", "Epileptic seizure", "All"]
    assert texts[5:] == []
    assert texts.take(np.array([4, 0])) == ["Fits", "All"]
    with pytest.raises(IndexError, match="row 5 of 5"):
        texts[5]


def test_names_are_found_folded(store: Store) -> None:
    other = Concept("X:1", (Term("fits", "preferred"),))
    terminology = store(ROOT, SEIZURE, other)
    assert terminology.rows_named("FITS").tolist() == [4, 5]
    assert terminology.rows_named("nothing of the kind").tolist() == []


def test_colliding_hashes_are_told_apart_by_text(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup_room, "hash64", lambda text: len(text) % 2)
    monkeypatch.setattr(Strings, "hashes", lambda texts: texts.lengths.astype(np.uint64) % 2)
    chain = [Concept(f"A:{i}", (Term(f"name {i}"),), parents=(f"A:{i - 1}",) if i else ()) for i in range(30)]
    terminology = store(*chain)
    assert [terminology.row(f"A:{i}") for i in range(30)] == list(range(30))
    assert terminology.rows_named("name 17").tolist() == [17]
    assert terminology.hierarchy.ancestors(29).tolist() == list(range(29))
    assert terminology.manifest.content["unknown_parents"] == {"count": 0, "first": []}


def test_active_and_tags_are_bitmaps(store: Store) -> None:
    terminology = store(ROOT, SEIZURE, RETIRED)
    assert terminology.active.tolist() == [True, True, False]
    assert terminology.tags == ("phenotype", "neuro")
    assert terminology.tagged("phenotype").tolist() == [False, True, True]
    assert terminology.tagged("neuro").tolist() == [False, True, False]
    with pytest.raises(UnknownNameError, match="Did you mean 'neuro'"):
        terminology.tagged("neuron")


def test_equal_terms_of_a_concept_are_merged(store: Store) -> None:
    twice = Concept(
        "A:1", (Term("x", "preferred"), Term("y", source="first"), Term("y", source="second"), Term("y", language="de"))
    )
    terminology = store(twice)
    assert terminology.concept(0).terms == (twice.terms[0], twice.terms[1], twice.terms[3])
    assert terminology.manifest.content["merged_terms"] == 1


def test_a_concept_given_twice_is_merged_into_its_first_row(store: Store) -> None:
    more = Concept(
        "HP:0001250",
        (Term("Seizure", "preferred"), Term("Krampfanfall", "preferred", language="de")),
        parents=("HP:0000057", "HP:0000001"),
        tags=("neuro", "new"),
        xrefs=("UMLS:C0036572",),
        status="retired",
    )
    terminology = store(ROOT, SEIZURE, RETIRED, more)
    merged = terminology.concept(1)
    assert [terminology.id(row) for row in range(len(terminology))] == ["HP:0000001", "HP:0001250", "HP:0000057"]
    assert merged.terms == (*SEIZURE.terms, more.terms[1])
    assert merged.parents == ("HP:0000001", "HP:0000057")
    assert merged.tags == ("phenotype", "neuro", "new")
    assert merged.xrefs == ("MSH:D012640", "UMLS:C0036572")
    assert merged.status == "active"
    assert terminology.concept(2) == RETIRED
    assert terminology.rows_named("krampfanfall").tolist() == [5]
    assert terminology.term_concepts().tolist() == [0, 1, 1, 1, 1, 1, 2]
    assert terminology.hierarchy.parents(1).tolist() == [0, 2]
    assert terminology.manifest.content["merged_concepts"] == {"count": 1, "first": ["HP:0001250"]}
    assert terminology.manifest.content["merged_terms"] == 1


def test_unknown_parents_are_counted_named_and_kept_in_the_record(store: Store) -> None:
    lost = Concept("A:1", (Term("x"),), parents=("A:0", "Z:9"))
    terminology = store(Concept("A:0", (Term("r"),)), lost)
    assert terminology.manifest.content["unknown_parents"] == {"count": 1, "first": ["A:1 is_a Z:9"]}
    assert terminology.hierarchy.parents(1).tolist() == [0]
    assert terminology.concept(1) == lost


def test_a_parent_named_by_its_alternative_id_is_known(store: Store) -> None:
    child = Concept("HP:0011097", (Term("Spasm"),), parents=("HP:0002279",))
    assert store(ROOT, SEIZURE, child).hierarchy.ancestors(2).tolist() == [0, 1]


def cyclic() -> tuple[Concept, ...]:
    return (
        Concept("A:0", (Term("top"),)),
        Concept("A:1", (Term("b"),), parents=("A:0", "A:3")),
        Concept("A:2", (Term("c"),), parents=("A:1",)),
        Concept("A:3", (Term("d"),), parents=("A:2",)),
        Concept("A:4", (Term("e"),), parents=("A:4", "A:3")),
    )


def test_cycles_are_cut_counted_and_named(store: Store) -> None:
    terminology = store(*cyclic())
    assert terminology.manifest.content["cycles"] == {
        "count": 2,
        "first": ["A:1 is_a A:3 is_a A:2 is_a A:1", "A:4 is_a A:4"],
    }
    assert [terminology.hierarchy.parents(row).tolist() for row in range(5)] == [[], [0, 3], [], [2], [3]]
    assert terminology.concept(1).parents == ("A:0", "A:3")


def test_strict_stops_at_a_cycle_and_leaves_nothing(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="A:1 is_a A:3 is_a A:2 is_a A:1"):
        store(*cyclic(), strict=True)
    assert list(tmp_path.iterdir()) == []


def test_statistics_and_what_the_reader_counted(store: Store) -> None:
    terminology = store(ROOT, SEIZURE, RETIRED)
    assert terminology.statistics == {
        "concepts": 3,
        "active_concepts": 2,
        "retired_concepts": 1,
        "is_a_edges": 1,
        "terms": 6,
        "parents": 1,
        "relations": 2,
        "definitions": 2,
        "tags": 3,
        "alternative_ids": 2,
        "replaced_by": 1,
        "consider": 1,
        "xrefs": 1,
        "properties": 0,
        "mappings": 0,
        "terms_by_kind": {"preferred": 3, "synonym": 2, "lay": 1},
        "terms_by_scope": {"exact": 5, "related": 1},
        "terms_by_language": {"en": 5, "fr": 1},
    }
    assert terminology.manifest.content["reader"] == {"read": 3}
    assert (terminology.name, terminology.version) == ("tiny", "2024-01")


def test_an_empty_release_is_an_empty_terminology(store: Store) -> None:
    terminology = store()
    assert (len(terminology), terminology.term_count, terminology.find("A:1")) == (0, 0, None)
    assert terminology.hierarchy.roots().tolist() == []
    assert terminology.rows_named("x").tolist() == []


def test_a_concept_without_terms_is_called_by_its_id(store: Store) -> None:
    terminology = store(Concept("A:1", ()), Concept("A:2", (Term("named", "preferred"),)))
    assert terminology.preferred(0) == "A:1"
    assert terminology.preferred(1) == "named"


def test_text_that_is_no_utf8_is_replaced(store: Store) -> None:
    assert store(Concept("A:1", (Term("a\ud800b"),))).preferred(0) == "a?b"


def test_same_input_same_fingerprint(store: Store) -> None:
    first, second, third = store(ROOT, SEIZURE), store(ROOT, SEIZURE), store(SEIZURE, ROOT)
    assert first.fingerprint == second.fingerprint
    assert first.fingerprint != third.fingerprint


def test_version_is_part_of_the_fingerprint(release: type, tmp_path: Path) -> None:
    prints = [
        build_terminology(release([ROOT], metadata={"name": "t", "version": version}), tmp_path / "t").fingerprint
        for version in ("1", "2", "1")
    ]
    assert prints[0] == prints[2] != prints[1]


def test_two_handles_and_a_new_release_under_an_open_one(release: type, tmp_path: Path) -> None:
    build_terminology(release([ROOT, SEIZURE]), tmp_path / "t")
    with open_terminology(tmp_path / "t") as one, open_terminology(tmp_path / "t") as two:
        build_terminology(release([RETIRED]), tmp_path / "t")
        assert one.concept(1) == two.concept(1) == SEIZURE
    with open_terminology(tmp_path / "t") as new:
        assert new.concept(0) == RETIRED
    assert verify(tmp_path / "t", "terminology").content["statistics"]["concepts"] == 1


def test_a_closed_terminology_says_so(store: Store) -> None:
    terminology = store(ROOT)
    terminology.close()
    terminology.close()
    with pytest.raises(ValueError, match="is closed"):
        terminology.find("HP:0000001")


def test_rows_out_of_range_are_errors(store: Store) -> None:
    terminology = store(ROOT)
    with pytest.raises(IndexError, match="concept row -1 of 1"):
        terminology.terms_of(-1)
    with pytest.raises(IndexError, match="concept row -1 of 1"):
        terminology.id(-1)
    with pytest.raises(IndexError, match="term row -1 of 1"):
        terminology.term(-1)
    with pytest.raises(IndexError, match="row 1 of 1"):
        terminology.concept(1)


def test_columns_are_mapped_and_read_only(store: Store) -> None:
    terminology = store(ROOT, SEIZURE)
    assert not terminology.term_concepts().flags.writeable
    assert not terminology.term_concepts().flags.owndata
    assert not terminology.active.flags.writeable


def test_nothing_is_pickled(store: Store) -> None:
    for file in store(ROOT, SEIZURE).path.glob("*.npy"):
        np.load(file, allow_pickle=False)


def test_damaged_columns_are_an_error_with_the_mend(store: Store) -> None:
    path = store(ROOT).path
    (path / "id_row.npy").write_bytes(b"")
    with pytest.raises(ArtifactError, match=r"id_row\.npy has 0 bytes instead of .*build_terminology"):
        open_terminology(path)
