"""Pure text: what names, queries and notes say by themselves, without any index.

Where to look (a test holds this list to the files):

- spellings of one name are made equal: ``normalization``, ``wordforms``; a whole column at once: ``folding``, ``bulk``
- columns of texts: ``strings``, ``phrases``; tables that people edit: ``tables``, ``patterns``
- what words tell: ``wordlists``, ``wordroots``, ``bodyparts``, ``qualifiers``, ``contrasts``, ``denials``, ``kinds``,
  ``capitals``
- right and misspelled words: ``english``, ``sounds``
- what stands around the words of a query: ``records``, ``frames``, ``courses``, ``places``, ``doses``,
  ``contractions``
- the same said otherwise: ``lexicon`` (abbreviations), ``rewordings``, ``amounts``, ``values``; what is not done
  or there: ``lacks``; several things at once: ``composite``; fingers and toes: ``digits``; what names leave open:
  ``unspecified``, ``uncomplicated``; cells in which nothing is said: ``placeholders``
- languages: ``languages``; what is said in those beside English: ``foreign``
- running text is read: ``linebreaks``, ``sentences``, ``pieces``, ``chunks``, ``abbreviations``
- what a note says of a mention, and its headings: ``notes``
- text for people: ``counting``, ``visible``; numbers that people wrote: ``numbers``; units of time: ``timeunits``
"""
