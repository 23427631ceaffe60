from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.language.time.validity import find_day, find_period

THURSDAY = date(2025, 11, 20)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Currently in Marrakech (Nov 27-Dec 1, 2025) for Andy's birthday.", "2025-11-27", "2025-12-01"),
        ("Works at Acme since March.", "2025-03-01", ""),
        ("Is in Rome until Friday.", "", "2025-11-21"),
        ("The museum is closed until March.", "", "2026-03-31"),
        ("Lived in Paris until March.", "", "2025-03-31"),
        ("Lived in Paris, in the Rue Bleue, until March.", "", "2025-03-31"),
        ("Bought a watch for 89.99, return by 30 December", "", "2025-12-30"),
        ("Mum was with Dr. Brandt until March.", "", "2025-03-31"),
        ("Lived in Rome, Siena and Bari until March.", "", "2025-03-31"),
        ("I came back from Rome, off work until Friday.", "", "2025-11-21"),
        ("Ich habe einen Mantel gekauft, Umtausch bis 30. Dezember.", "", "2025-12-30"),
        ("Away from 27 Nov to 1 Dec.", "2025-11-27", "2025-12-01"),
        ("From 3 to 10 March in Oslo.", "2026-03-03", "2026-03-10"),
        ("In Oslo March 3-10, 2026.", "2026-03-03", "2026-03-10"),
        ("From Monday on works from home.", "2025-11-24", ""),
        ("From May she works from home.", "2026-05-01", ""),
        ("Works from May on.", "2026-05-01", ""),
        ("The rent went up to 910 from January.", "2026-01-01", ""),
        ("The fee was raised from 1 December.", "2025-12-01", ""),
        ("Die Miete wurde ab Januar auf 910 erhöht.", "2026-01-01", ""),
        ("Die Miete ist ab Januar gestiegen.", "2026-01-01", ""),
        ("She went to school there from 3 May.", "2025-05-03", ""),
        ("Valid until 2026-03-31.", "", "2026-03-31"),
        ("Wohnt seit Montag in Berlin.", "2025-11-17", ""),
        ("Ist bis Freitag im Urlaub.", "", "2025-11-21"),
        ("Ab Montag im Homeoffice.", "2025-11-24", ""),
        ("1) renew the licence by Feb 2) pay the bill 3) enrol Gab", "", "2026-02-28"),
        ("renew the licence (by Feb 2) at the town hall", "", "2026-02-02"),
        ("Hat bis März in Köln gewohnt.", "", "2025-03-31"),
        ("Vom 27. November bis 1. Dezember in Rom.", "2025-11-27", "2025-12-01"),
        ("Vom 3. bis 10. März in Oslo.", "2026-03-03", "2026-03-10"),
        ("Der Vertrag läuft bis zum 31.12.2026.", "", "2026-12-31"),
        ("从11月27日到12月1日在罗马。", "2025-11-27", "2025-12-01"),
        ("Urlaub 24.12.2025 bis 2.1.2026", "2025-12-24", "2026-01-02"),
        ("直到星期五都在家。", "", "2025-11-21"),
        ("3月以来住在上海。", "2025-03-01", ""),
        ("11月27日から12月1日までローマにいる。", "2025-11-27", "2025-12-01"),
    ],
)
def test_a_statement_says_when_it_holds(text: str, first: str, last: str) -> None:
    period = find_period(text, THURSDAY)
    assert period is not None
    assert tuple(str(day or "") for day in period) == (first, last)


@pytest.mark.parametrize(
    "text",
    [
        "The dentist is on Friday.",
        "Open Monday to Friday.",
        "Replies by email.",
        "10-12 people",
        "到家了",
        "A letter from May.",
    ],
)
def test_a_day_that_is_merely_named_bounds_nothing(text: str) -> None:
    assert find_period(text, THURSDAY) is None


