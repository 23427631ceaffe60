"""Nothing that was written while nobody listened is lost, and nothing is taken twice."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pytest

from adapters.in_memory import InMemoryState
from adapters.port import Address, ChatKind, Inbound
from bot.errors import StateError
from tests.integration.discord.stage import Listener, WatchedMarks, account, online
from tests.servers.discord.client import Discord, Guild, Person
from tests.servers.ledger import Entry
from tests.support.service import Everybody


@pytest.fixture
def marks() -> WatchedMarks:
    return WatchedMarks()


def opens_channel(person: Person) -> Callable[[Entry], bool]:
    """Whether a request opens the channel to somebody."""
    return lambda entry: entry.get("body") == {"recipient_id": person.id}


async def heard_before(server: Discord, marks: WatchedMarks, alice: Person, channel: int) -> Listener:
    """A first process hears one message, marks it, and ends."""
    async with online(server, account(server, state=marks)) as door:
        alice.says(channel, "before")
        await door.until(1)
        await marks.until(door.heard[0].message)
    return door


async def test_what_was_missed_over_a_restart_comes_before_what_is_new(
    server: Discord, marks: WatchedMarks, alice: Person, room: int
) -> None:
    door = await heard_before(server, marks, alice, room)
    for number in range(3):
        alice.says(room, f"missed {number}")
    async with online(server, account(server, state=marks), door):
        alice.says(room, "new")
        await door.until(5)

    assert door.texts == ["before", "missed 0", "missed 1", "missed 2", "new"]


async def test_direct_messages_are_looked_for_too(server: Discord, marks: WatchedMarks, alice: Person) -> None:
    door = await heard_before(server, marks, alice, alice.direct)
    alice.says(alice.direct, "missed")
    async with online(server, account(server, state=marks, audience=Everybody([str(alice.id)])), door):
        await door.until(2)

    assert door.texts == ["before", "missed"]
    assert door.heard[1].address.kind is ChatKind.PRIVATE
    assert door.heard[1].address == door.heard[0].address


async def test_a_first_direct_message_of_somebody_who_is_expected_is_found(
    server: Discord, marks: WatchedMarks, alice: Person
) -> None:
    bob = server.user("bob")
    server.guild("Home", [alice, bob])
    people = Everybody((str(alice.id), str(bob.id), "1"))
    async with online(server, account(server, state=marks)) as door:
        pass
    alice.says(alice.direct, "my first")
    async with online(server, account(server, state=marks, audience=people), door):
        await door.until(1)
        await server.until(opens_channel(bob))
    alice.says(alice.direct, "my second")
    async with online(server, account(server, state=marks, audience=people), door):
        await door.until(2)

    assert door.texts == ["my first", "my second"]
    assert len([entry for entry in server.entries() if opens_channel(alice)(entry)]) == 1
    assert len([entry for entry in server.entries() if opens_channel(bob)(entry)]) == 1


async def test_a_first_direct_message_of_a_stranger_is_found_when_they_write_again(
    server: Discord, marks: WatchedMarks, alice: Person
) -> None:
    async with online(server, account(server, state=marks)) as door:
        pass
    alice.says(alice.direct, "nobody heard me")
    async with online(server, account(server, state=marks), door):
        alice.says(alice.direct, "hello?")
        await door.until(2)

    assert door.texts == ["nobody heard me", "hello?"]


async def test_at_the_very_first_start_nothing_old_is_taken(server: Discord, alice: Person, room: int) -> None:
    alice.says(room, "long before there was a bot")
    alice.says(alice.direct, "likewise")
    async with online(server, account(server, audience=Everybody([str(alice.id)]))) as door:
        alice.says(room, "hello")
        await door.until(1)

    assert door.texts == ["hello"]
    assert not [entry for entry in server.entries() if opens_channel(alice)(entry)], "nobody can have written yet"


async def test_after_a_power_cut_in_its_first_life_it_still_knows_when_that_began(
    server: Discord, marks: WatchedMarks, alice: Person, room: int
) -> None:
    async with online(server, account(server, state=marks)):
        alice.says(room, "heard, and not on any disk yet")
    marks.lose()

    async with online(server, account(server, state=marks)) as door:
        alice.says(room, "hello?")
        await door.until(2)

    assert door.texts == ["heard, and not on any disk yet", "hello?"]


async def test_what_was_edited_while_nobody_listened_is_no_edit_when_something_else_about_it_changes(
    server: Discord, marks: WatchedMarks, alice: Person, room: int
) -> None:
    door = await heard_before(server, marks, alice, room)
    missed = alice.says(room, "tomorow")
    alice.edits(room, missed, "tomorrow")
    async with online(server, account(server, state=marks), door):
        await door.until(2)
        server.call("unfurls", channel=room, message=missed)
        alice.says(room, "next")
        await door.until_text("next")

    assert door.texts == ["before", "tomorrow", "next"]


async def test_a_thread_that_was_opened_meanwhile_is_read_from_its_beginning(
    server: Discord, marks: WatchedMarks, alice: Person, room: int
) -> None:
    door = await heard_before(server, marks, alice, room)
    thread = alice.thread(room, "Seeds", alice.says(room, "let us talk about seeds"))
    alice.says(thread, "tomatoes first")
    async with online(server, account(server, state=marks), door):
        await door.until(3)

    places = {heard.text: (heard.address.chat, heard.address.thread) for heard in door.heard}
    assert places["let us talk about seeds"] == (str(room), None)
    assert places["tomatoes first"] == (str(room), str(thread))


@pytest.mark.parametrize(
    ("lever", "options"),
    [
        ("drop", {"forget": True}),
        ("drop", {"reconnect": True, "forget": True}),
        ("invalidate", {"resumable": False}),
        ("close", {"code": 4009}),
    ],
)
async def test_a_session_that_is_lost_leaves_no_gap(
    server: Discord, alice: Person, room: int, lever: str, options: dict[str, object]
) -> None:
    async with online(server, account(server)) as door:
        alice.says(room, "before")
        await door.until(1)
        server.call("refuse_next")
        server.call(lever, **options)
        for number in range(20):
            alice.says(room, f"during {number}")
        await door.until(21)
        alice.says(room, "after")
        await door.until(22)

    assert door.texts == ["before", *(f"during {number}" for number in range(20)), "after"]
    assert len(server.entries("identify")) == 2


@pytest.mark.parametrize("options", [{}, {"reconnect": True}])
async def test_a_session_that_is_resumed_needs_no_history(
    server: Discord, alice: Person, room: int, options: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with online(server, account(server)) as door:
        alice.says(room, "before")
        await door.until(1)
        asked = len(server.entries("request"))
        server.call("drop", **options)
        alice.says(room, "while the line was down")
        await server.until(lambda entry: entry["kind"] == "resume")
        alice.says(room, "after")
        await door.until(3)

    assert door.texts == ["before", "while the line was down", "after"]
    assert len(server.entries("request")) == asked
    assert "Discord: connected again." in caplog.text


async def test_after_an_hour_without_a_line_the_adapter_itself_tries_again_soon(
    server: Discord, marks: WatchedMarks, alice: Person, room: int
) -> None:
    hours = 0

    def monotonic() -> float:
        nonlocal hours
        hours += 1
        return 3600.0 * hours

    async with online(server, account(server, state=marks, monotonic=monotonic)) as door:
        alice.says(room, "before")
        await door.until(1)
        server.call("refuse_next", resumable=False)
        server.call("drop")
        alice.says(room, "while the line was down")
        await door.until(2)

    assert door.texts == ["before", "while the line was down"]
    assert [entry["name"] for entry in server.entries("request")].count("GET /users/@me") == 2


async def test_five_hundred_missed_messages_are_taken_once_and_in_order(
    server: Discord, marks: WatchedMarks, alice: Person, room: int
) -> None:
    door = await heard_before(server, marks, alice, room)
    for number in range(500):
        alice.says(room, f"missed {number}")
    async with online(server, account(server, state=marks), door):
        alice.says(room, "new")
        await door.until(502)

    assert door.texts == ["before", *(f"missed {number}" for number in range(500)), "new"]


async def test_of_too_many_missed_messages_the_newest_are_taken_and_that_is_said(
    server: Discord, marks: WatchedMarks, alice: Person, room: int, caplog: pytest.LogCaptureFixture
) -> None:
    door = await heard_before(server, marks, alice, room)
    for number in range(130):
        alice.says(room, f"missed {number}")
    async with online(server, account(server, state=marks, backfill=10), door):
        await door.until(101)

    assert door.texts[1:] == [f"missed {number}" for number in range(30, 130)]
    assert f"Channel {room}: more than 10 messages were missed" in caplog.text


async def test_what_was_taken_but_not_marked_is_recognised_by_its_id(server: Discord, alice: Person, room: int) -> None:
    before, after = InMemoryState(), InMemoryState()
    async with online(server, account(server, state=before)):
        pass
    after._values.update({name: dict(values) for name, values in before._values.items()})
    async with online(server, account(server, state=before)) as door:
        alice.says(room, "once")
        await door.until(1)
    async with online(server, account(server, state=after), door):
        alice.says(room, "new")
        await door.until(2)

    assert door.texts == ["once", "new"]
    assert door.heard[0].update in door.repeated


async def test_a_history_that_cannot_be_read_at_first_is_asked_for_again(
    server: Discord, marks: WatchedMarks, alice: Person, room: int
) -> None:
    door = await heard_before(server, marks, alice, room)
    alice.says(room, "missed")
    server.fault(f"GET /channels/{room}/messages", "status", status=503, times=3)
    server.fault(f"GET /channels/{room}/messages", "reset", times=2)
    async with online(server, account(server, state=marks), door):
        alice.says(room, "new")
        await door.until(3)

    assert door.texts == ["before", "missed", "new"]
    assert server.call("unused_faults") == []


async def test_a_gap_that_cannot_be_filled_is_left_for_the_next_time(
    server: Discord, marks: WatchedMarks, alice: Person, room: int
) -> None:
    door = await heard_before(server, marks, alice, room)
    alice.says(room, "missed")
    server.fault(f"GET /channels/{room}/messages", "status", status=503, times=None)
    async with online(server, account(server, state=marks), door):
        alice.says(room, "new")
        await door.until(2)
    server.call("clear_faults")
    async with online(server, account(server, state=marks), door):
        await door.until(3)

    assert door.texts == ["before", "new", "missed"]


async def test_a_channel_that_the_bot_may_not_read_does_not_hold_up_the_others(
    server: Discord, marks: WatchedMarks, alice: Person, guild: Guild, room: int
) -> None:
    secret = guild.channel("secret")
    await heard_before(server, marks, alice, secret)
    door = await heard_before(server, marks, alice, room)
    alice.says(secret, "not for bots")
    alice.says(room, "missed")
    server.call("denies", channel=secret, permissions=["read_message_history"])
    asked = len(server.entries("request"))
    async with online(server, account(server, state=marks), door):
        await door.until(2)

    requests = [entry["name"] for entry in server.entries("request")[asked:]]
    assert door.texts == ["before", "missed"]
    assert f"GET /channels/{secret}/messages" not in requests


async def test_a_bot_that_was_removed_from_a_server_goes_on_elsewhere(
    server: Discord, marks: WatchedMarks, alice: Person, guild: Guild, room: int
) -> None:
    await heard_before(server, marks, alice, room)
    guild.loses_bot()
    async with online(server, account(server, state=marks)) as door:
        alice.says(alice.direct, "still there?")
        await door.until(1)

    assert door.texts == ["still there?"]


async def test_missed_messages_come_with_the_roles_of_who_wrote_them(
    server: Discord, marks: WatchedMarks, alice: Person, guild: Guild, room: int
) -> None:
    role = guild.role("gardeners", [alice])
    door = await heard_before(server, marks, alice, room)
    alice.says(room, f"{server.mention} when to sow?")
    alice.says(room, "and when to reap?")
    since = len(server.entries())
    async with online(server, account(server, state=marks), door):
        await door.until(3)

    looked_up = [entry for entry in server.entries("request", since=since) if "/members/" in entry["name"]]
    assert [heard.sender.roles for heard in door.heard[1:]] == [(str(role),)] * 2
    assert len(looked_up) == 1


async def test_who_has_left_the_server_is_looked_up_once(
    server: Discord, marks: WatchedMarks, alice: Person, room: int
) -> None:
    door = await heard_before(server, marks, alice, room)
    for number in range(3):
        alice.says(room, f"missed {number}")
    server.fault("GET /guilds/*/members/*", "status", status=404, times=None)
    since = len(server.entries())
    async with online(server, account(server, state=marks), door):
        await door.until(4)

    looked_up = [entry for entry in server.entries("fault", since=since) if "/members/" in entry["on"]]
    assert [heard.sender.roles for heard in door.heard[1:]] == [()] * 3
    assert len(looked_up) == 1


async def test_a_message_whose_taking_failed_is_taken_after_a_restart(
    server: Discord, marks: WatchedMarks, alice: Person, room: int
) -> None:
    def full(inbound: Inbound) -> None:
        if inbound.text == "second":
            raise StateError("disk full")

    async def three_messages() -> None:
        door = Listener()
        door.then = full
        async with online(server, account(server, state=marks), door):
            for text in ("first", "second", "third"):
                alice.says(room, text)
            await server.until(lambda entry: entry["kind"] == "never")

    with pytest.raises(ExceptionGroup) as caught:
        await three_messages()
    after = Listener()
    async with online(server, account(server, state=marks), after):
        await after.until(2)

    assert [str(error) for error in caught.value.exceptions] == ["disk full"]
    assert after.texts[-2:] == ["second", "third"]


async def test_a_missed_message_that_the_library_cannot_read_is_left_out_once_and_for_all(
    server: Discord, marks: WatchedMarks, alice: Person, room: int, caplog: pytest.LogCaptureFixture
) -> None:
    door = await heard_before(server, marks, alice, room)
    alice.says(room, "missed")
    for _ in range(2):
        server.call("garbles", channel=room, message=alice.says(room, "garbled"))
        async with online(server, account(server, state=marks), door):
            alice.says(alice.direct, "direct")
            await marks.until(str(server.history(room)[-1]["id"]))

    assert [text for text in door.texts if text != "direct"] == ["before", "missed"]
    assert [unread.reason for unread in door.unread] == ["KeyError"] * 2


@dataclass(frozen=True, slots=True)
class Members:
    """An audience of these people, and of everybody in these places; in servers, of what is said to the bot."""

    known: Sequence[Person] = ()
    places: tuple[int, ...] = ()

    def admit(self, inbound: Inbound) -> object | None:
        is_let_in = self.knows(f"discord:{inbound.sender.id}") or self.is_open(inbound.address)
        return inbound if is_let_in and inbound.addressed else None

    def is_open(self, to: Address) -> bool:
        return any(str(place) in {to.chat, to.guild} for place in self.places)

    def knows(self, who: str) -> bool:
        return who.removeprefix("discord:") in self.people("discord")

    def people(self, platform: str) -> tuple[str, ...]:
        return tuple(str(person.id) for person in self.known)


async def kept(server: Discord, marks: WatchedMarks) -> Mapping[str, str]:
    """What the account has on its disk."""
    return await marks.load(f"discord.{server.call('bot')}")


def histories(server: Discord, *, since: int = 0) -> list[str]:
    """The channels whose history was asked for."""
    names = [str(entry["name"]) for entry in server.entries("request", since=since)]
    return [found[1] for name in names if (found := re.fullmatch(r"GET /channels/(\d+)/messages", name))]


def listener(audience: Members) -> Listener:
    return Listener(admits=lambda inbound: audience.admit(inbound) is not None)


async def test_only_what_may_concern_somebody_who_is_let_in_is_read_again(
    server: Discord, marks: WatchedMarks, alice: Person, guild: Guild, room: int
) -> None:
    bob = server.user("bob")
    server.call("joins", guild=guild.id, user=bob.id)
    strange = server.guild("Strangers", [bob]).channel("general")
    shared = server.guild("Shared", [alice, bob]).channel("general")
    audience = Members(known=(alice,), places=(guild.id,))
    door = listener(audience)
    async with online(server, account(server, state=marks, audience=audience), door):
        bob.says(bob.direct, "who are you?")
        alice.says(alice.direct, "hello")
        await door.until(1)
        await marks.until(door.heard[0].message)
    for channel in (room, strange, shared, bob.direct):
        bob.says(channel, f"{server.mention} from bob")
    alice.says(shared, f"{server.mention} from alice")
    alice.says(alice.direct, "direct")
    since = len(server.entries())
    async with online(server, account(server, state=marks, audience=audience), door):
        await door.until(4)
        bob.says(bob.direct, "still nobody?")
        alice.says(room, f"{server.mention} new")
        await door.until(5)

    assert sorted(door.texts[1:4]) == ["direct", "from alice", "from bob"]
    assert sorted(histories(server, since=since)) == sorted(map(str, (room, shared, alice.direct)))
    assert not any(str(bob.direct) in name for name in await kept(server, marks))


async def test_what_is_written_before_it_is_known_who_is_there_hides_nothing(
    server: Discord, marks: WatchedMarks, alice: Person
) -> None:
    bob = server.user("bob")
    shared = server.guild("Shared", [alice, bob]).channel("general")
    audience = Members(known=(alice,))
    door = listener(audience)
    async with online(server, account(server, state=marks, audience=audience), door):
        pass
    alice.says(shared, f"{server.mention} missed")
    adapter = account(server, state=marks, audience=audience, settle_s=0.5)
    async with online(server, adapter, door):
        bob.says(shared, "chatter")  # before the list of servers is complete
        await door.until(1)

    assert door.texts == ["missed"]


async def test_what_is_new_hides_nothing_that_was_missed_before_it_is_known_who_is_there(
    server: Discord, marks: WatchedMarks, alice: Person
) -> None:
    shared = server.guild("Shared", [alice]).channel("general")
    audience = Members(known=(alice,))
    door = listener(audience)
    async with online(server, account(server, state=marks, audience=audience), door):
        pass
    alice.says(shared, f"{server.mention} missed")
    async with online(server, account(server, state=marks, audience=audience, settle_s=0.3), door):
        alice.says(shared, f"{server.mention} new")
        await door.until_text("new")

    assert door.texts == ["missed", "new"]


async def test_what_was_missed_in_a_thread_that_nobody_lists_any_more_is_found(
    server: Discord, marks: WatchedMarks, alice: Person
) -> None:
    thread = alice.thread(server.guild("Shared", [alice]).channel("general"), "Seeds")
    audience = Members(known=(alice,))
    door = listener(audience)
    async with online(server, account(server, state=marks, audience=audience), door):
        alice.says(thread, f"{server.mention} before")
        await door.until(1)
        await marks.until(door.heard[0].message)
    alice.says(thread, f"{server.mention} missed")
    server.call("archives", thread=thread)
    async with online(server, account(server, state=marks, audience=audience), door):
        await door.until(2)

    assert door.texts == ["before", "missed"]


async def test_a_server_that_discord_cannot_serve_at_first_is_looked_at_later(
    server: Discord, marks: WatchedMarks, alice: Person
) -> None:
    guild = server.guild("Shared", [alice])
    shared = guild.channel("general")
    audience = Members(known=(alice,))
    door = listener(audience)
    async with online(server, account(server, state=marks, audience=audience), door):
        pass
    alice.says(shared, f"{server.mention} missed")
    async with online(server, account(server, state=marks, audience=audience, settle_s=0.3), door):
        server.call("fails", guild=guild.id)
        alice.says(alice.direct, "hello")
        await door.until(1)
        server.call("recovers", guild=guild.id)
        await door.until(2)

    assert door.texts == ["hello", "missed"]


async def test_a_person_who_cannot_be_looked_up_at_first_is_looked_up_again(
    server: Discord, marks: WatchedMarks, alice: Person
) -> None:
    audience = Members(known=(alice,))
    door = listener(audience)
    async with online(server, account(server, state=marks, audience=audience), door):
        pass
    alice.says(alice.direct, "my first")
    server.fault("POST /users/@me/channels", "status", status=503, times=2)
    async with online(server, account(server, state=marks, audience=audience), door):
        await door.until(1)

    assert door.texts == ["my first"]


async def test_who_is_let_in_later_is_not_answered_what_they_said_as_a_stranger(
    server: Discord, marks: WatchedMarks, alice: Person
) -> None:
    known: list[Person] = []
    audience = Members(known=known)
    heard = Listener(admits=lambda inbound: audience.admit(inbound) is not None)
    async with online(server, account(server, state=marks, audience=audience), heard):
        alice.says(alice.direct, "who are you?")
        alice.says(alice.direct, "hello?")
        await heard.until_ignored("hello?")
        known.append(alice)
        alice.says(alice.direct, "thank you")
        await heard.until(1)

    assert heard.texts == ["thank you"]


async def test_chatter_that_nobody_reads_leaves_nothing_on_the_disk(
    server: Discord, marks: WatchedMarks, alice: Person, guild: Guild, room: int
) -> None:
    audience = Members(places=(guild.id,))
    door = listener(audience)
    async with online(server, account(server, state=marks, audience=audience), door):
        for number in range(20):
            alice.says(room, f"chatter {number}")
        alice.says(room, f"{server.mention} hello")
        await door.until(1)
        await marks.until(door.heard[0].message)

    assert [value for name, value in (await kept(server, marks)).items() if name.startswith("channel/")] == [
        door.heard[0].message
    ]


async def test_what_is_above_a_limit_is_not_brought_again_after_a_restart(
    server: Discord, marks: WatchedMarks, alice: Person, room: int
) -> None:
    full = Listener(admits=lambda inbound: inbound.text != "one too many")
    async with online(server, account(server, state=marks), full):
        message = alice.says(room, f"{server.mention} one too many")
        await full.until_ignored("one too many")
        await marks.until(str(message))
    async with online(server, account(server, state=marks)) as door:
        alice.says(room, f"{server.mention} hello")
        await door.until(1)

    assert door.texts == ["hello"]


async def test_what_was_not_meant_for_the_bot_does_not_count(
    server: Discord, marks: WatchedMarks, alice: Person, guild: Guild, room: int
) -> None:
    audience = Members(places=(guild.id,))
    door = listener(audience)
    async with online(server, account(server, state=marks, audience=audience), door):
        pass
    for number in range(250):
        alice.says(room, f"{server.mention} {number}" if number % 50 == 0 else "chatter")
    async with online(server, account(server, state=marks, audience=audience, backfill=10), door):
        await door.until(5)

    assert door.texts == ["0", "50", "100", "150", "200"]


async def test_many_channels_are_read_within_the_limit_and_a_refusal_of_all_requests_is_obeyed(
    server: Discord, alice: Person, guild: Guild, caplog: pytest.LogCaptureFixture
) -> None:
    audience, marks = Members(places=(guild.id,)), WatchedMarks()
    door = listener(audience)
    channels = [guild.channel(f"room-{number}") for number in range(60)]
    async with online(server, account(server, state=marks, audience=audience), door):
        pass
    for channel in channels:
        alice.says(channel, f"{server.mention} hello")
    server.fault("GET /channels/*/messages", "status", status=429, message="global", seconds=0.3)
    async with online(server, account(server, state=marks, audience=audience), door):
        await door.until(60)

    assert server.call("invalid_requests") == 1
    assert "Discord asks to make no request at all for 0.3 s" in caplog.text
    assert sorted(histories(server)) == sorted(map(str, channels))
