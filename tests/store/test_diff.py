"""What changed between two releases: every kind of change, and the same as a plain comparison of sets finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from ontonym.errors import UnknownNameError
from ontonym.store import Terminology
from ontonym.store.describing import CHANGE_KINDS, Change
from ontonym.store.diff import Difference, diff
from ontonym.types import Concept, Term

Store = Callable[..., Terminology]


def c(concept_id: str, *names: str | Term, parents: Iterable[str] = (), **rest: Any) -> Concept:
    """A concept whose first name is preferred, the others synonyms."""
    terms = [
        name if isinstance(name, Term) else Term(name, "synonym" if place else "preferred")
        for place, name in enumerate(names)
    ]
    return Concept(concept_id, tuple(terms), tuple(parents), **rest)


def gone(concept_id: str, name: str, *heirs: str, **rest: Any) -> Concept:
    return c(concept_id, name, status="retired", replaced_by=heirs, **rest)


@pytest.fixture
def compare(store: Store) -> Callable[[Iterable[Concept], Iterable[Concept]], Difference]:
    return lambda old, new: diff(store(*old), store(*new))


def only(difference: Difference, kind: str) -> Change:
    """The one change there is, which is of this kind."""
    found = list(difference.changes())
    assert [change.kind for change in found] == [kind], found
    assert {name: number for name, number in difference.counts().items() if number} == {kind: 1}
    return found[0]


def shown(change: Change) -> tuple[list[str], list[str]]:
    return [link.id for link in change.replaced_by], [link.id for link in change.consider]


FEVER = c("T:1", "Fever", "Pyrexia")
COUGH = c("T:2", "Cough", parents=["T:1"])


def test_nothing_changed(compare) -> None:
    found = compare([FEVER, COUGH], [COUGH, FEVER])
    assert not list(found.changes())
    assert (found.compared, found.unchanged) == (2, 2)
    assert list(found.counts()) == list(CHANGE_KINDS)


def test_a_kind_of_change_that_there_is_not_is_refused_at_once(compare) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown kind of change 'rename'\. Did you mean 'renamed'"):
        compare([FEVER], [COUGH]).changes("rename")


def test_added_concept_with_its_parents(compare) -> None:
    change = only(compare([FEVER], [FEVER, COUGH]), "added")
    assert (change.id, change.preferred) == ("T:2", "Cough")
    assert [(link.id, link.preferred, link.status) for link in change.parents_gained] == [("T:1", "Fever", "active")]


def test_a_concept_that_comes_retired_is_not_added(compare) -> None:
    assert not list(compare([FEVER], [FEVER, gone("T:9", "Dropsy")]).changes())


def test_removed_concept(compare) -> None:
    change = only(compare([FEVER, COUGH], [FEVER]), "removed")
    assert (change.id, change.preferred, change.replaced_by) == ("T:2", "Cough", ())


def test_retired_concept_has_its_last_name_and_its_heir(compare) -> None:
    change = only(compare([FEVER, COUGH], [FEVER, gone("T:2", "obsolete Cough", "T:1", consider=("X:7",))]), "retired")
    assert (change.id, change.preferred) == ("T:2", "Cough")
    assert shown(change) == (["T:1"], ["X:7"])
    assert change.note == "X:7 is not in this release"


def test_replacements_are_followed_to_active_concepts(compare) -> None:
    new = [FEVER, gone("T:2", "Cough", "T:3"), gone("T:3", "Tussis", "T:4"), gone("T:4", "Tusses", "T:1")]
    change = only(compare([FEVER, COUGH], new), "retired")
    assert shown(change) == (["T:1"], [])
    assert change.note == "by way of T:3, T:4, retired too"


def test_a_replacement_that_splits_gives_all_active_heirs(compare) -> None:
    new = [FEVER, c("T:5", "Chill"), gone("T:2", "Cough", "T:3"), gone("T:3", "Tussis", "T:1", "T:5")]
    change = next(compare([FEVER, COUGH], new).changes("retired"))
    assert shown(change) == (["T:1", "T:5"], [])


def test_a_replacement_that_is_retired_without_heir_is_said(compare) -> None:
    change = only(compare([FEVER, COUGH], [FEVER, gone("T:2", "Cough", "T:3"), gone("T:3", "Tussis")]), "retired")
    assert shown(change) == ([], [])
    assert change.note == "T:3 would take its place, but is retired too"


def test_replacements_in_a_circle_end(compare) -> None:
    new = [FEVER, gone("T:2", "Cough", "T:3"), gone("T:3", "Tussis", "T:2")]
    assert shown(only(compare([FEVER, COUGH], new), "retired")) == ([], [])


def test_what_a_suggestion_leads_to_is_a_suggestion(compare) -> None:
    new = [FEVER, gone("T:2", "Cough", consider=("T:3",)), gone("T:3", "Tussis", "T:1")]
    assert shown(only(compare([FEVER, COUGH], new), "retired")) == ([], ["T:1"])


def test_merged_concept_whose_id_is_an_alternative_id_today(compare) -> None:
    change = only(compare([FEVER, COUGH], [c("T:1", "Fever", "Pyrexia", alternative_ids=("T:2",))]), "merged")
    assert (change.id, change.preferred, shown(change)) == ("T:2", "Cough", (["T:1"], []))


def test_merged_concept_that_is_kept_retired(compare) -> None:
    new = [c("T:1", "Fever", "Pyrexia", alternative_ids=("T:2",)), gone("T:2", "obsolete Cough", "T:1", "T:5"),
           c("T:5", "Chill")]  # fmt: skip
    found = compare([FEVER, COUGH, c("T:5", "Chill")], new)
    assert shown(only(found, "merged")) == (["T:1", "T:5"], [])


def test_reinstated_concept(compare) -> None:
    change = only(compare([FEVER, gone("T:2", "obsolete Cough")], [FEVER, COUGH]), "reinstated")
    assert (change.id, change.old, change.new) == ("T:2", "obsolete Cough", "Cough")


def test_other_successors_of_a_concept_retired_before(compare) -> None:
    old = [FEVER, gone("T:2", "Cough"), gone("T:3", "Chill", "T:1", "T:5")]
    new = [FEVER, gone("T:2", "Cough", "T:1"), gone("T:3", "Chill", "T:5", "T:1")]
    change = only(compare(old, new), "replacement changed")
    assert (change.id, change.old, shown(change)) == ("T:2", "", (["T:1"], []))


def test_renamed_and_the_old_name_stays(compare) -> None:
    change = only(compare([FEVER], [c("T:1", "Pyrexia", "Fever")]), "renamed")
    assert (change.id, change.preferred, change.old, change.new) == ("T:1", "Pyrexia", "Fever", "Pyrexia")
    assert change.note == "the old name stays as a synonym; the new name was a synonym"


def test_renamed_in_spelling_alone(compare) -> None:
    assert (
        only(compare([c("T:1", "Fevers")], [c("T:1", "fever")]), "renamed").note == "the same but for case and plural"
    )


def test_a_concept_that_loses_all_names_leaves_its_neighbour_alone(compare) -> None:
    found = compare([c("T:1", "Fever"), c("T:2", "Cough")], [c("T:1"), c("T:2", "Cough", "Tussis")])
    assert [(change.kind, change.id, change.old, change.new) for change in found.changes()] == [
        ("renamed", "T:1", "Fever", "T:1"),
        ("synonym gained", "T:2", "", "Tussis"),
    ]


def test_fully_specified_names_change_together(compare) -> None:
    before = c("T:1", "Fever", Term("Fever (finding)", "fsn"))
    after = c("T:1", "Fever", Term("Fever (disorder)", "fsn"))
    change = only(compare([before], [after]), "fsn changed")
    assert (change.old, change.new) == ("Fever (finding)", "Fever (disorder)")
    assert change.note == "semantic tag disorder, was finding"


def test_synonyms_gained_and_lost_say_what_they_are(compare) -> None:
    found = compare([FEVER], [c("T:1", "Fever", Term("Hot", "lay", "broad"), Term("Fieber", language="de"))])
    assert [(x.kind, x.old, x.new, x.language, x.note) for x in found.changes()] == [
        ("synonym gained", "", "Hot", "en", "broad lay term"),
        ("synonym gained", "", "Fieber", "de", ""),
        ("synonym lost", "Pyrexia", "", "en", ""),
    ]
    assert (found.compared, found.unchanged) == (1, 0)


def test_a_name_that_only_changes_its_kind_is_no_change(compare) -> None:
    old = c("T:1", "Fever", Term("Fever", "fsn"), Term("Hot", "lay"))
    assert not list(compare([old], [c("T:1", "Fever", Term("Hot", "synonym", "broad"))]).changes())


def test_a_name_in_several_kinds_is_gained_once(compare) -> None:
    found = compare([c("T:1", "Fever")], [c("T:1", "Fever", Term("Hot", "lay"), Term("Hot", "synonym"))])
    assert only(found, "synonym gained").new == "Hot"


def test_a_name_in_another_language_is_another_name(compare) -> None:
    found = compare([c("T:1", "Angina")], [c("T:1", "Angina", Term("Angina", language="de"))])
    assert only(found, "synonym gained").language == "de"


def test_a_name_that_is_retired_is_lost(compare) -> None:
    found = compare([FEVER], [c("T:1", "Fever", Term("Pyrexia", status="retired"))])
    assert only(found, "synonym lost").old == "Pyrexia"


def test_a_respelled_synonym_is_one_change(compare) -> None:
    change = only(compare([c("T:1", "X", "OROYA-FEVER")], [c("T:1", "X", "Oroya fever")]), "synonym respelled")
    assert (change.old, change.new, change.note) == (
        "OROYA-FEVER",
        "Oroya fever",
        "the same but for case and punctuation",
    )


def test_two_spellings_that_become_one(compare) -> None:
    found = compare([c("T:1", "X", "Heart Attack", "HEART ATTACK")], [c("T:1", "X", "heart attack")])
    assert [(change.kind, change.old, change.new, change.note) for change in found.changes()] == [
        ("synonym respelled", "Heart Attack", "heart attack", "the same but for case"),
        ("synonym lost", "HEART ATTACK", "", "“heart attack” stays"),
    ]


def test_names_of_the_same_spelling_stay_with_their_concepts(compare) -> None:
    found = compare([c("T:1", "X", "Heat"), c("T:2", "Y")], [c("T:1", "X"), c("T:2", "Y", "heat")])
    assert [(change.kind, change.id) for change in found.changes()] == [
        ("synonym gained", "T:2"),
        ("synonym lost", "T:1"),
    ]


def moved(found: Difference) -> tuple[str, list[str], list[str], str]:
    change = only(found, "moved")
    lost, gained = change.parents_lost, change.parents_gained
    return change.id, [link.id for link in lost], [link.id for link in gained], change.note


ROOT, A, B = c("T:0", "All"), c("T:A", "A", parents=["T:0"]), c("T:B", "B", parents=["T:A"])


def test_moved_down(compare) -> None:
    found = compare([ROOT, A, B, c("T:2", "Cough", parents=["T:A"])], [ROOT, A, B, c("T:2", "Cough", parents=["T:B"])])
    assert moved(found) == ("T:2", ["T:A"], ["T:B"], "still below its former parent")


def test_moved_up(compare) -> None:
    found = compare([ROOT, A, B, c("T:2", "Cough", parents=["T:B"])], [ROOT, A, B, c("T:2", "Cough", parents=["T:0"])])
    assert moved(found) == ("T:2", ["T:B"], ["T:0"], "was below its new parent before")


def test_one_more_parent(compare) -> None:
    found = compare([ROOT, A, B, COUGH, FEVER], [ROOT, A, B, c("T:2", "Cough", parents=["T:B", "T:1"]), FEVER])
    assert moved(found) == ("T:2", [], ["T:B"], "")


def test_a_parent_that_is_gone_is_told_by_its_last_name(compare) -> None:
    found = compare([FEVER, COUGH, ROOT], [c("T:2", "Cough", parents=["T:0"]), ROOT])
    (change,) = found.changes("moved")
    assert [(link.id, link.preferred, link.status) for link in change.parents_lost] == [("T:1", "Fever", "unknown")]


@pytest.mark.parametrize("kept", [(), (gone("T:1", "obsolete Fever", "T:5"),)], ids=["away", "kept retired"])
def test_a_parent_that_was_merged_is_the_same_parent(compare, kept) -> None:
    new = [c("T:2", "Cough", parents=["T:5"]), c("T:5", "Heat", alternative_ids=("T:1",)), *kept]
    assert only(compare([FEVER, COUGH, c("T:5", "Heat")], new), "merged").id == "T:1"


def test_parents_that_the_release_does_not_have_are_told_by_id(compare) -> None:
    found = compare([c("T:2", "Cough", parents=["X:1", "X:2"])], [c("T:2", "Cough", parents=["X:2", "X:3"])])
    assert moved(found) == ("T:2", ["X:1"], ["X:3"], "")


def test_another_prefix_of_all_ids_is_no_change(compare) -> None:
    old = [c(f"ICD10:A{n:02}", f"Disease {n}", parents=["ICD10:A00"] if n else []) for n in range(20)]
    new = [c(f"ICD10GM:A{n:02}", f"Disease {n}", parents=["ICD10GM:A00"] if n else []) for n in range(19)]
    new[3] = c("ICD10GM:A03", "Illness 3", parents=["ICD10GM:A02"])
    found = compare(old, new)
    assert {kind: number for kind, number in found.counts().items() if number} == {
        "removed": 1, "renamed": 1, "moved": 1,
    }  # fmt: skip
    assert next(found.changes("renamed")).id == "ICD10GM:A03"
    assert found.cautions == (
        "the prefix ICD10 of the old ids is ICD10GM in the new ones: they are compared as the same",
    )


def test_prefixes_that_come_and_go_with_other_ids_are_not_joined(compare) -> None:
    found = compare([c("A:1", "x"), c("A:2", "y"), FEVER], [c("B:8", "x"), c("B:9", "y"), FEVER])
    assert (found.counts()["added"], found.counts()["removed"]) == (2, 2)


def test_what_makes_a_comparison_doubtful(store) -> None:
    def named(*concepts: Concept, name: str = "tiny", version: str = "2024-01-31") -> Terminology:
        opened = store(*concepts)
        opened.manifest.content["identity"].update(name=name, version=version)
        return opened

    here = named(FEVER, COUGH)
    assert diff(here, here).cautions == ("both are the same release",)
    assert diff(here, named(FEVER, c("T:2", "Tussis"), version="2025-01-31")).cautions == ()
    assert diff(here, named(c("X:1", "Fever"), name="other")).cautions == (
        "tiny and other have different names, and 0 of 2 ids of the old one are in the new one: "
        "are they releases of one terminology?",
    )
    assert diff(here, named(FEVER, version="20230131")).cautions == (
        "the old release (2024-01-31) is dated after the new one (20230131): are they swapped?",
    )
    sct = "http://snomed.info/sct/900000000000207008/version"
    there, later = (
        named(FEVER, COUGH, version=f"{sct}/20240301"),
        named(FEVER, c("T:2", "Tussis"), version=f"{sct}/20250301"),
    )
    assert (diff(there, later).cautions, len(diff(later, there).cautions)) == ((), 1)
    german = c("T:2", "Cough", Term("Husten", language="de"), parents=["T:1"])
    assert diff(here, named(FEVER, german)).cautions == (
        "only the new one has names in de (1): was it imported otherwise?",
    )


def test_empty_terminologies(compare) -> None:
    assert not list(compare([], []).changes())
    assert compare([], [FEVER]).counts()["added"] == 1
    assert compare([FEVER], []).counts()["removed"] == 1


def test_progress_is_told(store) -> None:
    told: list[tuple[str, int, int]] = []
    diff(store(FEVER), store(FEVER, COUGH), progress=lambda *args: told.append(args))
    assert ("new names", 3, 3) in told
    assert [stage for stage, _, _ in told] == [
        "comparing ids", "old names", "new names", "comparing names", "comparing parents",
    ]  # fmt: skip
