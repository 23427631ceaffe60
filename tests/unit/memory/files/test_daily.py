from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.daily import daily_log, local_day, placed
from memory.files.markdown import BlockKind, blocks
from memory.types import OWNER, chat_scope

LINE = "- S: x ^k3f9a2mq"


def test_the_owner_and_guests_have_logs_of_their_own() -> None:
    assert daily_log("2026-11-21", OWNER) == "memory/2026-11-21.md"
    assert daily_log("2026-11-21", chat_scope("telegram.1:-100")) == "memory/guests/2026-11-21.md"


@pytest.mark.parametrize(
    ("instant", "zone", "day"),
    [
        ("2026-11-21T22:59:59+00:00", "Europe/Berlin", "2026-11-21"),
        ("2026-11-21T23:00:00+00:00", "Europe/Berlin", "2026-11-22"),
        ("2026-03-29T22:30:00+00:00", "Europe/Berlin", "2026-03-30"),  # summer time has begun this morning
        ("2026-10-25T22:30:00+00:00", "Europe/Berlin", "2026-10-25"),  # and has ended
        ("2026-11-21T10:00:00+00:00", "Pacific/Kiritimati", "2026-11-22"),
        ("2026-11-21T10:00:00+00:00", "Pacific/Pago_Pago", "2026-11-20"),
        ("2011-12-30T11:00:00+00:00", "Pacific/Apia", "2011-12-31"),  # there was no 30th
    ],
)
def test_the_day_is_the_owners(instant: str, zone: str, day: str) -> None:
    assert local_day(datetime.fromisoformat(instant), ZoneInfo(zone)) == day


@given(st.integers(0, 2**31), st.sampled_from(["Europe/Berlin", "Asia/Kolkata"]))
def test_a_day_has_one_name_from_midnight_to_midnight(second: int, zone: str) -> None:
    local = datetime.fromtimestamp(second, UTC).astimezone(ZoneInfo(zone))
    assert local_day(local, ZoneInfo(zone)) == f"{local:%Y-%m-%d}"
    assert local_day(local, ZoneInfo(zone)) <= local_day(local + timedelta(days=1), ZoneInfo(zone))


@pytest.mark.parametrize(
    ("page", "addition"),
    [
        (None, f"# 2026-11-21\n\n## Retain\n{LINE}\n"),
        ("", f"# 2026-11-21\n\n## Retain\n{LINE}\n"),
        ("\n", f"\n## Retain\n{LINE}\n"),
        ("# Day\n", f"\n## Retain\n{LINE}\n"),
        ("# Day\n\n", f"## Retain\n{LINE}\n"),
        ("# Day", f"\n\n## Retain\n{LINE}\n"),
        ("## Retain\n", f"{LINE}\n"),
        ("## Retain", f"\n{LINE}\n"),
        ("## Retain\n- S: a\n", f"{LINE}\n"),
        ("## Retain\n- S: a", f"\n{LINE}\n"),
        ("## Retain\n- S: a\n\n", f"{LINE}\n"),
        ("## Retain\n- S: a\n\nprose\n", f"{LINE}\n"),
        ("## Retain\n### People\n- S: a\n", f"{LINE}\n"),
        ("## Retain\n- S: a\n## Later\n", f"\n## Retain\n{LINE}\n"),
        ("## Retain\n- S: a\n# Other\nprose\n\n", f"## Retain\n{LINE}\n"),
        ("## Retain\n- S: a\n```py\ncode\n", f"```\n{LINE}\n"),
        ("~~~~\ncode", f"\n~~~~\n\n## Retain\n{LINE}\n"),
        ("## Retain\n<!-- draft\n", f"-->\n{LINE}\n"),
        ("a\r\n", f"\n## Retain\n{LINE}\n"),
    ],
)
def test_a_fact_goes_under_the_last_retain_or_a_new_one(page: str | None, addition: str) -> None:
    assert placed(LINE, page, "2026-11-21") == addition


@given(
    st.lists(st.sampled_from("# a|## Retain|- b|  c|d|```|~~~|<!--|-->|---|| t ||<!-- scrubjay:begin x -->".split("|")))
    .map("\n".join)
    .flatmap(lambda page: st.sampled_from([page, page + "\n", page + "\n\n"]))
)
def test_wherever_a_page_ends_the_fact_is_a_retained_bullet_of_its_own(page: str) -> None:
    last = list(blocks(page + placed(LINE, page, "2026-11-21")))[-1]
    assert (last.kind, last.text, last.retain, last.managed) == (BlockKind.BULLET, LINE, True, "")
