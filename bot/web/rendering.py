"""Turns what a page collects into HTML, and into JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from zoneinfo import ZoneInfo

import nh3
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markdown_it import MarkdownIt
from markupsafe import Markup

from bot.texts import localized, tr, trn
from bot.web import charts
from bot.web.page import new_operation
from memory.files.markdown import frontmatter_end, split_lines

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"
LONGEST_MARKDOWN = 200_000
"""Characters of a text that are rendered as Markdown; a longer one is shown as it is written."""

LONGEST_SHOWN = 20_000
"""Characters that a page shows of one text; the rest is one step away."""


def environment() -> Environment:
    """Make the environment of all templates: everything is escaped, and a name that does not exist is an error."""
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals |= {
        "tr": tr,
        "trn": trn,
        "asset": asset,
        "new_operation": new_operation,
        "charts": charts,
        "without": without,
    }
    made.filters |= {
        "ago": ago,
        "instant": instant,
        "markdown": markdown,
        "note": note,
        "plain": plain,
        "number": number,
        "percent": percent,
    }
    return made


def without(query: Mapping[str, str], *names: str) -> dict[str, str]:
    """Return a query without some of its names."""
    return {name: value for name, value in query.items() if name not in names}


@cache
def asset(name: str) -> str:
    """Return the address of a file in `static/`, which changes with its content, so that browsers may keep it."""
    return f"/static/{name}?{sha256((STATIC / name).read_bytes()).hexdigest()[:12]}"


@pass_context
def ago(context: Context, at: datetime | str | None) -> Markup:
    """Return how long ago an instant was, or in how much time it will be, with the exact time beside it."""
    if not at:
        return Markup("")
    moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    if isinstance(at, str) and len(at) == len("2026-01-01"):
        return Markup('<time datetime="{}">{}</time>').format(at, at)
    zone: ZoneInfo = context["zone"]
    moment = moment if moment.tzinfo else moment.replace(tzinfo=zone)
    now: datetime = context["now"]
    exact = f"{moment.astimezone(zone):%Y-%m-%d %H:%M:%S}"
    words = _distance(now - moment)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(moment.isoformat(), exact, words)


def _distance(since: timedelta) -> str:
    """Return a distance in time in one unit: seconds up to years, past or future."""
    seconds = abs(since.total_seconds())
    is_past = since.total_seconds() >= 0
    if seconds < 45:
        return tr("just now") if is_past else tr("in a moment")
    if seconds < 3600:
        count = max(1, round(seconds / 60))
        return trn("{count} minute ago", "{count} minutes ago", count) if is_past else tr("in {count} min", count=count)
    if seconds < 36 * 3600:
        count = round(seconds / 3600)
        return trn("{count} hour ago", "{count} hours ago", count) if is_past else tr("in {count} h", count=count)
    count = round(seconds / 86400)
    return (
        trn("{count} day ago", "{count} days ago", count)
        if is_past
        else trn("in {count} day", "in {count} days", count)
    )


@pass_context
def instant(context: Context, at: datetime | str | None) -> str:
    """Return an instant on the owner's clock, to the second."""
    if not at:
        return ""
    moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    zone: ZoneInfo = context["zone"]
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M:%S}"


def number(value: float, places: int = 0) -> str:
    """Return a number as the language of now writes it."""
    return localized(value, f",.{places}f")


def percent(value: float) -> str:
    """Return a share (0 to 1) in per cent."""
    return f"{100 * value:.0f} %"


_markdown = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")
TAGS = frozenset(
    "a blockquote br code em h1 h2 h3 h4 h5 h6 hr li ol p pre strong table tbody td th thead tr ul".split()
)
"""What Markdown may become. There are no pictures: fetching one would tell its server what is read."""


def markdown(text: str) -> Markup:
    """Return a text of Markdown as HTML; HTML in it is shown, not obeyed, and pictures become links."""
    if len(text) > LONGEST_MARKDOWN:
        return Markup("<pre>{}</pre>").format(plain(text))
    rendered = _markdown.render(_without_controls(text)).replace("<img ", "<a ")
    clean = nh3.clean(rendered, tags=set(TAGS), attributes={"a": {"href"}}, link_rel="noopener noreferrer nofollow")
    return Markup('<div class="text" dir="auto">{}</div>').format(Markup(clean))


def plain(text: str, limit: int = LONGEST_SHOWN) -> Markup:
    """Return a text as it is written, cut where it is very long; signs that turn the direction of writing are shown."""
    shown = _without_controls(text[:limit])
    rest = len(text) - limit
    cut = (
        Markup(' <span class="cut">{}</span>').format(tr("({count:,} more characters)", count=rest)) if rest > 0 else ""
    )
    return Markup("<bdi>{}</bdi>{}").format(shown, cut)


@pass_context
def note(context: Context, text: str) -> Markup:
    """Return a file of the workspace as HTML: without its properties and comments; its `[[links]]` lead to pages."""
    view = context["view"]
    lines = split_lines(text)
    body = _COMMENT.sub("", "\n".join(lines[frontmatter_end(lines) :]))

    def link(found: re.Match[str]) -> str:
        target, block, label = found["page"].strip(), found["block"], found["label"]
        address = view.link(f"/fact/{block}") if block else view.link("/entity", name=target)
        shown = _MARKDOWN_SIGNS.sub(r"\\\g<0>", label or (f"^{block}" if block else target))
        return f"[{shown}]({address})"

    return markdown(_WIKILINK.sub(link, body))


_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_WIKILINK = re.compile(
    r"\[\[(?P<page>[^\[\]|#\n]{0,200})(?:#\^(?P<block>[\w-]{1,64}))?(?:\|(?P<label>[^\[\]\n]{1,200}))?\]\]"
)
_MARKDOWN_SIGNS = re.compile(r"[\\\[\]()*_`<>]")
_BIDI = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}
_SHOWN = {code: f"[U+{code:04X}]" for code in {*range(0x20), *range(0x7F, 0xA0), *_BIDI} - {0x09, 0x0A, 0x0D}}


def _without_controls(text: str) -> str:
    return text.translate(_SHOWN)
