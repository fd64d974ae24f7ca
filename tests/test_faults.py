"""`make faults` breaks nothing in small samples of what no other test tries; the list of dependencies is whole."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from limits import rounds

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
sys.path.insert(0, str(ROOT / "docs"))

linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory and files")


@linux
@pytest.mark.slow
@pytest.mark.parametrize(("fault", "times"), [("clock jumps", 2), ("two writers", 4), ("full disk, no memory", 4)])
def test_a_sample_of_faults_breaks_nothing(tmp_path: Path, fault: str, times: int) -> None:
    pytest.importorskip("scipy")
    import faults

    tried = faults.FAULTS[fault]
    assert tried.sample < tried.full
    assert tried.attempt(tmp_path, faults.Share(times, (7, 0))) == (times, [])


@linux
@pytest.mark.slow
def test_a_sample_of_hostile_files_is_read_or_refused(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    import faults

    assert faults.files(tmp_path, faults.Share(12, (7, 0))) == (12, [])


@linux
@pytest.mark.slow
@pytest.mark.parametrize("target", ["releases", "documents", "tables and mapping files", "reviews", "artifacts"])
def test_files_that_are_changed_at_random_are_read_or_refused(tmp_path: Path, target: str) -> None:
    pytest.importorskip("scipy")
    import fuzz

    found = fuzz.fuzz(target, tmp_path, 23, most=rounds(200))
    assert found.findings == {}
    assert 0 < found.refused < found.executions


def test_texts_that_are_drawn_at_random_are_normalized_for_good(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    import fuzz

    found = fuzz.fuzz("normalization", tmp_path, 23, most=rounds(400))
    assert (found.findings, found.refused) == ({}, 0)


def test_shares_of_all_faults_take_turns_and_make_up_the_full_counts() -> None:
    pytest.importorskip("scipy")
    import faults

    found = faults.shares(list(faults.FAULTS), 5, sample=False)
    for name, fault in faults.FAULTS.items():
        own = [share for one, share in found if one == name]
        assert sum(share.times for share in own) == fault.full
        assert [share.seeds for share in own] == [(5, first) for first in range(0, fault.full, fault.at_once)]
    assert {name for name, _ in found[: len(faults.FAULTS)]} == set(faults.FAULTS)
    sample = faults.shares(["kill -9"], 5, sample=True)
    assert sample == [("kill -9", faults.Share(faults.FAULTS["kill -9"].sample, (5, 0)))]


def test_every_exception_to_a_security_rule_says_why() -> None:
    folders = ("src", "benchmarks", "recipes", "examples", "docs", "tests")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    excepted = re.compile(r"# noqa: (?:[A-Z]+\d+, )*S\d{3}(.*)")
    found = [(file, match[1]) for file in files for match in excepted.finditer(file.read_text(encoding="utf-8"))]
    assert len(found) > 40
    assert [file.name for file, why in found if len(why.strip(" -(),SABC0123456789")) < 8] == []


def test_the_list_of_dependencies_has_every_pinned_package() -> None:
    import sbom

    lock = "# a comment\nclick==8.5.1\nCFGraph==0.2.1\nnot-a-package\n"
    assert sbom.pinned(lock) == [("click", "8.5.1"), ("CFGraph", "0.2.1")]
    made = sbom.bill(lock)
    assert [one["purl"] for one in made["components"]] == ["pkg:pypi/click@8.5.1", "pkg:pypi/cfgraph@0.2.1"]
    assert made["components"][0]["licenses"] == [{"license": {"name": "BSD-3-Clause"}}]
    assert len(sbom.pinned((ROOT / "requirements.lock").read_text(encoding="utf-8"))) > 100
