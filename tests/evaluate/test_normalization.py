from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ontonym.errors import InputError
from ontonym.evaluate.corpora import GoldDocument, GoldMention
from ontonym.evaluate.measures import Protocol
from ontonym.evaluate.mistakes import Lookup, is_abbreviation
from ontonym.evaluate.normalization import (
    MentionHits,
    NormalizationReport,
    answer_mentions,
    evaluate_normalization,
    judge,
    marked_context,
)
from ontonym.evaluate.normalizationruns import format_report
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.types import Hit, Mention

KNOWN = {"T:1": "T:1", "T:2": "T:2", "T:3": "T:3", "T:old": "T:1"}
FAST = BootstrapOptions(resamples=200)


def hit(id_: str, *ambiguous: str) -> Hit:
    return Hit(id_, f"name of {id_}", "matched", "synonym", "exact", "", "t", 0.75, 0.9, ambiguous=ambiguous)


ANSWERS: dict[str, list[Hit]] = {
    "gout": [hit("T:1"), hit("T:2")],
    "mumps": [hit("T:3"), hit("T:2")],
    "shared": [hit("T:1", "T:2")],
    "twice": [replace(hit("T:1"), equivalents=("T:2",))],
    "MS": [hit("T:3")],
    "breast and lung cancer": [hit("T:1")],
    "breast cancer": [hit("T:1")],
    "lung cancer": [hit("T:2")],
    "nothing": [],
    "junk": [hit("T:2")],
}


def normalize(mentions: Sequence[Mention]) -> Iterable[Sequence[Hit]]:
    return [ANSWERS.get(mention.text, []) for mention in mentions]


def gold(text: str, *parts: str, kind: str = "Disease", document: str = "d1") -> GoldMention:
    return GoldMention(
        Mention(text, f"{document}:{text}", document, type=kind), tuple(frozenset(part.split()) for part in parts)
    )


def corpus(*golds: GoldMention) -> list[GoldDocument]:
    return [GoldDocument(golds[0].mention.document, "", golds)]


MENTIONS = (
    gold("gout", "T:old"),
    gold("mumps", "T:2"),
    gold("shared", "T:2"),
    gold("breast and lung cancer", "T:1", "T:2"),
    gold("nothing", ""),
    gold("junk", ""),
    gold("unknown", "T:404"),
    gold("aspirin", "T:3", kind="Chemical"),
)


def report(
    *, ambiguity: str = "strict", composite: str = "any", nil: str = "out", missing: str = "wrong"
) -> NormalizationReport:
    protocol = Protocol(
        "made",
        "all",
        "T 1",
        types=("Disease",),
        ambiguity=ambiguity,  # type: ignore[arg-type]
        composite=composite,  # type: ignore[arg-type]
        nil=nil,  # type: ignore[arg-type]
        missing=missing,  # type: ignore[arg-type]
    )
    return evaluate_normalization(corpus(*MENTIONS), normalize, protocol, resolve=KNOWN.get, bootstrap=FAST)


def test_strict_any_nil_out() -> None:
    run = report()
    assert run.ranks.tolist() == [1, 2, 0, 1, 0]
    assert run.measures["accuracy@1"].value == pytest.approx(2 / 5)
    assert run.measures["accuracy@5"].value == pytest.approx(3 / 5)
    assert run.measures["mrr"].value == pytest.approx((1 + 0.5 + 1) / 5)


def test_counts_add_up() -> None:
    run = report(composite="skip", missing="skip")
    assert run.skipped == {"other type": 1, "no concept": 2, "composite": 1, "missing from terminology": 1}
    assert run.mentions_read == len(MENTIONS) == run.n + sum(run.skipped.values())


def test_strict_and_lenient_stand_side_by_side() -> None:
    protocol = Protocol("made", "all", "T 1")
    golds = [gold("gout", "T:old"), gold("shared", "T:2"), gold("twice", "T:2"), gold("mumps", "T:2", kind="Sign")]
    run = evaluate_normalization(corpus(*golds), normalize, protocol, resolve=KNOWN.get, bootstrap=FAST)
    assert (run.measures["accuracy@1"].value, run.lenient[""].value) == (1 / 4, 3 / 4)
    assert (run.lenient["Disease"].value, run.lenient["Sign"].value) == (1, 0)
    assert run.to_dict()["lenient"]["accuracy@1"]["value"] == 3 / 4
    head, _, every, disease, sign = format_report(run).splitlines()[-5:]
    assert head.split()[2:4] == ["accuracy@1", "lenient"]
    figures = [
        [cell for cell in row.split() if len(cell) == 5 and cell[1] == "."][:2] for row in (every, disease, sign)
    ]
    assert figures == [["0.250", "0.750"], ["0.333", "1.000"], ["0.000", "0.000"]]


