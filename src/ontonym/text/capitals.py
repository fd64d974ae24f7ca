"""Words that mean something else in capitals: everyday words and units that are abbreviations too, symbols of genes."""

from __future__ import annotations

import re

from ontonym.text.wordlists import COMMON

_UNITS = frozenset("cm dl g gm h hr kg l mcg mg ml mm mol s sec".split())
"""Units that are abbreviations in names too: the *ML* of *Mucolipidosis* (ML IV)."""
_MOST_LETTERS = 6
"""Letters of the longest name in capitals that may be an abbreviation."""
_WORD = re.compile(r"[^\W\d_]+")


def may_be_capitals(written: str) -> bool:
    """Whether a word of a text that is written small is an everyday word or a unit, so that it may be both."""
    return any(word in COMMON or word in _UNITS for word in _WORD.findall(written))


def is_capitals_in(written: str, name: str) -> bool:
    """Whether such a word is an abbreviation in a name, so that it means something else: the "all" of "all children"
    in *ALL, Childhood*, the "ml" of "4 ml" in *ML IV*. A name of capitals alone is no abbreviation."""
    letters = _WORD.findall(name)
    if name.isupper() and sum(map(len, letters)) > _MOST_LETTERS:
        return False
    capitals = {word.lower() for word in letters if len(word) > 1 and word.isupper()}
    return any(word in capitals and may_be_capitals(word) for word in _WORD.findall(written))


# Symbols of genes -----------------------------------------------------------------------------------------------------

_SYMBOL = r"(?<![\w-])([A-Z][A-Z0-9]{1,5}[a-z]?\d?)"
_OF_GENES = (
    r"(?:genes?|proteins?|mutations?|loci|locus|alleles?|exons?|introns?|m?RNAs?|cDNAs?|transcripts?|promoter|"
    r"polymorphisms?|haplotypes?|genotypes?|mutants?|homolog\w*|ortholog\w*|products?|expression|knockout)"
)
_GENE = re.compile(
    rf"{_SYMBOL}(?:[ -](?:{_OF_GENES})\b|\s*[-+]/[-+])|"  # "APC gene", "BRCA1 -/-"
    rf"(?<!\w)(?i:{_OF_GENES}(?: in| of| for)?(?: the)?,? \(?){_SYMBOL}(?![\w-])"  # "mutations in BRCA1", "locus (DM1"
)


def genes_of(text: str) -> frozenset[str]:
    """The symbols that a text calls genes, proteins or the like somewhere: "the APC gene", "mutations in BRCA1"."""
    return frozenset(match[1] or match[2] for match in _GENE.finditer(text))
