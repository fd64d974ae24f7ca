"""How Chinese and Japanese texts speak of a mention: whether it is negated, uncertain, of the past, or of the family.

These have no spaces between words, so that cues are looked for as characters: before a mention in its clause, and after
it beyond the particles and the other mentions of its enumeration. Other languages: `ontonym.text.notes.context`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

_MENTION = "\ufffc"
"""Stands for each character of a mention: what is part of one is no cue (无力, weakness)."""


class _Cues(NamedTuple):
    """Where a clause ends, what in it before a mention denies or doubts it or says that it is there, what follows it,
    and what before it in the sentence says that it is of the past or of a relative."""

    clause_end: re.Pattern[str]
    before: re.Pattern[str]
    after: re.Pattern[str]
    standing: re.Pattern[str]


_FARTHEST = 300
"""Characters before a mention that are looked at: an enumeration without full stops is one long sentence."""
_SENTENCE_END = re.compile(r"[。；;！!？?\n]")
_JOINED = rf"(?:[{_MENTION}、,，・/及和与或]|および|及び|または|や|と)*"

_CUES: Mapping[str, _Cues] = MappingProxyType(
    {
        "zh": _Cues(
            re.compile(r"[，,。；;！!？?\n]"),
            re.compile(
                r"(?P<negated>无明显|無明顯|未见|未見|未闻及|未及|未触及|未发现|未出现|否认|否認|没有|沒有|排除|无|無|不伴|非)"
                r"|(?P<uncertain>疑似|可疑|疑为|疑|考虑|考慮|不除外|不能排除|可能|拟诊)"
                r"|(?P<asserted>伴有|伴|但|有|出现|可见|见|诊断|示)"
            ),
            re.compile(
                rf"{_JOINED}(?:症状|表现)?(?:均|皆)?"
                r"(?:(?P<negated>阴性|陰性|消失|未见|已排除|\([-－]\)|（[-－]）)|(?P<uncertain>可能|待排|待查|[？?])"
                r"|(?P<historical>病史|史))"
            ),
            re.compile(
                r"(?P<historical>既往|曾患|曾有|病史)"
                r"|(?P<family>家族史|家族中|母亲|母親|父亲|父親|其母|其父|哥哥|弟弟|姐姐|妹妹|兄弟|姐妹|祖父|祖母|外祖|舅舅|叔叔)"
                r"|(?P<own>患者|现病史|查体|诊断|主诉)"
            ),
        ),
        "ja": _Cues(
            _SENTENCE_END,
            re.compile(r"(?P<uncertain>疑い[：:]|疑診)|(?P<asserted>あり|認め|[^\W\d_]なし)"),
            re.compile(
                rf"{_JOINED}(?:などの?)?(?:症状)?(?:所見)?(?:[はがをも]|は特に|とも|ともに)?"
                r"(?:(?P<negated>なし|無し|無く|なく|ない|なかった|ありません|認めない|認めず|認められ[ずな]|みられ[ずな]|"
                r"見られ[ずな]|否定|陰性|消失|[（(][-－][）)])|(?P<uncertain>の?疑い?|の?可能性|[？?])"
                r"|(?P<historical>の?既往|の手術歴|術後))"
            ),
            re.compile(
                r"(?P<historical>既往歴?|手術歴)"
                r"|(?P<family>家族歴|祖[父母]|(?<!伯|叔)[父母兄姉弟妹](?:親|は|が|に|も|：|:)|[伯叔][父母])"
                r"|(?P<own>患者|主訴|現病歴|現症|本人)"
            ),
        ),
    }
)

UNSPACED_LANGUAGES = tuple(_CUES)
"""The languages that are read here, by tag."""


def unspaced_contexts(text: str, spans: Sequence[tuple[int, int]], language: str) -> list[set[str]]:
    """For each mention what a text in one of these languages says of it."""
    cues, characters = _CUES[language], list(text)
    for start, end in spans:
        characters[start:end] = _MENTION * (end - start)
    masked = "".join(characters)
    return [_said(cues, masked, start, end) for start, end in spans]


def _said(cues: _Cues, text: str, start: int, end: int) -> set[str]:
    sentence = _last_end(_SENTENCE_END, text, start)
    clause = max(sentence, _last_end(cues.clause_end, text, start))
    said = {_last(cues.before, text, clause, start), _last(cues.standing, text, sentence, start)}
    if found := cues.after.match(text, end):
        said.add(found.lastgroup or "")
    return said - {"", "asserted", "own"}


def _last(pattern: re.Pattern[str], text: str, start: int, end: int) -> str:
    """The name of the last cue in a stretch of a text; empty where there is none."""
    return next((found.lastgroup or "" for found in reversed([*pattern.finditer(text, start, end)])), "")


def _last_end(pattern: re.Pattern[str], text: str, place: int) -> int:
    """Where the last of some marks before a place ends, or the farthest place that is looked at."""
    farthest = max(0, place - _FARTHEST)
    return max((found.end() for found in pattern.finditer(text, farthest, place)), default=farthest)
