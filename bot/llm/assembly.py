"""The chunks of one streamed completion -> events. Takes nothing for granted of what an endpoint sends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.llm.calls import Calls
from bot.llm.errors import BadAnswer, ModelError
from bot.llm.port import Finished, Message, Reason, Role, TextDelta, Thinking, ToolCall, Usage
from bot.llm.thinking import ThinkTags
from bot.text import well_formed

LARGEST = 4_000_000
"""Characters of one answer, its thoughts and arguments included; more is a server that has gone mad."""

ENDS_BADLY = {"error", "network_error", "abort"}
"""Finish reasons with which gateways say that the model behind them broke off."""

REFUSES = {"content_filter", "refusal", "safety"}
LENGTH = {"length", "max_tokens"}


class Assembly:
    """One answer, put together while it comes.

    Args:
        label: the endpoint's, for messages.
    """

    def __init__(self, label: str) -> None:
        self._label = label
        self._texts: list[str] = []
        self._refusal: list[str] = []
        self._calls = Calls()
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
