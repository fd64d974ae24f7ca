"""A query that lists several findings finds each; one that no concept says finds the name in it."""

from __future__ import annotations

import pytest

from built import index_fixture
from ontonym.index import Index
from ontonym.tasks import SearchOptions, search
from ontonym.tasks.confidences import surest_first
from ontonym.tasks.explain import compare_hits, explain_hits
from ontonym.tasks.search import Experiment, ranking

WARD = """id,name,synonyms
C:1,Nausea,
C:2,Vomiting,
C:3,Nausea and vomiting,
C:4,Fever,
C:5,Skin rash,
C:6,Asthma,
C:7,Cracked tooth,
C:8,Bilateral,
C:9,Osteoarthritis,
C:10,Osteoarthritis of hip,
C:11,Parosmia,
C:12,Fracture of mandible,
C:13,Kidney stone,
C:14,Otorrhea,ear discharge
C:15,Feculent vomiting,faecal vomiting
C:16,Diarrhea,diarrhoea
C:17,"Sprain of wrist, later visit",
C:18,Sprain of wrist,
C:19,Headache,
C:20,Migraine,sick headache
C:21,Roseola,rough red skin rash and high fever
C:22,Kidney stone without renal colic,
C:23,"Severe depressive disorder without psychotic features",
C:24,Depression,
C:25,Psychosis,
"""

index = index_fixture({"ward.csv": WARD})


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("fever, kidney stone, zzyzx qwrt", {"C:4", "C:13"}),
        ("asthma + skin rash ?parosmia", {"C:6", "C:5", "C:11"}),
        ("diarrhoea and vomiting", {"C:16", "C:2"}),
        ("ear discharge; smelly bedclothes", {"C:14"}),
    ],
)
def test_each_finding_of_a_list_is_found(index: Index, text: str, ids: set[str]) -> None:
    hits = search(index, text)
    assert {hit.id for hit in hits[: len(ids)]} == ids
    assert all(0.5 < hit.confidence < 0.9 for hit in hits[: len(ids)])
    assert len({hit.id for hit in hits}) == len(hits)
    sure = [hit.confidence for hit in hits]
    assert sure == sorted(sure, reverse=True)


@pytest.mark.parametrize("mark", [", ", "\n", "; "])
def test_a_list_of_names_is_no_name_that_is_near_to_all(index: Index, mark: str) -> None:
    hits = search(index, mark.join(["headache", "vomiting", "fever"]))
    assert {hit.id for hit in hits[:3]} == {"C:19", "C:2", "C:4"}
    (migraine,) = [hit for hit in hits if hit.id == "C:20"]
    assert migraine.confidence < 0.1


@pytest.mark.parametrize("text", ["fever and skin rash", "fever of 39 and a skin rash", "unwell, fever and skin rash"])
def test_names_that_words_join_are_no_name_that_says_much_more(index: Index, text: str) -> None:
    hits = search(index, text)
    assert {hit.id for hit in hits[:2]} == {"C:4", "C:5"}
    assert all(hit.confidence > 0.6 for hit in hits[:2])
    (roseola,) = [hit for hit in hits if hit.id == "C:21"]
    assert roseola.confidence < 0.5


def test_a_name_beside_what_words_like_it_say_stays_whole(index: Index) -> None:
    assert search(index, "headache, sick")[0].id == "C:20"
    assert search(index, "nausea, vomiting")[0].id == "C:3"


def test_what_an_item_denies_is_denied_of_it_alone(index: Index) -> None:
    hits = {hit.id: hit for hit in search(index, "no fever; asthma")[:2]}
    assert set(hits) == {"C:4", "C:6"}
    assert (hits["C:4"].reason.negated, hits["C:6"].reason.negated) == (True, False)
    assert all(hit.reason.negated for hit in search(index, "no fever, asthma")[:1])


def test_what_is_denied_is_no_answer_where_what_is_said_is_not_sure(index: Index) -> None:
    hit = search(index, "bad wrist sprained lately, no fever")[0]
    assert (hit.id, hit.reason.negated) == ("C:18", False)


def test_what_is_one_finding_stays_whole(index: Index) -> None:
    (hit, *_) = search(index, "nausea and vomiting")
    assert (hit.id, hit.confidence) == ("C:3", pytest.approx(0.96))


@pytest.mark.parametrize(
    "text",
    [
        "sprain of wrist, later zzyzx qwrt blorb",
        "sprain of wrist, zzyzx qwrt later blorb plugh",
        "sprain of wrist, zzyzx later visit qwrt blorb plugh",
    ],
)
def test_a_whole_whose_name_has_words_of_each_item_stays_whole(index: Index, text: str) -> None:
    hits = search(index, text)  # "sprain of wrist" by itself is a name, and sure
    assert [hit.id for hit in hits[:2]] == ["C:17", "C:18"]
    assert hits[0].confidence <= 0.5


