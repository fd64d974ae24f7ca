"""Which search method finds more? Questions from mappings, three methods, one page. Needs the extra ``eval``.

Two made-up terminologies; the names of the one are searched for in the other, whose concepts they are mapped to.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import ontonym
from ontonym.benchmark.gold import build_gold
from ontonym.evaluate.baselines import run_plan
from ontonym.evaluate.page import report_page
from ontonym.evaluate.plan import ComparisonPlan, GoldPlan, MethodPlan
from ontonym.evaluate.tables import text_table

OURS = """\
id\tpreferred\tsynonyms\tparents
EX:0\tDisease
EX:1\tMyocardial infarction\theart attack|cardiac infarction\tEX:0
EX:2\tRenal failure\tkidney failure\tEX:0
EX:3\tAcute renal failure\t\tEX:2
EX:4\tHypertension\thigh blood pressure\tEX:0
"""

LOCAL = """\
id\tpreferred\tsynonyms\txrefs
LAB:1\tinfarct of the heart\theart attack\tEX:1
LAB:2\tfailing kidneys\tkidney insufficiency\tEX:2
LAB:3\traised arterial tension\tblood pressure too high\tEX:4
"""


def main(folder: Path) -> None:
    """Compares BM25, an encoder and an index with all signals; prints Hits@K and writes a page."""
    for name, table in (("ours", OURS), ("local", LOCAL)):
        (folder / f"{name}.tsv").write_text(table, encoding="utf-8")
        ontonym.build_terminology(ontonym.read_release([folder / f"{name}.tsv"]), folder / f"{name}.terminology")
    with (
        ontonym.open_terminology(folder / "ours.terminology") as ours,
        ontonym.open_terminology(folder / "local.terminology") as local,
    ):
        ontonym.build_index([ours], folder / "ours.index")
        build_gold(local, ours, folder / "local.gold")
    plan = ComparisonPlan(
        str(folder / "ours.terminology"),
        (GoldPlan("local names", str(folder / "local.gold"), concepts=True),),
        (
            MethodPlan("BM25", "bm25-documents"),
            MethodPlan("encoder", "encoder", encoder="default"),
            MethodPlan("ontonym", "index", index=str(folder / "ours.index")),
        ),
        k=(1, 3),
    )
    results, _ = run_plan(plan, folder / "runs")
    for shown in results.tables:
        print(f"{shown.title}\n{text_table(shown)}\n")
    (folder / "report.html").write_text(report_page([results]), encoding="utf-8")


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(temporary))
