"""Episodes by a language model: one sentence for several statements, checked against what they say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from memory.errors import WriterFailed
from memory.knowledge.composing import Sentence, follows
from memory.knowledge.retain import content_words
from memory.life.wording import Repeated
from memory.ports import Writer

MAX_CHARS = 400
"""Characters of an episode, and of what a statement gives to it."""
MAX_DATA_CHARS = 6_000
TOKEN_CHARS = 3
"""Characters that count as one token of a budget: fewer than a token of most languages has."""

INSTRUCTIONS = """\
The lines of the data are statements of one person about much the same thing, each with its number and its day. Say in
one sentence what happened or what was said, and when, in the language of most lines and in the person's own words.
Answer with one JSON object and nothing else:
{"sentence": the sentence, "of": [the numbers of the statements that it says]}
Names, numbers and days stay as they are. Add nothing that no statement says.
"""


@dataclass(frozen=True, slots=True)
class Budget:
    """What a model may be asked for: requests, and tokens of what is sent and answered, by a rough count."""

    calls: int = 0
    tokens: int = 0

    def less(self, calls: int, tokens: int) -> Budget:
        """Return what is left of it."""
        return Budget(max(0, self.calls - calls), max(0, self.tokens - tokens))


NOTHING = Budget()


@dataclass(frozen=True, slots=True)
class Composition:
    """What a model made of statements: a sentence, empty if it does not hold; which it says; and what that cost."""

    text: str
    said: frozenset[int]
    tokens: int


async def compose(lines: Sequence[Repeated], writer: Writer) -> Composition:
    """Ask a model for one sentence; one that says what no statement says is dropped."""
    data = "\n".join(f"{number}. {line.days[-1]}: {line.text[:MAX_CHARS]}" for number, line in enumerate(lines, 1))
    data = data[:MAX_DATA_CHARS]
    answer = ""
    try:
        answer = await writer.write(INSTRUCTIONS, data)
        reply = Sentence.model_validate(json.loads(answer[answer.find("{") : answer.rfind("}") + 1]))
    except (WriterFailed, ValueError, RecursionError):
        return Composition("", frozenset(), cost_of(data, answer))
    text = " ".join(reply.sentence.split())
    cited = frozenset(number - 1 for number in reply.of if 1 <= number <= len(lines))
    cited_lines = "\n".join(f"{lines[at].days[-1]}: {lines[at].text}" for at in sorted(cited))
    if not cited or not follows(text, cited_lines, date.fromisoformat(max(lines[at].days[-1] for at in cited))):
        return Composition("", frozenset(), cost_of(data, answer))
    words = content_words(text)
    said = frozenset(at for at in cited if content_words(lines[at].text) <= words)
    return Composition(text, said, cost_of(data, answer))


def cost_of(data: str, answer: str = "") -> int:
    """Return the tokens that a request is counted as."""
    return -(-(len(INSTRUCTIONS) + len(data) + max(len(answer), MAX_CHARS)) // TOKEN_CHARS)
