"""Replacing the values of a fact: which is right and which is wrong, and which one a correction means."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import chain, pairwise, takewhile

from memory.capture.grammar import (
    CLOSING,
    FUNCTION_WORDS,
    SIGN,
    SIGNS,
    WHEN,
    WORD,
    Shape,
    Value,
    are_like,
    content,
    grammar_patterns,
    link_of,
    read_lead,
    values,
)
from memory.language.detect import language

SOFT = frozenset({Shape.NAME, Shape.QUOTE, Shape.COLOUR})

_NO_NOUN = re.compile("[我你他她它这那吗吧什么样]")
"""Chinese pronouns and particles: what has one is no noun."""
_BEFORE = re.compile(r"(?<!\w)(\w+)(\s+)$")
_TOWARDS = frozenset("to until till for into auf zu на".split())
"""Prepositions of an order to move something: "dinner to Friday" is dinner on Friday."""
_AFTER = re.compile(r"\s+(\w+)")
_COUNTED = re.compile(r"(?:\s*([A-Za-z]{1,2})(?!\w))?(?:\s+(?:(?:of|de|di|von)\s+|d['’])?([^\W\d_]{3,}))?")
_AMOUNT = re.compile(r"\d+(?:[.,]\d+)?(?P<unit>[A-Za-z]{1,2})")
_AND = re.compile("and|und|y|et|и|e|[和与跟及]")
_JOINING = re.compile(rf"[,、]|{_AND.pattern}")
CLAUSE_LINK = re.compile(rf"[.!?;,](?=\s)|[。！？；，、\n和与跟及]|\s(?=(?:{_AND.pattern})\s)")
"""What a clause of a fact begins with, or the next thing that it lists."""
_ADJACENT = re.compile(r"[\w'’-]+[ .:#]{1,2}$")
HOUR = re.compile(r"(?:[01]?\d|2[0-4])(?:[.,][0-5]\d)?")
_PART_OF_DAY = re.compile("凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|午前|午後|夜の?")
_DIGITS = re.compile(r"\d+")
_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
_ENDING = 3
"""Letters that the forms of a word may differ in at its end."""


def read_contrast(said: str) -> tuple[str, str] | None:
    """Read what is right and what is wrong, of "8, not 7" and the like; None unless both are of the same sort."""
    for pattern in grammar_patterns().contrasts:
        contrast = pattern.fullmatch(said.strip(CLOSING))
        if not contrast:
            continue
        right, wrong = contrast.group("right", "wrong")
        is_alike = any(are_like(value, other) for value in values(right) for other in values(wrong))
        # In Chinese, which has no capital letters, what is short and no pronoun may be a name.
        are_nouns = all(len(part) <= 5 and SIGNS.match(part) and not _NO_NOUN.search(part) for part in (right, wrong))
        if is_alike or are_nouns or _are_parallel(right, wrong):
            return right, wrong
    return None


def _are_parallel(right: str, wrong: str) -> bool:
    """Check whether both are a few words that begin alike: "the red one", "the blue"."""
    first, second = (part[read_lead(part)[0] :].strip(CLOSING).casefold().split() for part in (right, wrong))
    short = min(len(first), len(second)) >= 2 and max(len(first), len(second)) <= 5
    return short and first[0] == second[0] and first[0] in FUNCTION_WORDS and first[-1] not in FUNCTION_WORDS


def read_named_contrast(old: str, said: str) -> tuple[str, str] | None:
    """Read a contrast of words of any sort, if what is wrong is in the fact: "Anna, not Hannah"."""
    for pattern in grammar_patterns().contrasts:
        contrast = pattern.fullmatch(said)
        if not contrast:
            continue
        right, wrong = (part[read_lead(part)[0] :].strip(CLOSING) for part in (contrast["right"], contrast["wrong"]))
        words = right.casefold().split()
        if 0 < len(words) <= 3 and not FUNCTION_WORDS.intersection(words) and len(_places(old, wrong)) == 1:
            return right, wrong
    return None


def apply_contrast(old: str, said: str, pair: tuple[str, str]) -> str | None:
    """Replace what is wrong in the fact by what is right; None unless the wrong is in it exactly once."""
    right, wrong = (part[read_lead(part)[0] :].strip(CLOSING) for part in pair)
    given, taken = values(right), values(wrong)
    if given and taken:
        rest = said.replace(wrong, " ", 1).replace(right, " ", 1)
        pairs = [(value, other) for value in given for other in taken if are_like(value, other)]
        if len(given) != len(taken) and len(pairs) == 1:  # of "3. Stock" and "4" only those that are alike
            given, taken = pairs[0][:1], pairs[0][1:]
        right = right[given[0].start : given[-1].end]
        wrong = wrong[taken[0].start : taken[-1].end]
        if not _is_about(old, rest, ()):
            return None
    else:
        # Without the article or preposition that both begin with, and without "one".
        split = (part.split(" ") for part in (right, wrong))
        right_words, wrong_words = ([word for word in words if word not in {"one", "ones"}] for words in split)
        while len(right_words) > 1 and len(wrong_words) > 1 and right_words[0].casefold() == wrong_words[0].casefold():
            right_words, wrong_words = right_words[1:], wrong_words[1:]
        right, wrong = " ".join(right_words), " ".join(wrong_words)
    places = _places(old, wrong) or _equal_values(old, taken)
    if len(places) != 1 or not right:
        return None
    start, end = places[0]
    for value in values(old) if len(given) == 1 and given[0].shape in WHEN else ():
        if value.shape is given[0].shape and value.start <= start and end <= value.end:  # "15 May, not the 14th"
            start, end = value.start, value.end
    if not any(map(str.isdigit, right)) and _places(f"{old[:start]}\n{old[end:]}", right):
        return None  # the fact has what is right already: "Alice works at Alice"
    return old[:start] + _not_repeated(right, old[end:]) + old[end:]


def _not_repeated(right: str, following: str) -> str:
    """Return what is right without the words at its end with which the fact goes on: "third floor" before " floor"."""
    gaps = (gap.start() for gap in reversed([*re.finditer(" ", right)]))
    return next((right[:gap] for gap in gaps if following.casefold().startswith(right[gap:].casefold())), right)


def _equal_values(old: str, taken: Sequence[Value]) -> list[tuple[int, int]]:
    """Return the one value of a fact that has the digits of the wrong one: "7点" is in "晚上7点"."""
    if len(taken) != 1:
        return []
    digits = _DIGITS.findall(taken[0].text)
    like = [value for value in values(old) if are_like(value, taken[0]) and _DIGITS.findall(value.text) == digits != []]
    return [(value.start, value.end) for value in like]


def _places(text: str, words: str) -> list[tuple[int, int]]:
    """Find where whole words stand in a text, in any case; Chinese and Japanese words begin and end anywhere."""
    if not words:
        return []
    before, after = (
        "" if SIGNS.match(edge) else mark
        for edge, mark in ((words[0], rf"(?<![^\W{SIGN}])(?<![:/-])"), (words[-1], rf"(?![^\W{SIGN}]|[:/-]|[.,]\d)"))
    )
    return [match.span() for match in re.finditer(before + re.escape(words) + after, text, re.IGNORECASE)]


def exchange_values(old: str, said: str) -> str | None:
    """Exchange the values of a fact for those of the correction; None if one has no place or several."""
    known = {(one.shape, one.text.casefold(), noun) for one in values(old) for noun in ("", _behind(old, one)[1])}
    given = [one for one in values(said) if (one.shape, one.text.casefold(), _behind(said, one)[1]) not in known]
    given = [value for value in given if value.shape is not Shape.NAME or not _is_about(old, value.text, ())]
    if not given or not _is_about(old, said, given):
        return None
    swaps: list[tuple[int, int, str]] = []
    for value in given:
        target = _target(old, said, value)
        if target is None:
            break
        swaps.append(_with_preposition(old, target, said, value))
    if len(swaps) == 1 < len(given):
        swaps[0] = (*swaps[0][:2], swaps[0][2] + said[given[0].end : given[-1].end])
    elif len(swaps) < len(given) or len({start for start, _, _ in swaps}) < len(swaps):
        return None
    for start, end, text in sorted(swaps, reverse=True):
        is_capital = start == 0 and old[:1].isupper()
        old = old[:start] + (text[:1].upper() + text[1:] if is_capital else text) + old[end:]
    return old


def _with_preposition(old: str, target: tuple[int, int], said: str, value: Value) -> tuple[int, int, str]:
    """Exchange a day or a time with its preposition if both have one: "во вторник" becomes "в среду"."""
    both = [one for one in (_BEFORE.search(old, 0, target[0]), _BEFORE.search(said, 0, value.start)) if one]
    are_prepositions = len(both) == 2 and all(grammar_patterns().preposition.fullmatch(one[1]) for one in both)
    if not are_prepositions or both[1][1].casefold() in _TOWARDS or value.shape not in {*WHEN, Shape.TIME}:
        return (*target, value.text)
    return both[0].start(1), target[1], said[both[1].start(1) : value.end]


def _is_about(old: str, said: str, given: Sequence[Value]) -> bool:
    """Check whether a correction says nothing besides its values that the fact does not say in any form of the word."""
    rest = said
    for value in given:
        end = _end(said, value)
        rest = rest[: value.start] + " " * (end - value.start) + rest[end:]
    rest = " " * (start := read_lead(said)[0]) + rest[start:]
    grammar = grammar_patterns()
    for pattern in (grammar.filler, grammar.giving, grammar.preposition, *grammar.links):
        rest = pattern.sub(" ", rest)
    code = language(f"{old} {said}", "en")
    known = [key for key, _, _ in content(old, code)]
    return all(
        key in known or set(key).issubset(old) if SIGNS.match(key) else any(are_forms(key, other) for other in known)
        for key, _, _ in content(rest, code)
    )


def are_forms(word: str, other: str) -> bool:
    """Check whether two words are forms of one: "Lenas" and "Lena", "Маши" and "Маша"."""
    if word == other:
        return True
    shorter, longer = sorted((word, other), key=len)
    alike = next((at for at, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b), len(shorter))
    cyrillic = _CYRILLIC.match(word) is not None
    if alike == len(shorter):
        return alike >= 3 and (len(longer) - alike <= _ENDING or cyrillic)
    # Only Russian changes endings: "Lena" and "Leni" are two people.
    return (cyrillic and alike >= 3 and len(longer) - alike <= _ENDING - 1) or (alike >= 6 and len(longer) - alike <= 5)


def _target(old: str, said: str, value: Value) -> tuple[int, int] | None:
    """Return what in the fact a value takes the place of; None if that is nothing, or not clear."""
    link = link_of(old)
    predicate = link.end() if link else 0  # a name before it is part of the subject
    known = [other for other in values(old) if other.shape is not Shape.NAME or other.start >= predicate]
    like = [other for other in known if are_like(value, other) and may_stand_for(value, other, old)]
    targets = [other for other in like if other.shape == value.shape] or like
    label, (unit, noun) = _label(said, value), _behind(said, value)
    counted = [(other, *_behind(old, other)) for other in like]
    among = [
        other
        for other, measure, counts in counted
        if (other in targets or unit == measure != "")
        and (not noun or ((not counts or are_forms(noun, counts)) and measure in {"", unit}))
    ]
    is_adjacent = _ADJACENT.search(said, read_lead(said)[0], value.start) is not None
    if named := _named(old, said, value, among):
        targets = [named]
    elif len(targets) > 1:
        counted = [one for one in counted if one[0] in targets]
        beside = [one for one, its, _ in counted if _label(old, one) == label != "" or (not noun and unit == its != "")]
        targets = [other for other, _, counts in counted if noun and are_forms(noun, counts)] or beside
    elif targets and label and is_adjacent and not _fits(label, old, targets[0]):
        return None
    return _part(value, targets[0], old) if len(targets) == 1 and not _is_in_row(old, targets[0], like) else None


def _named(old: str, said: str, value: Value, among: Sequence[Value]) -> Value | None:
    """Return the one of several values that stands in a clause with what a correction names; None if none is clear.

    The last counts, for what is told of the first need not be said again: "Tom's birthday is 3 May and Ben's 8 June".
    """
    code = language(f"{old} {said}", "en")
    among = [other for other in among if not _places(said, other.text)]
    nouns, noun = [_behind(old, other)[1] for other in among], _behind(said, value)[1]
    noun = noun if any(are_forms(noun, counted) for counted in nouns) else ""  # what is counted names none of them
    others = [one for one in values(said) if are_like(value, one) and one != value and not _places(old, one.text)]
    first = max((other.end for other in others if other.end <= value.start), default=0)
    last = value.start if others else len(said)  # of "level 4, spot 43" each word names the value behind it
    words = [(key, start) for key, start, end in _words(said, old, code) if said[start:end].casefold() != noun]
    own = range(value.start, _end(said, value))
    places: dict[str, set[int]] = {key: set() for key, start in words if first <= start < last and start not in own}
    clauses = [0, *(link.start() for link in CLAUSE_LINK.finditer(old)), len(old)]
    known = _words(old, old, code)
    exact = {word for word, _, _ in known}  # a word that is there to the letter stands for no other form
    for word, start, end in known:
        begins, ends = clauses[bisect_right(clauses, start) - 1 :][:2]
        within = [at for at, other in enumerate(among) if begins <= other.start < ends]
        if len(within) == 1:
            place = within[0]
        else:  # of several, or none, the next one behind the word
            place = sum(other.end <= start for other in among)
            is_counted = place > 0 and old[start:end].casefold() == nouns[place - 1]
            if is_counted or (place and not old[among[place - 1].end : start].strip()):
                place -= 1  # "10 mg of this"; or it is the unit
            elif place == len(among) or end > among[place].start:
                continue
        for key, found in places.items():
            if key == word or (key not in exact and not SIGNS.match(key) and are_forms(key, word)):
                found.add(place)
    clear = [place for every in places.values() if len(every) == 1 for place in every]
    return among[max(clear)] if len(among) > 1 and clear else None


def _words(text: str, old: str, code: str) -> list[tuple[str, int, int]]:
    """Return the words of a text that carry content, and those of grammar that are names in a fact: "Mia", "Will"."""
    inside = (word[0] for word in WORD.finditer(old) if old[: word.start()].rstrip()[-1:] not in ".!?:")
    names = {word.casefold() for word in inside if word[0].isupper() and len(word) > 1} & FUNCTION_WORDS
    spans = (word.span() for word in WORD.finditer(text) if word[0].casefold() in names)
    return [*content(text, code), *((text[start:end].casefold(), start, end) for start, end in spans)]


def _end(text: str, value: Value) -> int:
    """Return where a value ends, a number with its unit."""
    unit = _COUNTED.match(text, value.end) if value.shape is Shape.NUMBER else None
    return max(value.end, unit.end(1)) if unit and (unit[1] or "").casefold() not in FUNCTION_WORDS else value.end


def _is_in_row(old: str, value: Value, like: Sequence[Value]) -> bool:
    """Check whether a value is one of a row, of which each belongs to another name: "Tom and Ben are 5 and 7"."""
    row = [other for other in like if other.shape is value.shape]
    gaps = [old[_end(old, one) : other.start].strip() for one, other in pairwise(row)]
    at = row.index(value)
    beside = (takewhile(_JOINING.fullmatch, gaps[at:]), takewhile(_JOINING.fullmatch, reversed(gaps[:at])))
    return any(map(_AND.fullmatch, chain(*beside)))


def may_stand_for(value: Value, other: Value, old: str) -> bool:
    """Check whether a time may replace a number (after "at", not "room", nor before "years"), or a number an hour."""
    if value.shape is Shape.NUMBER and not HOUR.fullmatch(value.text) and _is_hour(other, old):
        return False
    if value.shape is not Shape.TIME or other.shape not in {Shape.NUMBER, Shape.WORD}:
        return True
    if _is_sign(old, other.start - 1) or _is_sign(old, other.end):
        return False
    beside = _BEFORE.search(old, 0, other.start), _AFTER.match(old, other.end)
    grammar = grammar_patterns()
    patterns = (grammar.preposition, *grammar.links, grammar.giving)
    words = [word[1].casefold() for word in beside if word]
    return all(word in FUNCTION_WORDS or any(pattern.fullmatch(word) for pattern in patterns) for word in words)


def _is_hour(value: Value, text: str) -> bool:
    """Check whether a value is an hour; beside a day, a number after a preposition is one: "on Tuesday at 10"."""
    if value.shape is not Shape.NUMBER:
        return value.shape is Shape.TIME
    before = _BEFORE.search(text, 0, value.start)
    is_after = before is not None and grammar_patterns().preposition.fullmatch(before[1]) is not None
    return is_after and HOUR.fullmatch(value.text) is not None and any(other.shape in WHEN for other in values(text))


def _is_sign(text: str, at: int) -> bool:
    return 0 <= at < len(text) and SIGNS.match(text[at]) is not None


def _fits(label: str, old: str, value: Value) -> bool:
    """Check whether the noun before a value of a correction is one of the fact's, too."""
    if label == _label(old, value) or (value.shape is Shape.COLOUR and label in FUNCTION_WORDS):
        return True
    if value.shape in SOFT:
        return label.isdecimal() and _label(old, value).isdecimal()
    return any(are_forms(label, word.casefold()) for word in WORD.findall(old))


