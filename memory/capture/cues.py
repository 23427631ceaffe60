"""What gives a message away: the patterns that each language's modules fill in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memory.capture.phrases import Pattern
from memory.types import Kind


@dataclass(frozen=True, slots=True)
class Manners:
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
class Orders:
    """How a language gives orders, to the agent and to oneself. All patterns are for folded text.

    Attributes:
        polite: "can you": what follows is an order, even before a question mark.
        tag: what a friendly order ends in: "..., ok?".
        clause: what makes a question of an order after "can you": "can you see when ..."; anywhere in it.
        standing: "from now on": what makes a standing instruction of any order, even of "tell me the time ...".
        keep: "remember that ...": what follows is kept, whatever it looks like.
        keep_bare: "remember ...": the same, unless it ends in a question mark.
        kept: a closing "remember that", about what was said before it; as a whole clause.
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
        asks: what makes a sentence a question wherever it stands in it.
    """

    look_up: Pattern
    no_question: Pattern
    question: Pattern
    asks: Pattern


@dataclass(frozen=True, slots=True)
class Marks:
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


@dataclass(frozen=True, slots=True)
class Language:
    """All that is known about one language."""

    manners: Manners
    orders: Orders
    questions: Questions
    marks: Marks
