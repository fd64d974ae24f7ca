"""``index --pages``, ``align``, ``benchmark pages``, ``evaluate alignment`` and ``train-aligner``, together."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from listed import stored
from little_pages import ARTICLES, CONCEPTS, PAGES
from made import concept
from ontonym.artifact import read_manifest
from ontonym.errors import MismatchError
from ontonym.evaluate.matching import read_alignment
from ontonym.tasks.align import align
from ontonym.tasks.align.alignments import AlignJournal


@pytest.fixture(scope="session")
def little(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with source.terminology, pages.terminology and little.pages."""
    from click.testing import CliRunner

    from ontonym.cli import main

    folder = tmp_path_factory.mktemp("little")
    stored(folder / "source.terminology", CONCEPTS, "source", "1")
    stored(folder / "pages.terminology", PAGES, "pages", "1")
    arguments = ["index", folder / "pages.terminology", "--pages", "-o", folder / "little.pages", "--json"]
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    statistics = json.loads(done.stdout)["content"]["statistics"]
    assert statistics == {"pages": 11, "with title": 11, "with aliases": 5, "with text": 3}
    return folder


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a SSSOM file."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    heads = lines[0].split("\t")
    return [dict(zip(heads, line.split("\t"), strict=True)) for line in lines[1:]]


def test_concepts_without_a_page_are_aligned_and_ranked(run, little: Path, tmp_path: Path) -> None:
    done = run("align", little / "source.terminology", little / "little.pages", "-o", tmp_path / "map.sssom.tsv")
    assert done.exit_code == 0, done.output
    rows = rows_of(tmp_path / "map.sssom.tsv")
    assert {row["subject_id"] for row in rows} <= {"T:1", "T:7"}  # the pages of the others are known by their ids
    (first, *_) = [row for row in rows if row["subject_id"] == "T:7"]
    assert first["object_id"] == "Wikidata:Q11"
    assert first["predicate_id"] == "skos:exactMatch"
    assert first["mapping_justification"] == "semapv:LexicalMatching"
    assert first["other"].startswith("rank 1; 1 name in common; BM25 ")
    assert float(first["confidence"]) > 0.5
    assert "5 concepts had a page already" in done.stdout
    assert done.stdout.endswith(f"map.sssom.tsv -o {tmp_path / 'map.review'}\n")
    assert not (tmp_path / "map.sssom.tsv.unfinished").exists()


