"""A name that several concepts share: which of them comes first, with what confidence, and when it is an answer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from built import SMALL, indexed
from ontonym.index import Index, open_index
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.index.evidence import FEATURES, Evidence
from ontonym.index.fuse import PREFERRED, preferred_first
from ontonym.tasks import NormalizeOptions, SearchOptions, normalize, search
from ontonym.tasks.search import Experiment, settled
from ontonym.types import Mention

CODES = """id\tpreferred\tsynonyms\tparents
C:1\tAsthma\t\t
C:2\tUnspecified asthma, uncomplicated\tAsthma NOS\tC:1
C:3\tFluid in the leg\tSwollen ankles\t
C:4\tFluid in the foot\tSwollen ankles\t
C:5\tFluid in the joint\tSwollen ankles\t
"""
SIGNS = """format-version: 1.2
ontology: signs

[Term]
id: S:1
name: Swollen ankles
"""


@pytest.fixture(scope="module")
def codes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with open_index(indexed(tmp_path_factory.mktemp("namesakes"), {"codes.tsv": CODES}, SMALL)) as opened:
        yield opened


def evidence(rows: list[tuple[float, float]], given: tuple[int, ...]) -> Evidence:
    """Candidates by whether a name of theirs, and their preferred term, is equal to the query."""
    number = len(rows)
    features = np.zeros((number, len(FEATURES)), dtype=np.float32)
    features[:, [FEATURES.index("spelled"), FEATURES.index("spelled_preferred")]] = rows
    places, means = np.arange(number), np.zeros((number, 2), dtype=np.float32)
    return Evidence(places, features, places, means, np.array(given), np.zeros(number, dtype=np.float32))


def test_the_preferred_term_has_most_of_what_namesakes_have_together() -> None:
    scores, terminologies = np.array([1.0, 1.0, 0.5, 2.0, 2.0]), np.array([0, 0, 0, 1, 1])
    found = preferred_first(scores, evidence([(1, 1), (1, 0), (0, 0), (1, 0), (1, 0)], (0,) * 5), terminologies)
    assert found[0] - found[1] == pytest.approx(np.log(PREFERRED))
    assert np.exp(found[:2]).sum() == pytest.approx(np.exp(scores[:2]).sum())
    assert found[2:].tolist() == pytest.approx(scores[2:].tolist())


def test_a_term_that_was_added_counts_as_much_as_a_preferred_one() -> None:
    scores, terminologies = np.array([1.0, 1.0]), np.array([0, 0])
    found = preferred_first(scores, evidence([(1, 1), (1, 0)], (0, 2)), terminologies)
    assert found.tolist() == scores.tolist()


@pytest.mark.parametrize("query", ["asthma", "Asthma", "allergic asthma"])
def test_a_concept_and_what_leaves_it_unspecified_are_no_rivals(codes: Index, query: str) -> None:
    first, second, *others = search(codes, query)
    assert (first.id, second.id) == ("C:1", "C:2")
    assert first.confidence == second.confidence > 0.3
    assert all(other.confidence < 0.1 for other in others)


@pytest.mark.parametrize("query", ["asthma", "Asthma"])
def test_a_name_that_a_narrower_concept_has_with_a_remark_is_sure(codes: Index, query: str) -> None:
    first, second = search(codes, query)[:2]
    assert first.confidence > 0.8
    assert (first.ambiguous, second.ambiguous) == (("C:2",), ("C:1",))


def test_a_coding_remark_is_one_in_small_letters_too(codes: Index) -> None:
    assert [hit.reason.rule for hit in search(codes, "asthma nos")[:2]] == ["normalized", "normalized"]


def test_a_shared_name_is_an_answer_by_default_though_no_concept_of_it_is_likelier_right(codes: Index) -> None:
    (answer,) = normalize(codes, [Mention("swollen ankles")])
    assert answer.confidence < LIKELIER_RIGHT
    assert {answer.id, *answer.candidates[0].ambiguous} == {"C:3", "C:4", "C:5"}
    assert answer.certainty == "doubtful"
    (asked,) = normalize(codes, [Mention("swollen ankles")], NormalizeOptions(threshold=LIKELIER_RIGHT))
    assert asked.id is None


def test_of_equal_names_in_two_terminologies_the_surer_one_leads(tmp_path_factory: pytest.TempPathFactory) -> None:
    files = {"codes.tsv": CODES, "signs.obo": SIGNS}
    with open_index(indexed(tmp_path_factory.mktemp("both"), files, SMALL)) as index:
        first, *others = search(index, "swollen ankles")[:4]
        assert first.id == "S:1"
        assert {hit.id for hit in others} == {"C:3", "C:4", "C:5"}
        assert first.confidence > 0.8
        assert max(hit.confidence for hit in others) < LIKELIER_RIGHT
        (answer,) = normalize(index, [Mention("swollen ankles")])
        assert (answer.id, answer.certainty, set(answer.equivalents)) == ("S:1", "sure", {"C:3", "C:4", "C:5"})


def test_of_equally_sure_ones_of_two_terminologies_the_one_that_is_called_so_leads(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    signs = SIGNS.replace(
        "name: Swollen ankles", 'name: Recurrent swelling of ankles\nsynonym: "ankle swelling" EXACT []'
    )
    codes = "id\tpreferred\tsynonyms\tparents\nC:1\tAnkle swelling, unspecified\tankle swelling\t\n"
    folder = tmp_path_factory.mktemp("calledso")
    with open_index(indexed(folder, {"signs.obo": signs, "codes.tsv": codes}, SMALL)) as index:
        hits = search(index, "ankle swelling")
        assert [hit.id for hit in hits[:2]] == ["C:1", "S:1"]
        assert hits[0].confidence == pytest.approx(hits[1].confidence, abs=0.05)


def test_concepts_found_by_one_name_are_one_answer_whatever_the_query(tmp_path_factory: pytest.TempPathFactory) -> None:
    thyroid = 'format-version: 1.2\nontology: {0}\n\n[Term]\nid: {1}:1\nname: {2}\nsynonym: "{3}" EXACT []\n'
    files = {
        "codes.obo": thyroid.format("codes", "C", "Hypothyroidism, unspecified", "Hypothyroidism NOS"),
        "signs.obo": thyroid.format("signs", "S", "Hypothyroidism", "Underactive thyroid"),
    }
    with open_index(indexed(tmp_path_factory.mktemp("alike"), files, SMALL)) as index:
        first, second = search(index, "hypothyroid")[:2]
        assert {first.matched, second.matched} == {"Hypothyroidism NOS", "Hypothyroidism"}
        assert (first.equivalents, second.equivalents) == ((second.id,), (first.id,))
        assert first.confidence >= second.confidence - 0.05


def test_a_concept_that_has_the_id_of_another_terminology_is_the_same_in_both(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    files = {
        "liver.tsv": "id\tpreferred\nM:1\tHepatoma\nM:2\tGoitre\n",
        "clinic.tsv": "id\tpreferred\tsynonyms\talternative_ids\n"
        "O:1\tLiver cell carcinoma\tHCC\tM:1\nM:2\tStruma\t\t\n",
    }
    with open_index(indexed(tmp_path_factory.mktemp("ids"), files, SMALL)) as index:
        hits = {hit.id: hit for text in ("HCC", "hepatoma") for hit in search(index, text)}
        assert (hits["O:1"].equivalents, hits["M:1"].equivalents) == (("M:1",), ("O:1",))
        assert search(index, "struma")[0].equivalents == (), "its own id is no further one"


def test_a_concept_with_the_same_preferred_term_is_the_same_whatever_the_query(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    files = {
        "codes.tsv": "id\tpreferred\tsynonyms\nC:1\tPalpitations\tHeart skips a beat\nC:2\tFlutter\tPalpitation\n",
        "signs.tsv": "id\tpreferred\tsynonyms\nS:1\tpalpitation\tSkipped heartbeat\nS:2\tThump\tPalpitations\n",
    }
    with open_index(indexed(tmp_path_factory.mktemp("preferred"), files, SMALL)) as index:
        hits = {hit.id: hit for text in ("skipped heartbeat", "heart skips a beat") for hit in search(index, text)}
        assert (hits["S:1"].equivalents, hits["C:1"].equivalents) == (("C:1",), ("S:1",))
        assert (hits["S:2"].equivalents, hits["C:2"].equivalents) == ((), ()), "a synonym is not enough"


def test_a_concept_likelier_right_comes_before_rivals_of_another_terminology(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    sides = "".join(f"C:{number}\tTear of tendon of {side} shoulder\n" for number, side in enumerate(("left", "right")))
    files = {
        "codes.tsv": f"id\tpreferred\n{sides}C:2\tTear of tendon of other shoulder\n",
        "signs.tsv": "id\tpreferred\nS:1\tTear of shoulder\nS:2\tPain\n",
    }
    with open_index(indexed(tmp_path_factory.mktemp("apart"), files, SMALL)) as index:
        first, *others = search(index, "tear of tendon of shoulder")
        assert first.id == "S:1"
        assert first.confidence >= LIKELIER_RIGHT > max(hit.confidence for hit in others)
        assert search(index, "tear of tendon of shoulder", SearchOptions(k=1)) == [first]
        shared = search(index, "tear of tendon of shoulder", Experiment.unsettled(SearchOptions(), 5))
        assert shared[0].id.startswith("C:"), "among all of both terminologies a shoulder's side is likeliest"
        assert settled(index, shared, SearchOptions())[0] == first


def test_what_says_more_of_the_query_comes_before_a_surer_one_of_another_terminology(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """One terminology has the finding alone, and is sure of it; the other has it with what the query says of it."""
    files = {
        "codes.tsv": "id\tpreferred\nC:1\tComplete tear of tendon of shoulder joint\n"
        "C:2\tTear of tendon of elbow joint\nC:3\tSprain of shoulder joint\n",
        "signs.tsv": "id\tpreferred\tsynonyms\nS:1\tTear of shoulder tendon\t\nS:2\tPain\t\n",
    }
    with open_index(indexed(tmp_path_factory.mktemp("fuller"), files, SMALL)) as index:
        query = "complete shoulder tendon tear on scan"
        first, second, *_ = search(index, query)
        assert (first.id, second.id) == ("C:1", "S:1")
        assert first.confidence >= LIKELIER_RIGHT
        (answer,) = normalize(index, [Mention(query)])
        assert (answer.id, answer.candidates[1].id) == ("C:1", "S:1")
        shared = search(index, query, Experiment.unsettled(SearchOptions(), 5))
        assert search(index, "shoulder tendon tear")[0].id == "S:1"
        assert {hit.id for hit in shared} >= {"C:1", "S:1"}