def test_what_has_happened_is_read_backwards() -> None:
    assert find_period("Away until Wednesday", THURSDAY, is_past=True) == (None, date(2025, 11, 19))
    assert find_period("Away until Wednesday", THURSDAY) == (None, date(2025, 11, 26))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Grandpa died on Friday.", "2025-11-14"),
        ("Anna visited us on Friday", "2025-11-14"),
        ("Lena moved to Salzburg on Friday", "2025-11-14"),
        ("Chris broke his leg on Friday", "2025-11-14"),
        ("Mum came home on Friday", "2025-11-14"),
        ("Opa starb am Freitag", "2025-11-14"),
        ("Lena heiratete am Freitag", "2025-11-14"),
        ("Anna hat uns am Freitag besucht", "2025-11-14"),
        ("Anna is invited on Friday", "2025-11-21"),
        ("The meeting moved to Friday", "2025-11-21"),
        ("Ben booked a table for Friday", "2025-11-21"),
        ("Ben promised to call on Friday", "2025-11-21"),
        ("Alfred comes on Friday", "2025-11-21"),
        ("The report has to be finished on Friday", "2025-11-21"),
        ("The rent is paid on Friday", "2025-11-21"),
        ("Anna and Ben get married on Friday", "2025-11-21"),
        ("My left knee operation is on Friday", "2025-11-21"),
        ("The band called Muse plays on Friday", "2025-11-21"),
        ("Anna paid the rent on Friday", "2025-11-14"),
        ("Ben called Mum on Friday", "2025-11-14"),
        ("Ben called his parents on Friday", "2025-11-14"),
        ("Ben called Dr Jones on Friday", "2025-11-14"),
        ("Anna's delayed flight arrives on Friday", "2025-11-21"),
        ("The retired teacher comes on Friday", "2025-11-21"),
        ("Meine beste Freundin kommt am Freitag", "2025-11-21"),
        ("Lena möchte am Freitag kommen", "2025-11-21"),
        ("Anna ist am Freitag verabredet", "2025-11-21"),
    ],
)
def test_a_verb_in_the_past_has_a_weekday_behind_it(text: str, day: str) -> None:
    assert str(find_day(text, THURSDAY)) == day


def test_without_a_day_only_what_names_its_year_is_told() -> None:
    assert find_period("At Acme since 2019.", None) == (date(2019, 1, 1), None)
    assert find_period("At Acme since March.", None) is None


@given(st.text() | st.from_regex(r"(since|until|from|bis|seit|到)? ?[0-9]{1,4}[-. ][0-9]{0,2}[-. 月]? ?(Feb|März)?"))
def test_no_text_makes_it_raise(text: str) -> None:
    period = find_period(text, THURSDAY)
    assert period is None or not all(period) or str(period[0]) <= str(period[1])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Dentist tomorrow at 9", "2025-11-21"),
        ("Meeting with Sarah on Monday at 2pm", "2025-11-24"),
        ("I had lunch with Peter yesterday", "2025-11-19"),
        ("I was in Paris last Friday", "2025-11-14"),
        ("On 3 October I had surgery", "2025-10-03"),
        ("The party is on 3 October", "2026-10-03"),
        ("The flight leaves at 7 on 2025-12-24", "2025-12-24"),
        ("Zahnarzt morgen um 9", "2025-11-21"),
        ("Am 3. Oktober hatte ich eine Operation", "2025-10-03"),
        ("mañana dentista a las 9", "2025-11-21"),
        ("明天九点看牙医", "2025-11-21"),
        ("昨天和彼得吃了午饭", "2025-11-19"),
        ("내일 치과", "2025-11-21"),
    ],
)
def test_a_statement_is_of_the_one_day_that_it_names(text: str, named: str) -> None:
    assert find_day(text, THURSDAY) == date.fromisoformat(named)


@pytest.mark.parametrize(
    "text",
    [
        "Today I ran 5 km",
        "We moved in March",
        "Open Monday to Friday",
        "Since Friday I am in Rome",
        "On Friday or on Saturday we go to Rome",
        "Call Ana next week",
        "The code is 4711-12, version 1.2",
        "The market is every Friday",
        "Meeting on Wednesdays",
        "Der Markt ist jeden Freitag",
        "每周五开会",
        "May called me",
    ],
)
def test_a_range_several_days_and_the_day_itself_are_no_day_that_a_statement_names(text: str) -> None:
    assert find_day(text, THURSDAY) is None


@given(st.text(max_size=80))
def test_no_text_makes_the_look_for_a_day_fail(text: str) -> None:
    assert find_day(text, THURSDAY) != THURSDAY


@pytest.mark.parametrize("day", [date.min, date(1, 12, 31), date(9999, 1, 1), date.max])
@pytest.mark.parametrize("text", ["Dentist on 31 December", "Met on 1 January", "Away from 3 to 5 January"])
def test_the_first_and_the_last_year_have_none_beside_them(text: str, day: date) -> None:
    assert find_day(text, day) is None or find_day(text, day) != day
    find_period(text, day)


def test_a_leap_day_comes_in_a_leap_year() -> None:
    assert find_day("On 29 February we marry", THURSDAY) == date(2028, 2, 29)


@pytest.mark.parametrize("text", ["Guten Morgen, ich bin Horst.", "schönen guten Morgen zusammen, hier ist Erna"])
def test_a_greeting_names_no_day(text: str) -> None:
    assert find_day(text, THURSDAY) is None
