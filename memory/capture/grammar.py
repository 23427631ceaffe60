"""How a statement is put together: the values that it gives, its subject and what links the two, its content words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache, partial

from memory.capture.lexicon import read_toml
from memory.language.detect import HAN, KANA
from memory.language.normalize import blank_list_marks, stem
from memory.language.patterns import Pattern
from memory.language.words import STOP_WORDS

SIGN = HAN + KANA
"""Characters of writing without spaces, for a class of a regular expression."""
FUNCTION_WORDS = frozenset[str]().union(*(STOP_WORDS[code] for code in ("en", "de", "fr", "es", "it", "pt", "ru")))
WORD = Pattern(rf"[{SIGN}]+|(?:(?![{SIGN}])[^\W_])+")
CLOSING = " \t\n.!。！,，;；"
"""What a statement may begin and end with that says nothing."""
MAX_VALUE_CHARS = 2_000
"""Characters of a text in which values are looked for."""


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
    """One value in a text: of what sort it is, where it stands, and how it is written there.

    `WORD` is a number in words, `MEASURE` a Chinese or Japanese number with what it counts.
    """

    shape: Shape
    start: int
    end: int
    text: str


def are_like(value: Value, other: Value) -> bool:
    """Check whether one may take the place of the other: no time that of a year, no age that of a count."""
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


@lru_cache(maxsize=4096)
def values(text: str) -> tuple[Value, ...]:
    """Return the values in a text, in order; names are capitalised, begin no sentence and follow no article."""
    beginning = blank_list_marks(text[:MAX_VALUE_CHARS])
    found = [
        Value(Shape(match.lastgroup), match.start(), match.end(), match[0])
        for match in _value_pattern().finditer(beginning)
        if match.lastgroup is not None
        # A Chinese numeral alone is none: 一 is in many words.
        and not (match.lastgroup == Shape.WORD and match[0] in _NUMERALS and len(match.string) > 1)
    ]
    return tuple(sorted([*found, *_names(beginning, found)], key=lambda value: value.start))


_NUMERALS = frozenset("一零〇十百千万两")
_NAME_WORD = re.compile(r"[^\W\d_](?:[\w-]|['’](?=[^\W\d_]{3}))*")
_BEGINNING = re.compile(r"(?:^|[.!?:;\n])[\s\"'«»„“”*(-]*$")
_NO_NAME = Pattern(r"['’]s?(?!\w)| (?:no\.? |nr\.? )?\d", re.IGNORECASE)
"""What follows an owner, and the noun of a number: "Anna's", "Platz 43"."""


def _names(text: str, taken: list[Value]) -> Iterator[Value]:
    """Find capitalised words one after the other, where a sentence does not begin and no article goes before."""
    words = [
        word
        for word in _NAME_WORD.finditer(text)
        if not any(value.start < word.end() and word.start() < value.end for value in taken)
    ]
    run: list[re.Match[str]] = []
    for word in words:
        between = text[run[-1].end() : word.start()] if run else ""
        if word[0][0].isupper() and (between == " " or (between == ". " and run[-1][0] in _TITLES)):
            run.append(word)
            continue
        yield from _name(text, run)
        run = [word] if _begins_name(text, word) else []
    yield from _name(text, run)


def _name(text: str, run: list[re.Match[str]]) -> Iterator[Value]:
    if run and not _NO_NAME.match(text, run[-1].end()):
        start, end = run[0].start(), run[-1].end()
        yield Value(Shape.NAME, start, end, text[start:end])


_TITLES = frozenset("Mr Mrs Ms Dr Dra Prof Profa St Sr Sra Srta Hr Fr Dott".split())


def _begins_name(text: str, word: re.Match[str]) -> bool:
    if not word[0][0].isupper() or word[0].casefold() in FUNCTION_WORDS:
        return False
    before = text[max(0, word.start() - 30) : word.start()]
    if _BEGINNING.search(before) and word.start() + len(word[0]) < len(text.rstrip(" .!")):
        alone = text.rstrip(" .!").split(" ")
        return word.start() == 0 and len(alone) <= 3 and all(word[:1].isupper() for word in alone)
    words = _NAME_WORD.findall(before)
    return not words or words[-1].casefold() not in str(read_toml("values")["article"]).split()


_QUOTE = r"\"[^\"\n]{1,80}\"|„[^“”\n]{1,80}[“”]|“[^”\n]{1,80}”|«[^»\n]{1,80}»|「[^」\n]{1,80}」|《[^》\n]{1,80}》"


@cache
def _value_pattern() -> re.Pattern[str]:
    """Compile one group for each shape; the first that fits at a place wins."""
    words = {name: "|".join(str(block).split()) for name, block in read_toml("values").items()}
    words["time"] = words["time"].replace("<number>", f"(?:{words['number']})")
    numeral = "[一二两兩三四五六七八九十百千万零〇]"
    month = rf"(?i:{words['month']}|{words['month_beside_day']})"
    day = r"\d{1,2}(?:st|nd|rd|th|er|\.|º)?"
    before, after = rf"(?<![^\W{SIGN}])", rf"(?![^\W{SIGN}])"  # no letter or digit, unless it is a sign
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
        Shape.WORD: rf"(?<!\w)(?i:{words['number']})(?!\w)|{numeral}{{2,8}}|(?<![{SIGN}]){numeral}(?![{SIGN}])",
        Shape.COLOUR: rf"(?:(?<!\w)(?:{words['colour']})|^(?i:{words['colour']}))(?!\w)|{words['colour_signs']}",
        Shape.QUOTE: _QUOTE,
    }
    return re.compile("|".join(f"(?P<{shape}>{pattern})" for shape, pattern in shapes.items()))


@dataclass(frozen=True, slots=True)
class GrammarPatterns:
    """Patterns for the parts of a statement, in all languages, as `lexicon/correction.toml` explains them.

    Attributes:
        lead: a pronoun, a copula or both, with fillers, at the beginning of a correction.
        naming: "is called" at the end of such a lead.
        links: copulas and verbs of state, the surest first.
        copula: copulas alone, also contracted.
        renewed: sentences that say that something changed, with its `noun` and `what` it is now.
        preferring: who says what they like better: "I prefer".
        giving: verbs that give a value to a thing: "we pay".
    """

    lead: Pattern
    naming: Pattern
    links: tuple[Pattern, ...]
    copula: Pattern
    pronoun: Pattern
    person: Pattern
    someone: Pattern
    first: Pattern
    filler: Pattern
    preposition: Pattern
    clause: Pattern
    negation: Pattern
    with_negation: Pattern
    contrasts: tuple[Pattern, ...]
    renewed: tuple[Pattern, ...]
    giving: Pattern
    preferring: Pattern


@cache
def grammar_patterns() -> GrammarPatterns:
    """Read the patterns; each is compiled on first use."""
    read = {name: str(words) for name, words in read_toml("correction").items()}

    def words(*names: str) -> str:
        spaced = "|".join(word.replace("_", r"\s+") for name in names for word in read[name].split())
        signs = "|".join(sign for name in names for sign in read.get(f"{name}_signs", "").split())
        whole = rf"(?:(?<![\w'’])|(?<=\w)(?=['’]))(?:{spaced})(?!\w)"
        return f"(?:{whole}|{signs})" if signs else whole

    def pattern(*names: str) -> Pattern:
        return Pattern(partial(words, *names), re.IGNORECASE)

    link = words("naming", "copula", "copula_unsure", "contracted")
    filler = rf"(?:\s*{words('filler')})"
    pronoun = words("pronoun")
    begun = rf"(?:{link}\s+)?{pronoun}{filler}{{0,3}}(?:\s*{link}){{0,2}}|{link}"
    lead = rf"\s*{filler}{{0,3}}\s*(?:{begun}){filler}{{0,3}}[\s,:]*"
    plain = "naming pronoun person someone first filler preposition clause with_negation giving preferring".split()
    negation = words("negation") + r"|(?<!\bca)(?<=\w)n['’]t(?!\w)|(?<=\bcan)(?:['’]t|not)(?!\w)"
    negation += r"|(?<!\w)n['’](?=\w.{0,60}(?<!\w)(?:plus|pas|jamais)(?!\w))"
    return GrammarPatterns(
        lead=Pattern(lead, re.IGNORECASE),
        links=(pattern("naming"), pattern("copula", "state"), pattern("copula_unsure")),
        copula=pattern("naming", "copula", "copula_unsure", "contracted"),
        negation=Pattern(negation, re.IGNORECASE),
        contrasts=_sentences(read["contrast"]),
        renewed=_sentences(read["renewed"]),
        **{name: pattern(name) for name in plain},
    )


def _sentences(block: str) -> tuple[Pattern, ...]:
    """Return patterns for whole sentences; between Chinese or Japanese words there may be spaces."""
    return tuple(
        Pattern(sentence.replace("_", r"\s*" if "是" in sentence or "な" in sentence else " "), re.IGNORECASE)
        for sentence in block.split()
    )


SIGNS = Pattern(rf"[{SIGN}]")
_PARTICLES = Pattern(r"[的了是在有吧呢啊就把给到为和这那我你他她它们号您]|[\u3041-\u309f]")


def content(text: str, code: str) -> list[tuple[str, int, int]]:
    """Return the words that carry content, as stem, start and end; of Chinese and Japanese each two characters."""
    keys: list[tuple[str, int, int]] = []
    for word in WORD.finditer(text):
        if SIGNS.match(word[0]):
            pairs = range(word.start(), word.end() - 1)
            keys += [(text[at : at + 2], at, at + 2) for at in pairs if not _PARTICLES.search(text, at, at + 2)]
        elif word[0].casefold() not in FUNCTION_WORDS and not (len(word[0]) == 1 and word[0].isalpha()):
            keys.append((stem(word[0].casefold(), code), word.start(), word.end()))
    return keys


def read_lead(said: str) -> tuple[int, bool]:
    """Find where the pronoun and copula that a correction begins with end, and whether there is a copula."""
    lead = grammar_patterns().lead.match(said)
    if not lead or (lead[0][-1:].isalpha() and lead.end() < len(said) and not SIGNS.search(lead[0])):
        return 0, False
    return lead.end(), grammar_patterns().copula.search(lead[0]) is not None


def link_of(old: str) -> re.Match[str] | None:
    """Return what links the subject of a fact to its predicate; None without one, or without a subject before it."""
    line = old.partition("\n")[0]
    found = (link for pattern in grammar_patterns().links for link in pattern.finditer(line))
    return next((one for one in found if line[: one.start()].strip() and line[one.end() :].strip(CLOSING)), None)


def says_what_is(said: str) -> bool:
    """Check whether a correction begins with a value or like "it is", or says which value something is."""
    end, linked = read_lead(said)
    past = WAS.search(said, 0, end) is not None
    given = values(said)
    verb = grammar_patterns().links[1].match(said)
    if verb and grammar_patterns().pronoun.search(said, verb.end(), end) and not given:  # "ist das Wetter schön"
        return False
    if (linked or (end and grammar_patterns().links[1].match(said, end))) and not past:
        return any(map(str.isalnum, said[end:]))
    if given and ((verb and not WAS.match(said)) or not content(said[end : given[0].start], "en")):
        return True
    link = link_of(said)
    if link is None or WAS.search(said, 0, link.end()):
        return False
    # Chinese shows no names: what is short says one.
    is_short = SIGNS.match(said) is not None and len(said) <= 12 and said[0] not in "我你您"
    return is_short or any(value.start >= link.end() for value in given)


WAS = Pattern(r"(?<!\w)(?:was|were|war|waren|était|étaient|был[аои]?|fue|era)(?!\w)", re.IGNORECASE)


def second_clause(text: str) -> int:
    """Find where a text goes on with another statement after a comma: "my code, it is an old one"; else its end."""
    for comma in re.finditer(r"[,，]\s*", text):
        following = text[comma.end() :]
        grammar = grammar_patterns()
        openings = filter(None, (grammar.pronoun.match(following), grammar.first.match(following)))
        goes_on = any(str.isalnum(sign) for one in openings for sign in following[one.end() :])
        if goes_on or read_lead(following)[1] or grammar.clause.match(following):
            return comma.start()
    return len(text)
