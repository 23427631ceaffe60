"""A message drafted as a fact: its kind, category, and the proper names in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial

from memory.capture.intent import read_prefix
from memory.capture.languages import codes_for, languages_for
from memory.capture.lexicon import LanguagePatterns, language_patterns, read_table, read_toml, read_vocabulary
from memory.capture.sentences import MAX_SENTENCE_CHARS, ends_of, fold, sentences
from memory.files.names import distinct
from memory.files.notation import closing_category, parse_typed
from memory.language.detect import HAN, KANA, UNSPACED, script
from memory.language.patterns import Pattern
from memory.language.words import STOP_WORDS, alternatives
from memory.types import Fact, Kind


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it is to be written, and the characters of the text that stand for it."""

    text: str
    start: int
    end: int


_MAX_KNOWN_WORDS = 4
"""Words of a known name."""
_KNOWN_WORD = re.compile(r"\w+(?:['’.]\w+)*")
_POSSESSIVE_END = re.compile(r"['’]?s$|['’]$")
_MENTIONED = re.compile(r"(?<![\w.+%/@-])@(\w(?:[\w.-]*\w)?)|\[\[([^\[\]|#\n]{1,64})(?:[|#][^\[\]\n]{0,64})?\]\]")
_NO_NAME = re.compile(
    r"https?://\S+|[\w.+-]{1,64}@[\w-]+\.[\w.-]+|`[^`\n]{1,80}`"
    r"|Mia(?= (?:sorella|madre|mamma|moglie|figlia|nonna|zia|cugina|nipote|suocera|cognata|ragazza|amica|collega)\b)"
)
"""Addresses, code, and the Italian "my" that begins a sentence."""
_SPACED = rf"[^\W_{HAN}{KANA}{UNSPACED}]"
IDENTIFIER = re.compile(rf"(?<!{_SPACED}){_SPACED}+(?:_+{_SPACED}+)+")
"""Such as `HOME_WIFI`: no part of it is a name. `__Anna__` is one, and stressed."""
_EVERYDAY = STOP_WORDS["en"] | STOP_WORDS["de"]


