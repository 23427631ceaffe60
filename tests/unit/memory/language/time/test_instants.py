from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memory.language.time.instants import Unclear, as_local, find_when, instant_of

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 23, 10, 15, tzinfo=BERLIN)


def test_a_time_behind_the_order_wins_over_one_in_what_is_to_be_done() -> None:
    found = find_when("tomorrow book the train for Friday at 8 with Ana", NOW)

    assert found.due == datetime(2026, 11, 24, 9, tzinfo=BERLIN)
    assert found.rest == "book the train for Friday at 8 with Ana"


def test_a_day_at_the_beginning_and_a_time_at_the_end_are_one_instant() -> None:
    found = find_when("tomorrow call Ana at 8 pm", NOW)

    assert found.due == datetime(2026, 11, 24, 20, tzinfo=BERLIN)
    assert found.rest == "call Ana"


@pytest.mark.parametrize(
    ("text", "lack"),
    [
        ("call Ana", Unclear.MISSING),
        ("yesterday call Ana", Unclear.PAST),
        ("vor etwa fünf Tagen Ana angerufen", Unclear.PAST),
        ("on Friday on Monday", Unclear.SEVERAL),
        ("tomorrow and on Thursday at 8", Unclear.SEVERAL),
        ("jeden Samstagmorgen und Sonntagmorgen", Unclear.SEVERAL),
        ("jeden Montagmorgen und Freitagabend an den Müll", Unclear.SEVERAL),
        ("am 1. und 15. jedes Monats an die Miete", Unclear.SEVERAL),
        ("am 1. und 15. an die Miete", Unclear.SEVERAL),
        ("jeden 1. und 15. an die Miete", Unclear.SEVERAL),
        ("jeden Morgen und Abend an die Tropfen", Unclear.SEVERAL),
        ("jeden Montagmorgen und Abend an die Tropfen", Unclear.SEVERAL),
        ("every 7 minutes", Unclear.ODD),
        ("on 31 June", Unclear.IMPOSSIBLE),
        ("in 99999999999 days", Unclear.IMPOSSIBLE),
        ("in 9999999999999999999999 hours", Unclear.IMPOSSIBLE),
        ("every 0 minutes", Unclear.ODD),
        ("every first Monday water the cactus", Unclear.ODD),
        ("jeden ersten Montag den Kaktus gießen", Unclear.ODD),
        ("每月第一个周一开会", Unclear.ODD),
        ("on 12/11 at 9 buy gifts", Unclear.VAGUE),
        ("at 9am on 11/12/2026 buy gifts", Unclear.VAGUE),
        ("", Unclear.MISSING),
    ],
)
def test_what_names_no_instant_to_come_says_why(text: str, lack: Unclear) -> None:
    assert find_when(text, NOW).lack is lack


@pytest.mark.parametrize(
    ("text", "code", "due"),
    [
        ("in thirteen minutes call Ana", "en", datetime(2026, 11, 23, 10, 28, tzinfo=BERLIN)),
        ("禮拜五打电话", "zh", datetime(2026, 11, 27, 9, tzinfo=BERLIN)),
        ("в тринадцать часов позвонить Ане", "ru", datetime(2026, 11, 23, 13, tzinfo=BERLIN)),
        ("в ср в 10 купить хлеб", "ru", datetime(2026, 11, 25, 10, tzinfo=BERLIN)),
    ],
)
def test_numbers_and_weekdays_are_those_that_days_are_read_with(text: str, code: str, due: datetime) -> None:
    assert find_when(text, NOW, codes=(code,)).due == due


def test_a_time_that_the_clock_leaves_out_is_an_hour_later() -> None:
    assert instant_of("2026-03-29T02:30", BERLIN) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)


def test_a_time_that_comes_twice_is_the_first_unless_its_offset_says_otherwise() -> None:
    second = instant_of("2026-10-25T02:30+01:00", BERLIN)

    assert instant_of("2026-10-25T02:30", BERLIN).astimezone(UTC) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert second.astimezone(UTC) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert instant_of(as_local(second), BERLIN).astimezone(UTC) == second.astimezone(UTC)


@pytest.mark.parametrize("text", ["in dreißig Minuten", "in dreissig Minuten", "in DREISSIG Minuten"])
def test_thirty_is_understood_in_both_german_spellings(text: str) -> None:
    assert find_when(text, NOW).due == NOW + timedelta(minutes=30)


def test_a_day_alone_is_its_morning() -> None:
    assert instant_of("2026-12-01", BERLIN) == datetime(2026, 12, 1, 9, tzinfo=BERLIN)


