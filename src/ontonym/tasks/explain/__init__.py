"""Explanations: why a concept was found for a text and by how much it leads, why a mention is NIL, and what decides
between two concepts.

A score is taken apart exactly (``shapley.py``), so that what is said of a candidate (``explaining.py``) and of two
(``decisions.py``, ``comparing.py``) adds up; ``texts.py`` and ``decisiontexts.py`` put it into words.
"""

from ontonym.tasks.explain.comparing import HitComparison, compare_hits
from ontonym.tasks.explain.explaining import (
    Explanation,
    MentionExplanation,
    Named,
    Nil,
    Part,
    Rival,
    explain,
    explain_answer,
    explain_hits,
    explain_mention,
    why_nil,
)

__all__ = [
    "Explanation",
    "HitComparison",
    "MentionExplanation",
    "Named",
    "Nil",
    "Part",
    "Rival",
    "compare_hits",
    "explain",
    "explain_answer",
    "explain_hits",
    "explain_mention",
    "why_nil",
]
