"""Regular expressions that are compiled only for a text in which they may be found."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.language.patterns import MAX_ASKED_CHARS, NOTHING, Pattern, required_pieces


def test_nothing_is_found_nowhere() -> None:
    assert NOTHING.search("anything") is None


def test_a_pattern_is_compiled_when_it_is_first_looked_for() -> None:
    broken = Pattern("(")

    with pytest.raises(re.error):
        broken.search("anything")
    with pytest.raises(re.error):
        broken.match("anything")


def test_a_pattern_looks_between_two_places() -> None:
    pattern = Pattern("b+", re.IGNORECASE)

    assert pattern.fullmatch("aBBc", 1, 3)
    assert not pattern.fullmatch("aBBc", 1)
    assert [found[0] for found in pattern.finditer("abcBB")] == ["b", "BB"]


_EXPRESSIONS = {
    "forget": {"forget"},
    r"(?<!\w)(?:forget|let +go)(?!\w)": {" forget ", " let go "},
    r"(?<!\w)(?:at\s+(?:\d{1,2}|ten))(?!\w)": {" at "},
    r"(?<!\w)(?:(?-i:So) +um +)?(?:[0-2]\d|zehn)(?!\w)": {"00 ", "zehn "},
    "(?:a |@|b)c|19": {"c", "00"},
    r"(?<!\w)(?:(?:the +)?key|code)(?!\w)": {"key ", " code "},
    r"(?<!\w)(?:(?:my|the) *key)(?!\w)": {"key "},
    "keys?": {"key"},
    "ke{2}n+ess": {"ness"},
    "ab{0,3}cde": {"cde"},
    r"don't\.x": {"don t x"},
    "(?=.*(?:maybe))": {"maybe"},
    "(?!no)yes": {"yes"},
    r"\w+": set(),
    "a|.": set(),
    "(?i:yes)": set(),
    r"\u0041bc": {"bc"},
    r"\101bc(d)\1": {"bc"},
    r"\\s+x": {"sx"},
    r"\N{DIGIT ONE}2": {"0"},
}


@pytest.mark.parametrize(("expression", "pieces"), _EXPRESSIONS.items())
def test_of_an_expression_the_pieces_are_known_of_which_every_match_has_one(expression: str, pieces: set[str]) -> None:
    assert required_pieces(expression) == pieces


@pytest.mark.parametrize("text", ["forget it", "please, forget: it", "LET  GO", "let\tgo", "(let go)"])
def test_a_pattern_is_found_as_without_looking_for_its_pieces_first(text: str) -> None:
    expression = r"(?<!\w)(?:forget|let\s+go)(?!\w)"

    pattern = Pattern(expression, re.IGNORECASE)

    assert pattern.search("nothing of the kind") is None
    assert pattern._compiled is None
    found, plain = pattern.search(text), re.search(expression, text, re.IGNORECASE)
    assert found
    assert plain
    assert found.span() == plain.span()
    assert pattern.sub("-", text) == re.sub(expression, "-", text, flags=re.IGNORECASE)


def test_any_digit_is_one() -> None:
    pattern = Pattern(r"(?<!\w)(?:at )?\d{1,2}:[0-5]\d")

    assert pattern.search("at ten") is None
    assert pattern._compiled is None
    assert [found[0] for found in pattern.finditer("at 9:30, or ١٢:15")] == ["at 9:30", "١٢:15"]


def test_letters_that_are_the_same_one_when_case_is_ignored_are_found_too() -> None:
    signs = map(chr, range(sys.maxunicode + 1))
    cased = "".join(each for each in signs if {each.lower(), each.upper(), each.casefold()} != {each})

    same = [(each, other) for each in filter(str.isalpha, cased) for other in re.findall(each, cased, re.IGNORECASE)]

    assert {("i", "ı"), ("k", "\u212a"), ("s", "ſ"), ("σ", "ς"), ("ι", "\u0345")} <= {*same}
    assert [pair for pair in same if not Pattern(f"x{pair[0]}y", re.IGNORECASE).search(f"X{pair[1]}Y")] == []


def test_a_sigma_is_found_at_the_end_of_a_word_too() -> None:
    assert Pattern("κράτησ", re.IGNORECASE).search("ΚΡΆΤΗΣ") is not None


@given(st.data())
@pytest.mark.parametrize("expression", sorted(_EXPRESSIONS))
@pytest.mark.parametrize("flags", [0, re.IGNORECASE])
@settings(max_examples=20)
def test_whatever_an_expression_matches_is_found(expression: str, flags: int, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(re.compile(expression, flags)))

    found = [match.span() for match in Pattern(expression, flags).finditer(text)]

    assert found
    assert found == [match.span() for match in re.finditer(expression, text, flags)]


def test_a_long_text_is_not_read_again_at_each_of_its_places() -> None:
    pattern = Pattern("forget")

    assert pattern.match("a" * MAX_ASKED_CHARS) is None
    assert pattern._compiled is None
    assert pattern.match("a" * (MAX_ASKED_CHARS + 1), 5) is None
    assert pattern._compiled is not None


def test_a_text_that_lacks_what_is_looked_for_is_returned_as_it_is() -> None:
    assert Pattern("absent").sub("", "the key") == "the key"
    assert list(Pattern("absent").finditer("the key")) == []


@pytest.mark.parametrize("text", ["hello", "The key is in the shed.", "Katie works at the bakery since 2019."])
def test_the_first_message_compiles_the_patterns_of_its_own_language_alone(text: str) -> None:
    """In a new process: the phrases about what is remembered are 260 patterns of six languages."""
    code = (
        "import sys\n"
        "from memory.capture import act_of, draft, wish\n"
        "from memory.capture.grammar import grammar_patterns\n"
        "from memory.capture.wishes.phrases import wish_phrases\n"
        "assert wish(sys.argv[1]) is None\n"
        "act_of(sys.argv[1])\n"
        "draft(sys.argv[1])\n"
        "for code in ('en', 'de', 'es', 'fr', 'it', 'pt'):\n"
        "    known = wish_phrases(code)\n"
        "    lists = [*known.patterns.values(), *sum(known.ordered.values(), ()), known.closing, known.after]\n"
        "    print(sum(pattern._compiled is not None for pattern in lists))\n"
        "grammar = grammar_patterns()\n"
        "print(sum(pattern._compiled is not None for pattern in (*grammar.contrasts, *grammar.renewed)))"
    )

    ran = subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True, check=True)

    english, *others = map(int, ran.stdout.split())
    assert english <= 3
    assert not any(others)


@pytest.mark.parametrize(("text", "most"), [("hello", 1), ("The key is in the shed.", 10), ("remind me at 5pm", 25)])
def test_a_message_compiles_the_words_for_times_alone_that_it_may_have(text: str, most: int) -> None:
    code = (
        "import sys\n"
        "from datetime import datetime\n"
        "from zoneinfo import ZoneInfo\n"
        "from memory.capture.wishes.reminders import read_reminder\n"
        "from memory.language.time.instant_words import grammar\n"
        "read_reminder(sys.argv[1], datetime(2026, 5, 4, tzinfo=ZoneInfo('UTC')))\n"
        "rules = [pattern for code in ('en', 'de') for _, pattern in grammar(code).rules]\n"
        "print(len(rules), sum(pattern._compiled is not None for pattern in rules))"
    )

    ran = subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True, check=True)

    known, compiled = map(int, ran.stdout.split())
    assert known > 150
    assert compiled <= most


def test_a_pattern_that_is_compiled_ahead_is_found_as_ever() -> None:
    pattern, broken = Pattern("forget|let go"), Pattern("(")

    pattern.compile()

    assert pattern.search("please let go")
    assert pattern.search("nothing of the kind") is None
    with pytest.raises(re.error):
        broken.compile()
