"""Whether two facts are the same, or cannot both hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from memory.capture.grammar import SIGN, SIGNS, WAS, WORD, link_of, parts
from memory.capture.sentences import folded, sentences
from memory.capture.values import WHEN, Shape, Value, are_like, values
from memory.language.normal import normalised
from memory.language.stems import stem

LONGEST = 400
"""Characters of a fact that is compared; what is longer tells more than one thing."""


def contradicts(old: str, new: str) -> bool:
    """Whether two facts cannot both hold: the same statement but for one value, or for a negation.

    Statements about events do not contradict each other: two appointments may be on two days.
    """
    if max(len(old), len(new)) > LONGEST or same(old, new):
        return False
    if _negates(old, new) or _gives_another_value(old, new):
        return True
    told, said = _statements(old), _statements(new)
    return any(
        not same(one, other) and (_gives_another_value(one, other) or _names_another(one, other))
        for one in told
        for other in said
    )


def same(old: str, new: str) -> bool:
    """Whether two texts are the same fact: case, width, punctuation and white space aside."""
    return _plain(old) == _plain(new)


_BETWEEN_SIGNS = re.compile(rf"(?<=[{SIGN}]) | (?=[{SIGN}])")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "`": "'", "´": "'"})
_MARKS = re.compile(
    r"(?<!\d)[.,;:!?…。、！？；：\"()\[\]–—]|[.,;:!?…。、！？；：\"()\[\]–—](?!\d)|(?<!\w)['-](?!\w)|(?<!\w)'|'(?!\w)"
)


def _plain(text: str) -> str:
    simple = normalised("NFKC", text.translate(_QUOTES)).casefold()
    bare = " ".join(_MARKS.sub(" ", simple).split())
    return _BETWEEN_SIGNS.sub("", bare) or " ".join(simple.split())


_STATEMENTS = 4
"""Sentences of a fact that are compared."""

_SINCE = re.compile(
    r"\s*(?<!\w)(?:since|seit|desde|depuis|dal|с)\s+(?:[^\W\d_]+\s+)?\d{4}(?:\s+года?)?(?!\w)|(?:自从?|从)\d{4}年(?:起|开始|以来)?",
    re.IGNORECASE,
)


def _statements(text: str) -> list[str]:
    """The sentences of a fact that name their subject, without since when they hold."""
    found = [text[sentence.start : sentence.end].strip() for sentence in islice(sentences(folded(text)), _STATEMENTS)]
    grammar = parts()
    named = [one for one in found if not grammar.pronoun.match(one) and not grammar.person.match(one)]
    return [_SINCE.sub("", one) for one in named]


_PLACED = re.compile(
    r"(?P<subject>[^,，。]{2,12}?)(?P<link>现在住在|住在|名叫|叫做?|姓)(?P<what>[^,，。的了和]{1,6})[。！.!]*"
)


def _names_another(old: str, new: str) -> bool:
    """Whether two Chinese statements, which show no names, give one subject two homes or two names."""
    one, other = _PLACED.fullmatch(old), _PLACED.fullmatch(new)
    if not one or not other or one.group("subject", "link") != other.group("subject", "link"):
        return False
    return one["what"] not in other["what"] and other["what"] not in one["what"]


def _negates(old: str, new: str) -> bool:
    """Whether two statements are the same but for a negation in one of them."""
    one, other = (_without_negation(text) for text in (old, new))
    return one[0] != other[0] and one[1] == other[1] and len("".join(one[1])) >= 3


def _without_negation(text: str) -> tuple[bool, list[str]]:
    """Whether a statement is negated, and its words without the negation and what comes with one."""
    grammar = parts()
    simple = _plain(text)
    positive = grammar.negation.sub(lambda found: "" if SIGNS.match(found[0]) else " ", simple)
    bare = grammar.with_negation.sub(" ", positive)
    return grammar.negation.search(simple) is not None, [stem(word, "en") for word in WORD.findall(bare)]


_INDEFINITE = re.compile(
    r"\s*(?:an?|some|there (?:is|are)|es gibt|hay|il y a|ein[e]?|une?|un[ao]?|uma?|один|одна)\s", re.IGNORECASE
)
_AGE = re.compile("[岁歲歳]")


def _gives_another_value(old: str, new: str) -> bool:
    """Whether two statements are the same but for one value that a copula or a verb of state gives."""
    one, other = values(old), values(new)
    if len(one) != len(other) or _around(old, one) != _around(new, other):
        return False
    apart = [pair for pair in zip(one, other, strict=True) if _plain(pair[0].text) != _plain(pair[1].text)]
    return (
        len(apart) == 1 and are_like(*apart[0]) and _holds_always(old, apart[0][0]) and _holds_always(new, apart[0][1])
    )


def _around(text: str, given: Sequence[Value]) -> list[str]:
    """What stands around the values of a text, simplified."""
    ends = [0, *(value.end for value in given)]
    starts = [*(value.start for value in given), len(text)]
    return [_plain(text[end:start]).strip(" .!?") for end, start in zip(ends, starts, strict=True)]


def _holds_always(text: str, value: Value) -> bool:
    """Whether a statement gives the value to a certain subject, and not to one event of several."""
    if value.shape is Shape.MEASURE and _AGE.search(value.text):
        return True
    link = link_of(text)
    if link is None or link.end() > value.start or _INDEFINITE.match(text):
        return False
    if WAS.fullmatch(link[0]):  # a day of several: "we were in Rome"
        return False
    if value.shape not in WHEN and value.shape is not Shape.TIME:
        return True
    between = text[link.end() : value.start]
    for other in values(between):
        between = between.replace(other.text, " ")
    is_all = _ARTICLE.issuperset(_WORD_BETWEEN.findall(parts().preposition.sub(" ", between.casefold())))
    return (
        is_all
        and not parts().first.match(text)
        and (value.shape is Shape.TIME or parts().copula.fullmatch(link[0]) is not None)
    )


_ARTICLE = frozenset("the der die das den dem el la los le les il lo gli o a os as".split())
_WORD_BETWEEN = re.compile(r"\w+")
