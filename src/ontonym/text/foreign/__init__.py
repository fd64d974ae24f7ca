"""What queries and notes say in ten languages beside English, by tables of our own and without an encoder.

- ``words.py`` has everyday words and abbreviations (``languages.tsv``), and other spellings; ``complaints.py`` puts
  complaints together from their words (``complaints.tsv``); ``frames.py`` sets aside what stands around a finding
- in notes, ``cues.py`` and ``headings.py`` are the tables of `ontonym.text.notes` in these languages, and
  ``unspacedcues.py`` reads Chinese and Japanese

Which language a text is in is told by `ontonym.text.languages`.
"""
