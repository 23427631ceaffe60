from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory.capture.wishes.reminders import read_reminder, read_typed
from memory.language.time.instants import Unclear

NOW = datetime(2026, 11, 23, 10, 15, tzinfo=ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize(
    "text",
    [
        "Don't remind me tomorrow",
        "Erinnere mich morgen bitte nicht an den Termin",
        "明天别提醒我",
        "remind me what Ana said yesterday",
        "Call Ana tomorrow at 9",
        "",
    ],
)
def test_what_is_no_order_to_be_reminded_is_none(text: str) -> None:
    assert read_reminder(text, NOW) is None


def test_a_language_whose_times_are_not_read_is_asked_back() -> None:
    found = read_reminder("Rappelle-moi demain à 20 h de sortir les poubelles", NOW)

    assert found is not None
    assert found.when.lack is Unclear.MISSING


def test_what_is_typed_after_the_command_needs_no_order() -> None:
    found = read_typed("every weekday at 9 stand-up", NOW)

    assert (found.what, found.when.every) == ("stand-up", "0 9 * * 1-5")


@pytest.mark.parametrize("days", [0, 5])
@pytest.mark.parametrize(
    "text",
    [
        "remind me at the end of next month to pay rent",
        "remind me a week from Tuesday to renew",
        "remind me before Friday to pay",
        "remind me on the 2nd Friday in January to pay",
        "remind me a day before 24 December to buy gifts",
        "erinnere mich übernächsten Montag an den Bericht",
        "erinnere mich eine Stunde vor 18 Uhr an den Zug",
        "erinnere mich am ersten Montag im Dezember an den Bericht",
        "提醒我下个月底交房租",
    ],
)
def test_a_time_of_which_only_a_part_is_understood_is_asked_for(text: str, days: int) -> None:
    found = read_reminder(text, NOW + timedelta(days=days))

    assert found is not None
    assert found.when.lack is Unclear.VAGUE


def test_two_orders_in_one_message_are_not_made_one() -> None:
    found = read_reminder("Remind me tomorrow at 9 to call Ana\nRemind me on Monday at 10 to pay the rent", NOW)

    assert found is not None
    assert found.when.lack is Unclear.SEVERAL


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("remind me tomorrow evening after work to call Ana", "after work to call Ana"),
        ("remind me on Monday before lunch to call Ana", "before lunch to call Ana"),
        ("erinnere mich morgen Abend nach der Arbeit an die Milch", "nach der Arbeit an die Milch"),
        ("remind me tomorrow at 9 to pay before Friday", "pay before Friday"),
    ],
)
def test_before_and_after_something_else_than_a_time_leave_the_time_as_it_is(text: str, what: str) -> None:
    found = read_reminder(text, NOW)

    assert found is not None
    assert (found.when.lack, found.what) == (None, what)
