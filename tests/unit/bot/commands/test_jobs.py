"""`/jobs` in the chat."""

from __future__ import annotations

from adapters.port import ChatKind
from bot.storage.keys import Principal
from memory import FrozenClock
from tests.support.conversation import Conversation
from tests.support.factories import chat

GUEST = Principal("telegram:7", "Bob", is_owner=False)


async def test_jobs_are_listed_done_and_their_log_shown(here: Conversation) -> None:
    shown = await here.say("/jobs")
    assert "- `reflect` brings pages in bank/ and opinions up to date; next Sun 2026-11-22 04:00" in shown
    assert "- `digest` tells you in the morning what was noted, and what waits; comes when it is asked for" in shown
    assert await here.say("/jobs log reindex") == "`reindex` has not run yet."
    tried = await here.say("/jobs dry reindex")
    assert tried.startswith("This would be done:\n- ")
    assert "to be read" in tried
    assert await here.say("/jobs log reindex") == "`reindex` has not run yet."
    assert "0 files, 0 passages" in await here.say("/jobs run reindex")
    assert "2026-11-21 13:00: done" in await here.say("/jobs log reindex")
    assert "last Sat 2026-11-21 13:00 (done)" in await here.say("/jobs")


async def test_what_is_mistyped_is_told_and_nothing_done(here: Conversation) -> None:
    assert "`/jobs run NAME`" in await here.say("/jobs reflect")
    assert 'Did you mean "reflect"?' in await here.say("/jobs run reflct")
    assert 'no job "x"' in await here.say("/jobs log x")


async def test_what_jobs_told_of_the_owners_memory_is_not_shown_where_others_read_along(here: Conversation) -> None:
    team, clock = chat("-100", kind=ChatKind.GROUP), here.context.jobs.context.clock
    assert isinstance(clock, FrozenClock)
    await here.say("/remember The doctor found gallstones.")
    clock.advance(days=1)
    assert "- Yesterday I noted 1 fact:\n  - " in (digest := await here.say("/jobs run digest"))
    assert "gallstones" in digest
    for what in ("dry", "run", "log"):
        assert "in a private chat" in await here.say(f"/jobs {what} digest", at=team)


async def test_only_the_owner_may(here: Conversation) -> None:
    assert await here.say("/jobs", who=GUEST) == "Only my owner may use `/jobs`."
