"""What a clinical note says of its mentions: which are negated, uncertain, hypothetical, of the past or of the family.

`context.contexts` is the way in: it takes a text and the places of its mentions, and gives the contexts of each.

1. ``marks.py`` finds the values of checklists ("Fever: no"), whose words are then no cues of others.
2. ``cuesearch.py`` finds every cue in the text, the longest of those that begin in one place. The cues are tables,
   ``cues.py``, made ready by language in ``cuetable.py``, with what each gives to a mention after it or before it, and
   which phrases end its scope. ``notewords.py`` cuts the text into words. ``relatives.py`` says who has it where the
   text names a relative, and ``reported.py`` whether siblings, or a relative of the writer, are the patients.
3. ``context.py`` walks from the mention back through the cues of its sentence until one ends all scopes, then forward;
   for an item of a list through those of the line that leads to it ("Denies:"). ``negationends.py`` says where a list
   goes on to what is present.
4. A mark beside the mention adds to that, or takes "negated" away ("no goitre. ?anaemia").

Apart from that ``sections.py`` cuts a note into sections, by the tables of ``headings.py``; what a section says of all
below its heading ("Family history:") `ontonym.tasks.annotation` adds. ``organs.py`` reads headings that are parts of
the body ("Lungs: 4 mm nodule").

Cues and headings of other languages are in `ontonym.text.foreign`; Chinese and Japanese are read there altogether.
"""
