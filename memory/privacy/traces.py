"""What a forgotten fact is recognised by in other texts: its statement, and the words that give it away.

A text repeats a fact if it holds
- the fact's statement, whatever its case, spacing and Markdown quoting, or one of its sentences,
- a name of the fact, or an identifier in it (an address, a number of four digits or more, letters mixed with digits),
- a rare word of it: no function word, at least four letters or two characters of Chinese and its like,
- or most content words of one of its sentences.

Names, identifiers and rare words count only if memory holds them nowhere else. A rare word that is also used where the
fact is not spoken of is general vocabulary, and counts no more (`narrowed`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from memory.index.terms import WORD, tokens
from memory.language.detect import RUNS, stop_words
from memory.language.normalize import normalize
from memory.language.patterns import Pattern
from memory.language.words import ALL_WEAK
from memory.types import Fact, Scope

MARK = "[forgotten]"
"""What a sentence is replaced by that repeated a forgotten fact."""
MIN_SHARED = 0.6
"""The share of a sentence's content words that tells that it is the same."""
RARE_LETTERS = 4
_FEW = 2
_MIXED = 5
_ATOM = Pattern(rf"{WORD}|[{RUNS}]")
_ASCII_SIGNS = {code: " " for code in range(128) if not chr(code).isalnum()}
_JOINED = Pattern(rf"[{RUNS}]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_MOMENT = Pattern(r"\d{4}-\d\d(?:-\d\d)?|\d{1,2}[:.]\d\d(?:[:.]\d{2,4})?")
_ADDRESS = Pattern(r"[^\s<>()\"'@]+@[^\s<>()\"'@]+|[a-z][a-z+]*://[^\s<>()\"']+|www\.[^\s<>()\"']+", re.IGNORECASE)
_SENTENCE_END = Pattern(r"(?<=[.!?…])\s+|(?<=[。！？；])")
_OPENING = Pattern(
    r"\s*(?:(?:>|[-*+]|\d{1,4}[.)]|#{1,6})\s+)*(?:[/／]\s?[^\W\d_][\w-]*(?:@\w+)?(?:\s+|$))?", re.UNICODE
)
_CUT = Pattern(r"(?:…|\.\.\.|\[…[^\]]*\])[\s\"'`)]*$")

Span = tuple[int, int]
"""First character and the one behind the last."""


def phrase(text: str) -> str:
    """Return the words of a text, case folded, each with a space before and behind: what is compared with one another.

    A character of a script without spaces between words is a word by itself. Empty for a text without words.
    """
    if text.isascii():  # the same as by the pattern, in a third of the time
        atoms = text.lower().translate(_ASCII_SIGNS).split()
    else:
        atoms = _ATOM.findall(normalize("NFKC", text).casefold())
    return f" {' '.join(atoms)} " if atoms else ""


def candidates(facts: Iterable[Fact]) -> frozenset[str]:
    """Return the phrases of facts that may tell, each to be looked for in the rest of memory."""
    traces = Traces.of(facts, ())
    return traces.telling | traces.rare


class PhraseIndex:
    """Phrases by their first words: of many, those alone are looked for in a text whose first word is in it."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._by_word = defaultdict[str, list[str]](list)
        for wanted in phrases:
            self._by_word[wanted.split(maxsplit=1)[0]].append(wanted)

    def found_in(self, said: str) -> list[str]:
        """Return those of the phrases that are in another one."""
        begun = self._by_word.keys() & said.split()
        return [one for word in begun for one in self._by_word[word] if one in said]

    def may_be_in(self, said: str, *, cut_off: bool) -> bool:
        """Return whether all words of one of the phrases are in another one, or the first of one that is cut off."""
        words = {*said.split()}
        begun = self._by_word.keys() & words
        return any(cut_off or words.issuperset(one.split()) for word in begun for one in self._by_word[word])


class _SentenceIndex:
    """Sentences, each given by its content words, by these words."""

    def __init__(self, sentences: Sequence[frozenset[str]]) -> None:
        self._least = [max(_FEW, MIN_SHARED * len(sentence)) for sentence in sentences]
        self._by_word = defaultdict[str, list[int]](list)
        for number, sentence in enumerate(sentences):
            for word in sentence:
                self._by_word[word].append(number)

    def has_most(self, words: Iterable[str]) -> bool:
        """Return whether these are most of the content words of a sentence, and two at least."""
        counts = Counter(number for word in words for number in self._by_word.get(word, ()))
        return any(count >= self._least[number] for number, count in counts.items())


@dataclass(frozen=True, slots=True)
class Traces:
    """What some forgotten facts are recognised by. All phrases are as `phrase` makes them.

    Attributes:
        statements: what the facts say.
        sentences: the content words of each of their sentences.
        telling: names and identifiers.
        rare: words that tell only where the fact is spoken of.
        spared: what other facts say that share most words with a sentence: whoever says that speaks of those.
    """

    statements: tuple[str, ...] = ()
    sentences: tuple[frozenset[str], ...] = ()
    telling: frozenset[str] = frozenset()
    rare: frozenset[str] = frozenset()
    spared: tuple[str, ...] = ()
    _words: PhraseIndex = field(init=False, repr=False, compare=False)
    _stated: PhraseIndex = field(init=False, repr=False, compare=False)
    _alike: _SentenceIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index what is looked for, so that a text is not compared with each fact."""
        object.__setattr__(self, "_words", PhraseIndex(self.telling.union(self.rare, *self.sentences)))
        object.__setattr__(self, "_stated", PhraseIndex(self.statements))
        object.__setattr__(self, "_alike", _SentenceIndex(self.sentences))

    @classmethod
    def of(cls, facts: Iterable[Fact], elsewhere: Collection[str]) -> Traces:
        """Return the traces of facts, without the `candidates` that stand elsewhere in memory."""
        statements, sentences = dict[str, None](), dict[frozenset[str], None]()
        telling, rare = set[str](), set[str]()
        for fact in facts:
            stops = stop_words(fact.text)
            contents = (_content(segment, stops) for _, segment in _segments(fact.text))
            statements |= dict.fromkeys(_statements(fact.text))
            sentences |= dict.fromkeys(content for content in contents if len(content) >= _FEW)
            names = {phrase(name) for name in fact.entities}
            telling |= names.union(_identifiers(fact.text))
            telling.update(part for name in names for part in _content(name, stops) if _is_rare(part))
            rare.update(word for word in _content(phrase(fact.text), stops) if _is_rare(word))
        gone = {"", *elsewhere}  # a name or an address of signs alone has no word
        return cls(tuple(statements), tuple(sentences), frozenset(telling - gone), frozenset(rare - gone))

    def narrowed(self, unrelated: Iterable[str]) -> Traces:
        """Return the same without the rare words of texts that have nothing to do with the facts."""
        index = PhraseIndex(self.rare)
        return replace(self, rare=self.rare.difference(*(index.found_in(phrase(text)) for text in unrelated)))

    def without(self, names: Collection[str]) -> Traces:
        """Return the same, but a name of these, or a word of one, tells only beside a rare word of the facts.

        An address, or what has a digit, tells as before, whoever is called that.
        """
        phrases = {phrase(name) for name in names if "@" not in name} - {""}
        words = phrases.union(*(_content(name, ()) for name in phrases))
        called = frozenset(word for word in words if not any(map(str.isdigit, word)))
        rare = self.rare - called
        beside = (frozenset({name, word}) for name in self.telling & called for word in rare)
        return replace(self, telling=self.telling - called, rare=rare, sentences=(*self.sentences, *beside))

    def told_as(self, messages: Iterable[str]) -> Traces:
        """Return the same, which also recognises messages that the facts were made of, if nothing else in them tells.

        It does so by the sentence with most of their words, "actually it is under the red pot", as by a rare word.
        Where a sentence is masked already, which may have been that one, it has to have two of them.
        """
        known, told = frozenset[str]().union(*self.sentences), set[str]()
        for said in (message for message in messages if not self.is_spoken_of(message)):
            own = [one for _, one in _segments(said) if not any(other in one for other in self.spared)]
            counts = {one: len(known & _content(one, ())) for one in own}
            most, least = max(counts.values(), default=0), _FEW if MARK in said else 1
            told.update(one for one, count in counts.items() if count == most >= least)
        return replace(self, rare=self.rare | told) if told else self

    def stated(self) -> Traces:
        """Return the same, but by nothing save what the facts say in full."""
        return replace(self, sentences=(), telling=frozenset(), rare=frozenset())

    def sparing(self, facts: Iterable[Fact]) -> Traces:
        """Return the same, but a sentence that says one of these other facts is none that repeats these.

        What one of them says in the very same words is still known, and nothing is recognised by it. What has a secret
        in it may have been told with a mark in the place of that.
        """
        from memory.privacy.secrets import find_secrets, mask  # 20 ms to compile its patterns

        texts = dict.fromkeys(fact.text for fact in facts)
        others = dict.fromkeys(said for text in texts for said in _statements(text))
        without = (said for text in texts if (found := find_secrets(text)) for said in _statements(mask(text, found)))
        own = tuple(statement for statement in self.statements if statement not in others)
        return replace(self, statements=own, spared=(*others, *(said for said in without if len(said.split()) > _FEW)))

    def is_spoken_of(self, text: str) -> bool:
        """Return whether a text repeats one of the facts, rare words aside."""
        return next(self._spans(text, rare=False), None) is not None

    def hold(self, quote: str) -> bool:
        """Return whether a quotation is a part of what one of the facts says."""
        words = phrase(quote)
        return bool(words) and any(words in statement for statement in self.statements)

    def matches(self, text: str) -> bool:
        """Return whether something of a text would be masked."""
        return next(self._spans(text), None) is not None

    def masked(self, text: str) -> str:
        """Return the text with a mark in the place of every sentence, or line, that repeats one of the facts.

        A quotation sign, bullet or command before a sentence stays. A text that repeats none comes back as it is.
        """
        parts: list[str] = []
        at = 0
        for start, end in self._spans(text):
            gap = text[at:start]
            if not (parts and gap.strip(" \t") == "" and parts[-1].endswith(MARK)):
                parts += [gap, MARK]
            at = end
        return "".join([*parts, text[at:]]) if parts else text

    def lines(self, text: str) -> list[int]:
        """Return the numbers of the lines, from 0, of which something would be masked."""
        found: set[int] = set()
        for start, end in self._spans(text):
            first = text.count("\n", 0, start)
            found.update(range(first, first + text.count("\n", start, end) + 1))
        return sorted(found)

    def _spans(self, text: str, *, rare: bool = True) -> Iterator[Span]:
        if not (_CUT.search(text) or self._may_be_in(text, rare=rare)):
            return
        segments = list(_segments(text))
        stating = self._segments_of_statements([words for _, words in segments])
        for number, (span, words) in enumerate(segments):
            begun = words.rstrip()  # a statement that was cut off, at a word or inside one
            is_cut = _CUT.search(text[slice(*span)]) and len(words.split()) > _FEW
            if (
                number in stating
                or self._is_repeated_in(words, rare=rare, spared=self.spared)
                or (is_cut and any(statement.startswith(begun) for statement in self.statements))
            ):
                yield span

    def _may_be_in(self, text: str, *, rare: bool) -> bool:
        """Return whether a text could repeat a fact, judged by all of its words at once."""
        whole = phrase(text)
        cut_off = "…" in text or "..." in text
        return self._stated.may_be_in(whole, cut_off=cut_off) or self._is_repeated_in(whole, rare=rare, spared=())

    def _is_repeated_in(self, said: str, *, rare: bool, spared: Iterable[str]) -> bool:
        """Return whether a phrase has a word that tells, or most of a sentence and no statement that is spared."""
        words = self._words.found_in(said)
        if any(word in self.telling or (rare and word in self.rare) for word in words):
            return True
        return self._alike.has_most(words) and not any(other in said for other in spared)

    def _segments_of_statements(self, segments: Sequence[str]) -> set[int]:
        """Return the numbers of the segments over which a whole statement runs."""
        whole = _run(segments)
        found: set[int] = set()
        stated = self._stated.found_in(whole)
        owners = [number for number, words in enumerate(segments) for _ in words[1:]] if stated else []
        for statement in stated:
            at = whole.find(statement)
            while at >= 0:
                found.update(owners[at : at + len(statement) - 2])
                at = whole.find(statement, at + 1)
        return found


@dataclass(frozen=True, slots=True)
class ForgettingTrail:
    """What forgotten facts are recognised by where they were spoken of.

    Attributes:
        reach: whose conversations they are looked for in: all for the owner, one chat's for a chat.
        traces: tells which texts repeat them.
        ids: of the facts, without `^`.
        told_in: the turns in which was said what they were made of.
        forgotten_in: the turns that forgot them.
        names: what is called in every clone that they were forgotten; none while it is only a preview.
    """

    reach: Scope
    traces: Traces
    ids: frozenset[str]
    told_in: frozenset[str] = frozenset()
    forgotten_in: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


def _statements(text: str) -> tuple[str, ...]:
    """Return what the sentences of a text say together; empty for one without words."""
    segments = [words for _, words in _segments(text)]
    return (_run(segments),) if segments else ()


def _segments(text: str) -> Iterator[tuple[Span, str]]:
    """Yield the sentences of each line: where they stand, without what opens and ends the line, and their phrase."""
    at = 0
    for line in text.split("\n"):
        opening = _OPENING.match(line)
        start = opening.end() if opening else 0
        ends = list(_SENTENCE_END.finditer(line, start))
        bounds = zip([start, *(end.end() for end in ends)], [*(end.start() for end in ends), len(line)], strict=True)
        for first, last in bounds:
            part = line[first:last].rstrip()
            words = phrase(part.replace(MARK, " "))
            if words:
                yield (at + first, at + first + len(part)), words
        at += len(line) + 1


def _run(segments: Iterable[str]) -> str:
    """Return phrases joined to one."""
    return " " + "".join(words[1:] for words in segments)


def _content(words: str, stops: Collection[str]) -> frozenset[str]:
    """Return the content words of a phrase, as phrases: pairs of characters where no spaces are written."""
    atoms = words.split()
    spaced = (atom for atom in atoms if not _JOINED.match(atom) and atom not in stops and len(atom) > 1)
    # Pairs of neighbouring characters that are not both of grammar alone.
    pairs = (
        f"{first} {second}"
        for first, second in pairwise(atoms)
        if _JOINED.match(first) and _JOINED.match(second) and not (first in ALL_WEAK and second in ALL_WEAK)
    )
    return frozenset(f" {word} " for word in (*spaced, *pairs))


def _is_rare(word: str) -> bool:
    bare = word.strip()
    return " " in bare or len(bare) >= RARE_LETTERS


def _identifiers(text: str) -> Iterator[str]:
    """Yield addresses, numbers and words that name one thing alone."""
    yield from (phrase(address[0].rstrip(".,;:!?")) for address in _ADDRESS.finditer(text))
    for token in tokens(text):
        if _MOMENT.fullmatch(token):
            continue
        parts = phrase(token).split()
        digits = sum(character.isdigit() for character in token)
        if len(parts) > 1 and digits >= RARE_LETTERS:
            yield phrase(token)
        for part in parts:
            is_mixed = len(part) >= _MIXED and any(map(str.isdigit, part)) and any(map(str.isalpha, part))
            is_number = part.isdigit() and len(part) >= RARE_LETTERS and not _YEAR.fullmatch(part)
            if is_mixed or is_number:
                yield f" {part} "
