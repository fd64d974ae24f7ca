"""Concepts are aligned with the pages of an encyclopedia (Rahimi).

``aligning.py`` finds candidates and chooses, ``weighing.py`` weighs what can be counted of a concept and a page,
``pageclaims.py`` settles pages that several concepts claim, and ``alignments.py`` writes the result, and goes on with
one that was cut short.
"""

from ontonym.tasks.align.aligning import Aligned, AlignOptions, SecondStage, align, known_links
from ontonym.tasks.align.alignments import PageAlignment, write_alignment
from ontonym.tasks.align.weighing import Weighing, default_weights

__all__ = [
    "AlignOptions",
    "Aligned",
    "PageAlignment",
    "SecondStage",
    "Weighing",
    "align",
    "default_weights",
    "known_links",
    "write_alignment",
]
