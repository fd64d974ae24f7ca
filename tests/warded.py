"""A small ward's concepts, notes and mentions, for tests that share work out."""

from __future__ import annotations

WARD = """id,name,synonyms
W:1,Breast cancer,Breast carcinoma
W:2,Ovarian cancer,
W:3,Hepatitis B,
W:4,Myotonic dystrophy,DM
W:5,Drug toxicity,
W:6,Nerve toxicity,
"""

NOTE = "Myotonic dystrophy (DM) is no toxicity of a drug. DM with breast and ovarian cancer."
OTHER = "Diabetes mellitus (DM), and toxicity to a nerve."

TEXTS = [
    "breast carcinoma",
    None,
    "DM",
    "breast and ovarian cancer",
    " ",
    "Hepatitis B",
    "DM",
    "qqqq",
    "breast carcinoma",
]
"""Mentions with gaps and repetitions, one of several parts and one without a concept."""
