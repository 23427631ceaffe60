from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import TemplateNotFound, UndefinedError

from bot.texts.catalogue import in_language
from bot.web.rendering import (
    MAX_MARKDOWN_CHARS,
    MAX_SHOWN_CHARS,
    STATIC,
    TAGS,
    asset,
    environment,
    markdown,
    number,
    percent,
    plain,
    without,
)
from tests.support.factories import NOON

HOSTILE = [
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt&#58;alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "![x](https://evil.example/read.png)",
    "![x](javascript:alert(1))",
    '[x](/y "\'><script>alert(1)</script>")',
    "<a href='javascript:alert(1)'>x</a>",
    "`<script>`",
    "```\n</pre><script>alert(1)</script>\n```",
    "| a |\n|---|\n| <style>*{display:none}</style> |",
    "<svg/onload=alert(1)>",
    "</div></main><form action=//evil.example>",
    "\u202egnp.exe",
    "\x1b[2J\0\x07",
    "&#0;&#x202e;",
    "a" * 5000,
]
TEXTS = st.text(st.characters(exclude_categories=())) | st.lists(st.sampled_from(HOSTILE) | st.text()).map("".join)


class Tags(HTMLParser):
    """Collects elements, attributes and text, and minds that what is opened is closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in {"br", "hr"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@given(TEXTS)
def test_markdown_becomes_only_what_is_safe(text: str) -> None:
    html = markdown(text)
    tags = Tags(html)

    assert tags.open == []
    assert tags.found <= TAGS | {"div", "pre", "bdi", "span"}
    for tag, name, value in tags.attributes:
        assert (tag, name) in {
            ("a", "href"),
            ("a", "rel"),
            ("a", "title"),
            ("div", "class"),
            ("div", "dir"),
            ("span", "class"),
        }
        assert name != "href" or not (value or "").lower().lstrip().startswith(("javascript:", "data:", "vbscript:"))
    html.encode()
    assert not any(sign in html for sign in "\0\x1b\u202e")


@given(TEXTS)
def test_a_text_as_it_is_written_is_only_text(text: str) -> None:
    html = plain(text)
    tags = Tags(html)

    assert tags.found <= {"bdi", "span"}
    assert tags.open == []
    html.encode()
    assert not any(sign in html for sign in "\0\x1b\u202e")


def test_markdown_reads_as_it_is_meant() -> None:
    html = markdown("# Head\n\n- **bold** `code`\n\n| a |\n|---|\n| b |\n\n[page](https://example.org/?a=1&b=2)")

    for part in ("<h2>Head</h2>", "<li><strong>bold</strong> <code>code</code></li>", "<td>b</td>", ">page</a>"):
        assert part in html
    assert 'href="https://example.org/?a=1&amp;b=2" rel="noopener noreferrer nofollow"' in html


def test_a_picture_is_a_link_to_it_so_that_nothing_is_fetched() -> None:
    html = markdown("before ![the <cat>](https://example.org/cat.png) after ![](b.png)")

    assert 'href="https://example.org/cat.png"' in html
    assert ">the &lt;cat&gt;</a> after" in html
    assert ">b.png</a>" in html
    assert "<img" not in html


def test_html_in_a_text_is_shown_and_not_obeyed() -> None:
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in markdown("<script>alert(1)</script>")
    assert plain("<b>") == "<bdi>&lt;b&gt;</bdi>"


def test_a_very_long_text_is_cut_and_says_so() -> None:
    shown = plain("a" * (MAX_SHOWN_CHARS + 1234))

    assert shown.count("a") == MAX_SHOWN_CHARS + "(1,234 more characters)".count("a") + 'class="cut"span'.count("a") + 1
    assert "(1,234 more characters)" in shown
    assert len(plain("x" * 1_000_000)) < MAX_SHOWN_CHARS + 200
    assert len(markdown("*x* " * 250_000)) < MAX_SHOWN_CHARS + 200


def test_what_is_too_long_for_markdown_is_shown_as_it_is_written() -> None:
    assert "<em>" in markdown("*x* " * (MAX_MARKDOWN_CHARS // 4))
    assert "<em>" not in markdown("*x* " * (MAX_MARKDOWN_CHARS // 4) + "y")


@pytest.mark.parametrize(
    ("distance", "words"),
    [
        (timedelta(), "just now"),
        (timedelta(seconds=44), "just now"),
        (timedelta(seconds=46), "1 minute ago"),
        (timedelta(minutes=59), "59 minutes ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(hours=30), "30 hours ago"),
        (timedelta(days=2), "2 days ago"),
        (timedelta(days=400), "400 days ago"),
        (-timedelta(seconds=10), "in a moment"),
        (-timedelta(minutes=5), "in 5 min"),
        (-timedelta(hours=5), "in 5 h"),
        (-timedelta(days=5), "in 5 days"),
    ],
)
def test_times_are_told_as_a_distance_with_the_exact_one_beside_it(distance: timedelta, words: str) -> None:
    at = NOON - distance
    shown = render("{{ at | ago }}", at=at)

    assert f">{words}</time>" in shown
    assert f'title="{at.astimezone(ZoneInfo("Europe/Zurich")):%Y-%m-%d %H:%M:%S}"' in shown


def render(template: str, **given: object) -> str:
    surroundings = {"now": NOON, "zone": ZoneInfo("Europe/Zurich")}
    return environment().from_string(template).render(**surroundings, **given)


def test_a_day_and_an_instant_as_text_are_times_too_and_nothing_is_nothing() -> None:
    assert render("{{ at | ago }}", at="2026-11-20") == '<time datetime="2026-11-20">2026-11-20</time>'
    assert "1 hour ago" in render("{{ at | ago }}", at=(NOON - timedelta(hours=1)).isoformat())
    assert render("{{ at | ago }}|{{ at | instant }}", at=None) == "|"
    assert render("{{ at | instant }}", at=datetime(2026, 1, 1, 12, tzinfo=UTC)) == "2026-01-01 13:00:00"


def test_numbers_are_written_in_the_language_of_the_page() -> None:
    assert number(1234567) == "1,234,567"
    assert number(0.5, 2) == "0.50"
    assert percent(0.256) == "26 %"
    with in_language("de"):
        assert number(12) == "12"


def test_templates_escape_everything_and_know_their_names() -> None:
    assert render("{{ text }}", text="<b>&\"'") == "&lt;b&gt;&amp;&#34;&#39;"
    assert render("<p title='{{ text }}'>", text="' onclick='x") == "<p title='&#39; onclick=&#39;x'>"
    with pytest.raises(UndefinedError):
        render("{{ missing }}")
    with pytest.raises(TemplateNotFound):
        environment().get_template("../rendering.py")


def test_the_address_of_a_file_changes_with_its_content() -> None:
    path, _, version = asset("style.css").partition("?")

    assert path == "/static/style.css"
    assert len(version) == 12
    assert {asset(path.name).partition("?")[2] for path in STATIC.iterdir()} >= {version}
    with pytest.raises(FileNotFoundError):
        asset("missing.css")


def test_a_query_without_some_of_its_names() -> None:
    assert without({"a": "1", "b": "2", "c": "3"}, "a", "c", "d") == {"b": "2"}