def test_lenient_counts_a_shared_name() -> None:
    assert report(ambiguity="lenient").ranks.tolist() == [1, 2, 1, 1, 0]


def test_nil_in_counts_mentions_without_concept() -> None:
    assert report(nil="in").ranks.tolist() == [1, 2, 0, 1, 1, 0, 0]


def test_missing_gold_can_be_skipped() -> None:
    run = report(missing="skip")
    assert (run.n, run.skipped["missing from terminology"]) == (4, 1)


def test_rule_all_asks_for_every_part() -> None:
    asked: list[str] = []

    def listening(mentions: Sequence[Mention]) -> Iterable[Sequence[Hit]]:
        asked.extend(mention.text for mention in mentions)
        return normalize(mentions)

    protocol = Protocol("made", "all", "T 1", composite="all")
    run = evaluate_normalization(
        corpus(gold("gout", "T:1"), gold("breast and lung cancer", "T:1", "T:2")),
        listening,
        protocol,
        resolve=KNOWN.get,
        bootstrap=FAST,
    )
    assert asked == ["gout", "breast and lung cancer", "breast cancer", "lung cancer"]
    assert run.ranks.tolist() == [1, 1]


def test_rule_found_judges_what_the_normalizer_took_apart() -> None:
    parts = {
        "breast and lung cancer": ["breast cancer", "lung cancer"],
        "gout": ["gout", "mumps"],
    }

    def taking_apart(mentions: Sequence[Mention]) -> Iterable[MentionHits]:
        for mention in mentions:
            names = parts.get(mention.text, [])
            yield MentionHits(ANSWERS.get(mention.text, []), [ANSWERS[name] for name in names])

    protocol = Protocol("made", "all", "T 1", types=("Disease",), composite="found")
    asked = evaluate_normalization(corpus(*MENTIONS), taking_apart, protocol, resolve=KNOWN.get, bootstrap=FAST)
    ranks = dict(zip([key.split("\t")[1] for key in asked.keys], asked.ranks.tolist(), strict=True))
    assert ranks["breast and lung cancer"] == 1
    assert ranks["gout"] == 0
    assert ranks["mumps"] == 2
    assert report(composite="found").ranks.tolist() != asked.ranks.tolist()
    assert [row.predicted_id for row in asked.mistakes() if row.mention == "gout"] == ["T:1 | T:3"]


def test_rule_all_is_wrong_where_the_splitter_finds_no_parts() -> None:
    protocol = Protocol("made", "all", "T 1", composite="all")
    run = evaluate_normalization(
        corpus(gold("breast and lung cancer", "T:1", "T:2")),
        normalize,
        protocol,
        resolve=KNOWN.get,
        split=lambda text: [text],
        bootstrap=FAST,
    )
    assert run.ranks.tolist() == [0]


def test_rule_all_without_parts_asked_is_an_error() -> None:
    answers = answer_mentions(corpus(gold("breast and lung cancer", "T:1", "T:2")), normalize)
    with pytest.raises(InputError, match="give a splitter"):
        judge(answers, Protocol("made", "all", "T 1", composite="all"), resolve=KNOWN.get)


def test_rule_all_skips_a_composite_with_one_missing_part_when_told_to() -> None:
    protocol = Protocol("made", "all", "T 1", composite="all", missing="skip")
    run = evaluate_normalization(
        corpus(gold("gout", "T:1"), gold("breast and lung cancer", "T:1", "T:404")),
        normalize,
        protocol,
        resolve=KNOWN.get,
        bootstrap=FAST,
    )
    assert (run.n, run.skipped) == (1, {"missing from terminology": 1})


def test_breakdown_by_type() -> None:
    protocol = Protocol("made", "all", "T 1")
    run = evaluate_normalization(corpus(*MENTIONS), normalize, protocol, resolve=KNOWN.get, bootstrap=FAST)
    assert {kind: n for kind, (n, _) in run.by_type.items()} == {"Chemical": 1, "Disease": 5}
    assert run.by_type["Disease"][1]["accuracy@1"].value == pytest.approx(2 / 5)
    shape = run.to_dict()["by_type"]["Disease"]
    assert shape["lenient"] == {"accuracy@1": run.lenient["Disease"].to_dict()}