def test_the_name_in_a_query_is_found(index: Index) -> None:
    text = "status cracked tooth mandible seven quadrant"
    hit = search(index, text)[0]
    assert (hit.id, hit.matched) == ("C:7", "Cracked tooth")
    assert 0.5 < hit.confidence < 0.8
    assert search(index, f"no {text}")[0].confidence < 0.5


def test_at_most_as_many_hits_as_are_wanted(index: Index) -> None:
    assert len(search(index, "asthma, fever, kidney stone", SearchOptions(k=2))) == 2


def test_confidences_that_are_still_shared_are_those_of_the_whole(index: Index) -> None:
    options = Experiment.unsettled(SearchOptions(), 10)
    assert search(index, "fever, kidney stone, zzyzx qwrt", options)[0].confidence < 0.5


def test_items_are_explained_each_with_rivals_of_its_own(index: Index) -> None:
    text = "fever, kidney stone, zzyzx qwrt"
    explained = explain_hits(index, text)
    assert [one.hit.id for one in explained] == [hit.id for hit in search(index, text)]
    first = {one.hit.id: one for one in explained[:2]}
    assert (first["C:4"].text, first["C:4"].read_as) == (text, "fever")
    assert first["C:4"].rival is None or first["C:4"].rival.concept.id != "C:13"


def test_findings_of_two_items_are_compared_by_the_whole(index: Index) -> None:
    compared = compare_hits(index, "asthma + skin rash ?parosmia", "C:6", "C:5")
    assert compared.rival.decision is not None
    assert compared.rival.decision.read_as == ("asthma + skin rash ?parosmia",) * 2


def test_candidates_of_one_query_stay_in_their_order(index: Index) -> None:
    one, other, rash = ranking(index, index.signals.query("asthma, fever, skin rash"), SearchOptions(), 3)
    above, below, between = one.with_confidence(0.4), other.with_confidence(0.45), rash.with_confidence(0.42)
    assert surest_first([[above, below], [between]], lambda one: one.concept) == [between, above, below]


@pytest.mark.parametrize(
    ("text", "said", "denied"),
    [
        ("headache without nausea", "C:19", {"C:1"}),
        ("headache, no vomiting", "C:19", {"C:2"}),
        ("asthma but no fever or headache", "C:6", {"C:4", "C:19"}),
        ("kidney stone w/o fever", "C:13", {"C:4"}),
    ],
)
def test_what_is_denied_stands_behind_what_is_said(index: Index, text: str, said: str, denied: set[str]) -> None:
    first, *others = search(index, text)
    assert (first.id, first.reason.negated) == (said, False)
    assert {hit.id for hit in others[: len(denied)]} == denied
    assert all(hit.reason.negated for hit in others[: len(denied)])


def test_what_is_denied_is_no_surer_than_what_is_said(index: Index) -> None:
    said, denied = search(index, "asthma mild, no fever")[:2]
    assert (said.id, denied.id, denied.reason.negated) == ("C:6", "C:4", True)
    assert denied.confidence <= said.confidence


def test_a_name_that_denies_in_another_form_stays_whole(index: Index) -> None:
    assert search(index, "depression, severe, no psychosis")[0].id == "C:23"


def test_a_name_that_denies_stays_whole(index: Index) -> None:
    assert search(index, "sprain of wrist without fever")[0].id == "C:18"
    assert search(index, "stone without colic")[0].id == "C:22"


LACKS = """id,name,synonyms
L:1,Inability to walk,
L:2,Gait disturbance,abnormal walking
L:3,Areflexia,
L:4,Hyperreflexia,brisk reflexes
L:5,Hearing impairment,
L:6,Eating disorder,
L:7,Poor appetite,
L:8,Fever,
"""

lacking = index_fixture({"lacks.csv": LACKS})


@pytest.mark.parametrize(
    ("text", "concept"),
    [("not walking", "L:1"), ("no reflexes", "L:3"), ("she can't hear", "L:5"), ("stopped eating", "L:7")],
)
def test_what_somebody_does_not_do_is_found_and_not_denied(lacking: Index, text: str, concept: str) -> None:
    first = search(lacking, text)[0]
    assert (first.id, first.reason.negated, first.confidence > 0.5) == (concept, False, True)


def test_a_finding_is_denied(lacking: Index) -> None:
    first = search(lacking, "no fever")[0]
    assert (first.id, first.reason.negated) == ("L:8", True)