def test_all_concepts_are_aligned_where_asked(run, little: Path, tmp_path: Path) -> None:
    out = tmp_path / "map.sssom.tsv"
    done = run("align", little / "source.terminology", little / "little.pages", "-o", out, "--all", "-k", 2,
               "--threshold", 0, "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["concepts"], told["aligned"], told["known"], told["resumed"]) == (7, 7, 5, 0)
    rows = rows_of(out)
    assert told["rows"] == len(rows) == 14
    best = {row["subject_id"]: row["object_id"] for row in rows[::-1]}
    assert best["T:3"] == "Wikidata:Q2"
    assert best["T:5"] == "Wikidata:Q1"
    for subject in best:
        sure = [float(row["confidence"]) for row in rows if row["subject_id"] == subject]
        assert sure == sorted(sure, reverse=True)
    same = {(row["subject_id"], row["object_id"]) for row in rows if row["mapping_justification"].endswith("Lexical")}
    assert same <= read_alignment(out).same
    assert ("T:5", "Wikidata:Q1") in read_alignment(out).same


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_the_output_passes_the_sssom_library(run, little: Path, tmp_path: Path) -> None:
    pytest.importorskip("sssom", reason="needs the extra oracle")
    from sssom.parsers import parse_sssom_table
    from sssom.validators import validate

    out = tmp_path / "map.sssom.tsv"
    assert run("align", little / "source.terminology", little / "little.pages", "-o", out, "--all").exit_code == 0
    parsed = parse_sssom_table(str(out))
    reports = validate(parsed, fail_on_error=False)
    assert [one for report in reports.values() for one in report.results] == []
    assert parsed.df["object_id"].str.startswith("Wikidata:Q").all()


def test_languages_and_known_mappings(run, little: Path, tmp_path: Path) -> None:
    out, known = tmp_path / "map.sssom.tsv", tmp_path / "known.sssom.tsv"
    arguments = [
        "align",
        little / "source.terminology",
        little / "little.pages",
        "-o",
        out,
        "--language",
        "ja",
        "--force",
    ]
    done = run(*arguments, "--all", "--json")
    assert done.exit_code == 0, done.output
    assert {row["subject_id"] for row in rows_of(out)} == {"T:3", "T:5", "T:7"}
    known.write_text(
        "subject_id\tpredicate_id\tobject_id\tmapping_justification\n"
        "T:7\tskos:exactMatch\tWikidata:Q11\tsemapv:ManualMappingCuration\n"
    )
    done = run(*arguments, "--known", known, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["known"] == 6
    assert rows_of(out) == []
    known.write_text(
        "subject_id\tpredicate_id\tpredicate_modifier\tobject_id\tmapping_justification\n"
        "T:7\tskos:exactMatch\tNot\tWikidata:Q11\tsemapv:ManualMappingCuration\n"
    )
    done = run(*arguments, "--known", known, "--threshold", 0, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["known"] == 5
    assert {row["subject_id"] for row in rows_of(out)} == {"T:7"}
    assert "Wikidata:Q11" not in {row["object_id"] for row in rows_of(out)}


def _stopped(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Ctrl-C after so many concepts."""
    whole = align

    def stopped(*arguments: Any, **more: Any) -> Any:
        for number, one in enumerate(whole(*arguments, **more)):
            if number == after:
                raise KeyboardInterrupt
            yield one

    monkeypatch.setattr("ontonym.tasks.align.alignments.align", stopped)


def test_a_stopped_run_goes_on(run, little: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, whole = tmp_path / "map.sssom.tsv", tmp_path / "whole.sssom.tsv"
    arguments = ["align", little / "source.terminology", little / "little.pages", "--all", "-o"]
    assert run(*arguments, whole).exit_code == 0
    with monkeypatch.context() as patched:
        _stopped(patched, 3)
        done = run(*arguments, out)
        assert done.exit_code == 130
        assert done.stderr.splitlines()[-1] == "interrupted"
        assert "--resume goes on from there" in done.stderr
    left = tmp_path / "map.sssom.tsv.unfinished"
    assert not out.exists()
    assert len(left.read_bytes().splitlines()) == 1 + 3
    left.write_bytes(left.read_bytes()[:-9])  # torn in the middle of a line, as by kill -9
    refused = run(*arguments, out, "--resume", "--aliases", 3)
    assert refused.exit_code == 2
    assert "is of a run with other options" in refused.stderr
    done = run(*arguments, out, "--resume", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["resumed"] == 2
    assert rows_of(out) == rows_of(whole)
    assert not left.exists()


def test_what_a_stopped_run_left_is_passed_over_without_resume(
    run, little: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "map.sssom.tsv"
    arguments = ["align", little / "source.terminology", little / "little.pages", "--all", "-o", out]
    with monkeypatch.context() as patched:
        _stopped(patched, 2)
        assert run(*arguments).exit_code == 130
    done = run(*arguments, "--json")
    assert json.loads(done.stdout)["resumed"] == 0
    assert len({row["subject_id"] for row in rows_of(out)}) == 7


def test_a_run_that_was_killed_before_its_first_results_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "map.sssom.tsv.unfinished"
    begun = AlignJournal(file, {"threshold": 0.5}, resume=True)
    assert file.read_bytes().count(b"\n") == 1  # what is there when nothing more can be written
    with pytest.raises(MismatchError, match="of a run with other options"):
        AlignJournal(file, {"threshold": 0.6}, resume=True)
    file.write_bytes(b"")
    again = AlignJournal(file, {"threshold": 0.6}, resume=True)
    assert (again.done, list(again.read())) == (0, [])
    begun.close(finished=False)
    again.close(finished=True)


@pytest.fixture(scope="session")
def gold(little: Path) -> Path:
    """The splits of the little terminology."""
    from click.testing import CliRunner

    from ontonym.cli import main

    arguments = ["benchmark", "pages", little / "source.terminology", little / "little.pages", "-o", little / "gold",
                 "--split", "50/25/25", "--seed", 2, "--json"]  # fmt: skip
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["train"] + told["dev"] + told["test"] == 5
    assert told["with several pages"] == 0
    assert told["names"] == {
        "concepts": {"number": 7, "names": 2.29, "languages": 1.29},
        "aligned concepts": {"number": 5, "names": 2.8, "languages": 1.4},
        "pages": {"number": 11, "names": 3.18, "languages": 2.73},
        "aligned pages": {"number": 5, "names": 3.8, "languages": 3.0},
    }
    return little / "gold"


def test_a_merged_page_has_the_names_of_its_parts_once(run, little: Path, tmp_path: Path) -> None:
    stored(tmp_path / "articles.terminology", ARTICLES, "articles")
    run("index", little / "pages.terminology", tmp_path / "articles.terminology", "--pages", "-o", tmp_path / "p.pages")
    done = run("benchmark", "pages", little / "source.terminology", tmp_path / "p.pages", "-o", tmp_path / "gold")
    assert done.exit_code == 0, done.output
    said = " ".join(done.stdout.split())
    assert "5 aligned pages: 4.0 names in 3.0 languages each" in said  # Febrile is new, Fever is not
    assert "12 pages: 3.1 names in 2.6 languages each" in said


def test_splits_share_no_concept_and_no_page(run, gold: Path) -> None:
    read = [read_alignment(gold / f"{split}.sssom.tsv").same if _rows(gold, split) else frozenset()
            for split in ("train", "dev", "test")]  # fmt: skip
    together = [pair for some in read for pair in some]
    assert sorted(together) == [
        ("T:3", "Wikidata:Q2"), ("T:4", "Wikidata:Q8"), ("T:5", "Wikidata:Q1"), ("T:6", "Wikidata:Q7"),
        ("T:8", "Wikidata:Q12"),
    ]  # fmt: skip
    done = run("info", gold)
    assert done.exit_code == 0, done.output
    assert "train" in done.stdout


def _rows(gold: Path, split: str) -> list[dict[str, str]]:
    return rows_of(gold / f"{split}.sssom.tsv")


def test_concepts_of_one_page_or_meaning_stay_in_one_split(run, tmp_path: Path) -> None:
    many = [concept(f"S:{n}", f"Disorder number {n}") for n in range(60)]
    twins = [concept(f"S:{100 + n}", f"Disorder number {n}, unspecified form") for n in range(60)]
    pages = [concept(f"P:{n}", f"Disorder number {n}", xrefs=f"S:{n} S:{100 + n}") for n in range(60)]
    double = concept("P:99", "Both", xrefs="S:0")
    stored(tmp_path / "s.terminology", [*many, *twins], "s")
    stored(tmp_path / "p.terminology", [*pages, double], "p")
    run("index", tmp_path / "p.terminology", "--pages", "-o", tmp_path / "p.pages")
    done = run("benchmark", "pages", tmp_path / "s.terminology", tmp_path / "p.pages", "-o", tmp_path / "gold",
               "--split", "50/20/30", "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["with several pages"] == 1
    split_of = {
        row["subject_id"]: split for split in ("train", "dev", "test") for row in _rows(tmp_path / "gold", split)
    }
    assert len(split_of) == 119
    assert len(set(split_of.values())) == 3
    for number in range(1, 60):
        assert split_of[f"S:{number}"] == split_of[f"S:{100 + number}"]


def test_evaluation_in_the_layout_of_the_paper(run, little: Path, tmp_path: Path) -> None:
    reference = tmp_path / "reference.sssom.tsv"
    pairs = [("T:3", "Q2"), ("T:4", "Q8"), ("T:5", "Q1"), ("T:6", "Q7"), ("T:8", "Q12"), ("T:999", "Q1")]
    reference.write_text(
        "subject_id\tpredicate_id\tobject_id\tmapping_justification\n"
        + "".join(f"{one}\tskos:exactMatch\tWikidata:{other}\tsemapv:ManualMappingCuration\n" for one, other in pairs)
    )
    arguments = ["evaluate", "alignment", little / "source.terminology", little / "little.pages", reference,
                 "--resamples", 50]  # fmt: skip
    done = run(*arguments, "--k", 1, "--k", 4)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[1].split() == ["method", "recall@4", "recall@1", "N.", "recall@1"]
    assert [line.split()[0] for line in lines[3:8]] == ["lexical", "char", "both", "all", "weighed"]
    assert any("5 concepts of reference.sssom.tsv, 1 pair of ids not there left out" in line for line in lines)
    runs = json.loads(run(*arguments, "--json").stdout)["runs"]
    assert runs["weighed"]["n"] == 5
    assert runs["weighed"]["measures"]["recall@1"]["value"] == 1
    assert runs["weighed"]["reachable"] == 5
    assert runs["lexical"]["measures"]["recall@64"]["value"] >= runs["lexical"]["measures"]["recall@1"]["value"]
    sample = json.loads(run(*arguments, "--json", "--sample", 2).stdout)["runs"]
    assert sample["char"]["n"] == 2


def test_a_reranker_of_pages_is_trained_and_used(
    run, little: Path, gold: Path, tmp_path: Path, tiny_bert: Callable[..., Path]
) -> None:
    base = tiny_bert(tmp_path / "bert", ["fever", "heart", "seizure", "cough"])
    arguments = ["train-aligner", little / "source.terminology", little / "little.pages", gold, "--base", base, "-o",
                 tmp_path / "little.reranker", "--tokens", 32, "--batch", 2, "--epochs", 2, "--threads", 1,
                 "--judged", 4]  # fmt: skip
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["train"] == {"groups": len(_rows(gold, "train")), "page not brought": 0, "without name": 0}
    assert told["dev"]["groups"] == len(_rows(gold, "dev"))
    out = tmp_path / "map.sssom.tsv"
    done = run("align", little / "source.terminology", little / "little.pages", "--all", "-o", out, "--rerank",
               tmp_path / "little.reranker", "--rerank-depth", 2)  # fmt: skip
    assert done.exit_code == 0, done.output
    read = [row for row in rows_of(out) if "reranker 0." in row["other"]]
    assert 7 <= len(read) <= 14
    done = run("evaluate", "alignment", little / "source.terminology", little / "little.pages", gold, "--split",
               "train", "--resamples", 50, "--rerank", tmp_path / "little.reranker", "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    runs = json.loads(done.stdout)["runs"]
    assert list(runs) == ["lexical", "char", "both", "all", "weighed", "reranked", "weighed and reranked"]
    assert runs["reranked"]["reachable"] == runs["weighed"]["reachable"] == len(_rows(gold, "train"))


def test_the_preset_of_rahimi_is_the_papers_system(
    run, little: Path, gold: Path, tmp_path: Path, tiny_bert: Callable[..., Path]
) -> None:
    base = tiny_bert(tmp_path / "bert", ["fever", "heart", "seizure", "cough"])
    sources = (little / "source.terminology", little / "little.pages", gold)
    output = tmp_path / "rahimi.reranker"
    asked = (*sources, "--base", base, "-o", output, "--tokens", 32, "--epochs", 1, "--threads", 1, "--json")
    told = {}
    for verb, more in (
        ("train", ("--preset", "pages")),
        ("train-aligner", ("--preset", "rahimi")),
        ("train", ("--preset=pages", "--negatives", 1, "--language", "en", "--device", "cpu", "--order", "both")),
        ("train-aligner", ()),
    ):
        done = run(verb, *asked, *more)
        assert done.exit_code == 0, done.output
        told[verb, len(more)] = read_manifest(output, "reranker").content
        shutil.rmtree(output)
    paper = told["train", 2]
    first, second = paper["alignment"]["options"], paper["training"]
    assert (first["order"], first["candidates"]) == ("lexical", 64)
    assert (second["loss"], second["negatives"], second["tokens"], second["epochs"]) == ("passage-pair", 0, 32, 1)
    assert paper["alignment"]["train"]["groups"] == len(_rows(gold, "train"))
    assert paper["alignment"]["dev"]["groups"] == len(_rows(gold, "dev"))
    assert paper == told["train-aligner", 2]
    changed = told["train", 9]
    assert (changed["training"]["negatives"], changed["alignment"]["options"]["order"]) == (1, "both")
    assert changed["alignment"]["options"]["languages"] == ["en"]
    ours = told["train-aligner", 0]
    assert (ours["training"]["negatives"], ours["alignment"]["options"]["order"]) == (7, "all")


def test_info_tells_of_a_page_index(run, little: Path) -> None:
    done = run("info", little / "little.pages", "--verify")
    assert done.exit_code == 0, done.output
    assert "11 pages" in done.stdout
    assert "every checksum matches" in done.stdout


@pytest.mark.slow
def test_what_the_user_can_mend(run, little: Path, gold: Path, tmp_path: Path) -> None:
    source, pages = little / "source.terminology", little / "little.pages"
    out = tmp_path / "x.sssom.tsv"
    stored(tmp_path / "retired.terminology", [CONCEPTS[-1]], "retired")
    stored(tmp_path / "other.terminology", [concept("U:1", "Rash")], "other")
    (tmp_path / "else.sssom.tsv").write_text(
        "subject_id\tpredicate_id\tobject_id\tmapping_justification\n"
        "X:1\tskos:exactMatch\tY:1\tsemapv:ManualMappingCuration\n"
    )
    for arguments, message in (
        (["align", source, source, "-o", out], "is a terminology, but a page index was expected"),
        (["align", source, "nowhere", "-o", out], "no such page index; make one with `ontonym index --pages`"),
        (["align", little / "pages.terminology", pages, "-o", out], "both sides are the same"),
        (["align", tmp_path / "retired.terminology", pages, "-o", out], "no active concept to align"),
        (["align", source, pages, "-o", out, "--known", tmp_path / "else.sssom.tsv"], "no mapping between source and"),
        (["align", source, pages, "-o", out, "--language", "xx"], "unknown language 'xx'"),
        (["align", source, pages, "-o", out, "--order", "best"], "unknown way to bring candidates 'best'"),
        (["align", source, pages, "-o", out, "--rerank", "nowhere"], "nowhere: no such reranker"),
        (["align", source, pages, "-o", out, "--rerank-weight", 1], "give --rerank DIR too"),
        (["align", source, pages, "-o", tmp_path / "no" / "x.tsv"], "cannot be written"),
        (["index", little / "pages.terminology", "--pages", "--language", "fr", "-o", tmp_path / "fr.pages"],
         "no page has a name in the languages fr; names are in: de, en, ja"),
        (["index", little / "pages.terminology", "--text", 5, "-o", tmp_path / "t.index"], "give --pages too"),
        (["index", little / "pages.terminology", "--pages", "--include-retired"], "--pages goes with none of"),
        (["benchmark", "pages", tmp_path / "other.terminology", pages, "-o", tmp_path / "g"],
         "no concept is known to have one page"),
        (["evaluate", "alignment", tmp_path / "other.terminology", pages, gold, "--split", "train"],
         "no pair of a concept of other and a page of pages"),
        (["evaluate", "alignment", source, pages, gold, "--compare", "weighed", "reranked"], "unknown run 'reranked'"),
        (["train-aligner", source, pages, gold / "train.sssom.tsv", "--base", "x", "-o", tmp_path / "r"],
         "is no folder with train and dev"),
    ):  # fmt: skip
        done = run(*arguments)
        assert done.exit_code == 2, (arguments, done.output)
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert not out.exists()
