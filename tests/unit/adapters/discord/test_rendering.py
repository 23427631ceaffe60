from __future__ import annotations

from functools import partial
from random import Random
from textwrap import dedent, indent

import pyromark
import pytest

from adapters.discord.rendering import MAX_CHARS, render
from adapters.markdown import as_code
from adapters.markdown_events import OPTIONS
from tests.support.measure import count_calls

SHOWN = {
    "tasks": ("- [ ] to do\n- [x] done", "- ☐ to do\n- ☑ done"),
    "marks of lists": ("+ one\n+ two\n\n1) three", "- one\n- two\n\n1. three"),
    "a deep heading": ("#### Some **bold** `code` ####\ntext", "**Some bold `code`**\ntext"),
    "a heading in a list": ("- # Head\n  text", "- **Head**\n  text"),
    "a heading with a line below": ("Title\nof two lines\n===\ntext", "# Title of two lines\ntext"),
    "a heading that Discord knows": ("## Title ##\n> ### quoted", "## Title\n> ### quoted"),
    "a rule": ("a\n\n---\n\nb\n\n* * *", "a\n\n———\n\nb\n\n———"),
    "pictures": ("![a pot](https://e.org/p.png) ![](https://e.org)", "[a pot](https://e.org/p.png) <https://e.org>"),
    "a picture in a link": ("[![badge](https://e.org/b)](https://e.org)", "[badge](https://e.org)"),
    "formulas": ("$E=mc^2$, $$\\alpha_1$$, \\(x^2\\) and \\[\\beta\\]", "`E=mc²`, `α₁`, `x²` and `β`"),
    "what is no formula": ("$5 and $6, \\[sic\\], `\\(x^2\\)`", "$5 and $6, \\[sic\\], `\\(x^2\\)`"),
    "a formula of several lines": ("$$\\begin{matrix}a\\\\b\\end{matrix}$$", "```\na\nb\n```"),
    "a quotation": (">one\n> two\nthree", "> one\n> two\n> three"),
    "a quotation in a list": ("1. > one\n   > two\n2. three", "1. │ one\n   │ two\n2. three"),
    "a quotation in a quotation": ("> one\n>> two", "> one\n> │ two"),
    "code in a quotation in a list": ("- > ```py\n  > x\n  > ```", "- │ ```py\n  x\n  ```"),
    "code between other marks": ("~~~py title\nx\n~~~", "```py\nx\n```"),
    "code that holds a block": ("````md\n```\n````", "```md\n`\u200b`\u200b`\n```"),
    "indented code": ("text\n\n    one\n      two\n\ntext", "text\n\n```\none\n  two\n```\n\ntext"),
    "code that its quotation ends": ("> ```\n> x\n\ntext", "> ```\n> x```\n\ntext"),
    "code that grows": ("```py\nx =", "```py\nx ="),
    "hard breaks": ("one\\\ntwo", "one\ntwo"),
    "bold with underscores": ("__bold__ and _not_", "**bold** and _not_"),
    "other scripts": ("雪 $x^2$ 👩\n\n+ [x] 木", "雪 `x²` 👩\n\n- ☑ 木"),
}


@pytest.mark.parametrize(("written", "shown"), SHOWN.values(), ids=SHOWN)
def test_what_discord_does_not_know_is_put_in_a_way_that_it_does(written: str, shown: str) -> None:
    assert render(written).rstrip("\n") == shown


@pytest.mark.parametrize(("written", "shown"), SHOWN.values(), ids=SHOWN)
def test_what_it_knows_stays_as_it_is(written: str, shown: str) -> None:
    if "│" not in shown and "`" not in shown:
        assert render(shown) == shown


def test_a_table_in_a_list_or_quotation_becomes_code_there() -> None:
    written = dedent("""\
        1. Beds
           - | Seed | Days |
             |---|--:|
             | beans | 9 |
        > | a | b |
        > |---|---|
        > | 1 | 2 |""")

    assert as_code(written) == dedent("""\
        1. Beds
           - ```
             Seed   Days
             -----  ----
             beans     9
             ```
        > ```
        > a  b
        > -  -
        > 1  2
        > ```""")


def test_what_would_become_too_long_is_sent_as_it_is_written() -> None:
    text = "- # a\n" * (MAX_CHARS // 6)

    assert len(render(text[:60])) > 60
    assert render(text) == text


BLOCKS = (
    "word *it* **bold** `co_de` __x__", "雪 <b> ![p](https://e.org)\\\nnext", "#### deep\ntext", "Two\n---", "---",
    "***", "```py\nx = 1\n\n  y\n```", "~~~\n# code\n~~~", "    indented", "+ one\n+ [ ] two",
    "1) one\n2) two\n   more",
)  # fmt: skip


def document(random: Random, depth: int = 0) -> str:
    """Some blocks, in lists of up to three levels, and those in quotations."""
    blocks = []
    for _ in range(random.randint(1, 4)):
        if depth == 3 or random.random() < 0.6:
            blocks.append(random.choice(BLOCKS))
            continue
        first, others = random.choice([("- ", "  "), ("+ ", "  "), ("1) ", "   "), *([] if depth else [("> ", "> ")])])
        blocks.append(first + indent(document(random, depth + 1), others, lambda _: True).removeprefix(others))
    return "\n\n".join(blocks)


@pytest.mark.parametrize("seed", range(100))
def test_no_word_is_lost_and_lists_and_code_stay_what_they_are(seed: int) -> None:
    written = document(Random(seed))
    shown = render(written)

    assert letters(shown) == letters(written)
    assert structure(shown) == structure(written)


def letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


def structure(text: str) -> list[str]:
    """The items and the lines of code, but not those of quotations that Discord cannot show as such."""
    found: list[str] = []
    around: list[str] = []
    for event, _ in pyromark.events_with_range(text, options=OPTIONS):
        kind, value = ("", event) if isinstance(event, str) else next(iter(event.items()))
        tag = str(next(iter(value)) if isinstance(value, dict) else value)
        if kind == "End":
            around.pop()
        elif kind == "Start":
            around.append(tag)
            if tag == "Item" and not is_quoted(around):
                found.append("item")
        elif kind == "Text" and "CodeBlock" in around and not is_quoted(around):
            found += [f"code {line.strip()}" for line in str(value).split("\n") if line.strip()]
    return found


def is_quoted(around: list[str]) -> bool:
    """Whether a quotation is inside of a list or of another one."""
    return "BlockQuote" in [tag for tag in around if tag in {"Item", "BlockQuote"}][1:]


def test_the_work_grows_with_the_text() -> None:
    for piece in (">", "- ", "> - ", "**", "`", "\\(x^2", "$a^"):
        short, long = (count_calls(partial(render, piece * count)) for count in (100, 400))
        assert long < 8 * short + 1000, piece
