"""What Telegram's own parser makes of it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from telegram import MessageEntity

from adapters.markdown import split
from adapters.telegram.conversion import RenderedText, convert, utf16_length
from adapters.telegram.rendering import MAX_TEXT_UNITS, break_links, escape_unsupported, render
from tests.servers.telegram.texts import FormattedText, Texts

JUDGE = Texts()


def judged(shown: RenderedText) -> FormattedText:
    """As the platform shows it; raises if it would refuse."""
    return JUDGE.message(shown.text, entities=[entity.to_dict() for entity in shown.entities])


def marked(markdown: str) -> list[tuple[str, str]]:
    """The entities with the words under them, in the order of the text."""
    shown = render(markdown)
    units = shown.text.encode("utf-16-le")
    return [
        (str(e.type), units[2 * e.offset : 2 * (e.offset + e.length)].decode("utf-16-le"))
        for e in sorted(shown.entities, key=lambda e: (e.offset, -e.length))
    ]


WORDS = st.from_regex(r"[a-z]{1,8}[0-9]{1,4}", fullmatch=True)
MARKS = st.sampled_from(
    """
    * ** *** _ __ ~~ ~ ` `` ``` ~~~ > >> # ### - + 1. 7) - [ ] | || --- === [ ] ( ) ](http://a.example/ ![ <b> </b>
    <br <!-- --> <script> < & &amp; &lt; $ $$ \\( \\) \\ \\alpha \\frac{ } [^1]: [x]: : |---|---| | a | b | http://b.example
    <http://c.example> @name /command #tag é ü 雪 👍 👨‍👩‍👧 🇩🇪 ‎ “ ” … — ](/relative) ](mailto:a@b.example) "title")
    """.split()
)
SPACES = st.sampled_from([" ", " ", "\n", "\n\n", "\n    ", "\t", "", "\r\n", "\n> ", "\n- ", "\n| "])
PIECES = st.tuples(st.one_of(WORDS, MARKS, st.text(max_size=3)), SPACES).map("".join)
DOCUMENTS = st.lists(PIECES, max_size=60).map("".join).filter(lambda text: text.encode("utf-8", "ignore") != b"")


def well_formed(text: str) -> str:
    return text.encode("utf-16-le", "ignore").decode("utf-16-le", "ignore")


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+[0-9]+", text)


@given(DOCUMENTS.map(well_formed), st.integers(40, 300), st.data())
def test_whatever_is_written_and_wherever_it_is_cut_telegram_takes_every_part_and_no_word_is_lost(
    markdown: str, limit: int, data: Any
) -> None:
    cut = markdown[: data.draw(st.integers(0, len(markdown)))]
    for part in split(cut, limit, unit="utf16"):
        shown = render(part, limit=limit)
        assert utf16_length(shown.text) <= limit
        seen = judged(shown)
        targets = [entity.get("url", "") + " " + entity.get("language", "") for entity in seen.entities]
        there = " ".join([seen.text, *targets])
        assert not [word for word in words(part) if word not in there]


WORD = st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=6) | st.sampled_from(
    ["1", "12", "http", "co"]
)
SENTENCES = st.lists(
    st.tuples(WORD, st.sampled_from(["", "", *".,;:!?…"]), st.sampled_from([" ", " ", "-", "'", ""])), min_size=1
).map(lambda pieces: "".join(piece for triple in pieces for piece in triple).rstrip(" -"))


@given(SENTENCES)
def test_plain_sentences_look_like_what_is_made_of_them_as_markdown(text: str) -> None:
    shown = convert(escape_unsupported(text))

    assert render(text) == RenderedText(shown.text, break_links(shown, source=text))


def test_formatting_becomes_entities() -> None:
    assert marked("# Title\n\n**bold** *italic* ~~gone~~ `code` ||hidden|| 👍 [site](https://a.example/x_(y))") == [
        ("underline", "Title"),
        ("bold", "Title"),
        ("bold", "bold"),
        ("italic", "italic"),
        ("strikethrough", "gone"),
        ("code", "code"),
        ("spoiler", "hidden"),
        ("text_link", "site"),
    ]


def test_blocks_become_lists_quotes_code_and_columns() -> None:
    shown = render(
        "- one\n- [x] two\n- [ ] three\n\n1. a\n2. b\n\n> said\n\n```python\nx = 1\n```\n\n"
        "| a | b |\n|---|---|\n| 1 | 22 |\n\n---"
    )

    assert shown.text == "• one\n☑ two\n☐ three\n\n1. a\n2. b\n\nsaid\n\nx = 1\n\na  b\n-  --\n1  22\n\n———"
    assert [(entity.type, entity.language) for entity in shown.entities] == [
        ("blockquote", None),
        ("pre", "python"),
        ("pre", None),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a <div>x</div> b",
        "<think>\nhidden thoughts\n\nmore\n</think>",
        "<!-- a comment -->",
        "List<int> and Map<String, T>",
        "<tg-spoiler>not one</tg-spoiler>",
        "[1]: https://a.example\n[2]: https://b.example 'title'",
        "[^1]: a note",
        "[](https://a.example)",
        "![](https://a.example/b.png)",
        "[notes](memory/2026-11-21.md#L5)",
        "[call](tel:+49123)",
        "[me](tg://user?id=7)",
        "[x](javascript:alert)",
        '[site](https://a.example "a title")',
        "```python\n```",
        "path C:\\Users\\robin",
    ],
)
def test_what_markdown_would_hide_is_shown_as_it_was_written(text: str) -> None:
    shown = render(text)

    assert shown.text == text
    assert judged(shown).text == text


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        (
            "1. Install:\n   ```bash\n   pip\n     x\n   ```\n   Then restart.\n2. Done",
            "1. Install:\npip\n  x\n  Then restart.\n2. Done",
        ),
        ("- a\n  > b\n  > c\n\n  d\n- # e\n  f", "• a\nb\nc\n  d\n• e\n  f"),
        ("- > a\n- ```\n  b\n  ```\n- - c\n  - [x] d", "• a\n•\nb\n• • c\n  ☑ d"),
        ("1. > a:\n   b\n1. > c", "1. a:\nb\n2. c"),
        ("2019. a\n2021. b", "2019. a\n2021. b"),
        ("> a\n> > b\n> > c\n>\n> d", "a\n> b\n> c\n\nd"),
        ("`a\nb` **c**", "a\nb c"),
        ("about ~5 or ~6, $5, $10", "about ~5 or ~6, $5, $10"),
    ],
)
def test_items_quotes_and_lines_stay_apart(markdown: str, shown: str) -> None:
    assert judged(render(markdown)).text == shown


def test_columns_are_as_wide_as_they_are_seen() -> None:
    assert render("| 日本 | b |\n|:--|--:|\n| x | 12 |").text == "日本   b\n----  --\nx     12"


def test_what_looks_like_html_in_code_stays_as_it_is() -> None:
    assert marked("`<b>` and\n\n```\n<div>\n[a]: b\n```") == [("code", "<b>"), ("pre", "<div>\n[a]: b")]


def test_a_table_that_would_lose_something_is_shown_as_lines() -> None:
    spilling = "| a | b |\n|---|---|\n| 1 | 2 | and more |"
    linking = "| a |\n|---|\n| [site](https://a.example) |"

    assert render(spilling).text == spilling
    assert marked(linking) == [("text_link", "site")]
    assert marked("> | a | b |\n> |---|---|\n> | 1 | 2 | 3 |\n\n**bold**")[-1] == ("bold", "bold")


def test_formulas_are_shown_in_unicode_and_prices_are_no_formulas() -> None:
    assert render(r"$x^2 \le \alpha$").text == "x² ≤ α"
    assert render("It costs $5, not $10.").text == "It costs $5, not $10."


def test_a_table_too_wide_to_be_drawn_is_shown_as_lines_and_the_rest_stays_formatted() -> None:
    rows = "\n".join("| a | b |" for _ in range(60))
    text = f"**bold**\n\n| {'wide ' * 50}| a |\n|---|---|\n{rows}"
    assert utf16_length(text) <= MAX_TEXT_UNITS

    shown = render(text)

    assert utf16_length(shown.text) <= MAX_TEXT_UNITS
    assert [entity.type for entity in shown.entities] == [MessageEntity.BOLD]


def test_of_very_many_entities_the_links_are_kept() -> None:
    text = " ".join(["**b**"] * 90 + ["[l](https://a.example)"] * 90)

    shown = render(text)

    assert len(shown.entities) == 100
    assert sum(entity.type == MessageEntity.TEXT_LINK for entity in shown.entities) == 90
    assert [entity.offset for entity in shown.entities] == sorted(entity.offset for entity in shown.entities)


def test_links_that_do_not_fit_are_shown_with_their_targets() -> None:
    text = " ".join(f"[l](https://a.example/{n})" for n in range(120))

    assert render(text) == RenderedText(text)


def test_a_word_that_would_be_lost_costs_the_formatting_instead() -> None:
    text = "**bold**\n\n[a](\nhttps://a.example/b)"

    assert render(text) == RenderedText(text)


@pytest.mark.parametrize(
    "text",
    [
        "<div>\n" * 500,
        "<div><b>" * 400,
        "[a]: b\n" * 500,
        "![a](" * 700,
        ">" * 3500,
        "- " * 1700,
        "[" * 3500,
        "`" * 3500,
    ],
    ids=lambda text: text[:8].strip(),
)
def test_hostile_text_is_rendered_in_time_and_taken(text: str) -> None:
    judged(render(text + "end"))


@pytest.mark.parametrize(
    "markdown",
    [
        "Ask @durov_x, **@bold_name here** and `@code_name`.",
        "> said @someone\n\n- @another, (@third)",
        "".join(f"@user{n}x " for n in range(120)),
        "**b** " * 110 + "@someone and `@another`",
        "evil\\.com/x, evil**.**com, &#104;ttps://evil.com/y, tg://resolve?domain=x",
        "`https://evil.com/?d=1` <b `https://evil.com/?d=2`",
    ],
)
def test_no_name_is_called_and_no_address_made_that_was_not_written(markdown: str) -> None:
    shown = render(markdown)
    seen = judged(shown)

    assert {"mention", "url", "text_link"}.isdisjoint(entity["type"] for entity in seen.entities)
    assert seen.text == shown.text
    assert words(shown.text) == words(markdown)
    assert len(shown.entities) <= 100


def test_a_message_that_calls_somebody_names_them_in_plain_text() -> None:
    said = "⏰ @annas: **milk** for @ben_k at evil\\.example"
    assert [entity.type for entity in render(said).entities] == ["code", "bold", "code", "code"]
    assert [entity.type for entity in render(said, calls=["annas"]).entities] == ["bold", "code", "code"]


def test_addresses_of_mail_and_the_web_stay_as_they_are() -> None:
    shown = render("Write to me@mail.example or see https://ok.example/a_b?c=d.")

    assert shown.entities == ()
    assert [entity["type"] for entity in judged(shown).entities] == ["email", "url"]


@pytest.mark.parametrize(
    ("markdown", "bold"),
    [
        ("**重点：**这里", ["重点："]),
        ("他说**「重点」**是", ["「重点」"]),
        ("，**重点**，**好。**然后", ["重点", "好。"]),
        ("2**3 和 **王：**的", ["王："]),
        ("`**重点：**这里`", []),
        ("```\n**重点：**这里\n```", []),
    ],
)
def test_bold_words_beside_signs_are_bold_where_no_spaces_are_written(markdown: str, bold: list[str]) -> None:
    assert [words for kind, words in marked(markdown) if kind == "bold"] == bold
    assert ("\u200a" in render(markdown).text) == (bold != [])


@pytest.mark.parametrize(
    "markdown",
    ["10**-3 bis 10**-2", "2**(3+1) and 3**(4)", "f(x)**2 + g(x)**2", "f(**kwargs) and g(**kw)", "10**−3 … 10**−2"],
)
def test_powers_and_arguments_are_shown_as_they_are_written(markdown: str) -> None:
    assert render(markdown).text == markdown


def test_signs_in_the_address_of_a_link_leave_it_a_link() -> None:
    assert [entity.url for entity in render("[a](https://a.example/x**-y**z)").entities] == [
        "https://a.example/x**-y**z"
    ]
