"""The names that a query says in other words: "renal damage", "low sodium", "Guillain-Barré", a salt of a drug."""

from __future__ import annotations

from collections.abc import Callable

from ontonym.text.amounts import said_as_amount
from ontonym.text.doses import drug_names
from ontonym.text.rewordings import findings_told, induced_disease, phrases_for, with_what_it_is
from ontonym.types import Correction

_REWORDED = 0.3
"""How likely a name in other words is meant, before it is searched for."""

_WITHOUT_CAUSE = 0.01
"""How likely a disease that something induced is meant without what induced it: where no name tells that either."""

_AS_AMOUNT = 0.6
"""How likely a name is meant that says as names do how much there is of something ("low sodium")."""


def names_said(
    words: tuple[str, ...], is_named: Callable[[tuple[str, ...]], bool]
) -> tuple[float, Correction, list[str]]:
    """The texts that say as a name what a query of these words says, how likely each is, and what kind of change it is.

    A query may say in other words that something is wrong, or that there is too much of it; it may be an adjective
    ("confused"), leave out what a disease is called ("Guillain-Barré"), or name the form or salt of a drug. No texts
    where no name says the same.
    """
    amounts = said_as_amount(words)
    told = findings_told(words[0]) if len(words) == 1 else ()
    for said in (*amounts, *phrases_for(words), *drug_names(words), *told):
        if is_named(said):
            is_amount = said in amounts
            prior, correction = (_AS_AMOUNT, Correction.EXPANDED) if is_amount else (_REWORDED, Correction.REWORDED)
            return prior, correction, [" ".join(said)]
    if named := [" ".join(said) for said in with_what_it_is(words) if is_named(said)]:
        return _REWORDED / len(named), Correction.REWORDED, named
    disease = induced_disease(words)
    for said in (disease, *phrases_for(disease)):
        if said and is_named(said):
            return _WITHOUT_CAUSE, Correction.REWORDED, [" ".join(said)]
    return 0.0, Correction.REWORDED, []
