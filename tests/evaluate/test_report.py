from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from ontonym.errors import InputError
from ontonym.evaluate.corpora import GoldDocument, GoldMention
from ontonym.evaluate.measures import NamesRule, Protocol
from ontonym.evaluate.normalization import NormalizationReport, evaluate_normalization
from ontonym.evaluate.normalizationruns import compare, format_comparisons, format_report, format_runs
from ontonym.evaluate.significance import BootstrapOptions
from ontonym.types import Hit, Mention


def run(right: int, n: int = 20, *, names: NamesRule = "ontology", data: str = "made") -> NormalizationReport:
    def normalize(mentions: Sequence[Mention]) -> Iterable[Sequence[Hit]]:
        ids = ["T:1" if int(mention.text) < right else "T:2" for mention in mentions]
        return [[Hit(id_, id_, id_, "synonym", "exact", "", "t", 0.9, 0.9)] for id_ in ids]

    documents = [
        GoldDocument(str(i), "", (GoldMention(Mention(str(i), str(i), str(i), type="X"), (frozenset({"T:1"}),)),))
        for i in range(n)
    ]
    return evaluate_normalization(
        documents,
        normalize,
        Protocol(data, "dev", "T 1", names=names),
        resolve=lambda id_: id_,
        measures=("accuracy@1",),
        bootstrap=BootstrapOptions(resamples=500),
    )


def test_report_names_its_protocol_counts_and_interval() -> None:
    lines = format_report(run(20), "perfect").splitlines()
    assert lines[0] == "perfect"
    assert lines[1].startswith("made dev, T 1, names: ontology, ambiguous names: strict")
    assert lines[2] == "20 mentions read = 20 evaluated + 0 skipped (none)"
    assert lines[3] == "[low, high]: 95% interval, percentile bootstrap over documents, 500 resamples, seed 1"
    assert lines[-1].split("  ")[-1] == "1.000 [0.832, 1.000]"


def test_runs_show_what_differs_as_a_column() -> None:
    text = format_runs({"a": run(10), "b": run(20, data="other")})
    assert "data" in text.splitlines()[3].split()
    assert text.splitlines()[0].startswith("split: dev, terminology: T 1, names: ontology")
    assert [line.split()[:2] for line in text.splitlines()[-2:]] == [["a", "made"], ["b", "other"]]


@pytest.mark.parametrize("show", [format_runs, compare])
def test_ontology_only_never_meets_training_mentions(show: object) -> None:
    runs = {"plain": run(10), "with mentions": run(20, names="ontology+added terms")}
    with pytest.raises(InputError, match=r"ontology: plain; ontology\+added terms: with mentions"):
        show(runs)  # type: ignore[operator]


def test_compare_pairs_each_run_with_the_first() -> None:
    first, second = compare({"base": run(8), "same": run(8), "better": run(16)})
    assert (first.run, first.against, first.differences["accuracy@1"].p) == ("same", "base", 1.0)
    assert second.differences["accuracy@1"].difference.value == pytest.approx(0.4)
    assert second.differences["accuracy@1"].difference.low > 0


def test_differences_are_shown_with_sign_and_p() -> None:
    text = format_comparisons(compare({"base": run(8), "same": run(8)}))
    assert text.splitlines()[-1] == "same - base  +0.000 [+0.000, +0.000] p=1.000"


def test_runs_over_different_mentions_are_not_compared() -> None:
    with pytest.raises(InputError, match=r"different mentions \(19 and 20\)"):
        compare({"base": run(8), "shorter": run(8, 19)})


def test_one_run_is_not_a_comparison() -> None:
    with pytest.raises(InputError, match="Give at least two"):
        compare({"base": run(8)})
