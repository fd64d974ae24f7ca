"""Made-up words in the manner of languages that the grammar has no words of, with their letters and scripts."""

from __future__ import annotations

from functools import cache

import numpy as np

from .draws import Bytes, Draws, Ints
from .render import table

_PARTS: dict[str, tuple[str, str, str, str]] = {
    "SPA": (
        "dolo infla frac úlce neu córni hemo artri pulmo gástri niñe señu absce quis",
        "ri ma tu ro mo nqui lo tira ña ce llo gui",
        "ción itis ura oma ía osis encia ado ópata mía",
        " del / de la / con / sin / por ",
    ),
    "FRE": (
        "doule infla frac ulcé né corné hémo arthri pulmo gastri chevê côlo abcè œdè",
        "ri ma tu ro mo lle lo tira gue ce çoi phè",
        "tion ite ure ome ie ose ence eur opathie émie",
        " du / de la / avec / sans / après l'",
    ),
    "JPN": (
        "ア イ ウ エ オ カ キ ク ケ コ サ シ ス セ ソ",
        "タ チ ツ テ ト ナ ニ ヌ ネ ノ ハ ヒ フ ヘ ホ ン ー",
        "マ ミ ム メ モ ヤ ユ ヨ ラ リ ル レ ロ 症 炎 痛 腫 病",
        "の/性/と",
    ),
}


@cache
def _tables(language: str) -> tuple[Bytes, ...]:
    first, middle, last, joint = _PARTS[language]
    return tuple(table(part) for part in (first.split(), middle.split(), last.split(), joint.split("/")))


def coined_names(draws: Draws, language: str, keys: Ints) -> Bytes:
    """A name of two made-up words for each key, padded with NUL; different keys may have equal ones."""
    first, middle, last, joint = _tables(language)
    columns = []
    for place, part in enumerate((first, middle, middle, last, joint, first, middle, last)):
        columns.append(part[draws.below(f"foreign.{language}.{place}", len(part), keys)])
    return np.concatenate(columns, axis=1)
