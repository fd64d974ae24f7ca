"""What queries and notes say in ten languages beside English, by tables of our own and without an encoder.

Which language a text is in, `ontonym.text.languages` tells. Then

- of a query, ``frames.py`` sets aside what stands around a finding ("V.a. Pneumonie", "sin fiebre"), and
  ``words.in_other_words`` says it in English: as a form of the table (``languages.tsv``), else as a complaint that
  ``complaints.py`` puts together from its words (``complaints.tsv``: "me duele la rodilla"), else with the forms that
  are in it; ``words.other_writings`` spells it otherwise (traditional characters, German *ae*)
- of a note, ``cues.py`` and ``headings.py`` are the tables of `ontonym.text.notes` in these languages, and
  ``unspacedcues.py`` reads Chinese and Japanese, which have no spaces between words
"""
