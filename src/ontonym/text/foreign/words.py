"""What queries in other languages say, as far as a table of our own tells: everyday words and abbreviations of ten
languages (``languages.tsv``), and other ways of writing. What stands around a finding is in
`ontonym.text.foreign.frames`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from ontonym.text.foreign.complaints import complaints_in, modifier
from ontonym.text.languages import is_everyday_english, language_of
from ontonym.text.normalization import UNSPACED, key
from ontonym.text.patterns import EDGE_MARKS
from ontonym.text.tables import table

_LONGEST = 6
"""Words of the longest form that is looked for."""

_LONGEST_UNSPACED = 10
"""Pairs of neighbouring characters, or words, of the longest form that is looked for in a text."""

_SHORTEST_PART, _LONGEST_PART = 6, 60
"""Letters of the shortest single word that is read inside a longer text, where abbreviations may be shorter, and of the
longest that may be a slip: each of its letters is left out in turn."""

_ACRONYM = re.compile(r"[^\W\da-zß-öø-ÿ]{2,6}\d?")
"""How an abbreviation is written: in capitals, which the text must have too."""


@dataclass(frozen=True, slots=True)
class ForeignForm:
    """A form of the table: what it is in English, its language, and the term for it there."""

    english: str
    language: str
    term: str
    is_acronym: bool


@dataclass(frozen=True, slots=True)
class OtherWords:
    """A text in other words: ``changes`` are what was written and what it was read as; ``is_whole`` says that it was
    one form as a whole."""

    text: str
    changes: tuple[tuple[str, str], ...]
    is_whole: bool


@cache
def table_languages() -> tuple[str, ...]:
    """The languages of the table, by tag."""
    return tuple(list(table("foreign/languages.tsv")[0])[1:])


@cache
def _forms() -> Mapping[str, tuple[ForeignForm, ...]]:
    """The forms, folded, with German vowels written both ways."""
    found: dict[str, list[ForeignForm]] = {}
    cells = (
        (row["english"], language, [form for form in row[language].split("|") if form])
        for row in table("foreign/languages.tsv")
        for language in table_languages()
    )
    for english, language, forms in cells:
        for form in forms:
            meant = ForeignForm(english, language, forms[0], form.isupper() and bool(_ACRONYM.fullmatch(form)))
            for folded in _spellings(form, language):
                found.setdefault(folded, []).append(meant)
    return MappingProxyType({form: tuple(of) for form, of in found.items()})


_VOWELS_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


_KATAKANA = {code: code + 0x60 for code in range(0x3041, 0x3097)}
"""Hiragana as katakana, which words that are mostly written in kana are written in too: めまい and メマイ."""


def _spellings(form: str, language: str) -> set[str]:
    if language == "de":
        return {key(form), key(form.translate(_VOWELS_SPELLED_OUT))}
    return {key(form), key(form.translate(_KATAKANA))} if language == "ja" else {key(form)}


def is_listed(text: str) -> bool:
    """Whether a text is a form of the table as a whole."""
    return key(text) in _forms()


def in_other_words(text: str, languages: Collection[str], is_known: Callable[[str], bool] = bool) -> list[OtherWords]:
    """The text in English, and in the terms of its own language, where it is, or has in it, forms of the table.

    ``languages`` are those that the names searched are in, or that the encoder knows. Without any, only a text is read
    that is such a form as a whole and is not written as English may be, or that is all a complaint in one
    language. A word that no name has, as ``is_known`` says, is not English, and if it is one letter off a form, it is
    read as this form.
    """
    if not languages:
        if text.isascii() and all(map(is_everyday_english, key(text).split())):
            return []
        if found := _as_whole(text, is_known):
            return found
        told = language_of(text)
        spoken = (told,) if told in table_languages() else () if told or is_known(text) else table_languages()
        return _complaints(text, spoken)
    if found := _in_other_words(text, languages):
        return found
    words = text.split()
    right = [form if (form := _slip_of(word, languages)) and not is_known(word) else word for word in words]
    return _in_other_words(" ".join(right), languages) if right != words else []


def _as_whole(text: str, is_known: Callable[[str], bool]) -> list[OtherWords]:
    """The text in English where it is a form of any language and not English."""
    folded = key(text)
    if UNSPACED.search(folded):
        return _as_wholes(text, _forms().get(folded, ()), ())
    forms = [one for one in _meant(text, ()) if not one.is_acronym]
    if not forms or all(map(is_everyday_english, folded.split())):
        return []
    foreign = language_of(text) or not text.isascii() or " " in text.strip() or not is_known(text)
    return _as_wholes(text, forms, ()) if foreign else []


def _slip_of(word: str, languages: Collection[str]) -> str:
    """The form that a word is one letter off; empty where there is none, or more than one."""
    folded = key(word)
    if not _SHORTEST_PART <= len(folded) <= _LONGEST_PART or is_everyday_english(folded):
        return ""
    near = {form for short in (folded, *_shortened(folded)) for form in _neighbours().get(short, ())}
    near = {form for form in near if any(one.language in languages for one in _forms()[form])}
    return near.pop() if len({_forms()[form][0].english for form in near}) == 1 else ""


@cache
def _neighbours() -> Mapping[str, tuple[str, ...]]:
    """The forms of one long word by what they are with one letter left out, and by themselves."""
    found: dict[str, list[str]] = {}
    for form, of in _forms().items():
        if len(form) >= _SHORTEST_PART and form.isalpha() and not all(one.is_acronym for one in of):
            for short in {form, *_shortened(form)}:
                found.setdefault(short, []).append(form)
    return {short: tuple(forms) for short, forms in found.items()}


def _shortened(word: str) -> Iterator[str]:
    return (word[:place] + word[place + 1 :] for place in range(len(word)))


def _in_other_words(text: str, languages: Collection[str]) -> list[OtherWords]:
    folded = key(text)
    if UNSPACED.search(folded):
        of = [one for one in _forms().get(folded, ()) if one.language in languages]
        return _as_wholes(text, of, languages) or _complaints(text, languages) or _in_unspaced_parts(folded, languages)
    whole = _meant(text, languages)
    return _as_wholes(text, whole, languages) or _complaints(text, languages) or _in_parts(text, languages)


def _meant(text: str, languages: Collection[str]) -> list[ForeignForm]:
    bare = text.strip(EDGE_MARKS)
    capitals = any(map(str.isupper, bare)) and not any(map(str.islower, bare))
    return [
        one
        for one in _forms().get(key(bare), ())
        if (not languages or one.language in languages) and (capitals or not one.is_acronym)
    ]


def _as_wholes(text: str, of: Sequence[ForeignForm], languages: Collection[str]) -> list[OtherWords]:
    said = [one.english for one in of] + [one.term for one in of if one.language in languages]
    folded = key(text)
    return [OtherWords(one, ((text, one),), True) for one in dict.fromkeys(said) if key(one) != folded]


def _in_parts(text: str, languages: Collection[str]) -> list[OtherWords]:
    """The text with its longest forms in English, from left to right; none where it has no form."""
    words, place = text.split(), 0
    if len(words) > 1 and text.isupper():
        return []  # capitals tell no abbreviation
    parts: list[tuple[str, ForeignForm | None]] = []
    while place < len(words):
        width, form = next(_forms_at(words, place, languages), (1, None))
        parts.append((" ".join(words[place : place + width]), form))
        place += width
    return _put_together(parts)


def _in_unspaced_parts(text: str, languages: Collection[str]) -> list[OtherWords]:
    """A Chinese or Japanese text with its longest forms in English, from left to right; none where it has no form."""
    parts: list[tuple[str, ForeignForm | None]] = []
    place, unread = 0, ""
    while place < len(text):
        ends = range(min(place + _LONGEST_UNSPACED, len(text)), place + 1, -1)
        found = ((text[place:end], one) for end in ends for one in _forms().get(text[place:end], ()))
        pair = text[place : place + 2]
        alone = pair if _modifies(pair) else text[place]
        written, form = next((one for one in found if one[1].language in languages), (alone, None))
        place += len(written)
        if form is None and not _modifies(written):
            unread += written
            continue
        parts += [*([(unread, None)] if unread else []), (written, form)]
        unread = ""
    parts += [(unread, None)] if unread else []
    return _put_together(parts)


def _modifies(written: str) -> bool:
    return any(modifier(written, language) for language in ("ja", "zh"))


def _put_together(parts: Sequence[tuple[str, ForeignForm | None]]) -> list[OtherWords]:
    """The parts of a text, each in English where it is a form, and where it modifies one in the language of that."""
    spoken = {
        one.language for written, form in parts if form for one in _forms().get(key(written.strip(EDGE_MARKS)), (form,))
    }
    said: list[str] = []
    changes: list[tuple[str, str]] = []
    for written, form in parts:
        bare = written.strip(EDGE_MARKS)
        english = form.english if form else next(filter(None, (modifier(bare, one) for one in sorted(spoken))), "")
        said.append(english or written)
        if english:
            changes.append((bare, english))
    return [OtherWords(" ".join(said), tuple(changes), False)] if spoken else []


def _complaints(text: str, languages: Collection[str]) -> list[OtherWords]:
    return [OtherWords(said, ((text, said),), True) for said in complaints_in(text, languages)]


def _forms_at(words: Sequence[str], place: int, languages: Collection[str]) -> Iterator[tuple[int, ForeignForm]]:
    for width in range(min(_LONGEST, len(words) - place), 0, -1):
        written = " ".join(words[place : place + width])
        for one in _meant(written, languages):
            is_word = width == 1 and not one.is_acronym
            if not is_word or (len(written) >= _SHORTEST_PART and not is_everyday_english(key(written))):
                yield width, one


def said_in(text: str, places: Sequence[tuple[int, int]], language: str) -> dict[tuple[int, int], str]:
    """What a text in a language of the table says in forms of it, in English, by the first and last of the ``places``
    that have them; of forms that overlap the first and longest."""
    found: dict[tuple[int, int], str] = {}
    if language not in table_languages():
        return found
    first = 0
    while first < len(places):
        last = min(first + _LONGEST_UNSPACED, len(places)) - 1
        while last >= first and not (meant := _meant(text[places[first][0] : places[last][1]], (language,))):
            last -= 1
        if last >= first:
            found[first, last] = meant[0].english
        first = max(last, first) + 1
    return found


# Other writings ------------------------------------------------------------------------------------------------------

_TRADITIONAL = (
    "乾亂併個側傷兒內兩創劇劑動喪單嘔嚥嚨嚴圓塊壓壞奮婦嬰孿寬幹廢張彎後復徵態慮憂憶應懷戰損擴攣斷暈會桿極"
    "樣檢欬歲歷殘殼氣淚減溫滯滿潰澀濕瀉為無熱燒營爛狀狹現環產異痙痺瘍瘓瘡瘧瘺療癇癒癢癥癬癱癲發皺瞼積竇節"
    "糞糧紅紋純細結絕絞絡統經綜綠網緊緩縫縮繃繼續聲聽脈脫脹腎腦腫腳腸膚膠膩膵膽膿臉臍臓臟臨與興莖葉藍藥虛"
    "蟲術衝複視覺記診認識護變貧質輕轉進過遠適遲鈉鈍鈣鉀銅鋅鎂鎖鏈鐵長門閉關陰陽雙雜離靜韌頂頭頰頸頻額顎顏"
    "類顫顱顳風飲飽養餓饑驗體髮鬆鬍鬚鬥鬱鹼麵黃點黴齒齡齦齶"
)
_SIMPLE = (
    "干乱并个侧伤儿内两创剧剂动丧单呕咽咙严圆块压坏奋妇婴孪宽干废张弯后复征态虑忧忆应怀战损扩挛断晕会杆极"
    "样检咳岁历残壳气泪减温滞满溃涩湿泻为无热烧营烂状狭现环产异痉痹疡痪疮疟瘘疗痫愈痒症癣瘫癫发皱睑积窦节"
    "粪粮红纹纯细结绝绞络统经综绿网紧缓缝缩绷继续声听脉脱胀肾脑肿脚肠肤胶腻胰胆脓脸脐脏脏临与兴茎叶蓝药虚"
    "虫术冲复视觉记诊认识护变贫质轻转进过远适迟钠钝钙钾铜锌镁锁链铁长门闭关阴阳双杂离静韧顶头颊颈频额颚颜"
    "类颤颅颞风饮饱养饿饥验体发松胡须斗郁碱面黄点霉齿龄龈腭"
)

SIMPLIFIED = {ord(old): new for old, new in zip(_TRADITIONAL, _SIMPLE, strict=True)}
"""For `str.translate`. Japanese keeps many traditional forms, so that a text is read both ways."""

_DIGRAPHS = re.compile(r"([aou])e(?!u)", re.IGNORECASE)


def other_writings(text: str, languages: Collection[str]) -> list[str]:
    """The text as it may be written too: traditional characters as simplified ones, German ae, oe and ue as the vowels
    that they stand for, in words that are not English."""
    found = []
    simplified = text.translate(SIMPLIFIED)
    if simplified != text:
        found.append(simplified)
    if "de" in languages and text.isascii() and _DIGRAPHS.search(text):
        words = [word if is_everyday_english(key(word)) else _DIGRAPHS.sub(r"\1", word) for word in text.split()]
        if words != text.split():
            found.append(" ".join(words))
    return found
