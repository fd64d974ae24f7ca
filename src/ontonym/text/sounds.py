"""How an English or clinical word sounds, roughly: a misspelled word often sounds like the right one."""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType

_SOUNDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"^[pgk](?=[nst])|^w(?=r)", ""),  # psoas, gnathic, knee, wrist
        (r"^you", "u"),  # words and letters that the beginning of a word is heard as: uveitis, iritis
        (r"^eye", "i"),
        (r"ph", "f"),
        (r"rh", "r"),
        (r"ck|q|t?ch", "k"),  # ache, bronchitis; so chin and kin are nearer than they sound
        (r"x|cz", "ks"),
        (r"(?<=s)th(?=m)|g(?=m(?:s|$))", ""),  # asthma, phlegm
        (r"th", "t"),
        (r"[tsc]i(?=o[nu]|a[ln])|sh(?=un)", "s"),  # -tion, -sion, -cian
        (r"sun$", "son"),
        (r"[cs]c(?=[eiy])|c(?=[eiyz])", "s"),
        (r"c", "k"),
        (r"z", "s"),
        (r"eu|ew", "u"),
        (r"[ao]u?gh", "o"),
        (r"[ao]e|ea", "e"),
        (r"e[eiy]|ie|igh", "i"),
        (r"ai|ay", "a"),
        (r"oa", "o"),
        (r"y", "i"),
        (r"(?<=[^aeiou])u?e(?=s?$)", ""),  # stroke, fatigue
        (r"(?<=[bdfgjklmnprv])h", ""),
        (r"(.)\1+", r"\1"),
    )
)  # fmt: skip


@lru_cache(maxsize=1 << 16)  # cached: the same words recur
def sound(word: str) -> str:
    """A rough English sound of a word in lower case: words that sound alike are often equal ("excema", "eczema")."""
    for pattern, said in _SOUNDS:
        word = pattern.sub(said, word)
    return word


_SOUND_THE_SAME = """
bowel bowl, break brake, bruise brews, calf carf, cell sell, cough coff, ear ere, faint feint, feet feat, flu flue flew,
gait gate, hair hare, hay hey, heart hart, heel heal, hernia hurnia, hoarse horse, knee nee, knees needs, lyme lime,
muscle mussel, nose knows noes, pain pane, palate pallet palette, pulse pulls, pus puss, sight site, skull scull,
sole soul, sore soar, stye sty, tear tare, thigh thy, toe tow, vein vain, vial vile, waist waste, weak week,
weight wait, wrist rist
"""

HOMOPHONES = MappingProxyType(
    {other: word for word, *others in map(str.split, _SOUND_THE_SAME.split(",")) for other in others}
)
"""Common words that sound like one that findings are told with, and that: "heal" is *heel*."""