def test_normalizer_with_too_few_answers_is_an_error() -> None:
    with pytest.raises(InputError, match="gave 0 answers to 1 mention"):
        list(answer_mentions(corpus(gold("gout", "T:1")), lambda mentions: []))


def test_protocol_that_leaves_nothing_is_an_error() -> None:
    protocol = Protocol("made", "all", "T 1", types=("Gene",))
    with pytest.raises(InputError, match=r"no mention is left to evaluate, of 1 \(1 other type\): choose other data"):
        evaluate_normalization(corpus(gold("gout", "T:1")), normalize, protocol, resolve=KNOWN.get)


def test_progress_counts_every_mention() -> None:
    done: list[int] = []
    list(answer_mentions(corpus(*MENTIONS), normalize, progress=done.append))
    assert sum(done) == len(MENTIONS)


def test_json_has_the_shape_of_evaluate() -> None:
    shown = report().to_dict()
    assert shown["protocol"]["ambiguity"] == "strict"
    assert shown["n"] == 5
    assert set(shown["measures"]) == {"accuracy@1", "accuracy@5", "accuracy@10", "mrr"}
    assert set(shown["measures"]["mrr"]) == {"value", "low", "high"}
    assert shown["mentions"] == {"read": 8, "evaluated": 5, "skipped": {"other type": 1, "no concept": 2}}


def test_context_marks_the_mention() -> None:
    text = "a" * 70 + " gout\nand more"
    assert marked_context(text, Mention("gout", start=71, end=75)) == "…" + "a" * 59 + " [[gout]] and more"


def categories(*golds: GoldMention, nil: str = "in") -> list[str]:
    protocol = Protocol("made", "all", "T 1", nil=nil)  # type: ignore[arg-type]
    run = evaluate_normalization(corpus(*golds), normalize, protocol, resolve=KNOWN.get, bootstrap=FAST)
    kin = Lookup(kinship=lambda answered, wanted: "parent" if (answered, wanted) == ("T:3", "T:2") else None)
    return [row.category for row in run.mistakes(kin)]


@pytest.mark.parametrize(
    ("mention", "category"),
    [
        (gold("gout", "T:404"), "gold missing from terminology"),
        (gold("junk", ""), "answered where none fits"),
        (gold("nothing", "T:1"), "no answer"),
        (gold("gout", "T:3", "T:3"), "composite"),
        (gold("shared", "T:2"), "ambiguous name"),
        (gold("twice", "T:2"), "duplicate record"),
        (gold("MS", "T:1"), "abbreviation"),
        (gold("mumps", "T:2"), "parent of gold"),
        (gold("mumps", "T:1"), "other"),
    ],
)
def test_mistake_category(mention: GoldMention, category: str) -> None:
    assert categories(mention) == [category]


@pytest.mark.parametrize(("text", "short"), [("MS", True), ("C6", True), ("gout", False), ("VHL disease", False)])
def test_abbreviation(text: str, short: bool) -> None:
    assert is_abbreviation(text) is short


def test_mistakes_file_reads_well(tmp_path: Path) -> None:
    path = tmp_path / "mistakes.tsv"
    names = {"T:1": "Gout", "T:2": "Mumps\tepidemic"}
    assert report().write_mistakes(path, Lookup(preferred=names.get)) == 3
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].split("\t")[:5] == ["category", "mention", "gold_rank", "gold_ids", "gold_names"]
    assert [line.split("\t")[0] for line in lines[1:]] == ["gold missing from terminology", "ambiguous name", "other"]
    assert lines[3].split("\t") == [
        "other", "mumps", "2", "T:2", "Mumps epidemic", "T:3", "name of T:3", "matched", "0.750", "d1", "[[mumps]]",
    ]  # fmt: skip


def test_mistakes_show_first_answers_of_parts() -> None:
    protocol = Protocol("made", "all", "T 1", composite="all")
    run = evaluate_normalization(
        corpus(gold("breast and lung cancer", "T:1", "T:3")), normalize, protocol, resolve=KNOWN.get, bootstrap=FAST
    )
    (row,) = run.mistakes()
    assert (row.predicted_id, row.gold_ids, row.gold_rank) == ("T:1 | T:2", "T:1 | T:3", "not in top answers")


def test_mistakes_into_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written: there is no folder"):
        report().write_mistakes(tmp_path / "no" / "mistakes.tsv")
