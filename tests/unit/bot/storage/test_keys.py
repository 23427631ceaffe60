from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from adapters.port import Address, ChatKind
from bot.storage.keys import LENGTH, SessionKey, session_id
from tests.support.factories import HOME, NOON


def test_a_key_says_who_is_spoken_to_and_where() -> None:
    assert str(SessionKey("work", HOME)) == "agent:work:terminal.local:private:owner"


def test_a_thread_has_a_conversation_of_its_own() -> None:
    group = Address("discord", "bot", "42", ChatKind.GROUP)
    thread = Address("discord", "bot", "42", ChatKind.GROUP, thread="7")

    assert str(SessionKey("work", group)) == "agent:work:discord.bot:group:42"
    assert str(SessionKey("work", thread)) == "agent:work:discord.bot:group:42:7"


INSTANTS = st.timedeltas(timedelta(days=-10_000), timedelta(days=80_000)).map(lambda span: NOON + span)


@given(INSTANTS, INSTANTS)
def test_names_sort_as_their_sessions_began(one: datetime, other: datetime) -> None:
    names = [session_id("key", first=1, began=began) for began in (one, other)]

    assert [len(name) for name in names] == [LENGTH, LENGTH]
    if abs(one - other) >= timedelta(milliseconds=2):
        assert (names[0] < names[1]) == (one < other)


def test_the_same_session_has_the_same_name_and_another_one_another() -> None:
    name = session_id("key", first=1, began=NOON)

    assert session_id("key", first=1, began=NOON) == name
    assert session_id("key", first=2, began=NOON) != name
    assert session_id("other", first=1, began=NOON) != name


def test_a_name_begins_with_its_instant_as_every_ulid_does() -> None:
    epoch = datetime(1970, 1, 1, tzinfo=UTC)

    assert session_id("key", first=1, began=epoch).startswith("0000000000")
    assert session_id("key", first=1, began=epoch + timedelta(milliseconds=33)).startswith("0000000011")
