from __future__ import annotations

from memory.index.compounds import LONG, backwards, forms


def test_long_words_are_read_from_their_ends_once() -> None:
    assert backwards("der kellerschlussel hangt kellerschlussel v2.3.0.4.5") == "~lessulhcsrellek"
    assert backwards("x" * (LONG - 1)) == ""
    assert backwards("") == ""


def test_a_word_stands_for_compounds_that_begin_or_end_with_it() -> None:
    assert forms("Schlüssel", ("schlussel",)) == ("schlussel*", "~lessulhcs*")
    assert forms("Keller", ("kell",)) == ("keller*", "~llek*")


def test_short_words_and_identifiers_are_no_parts() -> None:
    assert forms("Rad", ("rad",)) == ()
    assert forms("v2.3.0", ("v2.3.0",)) == ()
