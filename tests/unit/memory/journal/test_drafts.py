"""Records drafted for a page that is as the last fact has left it, and for the same page read anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from memory.errors import Unparsable
from memory.files.notation import format_fact, normal, parse_fact
from memory.index.units import read_facts
from memory.journal.drafts import FactDrafts
from memory.journal.edits import encode
from memory.journal.placement import Placement
from memory.journal.records import Record
from memory.types import Fact
from tests.unit.memory.conftest import make_record

LOG = Placement("memory/2026-11-21.md")
PAGE = Placement("bank/opinions.md")

LINES = st.sampled_from(
    [
        "# 2026-11-21", "## Retain", "## Other", "### Retain", "text", "anna: hello", "- ben: hello", "- W: a fact ^x1",
        "- a", "  below", "", "```", "~~~", "<!--", "-->", "<!-- scrubjay:begin a -->", "<!-- scrubjay:end a -->",
        "| a | b |", "---", "---\norigin: untrusted\n---", "1. one", "2. two",
    ]
)  # fmt: skip
PAGES = st.none() | st.lists(LINES, max_size=12).flatmap(
    lambda lines: st.sampled_from(["\n".join(lines), "\n".join(lines) + "\n", "\r\n".join(lines)])
)
WORDS = st.text(st.sampled_from("a^b1 `~-<!>#:@|*\t\n\\"), min_size=1, max_size=24)
TEXTS = st.lists(
    WORDS | st.sampled_from(["The key is here.", "ends --> here", "```", "a\nb", "a\n```\nb"]), min_size=2, max_size=5
)
PLACES = st.sampled_from([LOG, LOG, PAGE])


def drafted(drafts: FactDrafts, text: str, number: int, place: Placement, content: bytes | None) -> Record | str:
    """The record of a fact, or why there is none."""
    fact = normal(Fact(text, id=f"id{number}"))
    try:
        return drafts.draft(replace(make_record(number), target=f"id{number}"), fact, format_fact(fact), place, content)
    except Unparsable as error:
        return str(error)


def written(content: bytes | None, record: Record) -> bytes:
    return (content or b"") + encode(record.after or "")


@given(page=PAGES, texts=TEXTS, place=PLACES)
@example(page="<!--\n\n## Retain\n", texts=["a", "b --> c"], place=LOG)
@example(page="```\n## Retain\n", texts=["a", "b"], place=LOG)
@example(page="## Retain\n", texts=["a\n```\nb", "b"], place=LOG)
def test_a_page_that_is_as_it_was_left_is_appended_to_as_if_it_were_read(
    page: str | None, texts: Sequence[str], place: Placement
) -> None:
    content, drafts = None if page is None else encode(page), FactDrafts(read_facts)
    for number, text in enumerate(texts):
        record = drafted(drafts, text, number, place, content)
        assert record == drafted(FactDrafts(read_facts), text, number, place, content)
        if isinstance(record, Record):
            content = written(content, record)
            drafts.keep_ending(place.path, content)


def test_a_page_that_was_changed_meanwhile_is_read_again() -> None:
    drafts = FactDrafts(read_facts)
    content = b"## Retain\n- W: one ^a1\n"
    drafts.keep_ending(LOG.path, content)

    edited = content + b"\n## Plans\n"
    record = drafted(drafts, "two", 2, LOG, edited)

    assert isinstance(record, Record)
    assert record.after == "\n## Retain\n- S: two ^id2\n"
    assert [fact.text for fact in read_facts(LOG.path, written(edited, record).decode())] == ["one", "two"]


def test_a_long_page_is_read_whole() -> None:
    drafts, content = FactDrafts(read_facts), b"## Retain\n- W: one ^a1\n" + b"\n" * 120_000
    drafts.keep_ending(LOG.path, content)

    assert "could not be read back" in str(drafted(drafts, "two", 2, LOG, content))


def test_what_is_unknown_is_not_taken_for_what_was_left() -> None:
    drafts = FactDrafts(read_facts)
    drafts.keep_ending(LOG.path, None)

    record = drafted(drafts, "one", 1, LOG, None)

    assert isinstance(record, Record)
    assert (record.after or "").startswith("# 2026-11-21\n\n## Retain\n")
    assert parse_fact((record.after or "").splitlines()[-1]).text == "one"
