"""Pure text: what names, queries and notes say by themselves, without any index.

Begin with ``normalization.tokens``, which makes the words of every name and query: whatever else this room says of
*normalized words* it says of those. Nothing here searches. Most functions take a text and give another one that may be
searched for instead (``without_…``, ``in_…``, ``said_…``), or an empty one where they have nothing to say; whether that
is a name, the caller asks its index.

**A query**, such as "h/o DVT LLE, no fever x3d", passes these functions in this order (`ontonym.index.wordings` calls
them, unless another room is named):

1. cells that say nothing, and codes: ``placeholders.is_placeholder``, ``records.code_beside`` (`ontonym.tasks`)
2. the text is cleaned, unless it is a name as it stands: ``records.without_record`` takes out what lists add,
   ``contractions.spelled_out``, ``abbreviations.without_own_initials``, ``values.values_in_words`` ("K 6.2")
3. in terminologies that tell histories, ``frames.in_history``, ``frames.no_longer`` or else ``frames.of_family`` gives
   a reading of its own: *DVT LLE, no fever x3d*
4. what stands around the finding is set aside ("x3d"): ``frames.without_frame``,
   ``foreign.frames.without_foreign_frame``, ``doses.without_dose``; then ``lacks.lacking`` reads "not breathing", or
   else a negation at the beginning is taken off: ``foreign.frames.without_foreign_negation``,
   ``frames.without_negation``
5. each of these readings is said in other words: the abbreviations (*DVT*, *LLE*) by ``lexicon``; the first that is a
   name of ``amounts.said_as_amount``, ``rewordings.with_type``, ``rewordings.phrases_for``, ``doses.drug_names``,
   ``rewordings.findings_for``, else of ``rewordings.with_what_it_is``, ``rewordings.induced_disease``; and in English,
   ``foreign.words.in_other_words``
6. what only classifications say: ``unspecified.said_uncomplicated``, ``normalization.without_nos``
7. candidates are compared with what is denied and counted: ``denials.signs_in``, ``qualifiers.numbers_in``
8. where nothing likely was found: ``courses.without_course``, else ``places.without_place`` (`ontonym.index.interpret`)
9. where the query may be a list: ``composite.list_items``, ``composite.denied_apart`` (`ontonym.tasks`); *h/o DVT LLE*
   and *no fever x3d* each pass 2 to 8

**A note** is read by `ontonym.tasks.annotation`:

1. ``linebreaks.unbroken`` joins words that a line break parts, ``notes.sections.sections`` finds the headings
2. ``abbreviations.find_abbreviations``, then ``pieces.pieces`` cuts the text into words with their places
3. the functions of ``rereadings`` give the same pieces read otherwise; ``values.measured``, ``digits.counted_digits``,
   ``notes.organs.under_organs`` and ``foreign.words.said_in`` find phrases that mean something else than they spell
4. names, and what resembles them, are looked for in the pieces: ``phraseborders`` says where a phrase ends, ``kinds``,
   ``findings``, ``bodyparts`` and ``wordroots`` what its words tell
5. each mention that was found is normalized as a query is
6. ``notes.context.contexts`` says which mentions the text denies, doubts, and so on

Where to look (a test holds this list to the files):

- spellings of one name are made equal: ``normalization``, ``wordforms``; a whole column at once: ``folding``, ``bulk``
- columns of texts: ``strings``, ``phrasearrays``; tables that people edit: ``tables``, ``patterns``
- what words tell: ``wordlists``, ``wordroots``, ``bodyparts``, ``findings``, ``kinds``, ``qualifiers``, ``contrasts``,
  ``denials``, ``capitals``
- right and misspelled words: ``english``, ``sounds``
- what stands around the words of a query: ``records``, ``frames``, ``courses``, ``places``, ``doses``,
  ``contractions``; cells in which nothing is said: ``placeholders``
- the same said otherwise: ``lexicon`` (abbreviations), ``rewordings``, ``amounts``, ``values``; what is not done
  or there: ``lacks``; several things at once: ``composite``; fingers and toes: ``digits``; what only classifications
  say: ``unspecified``
- languages: ``languages``; what is said in those beside English: ``foreign``
- running text is read: ``linebreaks``, ``sentences``, ``pieces``, ``rereadings``, ``phraseborders``, ``abbreviations``
- what a note says of a mention, and its headings: ``notes``
- text for people: ``counting``, ``visible``; numbers that people wrote: ``numbers``; units of time: ``timeunits``
"""
