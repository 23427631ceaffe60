"""Whether a statement corrects, contradicts or repeats a fact, and the fact that a correction leads to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.capture.contradiction import same
from memory.capture.grammar import CLOSING, FUNCTION_WORDS, SIGNS, WORD, content, lead, link_of, parts
from memory.capture.values import COUNT, LOOKED_AT, WHEN, Shape, Value, are_like, values
from memory.language.detect import language

LONGEST = 400
"""Characters of a correction; what is longer is a statement of its own."""


_SOFT = frozenset({Shape.NAME, Shape.QUOTE, Shape.COLOUR})


def correct(old: str, said: str) -> str | None:
    """The text that replaces the fact `old` when `said` corrects it; None if it does not.

    The subject of `old` stays, and every word is from one of the two. `said` is a correction without its opening
    ("it is 030 7654321", "Platz 43", "8 not 7"), as in `Wish.what`.
    """
    said = said.strip(CLOSING)
    if not said or len(said) > LONGEST or len(old) > LOOKED_AT or not _may_mean(old, said):
        return None
    pair = contrast(said) or _named_contrast(old, said)
    new = _contrasted(old, said, pair) if pair else _exchanged(old, said) or _said_anew(old, said) or _retold(old, said)
    return None if new is None or same(old, new) else new


def contrast(said: str) -> tuple[str, str] | None:
    """What is right and what is wrong, of "8, not 7" and the like; None unless both are values of the same sort."""
    for pattern in parts().contrasts:
        found = pattern.fullmatch(said.strip(CLOSING))
        if found and (_are_alike(found["right"], found["wrong"]) or _are_nouns(found["right"], found["wrong"])):
            return found["right"], found["wrong"]
    return None


def _may_mean(old: str, said: str) -> bool:
    """Whether the persons agree: "I am 42" says nothing about Peter, and "she is 42" nothing about me."""
    grammar = parts()
    if grammar.first.match(said):
        return grammar.first.match(old) is not None
    return not (grammar.person.match(said) and grammar.first.match(old) and not SIGNS.match(old))


# -- (a) a value in the place of another -----------------------------------------------------------------------------


def _are_alike(right: str, wrong: str) -> bool:
    given, taken = values(right), values(wrong)
    return bool(given and taken) and any(are_like(value, other) for value in given for other in taken)


_OF_NOBODY = re.compile("[我你他她它这那吗吧什么样]")


def _are_nouns(right: str, wrong: str) -> bool:
    """Whether both may be names in Chinese, which has no capital letters: short, and no pronouns."""
    return all(
        len(part) <= 5 and SIGNS.match(part) is not None and not _OF_NOBODY.search(part) for part in (right, wrong)
    )


def _named_contrast(old: str, said: str) -> tuple[str, str] | None:
    """The same as `contrast` for words of any sort, if what is wrong stands in the fact: "Anna, not Hannah"."""
    for pattern in parts().contrasts:
        found = pattern.fullmatch(said)
        if not found:
            continue
        right, wrong = (part[lead(part)[0] :].strip(CLOSING) for part in (found["right"], found["wrong"]))
        words = right.casefold().split()
        if 0 < len(words) <= 3 and not FUNCTION_WORDS.intersection(words) and len(_places(old, wrong)) == 1:
            return right, wrong
    return None


def _contrasted(old: str, said: str, pair: tuple[str, str]) -> str | None:
    """The fact with what is right in the place of what is wrong; None unless the wrong stands in it once."""
    right, wrong = pair
    given, taken = values(right), values(wrong)
    if given and taken:
        right = right[given[0].start : given[-1].end]
        wrong = wrong[taken[0].start : taken[-1].end]
        if not _is_about(old, said.replace(right, " ", 1).replace(wrong, " ", 1), ()):
            return None
    places = _places(old, wrong)
    if len(places) != 1:
        return None
    start, end = places[0]
    return old[:start] + right + old[end:]


def _places(text: str, words: str) -> list[tuple[int, int]]:
    """Where whole words stand in a text, in any case."""
    if not words:
        return []
    before, after = (
        "" if SIGNS.match(edge) else mark
        for edge, mark in ((words[0], r"(?<![\w:/-])"), (words[-1], r"(?![\w:/-]|[.,]\d)"))
    )
    return [match.span() for match in re.finditer(before + re.escape(words) + after, text, re.IGNORECASE)]


def _exchanged(old: str, said: str) -> str | None:
    """The fact with the values of the correction in the place of its own; None if one has no place or several."""
    known = {(value.shape, value.text.casefold()) for value in values(old)}
    given = [value for value in values(said) if (value.shape, value.text.casefold()) not in known]
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
        old = old[:start] + text + old[end:]
    return old


_BEFORE = re.compile(r"(?<!\w)(\w+)(\s+)$")


def _with_preposition(old: str, target: tuple[int, int], said: str, value: Value) -> tuple[int, int, str]:
    """A day or a time goes with its preposition if both have one: "во вторник" becomes "в среду"."""
    was, now = _BEFORE.search(old, 0, target[0]), _BEFORE.search(said, 0, value.start)
    if value.shape not in WHEN and value.shape is not Shape.TIME:
        return (*target, value.text)
    if not (was and now) or not all(parts().preposition.fullmatch(word[1]) for word in (was, now)):
        return (*target, value.text)
    return was.start(1), target[1], said[now.start(1) : value.end]


def _is_about(old: str, said: str, given: Sequence[Value]) -> bool:
    """Whether a correction says nothing besides its values that the fact does not say."""
    rest = said
    for value in given:
        rest = rest[: value.start] + " " * (value.end - value.start) + rest[value.end :]
    rest = " " * (start := lead(said)[0]) + rest[start:]
    grammar = parts()
    for pattern in (grammar.filler, grammar.preposition, *grammar.links):
        rest = pattern.sub(" ", rest)
    code = language(f"{old} {said}", "en")
    known = {key for key, _, _ in content(old, code)}
    return all(key in known for key, _, _ in content(rest, code))


def _target(old: str, said: str, value: Value) -> tuple[int, int] | None:
    """What in the fact a value takes the place of; None if that is nothing, or not clear."""
    known = _replaceable(old)
    found = [other for other in known if other.shape == value.shape] or [o for o in known if are_like(value, o)]
    label = _label(said, value)
    if len(found) > 1:
        found = [other for other in found if _label(old, other) == label and label] or [
            other for other in found if _counted(other) == _counted(value) != ""
        ]
    elif found and _ADJACENT.search(said, lead(said)[0], value.start) and label and label != _label(old, found[0]):
        return None
    return _part(value, found[0], old) if len(found) == 1 else None


def _replaceable(old: str) -> list[Value]:
    """The values of a fact; of names those that are no part of its subject."""
    link = link_of(old)
    said_of = link.end() if link else 0
    return [value for value in values(old) if value.shape is not Shape.NAME or value.start >= said_of]


_ADJACENT = re.compile(r"[\w'’-]+[ .:#]{1,2}$")


def _label(text: str, value: Value) -> str:
    """The noun that a value stands beside: "platz" of "Platz 43"; of a name the word before it, whatever it is."""
    before = [word[0].casefold() for word in WORD.finditer(text, max(0, value.start - 60), value.start)]
    if value.shape in _SOFT:
        return before[-1] if before else ""
    besides = (parts().links[1], parts().filler)
    nouns = [word for word in before if word not in FUNCTION_WORDS and not any(one.fullmatch(word) for one in besides)]
    return "" if not nouns or SIGNS.match(nouns[-1]) else nouns[-1]


def _counted(value: Value) -> str:
    """What a Chinese or Japanese number counts."""
    return value.text[-1] if value.shape is Shape.MEASURE else ""


_DIGITS = re.compile(r"\d+")


def _part(value: Value, other: Value, old: str) -> tuple[int, int] | None:
    """The part of a value that another replaces: of "7 pm" the digits, if "8" does."""
    if value.shape in WHEN and other.shape in WHEN and value.shape != other.shape and link_of(old):
        return None
    if other.shape in {value.shape, Shape.NUMBER, Shape.WORD} or value.shape not in {Shape.NUMBER, Shape.WORD}:
        return other.start, other.end
    runs = list(_DIGITS.finditer(other.text))
    if len(runs) != 1 or value.shape is Shape.WORD:
        return None
    return other.start + runs[0].start(), other.start + runs[0].end()


# -- (b) another predicate, (c) another statement --------------------------------------------------------------------


_ENDS = re.compile(r"(?<![A-Z]r)(?<!Mrs)(?<!St)[.!?](?=\s|$)|[。！？\n;；，]| [(–—]|,(?=\s)")
_AND = re.compile(r",\s+(?:and|und|y|et|и|e)\s", re.IGNORECASE)


def _end_of_predicate(old: str, start: int) -> int:
    """Where a predicate ends: before the next sentence or clause, not before the next item of a list."""
    for mark in _ENDS.finditer(old, start):
        if mark[0] != ",":
            return mark.start()
        following = old[mark.end() :].lstrip()
        if parts().clause.match(following) or (_AND.match(old, mark.start()) and link_of(following)):
            return mark.start()
    return len(old)


def _said_anew(old: str, said: str) -> str | None:
    """The subject and copula of a fact with another predicate; None if the correction gives none of the same sort."""
    end, linked = lead(said)
    link = link_of(old)
    predicate = said[end:].strip()
    if link is None or not predicate:
        return None
    state = parts().links[1].match(predicate)
    if end and not linked and state and state[0].casefold() == link[0].casefold():
        linked, predicate = True, predicate[state.end() :].strip()
    if not predicate or not (linked or (end == 0 and _is_bare(said))):
        return None
    start = link.end()
    stop = _end_of_predicate(old, start)
    before = old[start:stop]
    gap = before[: len(before) - len(before.lstrip())]
    grammar = parts()
    is_name = grammar.naming.fullmatch(link[0]) is not None or _first_shape(before.strip()) is Shape.NAME
    if grammar.naming.search(said, 0, end) and not is_name:
        return None
    is_place = [bool(grammar.preposition.match(text)) for text in (before.strip(), predicate)]
    if (not grammar.copula.fullmatch(link[0]) and is_place[0] != is_place[1]) or not _is_of_same_sort(
        before.strip(), predicate
    ):
        return None
    return old[:start] + gap + predicate + old[stop:]


def _is_bare(said: str) -> bool:
    """Whether a correction without pronoun and copula is a value or begins with a preposition."""
    if parts().preposition.match(said):
        return True
    given = values(said)
    return bool(given) and given[0].start == 0 and given[-1].end == len(said)


def _first_shape(predicate: str) -> Shape | None:
    """The shape of the value that a predicate begins with, after prepositions and articles; None without one."""
    for value in values(f"– {predicate}"):
        words = WORD.findall(predicate[: max(0, value.start - 2)].casefold())
        return value.shape if FUNCTION_WORDS.issuperset(words) else None
    return None


def _is_of_same_sort(old: str, new: str) -> bool:
    """Whether one predicate may replace another: a place no number, a weekday no colour."""
    was, now = _first_shape(old), _first_shape(new)
    if was is None or now is None or _SOFT.issuperset({was, now}):
        whole = was is not None and was not in _SOFT and values(f"– {old}")[-1].end == len(old) + 2
        places = [bool(parts().preposition.match(predicate)) for predicate in (old, new)]
        hard = now is not None and now not in _SOFT and now not in COUNT
        return not (whole or hard or (places[1] and not places[0]))
    return was == now or {was, now} <= WHEN or ({was, now} <= COUNT) or {was, now} <= {Shape.CODE, Shape.NAME}


def _retold(old: str, said: str) -> str | None:
    """What a correction says of the subject of a fact, if it shares a word with it."""
    code = language(f"{old} {said}", "en")
    end, linked = lead(said)
    known, told = content(old, code), content(said[end:], code)
    shared = {key for key, _, _ in told}.intersection(key for key, _, _ in known)
    at = next((start for key, start, _ in known if key in shared), None)
    if at is None:
        return None
    link = link_of(old)
    subject = old[: min(at, link.start()) if link else at].strip(CLOSING)
    if end == 0:
        is_whole = link_of(said) is not None or parts().first.match(said) is not None
        return said if is_whole and (told[0][0] in shared or parts().first.match(said)) else None
    if not subject:
        return None
    if not linked and told[0][0] == next(key for key, start, _ in known if start == at) and told[0][1] == 0:
        return old[:at] + said[end:] + old[_end_of_predicate(old, at) :]
    return f"{subject}: {said}"
