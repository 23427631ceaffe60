"""The phrase lists of each language, read from `lexicon/*.toml`, as patterns that are compiled on first use.

A list has its phrases on lines of their own or between ` | `. Phrases are lower case and are regular expressions with
four shorthands: a space is one or more spaces, `...` is at most 60 characters, `<name>` is any phrase of the list of
that name under `[parts]`, and `<stop>` is a place where the sentence pauses or ends. A phrase may be broken over lines
inside its parentheses.

A language's file has a list for each attribute of `SmallTalk`, `Imperatives`, `Questions` and `StatementPatterns` that
the language needs, and these options:

- `spaced`: the language puts spaces between words; where it does not, phrases count inside words, too.
- `in_order`: the first phrase that fits wins. Otherwise the longest is tried first, a repeated group follows itself a
  few times at most, accented vowels stand for plain ones, too, unless `{1}` follows, and apostrophes may be missing.
- `umlauts`: ä, ö, ü and ß may be typed as ae, oe, ue and ss.
- `<name>_end` lists what a sentence ends in, for languages that put the verb last: `look_up_end`, `keep_end`.

`latin.toml` lists the words that show a language in Latin letters, `names.toml` proper names, `keep.toml` orders to
remember what follows; the other files explain themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from unicodedata import normalize

from memory.capture.sentences import simplify
from memory.language.detect import COMBINING
from memory.language.patterns import NOTHING, Pattern
from memory.language.words import read_lists
from memory.types import Kind

LISTED = ("ja", "ko", "th", "ar", "hi", "ru", "el", "es", "fr")
"""Languages with phrase lists besides English, German and Chinese; the empty code stands for all others."""


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """What a language says out of courtesy. All patterns are for folded text, at the beginning of a sentence.

    Attributes:
        greeting: hello and good wishes.
        farewell: goodbye and good night.
        thanks: thanks, with what they are for.
        filler: words before the matter itself: "ok", "by the way", "and".
        please: "please".
        chatter: words that keep nothing and ask nothing; a sentence of nothing else is small talk.
        about_agent: a question about the agent, as a whole sentence: "how are you".
    """

    greeting: Pattern
    farewell: Pattern
    thanks: Pattern
    filler: Pattern
    please: Pattern
    chatter: Pattern
    about_agent: Pattern


@dataclass(frozen=True, slots=True)
class Imperatives:
    """How a language gives orders, to the agent and to oneself. All patterns are for folded text.

    Attributes:
        polite: "can you": what follows is an order, even before a question mark.
        tag: what a friendly order ends in: "..., ok?".
        clause: what makes a question of an order after "can you": "can you see when ..."; anywhere in it.
        standing: "from now on": what makes a standing instruction of any order, even of "tell me the time ...".
        keep: "remember that ...": what follows is kept, whatever it looks like.
        keep_bare: "remember ...": the same, unless it ends in a question mark.
        kept: a closing "remember that" or "can you believe it", about what was said before it; as a whole clause.
        reminder: "remind me to ...", "don't forget to ...".
        errand: an order to oneself: "buy milk"; not after "can you" or "please".
        rule: a standing instruction to the agent: "answer in German".
        request: an order that takes a doer: "write me a poem".
    """

    polite: Pattern
    tag: Pattern
    clause: Pattern
    standing: Pattern
    keep: Pattern
    keep_bare: Pattern
    kept: Pattern
    reminder: Pattern
    errand: Pattern
    rule: Pattern
    request: Pattern


@dataclass(frozen=True, slots=True)
class Questions:
    """How a language asks. All patterns are for folded text.

    Attributes:
        look_up: an order or a doubt that asks for something known: "tell me what ...", "I wonder ...".
        no_question: what begins like a question and is none: "when I was young, ...".
        question: how a question begins when nobody typed the question mark.
        asks: what makes a sentence a question, anywhere in it.
        announces: a question with what shows that its author goes on to tell: "do you know Ute? She", "my size? 42".
    """

    look_up: Pattern
    no_question: Pattern
    question: Pattern
    asks: Pattern
    announces: Pattern


@dataclass(frozen=True, slots=True)
class StatementPatterns:
    """What a language shows about a statement. All patterns are for folded text and are looked for anywhere in it.

    Attributes:
        kinds: what shows a kind; a statement may show several.
        categories: the first pattern that is found decides.
        before_name: what introduces a proper name: "Mr.", "my brother", "is called".
        after_name: what follows a proper name, but no other noun, at the beginning of a sentence: "works", "said".
    """

    kinds: Mapping[Kind, Pattern]
    categories: tuple[tuple[str, Pattern], ...]
    before_name: Pattern
    after_name: Pattern


class LanguagePatterns:
    """All that is known about one language; its file is read when one of the patterns is first looked for."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.small_talk = SmallTalk(**{name: self._pattern(name) for name in SmallTalk.__slots__})
        self.imperatives = Imperatives(**{name: self._pattern(name) for name in Imperatives.__slots__})
        self.questions = Questions(**{name: self._pattern(name) for name in Questions.__slots__})

    @cached_property
    def statements(self) -> StatementPatterns:
        """Kinds, categories and what stands around a name."""
        lexicon = read_lexicon(self.code)
        if not lexicon.kinds:
            return _ANY_STATEMENT
        return StatementPatterns(
            {Kind[name.upper()]: lexicon.pattern_of(phrases) for name, phrases in lexicon.kinds.items()},
            tuple((name, lexicon.pattern_of(phrases)) for name, phrases in lexicon.categories.items()),
            self._pattern("before_name"),
            self._pattern("after_name"),
        )

    def compile(self) -> None:
        """Compile all patterns that classify a message; those of statements are not needed for that."""
        for group in (self.small_talk, self.imperatives, self.questions):
            for name in group.__slots__:
                getattr(group, name).compile()

    def _pattern(self, name: str) -> Pattern:
        return Pattern(lambda: read_lexicon(self.code).expression(name))