def names_in(text: str, known: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the proper names in a text, each once, in order.

    Precision goes before recall: a capital letter alone is no evidence in German, nor where an English sentence begins.
    Names that are `known` are recognised wherever they stand, in whatever case, and returned in their own spelling.
    """
    text = ends_of(text)
    codes = codes_for(fold(text))
    names: list[Name] = []
    _add(names, (Name((match[1] or match[2]).strip(), *match.span()) for match in _MENTIONED.finditer(text)))
    text = _NO_NAME.sub(lambda found: " " * len(found[0]), text)
    _add(names, _known(text, known))
    text = IDENTIFIER.sub(lambda found: " " * len(found[0]), text)
    if "zh" in codes:
        _add(names, chinese_names(text))
    _add(names, _Reader(text, codes).names())
    return distinct(name.text for name in sorted(names, key=lambda name: name.start))


def _add(found: list[Name], names: Iterable[Name]) -> None:
    """Add the names that stand where no other does."""
    for name in names:
        if all(name.end <= other.start or other.end <= name.start for other in found):
            found.append(name)


def _known(text: str, known: Sequence[str]) -> Iterator[Name]:
    spaced = {_key(name): name for name in known if not _unspaced(name)}
    words = list(_KNOWN_WORD.finditer(text)) if spaced else []
    for at, first in enumerate(words):
        for last in reversed(words[at : at + _MAX_KNOWN_WORDS]):
            written = text[first.start() : last.end()]
            name = spaced.get(_key(written)) or spaced.get(_key(_POSSESSIVE_END.sub("", written)))
            # Everyday words that happen to be spelled like a name need a capital.
            if name and (written[0].isupper() or (len(name) >= 3 and name.casefold() not in _EVERYDAY)):
                yield Name(name, first.start(), last.end())
                break
    for name in sorted(filter(_unspaced, known), key=len, reverse=True):
        for match in re.finditer(re.escape(name), text):
            yield Name(name, match.start(), match.end())


def _key(name: str) -> str:
    return " ".join(name.replace("-", " ").casefold().split())


def _unspaced(name: str) -> bool:
    """Check whether a name is in Chinese characters, long enough to be found inside a run of them."""
    return len(name) > 1 and script(name[0]) in {"han", "kana"}


_LETTER = "A-Za-zÀ-ÖØ-öø-ɏ"
_WORD = re.compile(rf"[{_LETTER}][{_LETTER}\d]*(?:[-'’&][{_LETTER}\d]+)*")
_POSSESSIVE = re.compile(r"['’]s$")
_MAX_LISTED_WORDS = 3
_BEGINS_ANEW = frozenset('.!?¡¿:;…\n-–—•*"“„»«。！？：；')
_VERB = re.compile(str(read_toml("statements")["verb"]))
_BEFORE_FULL_NAME = frozenset("frau herr herrn mr mrs with from by to for met".split())


@dataclass(frozen=True, slots=True)
class _Word:
    """A word without a possessive ending.

    If it is the `first` of a sentence, its capital says nothing; if it `owns`, it had such an ending.
    """

    text: str
    start: int
    end: int
    first: bool
    owns: bool

    @property
    def capital(self) -> bool:
        """Whether it has the look of a name: a capital and no digits."""
        written = self.text[0].isupper() and not any(map(str.isdigit, self.text))
        return written and self.text not in _latin("not_names") and self.text.casefold() not in _EVERYDAY

    @property
    def mixed(self) -> bool:
        """Whether it has a capital inside (`GitHub`, `iPhone`) or is an acronym of two to four letters."""
        if self.text in _latin("not_names") or self.text.casefold() in _EVERYDAY:
            return False
        if self.text.isupper():
            return self.text.isalpha() and 2 <= len(self.text) <= 4
        return "-" not in self.text and any(map(str.isupper, self.text[1:]))


class _Reader:
    """Reads the names in one text that may be in some languages, from left to right."""

    def __init__(self, text: str, codes: Sequence[str]) -> None:
        self._text = text
        self._folded = fold(text)
        self._words = list(_words(text))
        self._patterns = [language_patterns(code).statements for code in codes]
        self._titled = sum(word.text[0].isupper() for word in self._words) > max(3, 0.6 * len(self._words))
        self._nouns_are_capital = "de" in codes or self._titled
        self._chinese = "zh" in codes
        self._introduced = {
            _next_word(text, match.end())
            for patterns in self._patterns
            for match in patterns.before_name.finditer(self._folded)
        }

    def names(self) -> Iterator[Name]:
        at = 0
        while at < len(self._words):
            runs = [self._words[at : at + count] for count in range(_MAX_LISTED_WORDS, 0, -1)]
            listed = (run for run in runs if _nominative(self._written(run)) in places_and_brands())
            count = len(next(listed, ()))
            if not count and self._begins_name(self._words[at]):
                count = 1
                while at + count < len(self._words) and self._continues(at + count):
                    count += 1
            if count:
                run = self._words[at : at + count]
                yield Name(_nominative(self._written(run)), run[0].start, run[-1].end)
            at += count or 1

    def _written(self, run: Sequence[_Word]) -> str:
        return self._text[run[0].start : run[-1].end]

    def _begins_name(self, word: _Word) -> bool:
        if word.mixed and not self._titled:
            return True
        if not word.capital:
            return False
        if _nominative(word.text) in _latin("given_names") or word.start in self._introduced:
            return True
        if word.first and not self._chinese:
            rest = _next_word(self._text, word.end)
            return any(patterns.after_name.match(self._folded, rest) for patterns in self._patterns)
        return not self._nouns_are_capital and len(word.text) > 1

    def _continues(self, at: int) -> bool:
        """Check whether a word goes on with the name that ends before it."""
        before, word = self._words[at - 1], self._words[at]
        if before.owns or self._text[before.end : word.start] != " " or not word.capital:
            return False
        if self._nouns_are_capital:
            # "dass Mia Nüsse mag": two nouns are one name only before a verb or after an English preposition.
            following = self._words[at + 1].text if at + 1 < len(self._words) else ""
            is_followed = _VERB.fullmatch(following) is not None
            is_led = at > 1 and self._words[at - 2].text.casefold() in _BEFORE_FULL_NAME
            held = is_followed if before.first else is_led
            return held and before.text in _latin("given_names") and word.text not in _latin("given_names")
        return word.text not in _latin("given_names") or before.text in _latin("given_names")


def _words(text: str) -> Iterator[_Word]:
    for match in _WORD.finditer(text):
        bare = _POSSESSIVE.sub("", match[0])
        before = text[: match.start()].rstrip(" ([{'‘\t")[-1:]
        first = not before or before in _BEGINS_ANEW
        yield _Word(bare, match.start(), match.start() + len(bare), first=first, owns=bare != match[0])


def _next_word(text: str, at: int) -> int:
    while at < len(text) and text[at] in " ,:.":
        at += 1
    return at


def _nominative(name: str) -> str:
    """Return a listed name without a German genitive: `Lenas` is Lena."""
    bare = name.removesuffix("s")
    return bare if bare != name and not _is_listed(name) and _is_listed(bare) else name


def _is_listed(name: str) -> bool:
    return name in _latin("given_names") or name in places_and_brands()


@cache
def places_and_brands() -> frozenset[str]:
    """Return the names in Latin letters that are known to be nobody's."""
    return _latin("places") | _latin("brands")


_latin = partial(read_vocabulary, "latin")

_HAN = "[\u4e00-\u9fff]"
_NO_TITLE = "(?!(?<=总)[是会算共结之体])"
"""`王总是` is not Director Wang but somebody who always does something."""


@cache
def _chinese_patterns() -> tuple[re.Pattern[str], ...]:
    """Return the patterns, likeliest first; each has the name as its only group."""
    vocabulary = partial(read_vocabulary, "chinese")
    surname_signs, given_signs = (f"[{''.join(vocabulary(name))}]" for name in ("surnames", "given_characters"))
    surname = f"(?:{alternatives(vocabulary('two_character_surnames'))}|{surname_signs})"
    patterns = language_patterns("zh").statements
    before, after = f"(?:^|{patterns.before_name.pattern})", f"(?={patterns.after_name.pattern})"
    given = f"(?:(?![是姓叫和跟与的在有了]){_HAN})"
    titled = f"([小老]?{surname}{given}{{0,2}}?(?:{alternatives(vocabulary('titles'))}){_NO_TITLE})"
    nicknamed = f"(?<!{surname_signs})([小老]{surname}|小{given_signs}|阿(?![姨里]){_HAN}){after}"
    called = f"(?<=叫)(?![我你他她它什做啥人])({_HAN}{{2,3}})(?=[,。!;]|$)"
    known = alternatives(vocabulary("places") | vocabulary("brands") | vocabulary("transcribed"))
    listed = f"({known})(?![语文菜])"
    full = f"{before}({surname}(?:(?!了){_HAN}){{1,2}}?){after}"
    return tuple(re.compile(pattern, re.MULTILINE) for pattern in (called, listed, titled, nicknamed, full))


def chinese_names(text: str) -> Iterator[Name]:
    """Return the Chinese names in a text, in no order; they may overlap, the likelier first."""
    simple = fold(text)
    for pattern in _chinese_patterns():
        for match in pattern.finditer(simple):
            if match[1][:2] not in read_vocabulary("chinese", "not_names"):
                yield Name(text[match.start(1) : match.end(1)], match.start(1), match.end(1))


_KINDS = (Kind.PROCEDURE, Kind.INTENTION, Kind.OPINION, Kind.EXPERIENCE, Kind.WORLD)
"""Of the kinds that a statement shows, the first is meant."""
_USUAL = {Kind.INTENTION: "goal", Kind.PROCEDURE: "workflow", Kind.EXPERIENCE: "event", Kind.WORLD: "fact"}
"""The category of a statement that shows no other."""
_CLAUSE_END = re.compile("[.,;] ")
_PLAIN = frozenset({Kind.WORLD, Kind.OBSERVATION})
_OF_INTENTIONS = frozenset({"goal", "event", "decision"})
"""What an intention can be; "I would like to" is no preference, and "remind me always" no rule."""


def draft(text: str, *, known: Sequence[str] = ()) -> Fact:
    """Make a fact of a text, to the letter; kind, category and names are guessed from it, and `known` names found."""
    kind, category = kind_of(text)
    return Fact(text, kind, names_in(text, known), category)


def kind_of(text: str) -> tuple[Kind, str | None]:
    """Guess what kind of fact a text is, and of what category; None for none."""
    simple = " ".join(fold(text[:MAX_SENTENCE_CHARS]).split())
    languages = languages_for(simple)
    orders = [language.imperatives for language in languages]
    if any(order.reminder.match(simple) or order.errand.match(simple) for order in orders):
        kind = Kind.INTENTION
    else:
        kind = _shown(simple, languages) or Kind.OBSERVATION
        if kind is Kind.EXPERIENCE:  # unless what it begins with holds: "my locker is 214, I got it yesterday"
            kind = _shown(_CLAUSE_END.split(simple, maxsplit=1)[0], languages) or kind
    categories = (item for language in languages for item in language.statements.categories)
    category = next((category for category, pattern in categories if pattern.search(simple)), None)
    if kind in _PLAIN and category is None and any(order.rule.match(simple) for order in orders):
        kind, category = Kind.OPINION, "rule"
    elif kind is Kind.PROCEDURE or (kind is Kind.INTENTION and category not in _OF_INTENTIONS):
        category = None
    return kind, category or _USUAL.get(kind)


def _shown(text: str, languages: Iterable[LanguagePatterns]) -> Kind | None:
    patterns = [item for language in languages for item in language.statements.kinds.items()]
    shown = {kind for kind, pattern in patterns if pattern.search(text)}
    return next((kind for kind in _KINDS if kind in shown), None)


@lru_cache(maxsize=16)  # what is to be noted is read twice: to look for a fact that says the same, and to write it
def read_fact(text: str) -> Fact:
    """Return a message as a fact: drafted, or as its notation says; raises `Unparsable` if that is malformed."""
    typed = parse_typed(text)
    if typed:
        return replace(typed, id=None)
    fact, category = draft(text), closing_category(text)
    return replace(fact, category=category) if category else fact


def reword(fact: Fact, text: str) -> Fact:
    """Return a fact in other words: it stays what it is, and is about whom these name, and whom the old did not spell.

    Raises `Unparsable` if the words are notation, and malformed.
    """
    typed = parse_typed(text)
    if typed:
        return replace(typed, id=None)
    spelled = names_in(fact.text, fact.entities)
    names = distinct([*(name for name in fact.entities if name not in spelled), *names_in(text, fact.entities)])
    return replace(fact, id=None, text=text, entities=names, category=closing_category(text) or fact.category)


MAX_STATEMENT_CHARS = 1_000
"""Characters of a message from which an opening is taken off; a longer one is no single sentence."""
_KEEP_ORDER = Pattern(
    lambda: r"[ ¿]*(?P<asked>(?:{}) *)?(?:{}) *".format(
        *("|".join(read_table(read_toml("keep"), name).values()) for name in ("asked", "order"))
    )
)
_COURTESY_END = Pattern(
    lambda: r"[\s,，]*+(?:(?<=[,，])|(?<=[,，]\s)|(?<=\d\s))(?i:{})[\s.!?]*+$".format(
        "|".join(read_table(read_toml("keep"), "closing").values())
    )
)
_QUESTION_END = re.compile(r"[\s,，]*+(?:(?<=[\s,，])(?:(?:好|行|可以)[吗嗎]|好不好)|[吗嗎])?[\s?？]*+$")
_MIN_ASKED_WORDS = 3
"""Words, or Chinese characters, of what a question can want to be remembered: "can you remember that film?" asks."""


def statement(text: str) -> str:
    """Take an opening order to remember off: "remember that the key is in the shed" gives "the key is in the shed".

    Courtesies around it, and what makes a question of it ("can you note that ...?"), go with it. It is taken off only
    where it opens a single sentence; any other message comes back as it is.
    """
    if len(text) > MAX_STATEMENT_CHARS or "\n" in text.strip():
        return text
    simple = fold(text)
    order = _KEEP_ORDER.match(simple)
    if order is None:  # behind courtesies, but not behind a sentence of its own
        start = read_prefix(simple, languages_for(simple)).end
        order = None if any(map(simple[:start].count, ".!?")) else _KEEP_ORDER.match(simple, start)
    if order is None or len(list(sentences(simple[order.end() :]))) != 1:
        return text
    closing = _COURTESY_END.search(text, order.end())
    kept = text[order.end() : closing.start() if closing else None]
    if order["asked"]:
        kept = _QUESTION_END.sub("", kept)
        return kept if len(re.findall(rf"{_HAN}|\w+", kept)) >= _MIN_ASKED_WORDS else text
    return kept or text
