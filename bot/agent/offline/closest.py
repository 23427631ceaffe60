"""What comes closest: passages that tell of somebody else than a question asks about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from bot.texts.catalogue import tr
from bot.turn import Turn
from memory import Hit, Recall
from memory.capture.draft import names_in
from memory.capture.lexicon import read_vocabulary
from memory.capture.sentences import fold
from memory.index.terms import entity_key
from memory.language.detect import HAN_SIGN, stop_words
from memory.language.patterns import Pattern
from memory.language.words import QUESTION_WORDS, alternatives, read_lists

MAX_TOLD = 32
"""Facts about whom a question asks, one of which may tell who that is: "my sister is called Ellie"."""

_ASKING = frozenset(chain.from_iterable(QUESTION_WORDS.values()))
_NAME = Pattern(r"(?:(?<=[а-яёά-ώ] )|(?<=[а-яёά-ώ], ))[А-ЯЁΆ-Ω][а-яёά-ώ]+")
"""A name in Cyrillic or Greek letters, with a capital that no sentence begins with."""
_LETTER = r"[^\W\u3040-\u9fff]"
"""Of a name within a word; Chinese and Japanese put no space before one."""
_ADDRESSED = re.compile(r"^\W*(?:\w+ )?\w+[,!:] |, \w+\W*$")
"""Who is spoken to: "Hi Jay, where is the key?"."""
_LISTS = [read_lists("bot.agent.offline", "words.toml")[name] for name in ("relations", "relatives")]


@dataclass(frozen=True, slots=True)
class Somebody:
    """Who is called by name, or by what they are to somebody: as in the question, and what finds them in a text."""

    called: str
    told: Pattern
    is_named: bool


_ALONE, _TOGETHER = (["|".join(words) for words in zip(*lists.values(), strict=True)] for lists in _LISTS)
_RELATIONS = [
    (Pattern(words, re.IGNORECASE), Pattern(f"{words}|{_TOGETHER[place // 2]}", re.IGNORECASE))
    for place, words in enumerate(_ALONE)
]
"""What mothers, fathers and so on are called, in all languages: each alone, and together with others."""


async def heading(turn: Turn, asked: str, found: Recall, shown: Sequence[Hit]) -> str:
    """Return what an answer begins with: whether a passage that is shown tells of whom the question asks about."""
    people = [*asked_about(asked)]
    if people and not _tell(shown, people):
        who = ", ".join(dict.fromkeys(one.called for one in people if one.is_named == people[0].is_named))
        named = await turn.agent.memory.recall(who, scope=turn.scope, limit=MAX_TOLD, by_words=True)
        told = [hit for hit in (*found.hits, *named.hits) if _tell([hit], people)]
        known = [one for hit in told for one in (*map(_named, hit.entities), *asked_about(hit.content))]
        if not _tell(shown, [one for one in known if one.is_named or people[0].is_named]):  # Ruth, who is called "Mum"
            return tr("I know nothing like that about {who}. What comes closest:", who=who)
    return tr("From memory:")


def _tell(hits: Iterable[Hit], people: Sequence[Somebody]) -> bool:
    texts = [text for hit in hits for text in (fold(hit.content), _key(hit.content))]
    return any(one.told.search(text) for one in people for text in texts)


def asked_about(question: str) -> Iterator[Somebody]:
    """Yield who is called by name in a question, then who is called by what they are to somebody."""
    rest = fold(text := _ADDRESSED.sub(" ", question))
    ordinary = stop_words(question) | _ASKING.intersection(re.findall(r"\w+", rest)[:1])  # "Kim" asks in Turkish
    for name in (*names_in(text), *(match[0] for match in _NAME.finditer(text))):
        key = fold(name)
        if key not in ordinary and not name.isupper() and not any(one.fullmatch(key) for one, _ in _RELATIONS):
            rest = rest.replace(key, " " * len(key))
            yield _named(name)
    for relation, told in _RELATIONS:
        if said := relation.search(rest):
            yield Somebody(text[said.start() : said.end()], told, is_named=False)


def _named(name: str) -> Somebody:
    return Somebody(name, Pattern("|".join(_forms(name))), is_named=True)


def _key(text: str) -> str:
    """Return the words of a text without case and accents, those in Chinese in simplified characters."""
    return entity_key(fold(text))


def _forms(name: str) -> Iterator[str]:
    """Yield regular expressions for a name as it may stand in a text: in any case, or by one of its parts."""
    words = _key(name).split()
    for word in [word for word in words if len(word) > 2] or words:  # not the article of "l'iPhone"
        if HAN_SIGN.search(word):
            surname = re.sub(f"(?:{alternatives(read_vocabulary('chinese', 'titles'))})$", "", word)
            is_given = surname == word and (len(word) > 2 or word[0] in "小老阿")
            yield from {word, surname or word, word[1:] if is_given else word}
        else:  # "Ben" is Benjamin, too; "Олей" is Оля
            kept = word[: max(3, len(word) - 1)] if word.isascii() else word[: max(2, len(word) - 2)]
            yield rf"(?<!{_LETTER}){kept}" + (rf"(?!{_LETTER})" if len(word) < 3 else "")