@pytest.mark.parametrize("text", ["this weekend wash the car", "am Wochenende das Auto waschen", "周末洗车"])
def test_a_weekend_that_has_begun_is_this_one_and_no_month_later(text: str) -> None:
    saturday = datetime(2026, 11, 28, 14, 34, tzinfo=BERLIN)

    assert find_when(text, saturday).due == datetime(2026, 11, 29, 9, tzinfo=BERLIN)
    assert find_when(text, saturday.replace(day=29, hour=20)).due == datetime(2026, 12, 5, 9, tzinfo=BERLIN)


@pytest.mark.parametrize("text", ["tonight at 1 feed the cat", "heute Abend um 1 die Katze füttern", "今晚1点喂猫"])
@pytest.mark.parametrize("now", [NOW, NOW.replace(hour=22), NOW.replace(day=24, hour=0)])
def test_an_hour_of_tonight_that_is_small_is_behind_midnight(text: str, now: datetime) -> None:
    assert find_when(text, now).due == datetime(2026, 11, 24, 1, tzinfo=BERLIN)


@pytest.mark.parametrize("day", ["2026/12/24", "12/24", "24/12", "12/24/2026", "24/12/2026"])
def test_a_day_in_figures_that_can_be_but_one_is_that_day(day: str) -> None:
    found = find_when(f"on {day} at 9 buy 1/2 lb of butter", NOW)

    assert found.due == datetime(2026, 12, 24, 9, tzinfo=BERLIN)
    assert found.rest == "buy 1/2 lb of butter"


@pytest.mark.parametrize(
    ("when", "what"),
    [
        ("tomorrow at 8", "drink water"),
        ("tomorrow at 8", "help Ana with the move"),
        ("tomorrow at 8", "water the plants"),
        ("morgen um 8", "Hund füttern"),
        ("morgen um 8", "Tagebuch schreiben"),
        ("morgen um 8", "Wochenplan machen"),
    ],
)
def test_an_hour_stands_before_a_word_that_begins_like_a_unit(when: str, what: str) -> None:
    found = find_when(f"{when} {what}", NOW)

    assert (found.due, found.rest) == (datetime(2026, 11, 24, 8, tzinfo=BERLIN), what)


@pytest.mark.parametrize("text", ["buy 3 kg, at 8 euros", "tomorrow for 8 people", "morgen um 8 Euro kaufen"])
def test_a_price_or_a_number_of_people_is_no_hour(text: str) -> None:
    assert "8" in find_when(text, NOW).rest


@pytest.mark.parametrize(
    "text",
    ["tomorrow at 9 about the 24/7 support", "tomorrow at 9 the 24/7 hotline", "at 9 tomorrow about the 20/10 rule"],
)
def test_figures_of_what_is_told_about_are_no_day(text: str) -> None:
    found = find_when(text, NOW)

    assert found.due == datetime(2026, 11, 24, 9, tzinfo=BERLIN)
    assert "24/7" in found.rest or "20/10" in found.rest


@pytest.mark.parametrize(
    ("text", "every"),
    [
        ("every 24 December at 18 light candles", "0 18 24 12 *"),
        ("every March 3rd call mom", "0 9 3 3 *"),
        ("each 1st of May march", "0 9 1 5 *"),
        ("every 1st pay", "0 9 1 * *"),
        ("jeden 24. Dezember um 18 Uhr Kerzen", "0 18 24 12 *"),
        ("jeden 1. Mai zur Demo", "0 9 1 5 *"),
        ("jeden 1. die Miete", "0 9 1 * *"),
        ("jeden 1. 9 Uhr die Miete", "0 9 1 * *"),
        ("jeden 1.5. zur Demo", "0 9 1 5 *"),
        ("jeden mo und do um 9 müll", "0 9 * * 1,4"),
    ],
)
def test_a_date_that_comes_again_is_of_every_year_and_a_day_of_every_month(text: str, every: str) -> None:
    assert find_when(text, NOW).every == every


@pytest.mark.parametrize("text", ["to do the laundry", "to say so", "Do the laundry", "So call Ana", "of di Caprio"])
def test_a_word_like_a_short_weekday_in_german_is_none(text: str) -> None:
    assert find_when(text, NOW).lack is Unclear.MISSING


