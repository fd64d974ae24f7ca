"""The state file of a review: crashes, hand edits, merging, agreement."""

from __future__ import annotations

import errno
import itertools
import os
import signal
import subprocess
import sys
import textwrap

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limits import examples
from ontonym.errors import ArtifactError, FormatError, InputError
from ontonym.tasks.review import (
    agreements,
    disagreements,
    merge_journals,
    open_journal,
    open_review,
    read_journal,
    start_review,
)
from ontonym.tasks.review.merging import merged
from reviewed import CANDIDATES, begun, laid_out, play, reviewing, told

DECIDED = [("exact", "L:1", "T:1"), ("none", "L:2", ""), ("comment", "L:2", "why"), ("reject", "L:3", "T:5")]


def test_every_event_is_a_line_that_stays(tmp_path):
    path = begun(tmp_path)
    sizes = [path.read_bytes()]
    for one in DECIDED:
        play(path, "anna", [one])
        sizes.append(path.read_bytes())
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(sizes))
    lines = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    assert lines[0]["ontonym_review"] == 1
    assert lines[0]["files"]["candidates"]["path"] == str(tmp_path / "all.sssom.tsv")
    assert [line["did"] for line in lines[1:]] == ["decide", "decide", "comment", "decide"]
    assert {line["who"] for line in lines[1:]} == {"anna"}
    assert all(line["time"].endswith("Z") for line in lines[1:])


@examples(40)
@given(share=st.floats(0, 1))
def test_a_file_that_is_torn_anywhere_loses_at_most_its_last_line(tmp_path_factory, share):
    folder = tmp_path_factory.mktemp("torn")
    path = begun(folder)
    play(path, "anna", DECIDED)
    whole = path.read_bytes()
    events = read_journal(path).events
    header = whole.index(b"\n") + 1
    cut = header + round(share * (len(whole) - header))
    path.write_bytes(whole[:cut])
    lines = whole[:cut].count(b"\n") - 1
    complete = whole[cut : cut + 1] == b"\n"  # only the line break is missing
    kept = events[: lines + complete]
    assert read_journal(path).events == kept
    with reviewing(path) as review:
        review.decide("L:5", "none")
    journal = read_journal(path)
    assert (journal.events[:-1], journal.events[-1].source, journal.torn) == (kept, "L:5", b"")
    torn = path.with_name(path.name + ".torn")
    left = whole[:cut].rpartition(b"\n")[2]
    assert torn.exists() == bool(left and not complete)
    if torn.exists():
        assert torn.read_bytes() == left + b"\n"


