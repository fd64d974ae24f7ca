"""The plan of a training: the given settings, and for the rest those of a preset or of the kind of base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ontonym.encoder import DEFAULT
from ontonym.encoder.static import StaticShape
from ontonym.learning.encoders.bases import Base
from ontonym.learning.encoders.checks import check_base, check_beside, check_export, check_numbers, check_preset_base
from ontonym.learning.encoders.losses import check_used, find_loss
from ontonym.learning.encoders.options import OURS, find_preset
from ontonym.learning.encoders.runs import TrainingPlan
from ontonym.learning.recipes import PoolOptions, RecipeOptions, find_recipe

if TYPE_CHECKING:
    from ontonym.encoder.transformer import Pooling
    from ontonym.learning.recipes.split import SplitBy


@dataclass(frozen=True, slots=True)
class TrainingRequest:
    """The given settings; those that are empty or None are taken from the preset, or without one from `OURS`.

    ``base``, ``shape``, ``beside``, ``share`` and ``pooling`` are those of `Base`; ``training`` and ``losses`` are
    fields of `TrainOptions` and `LossOptions` with their values; ``export`` adds the ONNX form. The others are as in
    `TrainingPlan` and its `PoolOptions`. The seed of the training is also that of the recipe.
    """

    base: str | None = None
    shape: StaticShape = field(default_factory=StaticShape)
    beside: str | None = None
    share: float | None = None
    pooling: Pooling | None = None
    preset: str = ""
    recipe: str = ""
    loss: str = ""
    training: Mapping[str, Any] = field(default_factory=dict)
    losses: Mapping[str, Any] = field(default_factory=dict)
    making: RecipeOptions = field(default_factory=RecipeOptions)
    shares: tuple[float, float, float] | None = None
    split_by: SplitBy | None = None
    languages: tuple[str, ...] = PoolOptions().languages
    exclude: frozenset[str] = frozenset()
    annotated: Sequence[tuple[str, str]] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    auxiliary: str = ""
    auxiliary_weight: float = 1.0
    export: bool = False

    def plan(self) -> TrainingPlan:
        """The plan. Raises UnknownNameError for a preset, recipe or loss that is not there, and InputError for a base
        that cannot be trained so, and for a number that makes no sense or that the loss does not take.
        """
        base = self._checked_base()
        settings = find_preset(self.preset) if self.preset else OURS[base.beginning]
        if self.pooling or base.beginning == "transformer":
            base = replace(base, pooling=self.pooling or settings.pooling)
        kind = settings.loss
        if self.loss and self.loss != kind.name:
            kind = replace(kind, name=find_loss(self.loss).name, similarity="")
        check_used(find_loss(kind.name), self.losses)
        options, recipe = replace(settings.options, **self.training), self.recipe or settings.recipe
        check_numbers((options, self.making, base.shape), auxiliary_weight=self.auxiliary_weight)
        drawn_anew = any(find_recipe(name).fresh for name in (recipe, self.auxiliary) if name)
        names = PoolOptions(
            languages=self.languages, exclude=self.exclude, shares=self.shares or settings.shares,
            split_by=self.split_by or ("concept" if drawn_anew else settings.split_by), seed=options.seed,
        )  # fmt: skip
        return TrainingPlan(
            base, recipe, options, replace(kind, **self.losses), names, replace(self.making, seed=options.seed),
            preset=self.preset, annotated=self.annotated, left_out=self.left_out,
            auxiliary=self.auxiliary, auxiliary_weight=self.auxiliary_weight,
        )  # fmt: skip

    def _checked_base(self) -> Base:
        """The base of the training; InputError for one that cannot be trained, or not with this preset or export."""
        name = DEFAULT if self.base is None else self.base
        check_base(name)
        check_beside(self.beside, self.share)
        if self.preset:
            check_preset_base(find_preset(self.preset), self.preset, given=self.base is not None)
        share = Base().share if self.share is None else self.share
        base = Base(name, self.shape, beside=self.beside or "", share=share)
        if self.export:
            check_export(base)
        return base
