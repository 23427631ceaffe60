"""Turns what a page collects into HTML, and into JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from zoneinfo import ZoneInfo

import nh3
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markupsafe import Markup

from bot.texts.catalogue import localized, tr, trn
from bot.web import charts
from bot.web.charts import legible
from bot.web.page import new_operation
from memory.files.markdown import frontmatter_end, split_lines
from memory.index.terms import WORD, terms
from memory.recall.query import parse

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"
MAX_MARKDOWN_CHARS = 20_000
"""Characters of a text that are rendered as Markdown, up to .3 s; a longer one is shown as it is written."""

MAX_SHOWN_CHARS = 20_000
"""Characters that a page shows of one text; the rest is one step away."""

LEAD = 100
"""Characters of a long text that are shown before the first word that is marked."""

TAGS = frozenset("a blockquote br code em h2 h3 h4 h5 h6 hr li ol p pre strong table tbody td th thead tr ul".split())
"""What Markdown may become. There are no pictures: fetching one would tell its server what is read."""

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_WIKILINK = re.compile(
    r"\[\[(?P<page>[^\[\]|#\n]{0,200})(?:#\^(?P<block>[\w-]{1,64}))?(?:\|(?P<label>[^\[\]\n]{1,200}))?\]\]"
)
_MARKDOWN_SIGNS = re.compile(r"[\\\[\]()*_`<>]")


def environment() -> Environment:
    """Make the environment of all templates: everything is escaped, and a name that does not exist is an error."""
    templates = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    callables = (tr, trn, asset, new_operation, without)
    filters = (ago, instant, markdown, note, plain, marked, number, percent)
    templates.globals |= {"charts": charts, **{function.__name__: function for function in callables}}
    templates.filters |= {function.__name__: function for function in filters}
    return templates


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
    if isinstance(at, str) and len(at) == len("2026-01-01"):
        return Markup('<time datetime="{}">{}</time>').format(at, at)
    moment = datetime.fromisoformat(at) if isinstance(at, str) else at
    moment = moment if moment.tzinfo else moment.replace(tzinfo=context["zone"])
    exact, words = instant(context, moment), _distance(context["now"] - moment)
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
    if is_past:
        return trn("{count} day ago", "{count} days ago", count)
    return trn("in {count} day", "in {count} days", count)


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


def _picture(_renderer: RendererHTML, tokens: Sequence[Token], at: int, *_: object) -> str:
    """Return a picture as a link to it."""
    return Markup('<a href="{}">{}</a>').format(tokens[at].attrs["src"], tokens[at].content or tokens[at].attrs["src"])


def _lower_headings(state: StateCore) -> None:
    """Make each heading as many levels lower as is wanted: the page has one of the first level."""
    for token in state.tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1:]) + state.env.get('lower', 1))}"


_markdown = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")
_markdown.core.ruler.push("headings", _lower_headings)
_markdown.add_render_rule("image", _picture)


def markdown(text: str, lower: int = 1) -> Markup:
    """Return a text of Markdown as HTML; HTML in it is shown, not obeyed, and pictures become links.

    Headings are so many levels `lower` than they are written.
    """
    if len(text) > MAX_MARKDOWN_CHARS:
        return Markup("<pre>{}</pre>").format(plain(text))
    rendered = legible(_markdown.render(legible(text), {"lower": lower}))  # `&#x202E;` is one of those signs, too
    clean = nh3.clean(rendered, tags=set(TAGS), attributes={"a": {"href"}}, link_rel="noopener noreferrer nofollow")
    return Markup('<div class="text" dir="auto">{}</div>').format(Markup(clean))


def plain(text: str, limit: int = MAX_SHOWN_CHARS) -> Markup:
    """Return a text as it is written, cut where it is very long; signs that turn the direction of writing are shown."""
    return Markup("<bdi>{}</bdi>{}").format(legible(text[:limit]), _rest(len(text) - limit))


def _rest(count: int) -> Markup:
    """Return how many characters of a text are not shown."""
    remark = Markup(' <span class="cut">{}</span>').format(tr("({count:,} more characters)", count=count))
    return remark if count > 0 else Markup("")


@pass_context
def note(context: Context, text: str, lower: int = 1) -> Markup:
    """Return a file of the workspace as `markdown` does: without properties and comments; `[[links]]` lead to pages."""
    view = context["view"]
    lines = split_lines(text)
    body = _COMMENT.sub("", "\n".join(lines[frontmatter_end(lines) :]))

    def link(wikilink: re.Match[str]) -> str:
        target, block, label = wikilink["page"].strip(), wikilink["block"], wikilink["label"]
        address = view.link(f"/fact/{block}") if block else view.link("/entity", name=target)
        shown = _MARKDOWN_SIGNS.sub(r"\\\g<0>", label or (f"^{block}" if block else target))
        return f"[{shown}]({address})"

    return markdown(_WIKILINK.sub(link, body), lower)


@pass_context
def marked(context: Context, text: str, query: str, limit: int = MAX_SHOWN_CHARS) -> Markup:
    """Return a text as `plain` does, with the words of a question marked; of a long one a part that has the first."""
    now: datetime = context["now"]
    words = _query_words(query, now.date())
    spans = [match.span() for match in words.pattern.finditer(text[:MAX_MARKDOWN_CHARS]) if words.include(match[0])]
    start = max(0, spans[0][0] - LEAD) if spans and spans[0][1] > limit else 0
    shown, at = Markup("… ") if start else Markup(""), start
    end = start + limit
    for first, last in spans:
        if last <= end:
            shown += Markup("{}<mark>{}</mark>").format(legible(text[at:first]), text[first:last])
            at = last
    return Markup("<bdi>{}{}</bdi>{}").format(shown, legible(text[at:end]), _rest(len(text) - end))


@dataclass(frozen=True, slots=True)
class _QueryWords:
    """The words of a question: what may be one in a text, their terms, and the language that they are stemmed by."""

    pattern: re.Pattern[str]
    terms: frozenset[str]
    beginnings: tuple[str, ...]
    language: str
    runs: frozenset[str]

    def include(self, word: str) -> bool:
        """Return whether a word of a text is one of these, whatever its ending."""
        forms = (word.casefold(), *terms(word, self.language), *terms(word, ""))
        return word in self.runs or any(form in self.terms or form.startswith(self.beginnings) for form in forms)


@lru_cache(16)
def _query_words(query: str, today: date) -> _QueryWords:
    parsed = parse(query, languages=("en", "de"), today=today)
    named = {term for word in parsed.words for term in word.terms} | {word.text.casefold() for word in parsed.words}
    runs = sorted((word.text for word in parsed.words if not re.fullmatch(WORD, word.text[:1])), key=len, reverse=True)
    return _QueryWords(
        re.compile("|".join([*map(re.escape, runs), WORD])),
        frozenset(named),
        tuple(term[:-1] for term in named if term.endswith("*") and not term.startswith("~")),
        parsed.language,
        frozenset(runs),
    )
