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
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from memory.index.terms import WORD, tokens
from memory.language.detect import HAN, HANGUL, KANA, UNSPACED, language
from memory.language.normalize import normalize
from memory.language.words import STOP_WORDS, WEAK
from memory.types import Fact

MARK = "[forgotten]"
"""What a sentence is replaced by that repeated a forgotten fact."""
MOST = 0.6
"""The share of a sentence's content words that tells that it is the same."""
RARE_LETTERS = 4
_FEW = 2
_MIXED = 5
_RUN = f"{HAN}{KANA}{HANGUL}{UNSPACED}"
_ATOM = re.compile(rf"{WORD}|[{_RUN}]")
_JOINED = re.compile(rf"[{_RUN}]")
_WEAK = frozenset().union(*WEAK.values())
_YEAR = re.compile(r"(?:19|20)\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d(?:-\d\d)?|\d{1,2}[:.]\d\d(?:[:.]\d{2,4})?")
_ADDRESS = re.compile(r"[^\s<>()\"'@]+@[^\s<>()\"'@]+|[a-z][a-z+]*://[^\s<>()\"']+|www\.[^\s<>()\"']+", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？；])")
_OPENING = re.compile(
    r"\s*(?:(?:>|[-*+]|\d{1,4}[.)]|#{1,6})\s+)*(?:[/／]\s?[^\W\d_][\w-]*(?:@\w+)?(?:\s+|$))?", re.UNICODE
)
_CUT = re.compile(r"(?:…|\.\.\.|\[…[^\]]*\])[\s\"'`)]*$")

Span = tuple[int, int]
"""First character and the one behind the last."""


def phrase(text: str) -> str:
    """Return the words of a text, case folded, each with a space before and behind: what is compared with one another.

    A character of a script without spaces between words is a word by itself. Empty for a text without words.
    """
    atoms = _ATOM.findall(_letters(text))
    return f" {' '.join(atoms)} " if atoms else ""


def candidates(facts: Iterable[Fact]) -> frozenset[str]:
    """Return the phrases of facts that may tell, each to be looked for in the rest of memory."""
    return frozenset[str]().union(*(words.telling | words.rare for words in map(_Words.of, facts)))


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

    @classmethod
    def of(cls, facts: Iterable[Fact], elsewhere: Collection[str]) -> Traces:
        """Return the traces of facts, without the `candidates` that stand elsewhere in memory."""
        words = [_Words.of(fact) for fact in facts]
        gone = frozenset(elsewhere)
        return cls(
            tuple(dict.fromkeys(statement for of_fact in words for statement in of_fact.statements)),
            tuple(dict.fromkeys(sentence for of_fact in words for sentence in of_fact.sentences)),
            frozenset[str]().union(*(of_fact.telling for of_fact in words)) - gone,
            frozenset[str]().union(*(of_fact.rare for of_fact in words)) - gone,
        )

    def narrowed(self, unrelated: Iterable[str]) -> Traces:
        """Return the same without the rare words of texts that have nothing to do with the facts."""
        left = set(self.rare)
        for text in unrelated:
            letters = _letters(text)
            if met := [word for word in left if _first(word) in letters]:
                said = phrase(text)
                left.difference_update(word for word in met if word in said)
        return replace(self, rare=frozenset(left))

    def sparing(self, facts: Iterable[Fact]) -> Traces:
        """Return the same, but a sentence that says one of these other facts is none that repeats these.

        What one of them says in the very same words is still known, and nothing is recognised by it.
        """
        others = dict.fromkeys(statement for fact in facts for statement in _Words.of(fact).statements)
        own = tuple(statement for statement in self.statements if statement not in others)
        return replace(self, statements=own, spared=tuple(others))

    def is_spoken_of(self, text: str) -> bool:
        """Return whether a text repeats one of the facts, rare words aside."""
        return replace(self, rare=frozenset()).matches(text)

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

    def _spans(self, text: str) -> Iterator[Span]:
        cut = _CUT.search(text)
        if not (cut or (self._may_be_written_in(_letters(text)) and self._may_be_in(phrase(text)))):
            return
        segments = list(_segments(text))
        stating = self._segments_of_statements([words for _, words in segments])
        for number, (span, words) in enumerate(segments):
            begun = words.rstrip()  # a statement that was cut off, at a word or inside one
            is_cut = _CUT.search(text[slice(*span)]) and len(words.split()) > _FEW
            if (
                number in stating
                or self._is_in(words)
                or (is_cut and any(statement.startswith(begun) for statement in self.statements))
            ):
                yield span

    def _may_be_written_in(self, letters: str) -> bool:
        """Return the same as `_may_be_in`, judged by letters alone, which takes a tenth of the time."""
        if any(_first(words) in letters for words in (*self.telling, *self.rare, *self.statements)):
            return True
        return any(_holds_most(map(_first, sentence), letters, len(sentence)) for sentence in self.sentences)

    def _may_be_in(self, whole: str) -> bool:
        """Return whether a text could repeat a fact, judged by all of its words at once."""
        if any(words in whole for words in (*self.telling, *self.rare)):
            return True
        if any(f" {statement.split(maxsplit=1)[0]} " in whole for statement in self.statements):
            return True
        return any(_holds_most(sentence, whole, len(sentence)) for sentence in self.sentences)

    def _is_in(self, words: str) -> bool:
        if any(telling in words for telling in (*self.telling, *self.rare)):
            return True
        alike = any(_holds_most(sentence, words, len(sentence)) for sentence in self.sentences)
        return alike and not any(other in words for other in self.spared)

    def _segments_of_statements(self, segments: Sequence[str]) -> set[int]:
        """Return the numbers of the segments over which a whole statement runs."""
        whole = _run(segments)
        owners = [number for number, words in enumerate(segments) for _ in words[1:]]
        found: set[int] = set()
        for statement in self.statements:
            at = whole.find(statement)
            while at >= 0:
                found.update(owners[at : at + len(statement) - 2])
                at = whole.find(statement, at + 1)
        return found


