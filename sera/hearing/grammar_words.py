"""Written phrases as the words that people say: numbers spelled out, signs and accents taken off.

What cannot be said (only signs, another script) gives no words, and the caller leaves it out.
"""

from __future__ import annotations

import re
import unicodedata

MOST_WORDS = 24
"""Nobody answers a robot with more; what is longer is cut."""
LONGEST_WORD = 30
_NUMBERS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety
"""
_ONES, _TENS = _NUMBERS.split()[:20], _NUMBERS.split()[20:]
_SIGNS = {"&": " and ", "%": " per cent ", "+": " plus ", "@": " at "}
_TOKEN = re.compile(r"[0-9]+|[a-z]+(?:'[a-z]+)*")
_HUNDRED, _THOUSAND, _MILLION = 100, 1000, 1_000_000


def spoken_words(written: str) -> tuple[str, ...]:
    """The words of a phrase in lower case, as somebody would say them."""
    text = unicodedata.normalize("NFKD", written[:2000].casefold())
    text = text.replace("\u2019", "'").replace("\u00df", "ss")
    for sign, words in _SIGNS.items():
        text = text.replace(sign, words)
    text = "".join(one for one in text if not unicodedata.combining(one))
    found: list[str] = []
    for token in _TOKEN.findall(text):
        found += number_words(token) if token.isdigit() else [token[:LONGEST_WORD].rstrip("'")]
        if len(found) >= MOST_WORDS:
            break
    return tuple(found[:MOST_WORDS])


def number_words(digits: str) -> list[str]:
    """`3` is three, `21` twenty one; long numbers and those with a leading 0 digit by digit."""
    if len(digits) > len(str(_MILLION)) - 1 or (len(digits) > 1 and digits[0] == "0"):
        return [_ONES[int(one)] for one in digits]
    return _number(int(digits))


def _number(number: int) -> list[str]:
    if number < len(_ONES):
        return [_ONES[number]]
    if number < _HUNDRED:
        tens = [_TENS[number // 10 - 2]]
        return tens + ([_ONES[number % 10]] if number % 10 else [])
    size, name = (_HUNDRED, "hundred") if number < _THOUSAND else (_THOUSAND, "thousand")
    rest = number % size
    return [*_number(number // size), name, *(_number(rest) if rest else [])]


__all__ = ["LONGEST_WORD", "MOST_WORDS", "number_words", "spoken_words"]
