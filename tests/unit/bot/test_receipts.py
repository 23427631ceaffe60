from __future__ import annotations

from bot.receipts import indented, listed, noted, quoted
from memory import OWNER, Citation, Fact, Hit, Kind, Origin, Written

PLACE = Citation("memory/2026-11-21.md", 12, 12)
SAID = "The key is\nunder  the pot."
HIT = Hit("k3f9a2mq", Kind.WORLD, "2026-11-21", (), SAID, PLACE, PLACE, OWNER, Origin.OWNER, 1.0)


def test_a_write_is_confirmed_with_its_place_and_how_it_was_read() -> None:
    fact = Fact("Ada likes tea.", Kind.OPINION, ("Ada", "tea"), "preference", "k3f9a2mq")

    assert noted(Written(fact, PLACE, "the line")) == (
        "Noted in memory/2026-11-21.md:12 — ^k3f9a2mq\nopinion · @Ada · @tea · #preference"
    )


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