@cache
def language_patterns(code: str) -> LanguagePatterns:
    """Return what is known about one language; the empty code stands for the languages without phrase lists."""
    return LanguagePatterns(code)


@cache
def read_lexicon(code: str) -> Lexicon:
    """Return the phrase lists of one language, read once."""
    return Lexicon(read_toml(code or "other"))


def read_toml(name: str) -> Mapping[str, object]:
    """Return one file of `lexicon/`, as it is written."""
    return read_lists("memory.capture", "lexicon", f"{name}.toml")


@cache
def read_vocabulary(script: str, name: str) -> frozenset[str]:
    """Return one list of `names.toml`, as it is written."""
    return vocabulary(read_table(read_toml("names"), script)[name])


@cache
def latin_words(code: str) -> frozenset[str]:
    """Return the words, and letters, that show a language in a text in Latin letters, as typed without apostrophes."""
    return frozenset(str(read_toml("latin").get(code, "")).replace("'", "").split())


def vocabulary(block: str) -> frozenset[str]:
    """Return the words or names in a block, as they are written: separated by commas or line ends."""
    return frozenset(filter(None, (name.strip() for name in block.replace("\n", ",").split(","))))


_ENDED = frozenset({"asks", "keep", "keep_bare", "look_up", "reminder", "request", "rule", "errand", "no_question"})
"""The lists that a sentence may also show by how it ends."""
_KNOWN_LISTS = frozenset(
    {
        *SmallTalk.__slots__,
        *Imperatives.__slots__,
        *Questions.__slots__,
        *(f"{name}_end" for name in _ENDED),
        "before_name",
        "after_name",
    }
)
_LAUGHTER = r"(?:\W|笑|w|ㅋ|ㅎ|ㅠ|ㅜ|5{3,})*$"
"""What may follow the end of a sentence without being part of it."""
_MAX_REPEATS = 8
"""How often a group may follow itself. Without a limit, one that reads words in two ways doubles its time with each."""
_ACCENTED = re.compile(r"([àâçéèêëîïôùûáíóúñάέήίόύώ])(?!\{1\})")
_APOSTROPHE = re.compile(r"(\(\?<[!=][^()]*\))|'")
_LOOKBEHIND = re.compile(r"\(\?<([!=])([^()]*)\)")
UMLAUT_SPELLINGS = str.maketrans({"ä": "(ä|ae)", "ö": "(ö|oe)", "ü": "(ü|ue)", "ß": "(ß|ss)"})
"""German letters of a phrase, also as they are typed without them."""


class Lexicon:
    """One language's lists, translated into regular expressions.

    `lists` has the phrases by the names of the lists; `parts`, `kinds`, `categories` and the options as in the file.
    Raises `ValueError` if a list has a name that none has.
    """

    def __init__(self, lists: Mapping[str, object]) -> None:
        self._spaced = lists.get("spaced") is True
        self._in_order = lists.get("in_order") is True
        self._umlauts = lists.get("umlauts") is True
        self.kinds = read_table(lists, "kinds")
        self.categories = read_table(lists, "categories")
        self._lists = {name: phrases for name, phrases in lists.items() if isinstance(phrases, str)}
        unknown = self._lists.keys() - _KNOWN_LISTS
        if unknown:
            raise ValueError(f"no part of a language: {', '.join(sorted(unknown))}")
        parts = read_table(lists, "parts")
        if "name" in parts:
            parts["given_name"] = " | ".join(sorted(map(str.lower, read_vocabulary("latin", "given_names"))))
        self._parts = {name: self._spelled(phrases) for name, phrases in parts.items()}

    def pattern_of(self, block: str) -> Pattern:
        """Return the pattern of any phrases, made of the parts of this language."""
        return Pattern(lambda: self._any(block))

    def expression(self, name: str) -> str:
        """Return a list as the text of a regular expression: how a sentence begins or, looking ahead, how it ends."""
        begins, ends = self._lists.get(name), self._lists.get(f"{name}_end")
        alternatives = [self._any(begins)] if begins else []
        if ends:
            ahead = "" if name == "asks" else ".*"
            alternatives.append(rf"(?={ahead}(?:{self._any(ends)}){_LAUGHTER})")
        if not alternatives:
            return NOTHING.pattern
        return "|".join(alternatives) if self._in_order else f"(?s:{'|'.join(alternatives)})"

    def _any(self, block: str) -> str:
        block = self._spelled(block)
        if self._in_order:
            return (phrases if self._spaced else signs)(block, self._parts).pattern
        found = _LOOKBEHIND.sub(_of_one_width, expression_of(block, self._parts, longest_first=True))
        found = found.replace(")*", f"){{0,{_MAX_REPEATS}}}").replace(")+", f"){{1,{_MAX_REPEATS}}}")
        return rf"(?<![\w{COMBINING}])(?:{found})(?![\w{COMBINING}])" if self._spaced else f"(?:{found})"

    def _spelled(self, block: str) -> str:
        """Return phrases in the letters that a folded text is written in."""
        if self._in_order:
            return block.translate(UMLAUT_SPELLINGS) if self._umlauts else block
        plain = _APOSTROPHE.sub(lambda found: found[1] or "[' ]?", simplify(normalize("NFC", block)))
        return _ACCENTED.sub(lambda found: f"[{found[1]}{normalize('NFD', found[1])[0]}]", plain)


