"""Nothing that was written while nobody listened is lost, and nothing is taken twice."""

from __future__ import annotations

import pytest

from adapters.port import ChatKind, Inbound, InMemoryState
from tests.integration.discord.stage import Listener, WatchedMarks, account, online
from tests.servers.discord.client import Discord, Guild, Person


@pytest.fixture
def marks() -> WatchedMarks:
    return WatchedMarks()


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
    async with online(server, account(server, state=marks), door):
        await door.until(2)

    assert door.texts == ["before", "missed"]
    assert door.heard[1].address.kind is ChatKind.PRIVATE
    assert door.heard[1].address == door.heard[0].address


async def test_a_first_direct_message_of_somebody_who_is_expected_is_found(
    server: Discord, marks: WatchedMarks, alice: Person
) -> None:
    bob = server.user("bob")
    server.guild("Home", [alice, bob])
    people = (str(alice.id), str(bob.id), "1")
    async with online(server, account(server, state=marks)) as door:
        pass
    alice.says(alice.direct, "my first")
    async with online(server, account(server, state=marks, people=people), door):
        await door.until(1)
    alice.says(alice.direct, "my second")
    async with online(server, account(server, state=marks, people=people), door):
        await door.until(2)

    opened = [entry["body"] for entry in server.entries("request") if entry["name"] == "POST /users/@me/channels"]
    assert door.texts == ["my first", "my second"]
    assert opened.count({"recipient_id": alice.id}) == opened.count({"recipient_id": bob.id}) == 1


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
    async with online(server, account(server, people=(str(alice.id),))) as door:
        alice.says(room, "hello")
        await door.until(1)

    assert door.texts == ["hello"]


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
    server: Discord, alice: Person, room: int, options: dict[str, object]
) -> None:
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
        await door.until(111)

    assert door.texts[1:] == [f"missed {number}" for number in range(20, 130)]
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
    alice.says(room, f"{server.mention} and when to reap?")
    async with online(server, account(server, state=marks), door):
        await door.until(3)

    looked_up = [entry for entry in server.entries("request") if "/members/" in entry["name"]]
    assert [heard.sender.roles for heard in door.heard[1:]] == [(str(role),)] * 2
    assert len(looked_up) == 1


async def test_a_message_whose_taking_failed_is_taken_after_a_restart(
    server: Discord, marks: WatchedMarks, alice: Person, room: int
) -> None:
    def full(inbound: Inbound) -> None:
        if inbound.text == "second":
            raise OSError("disk full")

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
    assert caplog.text.count("cannot be read by the library") == 2