@pytest.mark.parametrize(
    ("error", "told"),
    [(OSError(errno.ENOSPC, "no space left"), ArtifactError), (KeyboardInterrupt(), KeyboardInterrupt)],
    ids=["full disk", "Ctrl-C"],
)
def test_what_could_not_be_written_whole_is_not_written_at_all(tmp_path, monkeypatch, error, told):
    path, write = begun(tmp_path), os.write

    def half(descriptor: int, data: bytes) -> int:
        if os.fstat(descriptor).st_ino != path.stat().st_ino:
            return write(descriptor, data)
        if len(data) < 40:
            raise error
        return write(descriptor, data[: len(data) // 2])

    with reviewing(path) as review:
        review.decide("L:1", "none")
        before = path.read_bytes()
        with monkeypatch.context() as patched, pytest.raises(told, match=path.name if told is ArtifactError else None):
            patched.setattr(os, "write", half)
            review.decide("L:2", "none")
        assert path.read_bytes() == before
        review.decide("L:5", "none")
    journal = read_journal(path)
    assert ([one.source for one in journal.events], journal.torn) == (["L:1", "L:5"], b"")


def test_a_state_file_is_never_packed(tmp_path):
    play(begun(tmp_path, "one.review.gz"), "anna", DECIDED)
    assert len(read_journal(tmp_path / "one.review.gz").events) == 4


@pytest.mark.slow
def test_kill_at_any_moment_keeps_what_was_decided(tmp_path):
    path = begun(tmp_path)
    code = f"""
        from ontonym.tasks.review import open_review
        with open_review({str(path)!r}, "anna") as review:
            for turn in range(10_000):
                review.decide("L:1", "exact", f"T:{{turn}}")
                print(turn, flush=True)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE)
    seen = -1
    for line in process.stdout:
        seen = int(line)
        if seen == 20:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.stdout.close()
    process.wait()
    with reviewing(path, "ben") as review:  # the lock is gone with the process
        targets = [event.target for event in review.journal.events]
        assert targets[: seen + 1] == [f"T:{turn}" for turn in range(seen + 1)]
        assert len(review.standing("L:1").decisions) == 1


def edited(path, change):
    lines = path.read_bytes().splitlines(keepends=True)
    change(lines)
    path.write_bytes(b"".join(lines))


@pytest.mark.parametrize(
    ("line", "old", "new", "said"),
    [
        (2, b'"did":"decide"', b'"did":"decde"', ":2: 'decde' is nothing that can be done"),
        (2, b'"verdict":"exact"', b'"verdict":"exakt"', ":2: 'exakt' is no verdict"),
        (3, b'"source"', b'"sorce"', ":3: an event has no field 'sorce'"),
        (3, b"}", b"", ":3: not JSON"),
        (4, b'"who":"anna"', b'"who":7', ":4: who is not a text"),
        (4, b'"who":"anna",', b"", ":4: the event has no who"),
        (5, b'"time":"2', b'"time":"x2', ":5: the time 'x2"),
        (2, b'"target":"T:1",', b"", ":2: the verdict exact has no target"),
        (3, b'"verdict":"none"', b'"verdict":"none","target":"T:1"', ":3: the verdict none has a target"),
        (5, b'"verdict"', b'"saw":["gone"],"verdict"', ":5: the event [0-9a-f]+ names the event gone"),
        (1, b'"ontonym_review":1', b'"ontonym_review":9', ":1: format 9; this ontonym reads 1"),
        (1, b"ontonym_review", b"review", ":1: the first line is not the header of a review"),
    ],
)
def test_a_file_broken_by_hand_is_one_error_and_stays_as_it_is(tmp_path, line, old, new, said):
    path = begun(tmp_path)
    play(path, "anna", DECIDED)

    def change(lines):
        assert old in lines[line - 1]
        lines[line - 1] = lines[line - 1].replace(old, new, 1)

    edited(path, change)
    broken = path.read_bytes()
    with pytest.raises(FormatError, match=rf"one\.review{said}"), reviewing(path):
        pass
    assert path.read_bytes() == broken


def test_two_events_with_one_id(tmp_path):
    path = begun(tmp_path)
    play(path, "anna", DECIDED)
    edited(path, lambda lines: lines.append(lines[1]))
    assert len(read_journal(path).events) == 4  # the same line twice is the same event
    edited(path, lambda lines: lines.append(lines[1].replace(b"T:1", b"T:2")))
    with pytest.raises(FormatError, match=":7: another event than that of line 2, with the same id"):
        read_journal(path)


def test_no_state_file(tmp_path):
    with pytest.raises(InputError, match="Begin one: `start_review"), reviewing(tmp_path / "none.review"):
        pass
    (tmp_path / "empty.review").write_bytes(b"")
    with pytest.raises(FormatError, match=":1: the first line is not the header"), reviewing(tmp_path / "empty.review"):
        pass
    path = begun(tmp_path)
    with pytest.raises(InputError, match="is there already"):
        start_review(path, tmp_path / "all.sssom.tsv")


def test_a_clock_that_was_set_back_keeps_the_order(tmp_path, monkeypatch):
    path = begun(tmp_path)
    play(path, "anna", [("exact", "L:1", "T:1")])
    edited(path, lambda lines: lines.__setitem__(1, lines[1].replace(b'"time":"20', b'"time":"30')))
    play(path, "anna", [("none", "L:1", ""), ("undo", "", "")])
    events = read_journal(path).events
    assert [event.did for event in events] == ["decide", "decide", "undo"]
    assert [event.time[:4] for event in events] == ["3026", "3026", "3026"]


# Merging -------------------------------------------------------------------------------------------------------------

SOURCES = st.sampled_from(["L:1", "L:2", "L:3"])
STEP = st.one_of(
    st.tuples(st.sampled_from(["exact", "broad", "reject", "none"]), SOURCES, st.sampled_from(["T:1", "T:2"])),
    st.tuples(st.sampled_from(["comment", "assign", "skip"]), SOURCES, st.sampled_from(["anna", "ben"])),
    st.tuples(st.sampled_from(["undo", "redo"]), st.just(""), st.just("")),
)


def standings(path):
    with open_review(path, "anna", read_only=True) as review:
        return {source: review.standing(source) for source in review.items}


@examples(25)
@given(parts=st.lists(st.tuples(st.sampled_from(["anna", "ben"]), st.lists(STEP, max_size=6)), min_size=3, max_size=3))
def test_merging_is_commutative_associative_and_idempotent(tmp_path_factory, parts):
    folder = tmp_path_factory.mktemp("merge")
    common = begun(folder, "common.review")
    play(common, "anna", [("exact", "L:1", "T:1")])
    paths = []
    for number, (who, steps) in enumerate(parts):
        path = folder / f"{number}.review"
        path.write_bytes(common.read_bytes())
        play(path, who, steps)
        paths.append(path)

    def joined(name, *some):
        merge_journals(some, folder / name)
        return folder / name

    a, b, c = paths
    whole = joined("abc", a, b, c)
    one, other = joined("ab_c", joined("ab", a, b), c), joined("a_cb", a, joined("cb", c, b))
    assert whole.read_bytes() == joined("cba", c, b, a).read_bytes() == one.read_bytes() == other.read_bytes()
    assert joined("again", whole, whole, a).read_bytes() == whole.read_bytes()
    ids = {event.id for path in paths for event in read_journal(path).events}
    assert {event.id for event in read_journal(whole).events} == ids
    play(whole, "ben", [("none", "L:3", "")])
    assert standings(whole)["L:3"].status == "none"  # whatever was before, a decision that saw it all settles it


def two(tmp_path, anna, ben):
    paths = [begun(tmp_path, "anna.review"), begun(tmp_path, "ben.review")]
    for path, who, steps in zip(paths, ("anna", "ben"), (anna, ben), strict=True):
        play(path, who, steps)
    return paths


def test_equal_decisions_fall_together_and_others_disagree_until_settled(tmp_path):
    paths = two(
        tmp_path,
        [("exact", "L:1", "T:1"), ("exact", "L:2", "T:3"), ("none", "L:3", ""), ("reject", "L:5", "T:6")],
        [("exact", "L:1", "T:1"), ("broad", "L:2", "T:3"), ("reject", "L:3", "T:5"), ("exact", "L:5", "T:6")],
    )
    both = tmp_path / "both.review"
    merge_journals(paths, both)
    assert [one.source for one in disagreements(read_journal(both).events)] == ["L:2", "L:5"]
    with reviewing(both, "anna") as review:
        assert told(review, "L:1") == [("anna", "exact", "T:1"), ("ben", "exact", "T:1")]
        assert review.standing("L:3").status == "none"  # a rejected candidate is nothing against "none fits"
        assert review.listed("disagreed") == ["L:2", "L:5"]
        review.decide("L:2", "exact", "T:3")  # anna stays with what she said, now knowing of ben
        review.decide("L:5", "none")
        assert review.listed("disagreed") == []
        assert told(review, "L:2") == [("anna", "exact", "T:3")]
        review.undo()
        assert review.listed("disagreed") == ["L:5"]
    play(paths[1], "ben", [("comment", "L:2", "it is broader")])
    merge_journals([both, paths[1]], both)  # more of ben's: what is settled stays so
    assert [one.source for one in disagreements(read_journal(both).events)] == ["L:5"]


def test_agreement_counts_what_was_decided_alone(tmp_path):
    pytest.importorskip("sklearn")
    paths = two(
        tmp_path,
        [("exact", "L:1", "T:1"), ("exact", "L:2", "T:3"), ("none", "L:3", ""), ("exact", "L:5", "T:6")],
        [("exact", "L:1", "T:1"), ("exact", "L:2", "T:4"), ("none", "L:3", ""), ("exact", "L:5", "T:6")],
    )
    both = tmp_path / "both.review"
    merge_journals(paths, both)
    (found,) = agreements(read_journal(both).events)
    # anna: as proposed, as proposed, none, as proposed; ben: as proposed, T:4, none, as proposed
    # observed 3/4; by chance 3/4 * 2/4 + 1/4 * 1/4 = 7/16; kappa = (12 - 7) / (16 - 7)
    assert (found.reviewers, found.both, found.same) == (("anna", "ben"), 4, 3)
    assert found.kappa == pytest.approx(5 / 9)
    play(both, "ben", [("exact", "L:2", "T:3")])  # convinced by anna: no more agreement than before
    assert agreements(read_journal(both).events) == [found]
    assert disagreements(read_journal(both).events) == []


def test_kappa_of_one_category_is_not_defined(tmp_path):
    pytest.importorskip("sklearn")
    paths = two(tmp_path, [("none", "L:3", "")], [("none", "L:3", "")])
    (found,) = agreements(merged([read_journal(path) for path in paths])[1])
    assert (found.both, found.same, found.kappa) == (1, 1, None)


def test_merging_keeps_what_was_torn(tmp_path):
    paths = two(tmp_path, [("none", "L:1", "")], [("none", "L:2", "")])
    with paths[0].open("ab") as stream:
        stream.write(b'{"id":"half')
    merge_journals(paths, paths[0])
    assert len(read_journal(paths[0]).events) == 2
    assert (tmp_path / "anna.review.torn").read_bytes() == b'{"id":"half\n'


def test_reviews_of_other_candidates_do_not_merge(tmp_path):
    one = begun(tmp_path)
    (tmp_path / "other").mkdir()
    laid_out(tmp_path / "other", CANDIDATES.replace("0.95", "0.94"))
    other = begun(tmp_path / "other")
    with pytest.raises(InputError, match="begun from different files"):
        merge_journals([one, other], tmp_path / "both.review")
    (tmp_path / "there.review").write_text("mine")
    with pytest.raises(InputError, match="is there already"):
        merge_journals([one, one], tmp_path / "there.review")
    assert (tmp_path / "there.review").read_text() == "mine"


def test_what_is_open_cannot_be_merged_into(tmp_path):
    paths = two(tmp_path, [], [("none", "L:1", "")])
    with open_journal(paths[0]), pytest.raises(InputError, match="is writing it now"):
        merge_journals(paths, paths[0])
    merge_journals(paths, paths[0])
    assert len(read_journal(paths[0]).events) == 1