@pytest.mark.parametrize(
    "text",
    [
        "Do um 9 Ana anrufen",
        "am do um 9 Ana anrufen",
        "Ana anrufen am Do um 9",
        "do um 9 ana anrufen",
        "do 9 uhr ana anrufen",
        "nächsten do um 9 ana anrufen",
    ],
)
def test_a_short_weekday_in_german_is_that_day(text: str) -> None:
    assert find_when(text, NOW).due == datetime(2026, 11, 26, 9, tzinfo=BERLIN)


def test_a_short_sunday_before_an_hour_is_that_day_and_not_about_that_hour() -> None:
    assert find_when("am So um 10 zur Kirche", NOW).due == datetime(2026, 11, 29, 10, tzinfo=BERLIN)
    assert find_when("so um 12 zur Kirche", NOW).due == datetime(2026, 11, 23, 12, tzinfo=BERLIN)


@pytest.mark.parametrize("text", ["reminder for 2 hours before the flight", "reminder for 5 minutes of stretching"])
def test_how_long_something_takes_or_how_long_before_something_is_no_time_from_now(text: str) -> None:
    assert find_when(text, NOW).due is None


@pytest.mark.parametrize(
    ("text", "every", "rest"),
    [
        ("jeden Dienstagabend die Tonne", "0 19 * * 2", "die Tonne"),
        ("jeden Montagmorgen um 7 das Sportzeug", "0 7 * * 1", "das Sportzeug"),
        ("freitagnachmittags den Kuchen", "0 15 * * 5", "den Kuchen"),
        ("on the first of every month to pay the rent", "0 9 1 * *", "to pay the rent"),
        ("on the 15th of each month to pay the rent", "0 9 15 * *", "to pay the rent"),
        ("every month on the first to pay the rent", "0 9 1 * *", "to pay the rent"),
        ("am Ersten jedes Monats an die Miete", "0 9 1 * *", "an die Miete"),
        ("am 15. jedes Monats an die Miete", "0 9 15 * *", "an die Miete"),
        ("jeden Monat am Ersten an die Miete", "0 9 1 * *", "an die Miete"),
        ("every month on the first at 8 to pay the rent", "0 8 1 * *", "to pay the rent"),
        ("jeden Monat am Ersten um 7 an die Miete", "0 7 1 * *", "an die Miete"),
        ("jeden Monat zum Ersten, die Miete zu zahlen", "0 9 1 * *", "die Miete zu zahlen"),
        ("am 1. jeden Monats an die Miete", "0 9 1 * *", "an die Miete"),
        ("on the second of every month to pay the rent", "0 9 2 * *", "to pay the rent"),
        ("on the twenty-first day of each month to pay the rent", "0 9 21 * *", "to pay the rent"),
        ("every month on the second to pay the rent", "0 9 2 * *", "to pay the rent"),
        ("every month on the 2nd to pay the rent", "0 9 2 * *", "to pay the rent"),
        ("every third of the month to pay the rent", "0 9 3 * *", "to pay the rent"),
        ("am zweiten jedes Monats an die Miete", "0 9 2 * *", "an die Miete"),
        ("am fünfzehnten jeden Monats um 8 an die Miete", "0 8 15 * *", "an die Miete"),
        ("jeden Monat am Zweiten an die Miete", "0 9 2 * *", "an die Miete"),
        ("am einunddreißigsten jedes Monats an die Miete", "0 9 31 * *", "an die Miete"),
        ("jeden dritten des Monats an die Miete", "0 9 3 * *", "an die Miete"),
        ("每月二号交房租", "0 9 2 * *", "交房租"),
        ("每周一十点开会", "0 10 * * 1", "开会"),
        ("每周一二十点开会", "0 20 * * 1", "开会"),
        ("每周一早上十点开会", "0 10 * * 1", "开会"),
        ("每周三五点开会", "0 17 * * 3", "开会"),
        ("每周一三五十点开会", "0 10 * * 1,3,5", "开会"),
        ("每周二、四晚上七点上课", "0 19 * * 2,4", "上课"),
        ("每周六日十点跑步", "0 10 * * 0,6", "跑步"),
        ("每月二十号十点半交房租", "30 10 20 * *", "交房租"),
    ],
)
def test_a_part_of_a_weekday_and_a_day_of_the_month_come_again(text: str, every: str, rest: str) -> None:
    found = find_when(text, NOW)

    assert (found.every, found.rest) == (every, rest)


@pytest.mark.parametrize(
    "text",
    ["am Dienstagabend", "at first light", "am ersten Schultag", "on the third to call Ana", "am dritten an Ana"],
)
def test_what_is_said_of_one_day_does_not_come_again(text: str) -> None:
    assert find_when(text, NOW).every == ""
