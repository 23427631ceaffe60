"""Results of tools in a request: cut where they are long, trimmed or cleared where they are old. The record keeps all.

What is trimmed must not change from turn to turn, or the provider's cache of the request's beginning is lost with every
turn. So results are trimmed up to the last pause that was longer than the cache lives: from there on the request begins
with the same bytes until the next such pause.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

from bot.agent.context.history import Exchange
from bot.llm.tokens import Window
from bot.llm.types import Message, Role

PROTECTED = 3
"""The newest exchanges before the pause keep their results."""

LONG_CHARS = 4_000
"""A longer result is trimmed to its beginning and its end."""

KEPT_CHARS = 1_500
"""Of each of them."""

TRIM_FROM, CLEAR_FROM = 0.3, 0.5
"""Shares of the window that a conversation takes up before its results are trimmed, or cleared."""

MANY_CHARS = 50_000
"""What the results must have together to be cleared."""

CLEARED = "[The result of an old tool call is not shown any more. Call the tool again if you need it.]"


def prune(
    exchanges: Sequence[Exchange], *, now: datetime, ttl: timedelta, window: Window, count: Callable[[Message], int]
) -> tuple[Exchange, ...]:
    """Return a conversation with the results of old tool calls trimmed, or cleared if they still are too many.

    The next request is sent `now`; for `ttl` after a request the provider's cache lives.
    """
    ends = [*(exchange.at for exchange in exchanges), now]
    cold = max((number for number, (end, after) in enumerate(pairwise(ends), 1) if after - end > ttl), default=0)
    old = max(0, cold - PROTECTED)
    size = sum(exchange.tokens(count) for exchange in exchanges[:cold])
    if not old or size < TRIM_FROM * window.tokens:
        return tuple(exchanges)
    results = [message for exchange in exchanges[:old] for message in exchange.messages if message.role is Role.TOOL]
    is_cleared = size >= CLEAR_FROM * window.tokens and sum(len(one.text) for one in results) >= MANY_CHARS
    change = _clear if is_cleared else _trim
    pruned = (replace(exchange, messages=tuple(map(change, exchange.messages))) for exchange in exchanges[:old])
    return (*pruned, *exchanges[old:])


def clear_oldest(messages: Sequence[Message], room: int, count: Callable[[Message], int]) -> tuple[Message, ...]:
    """Return a turn's messages with the oldest results cleared, but for the last, until they fit into the room."""
    kept, over = list(messages), sum(map(count, messages)) - room
    for number in [number for number, message in enumerate(messages) if message.role is Role.TOOL][:-1]:
        saved = count(messages[number]) - count(_clear(messages[number]))
        if over > 0 and saved > 0:
            kept[number], over = _clear(messages[number]), over - saved
    return tuple(kept)


def _trim(message: Message) -> Message:
    if message.role is not Role.TOOL or len(message.text) <= LONG_CHARS:
        return message
    left_out = len(message.text) - 2 * KEPT_CHARS
    text = f"{message.text[:KEPT_CHARS]}\n[… {left_out:,} characters …]\n{message.text[-KEPT_CHARS:]}"
    return replace(message, text=text)


def _clear(message: Message) -> Message:
    return replace(message, text=CLEARED) if message.role is Role.TOOL else message
