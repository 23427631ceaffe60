"""Orders to be reminded: of what, and when."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache

from memory.capture.exchange import read_contrast
from memory.capture.grammar import COUNT, FUNCTION_WORDS, grammar_patterns, values
from memory.capture.intent import read_prefix
from memory.capture.languages import codes_for, languages_for
from memory.capture.lexicon import read_table, read_toml
from memory.capture.sentences import fold
from memory.capture.wishes.wishes import MAX_WISH_CHARS, Wish, WishKind, wish
from memory.language.patterns import Pattern
from memory.language.time import dates
from memory.language.time.instants import WAKING_HOUR, Unclear, When, codes_by_script, find_when

_BARE_HOUR = re.compile(r"(?<!\w)(it|to|es|auf|на) (\d{1,2})(?=[ .!]*$)")
"""An hour without a word for it: "make it 11", "change the reminder to 11"."""
_BESIDES = re.compile(r"then(?!\w)|.*(?<!\w)(?:and(?! not)|also|again)(?!\w)|.*再", re.IGNORECASE)
"""What says that a time is one more, not another one for the same."""
_AGAIN = re.compile(
    "again|once more|nochmals?|noch (?:ein)?mal|wieder|de nuevo|otra vez|encore(?: une fois)?|à nouveau"
    "|ещё раз|еще раз|снова|再(?:提醒(?:我)?)?(?:一次)?|もう一度|다시|한 번 더",
    re.IGNORECASE,
)
"""All that is said besides a time by who wants the same once more."""
_FURTHER = re.compile(
    r"([,，;；]? ?(?<!\w)(?:and|und|then|dann|y|luego|et|puis|и|а|потом)(?!\w) ?|[,，;；、] ?"
    r"|^(?:also|auch|también|aussi|также|ещё|еще|另外|还有) ?[,，]?"
    r"|(?<=[\u3040-\u9fff])(?:和|然后|(?<![点分半])再)|と(?=\w{0,2}\d))"
)
"""What stands where a second order may begin."""
_FIGURE = re.compile(r"\d|[一二两三四五六七八九十]")
_SIGN = r"(?-i:[^\W\u2e80-\uffff])"  # where case is ignored, so large a class takes 4 ms to compile
_NAME = rf"\.?{_SIGN}(?:\.?{_SIGN})*"
_NAMED = (
    rf"(?P<who>(?:@{_NAME}(?:(?: |,|&|、|和|と|and|und|y|et|и)+(?=@))?){{1,20}}"
    rf"|everyone|everybody|alle|todos|tout le monde|всех|всем|大家|みんな|모두)(?!{_SIGN}|@)"
)
"""Who else is to be reminded: names of accounts and groups, or all; in patterns of orders `<who>`."""
_WHO = Pattern(_NAMED, re.IGNORECASE)
"""Found in few messages: others need not be held against the orders of every language."""
_THAT = re.compile(r"(?<!\w)(?:that|dass|que|что),? *$|qu['’]$", re.IGNORECASE)

_MAX_THING_LETTERS = 20
"""Letters of a word for a thing."""

CJK = "\u2e80"
"""From here on, words are written without spaces between them."""
LANGUAGES = ("en", "de", "es", "fr", "ru", "zh", "ja", "ko")
"""In which reminders are ordered."""
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
    order: Pattern
    lead: Pattern
    tail: Pattern
    none: Pattern
    instead: Pattern
    off: Pattern
    negated: Pattern
    waking: Pattern
    others: Pattern
    me: str

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
    """Read an order to be reminded; None for any other message. `now` is in the zone of the person.

    Who orders that others be reminded is understood as of themselves; the others are named before what to be done.
    """
    if len(text) > MAX_WISH_CHARS or text.lstrip().startswith("/"):
        return None
    for one in map(_orders, LANGUAGES) if _WHO.search(text) else ():
        if others := one.others.search(text):
            order = read_reminder(f"{text[: others.start()]}{one.me}{text[others.end() :]}", now)
            # "Ana will remind everyone tomorrow" tells something.
            is_order = order and order.is_said and order.what.split()[0] in text[others.end() :]
            return replace(order, what=f"{others['who']}: {order.what}") if order and is_order else None
    if not _holds_order(text):  # most messages cost no more than this
        wished = wish(text, among={WishKind.REMIND})  # in a language whose times are not read here
        return Reminder(text, When(text, lack=Unclear.MISSING), is_said=False) if wished else None
    prefix = read_prefix(folded := fold(text), languages_for(folded))
    if prefix.greeting or prefix.thanks:
        names_day = dates.find(opening := text[: prefix.end], now.date())  # "hola mañana", "morgen, 8 Uhr"
        text = text if names_day and "!" not in opening else text[prefix.end :]
    when, orders = read_when(text, now)
    wished = wish(text)
    if orders.negated.search(when.rest) or (wished and wished.kind is not WishKind.REMIND):
        return None
    if wished is None:
        without = wish(when.rest) if when.rest != text else None
        is_order = without is not None and without.kind is WishKind.REMIND
        is_timed = when.rest != text or when.lack is Unclear.VAGUE
        if not is_order and not (is_timed and orders.is_order(when.rest)):
            return None
    are_several = any(orders.order.match(line.strip()) for line in text.strip().splitlines()[1:])
    return Reminder(text, When(text, lack=Unclear.SEVERAL)) if are_several else _reminder(text, when, orders, now)


def _holds_order(text: str) -> bool:
    """Return whether a text has the words of an order in any language whose times are read here."""
    return any(one.order.search(text) for one in map(_orders, LANGUAGES))


def called(what: str) -> tuple[str, ...]:
    """Return the names, without the @, of who else is reminded, as `read_reminder` puts them before what to be done."""
    return tuple(re.findall(f"@({_NAME})", what.partition(":")[0])) if re.match(f"{_NAMED}: ", what) else ()


def completed(
    earlier: str, text: str, now: datetime, *, is_set: bool = False, day: date | None = None
) -> Reminder | None:
    """Read a message of nothing but a time: it completes what the same person has ordered with the `earlier` one.

    A day alone leaves the hour as it was said. If the last answer was that a reminder `is_set`, it moves that, also
    behind the opening of a correction, but not with an "also": what goes on with that is ordered, too, for the same
    `day` if it names none. An order of several reminders stays unclear. None for other messages, and if nothing was
    left open. `now` is in the zone of the person; `earlier` is empty if it is not known.
    """
    if len(text) > MAX_WISH_CHARS:
        return None
    when, orders = read_when(text, now)
    order = read_reminder(earlier, now)
    counts = any(value.shape in COUNT for value in values(order.what)) if order else not is_set  # and may be meant
    if when.lack is Unclear.MISSING and not (earlier and counts):  # "make it 11"
        text = _with_hour(text)
        when = read_when(text, now)[0]
    rest = orders.bare(when.rest).strip(" ,.!，。！")
    if order and order.is_said and order.when.lack and not rest and when.rest != text:
        are_several = order.when == When(earlier, lack=Unclear.SEVERAL)  # orders, and not times of one
        is_day = when.is_day or when.lack is Unclear.MISSING  # "today"
        timed = read_when(earlier, now, (when.due or now).date())[0] if is_day else when
        timed = timed if timed.due else when
        if not timed.lack:
            return order if are_several else replace(order, when=timed)
    is_instead = any(_orders(code).instead.fullmatch(rest) for code in LANGUAGES) or (order and not rest)
    if is_set and not when.lack and is_instead and not _BESIDES.match(when.rest):
        return Reminder(text, when, is_said=False, is_instead=True)
    if is_set and (more := _ordered_too(text, order, now, day)):
        return more
    wished = wish(text) if is_set and not _BESIDES.match(text) else None
    if wished is None or wished.kind is not WishKind.CORRECT:
        return None
    said = (read_contrast(wished.what) or [wished.what])[0]
    return completed(earlier, said, now, is_set=True) if said != text else None


def move(every: str, day: date, when: When) -> When:
    """Return when what repeats comes instead: at another time, or on another weekday where it comes on one.

    `when` says that, read for the `day` on which it comes next. The result is unclear if that is not all it says.
    """
    if when.due is None:
        return when
    is_other_day = when.due.date() != day
    match every.split():
        case [minute, hour, *days] if minute.isdecimal() and hour.isdecimal() and (days[-1] != "*" or not is_other_day):
            at = (minute, hour) if when.is_day else (str(when.due.minute), str(when.due.hour))
            days[-1] = str(when.due.isoweekday() % 7) if is_other_day else days[-1]
            return replace(when, due=None, every=" ".join((*at, *days)))
    return replace(when, due=None, lack=Unclear.VAGUE)


def _ordered_too(text: str, order: Reminder | None, now: datetime, day: date | None) -> Reminder | None:
    """Read what goes on with an order: a time, and what to do where one says that: "and at 6 to order butter".

    An hour and a thing without a verb are enough: "and the dentist at 9". "Again at 9" orders the same once more.
    """
    joint = _FURTHER.match(text)
    further = text[joint.end() :] if joint else text
    when, orders = read_when(further, now, day)
    if order and not when.lack and _AGAIN.fullmatch(when.rest.strip(" ,.!，。！")):
        return replace(order, when=when)
    if joint is None:
        return None
    for one in (_orders(code) for code in codes_for(fold(further)) if code in LANGUAGES):
        more = _reminder(further, when, one, now)
        before = further[: further.rfind(more.what)].split()
        if before and more.is_said and not more.when.lack and one.lead.match(f"{before[-1]} {more.what}"):
            return more
    more = _reminder(further, when, orders, now)
    is_thing = _is_thing(more.what) and not further.rstrip().endswith(("?", "？"))
    return more if is_thing and more.is_said and not (more.when.lack or when.is_day) else None


def _is_thing(what: str) -> bool:
    """Return whether one word is all that is named, with an article perhaps: "the dentist", "my pills", "开会"."""
    grammar, words = grammar_patterns(), [word for word in what.split() if word.casefold() not in FUNCTION_WORDS]
    of_somebody = any(one.match(what) for one in (grammar.first, grammar.pronoun, grammar.copula))
    return len(words) == 1 and what.endswith(words[0]) and len(words[0]) <= _MAX_THING_LETTERS and not of_somebody


def declined(text: str, now: datetime) -> Wish | None:
    """Return what somebody wishes to be reminded of no more at a time: "don't remind me tomorrow to call Ana"."""
    if len(text) > MAX_WISH_CHARS or not _holds_order(text):
        return None
    when, orders = read_when(text, now)
    is_timed = when.rest != text and orders.negated.search(when.rest)
    return wish(when.rest, {WishKind.FORGET}) if is_timed else None


def read_move(said: str, now: datetime) -> tuple[str, str, bool]:
    """Return what is to be moved, the text that says to when, and whether that is called a reminder."""
    text = _with_hour(said)
    when, orders = read_when(text, now)
    what = orders.order.sub(" ", when.rest)
    return orders.instead.sub(" ", what) if what.strip() >= CJK else what, text, what != when.rest


def _with_hour(text: str) -> str:
    return _BARE_HOUR.sub(lambda hour: f"{hour[1]} {'в' if hour[1] == 'на' else 'at'} {hour[2]}", text)


def is_time_alone(text: str, now: datetime) -> bool:
    """Return whether a text says a time and nothing else, as "at 9" and "also tomorrow" do."""
    if len(text) > MAX_WISH_CHARS:
        return False
    rest = read_when(text, now)[0].rest
    return rest != text and any(not _orders(code).bare(rest).strip(" ,.!，。！") for code in LANGUAGES)


def calls_off(text: str, now: datetime | None = None) -> bool:
    """Return whether a message orders reminders to be called off, and names none: "cancel every reminder".

    With the present, it may name a time: "cancel the reminders for tomorrow".
    """
    if any(_orders(code).off.fullmatch(text.strip(" .!?。！？")) for code in LANGUAGES):
        return True
    if now is None or len(text) > MAX_WISH_CHARS or not _holds_order(text):
        return False
    when, orders = read_when(text, now)
    return when.rest != text and calls_off(orders.cut(when.rest))


def read_typed(text: str, now: datetime) -> Reminder:
    """Read what is typed after `/remind`: when and of what, in any order, behind the names of whom it is for."""
    typed = re.sub(rf"^(?=@){_NAMED}[ ,]+", "", text)
    reminder, others = _reminder(typed, *read_when(typed, now), now), text.removesuffix(typed).rstrip(" ,")
    return replace(reminder, what=f"{others}: {reminder.what}") if others else reminder


def read_when(text: str, now: datetime, day: date | None = None, earliest: int = WAKING_HOUR) -> tuple[When, _Orders]:
    """Read when somebody wants to be reminded, and return the patterns of the language that says it.

    A time is of the `day`, if that is to come and the text names none; an hour that may be of the morning or of the
    afternoon is the next from `earliest` on, but of who is to be woken up the next of all.
    """
    spoken = codes_for(fold(text))
    others = (code for code in ("es", "fr") if code in spoken or _orders(code).order.search(text))
    codes = codes_by_script(text, ("en", "de", *others))
    best = max(codes, key=lambda code: len(_orders(code).order.findall(text)))
    orders, codes = _orders(best), ((best,) if best in {"es", "fr"} else codes)
    earliest = 0 if orders.waking.search(text) else earliest
    return find_when(text, now, lambda before: not orders.bare(before).strip(), day, codes, earliest), orders


def _reminder(text: str, when: When, orders: _Orders, now: datetime) -> Reminder:
    rest = " ".join(when.rest.split())
    behind = orders.bare(rest)
    what = orders.cut(behind).strip(" ,，:：;")
    start = rest.find(what, len(rest) - len(behind))
    is_instead = orders.instead.fullmatch(rest, start, start + len(what)) is not None  # which sees what stands before
    is_said = bool(what) and not is_instead
    if _have_several_times(what, rest[:start], now, orders, is_last=" ".join(text.split()).startswith(rest)):
        when = When(text, lack=Unclear.SEVERAL)
    return Reminder(what if is_said else " ".join(text.split()), when, is_said, is_instead)


def _have_several_times(what: str, opening: str, now: datetime, orders: _Orders, *, is_last: bool) -> bool:
    """Return whether a further part of what to be reminded of has a time of its own: "call Ana and at 5 pay the rent".

    Where the time that was read `is_last`, the first part may have one: "call Ana at 3 and pay the rent", at 5; of a
    day, unless it is what "for" or "about" speak of. Behind an `opening` with "that", what is told has times.
    """
    first, *others = _FURTHER.split(what)
    when = read_when(first, now)[0]
    is_day = when.is_day and when.rest.rpartition(" ")[2] not in FUNCTION_WORDS
    is_first = is_last and when.rest and first.startswith(when.rest)
    is_first = is_first and (is_day or _is_hour(when, first[len(when.rest) :]))
    for joint, part in zip(others[::2], others[1::2], strict=True):
        of = (when := read_when(part, now)[0]).rest  # which is to stand behind its time; "at home" is a place
        if orders.lead.match(of) and not part.startswith(of) and of.split()[0] not in {part.split()[0], "at", "on"}:
            return True
        is_behind = of and part.endswith(of) and not of.startswith(("的", "の"))  # "the tickets of ten o'clock"
        is_timed = (is_first and not _FIGURE.match(part)) or (is_behind and _is_hour(when, part[: -len(of)]))
        if is_timed and joint.strip(" ,;") and not _THAT.search(opening):
            return True
    return False


def _is_hour(when: When, said: str) -> bool:
    return not when.is_day and _FIGURE.search(said) is not None


@cache
def _orders(code: str) -> _Orders:
    lists = read_table(read_toml("reminders"), code)
    me = lists.pop("me")
    patterns = {name: Pattern(text.replace("<who>", _NAMED), re.IGNORECASE) for name, text in lists.items()}
    return _Orders(me=me, **patterns)
