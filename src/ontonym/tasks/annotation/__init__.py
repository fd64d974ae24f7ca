"""Mentions are found in texts and given their concepts.

``annotating.py`` asks a ``Finder`` (``spans.py``) for the mentions of each text and normalizes them. A text is read in
one or more ways (``textreadings.py``); in each, mentions are

- names as they are written: ``namedspans.py``;
- names in other forms or with their words in another order: ``proposals.py``, with the words that may stand between
  them: ``gaps.py``;
- names in other words: ``otherwords.py``;
- what resembles a name: ``stretches.py``, ``likelymentions.py``, accepted by the models of ``acceptance.py``;
- abbreviations: ``shortforms.py`` (which the text explains), ``shorthand.py`` with ``writtenforms.py``, ``senses.py``;
  with a number behind them: ``numberedforms.py``.

``overlaps.py`` chooses among those that overlap.
"""

from ontonym.tasks.annotation.annotating import AnnotateOptions, Annotation, annotate, annotate_texts

__all__ = ["AnnotateOptions", "Annotation", "annotate", "annotate_texts"]
