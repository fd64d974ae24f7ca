"""Two small terminologies, with added terms, whose hits are explained."""

from __future__ import annotations

from ontonym.index import AddedTerm

HUMAN = """format-version: 1.2
ontology: human

[Term]
id: H:0
name: Anything wrong

[Term]
id: H:1
name: Disorder of heart
is_a: H:0

[Term]
id: H:2
name: Heart attack
synonym: "Myocardial infarction" EXACT []
is_a: H:1

[Term]
id: H:3
name: Heart failure
is_a: H:1

[Term]
id: H:31
name: Acute heart failure
synonym: "Heart giving up" EXACT layperson []
is_a: H:3

[Term]
id: H:4
name: Cold
synonym: "Common cold" EXACT []
is_a: H:0

[Term]
id: H:5
name: Low temperature
synonym: "Cold" EXACT []

[Term]
id: H:6
name: Haemorrhage, Cerebral
is_a: H:0

[Term]
id: H:7
name: obsolete Dropsy
is_obsolete: true
replaced_by: H:3
alt_id: H:70
"""

MOUSE = """format-version: 1.2
ontology: mouse

[Term]
id: M:1
name: Whisker loss

[Term]
id: M:2
name: Tail loss
"""

ADDED = (AddedTerm("H:31", "pump gave out", who="ann"), AddedTerm("H:3", "weak pump"))

TO_HEART_FAILURE = {
    "H:31": ("parent", 1, ("H:3",)),
    "H:1": ("child", 1, ("H:1",)),
    "H:0": ("descendant", 2, ("H:0",)),
    "H:2": ("sibling", 2, ("H:1",)),
    "H:4": ("kin", 3, ("H:0",)),
    "H:5": ("unrelated", None, ()),
}
