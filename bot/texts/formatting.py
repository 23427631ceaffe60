"""Texts for people: sizes, plurals, did-you-mean; and of people: made fit to be shown and stored, read as commands."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import date, datetime, tzinfo
from enum import Enum
from typing import Any, TypeVar, cast

from bot.texts.catalogue import tr

T = TypeVar("T")

MAX_NAME_CHARS = 40
"""Characters of a display name that are shown."""

MAX_QUOTE_CHARS = 200
"""Characters of a reason that are shown."""

_MARKUP = re.compile(r"[`*_~|<>\[\]()#@\\\s]+")

_OBEYED = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""What JSON leaves as it is and a terminal obeys: C1 controls, ends of lines, marks of the writing direction."""

_COMMAND = re.compile(r"[/／]\s?([^\W\d_][\w-]{0,31})(?:@\w+)?(?:\s+(.*))?", re.DOTALL)
_IN_JSON = re.compile(f"[{_OBEYED}]")
_IN_LINE = re.compile(f"[\\x00-\\x08\\x0a-\\x1f{_OBEYED}\u00ad\u200b-\u200d\u2060-\u2064\ufeff\U000e0000-\U000e007f]")


def sized(count: int) -> str:
    """Bytes for a person to read.

    >>> sized(5), sized(120 * 1024), sized(3 * 2**19)
    ('5 B', '120 KB', '1.5 MB')
    """
    if count < 2**20:
        return f"{count} B" if count < 1024 else f"{count / 1024:.0f} KB"
    return f"{count / 2**20:.1f}".removesuffix(".0") + " MB"


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "file"), plural(0, "file"), plural(1200, "fact")
    ('1 file', '0 files', '1,200 facts')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def weekday(day: date) -> str:
    """The name of a day of the week, short, in the language of now.

    >>> weekday(date(2026, 11, 21))
    'Sat'
    """
    return tr("Mon Tue Wed Thu Fri Sat Sun").split()[day.weekday()]


def local_day(at: str, zone: tzinfo) -> str:
    """Return the ISO day of an ISO instant on the clock of a zone; a day is itself."""
    return f"{datetime.fromisoformat(at).astimezone(zone):%Y-%m-%d}" if "T" in at else at


def with_weekday(at: datetime | str, zone: tzinfo) -> str:
    """Return an instant, or one as ISO text, on the clock of a zone, as `Sat 2026-11-21 10:30`."""
    local = (datetime.fromisoformat(at) if isinstance(at, str) else at).astimezone(zone)
    return f"{weekday(local)} {local:%Y-%m-%d %H:%M}"


def in_words(instant: datetime) -> str:
    """Return an instant of the person's clock in words."""
    months = tr("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")
    return tr(
        "{day} {number} {month} {year} at {time}",
        day=weekday(instant),
        number=instant.day,
        month=months.split()[instant.month - 1],
        year=instant.year,
        time=f"{instant:%H:%M}",
    )


def split_command(text: str) -> tuple[str, str] | None:
    """`/name argument` as (name, argument); None if the text is no command.

    A name may carry the bot's (`/recall@scrubjay_bot`), as Telegram writes it in groups. The slash may be the wide one
    of Chinese keyboards, and a space may have slipped in behind it. A path such as `/etc/hosts` is no command.
    """
    typed = _COMMAND.fullmatch(text.strip())
    return (typed[1].lower(), (typed[2] or "").strip()) if typed else None


def truncate(text: str, limit: int) -> str:
    """The text on one line in at most `limit` characters; the last is an ellipsis if something is left out.

    >>> truncate("the  spare\\nkey", 20), truncate("the spare key", 10)
    ('the spare key', 'the spare…')
    """
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def as_json(value: object, **options: Any) -> str:
    """JSON that any reader takes and no terminal obeys; options are those of `json.dumps`.

    >>> print(as_json({"größe": "\\x9b31m \\u202e"}))
    {"größe": "\\u009b31m \\u202e"}
    """
    written = well_formed(json.dumps(value, ensure_ascii=False, **options))
    return _IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def flatten(sections: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the options in sections within sections by their dotted names, such as `memory.recall.limit`."""
    for key, value in sections.items():
        if isinstance(value, dict) and value:
            yield from flatten(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def as_written(value: object) -> str:
    """A value as it is written in `config.yaml`, texts without quotes."""
    return value if isinstance(value, str) else "" if value is None else as_json(value)


def in_code(text: str) -> str:
    """Somebody else's text as code within a line, cut to what can be taken in at a glance.

    >>> in_code("**no**\\nroute `x`")
    "`**no** route 'x'`"
    """
    quote = truncate(on_one_line(" ".join(text.split())), MAX_QUOTE_CHARS)
    return "`" + quote.replace("`", "'") + "`"


def on_one_line(text: str) -> str:
    """The text with escapes in the place of line ends and of all that a terminal obeys or does not show.

    >>> print(on_one_line("Title\\x1b[2J\\nnext\\u202e"))
    Title\\x1b[2J\\x0anext\\u202e
    """

    def escape(found: re.Match[str]) -> str:
        code = ord(found[0])
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"

    return _IN_LINE.sub(escape, text)


def well_formed(text: str) -> str:
    """The text with surrogate pairs joined, lone halves and NUL replaced by U+FFFD: no UTF-8, or the end of a text.

    >>> well_formed("a\\ud83d\\ude00b\\ud83d\\0") == "a😀b\\ufffd\\ufffd"
    True
    """
    if text.isascii() and "\0" not in text:  # as most is: this is asked of every text, several times
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\ufffd")


def plain_name(name: str) -> str:
    """A display name that can stand in a sentence: no markup, no control or direction characters, not too long.

    >>> plain_name("**Ada**\\n`/link yes`\\u202e"), plain_name("\\u200b")
    ('Ada /link yes', 'no name')
    """
    visible = "".join(
        " " if unicodedata.category(one) in {"Zl", "Zp", "Zs", "Cc"} else one
        for one in unicodedata.normalize("NFC", well_formed(name))
        if unicodedata.category(one) not in {"Cf", "Co", "Cn", "Cs"}
    )
    return _MARKUP.sub(" ", visible).strip()[:MAX_NAME_CHARS].strip() or "no name"


def all_well_formed(value: T) -> T:
    """A dataclass, or what may stand in one, with all of its strings well formed, however deep they are.

    >>> all_well_formed(("a\\ud83d", 1, None)) == ("a\\ufffd", 1, None)
    True
    """
    mended: Any = value
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        mended = well_formed(value)
    elif isinstance(value, tuple):
        mended = tuple(map(all_well_formed, value))
    elif is_dataclass(value) and not isinstance(value, type):
        found = ((one.name, getattr(value, one.name)) for one in fields(value))
        changed = {name: new for name, old in found if (new := all_well_formed(old)) is not old and new != old}
        mended = replace(value, **changed) if changed else value
    return cast("T", mended)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that looks most like this one, whatever its case; None when none does.

    >>> nearest("persnal", ["personal", "work"])
    'personal'
    >>> nearest("home", ["whoami"])
    """
    import difflib  # only a mistyped word pays for loading it

    by_fold = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(word.casefold(), by_fold, n=1, cutoff=0.65)
    return by_fold[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question with the nearest known word, for the end of a message; empty when none is near."""
    near = nearest(word, known)
    return tr('Did you mean "{near}"?', near=near) if near else ""
