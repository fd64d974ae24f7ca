"""Building a terminology: what is reported meanwhile, and what is left where it is stopped or killed."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from limits import rounds
from ontonym.artifact import verify
from ontonym.store import build_terminology, open_terminology
from ontonym.types import Concept, Term

PAIN = Concept("HP:0012531", (Term("Pain", "preferred"),))


def test_progress_adds_up(release: type, tmp_path: Path) -> None:
    reported: list[int] = []
    many = (Concept(f"A:{i}", (Term(f"n{i}"),)) for i in range(12_001))
    build_terminology(release(many), tmp_path / "t", progress=reported.append)
    assert reported == [5000, 5000, 2001]


def test_interrupted_import_leaves_the_old_one_and_nothing_else(release: type, tmp_path: Path) -> None:
    def interrupted() -> Iterator[Concept]:
        yield Concept("HP:0000001", (Term("All", "preferred"),))
        raise KeyboardInterrupt

    before = build_terminology(release([PAIN]), tmp_path / "t")
    with pytest.raises(KeyboardInterrupt):
        build_terminology(release(interrupted()), tmp_path / "t")
    assert verify(tmp_path / "t") == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["t"]


IMPORT = """
import itertools, sys
from ontonym.ontology.batch import batches_of
from ontonym.store import build_terminology
from ontonym.types import Concept, Term


class Release:
    metadata = {"name": "killed", "version": "1"}

    class counts:
        to_dict = staticmethod(dict)

    def concepts(self):
        for row in range(300):
            yield Concept(f"A:{row}", (Term(f"name {row} of {self.turn}"),), (f"A:{row // 2}",) if row else ())

    def batches(self):
        return batches_of(self.concepts())


for Release.turn in itertools.count():
    build_terminology(Release(), sys.argv[1])
    print(Release.turn, flush=True)
"""


@pytest.mark.slow
def test_killed_import_leaves_a_whole_terminology(tmp_path: Path) -> None:
    chance = random.Random(7)  # noqa: S311 (no secret)
    for _ in range(rounds(20)):
        process = subprocess.Popen([sys.executable, "-c", IMPORT, str(tmp_path / "t")], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0, 0.1))
        process.kill()
        process.wait()
        process.stdout.close()
        verify(tmp_path / "t", "terminology")
        with open_terminology(tmp_path / "t") as terminology:
            turn = terminology.preferred(0).removeprefix("name 0 of ")
            assert terminology.preferred(299) == f"name 299 of {turn}"
            assert terminology.hierarchy.ancestors(299).tolist() == [0, 1, 2, 4, 9, 18, 37, 74, 149]
