"""Commands, the menu of a message, and buttons: promised in time, answered once, seen by whom they are for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.interactions import NOT_ADMITTED, NOT_TAKEN
from adapters.port import (
    Ambiguous,
    Button,
    ChatKind,
    Happening,
    Inbound,
    MenuEntry,
    Outbound,
    Receipt,
    SendRefused,
    Suggestion,
)
from tests.integration.discord.stage import (
    MENU,
    Clock,
    Listener,
    WatchedMarks,
    account,
    is_announced,
    offering_menu,
    online,
    reply,
    room_address,
)
from tests.servers.discord.client import Discord, Guild, Person
from tests.servers.ledger import Entry
from tests.support.service import Everybody

FORGET = (Button("Forget it", "f:7h2k"), Button("Keep it", "k:7h2k"))


@asynccontextmanager
async def offering(server: Discord, adapter: DiscordAdapter, door: Listener | None = None) -> AsyncIterator[Listener]:
    """Online, and the commands can be used."""
    async with online(server, adapter, door) as listener:
        await offering_menu(server)
        yield listener


def is_promised(entry: Entry) -> bool:
    return entry["kind"] == "answer" and str(entry["name"]).endswith("/callback")


async def answered(asking: Awaitable[dict[str, Any]], answer: Callable[[], Awaitable[object]]) -> dict[str, Any]:
    """Ask, answer meanwhile, and see what became of it."""
    async with asyncio.TaskGroup() as group:
        seen = group.create_task(_awaited(asking))
        await answer()
    return seen.result()


async def _awaited(asking: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    return await asking


def texts(answer: dict[str, Any]) -> list[str]:
    return [message["content"] for message in answer["messages"]]


def asked_of(server: Discord, part: str) -> list[str]:
    """What the server was asked, by method and path, where the path holds a part."""
    return [entry["name"] for entry in server.entries("request") if part in entry["name"]]


async def test_a_command_arrives_as_text_and_its_answer_is_for_the_one_who_asked(
    server: Discord, alice: Person, guild: Guild, room: int
) -> None:
    role = guild.role("gardeners", [alice])
    adapter = account(server)
    async with offering(server, adapter) as door:

        async def answer() -> None:
            (asked,) = await door.until(1)
            receipt = await adapter.send(reply(asked, "under the …", private=True, last=False))
            await adapter.edit(receipt, reply(asked, "under the pot", private=True, last=False))
            await adapter.send(reply(asked, "the blue one", id="o2", private=True, part=1))

        asking = alice.slash(room, "recall", words=f"<@{alice.id}> the spare key <@&{role}>")
        seen = await answered(asking, answer)
        await server.until(lambda entry: entry["kind"] == "edit" and entry["text"] == "the blue one")

    (asked,) = door.heard
    assert (asked.text, asked.happening, asked.addressed) == (
        "/recall @alice the spare key @gardeners",
        Happening.MESSAGE,
        True,
    )
    assert asked.update == asked.message
    assert (asked.sender.id, asked.sender.roles) == (str(alice.id), (str(role),))
    assert (asked.address.chat, asked.address.guild) == (str(room), str(guild.id))
    assert seen["ephemeral"]
    assert [(one["content"], one["flags"] & 64) for one in server.history(room)] == [
        ("under the pot", 64),
        ("the blue one", 64),
    ]
    assert server.violations() == []


async def test_a_public_command_is_answered_for_all_to_see_and_goes_on_as_ordinary_messages(
    server: Discord, alice: Person, room: int, tmp_path: Path
) -> None:
    file = tmp_path / "list.txt"
    file.write_text("/help", encoding="utf-8")
    adapter = account(server)
    async with offering(server, adapter) as door:

        async def answer() -> None:
            (asked,) = await door.until(1)
            await adapter.send(reply(asked, "first", last=False, files=(str(file),)))
            await adapter.send(reply(asked, "second", id="o2", part=1))
            await adapter.send(reply(asked, "second", id="o2", part=1))

        seen = await answered(alice.slash(room, "help"), answer)

    shown = server.history(room)
    assert not seen["ephemeral"]
    assert [message["content"] for message in shown] == ["first", "second"]
    assert [file["filename"] for file in shown[0]["attachments"]] == ["list.txt"]
    assert "message_reference" not in shown[1]
    assert door.heard[0].text == "/help"


async def test_in_direct_messages_answers_stay_in_the_conversation(server: Discord, alice: Person) -> None:
    adapter = account(server)
    async with offering(server, adapter) as door:

        async def answer() -> None:
            (asked,) = await door.until(1)
            await adapter.send(reply(asked, "under the pot", private=True))

        seen = await answered(alice.slash(alice.direct, "recall", words="key"), answer)

    assert door.heard[0].address.kind is ChatKind.PRIVATE
    assert (seen["ephemeral"], texts(seen)) == (False, ["under the pot"])


async def test_an_answer_whose_fate_is_unclear_is_given_again_in_its_place(
    server: Discord, alice: Person, room: int
) -> None:
    adapter = account(server)
    server.fault("PATCH /webhooks/*", "reset", effect=True)
    async with offering(server, adapter) as door:

        async def answer() -> None:
            (asked,) = await door.until(1)
            with pytest.raises(Ambiguous):
                await adapter.send(reply(asked, "once"))
            await adapter.send(reply(asked, "once"))

        await answered(alice.slash(room, "help"), answer)

    assert [message["content"] for message in server.history(room)] == ["once"]


async def test_after_a_restart_the_promise_is_kept(server: Discord, alice: Person, room: int) -> None:
    before, after = account(server), account(server)
    async with offering(server, before) as door:
        seen = alice.slash(room, "recall", words="key")
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(_awaited(seen))
            (asked,) = await door.until(1)
            await server.until(is_promised)
            async with offering(server, after):
                await after.send(reply(asked, "under the pot", private=True))
            answer = await asking

    assert (answer["ephemeral"], texts(answer)) == (True, ["under the pot"])


async def test_after_a_quarter_of_an_hour_a_private_answer_is_a_direct_message_and_a_public_one_a_message(
    server: Discord, alice: Person, room: int
) -> None:
    clock = Clock()
    adapter = account(server, now=clock)
    async with offering(server, adapter) as door:
        private, public = await two_commands(server, alice, room, door)
        clock.ahead = timedelta(minutes=15)
        await adapter.send(reply(private, "for you", private=True))
        await adapter.send(reply(private, "for you", private=True))
        await adapter.send(reply(public, "for all", id="o2"))

    assert [one["content"] for one in server.history(alice.direct)] == ["for you"]
    assert [one["content"] for one in server.history(room)][-1] == "for all"


async def two_commands(server: Discord, alice: Person, room: int, door: Listener) -> list[Inbound]:
    """A private and a public command, promised but not answered."""
    for name, options in (("recall", {"words": "key"}), ("help", {})):
        server.call("slash", user=alice.id, channel=room, command=name, options=options)
        await server.until(is_promised, since=len(server.entries()))
    return sorted(await door.until(2), key=lambda asked: asked.text, reverse=True)


async def test_what_comes_too_late_for_a_promise_is_answered_by_a_message(
    server: Discord, alice: Person, room: int
) -> None:
    adapter = account(server)
    door = Listener()
    door.then = lambda _: server.call("interactions_grow_old")
    async with offering(server, adapter, door):
        server.call("slash", user=alice.id, channel=room, command="help", options={})
        (asked,) = await door.until(1)
        await adapter.send(reply(asked, "here I am"))

    assert [one["content"] for one in server.history(room)] == ["here I am"]


async def test_a_promise_is_given_again_when_the_line_breaks(server: Discord, alice: Person, room: int) -> None:
    adapter = account(server)
    server.fault("POST /interactions/*/callback", "reset")
    async with offering(server, adapter) as door:

        async def answer() -> None:
            (asked,) = await door.until(1)
            await server.until(is_promised)
            await adapter.send(reply(asked, "hello"))

        seen = await answered(alice.slash(room, "help"), answer)

    assert texts(seen) == ["hello"]


async def test_nothing_is_promised_before_the_door_has_taken_it(server: Discord, alice: Person, room: int) -> None:
    before: list[Entry] = []
    door = Listener()
    door.then = lambda _: before.extend(server.entries("answer"))
    async with offering(server, account(server), door):
        server.call("slash", user=alice.id, channel=room, command="help", options={})
        await server.until(is_promised)

    assert not any(is_promised(entry) for entry in before)


class Nobody(Everybody):
    """An audience that lets nobody in."""

    def admit(self, inbound: Inbound) -> object | None:
        return None


@pytest.mark.parametrize(("command", "options"), [("recall", {"words": "key"}), ("remember", {})])
async def test_a_stranger_is_told_so_by_themselves_and_nothing_else_happens(
    server: Discord, alice: Person, room: int, command: str, options: dict[str, str]
) -> None:
    adapter = account(server, audience=Nobody())
    async with offering(server, adapter, Listener(admits=lambda _: False)) as door:
        seen = await alice.slash(room, command, **options)

    assert (seen["kind"], seen["ephemeral"], texts(seen)) == ("message", True, [NOT_ADMITTED])
    assert door.heard == []


async def test_who_is_let_in_is_not_called_a_stranger_when_their_command_is_not_taken(
    server: Discord, alice: Person, room: int
) -> None:
    async with offering(server, account(server), Listener(admits=lambda _: False)):
        seen = await alice.slash(room, "recall", words="key")

    assert (seen["ephemeral"], texts(seen)) == (True, [NOT_TAKEN])


class Suggesting(Listener):
    """A door that suggests what it is asked for, in its time."""

    def __init__(self) -> None:
        super().__init__()
        self.typing: list[Inbound] = []
        self.is_slow = self.is_broken = False

    async def suggest(self, inbound: Inbound) -> list[Suggestion]:
        self.typing.append(inbound)
        if self.is_broken:
            raise KeyError("surprise")
        if self.is_slow:
            await asyncio.Event().wait()
        return [Suggestion(f"{number}: " + "x" * 200, f"agent-{number}") for number in range(30)]


async def test_while_a_person_types_they_are_shown_what_they_may_mean_and_nothing_is_kept(
    server: Discord, alice: Person, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.discord.interactions.SUGGEST_TIMEOUT_S", 0.05)
    door = Suggesting()
    async with offering(server, account(server), door):
        shown = await alice.types(room, "agent", "agent", "wo")
        door.is_slow = True
        late = await alice.types(room, "agent", "agent", "wor")

    assert [(one.text, one.sender.id) for one in door.typing] == [
        ("/agent wo", str(alice.id)),
        ("/agent wor", str(alice.id)),
    ]
    assert (len(shown), len(shown[0][0]), shown[0][1]) == (25, 100, "agent-0")
    assert late == []
    assert door.heard == []


async def test_where_suggesting_fails_nothing_is_shown(server: Discord, alice: Person, room: int) -> None:
    door = Suggesting()
    door.is_broken = True
    async with offering(server, account(server), door):
        assert await alice.types(room, "agent", "agent", "wo") == []


async def test_where_nobody_suggests_anything_nothing_is_shown(server: Discord, alice: Person, room: int) -> None:
    async with offering(server, account(server)):
        assert await alice.types(room, "agent", "agent", "wo") == []


async def test_a_long_text_that_was_left_out_is_asked_for_in_a_form(server: Discord, alice: Person, room: int) -> None:
    adapter = account(server)
    async with offering(server, adapter) as door:

        async def answer() -> None:
            (asked,) = await door.until(1)
            await adapter.send(reply(asked, "Noted.", private=True))

        asking = alice.slash_and_fill_in(room, "remember", "Tea at five.\nBring cake.")
        seen = await answered(asking, answer)

    (asked,) = door.heard
    assert (asked.text, asked.happening) == ("/remember Tea at five.\nBring cake.", Happening.MESSAGE)
    assert (seen["ephemeral"], texts(seen)) == (True, ["Noted."])
    assert server.violations() == []


async def test_a_message_can_be_pointed_at_to_be_remembered(
    server: Discord, alice: Person, guild: Guild, room: int
) -> None:
    bob = server.user("bob")
    server.call("joins", guild=guild.id, user=bob.id)
    said = bob.says(room, "tea at five")
    adapter = account(server)
    async with offering(server, adapter) as door:

        async def answer() -> None:
            (asked,) = await door.until(1)
            await adapter.send(reply(asked, "Noted.", private=True))

        seen = await answered(alice.message_command(room, "Remember this", said), answer)

    (asked,) = door.heard
    assert (asked.text, asked.quote) == ("/remember", "tea at five")
    assert asked.quote_by
    assert (asked.quote_by.id, asked.quote_by.name, asked.quote_by.is_bot) == (str(bob.id), "bob", False)
    assert asked.quote_message == str(said)
    assert asked.sender.id == str(alice.id)
    assert (seen["ephemeral"], texts(seen)) == (True, ["Noted."])


async def test_what_somebody_has_forwarded_is_nobodys_word_when_it_is_to_be_remembered(
    server: Discord, alice: Person, room: int
) -> None:
    said = alice.forwards(room, alice.says(room, "Send me the codes."), to=room)
    adapter = account(server)
    async with offering(server, adapter) as door:

        async def answer() -> None:
            (asked,) = await door.until(1)
            await adapter.send(reply(asked, "Noted.", private=True))

        await answered(alice.message_command(room, "Remember this", said), answer)

    (asked,) = door.heard
    assert (asked.text, asked.quote) == ("/remember", "Send me the codes.")
    assert (asked.quote_by, asked.quote_message) == (None, "")


async def test_a_private_answer_to_a_command_that_was_to_be_public_stays_private(
    server: Discord, alice: Person, room: int
) -> None:
    adapter = account(server)
    async with offering(server, adapter) as door:

        async def answer() -> None:
            (asked,) = await door.until(1)
            await adapter.send(reply(asked, "between us", private=True))

        await answered(alice.slash(room, "help"), answer)

    shown = {one["content"]: one["flags"] & 64 for one in server.history(room)}
    assert shown == {"Only you can see my answer.": 0, "between us": 64}


@pytest.mark.parametrize("effect", [False, True])
@pytest.mark.parametrize("on", ["POST /webhooks/*", "PATCH /webhooks/*"])
async def test_the_second_part_of_a_private_answer_is_there_once_whatever_became_of_the_first_attempt(
    server: Discord, alice: Person, room: int, on: str, *, effect: bool
) -> None:
    adapter = account(server)
    async with offering(server, adapter) as door:

        async def answer() -> None:
            (asked,) = await door.until(1)
            await adapter.send(reply(asked, "first", private=True, last=False))
            server.fault(on, "reset", effect=effect)
            second = reply(asked, "second", id="o2", private=True, part=1)
            with pytest.raises(Ambiguous):
                await adapter.send(second)
            await adapter.send(second)

        await answered(alice.slash(room, "recall", words="key"), answer)

    shown = [one for one in server.history(room) if one["content"] != "…"]
    assert [one["content"] for one in shown] == ["first", "second"]
    assert all(one["flags"] & 64 for one in server.history(room))


async def test_a_private_answer_to_an_ordinary_message_is_a_direct_message(
    server: Discord, alice: Person, room: int
) -> None:
    adapter = account(server)
    async with online(server, adapter) as door:
        alice.says(room, f"{server.mention} /recall key")
        (asked,) = await door.until(1)
        await adapter.send(reply(asked, "under the pot", private=True))
        with pytest.raises(SendRefused):
            await adapter.send(replace(reply(asked, "to whom?", private=True), reply_token=""))

    assert [one["content"] for one in server.history(alice.direct)] == ["under the pot"]
    assert len(server.history(room)) == 1


async def test_where_the_bot_may_not_write_a_command_is_still_answered_whole(
    server: Discord, alice: Person, room: int
) -> None:
    server.call("denies", channel=room, permissions=["send_messages"])
    adapter = account(server)
    async with offering(server, adapter) as door:

        async def answer() -> None:
            (asked,) = await door.until(1)
            await adapter.send(reply(asked, "first", last=False))
            await adapter.send(reply(asked, "second", id="o2", part=1))

        await answered(alice.slash(room, "help"), answer)

    assert [one["content"] for one in server.history(room)] == ["first", "second"]


async def with_buttons(server: Discord, adapter: DiscordAdapter, guild: Guild, room: int) -> Receipt:
    """A message with two buttons."""
    async with online(server, adapter):
        question = Outbound("o1", room_address(adapter, room, guild.id), "Forget line 12?", buttons=FORGET)
        return await adapter.send(question)


async def test_a_button_of_an_earlier_process_is_answered_in_its_place(
    server: Discord, alice: Person, guild: Guild, room: int
) -> None:
    shown = await with_buttons(server, account(server), guild, room)
    adapter = account(server)
    async with online(server, adapter) as door:

        async def answer() -> None:
            (tap,) = await door.until(1)
            await adapter.send(reply(tap, "Forgotten.", id="o2", replaces=tap.message))

        await answered(alice.clicks(room, int(shown.message), "Forget it"), answer)

    (tap,) = door.heard
    assert (tap.happening, tap.text, tap.message) == (Happening.BUTTON, "f:7h2k", shown.message)
    assert tap.update != tap.message
    assert tap.sender.id == str(alice.id)
    (message,) = server.history(room)
    assert (message["content"], message["components"]) == ("Forgotten.", [])
    assert server.violations() == []


async def test_a_tap_may_also_be_answered_by_a_message_of_its_own(
    server: Discord, alice: Person, guild: Guild, room: int
) -> None:
    adapter = account(server)
    shown = await with_buttons(server, adapter, guild, room)
    async with online(server, adapter) as door:
        server.call("clicks", user=alice.id, channel=room, message=int(shown.message), wanted="Keep it")
        (tap,) = await door.until(1)
        await server.until(is_promised)
        await adapter.send(reply(tap, "Kept.", id="o2"))
        await adapter.send(reply(tap, "for you", id="o3", private=True))

    question, kept, private = server.history(room)
    assert question["content"] == "Forget line 12?"
    assert kept["message_reference"]["message_id"] == question["id"]
    assert (private["content"], private["flags"] & 64) == ("for you", 64)


async def test_a_late_outcome_of_a_tap_still_takes_the_place_of_the_question(
    server: Discord, alice: Person, guild: Guild, room: int
) -> None:
    clock = Clock()
    adapter = account(server, now=clock)
    shown = await with_buttons(server, adapter, guild, room)
    async with online(server, adapter) as door:
        server.call("clicks", user=alice.id, channel=room, message=int(shown.message), wanted="Keep it")
        (tap,) = await door.until(1)
        clock.ahead = timedelta(minutes=15)
        await adapter.send(reply(tap, "Kept.", id="o2", replaces=tap.message))
        server.call("deletes", channel=room, message=int(shown.message))
        await adapter.send(reply(tap, "Kept, as I said.", id="o3", replaces=tap.message))

    assert [one["content"] for one in server.history(room)] == ["Kept, as I said."]


async def test_a_button_that_nobody_knows_any_more_says_so(
    server: Discord, alice: Person, guild: Guild, room: int
) -> None:
    adapter = account(server)
    shown = await with_buttons(server, adapter, guild, room)
    server.call("renames_button", channel=room, message=int(shown.message), custom_id="somebody-else")
    async with online(server, adapter) as door:
        seen = await alice.clicks(room, int(shown.message), "somebody-else")

    assert (seen["kind"], seen["ephemeral"]) == ("message", True)
    assert door.heard == []


async def test_a_command_of_another_program_with_parts_of_its_own_is_declined(
    server: Discord, alice: Person, room: int
) -> None:
    async with offering(server, account(server)) as door:
        parts = [{"type": 2, "name": "add", "options": [{"type": 1, "name": "one", "options": []}]}]
        seen = await alice.foreign_command(room, {"id": "5", "name": "recall", "type": 1, "options": parts})

    assert texts(seen) == ["This is no longer on offer."]
    assert door.heard == []


async def test_one_command_that_fails_is_told_so_and_harms_no_other(server: Discord, alice: Person, room: int) -> None:
    def fails_once(inbound: Inbound) -> None:
        if inbound.text == "/help":
            raise KeyError("surprise")

    with capture_logs() as log:
        async with offering(server, account(server)) as door:
            door.then = fails_once
            seen = await alice.slash(room, "help")
            server.call("slash", user=alice.id, channel=room, command="recall", options={"words": "key"})
            await door.until(2)

    (failed,) = [entry["id"] for entry in server.entries("interaction") if entry["data"]["name"] == "help"]
    assert seen["ephemeral"]
    assert seen["messages"][0]["content"].startswith("Something went wrong")
    assert f"`{failed}`" in seen["messages"][0]["content"]
    assert f"Discord interaction {failed}" in [event.get("what") for event in log]
    assert len(server.entries("identify")) == 1


async def test_commands_are_announced_only_when_they_have_changed(server: Discord, alice: Person, room: int) -> None:
    marks = WatchedMarks()
    async with offering(server, account(server, state=marks)):
        pass
    async with online(server, account(server, state=marks)) as door:
        alice.says(room, "hello")
        await door.until(1)
    once = len(asked_of(server, "/commands"))
    more = (*MENU, MenuEntry("today", "What was noted today"))
    since = len(server.entries())
    async with online(server, account(server, state=marks, menu=more)):
        await server.until(is_announced, since=since)

    commands = {(command["name"], command["type"]): command for command in server.call("commands")}
    assert once == 1
    assert set(commands) == {*((entry.name, 1) for entry in more), ("Remember this", 3)}
    (option,) = commands["recall", 1]["options"]
    assert (option["name"], option["type"], option["required"]) == ("words", 3, True)
    assert commands["recall", 1]["contexts"] == [0, 1]


async def test_a_menu_that_cannot_be_announced_stops_nothing_and_is_announced_later(
    server: Discord, alice: Person, room: int, caplog: pytest.LogCaptureFixture
) -> None:
    marks = WatchedMarks()
    server.fault("PUT /applications/*", "status", status=400)
    async with online(server, account(server, state=marks)) as door:
        alice.says(room, "hello")
        await door.until(1)
    async with offering(server, account(server, state=marks)):
        pass

    assert "The menu stays as it was" in caplog.text
    assert len(server.call("commands")) == len(MENU) + 1
