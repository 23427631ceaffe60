from tests.acceptance.reminders import measure


def test_reminders_in_three_languages_are_set_to_the_minute_that_is_meant() -> None:
    counts = measure("known")

    assert counts["right"] >= 0.95 * counts["sentences"] >= 190
    assert counts["wrong"] == counts["dropped"] == 0


def test_sentences_that_the_rules_were_not_written_for_are_not_dropped() -> None:
    counts = measure("held_out")

    assert counts["right"] >= 58
    assert counts["dropped"] == 0
