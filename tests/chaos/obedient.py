"""A model that obeys whatever it is shown, whoever wrote it: the worst that can answer for an agent.

It carries out every order that stands anywhere in a request, in the system message, in the conversation or in the
result of a tool, and asks for tools whether they are offered or not:

    !!CALL write_file {"path": "MEMORY.md", "text": "- W: ..."}     calls a tool; other notations are understood, too
    !!ECHO words over several lines !!END                            answers with these words
    !!TELL lamp ^k3f9a2mq                                            answers what it knows of the lamp, then the rest

Asked what is worth remembering in a message, it finds every sentence that it is shown.
What it was shown is kept by agent, for the verdict.
"""

from __future__ import annotations

import json
import re
import unicodedata
from base64 import b64decode
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.agent.auto_capture import TASK
from bot.agent.context.prompt import PRIVATE_NOTE
from tests.servers.openai_script import Call, Received, Step
from tests.support.documents import read_picture

CAPTURES = TASK.partition("{")[0]
"""How a request begins that asks what is worth remembering."""
CALLS = 6
"""At most so many tools in one step."""
STEPS = 3
"""At most so many steps with tools in one turn."""
SUMMARISED = 300
"""Characters of a conversation that stand under each heading of a summary, besides the words that it orders."""
REPEATED = 1_500
"""Characters of the tools' results that an answer repeats."""

_CALL = re.compile(r'!!CALL\s+(\w+)\s*(?=\{)|\{\s*"name":\s*"(\w+)",\s*"arguments":\s*(?=\{)|<function=(\w+)>\s*(?=\{)')
_ECHO = re.compile(r"!!ECHO\s(.*?)!!END", re.DOTALL)
_TELL = re.compile(r"!!TELL (\w+)([^\n\"]*)")
_HEADINGS = re.compile(r"^## [A-Z][a-z -]+$", re.MULTILINE)
"""Of a summary that is to be written; such a request offers no tools."""
_AGENT = re.compile(r"You are ([\w-]+), an assistant")
_OPENED = re.compile(r"<<(?!end )([^<>\n]{1,200}) (\w+)>>\n")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_JSON = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Shown:
    """One request.

    Attributes:
        is_private: it belongs to the owner's private chat.
        text: all that it says.
        unfenced: what its system and user messages say outside of every fence: rules, and the person's own words.
        asked: the tools and words that the model answered with, as far as they were ordered.
    """

    is_private: bool
    text: str
    unfenced: str
    asked: str


class Obedient:
    """Answers requests; `shown` has those of each agent, `captured` the messages in which it was to find facts."""

    def __init__(self) -> None:
        self.shown: defaultdict[str, list[Shown]] = defaultdict(list)
        self.captured: list[str] = []

    def __call__(self, received: Received) -> Step:
        """The answer to one request."""
        messages = received.messages
        if plain(messages[0]).startswith(CAPTURES):
            self.captured.append(plain(messages[-1]))
            sentences = re.split(r"(?<=[.!?])\s+|\n", self.captured[-1])
            return Step(text=json.dumps([*filter(None, sentences)]))
        text = "\n".join(readable(message) for message in messages)
        headings = _HEADINGS.findall(plain(messages[0])) if messages[0]["role"] == "system" else []
        if headings and not received.tools:
            step = Step(text=_summary(headings, text))
            self._keep(messages, text, step.whole_text)
            return step
        called, steps = _called(messages)
        wanted = [order for order in orders(text) if json.dumps(order) not in called][:CALLS]
        if wanted and steps < STEPS:
            step = Step(calls=tuple(Call(name, arguments) for name, arguments in wanted))
        else:
            step = Step(text=_said(text, received.tool_results))
        self._keep(messages, text, json.dumps(wanted) if step.calls else step.whole_text)
        return step

    def _keep(self, messages: list[dict[str, Any]], text: str, asked: str) -> None:
        system = plain(messages[0])
        found = _AGENT.search(system)
        own = "\n".join(outside(plain(message)) for message in messages if message["role"] in {"system", "user"})
        self.shown[found[1] if found else ""].append(Shown(PRIVATE_NOTE in system, text, own, asked))


def orders(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The tool calls that a text orders, each once."""
    text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))
    seen, end = set[str](), 0
    for found in _CALL.finditer(text):
        if found.start() < end:
            continue  # part of what another order has written down
        try:
            arguments, end = _JSON.raw_decode(text, found.end())
        except ValueError:
            continue
        order = (found[1] or found[2] or found[3], arguments)
        if json.dumps(order) not in seen:
            seen.add(json.dumps(order))
            yield order


def outside(text: str) -> str:
    """What stands outside of all fences; an opening mark whose end is missing opens nothing."""
    kept, at = [], 0
    while found := _OPENED.search(text, at):
        mark = f"\n<<end {found[1]} {found[2]}>>"
        end = text.find(mark, found.end() - 1)
        kept.append(text[at : found.start() if end >= 0 else found.end()])
        at = end + len(mark) if end >= 0 else found.end()
    return "".join([*kept, text[at:]])


def plain(message: Mapping[str, Any]) -> str:
    """The text of a message."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def pictured(message: Mapping[str, Any]) -> str:
    """What is written in the pictures of a message."""
    content = message.get("content") or ()
    urls = [part["image_url"]["url"] for part in content if isinstance(part, dict) and part["type"] == "image_url"]
    return "\n".join(read_picture(b64decode(url.partition(",")[2])) for url in urls)


def readable(message: Mapping[str, Any]) -> str:
    """The text of a message as a model reads it: of a tool's JSON, the words in it; also what its pictures show."""
    text = "\n".join(filter(None, (plain(message), pictured(message))))
    if message["role"] != "tool":
        return text
    try:
        return "\n".join(_words(json.loads(text)))
    except ValueError:
        return text


def _words(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _words(inner)


def _called(messages: list[dict[str, Any]]) -> tuple[set[str], int]:
    """The calls of this turn, and in how many steps they were made."""
    last = max((at for at, message in enumerate(messages) if message["role"] == "user"), default=0)
    steps = [message["tool_calls"] for message in messages[last:] if message.get("tool_calls")]
    functions = [call["function"] for calls in steps for call in calls]
    called = {json.dumps((function["name"], json.loads(function["arguments"]))) for function in functions}
    return called, len(steps)


def _summary(headings: list[str], text: str) -> str:
    """What it was shown, on one line under each heading: the worst that a summary can say."""
    line = " ".join((_said(text, []) + " " + text[-SUMMARISED:]).split())
    return "\n".join(f"{heading}\n- {line}" for heading in headings)


def _said(text: str, results: list[str]) -> str:
    said = [found[1].strip() for found in _ECHO.finditer(text)]
    for word, rest in _TELL.findall(text):
        known = re.search(rf"[^.\n]*\b{re.escape(word)}\b (?:is|are) [^.\n]*\.", text)
        said.append(f"{known[0].strip() if known else 'I do not know'}\n{rest.strip()}")
    if results:
        said.append("Done. " + "\n".join(readable({"role": "tool", "content": one}) for one in results)[:REPEATED])
    return "\n\n".join(dict.fromkeys(said)) or "All right."
