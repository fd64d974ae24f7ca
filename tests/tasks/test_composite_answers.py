"""A composite mention is answered in parts only where no concept is that of the whole."""

from __future__ import annotations

import pytest

from built import index_fixture
from ontonym.index import Index
from ontonym.index.choices import LIKELIER_RIGHT
from ontonym.tasks import Normalization, NormalizeOptions, normalize
from ontonym.types import Mention

WARD = """id,name,synonyms
C:1,Nausea,
C:2,Vomiting,
C:3,Nausea and vomiting,
C:4,Hepatitis B,
C:5,Hepatitis C,
C:6,Hepatitis,
C:7,Breast cancer,
C:8,Ovarian cancer,
C:9,Hereditary breast and ovarian cancer syndrome,
C:10,Fever,
C:11,Rash,
C:12,Fever with rash,
C:13,Ataxia telangiectasia,
C:14,Ataxia,
C:15,Telangiectasia,
C:16,Head and neck cancer,
C:17,Head cancer,
C:18,Neck cancer,
C:19,Aortic regurgitation,
C:20,Mitral regurgitation,
C:21,Ear diseases,
C:22,Nose diseases,
C:23,Throat diseases,
C:24,Otorhinolaryngologic diseases,ENT diseases
C:25,Asthma,
C:26,Liver failure,
C:27,Kidney failure,
C:28,Liver and kidney surgery,
"""


index = index_fixture({"ward.csv": WARD})


def ask(index: Index, text: str) -> Normalization:
    (answer,) = normalize(index, [Mention(text)], NormalizeOptions(threshold=0))
    return answer


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("nausea and vomiting", "C:3"),
        ("vomiting and nausea", "C:3"),
        ("nausea/vomiting", "C:3"),
        ("nausea & vomiting", "C:3"),
        ("nausea or vomiting", "C:3"),
        ("nausea and vomitting", "C:3"),
        ("head/neck cancers", "C:16"),
        ("cancer of the head and neck", "C:16"),
        ("fever with rash", "C:12"),
        ("ataxia telangiectasia", "C:13"),
        ("hereditary breast and ovarian cancer", "C:9"),
    ],
)
def test_what_has_a_concept_of_its_own_stays_whole(index: Index, text: str, concept: str) -> None:
    answer = ask(index, text)
    assert (answer.id, answer.parts) == (concept, ())


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("hepatitis B and C", ["C:4", "C:5"]),
        ("hepatitis B/C", ["C:4", "C:5"]),
        ("breast and ovarian cancer", ["C:7", "C:8"]),  # the hereditary syndrome says more
        ("breast or ovarian cancers", ["C:7", "C:8"]),
        ("aortic or mitral regurgitation", ["C:19", "C:20"]),
        ("nausea and fever", ["C:1", "C:10"]),
        ("fever and rash", ["C:10", "C:11"]),  # not with rash
        ("asthma, fever and nausea", ["C:25", "C:10", "C:1"]),
        ("liver and kidney failure", ["C:26", "C:27"]),
    ],
)
def test_what_has_none_is_answered_in_parts(index: Index, text: str, concepts: list[str]) -> None:
    assert [part.id for part in ask(index, text).parts] == concepts


def test_other_words_for_the_whole_are_no_parts(index: Index) -> None:
    answer = ask(index, "head and neck tumour")
    assert (answer.id, answer.parts) == ("C:16", ())
    assert answer.confidence > LIKELIER_RIGHT
