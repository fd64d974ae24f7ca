"""What the API answers for mappings: the concepts of an index that a concept of another terminology may be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.serve.api.concepts import located
from ontonym.serve.api.parameters import ApiValues
from ontonym.serve.api.shapes import candidates_shape
from ontonym.serve.library import Opened
from ontonym.store import Terminology
from ontonym.tasks.match import KnownMappings, MatchOptions
from ontonym.tasks.match.matching import Questions, matched, searched
from ontonym.tasks.match.mediators import SourceNames
from ontonym.tasks.match.options import with_wording


def candidates_answer(opened: Opened, given: ApiValues) -> dict[str, Any]:
    """The concepts of an index that one concept of a terminology may be the same as, best first."""
    source, row = located(opened, given["id"], given["terminology"])
    index = opened.index(given["index"])
    if source.fingerprint in {one.fingerprint for one in index.terminologies}:
        raise InputError(f"{source.name} is searched by this index itself: give an index of another terminology")
    if source.status(row) != "active":
        raise InputError(f"{source.id(row)} is retired: only active concepts are matched")
    options = MatchOptions(k=given["k"], within=given["within"], tags=given["tag"], structure=False, mode="best")
    options = with_wording(options, source)
    names, questions = _asked(opened, source, index, options)
    if row not in questions.rows:
        return {"id": source.id(row), "preferred": source.preferred(row), "candidates": []}
    one = replace(questions, rows=np.asarray([row]))
    found = searched(index, one, options)
    (answer,) = matched(names, index, one.rows, found, options, KnownMappings())
    return candidates_shape(answer)


def _asked(opened: Opened, source: Terminology, index: Index, options: MatchOptions) -> tuple[SourceNames, Questions]:
    """What a match of all of the terminology asks, made once for a generation."""

    def make() -> tuple[SourceNames, Questions]:
        names = SourceNames(source, ())
        return names, Questions.of(names, index, options, KnownMappings())

    return opened.once((source.fingerprint, str(index.path)), make)
