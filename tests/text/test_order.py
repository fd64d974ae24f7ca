"""The order in which a query and a note pass this room, as its docstring says it."""

from __future__ import annotations

import re
from importlib import import_module

import ontonym.text
from ontonym.text.amounts import said_as_amount
from ontonym.text.contractions import spelled_out
from ontonym.text.frames import in_history, without_frame, without_negation
from ontonym.text.lexicon import shipped_lexicon
from ontonym.text.normalization import tokens
from ontonym.text.records import without_record


def test_the_functions_that_the_docstring_names_exist() -> None:
    described = ontonym.text.__doc__ or ""
    named = re.findall(r"``([a-z_.]+)\.([a-z_]+)``", described.partition("Where to look")[0])
    assert len(named) > 30
    for module, function in named:
        assert callable(getattr(import_module(f"ontonym.text.{module}"), function)), f"{module}.{function}"


def test_one_query_passes_as_the_docstring_says() -> None:
    query = "h/o DVT LLE, no fever x3d"
    assert spelled_out(without_record(query), lambda word: True) == query
    assert in_history(query) == "DVT LLE, no fever x3d"
    bare = without_frame(query)
    assert bare == "h/o DVT LLE, no fever"
    assert without_negation(bare) == ""  # it begins with none
    assert said_as_amount(tuple(tokens(bare))) == ()
    first = shipped_lexicon().expansions(bare, lambda word: word in {"no", "fever"})[0]
    assert dict(first.changes)["DVT"] == "deep vein thrombosis"
    assert dict(first.changes)["LLE"] == "left lower extremity"
