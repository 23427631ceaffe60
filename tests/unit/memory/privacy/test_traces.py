from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import Fact
from memory.privacy.traces import MARK, Traces, candidates, phrase

KEY = Fact("The spare key of the boat house is under the blue flowerpot.")
PIN = Fact("The pin of the door is 4711, ask Kranz.", entities=("Kranz",))
LIST = Fact("Shopping for Sunday:\n- milk\n- eggs\n- flour")
PAGE = Fact("The tenant Ludger Behnke owes three months. His lawyer is Frau Osthoff. Yes.")


def masked(fact: Fact, text: str, *, elsewhere: tuple[str, ...] = ()) -> str:
    return Traces.of([fact], [phrase(one) for one in elsewhere]).masked(text)


@pytest.mark.parametrize(
    "text",
    [
        "The spare key of the boat house is under the blue flowerpot.",
        "the SPARE key of the  boat house is under the blue flowerpot",
        "> **The spare key of the boat house** is under the _blue_ flowerpot!",
        "The spare\nkey of the boat house is\nunder the blue flowerpot.",
        "I noted: the spare key of the boat house is under the blue flowerpot, as you said.",
    ],
)
def test_the_statement_is_found_whatever_its_case_spacing_and_quoting(text: str) -> None:
    assert "flowerpot" not in masked(KEY, text)
    assert MARK in masked(KEY, text)


def test_only_the_sentence_that_repeats_it_is_masked() -> None:
    text = "Good morning! The spare key of the boat house is under the blue flowerpot. Is it raining?"

    assert masked(KEY, text) == f"Good morning! {MARK} Is it raining?"


def test_neighbouring_sentences_become_one_mark_and_lines_stay_lines() -> None:
    text = "One.\n\nThe tenant Ludger Behnke owes three months. His lawyer is Frau Osthoff.\nTwo."

    assert masked(PAGE, text) == f"One.\n\n{MARK}\nTwo."


def test_what_opens_a_line_stays() -> None:
    assert masked(KEY, "2. > the boat house key is under the flowerpot") == f"2. > {MARK}"
    assert masked(PIN, "/remember The pin of the door is 4711") == f"/remember {MARK}"


def test_an_address_that_has_no_word_tells_nothing() -> None:
    oath = Fact("My boss said what the $#@!% to me on the boat.")

    assert Traces.of([oath], candidates([oath])).masked("What the $#@!% is that?") == "What the $#@!% is that?"
    assert masked(oath, "My boss said what the $#@!% to me on the boat.") == MARK
    assert all(candidates([oath]))


def test_most_of_its_content_words_are_enough_and_fewer_are_not() -> None:
    common = ("spare", "key", "boat", "house", "under", "blue", "flowerpot")

    assert masked(KEY, "the key to the boat house: flowerpot, blue", elsewhere=common) == MARK
    assert masked(KEY, "where is the key of the house?", elsewhere=common) == "where is the key of the house?"


def test_who_says_another_fact_that_is_much_the_same_does_not_repeat_this_one() -> None:
    other = Fact("The spare key of the boat house is under the red flowerpot.")
    common = ("spare", "key", "boat", "house", "under", "flowerpot")
    traces = Traces.of([KEY], [phrase(one) for one in common]).sparing([other])

    assert traces.masked(f"{other.text} {KEY.text}") == f"{other.text} {MARK}"
    assert traces.masked("spare key of the boat house: under a flowerpot") == MARK


def test_what_another_fact_says_word_for_word_is_still_known() -> None:
    traces = Traces.of([KEY], [phrase(word) for word in KEY.text.split()]).sparing([KEY])

    assert traces.masked(KEY.text) == KEY.text


@pytest.mark.parametrize("text", ["is it 4711?", "Ask KRANZ about it.", "kranz-and-sons.md"])
def test_a_number_and_a_name_tell_wherever_they_stand(text: str) -> None:
    assert MARK in masked(PIN, text)


def test_a_name_that_memory_still_knows_does_not_tell() -> None:
    assert masked(PIN, "Ask Kranz about it.", elsewhere=("Kranz",)) == "Ask Kranz about it."


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("Write to ada.l@example.org.", "her mail: ada.l@example.org"),
        ("The plan is at https://example.org/plan7.", "see https://example.org/plan7 please"),
        ("Her phone: 030 7654321.", "call 030 7654321 now"),
        ("The serial is XK92B.", "xk92b?"),
        ("IBAN DE89 3704 0044 0532 0130 00", "it begins with DE89 3704 0044"),
    ],
)
def test_addresses_and_numbers_are_identifiers(statement: str, text: str) -> None:
    assert MARK in masked(Fact(statement), text)


@pytest.mark.parametrize("text", ["In 2026 we go.", "at 14:30 then", "on 2026-03-02 it snows", "2 pots"])
def test_years_days_times_and_small_numbers_are_not(text: str) -> None:
    fact = Fact("In 2026, on 2026-03-02 at 14:30, two of 2 came.")

    assert Traces.of([fact], []).narrowed([text]).masked(text) == text


def test_a_rare_word_counts_until_it_is_met_where_the_fact_is_not_spoken_of() -> None:
    traces = Traces.of([KEY], [])

    assert traces.masked("What about the flowerpot?") == MARK
    assert traces.narrowed(["I like my flowerpot."]).masked("What about the flowerpot?") == "What about the flowerpot?"


