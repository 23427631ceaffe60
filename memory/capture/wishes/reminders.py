"""Orders to be reminded: of what, and when."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache

from memory.capture.lexicon import read_table, read_toml
from memory.capture.wishes.wishes import MAX_WISH_CHARS, WishKind, wish
from memory.language.detect import HAN_SIGN
from memory.language.time.instants import Unclear, When, find_when

CJK = "\u2e80"
"""From here on, words are written without spaces between them."""
MAX_LEADS = 12
"""Courtesies, orders and joining words that are read before what to be reminded of."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """A reminder that somebody orders.

    Attributes:
        what: what they want to be reminded of, as they said it.
        when: when they want it.
        is_said: whether `what` is more than the order.
        is_instead: whether the reminder that was set just before is to come at this time instead.
    """

    what: str
    when: When
    is_said: bool = True
    is_instead: bool = False


@dataclass(frozen=True, slots=True)
class _Orders:
    order: re.Pattern[str]
    lead: re.Pattern[str]
    tail: re.Pattern[str]
    none: re.Pattern[str]
    instead: re.Pattern[str]
    off: re.Pattern[str]
    negated: re.Pattern[str]

    def is_order(self, text: str) -> bool:
        """Return whether a text without its time opens or ends with an order to be reminded."""
        behind = self.bare(text)
        kept = self.cut(behind)
        around = f"{text[: len(text) - len(behind)]}\n{behind[len(kept) :]}"
        return bool(self.order.search(around)) and not self.none.match(behind)

    def bare(self, text: str) -> str:
        """Return what stands behind an opening."""
        for _ in range(MAX_LEADS):
            lead = self.lead.match(text)
            if not lead or not lead.end():
                break
            text = text[lead.end() :]
        return text

    def cut(self, text: str) -> str:
        """Return what stands before a closing."""
        for _ in range(MAX_LEADS):
            # Where a word begins; in Chinese and its like, everywhere.
            pairs = zip(f" {text}", text, strict=False)
            inside = (before.isalnum() and here.isalnum() and here < CJK for before, here in pairs)
            starts = (at for at, is_inside in enumerate(inside) if not is_inside)
            end = next((at for at in starts if self.tail.fullmatch(text, at)), len(text))
            if end == len(text):
                break
            text = text[:end]
        return text


def read_reminder(text: str, now: datetime) -> Reminder | None:
    """Read an order to be reminded; None for any other message. `now` is in the zone of the person."""
    if len(text) > MAX_WISH_CHARS or text.lstrip().startswith("/"):
        return None
    when, orders = read_when(text, now)
    if orders.negated.search(when.rest):
        return None
    wished = wish(text)
    if wished is not None and wished.kind is not WishKind.REMIND:
        return None
    if wished is None:
        without = wish(when.rest) if when.rest != text else None
        is_order = without is not None and without.kind is WishKind.REMIND
        if not is_order and not (when.rest != text and orders.is_order(when.rest)):
            return None
    if not orders.order.search(text):  # in a language whose times are not read here, half of it must not be
        return Reminder(text, When(text, lack=Unclear.MISSING), is_said=False)
    are_several = any(orders.order.match(line.strip()) for line in text.strip().splitlines()[1:])
    return Reminder(text, When(text, lack=Unclear.SEVERAL)) if are_several else _reminder(text, when, orders)


def completed(earlier: str, text: str, now: datetime) -> Reminder | None:
    """Complete a reminder whose `earlier` order said no usable time with the time that the next message says.

    None if the order needed none, or if the `text` is more than a time. `now` is in the zone of the person.
    """
    reminder = read_reminder(earlier, now)
    if reminder is None or reminder.when.lack is None or not reminder.is_said:
        return None
    when, orders = read_when(text, now)
    is_time = when.lack is None and not orders.bare(when.rest).strip(" ,.!?，。！？")
    return replace(reminder, when=when) if is_time else None


def calls_off(text: str) -> bool:
    """Return whether a message orders reminders to be called off, and names none: "cancel every reminder"."""
    return any(_orders(code).off.fullmatch(text.strip(" .!?。！？")) for code in ("en", "de", "zh"))


def read_typed(text: str, now: datetime) -> Reminder:
    """Read what is typed after `/remind`: when and of what, in any order."""
    return _reminder(text, *read_when(text, now))


def read_when(text: str, now: datetime, day: date | None = None) -> tuple[When, _Orders]:
    """Read when somebody wants to be reminded, and return the patterns of the language that says it.

    A time is of the `day`, if that is to come and the text names none.
    """
    codes = ("zh",) if HAN_SIGN.search(text) else ("en", "de")
    orders = max((_orders(code) for code in codes), key=lambda orders: len(orders.order.findall(text)))
    return find_when(text, now, lambda before: not orders.bare(before).strip(), day), orders


def _reminder(text: str, when: When, orders: _Orders) -> Reminder:
    rest = " ".join(when.rest.split())
    behind = orders.bare(rest)
    what = orders.cut(behind).strip(" ,，:：;")
    start = rest.find(what, len(rest) - len(behind))
    is_instead = orders.instead.fullmatch(rest, start, start + len(what)) is not None  # which sees what stands before
    is_said = bool(what) and not is_instead
    return Reminder(what if is_said else " ".join(text.split()), when, is_said, is_instead)


@cache
def _orders(code: str) -> _Orders:
    lists = read_table(read_toml("reminders"), code)
    return _Orders(**{name: re.compile(text, re.IGNORECASE) for name, text in lists.items()})
