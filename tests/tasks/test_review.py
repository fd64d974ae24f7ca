"""The rules of a review: what is decided, what replaces what, order, lists, undo."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from ontonym import checksums
from ontonym.errors import FormatError, InputError, LockedError, MismatchError, UnknownNameError
from ontonym.tasks.review import (
    FILTERS,
    VERDICTS,
    GivenDecision,
    filters,
    open_review,
    read_items,
    read_journal,
    seen_in,
    start_review,
)
from ontonym.tasks.review import review as review_module
from reviewed import CANDIDATES, HEAD, SAME, begun, laid_out, reviewing, told


def test_items_are_what_the_file_says(tmp_path):
    items = read_items(laid_out(tmp_path))
    assert list(items) == ["L:1", "L:2", "L:3", "L:4", "L:5"]
    first = items["L:1"]
    assert [(one.id, one.confidence) for one in first.candidates] == [("T:1", 0.95), ("T:2", 0.3)]
    assert (first.frequency, first.proposed.id, first.candidates[0].why) == (10, "T:1", ("equal", "matched"))
    assert items["L:3"].proposed is None  # 0.1 is not likely
    assert (items["L:4"].candidates, items["L:4"].note) == ((), "nothing was found")
    assert items["L:5"].proposed.verdict == "broad"


def test_a_code_given_as_files_write_it_is_named(tmp_path):
    start_review(tmp_path / "s.review", laid_out(tmp_path, HEAD + f"A1\ta\t{SAME}\t\tT:1\tb\tm\t0.9\n"))
    with reviewing(tmp_path / "s.review") as review, pytest.raises(InputError, match=r"'local:A1'.*mean 'A1'\?"):
        review.item("local:A1")


def test_doubt_is_that_what_is_proposed_is_wrong(tmp_path):
    items = read_items(laid_out(tmp_path))
    assert {one.id: round(one.doubt, 2) for one in items.values()} == {
        "L:1": 0.05, "L:2": 0.4, "L:3": 0.1, "L:4": 1.0, "L:5": 0.1,
    }  # fmt: skip


def test_a_decision_replaces_those_that_were_seen_and_no_other(tmp_path):
    path = begun(tmp_path)
    with reviewing(path, "ben") as review:
        seen = review.standing("L:1").version
        event = review.decide("L:1", "none")
    with reviewing(path) as review:
        review.decide("L:1", "exact", "T:1", seen=seen_in(seen))
        assert told(review, "L:1") == [("ben", "none", ""), ("anna", "exact", "T:1")]
        assert review.standing("L:1").status == "disagreed"
        review.decide("L:1", "broad", "T:2", seen={event.id})
        assert told(review, "L:1") == [("anna", "exact", "T:1"), ("anna", "broad", "T:2")]
        review.decide("L:1", "close", "T:2")
        assert told(review, "L:1") == [("anna", "close", "T:2")]


def test_order_is_by_frequency_times_doubt(tmp_path):
    with reviewing(begun(tmp_path)) as review:
        assert review.listed() == ["L:2", "L:4", "L:1", "L:3", "L:5"]  # 40, 2, 0.5, 0.1, 0.1


def test_proposals_and_frequencies_of_other_files(tmp_path):
    proposals = tmp_path / "p.tsv"
    proposals.write_text(f"subject_id\tpredicate_id\tobject_id\nL:1\t{SAME}\tT:2\nL:3\t{SAME}\tT:9\n")
    frequencies = tmp_path / "f.csv"
    frequencies.write_text('code;count\nL:3;"1,000"\nL:3;5\nL:9;3\n')
    items = read_items(laid_out(tmp_path), proposals, frequencies)
    assert {one.id: one.proposed.id for one in items.values() if one.proposed} == {"L:1": "T:2", "L:3": "T:9"}
    assert (items["L:3"].frequency, items["L:1"].frequency, items["L:5"].frequency) == (1005, 10, 1)
    assert items["L:2"].doubt == 0.6  # nothing is proposed, but T:3 may be right
    assert [one.id for one in items["L:3"].candidates] == ["T:5", "T:9"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD, "no mapping to review"),
        ("id\tname\n1\tx\n", "no column subject_id"),
        (HEAD + f"L:1\ta\t{SAME}\t\tT:1\tb\tm\t1.5\n", "all.sssom.tsv:4: the confidence '1.5' is no number in [0, 1]"),
        (HEAD + f"L:1\ta\t{SAME}\t\tT:1\tb\tm\t\t\t\t\tmany\n", ":4: the frequency 'many' is no number"),
        (HEAD + f"L:1\ta\t{SAME}\t\t\tb\tm\n", ":4: no object_id"),
        (HEAD + f"L:1\ta\t{SAME}" + "\tx" * 12, ":4: 15 cells, but there are 12 columns"),
    ],
)
def test_candidates_that_are_none(tmp_path, text, said):
    with pytest.raises(FormatError, match=said.replace("[", r"\[").replace("]", r"\]")):
        start_review(tmp_path / "s.review", laid_out(tmp_path, text))
    assert not (tmp_path / "s.review").exists()


def test_frequencies_are_read_as_people_write_them(tmp_path):
    (tmp_path / "f.csv").write_text("code;count\nL:1;48,0\nL:2;12.345\nL:3;0.5\nL:5;\n")
    items = read_items(laid_out(tmp_path), frequencies=tmp_path / "f.csv")
    assert [items[f"L:{number}"].frequency for number in (1, 2, 3, 5)] == [48, 12345, 0.5, 1]
    (tmp_path / "f.csv").write_text("code;count\nL:1;1.000\n")
    with pytest.raises(FormatError, match=r"f\.csv:2: the frequency '1\.000' may be 1 or 1000"):
        read_items(laid_out(tmp_path), frequencies=tmp_path / "f.csv")


def test_frequencies_without_columns(tmp_path):
    (tmp_path / "f.csv").write_text("a,b\n1,2\n")
    with pytest.raises(FormatError, match=r"f\.csv:1: no column of ids, or none of frequencies"):
        read_items(laid_out(tmp_path), frequencies=tmp_path / "f.csv")


def test_another_decision_takes_the_place_of_the_first(tmp_path):
    with reviewing(begun(tmp_path)) as review:
        review.decide("L:1", "exact", "T:1")
        review.decide("L:1", "broad", "T:2")
        assert told(review, "L:1") == [("anna", "broad", "T:2")]
        review.decide("L:1", "none")
        assert told(review, "L:1") == [("anna", "none", "")]
        assert review.standing("L:1").status == "none"


def test_also_maps_to_several(tmp_path):
    with reviewing(begun(tmp_path)) as review:
        review.decide("L:1", "narrow", "T:1")
        review.decide("L:1", "narrow", "T:2", also=True)
        assert told(review, "L:1") == [("anna", "narrow", "T:1"), ("anna", "narrow", "T:2")]
        assert review.standing("L:1").status == "mapped"
        review.decide("L:1", "exact", "T:1", also=True)  # one target has one relation
        assert told(review, "L:1") == [("anna", "narrow", "T:2"), ("anna", "exact", "T:1")]
        review.decide("L:1", "exact", "T:9")
        assert told(review, "L:1") == [("anna", "exact", "T:9")]


def test_rejections_stay_beside_what_is_accepted(tmp_path):
    with reviewing(begun(tmp_path)) as review:
        review.decide("L:1", "reject", "T:2")
        assert review.standing("L:1").status == "undecided"
        review.decide("L:1", "exact", "T:1")
        assert set(told(review, "L:1")) == {("anna", "reject", "T:2"), ("anna", "exact", "T:1")}
        review.decide("L:1", "exact", "T:2")
        assert told(review, "L:1") == [("anna", "exact", "T:2")]
        review.decide("L:1", "reject", "T:2")
        assert told(review, "L:1") == [("anna", "reject", "T:2")]


def test_the_same_again_is_no_event_and_another_reviewer_confirms(tmp_path):
    path = begun(tmp_path)
    with reviewing(path) as review:
        assert review.decide("L:1", "exact", "T:1") is not None
        assert review.decide("L:1", "exact", "T:1") is None
    with reviewing(path, "ben") as review:
        review.decide("L:1", "exact", "T:1")
        assert told(review, "L:1") == [("anna", "exact", "T:1"), ("ben", "exact", "T:1")]
        review.decide("L:1", "exact", "T:2")
        assert told(review, "L:1") == [("ben", "exact", "T:2")]
        assert review.standing("L:1").clashes == ()  # ben saw what anna had decided


def test_a_concept_is_put_off_with_a_comment_or_an_empty_one(tmp_path):
    with reviewing(begun(tmp_path)) as review:
        assert review.decide("L:1", "skip", comment="ask ben").did == "skip"
        assert review.decide("L:2", "skip", comment=" ").did == "skip"
        assert [one.text for one in review.standing("L:1").comments] == ["ask ben"]
        assert review.standing("L:2").comments == ()


def test_what_was_seen_is_kept(tmp_path):
    path = begun(tmp_path)
    with reviewing(path) as review:
        review.decide("L:1", "exact", "T:77", label="typed by hand", comment="from the list of 2020")
        assert review.item("L:1").candidate("T:77").label == "typed by hand"
    (comment, decided) = read_journal(path).events
    assert (decided.proposed, decided.confidence, decided.shown) == ("T:1", 0.95, ("T:1", "T:2"))
    assert (comment.text, comment.source, comment.who) == ("from the list of 2020", "L:1", "anna")
    with reviewing(path) as review:  # and it is among the candidates when the review goes on
        assert [(one.id, one.added) for one in review.item("L:1").candidates] == [
            ("T:1", False), ("T:2", False), ("T:77", True),
        ]  # fmt: skip


def test_lists(tmp_path):
    path = begun(tmp_path)
    with reviewing(path, "ben") as review:
        review.decide("L:5", "broad", "T:6")
    with reviewing(path) as review:
        review.decide("L:1", "exact", "T:1")
        review.decide("L:4", "none")
        review.decide("L:3", "reject", "T:5")
        review.assign(["L:2"], ["anna"])
        review.comment("L:2", "hm")
        review.skip("L:2")
        listed = {name: review.listed(name) for name in FILTERS}
        assert listed == {
            "undecided": ["L:3", "L:2"],  # put off goes last
            "mine": ["L:4", "L:1", "L:3"],
            "assigned": ["L:2"],
            "mapped": ["L:1", "L:5"],
            "rejected": ["L:4", "L:3"],
            "disagreed": [],
            "commented": ["L:2"],
            "skipped": ["L:2"],
            "all": ["L:4", "L:1", "L:3", "L:5", "L:2"],
        }
        assert review.listed("all", "Kidney") == ["L:1"]
        assert review.listed("all", "cardiac fail") == ["L:2"]  # a candidate's label
        assert review.listed("all", "l:4") == ["L:4"]
        assert review.listed("all", "  KÍDNEY gènetic") == []
        assert review.listed("all", "kídney agenesis") == ["L:1"]
        with pytest.raises(UnknownNameError, match=r"unknown filter 'mime'\. Did you mean 'mine'"):
            review.listed("mime")
        progress = review.progress()
        assert review.count("rejected") == 2
        review.decide("L:3", "none")
        review.undo()
        assert review.progress() == progress
        review.redo()
        assert (review.progress().none, review.progress().undecided) == (2, 1)
    assert (progress.items, progress.mapped, progress.none, progress.undecided, progress.decided) == (5, 2, 1, 2, 3)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (("L:9", "exact", "T:1"), "no source concept 'L:9'"),
        (("L:1", "exactly", "T:1"), r"unknown verdict 'exactly'\. Did you mean 'exact'"),
        (("L:1", "exact", ""), "exact needs a target"),
        (("L:1", "none", "T:1"), "leave out T:1"),
    ],
)
def test_what_cannot_be_decided(tmp_path, ask, said):
    path = begun(tmp_path)
    before = path.read_bytes()
    with reviewing(path) as review, pytest.raises(InputError, match=said):
        review.decide(*ask)
    assert path.read_bytes() == before


def test_the_candidates_are_read_once_however_often_a_review_is_opened(tmp_path, monkeypatch):
    path = begun(tmp_path)
    monkeypatch.setattr(checksums, "_FRESH", 0)  # as if the file had lain there for a while
    read = []
    monkeypatch.setattr(checksums, "sha256", lambda file, taken=checksums.sha256: read.append(file) or taken(file))
    for _ in range(3):
        with open_review(path, "anna", read_only=True) as review:
            assert review.item("L:1").label == "kidney failure"
    assert len(read) == 1
    changed = laid_out(tmp_path, CANDIDATES.replace("kidney failure", "kidney flutter"))  # as many letters
    with pytest.raises(MismatchError, match=r"has changed since"), open_review(path, "anna", read_only=True):
        pass
    assert read[1:] == [changed]


def test_what_a_search_looks_in_is_made_once_for_all_who_open_the_review(tmp_path, monkeypatch):
    path = begun(tmp_path)
    made = []
    monkeypatch.setattr(filters, "key", lambda text, fold=filters.key: made.append(text) or fold(text))
    with reviewing(path) as review:
        assert review.listed("all", "kidney") == ["L:1"]
        review.decide("L:3", "exact", "T:77", label="kidney stones")
        assert review.listed("all", "kidney stones") == ["L:3"]
    del made[:]
    for _ in range(2):
        with open_review(path, "ben", read_only=True) as review:
            assert review.listed("all", "kidney") == ["L:1", "L:3"]
    assert [one for one in made if one != "kidney"] == ["L:3\nred hair\nT:5\nhair loss\nT:77\nkidney stones"] * 2


def test_a_server_reads_each_of_many_reviews_once(tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(review_module, "read_items", lambda *files: read.append(files) or read_items(*files))
    for name in "abcdef":
        (tmp_path / name).mkdir()
        begun(tmp_path / name)
    del read[:]
    for name in "abcdef" * 2:
        with open_review(tmp_path / name / "one.review", "anna", read_only=True) as review:
            assert len(review.items) == 5
    assert len(read) == 6


def test_a_changed_candidates_file_is_noticed(tmp_path):
    path = begun(tmp_path)
    with reviewing(path) as review:
        review.decide("L:1", "exact", "T:1")
        review.decide("L:3", "none")
    changed = laid_out(tmp_path, HEAD + f"L:1\tkidney failure\t{SAME}\t\tT:1\trenal failure\tm\t0.9\n")
    with pytest.raises(MismatchError, match=r"all\.sssom\.tsv: has changed since the review"), reviewing(path):
        pass
    start_review(tmp_path / "new.review", changed, decided=path)
    with reviewing(tmp_path / "new.review") as review:
        assert told(review, "L:1") == [("anna", "exact", "T:1")]
        assert review.elsewhere == ["L:3"]  # kept, though it is no longer asked


def test_files_are_found_beside_the_state_or_where_they_are_said_to_be(tmp_path):
    path = begun(tmp_path)
    other = tmp_path / "elsewhere"
    other.mkdir()
    moved = path.rename(other / path.name)
    with reviewing(moved):
        pass  # where it was
    candidates = (tmp_path / "all.sssom.tsv").rename(other / "all.sssom.tsv")
    with reviewing(moved):
        pass  # beside the state
    candidates.rename(tmp_path / "renamed.tsv")
    with pytest.raises(InputError, match="`candidates=FILE`"), reviewing(moved):
        pass
    with open_review(moved, "anna", candidates=tmp_path / "renamed.tsv") as review:
        assert len(review.items) == 5


def test_one_process_at_a_time(tmp_path):
    path = begun(tmp_path)
    with reviewing(path), pytest.raises(LockedError, match="process"), reviewing(path, "ben"):
        pass
    with reviewing(path), open_review(path, "ben", read_only=True) as looked:
        assert looked.progress().items == 5  # looking is always possible
        with pytest.raises(ValueError, match="opened only to be read"):
            looked.decide("L:1", "none")


def test_many_at_once_are_all_or_none(tmp_path):
    path = begun(tmp_path)
    before = path.read_bytes()
    with reviewing(path) as review:
        with pytest.raises(InputError, match="L:9"):
            review.decide_all([GivenDecision("L:1", "exact", "T:88"), GivenDecision("L:9", "none", "")])
        assert (path.read_bytes(), told(review, "L:1"), review.item("L:1").candidate("T:88")) == (before, [], None)
        assert review.decide_all([GivenDecision("L:1", "exact", "T:1", "sure"), GivenDecision("L:2", "none", "")]) == 2
    assert [event.did for event in read_journal(path).events] == ["comment", "decide", "decide"]


# Undo and redo -------------------------------------------------------------------------------------------------------

STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(sorted(VERDICTS)), st.sampled_from(["L:1", "L:2"]), st.sampled_from(["T:1", "T:3"])),
        st.tuples(st.sampled_from(["comment", "assign", "skip"]), st.sampled_from(["L:1", "L:2"]), st.just("x")),
        st.tuples(st.sampled_from(["undo", "redo"]), st.just(""), st.just("")),
    ),
    max_size=12,
)


def state(review):
    return {
        source: (
            sorted(event.decision for event in standing.in_force),
            [event.text for event in standing.comments],
            standing.assigned,
            standing.skipped,
        )
        for source, standing in ((source, review.standing(source)) for source in review.items)
    }


def step(review, what, source, text):
    """Does one thing; whether it was something that can be undone."""
    if what == "skip":
        return review.skip(source) is not None
    if what == "assign":
        return review.assign([source], [text]) > 0
    if what == "comment":
        return review.comment(source, text) is not None
    return review.decide(source, what, "" if what == "none" else text) is not None


@examples(60)
@given(steps=STEPS)
def test_undo_goes_back_step_by_step_and_redo_forth(tmp_path_factory, steps):
    """Against a plain stack of states, as every editor keeps them; and the same is read from the file."""
    path = begun(tmp_path_factory.mktemp("undo"))
    with reviewing(path) as review:
        past, future = [state(review)], []
        for what, source, text in steps:
            if what == "undo":
                assert (review.undo() is not None) == (len(past) > 1)
                if len(past) > 1:
                    future.append(past.pop())
            elif what == "redo":
                assert (review.redo() is not None) == bool(future)
                if future:
                    past.append(future.pop())
            elif step(review, what, source, text):
                past.append(state(review))
                future = []
            assert state(review) == past[-1]
    with open_review(path, "anna", read_only=True) as again:
        assert state(again) == past[-1]


def test_undo_is_of_ones_own(tmp_path):
    path = begun(tmp_path)
    with reviewing(path) as review:
        review.decide("L:1", "exact", "T:1")
    with reviewing(path, "ben") as review:
        assert review.undo() is None
        review.decide("L:1", "none")
    with reviewing(path) as review:
        review.undo()
        assert told(review, "L:1") == [("ben", "none", "")]
        review.redo()
        assert told(review, "L:1") == [("ben", "none", "")]  # ben had seen it, and decided otherwise


@pytest.mark.parametrize(("source", "hint"), [
    ("local:0012", "'0012'"), ("12", "'0012'"), ("d0087", "'D-0087'"), ("Short of BREATH", "'D-0087'"), ("0087", ""),
    ("cough", ""), ("D-0088", ""),
])  # fmt: skip
def test_an_unknown_source_concept_names_the_one_that_is_meant(tmp_path, source, hint):
    rows = [("0012", "Cough"), ("D-0087", "Short of breath"), ("D-1", "cough")]
    path = tmp_path / "codes.sssom.tsv"
    head = "subject_id\tsubject_label\tpredicate_id\tobject_id\tmapping_justification\n"
    path.write_text(head + "".join(f"{code}\t{name}\t{SAME}\tT:1\tm\n" for code, name in rows))
    start_review(tmp_path / "codes.review", path)
    with reviewing(tmp_path / "codes.review") as review, pytest.raises(InputError) as raised:
        review.item(source)
    assert str(raised.value).partition("codes.review")[2] == (f": did you mean {hint}?" if hint else "")
