"""Learning: encoders of terminologies, and what an index learns of its own names."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontonym.api.given import given_files, given_texts, name_or_place, place_of, several
from ontonym.api.opening import (
    encoder_of,
    encoder_place,
    open_encoder,
    open_reranker,
    using_index,
    using_terminologies,
)
from ontonym.artifact import require_folder
from ontonym.errors import InputError
from ontonym.index import Index
from ontonym.tasks.optionkeywords import chosen, given_to

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ontonym.encoder import Encoder, Reranker
    from ontonym.evaluate.calibration import Calibrated
    from ontonym.learning.mining import MiningOptions
    from ontonym.learning.ranking import LearnedRanking
    from ontonym.learning.recipes import Examples, PoolOptions, RecipeOptions
    from ontonym.learning.recipes.pool import Pool
    from ontonym.learning.rerankers.options import RerankStep
    from ontonym.manifest import Manifest
    from ontonym.types import Progress


_NAMES = "the path of a file of names, or several"


@dataclass(frozen=True, slots=True)
class MadePairs:
    """Training examples that were written: what they are, and the manifest of the folder."""

    examples: Examples
    manifest: Manifest

    def __len__(self) -> int:
        return sum(self.examples.counts().values())


def pairs(
    terminologies: Any,
    output: Path | str,
    *,
    recipe: str,
    shares: str | Sequence[float] = "90/5/5",
    split_by: Any = "concept",
    languages: Any = ("en",),
    scopes: Any = None,
    exclude: Any = (),
    annotated: Any = (),
    hard_negatives: Any = None,
    mining: MiningOptions | None = None,
    tsv: Path | str | None = None,
    options: RecipeOptions | None = None,
    progress: Progress = lambda stage, done, total: None,
    **keywords: Any,
) -> MadePairs:
    """Makes training examples from terminologies alone, by a recipe, and writes them to the folder ``output``.

    ``recipe`` is one of `ontonym.learning.recipes.RECIPES`: synonyms, triplets, drawn and so on. ``shares`` are of
    train, dev and test, of concepts or, with ``split_by="example"``, of examples. No ``languages`` stand for all.
    ``exclude`` are files of names that no example may have; ``annotated`` are files of texts with their concepts, for
    the recipes that take some; ``hard_negatives`` is an index in which each pair gets a negative that is near, chosen
    as ``mining`` says. ``tsv`` writes the examples as readable text too. Keywords are fields of `RecipeOptions`:
    ``seed=1``.
    """
    from ontonym.evaluate.texts import annotated_texts
    from ontonym.learning.recipes import RecipeOptions, find_recipe, make_examples, name_pool
    from ontonym.learning.recipes.examples import check_tsv_name, save_examples, write_examples_tsv
    from ontonym.learning.recipes.table import check_recipe_options
    from ontonym.text.strings import Strings

    if hard_negatives is None and mining is not None:
        raise InputError("`mining=` says which hard negatives are taken: give `hard_negatives=INDEX` too")
    if tsv is not None:
        check_tsv_name(place_of(tsv))
    found, how = find_recipe(recipe), chosen(options, RecipeOptions(), keywords)
    texts, left_out = annotated_texts(given_files(annotated, "the path of a file of texts"))
    check_recipe_options([found], how, annotated=bool(texts or left_out))
    pool_options = _pool_options(languages, scopes, exclude, shares, split_by, how.seed)
    with ExitStack() as stack:
        progress("reading names", 0, None)
        opened = stack.enter_context(using_terminologies(terminologies))
        pool = name_pool(opened, pool_options, texts)
        progress("making examples", 0, None)
        made = make_examples(pool, found, how)
        if left_out:
            made.described["annotated"] = {**made.described.get("annotated", {}), "left_out": left_out}
        if hard_negatives is not None:
            made = _with_negatives(made, stack.enter_context(using_index(hard_negatives)), mining, pool, progress)
        progress("writing", 0, None)
        manifest = save_examples(place_of(output), made)
        if tsv is not None:
            write_examples_tsv(place_of(tsv), made, Strings.joined([part.ids().strings() for part in opened]))
    return MadePairs(made, manifest)


def _pool_options(languages: Any, scopes: Any, exclude: Any, shares: Any, split_by: Any, seed: int) -> PoolOptions:
    """The options of `pairs` that say which names examples are made of."""
    from ontonym.evaluate.texts import excluded_names
    from ontonym.learning.recipes import PoolOptions
    from ontonym.learning.recipes.split import parse_shares

    return PoolOptions(
        languages=tuple(given_texts(languages, "tags of languages")),
        scopes=PoolOptions().scopes if scopes is None else tuple(scopes),
        exclude=excluded_names(given_files(exclude, _NAMES)),
        shares=parse_shares(shares),
        split_by=split_by,
        seed=seed,
    )


def _with_negatives(
    made: Examples, near: Index, mining: MiningOptions | None, pool: Pool, progress: Progress
) -> Examples:
    """The examples of a pool, each pair with a hard negative, drawn by the seed of the recipe."""
    from ontonym.learning.mining import MiningOptions, mine

    options = replace(mining or MiningOptions(), seed=pool.options.seed)
    usable = pool.usable_texts(len(made.texts))
    return mine(
        near, made, options, usable=usable,
        progress=lambda done, total: progress("looking for negatives", done, total),
    )  # fmt: skip


def distill(
    teacher: Any,
    terminologies: Any,
    output: Path | str,
    *,
    languages: Any = ("en",),
    exclude: Any = (),
    **keywords: Any,
) -> Encoder:
    """Fits a static encoder, which needs numpy only, to another one's vectors of the names of terminologies; opens it.

    No ``languages`` stand for all; ``exclude`` are files of names that it must not be fitted to. Keywords are fields of
    `DistillOptions` and `StaticShape`: ``epochs=20``, ``dim=64``. Needs ontonym[train].
    """
    from ontonym.encoder.static import StaticShape
    from ontonym.evaluate.texts import excluded_names
    from ontonym.learning.encoders.distill import DistillOptions, distill_names
    from ontonym.learning.recipes import PoolOptions

    plain = DistillOptions(), StaticShape()
    ours, shapes = given_to(keywords, *plain, without=("shortest", "longest"))
    how, shape = chosen(None, plain[0], ours), chosen(None, plain[1], shapes)
    names = excluded_names(given_files(exclude, _NAMES))
    wanted = PoolOptions(languages=tuple(given_texts(languages, "tags of languages")), exclude=names)
    with using_terminologies(terminologies) as opened:
        distill_names(encoder_of(teacher), opened, place_of(output), wanted, shape, how)
    return open_encoder(output)


def join(
    encoders: Sequence[Encoder | Path | str], output: Path | str, shares: Sequence[float] | None = None
) -> Encoder:
    """Joins encoders, so that a cosine is the weighted mean of theirs, and opens the result; ``shares`` are scaled."""
    from ontonym.learning.encoders.joining import join_trained

    join_trained([encoder_place(one, saved=True) for one in several(encoders)], place_of(output), shares)
    return open_encoder(output)


def train_reranker(
    index: Index | Path | str,
    output: Path | str,
    *,
    base: Path | str,
    shares: str | Sequence[float] = "90/5/5",
    exclude: Any = (),
    export: bool = False,
    resume: bool = False,
    progress: Progress = lambda stage, done, total: None,
    report: Callable[[RerankStep], None] | None = None,
    **keywords: Any,
) -> Reranker:
    """Trains a reranker, which reads a query together with each candidate of an index, and opens it.

    ``base`` is the folder of a BERT-like model, its name on the hub (``hub:owner/model``), or a cross-encoder to go on
    from. ``shares`` are those of the concepts to learn from, to choose by and to judge by. Keywords are fields of
    `RerankOptions` and `CandidateOptions`: ``epochs=1``, ``groups=500``. ``export`` adds the ONNX form; ``resume``
    is as in `train`. Needs ontonym[train].
    """
    from ontonym.evaluate.texts import excluded_names
    from ontonym.learning.recipes.split import parse_shares
    from ontonym.learning.rerankers.candidates import CandidateOptions
    from ontonym.learning.rerankers.options import RerankOptions
    from ontonym.learning.rerankers.runs import train_index_reranker

    training, bringing = given_to(keywords, RerankOptions(), CandidateOptions())
    options = chosen(None, RerankOptions(), training)
    groups = replace(chosen(None, CandidateOptions(), bringing), shares=parse_shares(shares), seed=options.seed)
    target = place_of(output)
    names = excluded_names(given_files(exclude, _NAMES))
    with using_index(index) as opened:
        train_index_reranker(
            opened.refreshed(), name_or_place(base, "the path or name of a model"), target, groups, options,
            exclude=names, resume=resume, export=export, progress=progress, report=report,
        )  # fmt: skip
    return open_reranker(target)


def calibrate(
    index: Index | Path | str,
    gold: Any = (),
    *,
    types: Any = (),
    keep: bool = True,
    **keywords: Any,
) -> Calibrated:
    """Learns what the confidences of an index are worth, and keeps it in the index; printing the result's ``text``
    shows how true they are.

    From ``gold``, annotated corpora, or without any from names of the index. Of corpora only mentions of ``types`` are
    used, by default all. With ``keep`` false it is only measured. Keywords are fields of `CalibrationOptions` and
    `CorpusChoice`: ``questions=500``, ``split="train"``.
    """
    from ontonym.api.gold import corpus_choice
    from ontonym.evaluate.calibration import CalibrationOptions
    from ontonym.evaluate.calibration import calibrate as learned_from
    from ontonym.index.calibration import write_calibration

    choice, others = corpus_choice(keywords)
    how, wanted = chosen(None, CalibrationOptions(), others), given_texts(types, "types of mentions")
    places = given_files(gold, "the path of an annotated corpus, or several")
    with using_index(index) as opened:
        if keep:
            require_folder(opened.path)
        learned = learned_from(opened.refreshed(), places, choice, how, types=wanted)
        if keep:
            write_calibration(opened.path, learned.calibration)
    return learned


def learn_ranking(index: Index | Path | str, *, unseen: Any = (), keep: bool = True, **keywords: Any) -> LearnedRanking:
    """Learns how an index weighs its evidence, from its own names, and keeps it where it is better.

    ``unseen`` are files of names that the encoder was trained without, one a line: only these are hidden; without any,
    all names, which an index with an encoder of ontonym's own refuses. With ``keep`` false it is only measured.
    Keywords are fields of `LearnOptions`. Needs ontonym[train].
    """
    from ontonym.evaluate.texts import excluded_names
    from ontonym.learning.ranking import keep_ranking
    from ontonym.learning.ranking import learn_ranking as learned_from
    from ontonym.learning.samples import LearnOptions

    how = chosen(None, LearnOptions(), keywords)
    files = given_files(unseen, _NAMES)
    with using_index(index) as opened:
        if keep:
            require_folder(opened.path)
        learned = learned_from(opened.refreshed(), excluded_names(files) if files else None, how, keep=keep)
        place = opened.path
    if keep:
        keep_ranking(place, learned)
    return learned
