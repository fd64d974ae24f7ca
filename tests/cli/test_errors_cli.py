"""What a user can cause ends with one line and an exit code, never with a traceback."""

from __future__ import annotations

import gzip
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ontonym.cli
from ontonym.cli import search as search_verb
from ontonym.errors import MissingExtraError
from outcomes import one_line


def test_an_empty_folder(run, tmp_path):
    (tmp_path / "release").mkdir()
    message = one_line(run("import", tmp_path / "release", "-o", tmp_path / "x.terminology"))
    hint = "Name the files of the release, or the folder or archive they lie in"
    assert message == f"error: {tmp_path / 'release'}: no file in it. {hint}"


def test_truncated_gzip(run, tiny, tmp_path):
    packed = gzip.compress((tiny / "tiny.obo").read_bytes())
    (tmp_path / "cut.obo.gz").write_bytes(packed[: len(packed) // 2])
    message = one_line(run("import", tmp_path / "cut.obo.gz", "-o", tmp_path / "x.terminology"))
    assert "truncated gzip" in message
    assert not (tmp_path / "x.terminology").exists()


def test_unknown_column_lists_those_there(run, tmp_path):
    (tmp_path / "codes.csv").write_text("code,display\n1,Fever\n")
    message = one_line(
        run("import", tmp_path / "codes.csv", "--column", "id=kode", "-o", tmp_path / "x.terminology")
    )  # fmt: skip
    assert message == (
        f"error: {tmp_path / 'codes.csv'}:1: unknown column 'kode'. Did you mean 'code'? Valid: code, display. "
        "Columns are named by --column ROLE=COLUMN"
    )


def test_unknown_format_lists_formats(run, tiny, tmp_path):
    message = one_line(run("import", tiny / "tiny.obo", "--format", "oboo", "-o", tmp_path / "x.terminology"))
    assert message.startswith("error: unknown format 'oboo'. Did you mean 'obo'? Valid: claml, ctd, fhir, icd10cm")


def test_words_of_a_note_without_quotation_marks(run, tiny):
    message = one_line(run("annotate", tiny / "tiny.index", "No", "fever"))
    assert "unexpected extra argument (fever); put a text of several words in quotation marks" in message


def test_a_server_that_cannot_begin_says_what_to_change(run, tiny, tmp_path):
    message = one_line(run("serve", tiny / "tiny.index", "--keys", tmp_path / "keys.txt"))
    assert message.endswith("keys.txt: cannot be read: No such file or directory. Check the path of the keys")
    assert one_line(run("serve", tmp_path / "none.index")).endswith("none.index: no such artifact. Check the path")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        message = one_line(run("serve", tiny / "tiny.index", "--port", str(taken.getsockname()[1])))
    assert message.endswith("Address already in use; --port 0 takes a free one")


def test_index_of_another_terminology(run, tiny, tmp_path):
    for name in ("tiny.terminology", "tiny.index"):
        shutil.copytree(tiny / name, tmp_path / name)
    other = tmp_path / "other.obo"
    other.write_text((tiny / "tiny.obo").read_text().replace("Fever", "Feverish"))
    assert run("import", other, "-o", tmp_path / "tiny.terminology").exit_code == 0
    message = one_line(run("search", tmp_path / "tiny.index", "fever"))
    assert "is not the one" in message
    assert message.endswith("rebuild with `ontonym index`")


@pytest.mark.parametrize("verb", ["search", "normalize"])
def test_missing_index_says_how_to_make_one(run, tmp_path, verb):
    message = one_line(run(verb, tmp_path / "no.index", "-"))
    assert message == f"error: {tmp_path / 'no.index'}: no such index; make one with `ontonym index`"


def test_terminology_where_an_index_is_wanted(run, tiny):
    message = one_line(run("search", tiny / "tiny.terminology", "fever"))
    assert message.endswith("is a terminology, but an index was expected; make an index of it with `ontonym index`")
    message = one_line(run("export", tiny / "tiny.index", "-o", "no.csv"))
    assert message.endswith("but a terminology was expected; give the terminology that it was made of")


def test_an_index_that_is_not_there_names_the_one_beside_it(run, tiny, tmp_path):
    (tmp_path / "tiny.index").symlink_to(tiny / "tiny.index")
    for typed in ("tiny.idx", "TINY.INDEX", "tiny.indexes"):
        message = one_line(run("search", tmp_path / typed, "fever"))
        assert message == f"error: {tmp_path / typed}: no such index. Did you mean {tmp_path / 'tiny.index'}?"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["SEARCH"], "unknown command 'SEARCH'. Did you mean 'search'? Valid: add-terms"),
        (["help"], "unknown command 'help'. Did you mean ontonym --help?"),
        (["/?"], "unknown command '/?'. Did you mean ontonym --help?"),
        (["version"], "unknown command 'version'. Did you mean ontonym --version?"),
        (["review", "help"], "unknown command 'help'. Did you mean ontonym review --help?"),
    ],
)
def test_commands_as_other_programs_have_them(run, typed, said):
    assert one_line(run(*typed)).startswith(f"error: {said}")


