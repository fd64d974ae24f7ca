"""Concepts that are like each other in all ways that comparisons tell apart, and queries that are near to several."""

from __future__ import annotations

from ontonym.index import AddedTerm
from ontonym.tasks import HitComparison
from ontonym.tasks.explain.decisions import Decision

WARD = """id\tpreferred\tsynonyms\tparents\talternative_ids
W:1\tFracture of left femur\t\t\t
W:2\tFracture of right femur\t\t\t
W:3\tFracture of femur\t\t\t
W:4\tType 1 diabetes mellitus\t\tW:14\t
W:5\tType 2 diabetes mellitus\t\tW:14\t
W:6\tAcute bronchitis\t\t\t
W:7\tBronchitis\t\t\t
W:8\tOther bronchitis\t\t\t
W:9\tGlass Bone Disease\t\t\t
W:10\tGLASS BONE DISEASE\tGBD1\t\t
W:11\tMultiple sclerosis\t\t\t
W:12\tMitral stenosis\tNarrow mitral valve|Tight mitral valve\t\t
W:13\tFever\tPyrexia\t\t
W:14\tDiabetes mellitus\t\t\t
W:15\tChills without fever\t\t\t
W:16\tShaking\t\t\t
W:17\tTrembling\tShaking\t\t
W:18\tMarble fever\tRed fever\t\tW:19
W:19\tRED FEVER\t\t\t
W:20\tLow potassium\t\t\t
W:21\tHigh potassium\t\t\t
"""

OTHER = """format-version: 1.2
ontology: other

[Term]
id: X:1
name: Fever

[Term]
id: X:2
name: Fracture of femur, left side

[Term]
id: X:B20.1
name: Cough
"""

QUERIES = [
    "fracture of left femur",
    "broken left femur",
    "type 2 diabetes",
    "diabetes type II",
    "acute bronchitis",
    "bronchitis",
    "bronchitis of sudden onset",
    "glass bones",
    "glass bone disease",
    "MS",
    "no fever",
    "fevr",
    "shaking",
    "red fever",
    "marble",
    "xyzzy",
    "",
]

ADDED = (AddedTerm("W:6", "chesty cough", who="ann"), AddedTerm("W:7", "bad chest"))


def decided(comparison: HitComparison) -> Decision:
    assert comparison.rival.decision is not None
    return comparison.rival.decision
