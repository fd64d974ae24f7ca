"""The options that say how gold corpora are read."""

from __future__ import annotations

from ontonym.cli.options import Opt, OptionGroup
from ontonym.evaluate.corpora import FORMATS, CorpusChoice

_PREFIXES = dict.fromkeys(form.prefix for form in FORMATS.values() if form.prefix)
_WITH_PREFIX = {one: ", ".join(form.name for form in FORMATS.values() if form.prefix == one) for one in _PREFIXES}

GOLD = OptionGroup(
    CorpusChoice(),
    format=Opt(f"{', '.join(FORMATS)}; by default detected from the content.", metavar="NAME"),
    prefix=Opt(
        "The prefix of gold ids that have none, '' to leave them so; by default that of the corpus: "
        f"{', '.join(f'{prefix} ({names})' for prefix, names in _WITH_PREFIX.items())}.",
        metavar="NAME",
    ),
    split=Opt(
        "The part to read (train, dev, test…) where a corpus keeps several (fold-0/test, stratified_general/test…); "
        "reports name the data by it, by default by the file's name.",
        metavar="NAME",
    ),
)
"""How gold corpora are read: `CorpusChoice`, for ``open_corpora(paths, choice)``."""