def test_names_in_another_case_and_none_at_all(run, tiny):
    message = one_line(run("search", tiny / "tiny.index", "fever", "--signal", "LEXICAL"))
    assert "unknown signal 'LEXICAL'. Did you mean 'lexical'? Valid: char" in message
    message = one_line(run("search", tiny / "tiny.index", "fever", "--tag", "finding"))
    assert message == "error: unknown tag 'finding'. There are none here: leave it out"


def test_an_artifact_is_no_release(run, tiny, tmp_path):
    message = one_line(run("import", tiny / "tiny.index", "-o", tmp_path / "x.terminology"))
    assert message.endswith("tiny.index: is an index that ontonym made, not a release: give the publisher's files")


def test_unknown_signal(run, tiny):
    message = one_line(run("search", tiny / "tiny.index", "fever", "--signal", "fussed"))
    assert message == "error: unknown signal 'fussed'. Did you mean 'fused'? Valid: char, dense, fused, lexical"


def test_unknown_concept_in_within(run, tiny):
    assert "T:77" in one_line(run("search", tiny / "tiny.index", "fever", "--within", "T:77"))


def test_unknown_command_names_the_nearest(run):
    assert one_line(run("serch")).startswith("error: unknown command 'serch'. Did you mean 'search'?")


def test_missing_argument_names_the_help(run):
    assert one_line(run("search")) == (
        "error: missing argument 'INDEX': ontonym search INDEX WORDS (try: ontonym search --help)"
    )


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("--explian", ". Did you mean --explain? ("),
        ("-K", ". Did you mean -k? ("),
        ("--k", ". Did you mean -k? ("),
        ("--rerank-de", ". Did you mean --rerank-depth? ("),
        ("--colour", "; words that begin with - stand last, after -- ("),
    ],
)
def test_an_unknown_option_names_what_may_be_meant(run, tiny, typed: str, said: str) -> None:
    message = one_line(run("search", tiny / "tiny.index", "fever", typed, "3"))
    assert message == f"error: no such option '{typed}'{said}try: ontonym search --help)"


def test_a_missing_option_is_shown_as_it_is_typed(run, tiny) -> None:
    asked = ("pairs", tiny / "tiny.terminology")
    assert one_line(run(*asked)) == "error: missing option -o DIR (try: ontonym pairs --help)"
    assert one_line(run(*asked, "-o", "x")) == "error: missing option --recipe NAME (try: ontonym pairs --help)"


def test_words_that_begin_with_a_dash_stand_after_two(run, tiny):
    message = one_line(run("search", tiny / "tiny.index", "-ve fever"))
    assert "no such option '-v'; words that begin with - stand last, after --" in message
    assert run("search", tiny / "tiny.index", "--json", "--", "-ve fever").exit_code == 0


def test_bad_number_is_a_usage_error(run, tiny):
    message = one_line(run("normalize", tiny / "tiny.index", "-", "--threshold", "7"))
    assert "7.0 is not in the range 0<=x<=1" in message


def test_damaged_artifact_fails_its_check(run, tiny, tmp_path):
    shutil.copytree(tiny / "tiny.terminology", tmp_path / "t.terminology")
    file = next((tmp_path / "t.terminology").glob("term_text*"))
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    assert "checksum" in one_line(run("info", tmp_path / "t.terminology", "--verify"), code=1)


