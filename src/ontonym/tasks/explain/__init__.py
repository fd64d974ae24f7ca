"""Explanations: why a concept was found for a text and by how much it leads, why a mention is NIL, and what decides
between two concepts.

A score is taken apart exactly (``shapley.py``, ``sharedwords.py``), so that what is said of two candidates
(``decisions.py``), of the best rival (``rivals.py``), of one candidate (``explaining.py``), of any two concepts
(``comparing.py``) and of a mention (``mentions.py``) adds up; ``texts.py`` and ``decisiontexts.py`` put it into words.
"""

from ontonym.tasks.explain.comparing import HitComparison, compare_hits
from ontonym.tasks.explain.explaining import Explanation, Part, explain, explain_hits
from ontonym.tasks.explain.mentions import MentionExplanation, Nil, explain_answer, explain_mention, why_nil
from ontonym.tasks.explain.rivals import Named, Rival

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
