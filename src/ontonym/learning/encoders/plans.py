"""The plan of a training: what was asked for, and for the rest what a preset, or the kind of base, says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ontonym.learning.encoders.bases import Base
from ontonym.learning.encoders.checks import check_numbers
from ontonym.learning.encoders.losses import check_used, find_loss
from ontonym.learning.encoders.options import OURS, find_preset
from ontonym.learning.encoders.runs import TrainingPlan
from ontonym.learning.recipes import PoolOptions, RecipeOptions, find_recipe

if TYPE_CHECKING:
    from ontonym.encoder.transformer import Pooling
    from ontonym.learning.recipes.split import SplitBy


def plan_training(
    base: Base,
    *,
    preset: str = "",
    recipe: str = "",
    loss: str = "",
    pooling: Pooling | None = None,
    training: Mapping[str, Any] | None = None,
    losses: Mapping[str, Any] | None = None,
    making: RecipeOptions | None = None,
    shares: tuple[float, float, float] | None = None,
    split_by: SplitBy | None = None,
    languages: tuple[str, ...] = PoolOptions().languages,
    exclude: frozenset[str] = frozenset(),
    annotated: Sequence[tuple[str, str]] = (),
    left_out: Mapping[str, int] | None = None,
    auxiliary: str = "",
    auxiliary_weight: float = 1.0,
) -> TrainingPlan:
    """A plan in which what is empty or None is as the preset has it, or without one as `OURS` has it for this base.

    ``training`` and ``losses`` are fields of `TrainOptions` and `LossOptions` with their values. The seed of the
    training is that of the recipe too. Raises UnknownNameError for a preset, recipe or loss that is not there, and
    InputError for a number that makes no sense or that the loss does not take.
    """
    settings = find_preset(preset) if preset else OURS[base.beginning]
    if pooling or base.beginning == "transformer":
        base = replace(base, pooling=pooling or settings.pooling)
    kind = settings.loss
    if loss and loss != kind.name:
        kind = replace(kind, name=find_loss(loss).name, similarity="")
    check_used(find_loss(kind.name), losses or {})
    options, making = replace(settings.options, **(training or {})), making or RecipeOptions()
    check_numbers((options, making, base.shape), auxiliary_weight=auxiliary_weight)
    learned = recipe or settings.recipe
    drawn_anew = any(find_recipe(name).fresh for name in (learned, auxiliary) if name)
    return TrainingPlan(
        base, learned, options, replace(kind, **(losses or {})), shares or settings.shares,
        preset=preset, split_by=split_by or ("concept" if drawn_anew else settings.split_by),
        making=replace(making, seed=options.seed), languages=languages, exclude=exclude, annotated=annotated,
        left_out=left_out or {}, auxiliary=auxiliary, auxiliary_weight=auxiliary_weight,
    )  # fmt: skip
