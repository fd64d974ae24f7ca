"""Training an encoder: what the command takes as flags, as keywords."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontonym.api.given import given_files, given_texts, place_of
from ontonym.api.opening import encoder_place, open_encoder, terminology_places
from ontonym.errors import InputError
from ontonym.tasks.optionkeywords import chosen, given_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ontonym.encoder import Encoder
    from ontonym.encoder.static import StaticShape
    from ontonym.encoder.transformer import Pooling
    from ontonym.learning.encoders.options import TrainStep
    from ontonym.learning.recipes import RecipeOptions
    from ontonym.learning.recipes.split import SplitBy

_FILES = "the path of a file of names"


def train(
    source: Any,
    output: Path | str,
    *,
    base: Encoder | Path | str = "default",
    preset: str = "",
    recipe: str = "",
    loss: str = "",
    pooling: Pooling | None = None,
    beside: Encoder | Path | str | None = None,
    share: float | None = None,
    shares: str | Sequence[float] | None = None,
    split_by: SplitBy | None = None,
    languages: Any = ("en",),
    exclude: Any = (),
    annotated: Any = (),
    auxiliary: str = "",
    auxiliary_weight: float = 1.0,
    export: bool = False,
    resume: bool = False,
    allow_worse: bool = False,
    report: Callable[[TrainStep], None] | None = None,
    **keywords: Any,
) -> Encoder:
    """Trains an encoder from the names of terminologies, or from examples, and opens it (needs ontonym[train]).

    ``base`` is where it begins: ``default``, ``none``, ``small`` or the folder of an encoder, with the ``pooling`` of
    a transformer; ``beside`` an encoder that it is joined with, and ``share`` its own part of the cosine. ``preset``
    takes the settings of a paper (`ontonym.learning.encoders.options.PRESETS`), ``recipe`` what is learned from,
    ``loss`` what counts as wrong. No ``languages`` stand for all. ``shares`` and ``split_by`` are as in `pairs`.
    ``exclude`` are files of names that must not be seen, ``annotated`` files of texts with their concepts;
    ``auxiliary`` is a second recipe, whose loss is added, multiplied by ``auxiliary_weight``.

    Keywords are fields of `TrainOptions`, `LossOptions`, `RecipeOptions` and `StaticShape`: ``steps=200``,
    ``temperature=0.08``, ``ratio=1``, ``dim=64``. ``export`` adds the ONNX form. A training that was stopped goes on
    from its last checkpoint; those of another one are given up, or with ``resume`` refused (MismatchError). Raises
    CheckFailed for a static encoder that got worse, which is not written, unless ``allow_worse``.
    """
    from ontonym.evaluate.texts import annotated_texts, excluded_names
    from ontonym.learning.encoders.plans import TrainingRequest
    from ontonym.learning.encoders.runs import prepare_training, run_training
    from ontonym.learning.recipes.split import parse_shares

    places, target, name = terminology_places(source), place_of(output), encoder_place(base, saved=True)
    _check_undecided(
        places, keywords, recipe=recipe, shares=shares, split_by=split_by, exclude=exclude, annotated=annotated,
        auxiliary=auxiliary,
    )  # fmt: skip
    training, losses, making, shape = _options(keywords)
    texts, left_out = annotated_texts(given_files(annotated, "the path of a file of texts"))
    plan = TrainingRequest(
        base=None if name == "default" else name, shape=shape, share=share,
        beside=None if beside is None else encoder_place(beside, saved=True),
        preset=preset, recipe=recipe, loss=loss, pooling=pooling, training=training, losses=losses, making=making,
        shares=None if shares is None else parse_shares(shares), split_by=split_by,
        languages=tuple(given_texts(languages, "tags of languages")),
        exclude=excluded_names(given_files(exclude, _FILES)), annotated=texts, left_out=left_out,
        auxiliary=auxiliary, auxiliary_weight=auxiliary_weight, export=export,
    ).plan()  # fmt: skip
    with ExitStack() as stack:
        run_training(
            prepare_training(places, plan, stack), target, resume=resume, export=export, allow_worse=allow_worse,
            command="ontonym.train()", report=report,
        )  # fmt: skip
    return open_encoder(target)


def _options(keywords: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], RecipeOptions, StaticShape]:
    """The keywords of the training, those of the loss, the options of the recipe, and the shape of a static encoder.

    Raises UnknownNameError, which lists the names of all, and WrongTypeError for a value that a field does not take.
    """
    from ontonym.encoder.static import StaticShape
    from ontonym.learning.encoders.losses import LossOptions
    from ontonym.learning.encoders.options import TrainOptions
    from ontonym.learning.recipes import RecipeOptions

    plain = (TrainOptions(), LossOptions(), RecipeOptions(), StaticShape())
    shares = given_to(keywords, *plain, without=("name", "base", "shortest", "longest"), also=_OWN)
    training, losses = chosen(None, plain[0], shares[0]), chosen(None, plain[1], shares[1])
    return (
        {name: getattr(training, name) for name in shares[0]},
        {name: getattr(losses, name) for name in shares[1]},
        chosen(None, plain[2], shares[2]),
        chosen(None, plain[3], shares[3]),
    )


_OWN = ("loss", "recipe", "preset", "pooling", "languages", "annotated", "auxiliary")
"""Keywords of `train` itself that are listed beside those of the options."""


def _check_undecided(places: Sequence[Path], keywords: Iterable[str], **decided: Any) -> None:
    """InputError for what was decided when the examples were made that training learns from."""
    from ontonym.learning.encoders.runs import holds_examples
    from ontonym.learning.recipes import RecipeOptions

    if not holds_examples(places):
        return
    recipes = {field.name for field in fields(RecipeOptions)} - {"seed"}
    unfit = sorted({name for name, value in decided.items() if value} | (recipes & {*keywords}))
    if unfit:
        raise InputError(f"`{unfit[0]}=` was decided when {places[0]} was made; leave it out, or give terminologies")
