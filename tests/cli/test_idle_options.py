"""Options that would do nothing without another one are refused in one line, never ignored."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import ontonym
from ontonym.errors import InputError
from ontonym.evaluate.annotation import learned_acceptance
from ontonym.evaluate.categories import CategoryOptions
from ontonym.evaluate.pairsets import SimilarityOptions, evaluate_pair_sets
from ontonym.evaluate.questions import read_questions
from ontonym.index import IndexOptions
from ontonym.index.shared.places import share
from ontonym.learning.mining import MiningOptions
from ontonym.serve.http.settings import ServerOptions
from ontonym.tasks import AnnotateOptions

T, I = "tiny.terminology", "tiny.index"  # noqa: E741

IDLE = [
    (f"pairs {T} --recipe synonyms -o OUT --only-wrong", "--only-wrong does nothing without --hard-negatives"),
    (f"pairs {T} --recipe synonyms -o OUT --skip 3 --ceiling 0.9", "--skip and --ceiling do nothing without --hard"),
    (f"pairs {T} --recipe synonyms -o OUT --nearest 16", "--nearest does nothing without --hard-negatives"),
    (f"pairs {T} --recipe synonyms -o OUT --linked 0.5", "--linked is for the recipe drawn, not for synonyms"),
    (f"pairs {T} --recipe drawn -o OUT --relation is-a", "--relation is for the recipes graph and comb, not for drawn"),
    (f"pairs {T} --recipe graph -o OUT --association consider", "--association is for the recipe historical, not for"),
    (f"pairs {T} --recipe graph -o OUT --predicate skos:closeMatch", "--predicate is for the recipe mappings, not for"),
    (f"pairs {T} --recipe graph -o OUT --annotated graded.tsv", "--annotated is for the recipes batches and ann"),
    (f"train {T} -o OUT --auxiliary-weight 2", "--auxiliary-weight does nothing without --auxiliary"),
    (f"train {T} -o OUT --margin 0.2", "--margin is for the loss triplet, not for softmax"),
    (f"train {T} -o OUT --loss triplet --temperature 0.1", "--temperature is for the loss softmax, not for triplet"),
    (f"train {T} -o OUT --mining semi-hard", "--mining is for the loss batch-hard, not for softmax"),
    (f"train {T} -o OUT --neighbours 0 --begin 0.2", "--begin does nothing without --neighbours"),
    (f"train {T} -o OUT --dropout 0.2", "--dropout does nothing without a transformer as --base"),
    (f"train {T} -o OUT --base none --tolerance 0.1", "--tolerance does nothing without a static --base that goes on"),
    (f"train {T} -o OUT --base small --allow-worse", "--allow-worse does nothing without a static --base that goes on"),
    (f"train {T} -o OUT --base none --steps 2 --batch 2 --ratio 3", "--ratio is for the recipe batches, not for drawn"),
    (f"match {T} {I} -o OUT.tsv --aggregate max --no-structure", "--no-structure does nothing without --aggregate"),
    (f"match {T} {I} -o OUT.tsv --learn", "--learn does nothing without --known"),
    (f"align {T} no.pages -o OUT.tsv --rerank-depth 3", "--rerank-depth and --rerank-weight say how to rerank"),
    (f"normalize {I} mentions.txt --raw", "--raw does nothing without CSV or TSV as OUT"),
    (f"normalize {I} mentions.bioc.xml --column name", "--column does nothing without a table or JSON lines as FILE"),
    (f"normalize {I} mentions.txt --json --output-format tsv", "JSON lines and --output-format tsv are asked for"),
    (f"annotate {I} 'a bad fever' --column note", "--column does nothing without a file as FILE"),
    (f"annotate {I} 'a bad fever' --output-format note --raw", "--raw does nothing without CSV or TSV as OUT"),
    (f"annotate {I} 'a bad fever' --find names --learn-from gold.pubtator", "--find names finds none"),
    (f"evaluate annotation {I} gold.pubtator --find names --learn-from gold.pubtator", "--find names finds none"),
    ("evaluate similarity graded.csv --seed 3", "--seed draws pairs, and all are taken: give --most N too"),
    ("evaluate similarity graded.csv --set hard", "--set names sets of a folder, and only files are given"),
    (f"evaluate categories {T} --near T:2 --near T:5 --far T:6 --seed 1 --most 0", "--seed draws names, and all are"),
    (f"evaluate ranking {T} {I} no.tsv --aggregate max --no-xrefs", "--no-xrefs does nothing without --aggregate"),
    (f"evaluate alignment {T} no.pages graded.csv --split dev", "--split does nothing without a folder as GOLD"),
    (f"evaluate search {I} graded.tsv --labels {T}", "no mapped concepts that --labels could name"),
    ("evaluate similarity graded.csv --encoder edit --any-word", "--any-word is for files of word vectors, and no enc"),
    (f"evaluate categories {T} --near T:2 --near T:5 --far T:6 --any-word", "--any-word is for files of word vectors"),
    (f"evaluate heldout {T} --write-names OUT --signal char --json", "--signal and --json do nothing beside --write-n"),
    (f"evaluate search {I} graded.tsv --write-queries OUT --cutoff 5", "--cutoff does nothing beside --write-queries"),
    (f"evaluate search {I} graded.tsv --write-queries OUT --trec OUT.trec", "--trec does nothing beside --write-quer"),
    (f"calibrate {I} --forget --dry-run", "--dry-run does nothing beside --forget"),
    (f"calibrate {I} --forget --gold gold.pubtator --bins 5", "--gold and --bins do nothing beside --forget"),
    (f"calibrate {I} --gold gold.pubtator --questions 5 --seed 2", "--questions and --seed do nothing with --gold"),
    (f"calibrate {I} --strategy O-T --as-written", "--strategy and --as-written do nothing without --gold"),
    (f"learn-ranking {I} --forget --dry-run", "--dry-run does nothing beside --forget"),
    (f"benchmark build {T} -o OUT --recipe-file r.json --seed 4", "--seed does nothing with --recipe-file"),
    ("benchmark study no.study --each 3 --xlsx", "--each and --xlsx do nothing without -o"),
    ("evaluate report no.json --resamples 100", "--resamples does nothing without --compare"),
    (f"index {T} --pages --no-everyday", "--pages goes with none of --encoder, --include-retired, --no-everyday,"),
    (f"index {T} --text 100", "--text says how much of a page is searched: give --pages too"),
    (f"index {T} --to postgresql://h/d/n --on dask", "--memory, --shards and --on are for building in a folder"),
    (f"index {I} --to postgresql://h/d/n --language de", "is an index, which is copied as it is: leave out"),
    (f"serve {I} --no-access-log --log-queries", "--log-queries is of the lines for requests, of which"),
]  # fmt: skip


@pytest.fixture
def beside(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the terminology and index, and files for the commands; it is the working folder."""
    for name in (T, I):
        (tmp_path / name).symlink_to(tiny / name)
    (tmp_path / "mentions.txt").write_text("heart attack\n")
    (tmp_path / "graded.csv").write_text("fever,pyrexia,4\nfits,fever,1\nseizure,fits,3\n")
    (tmp_path / "graded.tsv").write_text("hot head\tT:5\n")
    (tmp_path / "gold.pubtator").write_text("1|t|A fever\n1|a|\n1\t2\t7\tfever\tDisease\tT:5\n")
    (tmp_path / "mentions.bioc.xml").write_text(
        "<?xml version='1.0'?><collection><source/><date/><key/><document><id>1</id></document></collection>"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("line", "told"), IDLE, ids=[f"{line.split(' ')[0]} {line[-24:]}" for line, _ in IDLE])
