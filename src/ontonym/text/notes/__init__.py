"""What a clinical note says of its mentions: which are negated, uncertain, hypothetical, of the past or of the family.

``context.py`` finds that out: by the cues around a mention (``cues.py``, looked for in ``cuesearch.py``), by lists and
checklists (``marks.py``), by whether siblings are the patients of a report (``reported.py``), and by the section that
it stands in (``sections.py``, with the tables of ``headings.py``; the parts of the body that headings name are in
``organs.py``).
"""
