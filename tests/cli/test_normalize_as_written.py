import json

import pytest
from click.testing import CliRunner

from ontonym.cli import main

OBO = """format-version: 1.2

[Term]
id: EX:1
name: myotonic dystrophy

[Term]
id: EX:2
name: diabetes mellitus
synonym: "DM" EXACT []
"""

PUBTATOR = """1|t|Myotonic dystrophy (DM) in mice
1|a|The DM locus.
1\t36\t38\tDM\tDisease\t
"""


@pytest.mark.slow
def test_as_written_leaves_the_documents_abbreviations(tmp_path):
    (tmp_path / "ex.obo").write_text(OBO)
    (tmp_path / "text.pubtator").write_text(PUBTATOR)
    run = CliRunner().invoke
    terminology, index = str(tmp_path / "ex.terminology"), str(tmp_path / "ex.index")
    assert run(main, ["import", str(tmp_path / "ex.obo"), "-o", terminology]).exit_code == 0
    assert run(main, ["index", terminology, "-o", index]).exit_code == 0
    answers = []
    for flags in ([], ["--as-written"]):
        result = run(main, ["normalize", index, str(tmp_path / "text.pubtator"), *flags])
        assert result.exit_code == 0
        answers.append(json.loads(result.stdout.splitlines()[0])["candidates"][0]["id"])
    assert answers == ["EX:1", "EX:2"]
