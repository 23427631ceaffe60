"""Chunks of a stream as events: text, thinking, calls of tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.formatting import well_formed
from bot.llm.errors import BadAnswer, ModelError
from bot.llm.types import Finished, Message, Reason, Role, TextDelta, Thinking, ToolCall, Usage

KNOWN = {"index", "id", "type", "function"}
"""What we understand of a call; the rest goes back to the provider as it came (Gemini's signatures)."""


@dataclass(slots=True)
class _Pieces:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)


class ToolCallParser:
    """Collects the calls of one answer while it streams.

    Pieces belong together by their index. Some servers give every parallel call the index 0, or none at all: another
    id together with a name then begins another call.
    """

    def __init__(self) -> None:
        self._order: list[_Pieces] = []
        self._at: dict[object, _Pieces] = {}

    def feed(self, deltas: object) -> int:
        """Take in the `tool_calls` of one chunk; the number of characters that came."""
        if not isinstance(deltas, Sequence) or isinstance(deltas, str):
            return 0
        return sum(self._take(delta) for delta in deltas if isinstance(delta, Mapping))

    def whole(self, *, cut: bool) -> tuple[ToolCall, ...]:
        """The calls as far as they have come; `cut` says that the output limit ended them."""
        ids: set[str] = set()
        return tuple(_call(pieces, id=_unused(pieces.id, ids), cut=cut) for pieces in self._order)

    def _take(self, delta: Mapping[str, Any]) -> int:
        function = delta.get("function")
        function = function if isinstance(function, Mapping) else {}
        given, name = _text(delta.get("id")), _text(function.get("name"))
        pieces = self._pieces(delta.get("index"), id=given, name=name)
        pieces.id = pieces.id or given
        pieces.name = pieces.name or name  # a few servers repeat it with every piece
        arguments = function.get("arguments")
        text = json.dumps(arguments) if isinstance(arguments, Mapping) else _text(arguments)
        pieces.arguments.append(text)
        pieces.extra.update({key: value for key, value in delta.items() if key not in KNOWN and value is not None})
        return len(text) + len(name)

    def _pieces(self, index: object, *, id: str, name: str) -> _Pieces:
        key = index if isinstance(index, int) else None
        known = self._at.get(key)
        if known and not (name and id and known.id and id != known.id):
            return known
        self._at[key] = pieces = _Pieces()
        self._order.append(pieces)
        return pieces


def _call(pieces: _Pieces, *, id: str, cut: bool) -> ToolCall:
    arguments, fault = _parsed("".join(pieces.arguments).strip(), cut=cut)
    if not pieces.name:
        fault = "The call names no tool. Call one of the tools on offer by its name."
    return ToolCall(id, well_formed(pieces.name), {} if fault else arguments, fault, pieces.extra)


def _parsed(text: str, *, cut: bool) -> tuple[Mapping[str, Any], str]:
    """The arguments, or what the model has to hear about them."""
    if cut and not text.endswith("}"):
        return {}, "The arguments were cut off at the output limit. Call again with less in one call."
    value, fault = _decoded(text)
    if not fault and not isinstance(value, dict):
        fault = f"The arguments are {_kind(value)}. Send one JSON object, with a name for each argument."
    return ({}, fault) if fault else (_clean(value), "")


