"""Mentions are found in texts and given their concepts.

A text goes this way; each step gives the type that the next one takes:

1. ``annotating.py`` joins broken words, finds the sections, and asks a ``Finder`` (``spans.py``) for the mentions.
2. ``textreadings.py`` reads the text in one or more ways: each ``TextReading`` is a row of pieces
   (`ontonym.text.pieces`). The first is the text as it is written; others have abbreviations, slips, values and foreign
   words as what they mean.
3. In every reading are found

   - names as they are written: ``namedspans.py``, each a ``Span``;
   - names in other forms or with their words in another order: ``proposals.py``, each a ``Proposal``; ``gaps.py`` says
     what may stand between their words.

   In the first reading also names in other words ("renal damage"): ``otherwords.py``, each a ``Reworded``.
4. ``overlaps.py`` chooses among those that overlap: ``placed``, by rank. What it chose is taken.
5. Beside and around that, what only resembles a name: ``stretches.py`` finds each ``Stretch`` that has words of one,
   ``likelymentions.py`` searches for it, and the two models of ``acceptance.py`` decide.
6. Abbreviations are last: ``shortforms.py`` (which the text explains), ``shorthand.py`` (which the lexicon knows) with
   ``writtenforms.py`` (how they are written) and ``senses.py`` (which meaning is near the other mentions);
   ``numberedforms.py`` takes the number behind them along ("CKD 3b").
   What is none where it stands ("stroke unit") is left out: ``nofindings.py``.
7. ``annotating.py`` normalizes each ``Span``, and says its context and section: an ``Annotation``.

With ``find="names"`` there is one reading, and steps 3 to 6 are named spans alone (`overlaps.longest`).
"""

from ontonym.tasks.annotation.annotating import AnnotateOptions, Annotation, annotate, annotate_texts

__all__ = ["AnnotateOptions", "Annotation", "annotate", "annotate_texts"]
