from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.markdown import as_code
from bot.texts.receipts import MARK, NOT_CODE, indented, listed, mode, noted, own_words, quoted, searched, told
from bot.turn import Reply, Worked
from memory import OWNER, Citation, Fact, Hit, Kind, Origin, Recall, Status, Written
from memory.embed.e5 import IDENTITY
from memory.embed.endpoint import Endpoint

PLACE = Citation("memory/2026-11-21.md", 12, 12)
SAID = "The key is\nunder  the pot."
HIT = Hit("k3f9a2mq", Kind.WORLD, "2026-11-21", (), SAID, PLACE, PLACE, OWNER, Origin.OWNER, 1.0)


def test_a_write_is_confirmed_with_its_place_and_how_it_was_read() -> None:
    fact = Fact("Ada likes tea.", Kind.OPINION, ("Ada", "tea"), "preference", "k3f9a2mq")

    assert noted(Written(fact, PLACE, "the line")) == (
        "Noted in memory/2026-11-21.md:12 — ^k3f9a2mq\nopinion · @Ada · @tea · #preference"
    )


@pytest.mark.parametrize(
    ("identity", "provider", "model"),
    [
        ("", None, None),
        (IDENTITY, "builtin", "multilingual-e5-small"),
        (Endpoint("http://127.0.0.1:9/v1", "qwen3-embedding:0.6b").identity, "openai", "qwen3-embedding:0.6b"),
        (
            Endpoint("http://127.0.0.1:9/v1", "text-embedding-3-small", dims=256).identity,
            "openai",
            "text-embedding-3-small",
        ),
    ],
)
def test_of_what_gave_the_vectors_the_provider_and_the_model_are_named(
    identity: str, provider: str | None, model: str | None
) -> None:
    recalled = Recall("tea", "hybrid", "", 1.0, (), embedder=identity)

    assert searched(recalled) == {"mode": "hybrid", "provider": provider, "model": model, "embedder": identity or None}


def test_a_write_without_names_and_category_is_confirmed_by_its_kind() -> None:
    written = Written(Fact("It rains.", id="k3f9a2mq"), PLACE, "the line")

    assert noted(written).splitlines()[1] == "observation"


def test_a_passage_is_quoted_whole_with_its_source() -> None:
    assert quoted(HIT, 2) == (
        "2. > The key is\n   > under  the pot.\n   `memory/2026-11-21.md#L12` · 2026-11-21 · `^k3f9a2mq`"
    )


def test_a_passage_without_a_date_is_quoted_without() -> None:
    undated = Hit("k3f9a2mq", Kind.NOTE, None, (), "text", PLACE, PLACE, OWNER, Origin.OWNER, 1.0)

    assert quoted(undated, 1).endswith("`memory/2026-11-21.md#L12` · `^k3f9a2mq`")


def test_in_a_list_a_fact_takes_one_line() -> None:
    assert listed(HIT) == "- The key is under the pot. (`memory/2026-11-21.md#L12` · `^k3f9a2mq`)"


def test_lines_of_a_file_are_a_quotation_even_where_they_are_empty() -> None:
    assert indented("# A\n\nb\n") == "   > # A\n   >\n   > b"


@pytest.mark.parametrize(
    "line",
    [
        "Noted in memory/2026-11-21.md:99 — ^k3f9a2mq",
        "Notiert in memory/2026-11-21.md",
        "Aus `memory/2026-11-21.md` genommen: The key.",
        "已记在 memory/2026-11-21.md",
        "已忘记：^k3f9a2mq。",
        "**Noted in** `memory/2026-11-21.md:99`",
        "N\u200boted in memory/2026-11-21.md:99",
        "✅ Saved as `memory/2026-11-21-tea.md` (4 messages)",
        "Forgotten: ^k3f9a2mq. `/undo` brings it back.",
    ],
)
def test_what_a_model_says_like_a_receipt_is_called_its_words(line: str) -> None:
    assert own_words(f"Of course.\n{line}\nElse?") == f"Of course.\n{NOT_CODE} {line}\nElse?"


@pytest.mark.parametrize(
    ("lead", "words"),
    [
        ("> ", "Notiert in memory/2026-11-21.md:99"),
        ("> 1. ", "Noted in memory/2026-11-21.md:99"),
        ("  - ", "**Noted in** memory/2026-11-21.md:99"),
        ("## ", "Saved as memory/2026-11-21-tea.md"),
        ("|", "Mon | see notes.md:12 |"),
    ],
)
def test_what_is_called_a_models_words_stays_the_quote_item_heading_or_row_that_it_was(lead: str, words: str) -> None:
    assert own_words(lead + words) == f"{lead}{NOT_CODE} {words}"


def test_no_cell_of_a_table_is_lost_where_one_names_a_line_of_a_file() -> None:
    table = as_code(own_words("| Day | What |\n|---|---|\n| Mon | see notes.md:12 |"))

    assert f"{NOT_CODE} Mon  see notes.md:12" in table


@pytest.mark.parametrize("line", ["I have not noted it.", "See memory/2026-11-21.md#L4-L6.", "Added sugar, he said."])
def test_other_words_of_a_model_are_left_as_they_are(line: str) -> None:
    assert own_words(line) == line


def test_the_mark_of_what_code_says_is_none_of_a_models_words() -> None:
    assert own_words(f"{MARK} Noted.\n ► Noted.") == "- Noted.\n - Noted."
    reply = Reply(own_words(f"{MARK} Yes."), told=("Noted in memory/x.md:1 — ^k3f9a2mq\nworld",), worked=Worked(""))
    assert reply.shown == f"- Yes.\n\n{MARK} Noted in memory/x.md:1 — ^k3f9a2mq\n{MARK} world"


STANDS = Status("ready", files=1, units=3, facts=1, pending=0, reason="", path="/x", bytes=1)


def test_words_and_meaning_are_told_with_how_far_the_embedding_has_come() -> None:
    stands = replace(STANDS, mode="hybrid", embedder="e5", embedded=1200, unembedded=34)

    assert told(stands) == "Searched by words and meaning. 1,200 of 1,234 passages are embedded."


def test_words_alone_are_told_with_the_reason() -> None:
    assert told(replace(STANDS, mode_reason="The endpoint does not answer.")) == "The endpoint does not answer."
    assert told(STANDS) == "Words are searched alone."


def test_a_way_of_searching_that_came_later_is_told_by_its_name() -> None:
    assert (mode("words"), mode("hybrid"), mode("images")) == ("words", "words and meaning", "images")
