"""Graded sets in the layouts in which they are published; the pairs are ours."""

from __future__ import annotations

import pytest

from ontonym.errors import FormatError, InputError
from ontonym.evaluate.graded import read_graded

LAYOUTS = {
    "three columns, as Bio-SimLex": "cold\tchill\t7.5\nfever\tfoot\t1\n",
    "underscores between words": "cold\tchill\t7.5\nfever\tleft_foot\t1\n",
    "UMNSRS": '"Mean","Stdev","Term1","Term2","CUI1","CUI2"\n7.5,"2","cold","chill","C1","C2"\n1,1,fever,foot,C3,C4\n',
    "MayoSRS": "Mean,CUI1,CUI2,TERM1,TERM2\n7.5,C1,C2,cold,chill\n1,C3,C4,fever,foot\n",
    "MiniMayoSRS": "Physicians|Coders|CUI1|CUI2|TERM1|TERM2\n7|8|C1|C2|cold|chill\n1|1|C3|C4|fever|foot\n",
    "Hliaoutakis, parted by angles": "cold<>chill<>7.5\nfever<>foot<>1\n",
    "score first": "7.5;cold;chill\n1;fever;foot\n",
    "EHR-RelB": (
        "snomed_id_1,snomed_label_1,snomed_id_2,snomed_label_2,rater_A,rater_B,mean_rating,CUI_1,CUI_2\n"
        "1,cold,2,chill,7,8,7.5,C1,C2\n3,fever,4,foot,1,1,1,C3,C4\n"
    ),
    "a byte order mark and empty lines": "\ufeffcold\tchill\t7.5\n\n\r\nfever\tfoot\t1\r\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_pairs(tmp_path, layout):
    file = tmp_path / "set.txt"
    file.write_text(LAYOUTS[layout], encoding="utf-8", newline="")
    graded = read_graded(file)
    other = "left foot" if "underscores" in layout else "foot"
    assert (graded.name, graded.first, graded.second) == ("set", ("cold", "fever"), ("chill", other))
    assert graded.scores.tolist() == [7.5, 1.0]


def test_a_decimal_comma(tmp_path):
    (tmp_path / "set.csv").write_text("cold;chill;7,5\nfever;foot;1,0\n")
    assert read_graded(tmp_path / "set.csv").scores.tolist() == [7.5, 1.0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "no pair of terms"),
        (b"Mean,Term1,Term2\n", "no pair of terms below its header"),
        (b"cold\tchill\t7\nfever\tfoot\n", r"set.txt:2: expected two terms and a score, and found fever | foot"),
        (b"cold\tchill\t7\nfever\tfoot\tnan\n", "set.txt:2"),
        (b"cold\tchill\t7\t8\n", "set.txt:1"),
        (b"Mean,Term1,Term2\nhigh,cold,chill\n", "set.txt:2"),
        (b"cold\tch\xff\t1\n", "not UTF-8"),
        (b'a\tb\t1\n"cold\tchill\t2\n' + b"c\td\t3\n" * 60_000, "set.txt:60002: expected two terms"),
    ],
)
def test_bad_rows_are_said_with_their_line(tmp_path, content, said):
    file = tmp_path / "set.txt"
    file.write_bytes(content)
    with pytest.raises(FormatError, match=said):
        read_graded(file)


def test_a_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_graded(tmp_path / "nowhere")