def _label(text: str, value: Value) -> str:
    """Return the noun that a value stands beside: "platz" of "Platz 43"; of a name whatever word is before it."""
    before = [word[0].casefold() for word in WORD.finditer(text, max(0, value.start - 60), value.start)]
    if value.shape in SOFT:
        return before[-1] if before else ""
    besides = (grammar_patterns().links[1], grammar_patterns().filler, grammar_patterns().giving)
    days = {one.text.casefold() for one in values(text) if one.shape in WHEN}  # "Saturday at 6" counts no Saturdays
    named = (word for word in before if word not in FUNCTION_WORDS | days)
    nouns = [word for word in named if not any(pattern.fullmatch(word) for pattern in besides)]
    return "" if not nouns or SIGNS.match(nouns[-1]) else nouns[-1]


def _behind(text: str, value: Value) -> tuple[str, str]:
    """Return the unit and the noun behind a number: "g" and "butter" of "250 g Butter"; empty where there is none."""
    words = _COUNTED.match(text, value.end) if value.shape in {Shape.NUMBER, Shape.MEASURE} else None
    if value.shape is Shape.CODE and (amount := _AMOUNT.fullmatch(value.text)):  # "20mg"
        words = _COUNTED.match(text, value.start + amount.start("unit"))
    unit, noun = ((word or "").casefold() for word in words.groups()) if words else ("", "")
    unit = value.text[-1] if value.shape is Shape.MEASURE else unit  # of Chinese and Japanese
    return unit, "" if noun in FUNCTION_WORDS else noun


def _part(value: Value, other: Value, old: str) -> tuple[int, int] | None:
    """Return the part of a value that another replaces: of "7 pm" the digits, if "8" does."""
    if value.shape in WHEN and other.shape in WHEN and value.shape != other.shape and link_of(old):
        return None
    if _AMOUNT.fullmatch(value.text):  # "20mg" is instead of "5 mg"
        return other.start, _end(old, other)
    if SIGNS.match(other.text) and value.shape is other.shape is Shape.TIME:  # of "晚上7点" the evening stays
        begins = (_PART_OF_DAY.match(one.text) for one in (other, value))
        part, said = ((found[0] if found else "") for found in begins)
        return other.start + (0 if said else len(part)), other.end
    if other.shape in {value.shape, Shape.NUMBER, Shape.WORD} or value.shape not in {Shape.NUMBER, Shape.WORD}:
        return other.start, other.end
    runs = list(_DIGITS.finditer(other.text))
    if len(runs) != 1 or value.shape is Shape.WORD:
        return None
    return other.start + runs[0].start(), other.start + runs[0].end()