def read_table(lists: Mapping[str, object], name: str) -> dict[str, str]:
    """Return a table of a file, as it is written; empty if the file has none."""
    table = lists.get(name, {})
    assert isinstance(table, dict)
    return dict(table)


def _of_one_width(behind: re.Match[str]) -> str:
    """Return what stands before a place, one alternative at a time, since `re` wants each to have one width."""
    alternatives = [f"(?<{behind[1]}{text})" for text in behind[2].replace(" +", " ").split("|")]
    return "".join(alternatives) if behind[1] == "!" else f"(?:{'|'.join(alternatives)})"


_BREAK = re.compile(r"\s*\n\s*")
_GROUP = re.compile(r"(?<!\\)\((?!\?)")
_SPACE = re.compile(" (?![*?+{])")
_OPTIONAL = re.compile(r"\([^()]*\)[?*]|\[[^]]*\]")
_PART = re.compile(r"(?<!\?P)<([a-z_]+)>")
_GAP = ".{0,60}?"
_WORDS = f" (?:{_GAP} )??"
_STOP = r"(?=\W*$| *[,.!?:;~…–—，、。！？：；¿¡])"


def phrases(block: str, parts: Mapping[str, str] | None = None) -> Pattern:
    """Make a pattern for any of the phrases in a block, as whole words.

    >>> phrases("good (morning|day)<stop> | hi+").match("hiii there")
    <re.Match object; span=(0, 4), match='hiii'>
    """
    return Pattern(lambda: rf"(?<!\w)(?:{expression_of(block, parts or {})})(?!\w)")


def signs(block: str, parts: Mapping[str, str] | None = None) -> Pattern:
    """Make the same for scripts that put no spaces between words: a phrase counts inside a run of letters, too."""
    return Pattern(lambda: expression_of(block, parts or {}))


def expression_of(block: str, parts: Mapping[str, str], *, longest_first: bool = False) -> str:
    """Translate a block's phrases into the alternatives of a regular expression, in the order they are tried.

    Raises `KeyError` if a part does not exist.
    """
    listed: Iterator[str] | list[str] = _listed(block)
    if longest_first:  # what may be missing does not count
        listed = sorted(listed, key=lambda phrase: len(_OPTIONAL.sub("", phrase)), reverse=True)
    alternatives = []
    for phrase in listed:
        grouped = _GROUP.sub("(?:", phrase).replace(" ... ", _WORDS)
        pattern = _SPACE.sub(" +", grouped).replace("...", _GAP).replace("<stop>", _STOP)
        alternatives.append(_PART.sub(lambda found: f"(?:{expression_of(parts[found[1]], parts)})", pattern))
    return "|".join(alternatives)


def _listed(block: str) -> Iterator[str]:
    start = depth = 0
    for at, character in enumerate(f"{block}\n"):
        depth += (character == "(") - (character == ")")
        if depth == 0 and (character == "\n" or block[at - 1 : at + 2] == " | "):
            phrase = _BREAK.sub("", block[start:at].strip())
            if phrase:
                yield phrase
            start = at + 1


_ANY_STATEMENT = StatementPatterns(
    kinds={Kind.WORLD: signs("\\w+\\W+\\w+\\W+\\w+ | \\w{8,}")},
    categories=(("event", signs("\\d{1,2}:\\d\\d | \\d{1,2}[./]\\d{1,2}[./]\\d{2,4} | \\d{1,2} ?h(\\d\\d)?(?!\\w)")),),
    before_name=NOTHING,
    after_name=NOTHING,
)
"""What a statement in any language shows without its words."""