def test_what_a_fact_was_made_of_tells_by_the_sentence_with_most_of_its_words() -> None:
    traces = Traces.of([Fact("The spare key is under the red pot.")], [])
    said = "My cat is red. Actually it is under the red pot. Bye!"
    assert not traces.matches(said)

    told = traces.told_as([said])

    assert told.masked(said) == f"My cat is red. {MARK} Bye!"
    assert not told.matches("The red pot is new.")
    assert not told.narrowed([said]).matches(said)
    assert traces.told_as(["Bye! See you."]) == traces
    assert traces.told_as(["The spare key is under the red pot."]) == traces


def test_an_identifier_counts_also_where_others_use_it() -> None:
    assert Traces.of([PIN], []).narrowed(["4711 is a perfume"]).masked("It is 4711.") == MARK


def test_a_list_is_found_as_a_whole_and_its_items_alone_are_not() -> None:
    common = ("shopping", "sunday", "milk", "eggs", "flour")

    found = masked(LIST, "I noted:\n  > Shopping for Sunday:\n  > - milk\n  > - eggs\n  > - flour", elsewhere=common)

    assert found == f"I noted:\n  > {MARK}\n  > - {MARK}\n  > - {MARK}\n  > - {MARK}"
    assert masked(LIST, "- milk", elsewhere=common) == "- milk"


def test_a_statement_that_was_cut_off_is_recognised() -> None:
    common = ("spare", "boat", "house", "under", "blue", "flowerpot")

    assert masked(KEY, "- The spare key of the b…", elsewhere=common) == f"- {MARK}"
    assert masked(KEY, "The spare…", elsewhere=common) == "The spare…"


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("张伟的护照号码是什么都不说的秘密。", "我听说张伟来了"),
        ("秘密の鍵は植木鉢の下です。", "植木鉢を見た"),
        ("여권은 서랍에 있다", "서랍을 봐"),
        ("กุญแจอยู่ใต้กระถาง", "กระถางอยู่ไหน"),
    ],
)
def test_scripts_without_spaces_are_told_by_pairs_of_characters(statement: str, text: str) -> None:
    assert masked(Fact(statement), text) == MARK


def test_among_many_facts_each_is_recognised_as_if_it_were_alone() -> None:
    others = [Fact(f"Box {number} of {number + 1000} holds jar {number}.") for number in range(100, 130)]
    facts = [KEY, PAGE, *others]
    traces = Traces.of(facts, candidates(facts))

    assert traces.masked(f"Hello.\n{KEY.text} Bye.") == f"Hello.\n{MARK} Bye."
    assert traces.masked("The tenant Ludger…\nIs it raining?") == f"{MARK}\nIs it raining?", "cut off inside a text"
    assert traces.masked("> The spare key of the\n> boat house is under the blue\n> flowerpot.").count(MARK) == 3
    assert traces.masked("Where is the spare jar of the lawyer?") == "Where is the spare jar of the lawyer?"


def test_marking_twice_changes_nothing_more() -> None:
    once = masked(PAGE, "The tenant Ludger Behnke owes three months. And you?")

    assert masked(PAGE, once) == once


def test_the_lines_of_a_text_are_counted_from_zero() -> None:
    assert Traces.of([KEY], []).lines("a\nthe blue flowerpot\nb\n\nflowerpot") == [1, 4]


def test_the_candidates_are_what_is_looked_for_elsewhere() -> None:
    assert {" kranz ", " 4711 ", " door "} <= candidates([PIN])
    assert " the " not in candidates([PIN])


@given(st.text(st.characters(max_codepoint=127)))
def test_a_text_in_ascii_has_the_same_words_beside_one_that_is_not(text: str) -> None:
    assert phrase(f"{text} Übung") == f"{phrase(text) or ' '}übung "


@given(st.text())
def test_no_text_makes_it_raise_and_what_is_masked_is_clean(text: str) -> None:
    traces = Traces.of([KEY, PIN, LIST], [])

    again = traces.masked(text)

    assert not traces.matches(again)
    assert again == text or MARK in again
    assert again.count("\n") == text.count("\n")


@given(st.text(min_size=1), st.text())
def test_a_fact_of_any_text_is_found_where_that_text_is_repeated(said: str, more: str) -> None:
    traces = Traces.of([Fact(said)], candidates([Fact(said)]))

    assert bool(traces.statements) == traces.matches(f"{more}\n{said}\n{more}")


def test_a_sentence_that_says_another_fact_is_none_that_a_forgotten_one_was_told_in() -> None:
    traces = Traces.of([Fact("The spare key is under the red pot.")], []).sparing([Fact("The red pot is mine.")])
    said = "The red pot is mine. Bye!"
    assert traces.told_as([said]).masked(said) == said


def test_of_a_message_with_a_masked_sentence_another_tells_only_by_two_words() -> None:
    traces = Traces.of([Fact("The spare key is under the red pot.")], [])
    assert traces.told_as([f"My cat is red. {MARK}"]) == traces
    assert traces.told_as([said := f"{MARK} It is in the red pot."]).masked(said) == MARK