def test_unexpected_exception_is_ours(run, tiny, monkeypatch):
    def broken(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(search_verb, "search_many", broken)
    message = one_line(run("search", tiny / "tiny.index", "fever"), code=3)
    assert message == f"error: RuntimeError: boom; {ontonym.cli.errors.REPORT}"
    monkeypatch.setenv("ONTONYM_DEBUG", "1")
    assert isinstance(run("search", tiny / "tiny.index", "fever").exception, RuntimeError)


def test_interrupt_exits_130(run, tiny, monkeypatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(search_verb, "search_many", interrupted)
    assert one_line(run("search", tiny / "tiny.index", "fever"), code=130) == "interrupted"


@pytest.mark.slow
def test_interrupted_process_leaves_nothing_behind(tiny, tmp_path):
    waiting = subprocess.Popen(
        [sys.executable, "-m", "ontonym", "normalize", str(tiny / "tiny.index"), "-", "-o", str(tmp_path / "out.tsv")],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    assert waiting.stdin and waiting.stderr
    waiting.stdin.write("fever\n")
    waiting.stdin.flush()
    while not list(tmp_path.glob(".out.tsv.*")) and waiting.poll() is None:
        time.sleep(0.05)
    waiting.send_signal(signal.SIGINT)
    message = waiting.stderr.read()
    waiting.stdin.close()
    waiting.stderr.close()
    assert (waiting.wait(), message, list(tmp_path.glob(".*"))) == (130, "interrupted\n", [])


@pytest.mark.slow
def test_closed_pipe_is_quiet(tiny):
    lines = "fever\n" * 2000
    head = subprocess.Popen(
        [sys.executable, "-m", "ontonym", "normalize", str(tiny / "tiny.index"), "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    assert head.stdin and head.stdout and head.stderr
    head.stdout.close()
    try:
        head.stdin.write(lines)
        head.stdin.close()
    except BrokenPipeError:
        pass
    message = head.stderr.read()
    head.stderr.close()
    assert (head.wait(), message) == (141, "")


def test_a_closed_pipe_loses_no_file_of_an_evaluation(tiny, tmp_path):
    (tmp_path / "gold.tsv").write_text("text\tid\nkidney failure\tT:1\n")
    asked = ["evaluate", "search", str(tiny / "tiny.index"), "gold.tsv", "--resamples", "9"]
    head = subprocess.Popen(
        [sys.executable, "-m", "ontonym", *asked, "-o", "report.json", "--trec", "runs"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), cwd=tmp_path,
    )  # fmt: skip
    assert head.stdout and head.stderr
    head.stdout.close()
    message = head.stderr.read()
    head.stderr.close()
    assert (head.wait(), message) == (141, "")
    assert "hits@1" in (tmp_path / "report.json").read_text()
    assert (tmp_path / "runs/fused.run").is_file()


def test_figures_are_printed_where_their_file_cannot_be_written(tiny, tmp_path):
    (tmp_path / "gold.tsv").write_text("text\tid\nkidney failure\tT:1\n")
    (tmp_path / "runs").write_text("a file, where a folder is wanted")
    asked = ["evaluate", "search", str(tiny / "tiny.index"), "gold.tsv", "--resamples", "9", "--trec", "runs"]
    done = subprocess.run(
        [sys.executable, "-m", "ontonym", *asked, "--force"],
        capture_output=True, text=True, env=environment(), check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2
    assert "hits@1" in done.stdout
    assert "runs" in done.stderr


@pytest.mark.slow
def test_no_traceback_in_a_process(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "ontonym", "info", str(tmp_path)],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == f"error: {tmp_path}: is not an artifact (it has no manifest.json)\n"


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(ontonym.cli.__file__).parents[2])}


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("can't start new thread"),
        ImportError("/a/b.so: failed to map segment from shared object"),
    ],
    ids=repr,
)
def test_memory_that_is_lacking_is_told_as_that(error):
    from ontonym.cli.errors import message_and_code

    assert message_and_code(error) == (
        "error: there is not enough memory for this: give it less at once, or more memory", 2
    )  # fmt: skip


def test_an_index_in_another_place_than_the_command_has_it_shows_the_order(run, tiny):
    index = tiny / "tiny.index"
    for asked, order in (
        (["search", "fever", index], "search INDEX WORDS"),
        (["show", "T:5", index], "show INDEX|TERMINOLOGY ID"),
        (["normalize", "no.csv", index], "normalize INDEX FILE"),
        (["update", tiny / "tiny.terminology", index], "update INDEX TERMINOLOGY…"),
        (["evaluate", "search", "gold.tsv", index], "evaluate search INDEX GOLD"),
        (["match", index, tiny / "tiny.terminology", "-o", "x.sssom.tsv"], "match SOURCE TARGET.index"),
    ):
        wanted = f"{index} is an index, given in another's place: the order is ontonym {order}"
        assert one_line(run(*asked)) == f"error: {wanted}"
    assert "the order" not in one_line(run("search", "no.index", "fever"))
    assert "the order" not in one_line(run("normalize", index, "no.csv"))
    assert "the order" not in one_line(run("match", index, index, "-o", "x.sssom.tsv"))


def test_an_empty_query_is_no_search(run, tiny):
    for asked in (["", " "], ["\t"]):
        message = one_line(run("search", tiny / "tiny.index", *asked))
        assert message == "error: the query is empty: give the words to search for"
    assert run("search", tiny / "tiny.index", "?!").stdout == "nothing found\n"


def test_what_newcomers_mix_up_has_a_line_that_says_what_to_do(run, tiny, tmp_path):
    index, terminology = tiny / "tiny.index", tiny / "tiny.terminology"
    names = tmp_path / "names.csv"
    names.write_text("name\nfever\n", encoding="utf-8")
    for asked, said in (
        (["show", index, "hurts"], "An id is wanted here: `ontonym search` finds the concepts behind words"),
        (["search", index, "fever", "--within", "hurts"], "An id is wanted here"),
        (["search", index, "fits", "--within", "FEVER"], "no concept 'FEVER' in tiny. Did you mean T:5?"),
        (["normalize", index, "high fever"], "For words in quotes use `ontonym search`, for a text `ontonym annotate`"),
        (["normalize", index, "fever"], "For words in quotes use `ontonym search`"),
        (["normalize", index, "fever of 39.5 and/or chills"], "For words in quotes use `ontonym search`"),
        (["normalize", index, "high fever " * 50], "For words in quotes use `ontonym search`"),
        (["normalize", index, "visits/fever"], "visits/fever: no such file. Check the path"),
        (["match", "no.csv", index, "-o", tmp_path / "x.tsv"], "no.csv: no such file. Check the path"),
        (["info", names], "make a terminology of a release with `ontonym import`"),
        (["index", index], "is an index already: search it"),
        (
            ["index", terminology, "--encoder", "statc", "-o", tmp_path / "x"],
            "default, static, contextual, multilingual",
        ),
        (["import", names], "A table needs at least a column of ids and one of names"),
        (["calibrate", index, "--gold", names], "A table needs the columns text and id"),
        (
            ["add-terms", index, "--term", "burning up", "T:5"],
            "'T:5' is an id, and 'burning up' is none: swap the two",
        ),
    ):
        assert said in one_line(run(*asked)), asked
    assert "An id is wanted" not in one_line(run("show", index, "T:999"))
    assert run("terms", index).stdout.count("\n") == 1, "nothing was added"


def _missing(reason: Exception) -> MissingExtraError:
    try:
        raise reason
    except ImportError:
        return MissingExtraError("torch", "train", "training an encoder")


def test_a_library_that_cannot_be_imported_is_not_called_missing() -> None:
    gone = str(_missing(ModuleNotFoundError("No module named 'torch'", name="torch")))
    assert gone == "training an encoder needs torch, which is not installed. Type: pip install 'ontonym[train]'"
    broken = str(_missing(ImportError("DLL load failed while importing _C")))
    assert "which is installed, but cannot be imported (DLL load failed while importing _C)" in broken
    assert broken.endswith("Type: pip uninstall torch && pip install 'ontonym[train]'")


def test_an_interruption_while_a_library_is_imported_is_one() -> None:
    from ontonym.cli.errors import message_and_code

    try:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise ImportError("numpy failed to import")  # noqa: B904 (as compiled modules do)
    except ImportError as error:
        seen = MissingExtraError("torch", "train", "training an encoder")
        seen.__cause__ = error
    assert message_and_code(seen) == ("interrupted", 130)
    assert message_and_code(_missing(ImportError("DLL load failed")))[1] == 2


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
@pytest.mark.parametrize("command", [("info",), ("search", "fits"), ("import", "-o", "a.terminology")])
def test_a_link_that_leads_back_to_itself_is_one_error(run, tmp_path, command):
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    done = run(command[0], loop, *command[1:])
    assert (done.exit_code, done.stderr.count("\n"), str(loop) in done.stderr) == (2, 1, True)
