"""Terms that users add: found in a refreshed index, audited, removed without a trace, carried over to new releases."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from built import random_encoder
from listed import stored
from ontonym.artifact import verify, write_artifact
from ontonym.errors import ArtifactError, LockedError
from ontonym.index import (
    AddedTerm,
    Index,
    IndexOptions,
    add_terms,
    amend,
    build_index,
    holdings,
    open_index,
    read_journal,
    remove_terms,
    update_index,
)
from ontonym.index.added import JOURNAL
from ontonym.index.extra import ADDED
from ontonym.index.scan import Scan
from ontonym.replacing import lock
from ontonym.store import open_terminology
from ontonym.tasks import STRATEGIES, SearchOptions, search
from ontonym.types import Concept, Correction, Term

CONCEPTS = (
    Concept("H:1", (Term("Myocardial infarction", "preferred"), Term("Heart attack"))),
    Concept("H:2", (Term("Syncope", "preferred"), Term("Fainting"), Term("Passing out"))),
    Concept("H:3", (Term("Common cold", "preferred"), Term("Coryza"))),
    Concept("H:4", (Term("Cold exposure", "preferred"),)),
    Concept("H:5", (Term("Fever", "preferred"), Term("Pyrexia")), tags=("finding",)),
)
QUERIES = ("funny turn", "heart attack", "cold", "passing out", "pyrexya", "turn", "attack of the heart", "")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    encoder = random_encoder(tmp_path / "e.encoder")
    with open_terminology(stored(tmp_path / "tiny.terminology", CONCEPTS)) as terminology:
        build_index([terminology], tmp_path / "tiny.index", encoder=encoder)
    return tmp_path / "tiny.index"


@pytest.fixture
def index(made: Path) -> Iterator[Index]:
    with open_index(made) as opened:
        yield opened


def answers(index: Index, strategy: str = "D-T+OD-T") -> list[list[dict[str, Any]]]:
    options = SearchOptions(strategy=strategy)
    return [[asdict(hit) for hit in search(index, query, options)] for query in QUERIES]


def test_an_added_term_is_found_in_the_refreshed_index_and_the_open_one_stays_as_it_is(
    made: Path, index: Index
) -> None:
    assert search(index, "blue moon")[0].id != "H:2"
    change = add_terms(made, [AddedTerm("H:2", "Blue moons", who="ann", why="ward 3 writes so")])
    assert (change.added, change.replaced, change.held, change.unknown) == (1, 0, 1, ())
    assert search(index, "blue moon")[0].id != "H:2"
    refreshed = index.refreshed()
    assert refreshed is not index
    assert refreshed.refreshed() is refreshed
    hit = search(refreshed, "blue moon")[0]
    assert (hit.id, hit.preferred, hit.matched, hit.source) == ("H:2", "Syncope", "Blue moons", "added by ann")
    assert hit.confidence > 0.5
    verify(made)


def test_strategies_look_where_they_say(made: Path, index: Index) -> None:
    add_terms(made, [AddedTerm("H:3", "heart attack")])
    index = index.refreshed()
    found = {name: search(index, "heart attack", SearchOptions(strategy=name, signal="dense")) for name in STRATEGIES}
    assert [hit.id for hit in found["D-T"]] == ["H:3"]
    assert {name for name, hits in found.items() if hits[0].id == "H:3"} == {
        "D-T", "D-C", *(name for name in STRATEGIES if name.startswith(("D-T+", "D-C+"))), "OD-T",
    } - {name for name in ("OD-T",) if found[name][0].id == "H:1"}  # fmt: skip
    assert found["O-T"][0].id == "H:1"
    assert [hit.id for hit in found["D-T+O-T"]][:2] == ["H:3", "H:1"]
    assert found["D-T+O-T"][1].confidence <= found["D-T+O-T"][0].confidence


def test_a_strategy_answers_the_same_after_another_one(tmp_path: Path) -> None:
    encoder = random_encoder(tmp_path / "e.encoder")
    with open_terminology(stored(tmp_path / "tiny.terminology", CONCEPTS)) as terminology:
        build_index([terminology], tmp_path / "tiny.index", encoder=encoder, options=IndexOptions(everyday=False))
    add_terms(tmp_path / "tiny.index", [AddedTerm("H:3", "heart attack"), AddedTerm("H:2", "funny turn")])
    with open_index(tmp_path / "tiny.index") as one, open_index(tmp_path / "tiny.index") as other:
        answers(one, "D-T")
        assert answers(one, "O-T") == answers(other, "O-T")


@pytest.mark.parametrize("signal", ["dense", "char"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_signal_brings_its_nearest_of_both_parts_together(made: Path, index: Index, signal: str, k: int) -> None:
    add_terms(made, [AddedTerm("H:3", "cold of the head"), AddedTerm("H:1", "attack"), AddedTerm("H:5", "hot head")])
    index = index.refreshed()
    nearest: dict[int, float] = {}
    for source in ("O", "D"):
        alone = index.signals.evidence(index.signals.query("head cold"), Scan(source, signal=signal))
        for concept, similarity in zip(alone.concepts.tolist(), alone.similarities(signal).tolist(), strict=True):
            nearest[concept] = max(similarity, nearest.get(concept, -1.0))
    scan = Scan("OD", signal=signal, k=k)
    found = index.signals.evidence(index.signals.query("head cold"), scan).concepts.tolist()
    assert 1 <= len(found) <= k
    least = min(nearest[concept] for concept in found)
    assert {concept for concept, similarity in nearest.items() if similarity > least + 1e-5} <= set(found)


def test_of_concepts_with_the_same_added_name_the_commoner_one_is_first(made: Path, index: Index) -> None:
    add_terms(made, [AddedTerm("H:3", "cc", count=2), AddedTerm("H:4", "cc"), *[AddedTerm("H:4", "CC")] * 3])
    hits = search(index.refreshed(), "cc", SearchOptions(strategy="D-T", signal="dense"))
    assert [hit.id for hit in hits] == ["H:4", "H:3"]
    assert hits[0].ambiguous == ("H:3",)


def test_a_count_has_a_highest_value(made: Path, index: Index) -> None:
    many = 2**31 - 1
    often = [AddedTerm("H:3", text, count=many) for text in ("cc", "cc", "cc", "Cc")]
    add_terms(made, [*often, AddedTerm("H:4", "cc")])
    again = index.refreshed()
    assert [one.term.count for one in holdings(again)] == [many, many, 1]
    assert [hit.id for hit in search(again, "cc", SearchOptions(strategy="D-T", signal="dense"))] == ["H:3", "H:4"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_is_removed_leaves_no_trace_in_answers(made: Path, index: Index, strategy: str) -> None:
    before = answers(index, strategy)
    files = {p.name: p.read_bytes() for p in made.iterdir() if p.is_file() and p.name != "manifest.json"}
    terms = [AddedTerm("H:2", "funny turn"), AddedTerm("H:4", "cold"), AddedTerm("H:9", "nobody")]
    add_terms(made, terms)
    assert answers(index.refreshed(), strategy) != before or strategy.startswith("O-")
    change = remove_terms(made, [AddedTerm("H:2", ""), AddedTerm("H:4", "cold"), AddedTerm("H:9", "nobody")])
    assert (change.removed, change.held, change.missing) == (3, 0, ())
    assert answers(index.refreshed(), strategy) == before
    assert not (made / ADDED).exists()
    assert {p.name: p.read_bytes() for p in made.iterdir() if p.is_file() and p.name in files} == files
    with open_index(made) as again:
        assert answers(again, strategy) == before


def test_the_journal_keeps_who_did_what_when_and_why(made: Path, index: Index) -> None:
    add_terms(made, [AddedTerm("H:2", "funny turn", who="ann", when="2026-01-02", why="ward 3")])
    add_terms(made, [AddedTerm("H:2", "funny turn", who="bob"), AddedTerm("H:5", "hot")])
    assert remove_terms(made, [AddedTerm("H:5", "hot", who="eve", why="vague"), AddedTerm("H:5", "warm")]).missing == (
        AddedTerm("H:5", "warm"),
    )
    entries = read_journal(index)
    assert [(one.did, one.term.text, one.term.who, one.term.why) for one in entries] == [
        ("added", "funny turn", "ann", "ward 3"), ("added", "funny turn", "bob", ""), ("added", "hot", "", ""),
        ("removed", "hot", "eve", "vague"),
    ]  # fmt: skip
    assert entries[0].term.when == "2026-01-02"
    assert entries[1].term.when > "2026-01-02"
    assert [(one.term.text, one.term.who) for one in holdings(index)] == [("funny turn", "bob")]


@pytest.mark.slow
def test_terms_survive_an_update_and_are_flagged_when_their_concept_goes(made: Path, tmp_path: Path) -> None:
    add_terms(made, [AddedTerm("H:2", "funny turn"), AddedTerm("H:4", "cold spell"), AddedTerm("H:5", "hot")])
    release = stored(
        tmp_path / "new.terminology",
        [
            Concept("H:0", (Term("Chill", "preferred"),)),
            *CONCEPTS[:1],
            Concept("H:2", (Term("Syncope", "preferred"),), status="retired", replaced_by=("H:20",)),
            CONCEPTS[2],
            Concept("H:4", (Term("Cold exposure", "preferred"),), status="retired"),
            CONCEPTS[4],
            Concept("H:20", (Term("Transient loss of consciousness", "preferred"),)),
        ],
    )
    updated = update_index(made, [release])
    assert updated.manifest.content["added"] == {"terms": 3, "searched": 2}
    with open_index(made) as index:
        found = {one.term.text: (one.concept, one.moved) for one in holdings(index)}
        assert found == {"funny turn": ("H:20", True), "cold spell": (None, False), "hot": ("H:5", False)}
        assert search(index, "funny turn")[0].id == "H:20"
        assert search(index, "hot")[0].id == "H:5"
        assert all(hit.matched != "cold spell" for hit in search(index, "cold spell"))
    with open_terminology(tmp_path / "tiny.terminology") as old:  # and a full build brings back what was gone
        build_index([old], made, encoder=tmp_path / "e.encoder")
    with open_index(made) as index:
        assert search(index, "cold spell")[0].id == "H:4"
        assert len(read_journal(index)) == 3


def test_an_unknown_id_is_told_and_kept(made: Path, index: Index) -> None:
    change = add_terms(made, [AddedTerm("X:1", "spots"), AddedTerm("H:5", "?!")])
    assert [(term.id, term.text) for term in change.unknown] == [("X:1", "spots")]
    assert (change.added, change.held) == (1, 1)  # what has no letter or digit is no name
    assert index.refreshed().signals.added is None
    assert [one.concept for one in holdings(index)] == [None]


def test_a_text_that_names_another_concept_too_is_told(made: Path) -> None:
    first = add_terms(made, [AddedTerm("H:1", "funny turn"), AddedTerm("H:2", "Fainting"), AddedTerm("X:1", "coryza")])
    assert first.shared == ()  # an own name, or a concept that is not there, is shared with nobody
    change = add_terms(made, [
        AddedTerm("H:2", "Funny turn"), AddedTerm("H:4", "coryza"), AddedTerm("H:5", "hot"), AddedTerm("NIL", "syncope")
    ])  # fmt: skip
    assert [(term.id, term.text, others) for term, others in change.shared] == [
        ("H:2", "Funny turn", ("H:1",)), ("H:4", "coryza", ("H:3",)),
    ]  # fmt: skip
    remove_terms(made, [AddedTerm("H:1", "funny turn")])
    assert add_terms(made, [AddedTerm("H:2", "Funny turn")]).shared == ()


def test_a_word_of_an_added_term_is_not_corrected_away(made: Path, index: Index) -> None:
    reason = search(index, "fevar")[0].reason
    assert (reason.correction, reason.detail.partition(":")[0]) == (Correction.CORRECTED, "read as “fever”")
    add_terms(made, [AddedTerm("H:3", "fevar")])
    hit = search(index.refreshed(), "fevar")[0]
    assert (hit.id, hit.reason.rule, hit.reason.correction) == ("H:3", "exact", Correction.NONE)


def test_filters_hold_for_added_terms(made: Path, index: Index) -> None:
    add_terms(made, [AddedTerm("H:2", "hot"), AddedTerm("H:5", "hot")])
    index = index.refreshed()
    for strategy in STRATEGIES:
        hits = search(index, "hot", SearchOptions(tags=("finding",), strategy=strategy))
        assert {hit.id for hit in hits} == {"H:5"}, strategy


@pytest.mark.slow
def test_a_handle_that_is_open_while_terms_come_and_go_answers_from_a_whole_state(made: Path, index: Index) -> None:
    problems: list[BaseException] = []
    stop = threading.Event()

    def ask() -> None:
        while not stop.wait(0.002):  # not all the time, or the terms would wait for their turn
            try:
                for query in QUERIES:
                    search(index.refreshed(), query)
            except BaseException as error:
                problems.append(error)
                return

    threads = [threading.Thread(target=ask) for _ in range(2)]
    try:
        for thread in threads:
            thread.start()
        for number in range(8):
            add_terms(made, [AddedTerm("H:2", f"funny turn {number}"), AddedTerm("H:4", "cold")])
            remove_terms(made, [AddedTerm("H:4", "cold")])
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert problems == []
    assert search(index.refreshed(), "funny turn 7")[0].matched == "funny turn 7"


def test_an_index_that_is_gone_or_replaced_keeps_serving_what_was_opened(made: Path, index: Index) -> None:
    before = answers(index)
    made.rename(made.with_name("moved.index"))
    assert index.refreshed() is index
    assert answers(index) == before


def test_a_change_waits_for_one_of_another_process(made: Path) -> None:
    held = threading.Event()

    def write() -> None:
        with lock(made.resolve()):
            held.set()
            time.sleep(0.2)

    other = threading.Thread(target=write)
    other.start()
    held.wait()
    assert add_terms(made, [AddedTerm("H:1", "x")]).added == 1
    other.join()


def test_an_index_that_another_process_writes_is_left_alone(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(amend, "PATIENCE", 0.0)
    with pytest.raises(RuntimeError), write_artifact(made, "index"):
        with pytest.raises(LockedError, match="is writing it now"):
            add_terms(made, [AddedTerm("H:1", "x")])
        raise RuntimeError
    assert add_terms(made, [AddedTerm("H:1", "x")]).added == 1


def test_a_missing_index_and_a_damaged_journal_are_errors(made: Path, tmp_path: Path) -> None:
    with pytest.raises(ArtifactError, match="no such index"):
        add_terms(tmp_path / "none.index", [AddedTerm("H:1", "x")])
    add_terms(made, [AddedTerm("H:1", "x")])
    journal = made / JOURNAL
    journal.write_bytes(b"?" * journal.stat().st_size)
    with pytest.raises(ArtifactError, match=r"added_terms.jsonl: damaged"):
        add_terms(made, [AddedTerm("H:1", "z")])
