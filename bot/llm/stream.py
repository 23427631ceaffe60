"""Chunks of a stream as events: text, thinking, calls of tools."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

from bot.llm.errors import BadAnswer, ModelError
from bot.llm.types import Finished, Message, Reason, Role, TextDelta, Thinking, ToolCall, Usage
from bot.texts.catalogue import tr
from bot.texts.formatting import well_formed

MAX_ANSWER_CHARS = 4_000_000
"""Characters of one answer, its thoughts and arguments included; more means a broken server."""

ENDS_BADLY = {"error", "network_error", "abort"}
"""Finish reasons with which gateways say that the model behind them broke off."""

FILTERS = {"content_filter", "refusal", "safety", "recitation", "blocklist", "prohibited_content", "spii"}
LENGTH = {"length", "max_tokens"}


class StreamParser:
    """One answer of an endpoint with this label, which may call these tools, put together while it comes."""

    def __init__(self, label: str, tools: Collection[str] = ()) -> None:
        self._label = label
        self._tools = tools
        self._texts: list[str] = []
        self._refusal: list[str] = []
        self._calls = ToolCallParser()
        self._tags = ThinkTags()
        self._half = ""
        self._thoughts: list[str] = []
        self._details: list[Any] = []
        self._finish = ""
        self._usage: Usage | None = None
        self._size = 0

    @property
    def has_text(self) -> bool:
        """Whether a piece of the answer has been given out."""
        return bool(self._texts)

    @property
    def is_over(self) -> bool:
        """Whether the provider has said that this is all; what breaks afterwards does no harm."""
        return bool(self._finish)

    def feed(self, chunk: object) -> Iterator[TextDelta | Thinking]:
        """Take in a chunk, as it is decoded from JSON; raises `BadAnswer` if the answer has no end."""
        if not isinstance(chunk, dict):
            return
        self._usage = _usage(chunk.get("usage")) or self._usage
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(choice, dict):
            delta = choice.get("delta") or choice.get("message")
            if isinstance(delta, dict):
                yield from self._read_delta(delta)
            finish = choice.get("finish_reason")
            if isinstance(finish, str) and finish and finish.lower() not in ENDS_BADLY:
                self._finish = finish.lower()  # Gemini's are in capitals
        if self._size > MAX_ANSWER_CHARS:
            message = tr(
                "{model} sent more than {count} characters and went on.", model=self._label, count=MAX_ANSWER_CHARS
            )
            raise BadAnswer(message, hint=tr("Limit the model's output_tokens in config.yaml."))

    def finish(self) -> Finished:
        """Return the end of an answer that the provider has ended."""
        text = without_thoughts("".join(self._texts))
        calls = self._calls.calls(cut=self._finish in LENGTH) or written_calls(text, self._tools)
        reason = Reason.STOP if text.strip() else Reason.EMPTY
        if refusal := "".join(self._refusal):
            reason, text, calls = Reason.REFUSAL, "\n\n".join(filter(str.strip, (text, refusal))), ()
        elif self._finish in FILTERS:
            reason, calls = Reason.FILTERED, ()
        elif calls:
            reason, text = Reason.TOOL_CALLS, words_before_calls(text, self._tools)
        elif self._finish in LENGTH:
            reason = Reason.LENGTH
        return Finished(reason, self._message(text, calls), self._usage)

    def truncate(self, error: ModelError) -> Finished:
        """Return the end of an answer that broke off: its text, and none of its calls."""
        return Finished(Reason.TRUNCATED, self._message(without_thoughts("".join(self._texts)), ()), self._usage, error)

    def rest(self) -> Iterator[TextDelta | Thinking]:
        """Yield what was held back until it was certain what it is."""
        held, self._half = self._half, ""
        yield from self._keep_text(self._tags.feed(well_formed(held)) if held else ())
        yield from self._keep_text(self._tags.end())

    def _read_delta(self, delta: Mapping[str, Any]) -> Iterator[TextDelta | Thinking]:
        """Yield the thoughts and words of a chunk; its refusal and its calls are kept for the end.

        Thoughts in a field of their own have different names, and some servers send the same text under two of them.
        """
        content, details = delta.get("reasoning_content"), delta.get("reasoning_details")
        if isinstance(content, str):
            self._thoughts.append(content)
        if isinstance(details, list):
            self._details += details
        thought = content or delta.get("reasoning")
        if isinstance(thought, str) and thought:
            self._size += len(thought)
            yield Thinking(well_formed(thought))
        for is_thought, text in _parts(delta.get("content")):
            self._size += len(text)
            if is_thought:
                yield Thinking(well_formed(text))
                continue
            whole, self._half = self._half + text, ""
            if "\ud800" <= whole[-1:] <= "\udbff":  # the first half of a surrogate pair waits for its other half
                whole, self._half = whole[:-1], whole[-1]
            if whole:
                yield from self._keep_text(self._tags.feed(well_formed(whole)))
        if isinstance(refusal := delta.get("refusal"), str):
            self._size += len(refusal)
            self._refusal.append(well_formed(refusal))
        if calls := delta.get("tool_calls"):
            self._size += self._calls.feed(calls)

    def _keep_text(self, events: Iterator[TextDelta | Thinking] | tuple[()]) -> Iterator[TextDelta | Thinking]:
        for event in events:
            if isinstance(event, TextDelta):
                self._texts.append(event.text)
            yield event

    def _message(self, text: str, calls: tuple[ToolCall, ...]) -> Message:
        """Return the answer, and with its calls the thoughts that go back with them.

        DeepSeek refuses the next request without the one (even if it is empty), OpenRouter's Gemini without the other.
        Those under other names do not: some servers refuse what they have sent themselves.
        """
        extra: dict[str, Any] = {}
        if calls and self._thoughts:
            extra["reasoning_content"] = well_formed("".join(self._thoughts))
        if calls and self._details:
            extra["reasoning_details"] = self._details
        return Message(Role.ASSISTANT, text, calls, extra=extra)


def _parts(content: object) -> Iterator[tuple[bool, str]]:
    """Yield the texts of `content`, each with whether it is a thought: a text, or a list of typed parts (Mistral)."""
    if isinstance(content, str) and content:
        yield False, content
    for part in content if isinstance(content, list) else ():
        if not isinstance(part, Mapping):
            continue
        inner = part.get("thinking")
        if inner is None:
            yield from _parts(part.get("text"))
        else:
            yield from ((True, text) for _, text in _parts(inner))


def _usage(usage: object) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    details = usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    return Usage(prompt or 0, completion or 0, cached or 0) if prompt or completion else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


KNOWN = {"index", "id", "type", "function"}
"""What we understand of a call; the rest goes back to the provider as it came (Gemini's signatures)."""


@dataclass(slots=True)
class _Pieces:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    def precede(self, text: str) -> bool:
        """Return whether a text begins another object, after the whole one that is here."""
        so_far = "".join(self.arguments).strip() if text.lstrip().startswith("{") else ""
        return so_far.endswith("}") and not _arguments(so_far, cut=False)[1]


class ToolCallParser:
    """Collects the calls of one answer while it streams.

    Pieces belong together by their index. Some servers give every parallel call the index 0, or none at all: another
    id together with a name then begins another call; without ids, a name and another object behind a whole one does.
    """

    def __init__(self) -> None:
        self._order: list[_Pieces] = []
        self._at: dict[object, _Pieces] = {}

    def feed(self, deltas: object) -> int:
        """Take in the `tool_calls` of one chunk; the number of characters that came."""
        if not isinstance(deltas, Sequence) or isinstance(deltas, str):
            return 0
        size = 0
        for delta in deltas:
            if not isinstance(delta, Mapping):
                continue
            function = delta.get("function")
            function = function if isinstance(function, Mapping) else {}
            name, arguments = _text(function.get("name")), function.get("arguments")
            text = json.dumps(arguments) if isinstance(arguments, Mapping) else _text(arguments)
            pieces = self._pieces(delta.get("index"), id=_text(delta.get("id")), name=name, text=text)
            pieces.arguments.append(text)
            pieces.extra.update({key: value for key, value in delta.items() if key not in KNOWN and value is not None})
            size += len(text) + len(name)
        return size

    def calls(self, *, cut: bool) -> tuple[ToolCall, ...]:
        """Return the calls as far as they have come; `cut` says that the output limit ended them."""
        used: set[str] = set()
        calls = []
        for pieces in self._order:
            names = chain([pieces.id] if pieces.id else [], (f"{pieces.id or 'call'}_{n}" for n in count(1)))
            unused = next(name for name in names if name not in used)  # no other call of the answer has it
            used.add(unused)
            arguments, fault = _arguments("".join(pieces.arguments).strip(), cut=cut)
            if not pieces.name:
                fault = "The call names no tool. Call one of the tools on offer by its name."
            calls.append(ToolCall(unused, well_formed(pieces.name), {} if fault else arguments, fault, pieces.extra))
        return tuple(calls)

    def _pieces(self, index: object, *, id: str, name: str, text: str) -> _Pieces:
        """Return the pieces of the call that a delta belongs to; a few servers repeat id and name with every piece."""
        key = index if isinstance(index, int) else None
        pieces = self._at.get(key)
        is_other = pieces and name and (id != pieces.id if id and pieces.id else not id and pieces.precede(text))
        if pieces is None or is_other:
            self._at[key] = pieces = _Pieces()
            self._order.append(pieces)
        pieces.id = pieces.id or id
        pieces.name = pieces.name or name
        return pieces


_CALL = re.compile(
    r'\s*+(?:</tool_call>|```)?\s*+(?:<tool_call>|```(?:json|tool_call)?)?\s*+(?=\{\s*+"name"\s*+:\s*+"?([^"]*+))'
)
_CLOSED_FENCE = re.compile(r"(```|(?<=\n)~~~).*?\1", re.DOTALL)  # within a line, tildes are no fence: "Sure~~~"
_CALL_KEYS = {"id", "type", "name", "arguments", "parameters"}


def words_before_calls(text: str, tools: Collection[str]) -> str:
    """Return the words before the calls of these tools that a model has written into its answer, as some do.

    What stands in a block of code behind words is an example.
    """
    call = _CALL.match(text)
    if call and any(tool.startswith(call[1]) for tool in tools):
        return ""
    words, mark, _ = f"\n{text}".partition("\n<tool_call>")
    is_example = mark and any(fence in _CLOSED_FENCE.sub(" ", words) for fence in ("```", "\n~~~"))
    return words[1:] if mark and not is_example else text


def written_calls(text: str, tools: Collection[str]) -> tuple[ToolCall, ...]:
    """Return the calls of these tools with which an answer ends; () if it says anything else behind its words."""
    calls, names, at = ToolCallParser(), set[str](), len(words_before_calls(text, tools))
    while begin := _CALL.match(text, at):
        try:
            call, at = json.JSONDecoder().raw_decode(text, begin.end())
        except (ValueError, RecursionError):
            return ()
        names.add("" if call.keys() - _CALL_KEYS else str(call["name"]))
        arguments = call.get("arguments", call.get("parameters"))
        calls.feed([{"id": f"call_{at}", "function": {"name": call["name"], "arguments": arguments}}])
    is_end = not text[at:].replace("</tool_call>", "").strip("`\n ")
    return calls.calls(cut=False) if is_end and names <= {*tools} else ()


def _arguments(text: str, *, cut: bool) -> tuple[Mapping[str, Any], str]:
    """Return the arguments, or what the model has to hear about them.

    Nothing at all, and `null`, are how some models call a tool without arguments.
    """
    if cut and not text.endswith("}"):
        return {}, "The arguments were cut off at the output limit. Call again with less in one call."

    def refuse_constant(constant: str) -> None:
        raise ValueError(constant)

    try:
        value = json.loads(text or "{}", parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        return {}, f"The arguments are not valid JSON: {error.msg} at character {error.pos}. Send one JSON object."
    except (ValueError, RecursionError):
        return {}, "The arguments hold a number or a nesting that is out of bounds. Send one plain JSON object."
    if isinstance(value, dict):
        return _clean(value), ""
    if value is None:
        return {}, ""
    kind = {list: "a list", str: "a text", bool: "true or false"}.get(type(value), "a number")
    return {}, f"The arguments are {kind}. Send one JSON object, with a name for each argument."


def _clean(value: Any) -> Any:
    """Return the value with texts that can be written to files and databases."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        return {well_formed(key): _clean(inner) for key, inner in value.items()}
    return [_clean(inner) for inner in value] if isinstance(value, list) else value


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


OPEN, CLOSE = "<think>", "</think>"


def without_thoughts(text: str) -> str:
    """Return what follows thoughts whose opening tag stood in the prompt, so that a line with the other one ends them.

    >>> without_thoughts("Two and two.\\n</think>\\n\\nFour."), without_thoughts("<think>\\n</think>\\n")
    ('Four.', '<think>\\n</think>\\n')
    """
    thoughts, closed, answer = text.partition(f"\n{CLOSE}\n")
    return answer.lstrip() if closed and OPEN not in thoughts else text


class ThinkTags:
    """Splits one streamed text. Tags anywhere but at the very beginning are part of the answer."""

    def __init__(self) -> None:
        self._feed = self._beginning
        self._held = ""

    def feed(self, text: str) -> Iterator[TextDelta | Thinking]:
        """Take in a piece of text."""
        text, self._held = self._held + text, ""
        yield from self._feed(text)

    def end(self) -> Iterator[TextDelta | Thinking]:
        """Yield what was held back in case that a tag was coming."""
        if self._held:
            yield Thinking(self._held) if self._feed == self._inside else TextDelta(self._held)
        self._held = ""

    def _beginning(self, text: str) -> Iterator[TextDelta | Thinking]:
        start = text.lstrip()
        if start.startswith(OPEN):
            self._feed = self._inside
            yield from self._inside(start.removeprefix(OPEN))
        elif OPEN.startswith(start):
            self._held = text
        else:
            self._feed = self._after
            yield TextDelta(text)

    def _inside(self, text: str) -> Iterator[TextDelta | Thinking]:
        thought, closed, rest = text.partition(CLOSE)
        if not closed:
            sizes = range(len(CLOSE) - 1, 0, -1)
            kept = next((size for size in sizes if text.endswith(CLOSE[:size])), 0)  # may be the beginning of the tag
            thought, self._held = text[: len(text) - kept], text[len(text) - kept :]
        if thought:
            yield Thinking(thought)
        if closed:
            self._feed = self._gap
            yield from self._gap(rest)

    def _gap(self, text: str) -> Iterator[TextDelta | Thinking]:
        """Skip the blank lines between thoughts and answer."""
        if answer := text.lstrip():
            self._feed = self._after
            yield TextDelta(answer)

    def _after(self, text: str) -> Iterator[TextDelta | Thinking]:
        if text:
            yield TextDelta(text)