def test_one_line_and_exit_code_2(run, beside, line: str, told: str) -> None:
    done = run(*shlex.split(line))
    assert done.exit_code == 2, done.output
    assert told in done.stderr
    assert not list(beside.glob("OUT*"))


def test_in_python_too(beside) -> None:
    def refused(match: str):
        return pytest.raises(InputError, match=match)

    with refused("`mining=` says which hard negatives are taken"):
        ontonym.pairs(T, "OUT", recipe="synonyms", mining=MiningOptions(skip=2))
    with refused("`favour=` is for the recipe drawn, not for graph"):
        ontonym.pairs(T, "OUT", recipe="graph", favour=0.0)
    with refused("`on=` is for an index in a folder"):
        ontonym.build_index(T, "postgresql://h/d/n", on="dask")
    with refused("is an index, which is copied as it is"):
        share([I], "postgresql://h/d/n", options=IndexOptions(retired=True))
    with refused("`log_queries=` is of the lines for requests"):
        ServerOptions(access_log=False, log_queries=True)
    with refused("`seed=` draws pairs"):
        SimilarityOptions(seed=1)
    with refused("`sets=` names sets of a folder"):
        evaluate_pair_sets(["graded.csv"], SimilarityOptions(sets=("hard",)))
    with refused("`seed=` draws names"):
        CategoryOptions(seed=1, most=0)
    with ontonym.open_terminology(T) as opened, ontonym.open_index(I) as index:
        with refused("has texts of its own, and no mapped concepts that `labels=` could name"):
            read_questions("graded.tsv", opened, source=opened)  # type: ignore[arg-type]
        with refused("`find=names` finds none"):
            learned_acceptance(index, [], AnnotateOptions(find="names"))
    assert not (beside / "OUT").exists()


def test_what_is_typed_with_what_it_needs_is_taken(run, beside) -> None:
    made = run(
        "pairs", T, "--recipe", "synonyms", "--split", "1/0/0", "--hard-negatives", I, "--nearest", "2", "-o", "OUT"
    )
    assert made.exit_code == 0, made.output
    drawn = run("evaluate", "similarity", "graded.csv", "--encoder", "edit", "--most", "2", "--seed", "3")
    assert drawn.exit_code == 0, drawn.output
    written = run("normalize", I, "mentions.txt", "--raw", "-o", "OUT.csv")
    assert written.exit_code == 0, written.output