def _decoded(text: str) -> tuple[object, str]:
    """The JSON, or its fault. Nothing at all, and `null`, are how some models call a tool without arguments."""
    try:
        value = json.loads(text or "{}", parse_constant=_refuse)
    except json.JSONDecodeError as error:
        return None, f"The arguments are not valid JSON: {error.msg} at character {error.pos}. Send one JSON object."
    except (ValueError, RecursionError):
        return None, "The arguments hold a number or a nesting that is out of bounds. Send one plain JSON object."
    return ({} if value is None else value), ""


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _clean(value: Any) -> Any:
    """The value with texts that can be written to files and databases."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, dict):
        return {well_formed(key): _clean(inner) for key, inner in value.items()}
    return [_clean(inner) for inner in value] if isinstance(value, list) else value


def _kind(value: object) -> str:
    return {list: "a list", str: "a text", bool: "true or false"}.get(type(value), "a number")


def _unused(id: str, used: set[str]) -> str:
    """This id, or the next one that no other call of the answer has."""
    fresh = next(name for name in _variants(id) if name not in used)
    used.add(fresh)
    return fresh


def _variants(id: str) -> Iterator[str]:
    if id:
        yield id
    number = 1
    while True:
        yield f"{id or 'call'}_{number}"
        number += 1


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


OPEN, CLOSE = "<think>", "</think>"


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
        """What was held back in case that a tag was coming."""
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
            kept = _overlap(text)
            thought, self._held = text[: len(text) - kept], text[len(text) - kept :]
        if thought:
            yield Thinking(thought)
        if closed:
            self._feed = self._gap
            yield from self._gap(rest)

    def _gap(self, text: str) -> Iterator[TextDelta | Thinking]:
        """The blank lines between thoughts and answer belong to neither."""
        if answer := text.lstrip():
            self._feed = self._after
            yield TextDelta(answer)

    def _after(self, text: str) -> Iterator[TextDelta | Thinking]:
        if text:
            yield TextDelta(text)


def _overlap(text: str) -> int:
    """How many characters at the end may be the beginning of the closing tag."""
    return next((size for size in range(len(CLOSE) - 1, 0, -1) if text.endswith(CLOSE[:size])), 0)


LARGEST = 4_000_000
"""Characters of one answer, its thoughts and arguments included; more is a server that has gone mad."""

ENDS_BADLY = {"error", "network_error", "abort"}
"""Finish reasons with which gateways say that the model behind them broke off."""

REFUSES = {"content_filter", "refusal", "safety"}
LENGTH = {"length", "max_tokens"}


class StreamParser:
    """One answer, put together while it comes.

    Args:
        label: the endpoint's, for messages.
    """

    def __init__(self, label: str) -> None:
        self._label = label
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
        """Take in a chunk.

        Raises:
            BadAnswer: the answer has no end.
        """
        if not isinstance(chunk, Mapping):
            return
        self._usage = _usage(chunk.get("usage")) or self._usage
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, Sequence) and choices else None
        if isinstance(choice, Mapping):
            yield from self._choice(choice)
        if self._size > LARGEST:
            message = f"{self._label} sent more than {LARGEST} characters and went on."
            raise BadAnswer(message, hint="Limit the model's output_tokens in config.yaml.")

    def finished(self) -> Finished:
        """The end of an answer that the provider has ended."""
        text = "".join(self._texts)
        calls = self._calls.whole(cut=self._finish in LENGTH)
        reason = self._reason(text, has_calls=bool(calls))
        if reason is Reason.REFUSAL:
            text, calls = text or "".join(self._refusal), ()
        return Finished(reason, self._message(text, calls), self._usage)

    def truncated(self, error: ModelError) -> Finished:
        """The end of an answer that broke off: its text, and none of its calls."""
        return Finished(Reason.TRUNCATED, self._message("".join(self._texts), ()), self._usage, error)

    def rest(self) -> Iterator[TextDelta | Thinking]:
        """What was held back until it was certain what it is."""
        held, self._half = self._half, ""
        yield from self._noted(self._tags.feed(well_formed(held)) if held else ())
        yield from self._noted(self._tags.end())

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[TextDelta | Thinking]:
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, Mapping):
            yield from self._delta(delta)
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish and finish not in ENDS_BADLY:
            self._finish = finish

    def _delta(self, delta: Mapping[str, Any]) -> Iterator[TextDelta | Thinking]:
        yield from self._thought(delta)
        for is_thought, text in _parts(delta.get("content")):
            self._size += len(text)
            if is_thought:
                yield Thinking(well_formed(text))
            elif whole := self._whole(text):
                yield from self._noted(self._tags.feed(whole))
        if isinstance(refusal := delta.get("refusal"), str):
            self._size += len(refusal)
            self._refusal.append(well_formed(refusal))
        self._size += self._calls.feed(delta.get("tool_calls"))

    def _thought(self, delta: Mapping[str, Any]) -> Iterator[Thinking]:
        """Thoughts in a field of their own; the names differ, and some send the same text under two of them."""
        content, details = delta.get("reasoning_content"), delta.get("reasoning_details")
        if isinstance(content, str):
            self._thoughts.append(content)
        if isinstance(details, list):
            self._details += details
        text = content or delta.get("reasoning")
        if isinstance(text, str) and text:
            self._size += len(text)
            yield Thinking(well_formed(text))

    def _whole(self, text: str) -> str:
        """Text whose surrogate pairs are joined; the first half of one waits for its other half."""
        text, self._half = self._half + text, ""
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return well_formed(text)

    def _noted(self, events: Iterator[TextDelta | Thinking] | tuple[()]) -> Iterator[TextDelta | Thinking]:
        for event in events:
            if isinstance(event, TextDelta):
                self._texts.append(event.text)
            yield event

    def _reason(self, text: str, *, has_calls: bool) -> Reason:
        if self._finish in REFUSES or (self._refusal and any(self._refusal)):
            return Reason.REFUSAL
        if has_calls:
            return Reason.TOOL_CALLS
        if self._finish in LENGTH:
            return Reason.LENGTH
        return Reason.STOP if text.strip() else Reason.EMPTY

    def _message(self, text: str, calls: tuple[ToolCall, ...]) -> Message:
        return Message(Role.ASSISTANT, text, calls, extra=self._extra() if calls else {})

    def _extra(self) -> dict[str, Any]:
        """The thoughts that go back with a message that calls tools.

        DeepSeek refuses the next request without the one (even if it is empty), OpenRouter's Gemini without the other.
        Those under other names do not: some servers refuse what they have sent themselves.
        """
        content = {"reasoning_content": well_formed("".join(self._thoughts))} if self._thoughts else {}
        details = {"reasoning_details": self._details} if self._details else {}
        return content | details


def _parts(content: object) -> Iterator[tuple[bool, str]]:
    """The texts of `content`, each with whether it is a thought: a text, or a list of typed parts (Mistral)."""
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
    if not isinstance(usage, Mapping):
        return None
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    details = usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, Mapping) else None
    if not prompt and not completion:
        return None
    return Usage(prompt or 0, completion or 0, cached or 0)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
