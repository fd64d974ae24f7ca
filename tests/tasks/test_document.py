"""What a document adds to a name: its words, what it abbreviates, the types expected, the section."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from built import index_fixture
from ontonym.errors import UnknownNameError
from ontonym.index import Index
from ontonym.tasks import Normalization, NormalizeOptions, SearchOptions, normalize, search
from ontonym.tasks.document import EXPECTED_ODDS, in_document, section
from ontonym.tasks.hits import PendingHit, made, with_confidence
from ontonym.tasks.search import pending_hits_of
from ontonym.text.normalization import tokens
from ontonym.types import Hit, Mention, Reason

DEFAULTS = NormalizeOptions()

WARD = """id,name,synonyms,tags
W:1,Potassium,K,substance
W:2,Potassium measurement,Potassium|Serum potassium level,measurement
W:3,Breast cancer,,disorder
W:4,Ovarian cancer,,disorder
W:5,Breast and ovarian surgery,,procedure
W:6,Hepatitis B,,disorder
W:7,Hepatitis C,,disorder
W:8,Diabetes mellitus,DM,disorder
W:9,Myotonic dystrophy,DM,disorder
W:10,Head and neck cancer,,disorder
W:11,Head cancer,,disorder
W:12,Neck cancer,,disorder
W:13,Multiple epiphyseal dysplasia,,disorder
W:14,Drug toxicity,,disorder
W:15,Nerve toxicity,,disorder
W:16,Ovarian cancer of childhood,,disorder
"""


index = index_fixture({"ward.csv": WARD})


def ask(index: Index, text: str, passage: str = "", options: NormalizeOptions = DEFAULTS) -> Normalization:
    start = passage.find(text)
    (answer,) = normalize(index, [Mention(text, "m", "d", start, start + len(text), passage=passage)], options)
    return answer


def hit(id_: str, matched: str, confidence: float) -> Hit:
    return Hit(id_, matched, matched, "synonym", "exact", "", "t", confidence, 0.9)


def test_a_moved_hit_keeps_all_else() -> None:
    own: dict[str, Any] = {field.name: field.name for field in fields(Hit)}
    own |= {"confidence": 0.5, "similarity": 0.25, "signals": {"char": 0.5}, "reason": Reason("exact", "the same text")}
    hit = Hit(**own)
    assert with_confidence(hit, 0.75) == replace(hit, confidence=0.75)
    assert with_confidence(hit, 0.75, {"dense": 1.0}) == replace(hit, confidence=0.75, signals={"dense": 1.0})


def test_words_of_the_document_speak_for_a_name_that_says_more() -> None:
    hits = [hit("a", "Neurotoxicity Syndromes", 0.25), hit("b", "Drug Toxicities", 0.20), hit("c", "Toxicity", 0.15)]
    moved = in_document(hits, "toxicity", words={"the", "drug", "toxicity", "of"}).first(3)
    assert [one.id for one in moved] == ["b", "c", "a"]
    assert [one.signals["document"] for one in moved] == [1, 0.5, 0]
    assert sum(one.confidence for one in moved) == pytest.approx(0.6)
    assert moved[0].confidence / moved[2].confidence == pytest.approx(0.20 / 0.25 * np.exp(1.5))


def test_a_hit_that_is_not_made_yet_has_the_same_words_and_equivalents(index: Index) -> None:
    (pending,) = pending_hits_of(index, index.signals.queries(["breast cancer"]), SearchOptions())
    hits = search(index, "breast cancer")
    assert [made(one) for one in pending] == hits
    for one, hit in zip(pending, hits, strict=True):
        assert isinstance(one, PendingHit)
        assert one.extra_words == set(tokens(hit.matched)) - {"breast", "cancer"}
        assert (one.id, one.equivalents) == (hit.id, hit.equivalents)


def test_names_that_say_no_more_keep_order_and_confidence() -> None:
    hits = [hit("a", "Cold", 0.4), hit("b", "Colds", 0.4), hit("c", "Cold 2", 0.1)]
    moved = in_document(hits, "cold", words={"drug"}).first(3)
    assert [(one.id, one.confidence) for one in moved] == [(one.id, pytest.approx(one.confidence)) for one in hits]


def test_weights_of_nothing_change_nothing() -> None:
    hits = [hit("a", "Cold", 0.0)]
    assert in_document(hits, "cold", expected=lambda _: True).first(1) == hits
    assert in_document([], "cold", words={"drug"}).first(1) == []


def test_expected_types_are_preferred_by_stated_odds() -> None:
    hits = [hit("a", "x", 0.5), hit("b", "y", 0.3)]
    moved = in_document(hits, "z", expected=lambda one: one.id == "b").first(2)
    assert [one.id for one in moved] == ["b", "a"]
    assert moved[0].confidence / moved[1].confidence == pytest.approx(EXPECTED_ODDS * 0.3 / 0.5, abs=1e-4)
    assert sum(one.confidence for one in moved) == pytest.approx(0.8, abs=2e-6)
    assert in_document(hits, "z", expected=lambda one: one.id == "b").first(1) == moved[:1]


@pytest.mark.parametrize(
    ("passage", "heading", "name"),
    [
        ("Allergies: potassium", "allergies", "allergies"),
        ("HISTORY\nwell\nLABORATORY RESULTS\npotassium", "laboratory results", "laboratory results"),
        ("Plan:\nstop. Labs :  sodium\npotassium 3.1", "labs", "laboratory results"),
        ("Plan:\nour  keys : potassium 3.1", "our keys", "our keys"),
        ("Labs:\nsodium\n\npotassium", "labs", "laboratory results"),
        ("given potassium", "", ""),
        ("potassium\nLabs: none", "", ""),
    ],
)
def test_the_heading_above_a_mention(passage: str, heading: str, name: str) -> None:
    assert section(Mention("potassium", start=passage.index("potassium"), passage=passage)) == (heading, name)


def test_a_mention_without_a_place_has_no_section() -> None:
    assert section(Mention("potassium", passage="Labs: potassium")) == ("", "")
    assert section(Mention("potassium", start=7, passage="Labs: potassium")) == ("", "")


def test_an_ambiguous_name_goes_to_the_type_expected(index: Index) -> None:
    chosen = {tag: ask(index, "potassium", options=NormalizeOptions(expected=(tag,))).id for tag in TAGS}
    assert chosen == {"substance": "W:1", "measurement": "W:2"}


TAGS = ("substance", "measurement")


def test_a_type_that_nothing_near_has_leaves_the_answer(index: Index) -> None:
    assert ask(index, "breast cancer", options=NormalizeOptions(expected=TAGS)).id == "W:3"


def test_the_section_says_which_type_is_expected(index: Index) -> None:
    sections = (("Allergies", "substance"), ("labs", "measurement"), ("LABS", "procedure"))
    options = NormalizeOptions(sections=sections)
    assert ask(index, "potassium", "Allergies: potassium", options).id == "W:1"
    assert ask(index, "potassium", "Allergies: none\nLabs: potassium 3.1", options).id == "W:2"
    named = NormalizeOptions(sections=(("Laboratory results", "measurement"),))
    assert ask(index, "potassium", "Bloods: potassium 3.1", named).id == "W:2"
    told = [
        {hit.id: hit.confidence for hit in ask(index, "potassium", "Labs: potassium", how).candidates}["W:2"]
        for how in (options, NormalizeOptions())
    ]
    assert told[0] > told[1]


def test_an_unknown_tag_lists_the_tags(index: Index) -> None:
    with pytest.raises(UnknownNameError, match="unknown tag 'drug'"):
        ask(index, "potassium", options=NormalizeOptions(expected=("drug",)))
    with pytest.raises(UnknownNameError, match="unknown tag 'drug'"):
        ask(index, "potassium", options=NormalizeOptions(sections=(("Labs", "drug"),)))


def test_the_document_chooses_between_near_names(index: Index) -> None:
    drug, nerve = "The drug showed toxicity.", "Toxicity to the nerve. Also toxicity."
    assert ask(index, "toxicity", drug).candidates[0].id == "W:14"
    assert ask(index, "toxicity", nerve).candidates[0].id == "W:15"
    alone = NormalizeOptions(document=False)
    assert ask(index, "toxicity", drug, alone).candidates == ask(index, "toxicity", nerve, alone).candidates


def test_one_candidate_asked_for_is_chosen_among_many(index: Index) -> None:
    one = NormalizeOptions(search=SearchOptions(k=1))
    assert [found.id for found in ask(index, "toxicity", "The drug's toxicity.", one).candidates] == ["W:14"]
    assert [found.id for found in ask(index, "toxicity", "Its nerve toxicity.", one).candidates] == ["W:15"]


def test_one_signal_alone_is_left_as_it_is(index: Index) -> None:
    options = NormalizeOptions(search=SearchOptions(signal="char"))
    assert "document" not in ask(index, "toxicity", "drug toxicity", options).candidates[0].signals
    assert "document" in ask(index, "toxicity", "drug toxicity").candidates[0].signals


@pytest.mark.parametrize(
    ("passage", "concept"),
    [
        ("DM is frequent in diabetes mellitus clinics.", "W:8"),
        ("The gene of myotonic dystrophy was found. DM mice", "W:9"),
        ("In DM, defined as diabetes mellitus (DM), myotonic dystrophy is rare.", "W:8"),
    ],
)
def test_an_undefined_abbreviation_means_what_the_document_names(index: Index, passage: str, concept: str) -> None:
    assert ask(index, "DM", passage).id == concept


def test_an_abbreviation_that_no_name_has_is_read_from_the_document(index: Index) -> None:
    passage = "MED was seen; multiple epiphyseal dysplasia is rare."
    assert ask(index, "MED", passage).id == "W:13"
    assert ask(index, "MED", passage, NormalizeOptions(abbreviations=False)).confidence < 0.5


@pytest.mark.parametrize(
    ("text", "names", "ids"),
    [
        ("breast and ovarian cancer", ["breast cancer", "ovarian cancer"], ["W:3", "W:4"]),
        ("hepatitis B/C", ["hepatitis B", "hepatitis C"], ["W:6", "W:7"]),
        ("hepatitis C or B", ["hepatitis C", "hepatitis B"], ["W:7", "W:6"]),
    ],
)
def test_a_composite_mention_gets_a_concept_for_each_part(
    index: Index, text: str, names: list[str], ids: list[str]
) -> None:
    answer = ask(index, text)
    assert [part.mention.text for part in answer.parts] == names
    assert [part.id for part in answer.parts] == ids
    assert [part.mention.id for part in answer.parts] == ["m#1", "m#2"]
    assert answer.id == ids[0]
    assert answer.mention.text == text
    assert answer.confidence == min(part.confidence for part in answer.parts)
    assert [one.id for one in answer.candidates[:2]] == ids
    assert len({one.id for one in answer.candidates}) == len(answer.candidates)


def test_a_name_of_one_concept_is_not_taken_apart(index: Index) -> None:
    answer = ask(index, "head and neck cancer")
    assert (answer.id, answer.parts) == ("W:10", ())


def test_parts_that_mean_the_same_are_one_answer(index: Index) -> None:
    answer = ask(index, "known or suspected breast cancer")
    assert (answer.id, answer.parts, answer.mention.text) == ("W:3", (), "known or suspected breast cancer")


def test_one_signal_alone_takes_nothing_apart(index: Index) -> None:
    options = NormalizeOptions(search=SearchOptions(signal="char"))
    assert ask(index, "breast and ovarian cancer", options=options).parts == ()


def test_composites_can_be_left_whole(index: Index) -> None:
    answer = ask(index, "breast and ovarian cancer", options=NormalizeOptions(composites=False))
    assert answer.parts == ()
    assert answer.confidence == answer.candidates[0].confidence


def test_a_part_below_the_threshold_is_nil(index: Index) -> None:
    answer = ask(index, "breast and ovarian cancer", options=NormalizeOptions(threshold=1.0))
    assert (answer.id, [part.id for part in answer.parts]) == (None, [None, None])
