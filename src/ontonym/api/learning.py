"""Learning: encoders of terminologies, and what an index learns of its own names."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontonym.api.given import given_places, name_or_place, place_of
from ontonym.api.opening import A_TERMINOLOGY, AN_ENCODER, encoder_of, open_encoder, using_index, using_terminology
from ontonym.index import Index
from ontonym.store import Terminology
from ontonym.tasks.chosen import chosen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ontonym.encoder import Encoder
    from ontonym.evaluate.calibration import Calibrated
    from ontonym.learning.encoders.options import TrainStep
    from ontonym.learning.ranking import LearnedRanking


def train(
    source: Any,
    output: Path | str,
    *,
    base: Path | str = "default",
    preset: str = "",
    recipe: str = "",
    exclude: Any = (),
    export: bool = False,
    resume: bool = False,
    report: Callable[[TrainStep], None] | None = None,
    **keywords: Any,
) -> Encoder:
    """Trains an encoder from the names of terminologies, or from examples, and opens it (needs ontonym[train]).

    ``base`` is where it begins: ``default``, ``none``, ``small`` or the folder of an encoder; ``preset`` takes the
    settings of a paper (`ontonym.learning.encoders.options.PRESETS`), ``recipe`` what is learned from. ``exclude`` are
    files of names that must not be seen. Keywords are fields of `TrainOptions`: ``steps=200``. ``export`` adds the ONNX
    form; ``resume`` goes on from the last checkpoint.
    """
    from ontonym.evaluate.texts import excluded_names
    from ontonym.learning.encoders.bases import Base
    from ontonym.learning.encoders.checks import check_base, check_export, check_numbers, check_preset_base
    from ontonym.learning.encoders.options import OURS, find_preset
    from ontonym.learning.encoders.runs import TrainingPlan, prepare_training, run_training
    from ontonym.learning.recipes import find_recipe

    name = name_or_place(base, AN_ENCODER)
    check_base(name)
    if preset:
        check_preset_base(find_preset(preset), preset, given=name != "default")
    begun = Base(name)
    settings = find_preset(preset) if preset else OURS[begun.beginning]
    if begun.beginning == "transformer":
        begun = replace(begun, pooling=settings.pooling)
    options = chosen(None, settings.options, keywords)
    check_numbers((options,), auxiliary_weight=1.0)
    if export:
        check_export(begun)
    learned = recipe or settings.recipe
    split_by = "concept" if find_recipe(learned).fresh else settings.split_by
    plan = TrainingPlan(
        begun, learned, options, settings.loss, settings.shares, preset=preset, split_by=split_by,
        exclude=excluded_names([*map(str, given_places(exclude, "the path of a file of names"))]),
    )  # fmt: skip
    plan = replace(plan, making=replace(plan.making, seed=options.seed))
    target = place_of(output)
    with ExitStack() as stack:
        training = prepare_training(_places(source), plan, stack)
        run_training(training, target, resume=resume, export=export, command="ontonym.train()", report=report)
    return open_encoder(target)


def distill(teacher: Any, terminologies: Any, output: Path | str, *, dim: int = 256, **keywords: Any) -> Encoder:
    """Fits a static encoder, which needs numpy only, to another one's vectors of the names of terminologies; opens it.

    Keywords are fields of `DistillOptions`. Needs ontonym[train].
    """
    from ontonym.encoder.static import StaticShape, save_static
    from ontonym.learning.encoders.distill import DistillOptions, distill_static
    from ontonym.learning.recipes import PoolOptions, name_pool

    several = terminologies if isinstance(terminologies, list | tuple) else [terminologies]
    how, shape = chosen(None, DistillOptions(), keywords), StaticShape(dim=dim)
    with ExitStack() as stack:
        opened = [stack.enter_context(using_terminology(one)) for one in several]
        pool = name_pool(opened, PoolOptions(shares=(1.0, 0.0, 0.0)))
        done = distill_static(encoder_of(teacher), list(pool.texts), shape, how)
    return save_static(place_of(output), done.weights, shape, done.content)


def join(encoders: Sequence[Path | str], output: Path | str, shares: Sequence[float] | None = None) -> Encoder:
    """Joins encoders, so that a cosine is the weighted mean of theirs, and opens the result; ``shares`` are scaled."""
    from ontonym.encoder.joined import join_encoders

    places = [name_or_place(one, AN_ENCODER) for one in encoders]
    join_encoders(places, [1.0] * len(places) if shares is None else shares, place_of(output))
    return open_encoder(output)


def calibrate(
    index: Index | Path | str,
    gold: Any = (),
    *,
    keep: bool = True,
    **keywords: Any,
) -> Calibrated:
    """Learns what the confidences of an index are worth, and keeps it in the index; printing the result's ``text``
    shows how true they are.

    From ``gold``, annotated corpora, or without any from names of the index. With ``keep`` false it is only measured.
    Keywords are fields of `CalibrationOptions`.
    """
    from ontonym.evaluate.calibration import CalibrationOptions
    from ontonym.evaluate.calibration import calibrate as learned_from
    from ontonym.index.calibration import write_calibration

    how = chosen(None, CalibrationOptions(), keywords)
    places = [*map(str, given_places(gold, "the path of an annotated corpus, or several"))]
    with using_index(index) as opened:
        learned = learned_from(opened.refreshed(), places, options=how)
        if keep:
            write_calibration(opened.path, learned.calibration)
    return learned


def learn_ranking(index: Index | Path | str, *, keep: bool = True, **keywords: Any) -> LearnedRanking:
    """Learns how an index weighs its evidence, from its own names, and keeps it where it is better.

    Keywords are fields of `LearnOptions`. With ``keep`` false it is only measured.
    """
    from dataclasses import asdict

    from ontonym.index.fuse import write_fusion
    from ontonym.learning.ranking import LearnOptions
    from ontonym.learning.ranking import learn_ranking as learned_from

    how = chosen(None, LearnOptions(), keywords)
    with using_index(index) as opened:
        learned = learned_from(opened.refreshed(), lambda _: True, how)
        if keep and learned.is_better:
            facts = {
                "queries": learned.queries,
                "options": asdict(how),
                "before": learned.before,
                "after": learned.after,
            }
            write_fusion(opened.path, learned.fusion, facts)
    return learned


def _places(source: Any) -> list[Path]:
    several = source if isinstance(source, list | tuple) else [source]
    return [one.path if isinstance(one, Terminology) else place_of(one, A_TERMINOLOGY) for one in several]