@dataclass(frozen=True, slots=True)
class _Words:
    """The phrases of one fact, before anything is looked up elsewhere."""

    statements: tuple[str, ...]
    sentences: tuple[frozenset[str], ...]
    telling: frozenset[str]
    rare: frozenset[str]

    @classmethod
    def of(cls, fact: Fact) -> _Words:
        stops = STOP_WORDS.get("en", frozenset()) | STOP_WORDS.get(language(fact.text), frozenset())
        names = {phrase(name) for name in fact.entities} - {""}
        identifiers = set(_identifiers(fact.text))
        parts = {part for name in names for part in _content(name, stops) if _is_rare(part)}
        words = _content(phrase(fact.text), stops)
        segments = [words for _, words in _segments(fact.text)]
        sentences = (_content(segment, stops) for segment in segments)
        return cls(
            (_run(segments),) if segments else (),
            tuple(content for content in sentences if len(content) >= _FEW),
            frozenset(identifiers | names | parts),
            frozenset(word for word in words if _is_rare(word)),
        )


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
        if _JOINED.match(first) and _JOINED.match(second) and not (first in _WEAK and second in _WEAK)
    )
    return frozenset(f" {word} " for word in (*spaced, *pairs))


def _is_rare(word: str) -> bool:
    bare = word.strip()
    return " " in bare or len(bare) >= RARE_LETTERS


def _holds_most(sentence: Iterable[str], words: str, length: int) -> bool:
    """Return whether most of the `length` content words of a sentence, and two at least, are in a phrase."""
    count = sum(1 for word in sentence if word in words)
    return count >= _FEW and count >= MOST * length


def _letters(text: str) -> str:
    """Return a text as it is cut into words."""
    return text.lower() if text.isascii() else normalize("NFKC", text).casefold()


@lru_cache(maxsize=4096)
def _first(words: str) -> str:
    """Return the first word of a phrase."""
    return words.split(maxsplit=1)[0]


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
