"""Work shared out among processes: the same answers in the same order, errors told here, nothing left behind."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path

import numpy as np
import pytest

from built import SMALL, indexed
from ontonym.encoder.protocol import AliasPair, Scores
from ontonym.errors import CheckFailed, FormatError, InputError, UnknownIdError, UnknownNameError
from ontonym.index import Index, open_index
from ontonym.tasks import AnnotateOptions, NormalizeOptions, Reranking, annotate_texts, normalize
from ontonym.tasks.jobs import bundled, in_processes
from ontonym.tasks.normalize import normalize_groups
from ontonym.types import Mention

WARD = """id,name,synonyms
W:1,Breast cancer,Breast carcinoma
W:2,Ovarian cancer,
W:3,Hepatitis B,
W:4,Myotonic dystrophy,DM
W:5,Drug toxicity,
W:6,Nerve toxicity,
"""
NOTES = (
    "Myotonic dystrophy (DM) is no toxicity. DM with breast and ovarian cancer.",
    "No sign of drug toxicity of any kind. Hepatitis B in the family.",
    "Nothing at all.",
    "",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("jobs"), {"ward.csv": WARD}, SMALL)


@pytest.fixture(scope="module")
def index(place: Path) -> Iterator[Index]:
    with open_index(place) as opened:
        yield opened


def groups() -> Iterator[list[Mention]]:
    for number, note in enumerate(NOTES * 9):
        words = ("DM", "toxicity", "breast and ovarian cancer", "Hepatitis")
        yield [Mention(word, f"{number}", passage=note) for word in words if word in note]


@pytest.mark.slow
def test_two_processes_answer_as_one_does(index: Index) -> None:
    alone = list(normalize_groups(index, groups()))
    assert list(normalize_groups(index, groups(), jobs=2, at_once=5)) == alone
    assert [len(answers) for answers in alone[:4]] == [3, 2, 0, 0]
    mentions = [mention for group in groups() for mention in group]
    assert list(normalize(index, mentions, jobs=2)) == [answer for answers in alone for answer in answers]


def test_how_many_are_looked_up_together_changes_no_answer(index: Index) -> None:
    alone = list(normalize_groups(index, groups()))
    for at_once in (1, 3, 1_000):
        assert list(normalize_groups(index, groups(), at_once=at_once)) == alone


def test_groups_without_a_mention_are_not_gathered_without_end(index: Index) -> None:
    taken: list[int] = []

    def endless() -> Iterator[list[Mention]]:
        for number in count():
            taken.append(number)
            yield []

    answers = normalize_groups(index, endless(), at_once=5)
    assert [next(answers) for _ in range(7)] == [[]] * 7
    assert len(taken) == 10


@pytest.mark.slow
def test_two_processes_annotate_as_one_does(index: Index) -> None:
    alone = list(annotate_texts(index, NOTES * 3))
    assert any(alone)
    assert list(annotate_texts(index, NOTES * 3, AnnotateOptions(), jobs=2)) == alone


@pytest.mark.slow
def test_what_a_process_uses_is_looked_for_where_the_index_was_told(place: Path, tmp_path: Path) -> None:
    moved = [path.rename(tmp_path / path.name) for path in place.parent.iterdir() if path.name != place.name]
    by_ending = {path.suffix: path for path in moved}
    try:
        with open_index(place, terminologies=[by_ending[".terminology"]], encoder=by_ending[".encoder"]) as opened:
            (answer,) = normalize(opened, [Mention("hepatitis b")], jobs=2)
        assert answer.id == "W:3"
    finally:
        for path in moved:
            path.rename(place.parent / path.name)


@pytest.mark.slow
def test_errors_of_a_process_are_told_as_they_are(index: Index) -> None:
    with pytest.raises(UnknownNameError, match="unknown tag 'nonsense'"):
        list(normalize_groups(index, groups(), NormalizeOptions(expected=("nonsense",)), jobs=2))
    with pytest.raises(InputError, match="was never calibrated"):
        list(normalize_groups(index, groups(), NormalizeOptions(precision=0.9), jobs=2))


@pytest.mark.parametrize(
    "error",
    [
        InputError("so"),
        FormatError("a.csv", "no header", line=3, hint="Add one"),
        UnknownNameError("tag", "diseas", ["disease"]),
        UnknownIdError("X:1", "ward", ["X:2"]),
        CheckFailed("no"),
    ],
)
def test_an_error_comes_whole_out_of_another_process(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 (its own process)
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


@pytest.mark.slow
def test_no_process_runs_on_when_no_more_is_wanted(index: Index) -> None:
    before = set(multiprocessing.active_children())
    answers = normalize_groups(index, groups(), jobs=3, at_once=1)
    next(answers)
    assert len(set(multiprocessing.active_children()) - before) == 2  # and this one
    answers.close()
    assert set(multiprocessing.active_children()) == before


@pytest.mark.parametrize(("pieces", "others"), [(1, 0), pytest.param(2, 1, marks=pytest.mark.slow)])
def test_no_more_processes_are_started_than_there_is_work_for(index: Index, pieces: int, others: int) -> None:
    before = set(multiprocessing.active_children())
    answers = normalize(index, [Mention("hepatitis b")] * pieces, jobs=4, at_once=1)
    assert next(answers).id == "W:3"
    assert len(set(multiprocessing.active_children()) - before) == others
    assert [answer.id for answer in answers] == ["W:3"] * (pieces - 1)


@pytest.mark.slow
def test_work_goes_on_while_processes_start_and_then_is_shared(index: Index) -> None:
    places = in_processes(index, ProcessOf, iter(lambda: 0, 1), 2)
    first = next(places)
    assert first == os.getpid()
    assert next(place for place in places if place != first) in {
        child.pid for child in multiprocessing.active_children()
    }
    shared = list(islice(places, 40))
    assert len(set(shared)) == 2
    places.close()


class ProcessOf:
    """Says which process works, and takes a moment for it."""

    def __init__(self, index: Index) -> None:
        self.names = index.name_count

    def __call__(self, _: int) -> int:
        time.sleep(0.01)
        return os.getpid()


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_error_is_told_after_the_results_before_it(index: Index, jobs: int) -> None:
    found: list[int] = []
    with pytest.raises(InputError, match="piece 3"):
        found.extend(in_processes(index, FailsAtThree, range(9), jobs))
    assert found == [0, 1, 2]


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_error_of_the_input_is_told_after_the_results_before_it(index: Index, jobs: int) -> None:
    def pieces() -> Iterator[int]:
        yield from (7, 8, 9)
        raise FormatError("a.csv", "no row", line=4)

    found: list[int] = []
    with pytest.raises(FormatError, match="no row"):
        found.extend(in_processes(index, FailsAtThree, pieces(), jobs))
    assert found == [7, 8, 9]


class KilledElsewhere:
    """Works in the process of the test alone: every other one ends at once, as where it is killed."""

    def __init__(self, index: Index) -> None:
        self.process = int(os.environ["ONTONYM_TEST_PROCESS"])

    def __call__(self, piece: int) -> int:
        if os.getpid() != self.process:
            os._exit(9)
        time.sleep(0.05)
        return piece


@pytest.mark.slow
def test_a_process_that_is_killed_says_what_to_look_at(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONTONYM_TEST_PROCESS", str(os.getpid()))
    with pytest.raises(InputError, match=r"ended before it was done: it was killed, .* outside of `if __name__"):
        list(in_processes(index, KilledElsewhere, range(200), 2))


class FailsAtThree:
    """Gives each piece back but one."""

    def __init__(self, index: Index) -> None:
        self.names = index.name_count

    def __call__(self, piece: int) -> int:
        if piece == 3:
            raise InputError("piece 3 cannot be read")
        return piece


@pytest.mark.slow
def test_only_so_much_is_read_ahead(index: Index) -> None:
    taken: list[int] = []

    def endless() -> Iterator[list[Mention]]:
        for number in count():
            taken.append(number)
            yield [Mention("hepatitis b")]

    answers = normalize_groups(index, endless(), jobs=2, at_once=1)
    for _ in range(20):
        next(answers)
    assert 20 <= len(taken) <= 40
    answers.close()


KILLED = """
import multiprocessing, sys
from itertools import repeat
from ontonym.index import open_index
from ontonym.tasks import normalize
from ontonym.types import Mention

