"""A mapping as a row by the columns of SSSOM (https://mapping-commons.github.io/sssom/), and the words that rows use.

For people rows have other headers and words (`HEADERS`, `TARGET_IS`), and cells that no spreadsheet runs as a formula.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

Row = Mapping[str, str]
"""A mapping by the columns of SSSOM; a column that is not there is empty. Ids are as everywhere in ontonym: CURIEs, or
codes and IRIs where a terminology has such. A subject that is words only has no ``subject_id``."""

FREQUENCY = "ext_frequency"
"""How often the source has the subject: an extension of ours to SSSOM."""
FREQUENCY_PROPERTY = "urn:ontonym:frequency"

COLUMNS = (
    *"""
    record_id subject_id subject_label subject_category subject_type subject_source subject_source_version predicate_id
    predicate_label predicate_modifier predicate_type object_id object_label object_category object_type object_source
    object_source_version mapping_justification author_id author_label reviewer_id reviewer_label creator_id
    creator_label license mapping_provider mapping_source mapping_cardinality cardinality_scope mapping_tool
    mapping_tool_id mapping_tool_version mapping_date publication_date review_date confidence reviewer_agreement
    curation_rule curation_rule_text subject_match_field object_match_field match_string subject_preprocessing
    object_preprocessing similarity_score similarity_measure see_also issue_tracker_item other comment
    """.split(),
    FREQUENCY,
)
"""The columns of SSSOM 1.1, and ours."""

ENDS = ("subject_id", "object_id")
NO_TERM = "sssom:NoTermFound"
"""The object of a subject that is known to have no counterpart."""
LITERAL = "rdfs literal"
"""The ``subject_type`` of words without a code."""
NOT = "Not"
"""The ``predicate_modifier`` of a mapping that is denied."""
UNDECIDED = "align:undecided"
"""Predicate for OAEI's relation ``?``: a pair that evaluations leave out."""

OPEN_STATUS = "status: "
"""What ``other`` begins with where it says how far a decision has come: undecided, disagreed, mapped and so on."""
_OPEN = tuple(f"{OPEN_STATUS}{name}" for name in ("undecided", "disagreed"))

EXACT = "skos:exactMatch"
SAME = frozenset((EXACT, "owl:equivalentClass"))
"""Predicates that say that two concepts are the same."""
_INEXACT = frozenset("broadMatch narrowMatch relatedMatch subClassOf disjointWith differentFrom".split())

JUSTIFICATIONS = MappingProxyType(
    {
        "lexical": "semapv:LexicalMatching",
        "spelling": "semapv:LexicalSimilarityThresholdMatching",
        "meaning": "semapv:SemanticSimilarityThresholdMatching",
        "structure": "semapv:StructuralMatching",
        "logic": "semapv:LogicalReasoning",
        "cross-reference": "semapv:BackgroundKnowledgeBasedMatching",
        "chain": "semapv:MappingChaining",
        "inversion": "semapv:MappingInversion",
        "composite": "semapv:CompositeMatching",
        "manual": "semapv:ManualMappingCuration",
        "review": "semapv:MappingReview",
        "unspecified": "semapv:UnspecifiedMatching",
    }
)
"""Why a mapping is held to be right, to the word of the Semantic Mapping Vocabulary (semapv), of which SSSOM allows
only some: equal or nearly equal names, near vectors, neighbours in the hierarchy, a cross-reference that one of the two
terminologies states (SSSOM has no word of its own for it), cross-references of both to a third, several of these
together, a person's decision, a person's look at what another decided."""


def denied(row: Row) -> bool:
    """Whether a row says that its mapping does not hold."""
    return row.get("predicate_modifier", "").casefold() == "not"


BY_PERSON = frozenset((JUSTIFICATIONS["manual"], JUSTIFICATIONS["review"]))
"""The justifications that are a person's decision, or a person's look at what another decided."""
_PERSONS = ("author_id", "author_label", "reviewer_id", "reviewer_label")


def is_by_person(row: Row) -> bool:
    """Whether a person made a mapping or looked at it."""
    return row.get("mapping_justification") in BY_PERSON or any(row.get(name) for name in _PERSONS)


def left_open(row: Row) -> bool:
    """Whether a row says that nobody has decided on it yet, or that reviewers disagree."""
    return row.get("other", "").startswith(_OPEN)


def inexact(row: Row) -> bool:
    """Whether a row says that its concepts are not the same, but one is broader, or they are related or disjoint."""
    return re.split("[:#/]", row.get("predicate_id", ""))[-1] in _INEXACT


# For people -----------------------------------------------------------------------------------------------------------

HEADERS = MappingProxyType(
    {
        "subject_id": "source code",
        "subject_label": "source name",
        FREQUENCY: "frequency",
        "predicate_id": "the target is",
        "object_id": "target code",
        "object_label": "target name",
        "confidence": "confidence",
        "match_string": "matched name",
        "mapping_justification": "because",
        "similarity_score": "similarity",
        "author_id": "author",
        "author_label": "author name",
        "reviewer_id": "reviewer",
        "reviewer_label": "reviewer name",
        "mapping_date": "date",
        "comment": "comment",
        "other": "further",
        "subject_source": "source",
        "subject_source_version": "source version",
        "object_source": "target",
        "object_source_version": "target version",
        "similarity_measure": "similarity measure",
    }
)
"""Column of SSSOM to header, in the order of the table."""

TARGET_IS = MappingProxyType(
    {
        "skos:exactMatch": "the same",
        "owl:equivalentClass": "equivalent",
        "skos:closeMatch": "close",
        "skos:broadMatch": "broader",
        "skos:narrowMatch": "narrower",
        "skos:relatedMatch": "related",
    }
)
"""Predicate to the word for it; another stays as it is. ``not`` goes before that of a mapping that is denied."""

NOTHING_FITS = "nothing fits"
"""What the target is, without a code, where there is none (`NO_TERM`)."""
