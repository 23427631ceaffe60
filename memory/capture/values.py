"""The values that a statement gives: numbers, times, dates, prices, addresses, codes, colours, names."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from memory.language.scripts import HAN, KANA
from memory.language.stopwords import STOP_WORDS

LOOKED_AT = 2_000
"""Characters of a text in which values are looked for."""

_SIGN = HAN + KANA


class Shape(StrEnum):
    """What sort of value it is; one of a shape takes the place of another."""

    EMAIL = "email"
    URL = "url"
    DATE = "date"
    TIME = "time"
    PRICE = "price"
    PHONE = "phone"
    WEEKDAY = "weekday"
    MONTH = "month"
    CODE = "code"
    MEASURE = "measure"
    NUMBER = "number"
    WORD = "word"
    COLOUR = "colour"
    QUOTE = "quote"
    NAME = "name"


WHEN = frozenset({Shape.DATE, Shape.WEEKDAY, Shape.MONTH})
"""Days."""

COUNT = frozenset({Shape.NUMBER, Shape.WORD, Shape.MEASURE, Shape.CODE, Shape.PRICE, Shape.TIME, Shape.DATE})
"""Shapes that a bare number corrects: "8" for "7 pm"."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value in a text.

    Attributes:
        shape: what sort it is; `WORD` is a number in words, `MEASURE` a Chinese or Japanese number with what it counts.
        start, end: where it stands.
        text: how it is written there.
    """

    shape: Shape
    start: int
    end: int
    text: str


def are_like(value: Value, other: Value) -> bool:
    """Whether one may take the place of the other: no time that of a year, no age that of a count."""
    shapes = {value.shape, other.shape}
    if shapes == {Shape.MEASURE}:
        return _COUNTED.get(value.text[-1], value.text[-1]) == _COUNTED.get(other.text[-1], other.text[-1])
    if _is_year(value) != _is_year(other) and (shapes == {Shape.NUMBER} or shapes & _SMALL):
        return False
    if len(shapes) == 1 or shapes <= WHEN or shapes <= {Shape.NAME, Shape.QUOTE}:
        return True
    if Shape.PHONE in shapes:
        return Shape.NUMBER in shapes and min(len(value.text), len(other.text)) >= 5
    return bool(shapes & {Shape.NUMBER, Shape.WORD}) and shapes <= COUNT


_COUNTED = {"歲": "岁", "歳": "岁", "號": "号", "樓": "楼", "層": "层", "個": "个", "隻": "只"}
_SMALL = frozenset({Shape.TIME, Shape.MEASURE, Shape.WORD})
"""Shapes that are no year."""

_YEAR = re.compile(r"(?:1[89]|20)\d\d")


def _is_year(value: Value) -> bool:
    return value.shape is Shape.NUMBER and _YEAR.fullmatch(value.text) is not None


def values(text: str) -> tuple[Value, ...]:
    """The values in a text, in order; names are capitalised words that begin no sentence and follow no article."""
    looked_at = text[:LOOKED_AT]
    found = [
        Value(Shape(match.lastgroup), match.start(), match.end(), match[0])
        for match in _pattern().finditer(looked_at)
        if match.lastgroup is not None and not _is_empty(match)
    ]
    return tuple(sorted([*found, *_names(looked_at, found)], key=lambda value: value.start))


def _is_empty(match: re.Match[str]) -> bool:
    """Whether a Chinese numeral alone is none: 一 is in many words."""
    return (
        match.lastgroup == Shape.WORD
        and len(match[0]) == 1
        and match[0] in "一零〇十百千万两"
        and len(match.string) > 1
    )


_WORD = re.compile(r"[^\W\d_](?:[\w-]|['’](?=[^\W\d_]{3}))*")
_BEGINNING = re.compile(r"(?:^|[.!?:;\n])[\s\"'«»„“”*(-]*$")
_NO_NAME = re.compile(r"['’]s?(?!\w)| (?:no\.? |nr\.? )?\d", re.IGNORECASE)
"""What follows an owner, and the noun of a number: "Anna's", "Platz 43"."""


def _names(text: str, taken: list[Value]) -> Iterator[Value]:
    """Capitalised words one after the other, where a sentence does not begin and no article goes before."""
    words = [
        word for word in _WORD.finditer(text) if not any(v.start < word.end() and word.start() < v.end for v in taken)
    ]
    run: list[re.Match[str]] = []
    for word in words:
        if run and _continues(text, run[-1], word):
            run.append(word)
            continue
        yield from _name(text, run)
        run = [word] if _begins_name(text, word) else []
    yield from _name(text, run)


def _name(text: str, run: list[re.Match[str]]) -> Iterator[Value]:
    if run and not _NO_NAME.match(text, run[-1].end()):
        start, end = run[0].start(), run[-1].end()
        yield Value(Shape.NAME, start, end, text[start:end])


_TITLES = frozenset("Mr Mrs Ms Dr Prof St Sr Sra Hr Fr Dott".split())


def _continues(text: str, last: re.Match[str], word: re.Match[str]) -> bool:
    between = text[last.end() : word.start()]
    return word[0][0].isupper() and (between == " " or (between == ". " and last[0] in _TITLES))


def _begins_name(text: str, word: re.Match[str]) -> bool:
    if not word[0][0].isupper() or word[0].casefold() in _function_words():
        return False
    before = text[max(0, word.start() - 30) : word.start()]
    if _BEGINNING.search(before) and word.start() + len(word[0]) < len(text.rstrip(" .!")):
        return word.start() == 0 and _is_name_alone(text)
    words = _WORD.findall(before)
    return not words or words[-1].casefold() not in _articles()


def _is_name_alone(text: str) -> bool:
    """Whether a whole text is at most three capitalised words."""
    words = text.rstrip(" .!").split(" ")
    return len(words) <= 3 and all(word[:1].isupper() for word in words)


@cache
def _function_words() -> frozenset[str]:
    return frozenset().union(*(STOP_WORDS[code] for code in ("en", "de", "fr", "es", "it", "pt", "ru")))


@cache
def _lexicon() -> dict[str, str]:
    read = files("memory.capture").joinpath("lexicons", "values.toml").read_text(encoding="utf-8")
    return tomllib.loads(read)


@cache
def _articles() -> frozenset[str]:
    return frozenset(_lexicon()["article"].split())


_QUOTE = r"\"[^\"\n]{1,80}\"|„[^“”\n]{1,80}[“”]|“[^”\n]{1,80}”|«[^»\n]{1,80}»|「[^」\n]{1,80}」|《[^》\n]{1,80}》"


@cache
def _pattern() -> re.Pattern[str]:
    """One group for each shape; the first that fits at a place wins."""
    words = {name: "|".join(block.split()) for name, block in _lexicon().items()}
    words["time"] = words["time"].replace("<number>", f"(?:{words['number']})")
    numeral = "[一二两兩三四五六七八九十百千万零〇]"
    month = rf"(?i:{words['month']}|{words['month_beside_day']})"
    day = r"\d{1,2}(?:st|nd|rd|th|er|\.|º)?"
    before, after = rf"(?<![^\W{_SIGN}])", rf"(?![^\W{_SIGN}])"  # no letter or digit, unless it is a sign
    shapes = {
        Shape.EMAIL: r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{2,30}){1,4}",
        Shape.URL: r"https?://\S{1,300}(?<![.,!?)])|www\.\S{1,300}(?<![.,!?)])",
        Shape.DATE: (
            rf"\d{{4}}-\d\d?-\d\d?|(?:\d{{2,4}}年)?(?:\d{{1,2}}|{numeral}{{1,3}})月(?:\d{{1,2}}|{numeral}{{1,3}})[日号號]?|"
            rf"(?<![\w.])\d{{1,2}}\.\d{{1,2}}\.(?:\d{{2,4}})?(?!\w)|(?<![\w/])\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?(?![\w/])|"
            rf"(?<!\w){day} (?:of |de )?{month}(?!\w)\.?(?: (?:de )?\d{{4}}(?!\w))?|"
            rf"(?<!\w){month}\.? \d{{1,2}}(?:st|nd|rd|th)?(?![\w:])(?:,? \d{{4}}(?!\w))?"
        ),
        Shape.TIME: (
            rf"{before}(?<!:)\d{{1,2}}[:h]\d{{2}}(?![\d:])(?:\s?(?i:{words['hour']})(?!\w))?|"
            rf"(?<![\w.])\d{{1,2}}(?:\.\d{{2}})?\s?(?i:{words['hour']})(?!\w)|(?<!\w)(?i:{words['time']})(?!\w)|"
            rf"(?:{words['part_of_day']})?(?:\d{{1,2}}|{numeral}{{1,3}})(?<!一){words['hour_signs']}(?![\w]{{0,1}}点?[个些])"
            rf"(?:半|[一三]刻|(?:\d{{1,2}}|{numeral}{{1,3}})分?)?"
        ),
        Shape.PRICE: (
            rf"[€$£¥₽]\s?\d[\d.,]{{0,15}}(?<![.,])|"
            rf"{before}\d[\d.,]{{0,15}}(?<![.,])\s?(?:{words['currency_signs']}|(?i:{words['currency']})(?!\w))"
        ),
        Shape.PHONE: rf"{before}(?<![.])\+?\d(?:[ ()/.-]{{0,2}}\d){{6,18}}{after}",
        Shape.WEEKDAY: (
            rf"(?<!\w)(?i:{words['weekday']})(?!\w)|(?<!\w)(?:{words['weekday_capital']})(?![\w'’])|{words['weekday_signs']}"
        ),
        Shape.MONTH: (
            rf"(?<!\w)(?i:{words['month']})(?!\w)|(?<!\w)(?:{words['month_capital']})(?!\w)|"
            rf"(?:\d{{1,2}}|{numeral}{{1,2}})月份?"
        ),
        Shape.CODE: (
            rf"{before}(?<!-)(?=[\w-]{{0,30}}\d)(?=[\w-]{{0,30}}[A-Za-z])"
            rf"[A-Za-z0-9](?:[A-Za-z0-9]|-(?=\w)){{1,30}}(?![A-Za-z0-9])|"
            r"(?<=\w )[A-HJ-Z](?![\w'’.-])|[A-Z]{1,3}(?=[型座区栋班口])"
        ),
        Shape.MEASURE: rf"(?:\d[\d.]{{0,8}}|{numeral}{{1,6}})(?<!一){words['measure_signs']}(?!曜)",
        Shape.NUMBER: rf"{before}[-+−]?\d+(?:[.,]\d+){{0,4}}(?:(?:st|nd|rd|th|º|ª)(?!\w)|%| %)?",
        Shape.WORD: rf"(?<!\w)(?i:{words['number']})(?!\w)|{numeral}{{2,8}}|(?<![{_SIGN}]){numeral}(?![{_SIGN}])",
        Shape.COLOUR: rf"(?:(?<!\w)(?:{words['colour']})|^(?i:{words['colour']}))(?!\w)|{words['colour_signs']}",
        Shape.QUOTE: _QUOTE,
    }
    return re.compile("|".join(f"(?P<{shape}>{pattern})" for shape, pattern in shapes.items()))
