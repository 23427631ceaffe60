"""The talk that people have while the service is killed, and what the model says in it.

Questions hold `ask-17`, and the model answers each with `ans-17`; to `tool-17` it calls a tool first; what is to be
remembered holds `fact-17`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.servers.history import Keys, pattern
from tests.servers.ledger import Entry
from tests.servers.openai_script import Call, Received, Step

ASKED = re.compile(r"\bask-(\w+)")
TOOL = re.compile(r"\btool-(\w+)")
RECEIPT = re.compile(r"Noted in \S+ — \^(\w+)")
IDS = re.compile(r"(?<=\s\^)\w{8}$|\bfact-\w+", re.MULTILINE)
OWNER = "You are my owner"

KEYS = Keys(acknowledged=RECEIPT.findall, stored=IDS.findall, answered=pattern(r"\bans-(\w+)"))


@dataclass(frozen=True, slots=True)
class Line:
    """What somebody says: a number of the person, the words, and whether a file goes with it."""

    person: int
    text: str
    has_file: bool = False


def talk(count: int, *, people: int = 2) -> list[Line]:
    """So many lines: questions, files, tool calls, facts to remember, commands."""
    return [_line(number, number % people) for number in range(count)]


def _line(number: int, person: int) -> Line:
    match number % 7:
        case 2:
            return Line(person, f"/remember The lamp fact-{number} is green.")
        case 3:
            return Line(person, f"see ask-{number}", has_file=True)
        case 4:
            return Line(person, f"look it up, tool-{number} ask-{number}")
        case 6:
            return Line(person, "/whoami")
        case _:
            return Line(person, f"what of ask-{number}?")


def answer(request: Received) -> Step:
    """What the model says to a request."""
    asked = request.user_text
    tool = TOOL.search(asked)
    if tool and not request.tool_results:
        return Step(calls=(Call("memory_search", {"query": f"lamp {tool[1]}"}, id=f"call_{tool[1]}"),))
    answers = [f"ans-{key}" for key in ASKED.findall(asked)]
    return Step(text=(" ".join(answers) or "I see.", " That is all."))  # cut short, it still holds the keys


@dataclass(frozen=True, slots=True)
class Account:
    """How often the talk's commands were answered, against how often they should be."""

    said: tuple[Line, ...]

    def missing(self, entries: list[Entry]) -> int:
        """Commands without an answer."""
        return sum(max(0, wanted - found) for wanted, found in self._counts(entries))

    def surplus(self, entries: list[Entry]) -> int:
        """Commands with more answers than one."""
        return sum(max(0, found - wanted) for wanted, found in self._counts(entries))

    def _counts(self, entries: list[Entry]) -> list[tuple[int, int]]:
        texts = list(_last_texts(entries).values())
        return [
            (sum(line.text.startswith("/whoami") for line in self.said), sum(OWNER in text for text in texts)),
            (sum("/remember" in line.text for line in self.said), sum(len(RECEIPT.findall(text)) for text in texts)),
        ]


def _last_texts(entries: list[Entry]) -> dict[tuple[str, str], str]:
    """The bot's messages as they were last seen."""
    shown = [entry for entry in entries if entry["kind"] in {"message", "edit"} and entry["by"] == "bot"]
    return {(entry["chat"], entry["id"]): entry["text"] for entry in shown}


def eager_talk(count: int) -> list[Line]:
    """So many questions of one person, who does not wait for answers; each takes a tool."""
    return [Line(0, f"look it up, tool-{number} ask-{number}") for number in range(count)]


def answer_all(request: Received) -> Step:
    """What the model says to a request of an eager talk: it looks once for all that is new, then answers all of it."""
    current = request.messages
    ended = [at for at, one in enumerate(current) if one["role"] == "assistant" and not one.get("tool_calls")]
    current = current[ended[-1] + 1 :] if ended else current
    if current[-1]["role"] == "user":
        number = len(current)
        return Step(calls=(Call("memory_search", {"query": f"lamp {number}"}, id=f"call_{number}"),))
    asked = " ".join(str(one["content"]) for one in current if one["role"] == "user")
    return Step(text=(" ".join(f"ans-{key}" for key in ASKED.findall(asked)), " That is all."))