if __name__ == "__main__":
    with open_index(sys.argv[1]) as index:
        for number, _ in enumerate(normalize(index, repeat(Mention("hepatitis b")), jobs=3)):
            if number == 200:
                print(*(child.pid for child in multiprocessing.active_children()), flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9")
def test_a_killed_process_leaves_none_of_those_it_began(place: Path, tmp_path: Path) -> None:
    script = tmp_path / "endless.py"
    script.write_text(KILLED, encoding="utf-8")
    with subprocess.Popen([sys.executable, str(script), str(place)], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        children = [int(pid) for pid in running.stdout.readline().split()]
        running.kill()
    assert len(children) == 2
    for _ in range(200):
        if not any(is_running(pid) for pid in children):
            break
        time.sleep(0.1)
    assert not any(is_running(pid) for pid in children)


def is_running(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_one_job_at_least_and_no_more_with_a_reranker(index: Index) -> None:
    with pytest.raises(InputError, match="0 jobs were asked for"):
        list(normalize(index, [Mention("x")], jobs=0))

    class Constant:
        fingerprint, weight = "", 1.0

        def score(self, pairs: Sequence[AliasPair]) -> Scores:
            return np.zeros(len(pairs))

    with pytest.raises(InputError, match="a reranker uses all processors by itself"):
        list(normalize(index, [Mention("x")], NormalizeOptions(reranking=Reranking(Constant())), jobs=2))


def test_bundles_are_handed_on_as_soon_as_they_are_full() -> None:
    taken: list[str] = []

    def given() -> Iterator[str]:
        for one in ("a", "bb", "c", "dddd", "e"):
            taken.append(one)
            yield one

    bundles = bundled(given(), len, 3)
    assert next(bundles) == ["a", "bb"]
    assert taken == ["a", "bb"]
    assert list(bundles) == [["c", "dddd"], ["e"]]
    assert list(bundled([], len, 3)) == []
