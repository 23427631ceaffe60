from __future__ import annotations

from random import Random

import pytest

from adapters.telegram.rendering import render
from bot.access.links import hosts, readable
from tests.servers.telegram.texts import Texts

KNOWN = frozenset({"docs.example"})
JUDGE = Texts()
FOREIGN = [  # what a model says that has read somebody's orders, and what is shown
    ("Look: https://evil.example/?d=4711", "Look: `https://evil.example/?d=4711`"),
    ("[Click](https://evil.example/?d=4711).", "Click (`https://evil.example/?d=4711`)."),
    ("![](https://evil.example/4711.png)", "(`https://evil.example/4711.png`)"),
    ('[**a** [b]](https://evil.example/x "title")', '[**a** [b]] (`https://evil.example/x` "title")'),
    ("evil.example/4711 and 4711.evil.example", "`evil.example/4711` and `4711.evil.example`"),
    ("`a`https://evil.example/x", "`a` `https://evil.example/x`"),
    ("``https://evil.example/x", "\\`\\` `https://evil.example/x`"),
    ("https://docs.example@evil.example/x", "`https://docs.example@evil.example/x`"),
    ("[a](https://docs.example.evil.example/x)", "a (`https://docs.example.evil.example/x`)"),
    ("https://evil.example/a_(b).", "`https://evil.example/a_(b)`."),
    ("[Jay](https://evil.example/a_(b)_(c))", "Jay (`https://evil.example/a_(b)_(c)`)"),
    ("(https://evil.example/((a)", "(`https://evil.example/((a)`"),
    ("|[Jay](https://evil.example/a)|4711|", "|Jay (`https://evil.example/a`)|4711|"),
    ("|evil.example/a|https://docs.example|", "|`evil.example/a`|https://docs.example|"),
    ("https://docs.example|evil.example/x", "https://docs.example|`evil.example/x`"),
    ("https://docs.example/a and [b](https://docs.example/c)", None),
    ("```\ncurl https://evil.example/x\n```", None),
    ("`https://evil.example/x` in code, me@evil.example", None),
]
CLEAN = [
    ("Look: https://other.example/page?q=1", None),
    ("[Manual](https://docs.example/a) and [notes](memory/2026-01-20.md#L4)", None),
    ("[Manual](https://other.example/a?q=1)", "Manual (https://other.example/a?q=1)"),
    ("[https://docs.example](https://other.example/a)", "https://docs.example (https://other.example/a)"),
    ("[https://other.example/a](https://other.example/a)", "https://other.example/a"),
    ("![Map](https://other.example/a.png)", "Map (https://other.example/a.png)"),
    ("[x](&#104;ttps://other.example/a)", "x (&#104;`ttps://other.example/a`)"),
    ("[x](tg://resolve?domain=a)", "x (`tg://resolve?domain=a`)"),
    ("[x](javascript:alert) data:text/html,x", "x (`javascript:alert`) `data:text/html,x`"),
    ("At 12:30: see file.txt, e.g. a[0](1) or x::y, note: data: 7", None),
]


@pytest.mark.parametrize(("said", "shown"), FOREIGN)
def test_after_foreign_text_a_link_to_a_host_that_nobody_named_is_code(said: str, shown: str | None) -> None:
    assert readable(said, known=KNOWN, is_foreign=True) == (said if shown is None else shown)


@pytest.mark.parametrize(("said", "shown"), CLEAN)
def test_without_foreign_text_a_link_shows_where_it_leads(said: str, shown: str | None) -> None:
    assert readable(said, known=KNOWN, is_foreign=False) == (said if shown is None else shown)


def test_the_hosts_that_somebody_named_are_known() -> None:
    said = "See https://www.Docs.example:8080/x?y, (jays.example) and me@mail.example; not user@x.example/y."

    assert hosts(said) == {"docs.example", "jays.example"}


def test_whatever_markup_is_put_around_it_telegram_makes_no_link_of_it() -> None:
    random = Random(1)
    pieces = "` `` ``` ~~~ ** * _ ~~ [a]( ) ]( ![ ]: [x]: < > ( \\ \n \n\n > - | $ &#46; .".split(" ")
    pieces += ["    ", "\n```\n"]
    addresses = [
        "https://evil.example/?d=1",
        "evil.example/x",
        "evil**.**example.com/x",
        "evil\\.com/x",
        "tg://resolve?domain=x",
    ]
    for number in range(150):
        parts = [random.choice(pieces) for _ in range(random.randint(0, 12))]
        parts.insert(random.randint(0, len(parts)), random.choice(addresses))
        said = "".join(parts)
        shown = render(readable(f"word {said}", known=KNOWN, is_foreign=True))
        seen = JUDGE.message(shown.text, entities=[entity.to_dict() for entity in shown.entities])
        links = [one for one in seen.entities if one["type"] in {"url", "text_link"}]
        assert not links, (number, said, shown.text, links)


@pytest.mark.parametrize("unit", ["[](", "]( ", "`a", "a.", "https://", "[a](b", "aaaa", "[](()", "\\`", "@a", "//"])
def test_long_answers_are_read_in_linear_time(unit: str) -> None:
    whole = readable(unit * (60_000 // len(unit)), known=KNOWN, is_foreign=True)

    assert len(whole) >= 59_000
