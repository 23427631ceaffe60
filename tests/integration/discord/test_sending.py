"""Answers arrive on Discord once, as they are meant, or their failure is told as what it is."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.outbound import MAX_FILE_BYTES
from adapters.pacing import Paces
from adapters.port import (
    PLACEHOLDER,
    AdapterError,
    Address,
    Ambiguous,
    Button,
    ChatKind,
    LoginRefused,
    MessageGone,
    NotSent,
    Outbound,
    SendRefused,
    SlowDown,
)
from bot.account_check import PERMISSIONS
from tests.integration.discord.stage import account, again, online, reply, room_address
from tests.servers.discord.client import Discord, Guild, Person

NOBODY = {"parse": [], "replied_user": False, "users": [], "roles": []}


def bodies(server: Discord, name: str) -> list[dict[str, Any]]:
    """What was asked of the server under that name."""
    return [entry["body"] for entry in server.entries("request") if entry["name"] == name]


def texts(server: Discord, channel: int) -> list[str]:
    return [message["content"] for message in server.history(channel)]


@pytest.fixture
def adapter(server: Discord) -> DiscordAdapter:
    return account(server)


@pytest.fixture
def to(adapter: DiscordAdapter, guild: Guild, room: int) -> Address:
    return room_address(adapter, room, guild.id)


async def test_a_message_that_calls_somebody_notifies_the_accounts_and_roles_that_it_names(
    server: Discord, adapter: DiscordAdapter, alice: Person, guild: Guild, to: Address
) -> None:
    crew = guild.role("night crew", [alice], mentionable=True)
    guild.role("board", [alice])
    for name in ("day shift", "day_shift"):
        guild.role(name, [alice], mentionable=True)
    digits = server.user(str(alice.id))
    server.call("joins", guild=guild.id, user=digits.id)
    async with online(server, adapter) as door:
        alice.says(int(to.chat), "hello")
        await door.until(1)
        calls = ("alice", "Night_crew", "alic", "board", "day_shift", "everyone", str(alice.id))
        named = "@alic, @alice.b, @board, @day_shift, @everyone or <@7>"
        await adapter.send(Outbound("o1", to, f"@alice and @night_crew, not {named}", calls=calls))

    (body,) = bodies(server, f"POST /channels/{to.chat}/messages")
    assert body["content"] == f"<@{alice.id}> and <@&{crew}>, not {named}"
    assert body["allowed_mentions"] == NOBODY | {"users": [str(alice.id), str(digits.id)], "roles": [str(crew)]}
    assert server.violations() == []


async def test_an_answer_refers_to_the_question_and_notifies_nobody(
    server: Discord, adapter: DiscordAdapter, alice: Person, room: int
) -> None:
    async with online(server, adapter) as door:
        question = alice.says(room, f"{server.mention} hello")
        (asked,) = await door.until(1)
        first = await adapter.send(reply(asked, f"@everyone <@{alice.id}> see https://example.org", last=False))
        second = await adapter.send(reply(asked, "and more", id="o2", part=1))

    sent = bodies(server, f"POST /channels/{room}/messages")
    assert [body["nonce"] for body in sent] == ["o1", "o2"]
    assert all(body["enforce_nonce"] for body in sent)
    assert all(body["allowed_mentions"] == NOBODY for body in sent)
    assert all(body["flags"] == 1 << 2 for body in sent)
    shown = server.history(room)
    assert shown[1]["id"] == first.message
    assert shown[1]["message_reference"]["message_id"] == str(question)
    assert shown[2]["id"] == second.message
    assert "message_reference" not in shown[2]
    assert [message["mention_everyone"] for message in shown] == [False] * 3
    assert server.violations() == []


async def test_what_nobody_has_asked_for_makes_no_sound(
    server: Discord, adapter: DiscordAdapter, to: Address, room: int
) -> None:
    async with online(server, adapter):
        await adapter.send(Outbound("o1", to, "Good night.", quiet=True))

    (sent,) = bodies(server, f"POST /channels/{room}/messages")
    assert sent["flags"] == 1 << 2 | 1 << 12


async def test_an_answer_to_a_question_that_was_deleted_still_arrives(
    server: Discord, adapter: DiscordAdapter, alice: Person, room: int
) -> None:
    async with online(server, adapter) as door:
        question = alice.says(room, "hello")
        (asked,) = await door.until(1)
        server.call("deletes", channel=room, message=question)
        await adapter.send(reply(asked, "hello"))

    assert texts(server, room) == ["hello"]


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ({"kind": "reset"}, Ambiguous),
        ({"kind": "reset", "effect": True}, Ambiguous),
        ({"kind": "status", "status": 503}, Ambiguous),
        ({"kind": "status", "status": 503, "effect": True}, Ambiguous),
        ({"kind": "status", "status": 429, "seconds": 61}, SlowDown),
    ],
    ids=str,
)
async def test_a_failed_attempt_is_repeated_without_a_second_message(
    server: Discord,
    adapter: DiscordAdapter,
    to: Address,
    room: int,
    *,
    fault: dict[str, Any],
    error: type[AdapterError],
) -> None:
    out = Outbound("o1", to, "once")
    server.fault(f"POST /channels/{room}/messages", **fault)
    async with online(server, adapter):
        with pytest.raises(error) as caught:
            await adapter.send(out)
        adapter._paces = Paces(monotonic=adapter._account.limits.monotonic)  # as a minute later
        await adapter.send(out)

    assert texts(server, room) == ["once"]
    assert getattr(caught.value, "seconds", 61) == 61


async def test_an_answer_that_is_not_of_the_api_is_unclear(
    server: Discord, adapter: DiscordAdapter, room: int, to: Address
) -> None:
    server.fault(f"POST /channels/{room}/messages", "status", status=200, message="Please log in to the hotel.")
    async with online(server, adapter):
        with pytest.raises(Ambiguous, match="not one of Discord's API"):
            await adapter.send(Outbound("o1", to, "x"))
        await adapter.send(Outbound("o1", to, "x"))

    assert texts(server, room) == ["x"]


@pytest.mark.parametrize("effect", [False, True])
async def test_what_the_library_repeats_itself_is_sent_once(
    server: Discord, adapter: DiscordAdapter, to: Address, room: int, *, effect: bool
) -> None:
    server.fault(f"POST /channels/{room}/messages", "status", status=500, effect=effect)
    async with online(server, adapter):
        await adapter.send(Outbound("o1", to, "once"))

    assert texts(server, room) == ["once"]


async def test_a_short_wait_that_discord_asks_for_is_waited(
    server: Discord, adapter: DiscordAdapter, to: Address, room: int
) -> None:
    server.fault(f"POST /channels/{room}/messages", "status", status=429, seconds=0.1)
    server.call("limit", on="POST /channels/*/messages", count=2, window_s=0.1)
    async with online(server, adapter):
        for number in range(5):
            await adapter.send(Outbound(f"o{number}", to, str(number)))

    assert texts(server, room) == list("01234")


async def test_a_lockout_without_a_time_is_a_minute(
    server: Discord, adapter: DiscordAdapter, to: Address, room: int
) -> None:
    server.fault(f"POST /channels/{room}/messages", "status", status=429, seconds=0)
    async with online(server, adapter):
        with pytest.raises(SlowDown) as caught:
            await adapter.send(Outbound("o1", to, "once"))

    assert caught.value.seconds == 60


async def test_an_attempt_that_was_given_up_is_found_even_when_its_nonce_is_forgotten(
    server: Discord, adapter: DiscordAdapter, alice: Person, room: int
) -> None:
    server.fault(f"POST /channels/{room}/messages", "hang", effect=True)
    async with online(server, adapter) as door:
        alice.says(room, "hello")
        (asked,) = await door.until(1)
        out = reply(asked, "once")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await adapter.send(out)
        server.call("forget_nonces")
        receipt = await adapter.send(out)

    assert texts(server, room) == ["hello", "once"]
    assert server.history(room)[1]["id"] == receipt.message


async def test_a_request_that_is_never_answered_ends_and_is_made_again(
    server: Discord, adapter: DiscordAdapter, to: Address, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.fault(f"POST /channels/{room}/messages", "hang")
    server.fault(f"PATCH /channels/{room}/messages/*", "hang")
    async with online(server, adapter):
        with monkeypatch.context() as impatient:
            impatient.setattr("adapters.discord.outbound.READ_S", 0.1)
            with pytest.raises(Ambiguous, match="SocketTimeoutError"):
                await adapter.send(Outbound("o1", to, "on"))
        receipt = await adapter.send(Outbound("o1", to, "on"))
        with monkeypatch.context() as impatient:
            impatient.setattr("adapters.discord.outbound.READ_S", 0.1)
            with pytest.raises(Ambiguous, match="SocketTimeoutError"):
                await adapter.edit(receipt, Outbound("o1", to, "once"))
        await adapter.edit(receipt, Outbound("o1", to, "once"))

    assert texts(server, room) == ["once"]


async def test_an_attempt_that_was_given_up_is_found_when_the_account_was_refused_meanwhile(
    server: Discord, adapter: DiscordAdapter, alice: Person, room: int
) -> None:
    server.fault(f"POST /channels/{room}/messages", "status", status=503, effect=True)
    async with online(server, adapter) as door:
        alice.says(room, "hello")
        (asked,) = await door.until(1)
        with pytest.raises(Ambiguous):
            await adapter.send(reply(asked, "once"))
    server.call("revoke_token")
    with pytest.raises(LoginRefused):
        await adapter.run(door)
    server.call("restore_token")
    server.call("forget_nonces")
    async with online(server, adapter, door):
        await adapter.send(reply(asked, "once"))

    assert texts(server, room) == ["hello", "once"]


async def test_after_a_restart_a_message_that_may_have_arrived_is_looked_for(
    server: Discord, alice: Person, room: int
) -> None:
    before, after = account(server), account(server)
    async with online(server, before) as door:
        alice.says(room, "hello")
        alice.says(room, "hello again")
        first, second = await door.until(2)
        out = reply(first, "the same words")
        sent = await before.send(out)
    server.call("forget_nonces")
    async with online(server, after):
        found = await after.send(again(out))
        other = await after.send(again(reply(second, "the same words", id="o2")))
        third = await after.send(again(reply(second, "more", id="o3", part=1)))
        server.call("forget_nonces")
        fourth = await after.send(again(reply(second, "more", id="o3", part=1)))

    assert found == sent
    assert third == fourth
    assert texts(server, room) == ["hello", "hello again", "the same words", "the same words", "more"]
    assert other != found


async def test_a_reminder_that_may_have_arrived_comes_again_rather_than_not_at_all(
    server: Discord, adapter: DiscordAdapter, to: Address, room: int
) -> None:
    async with online(server, adapter):
        await adapter.send(Outbound("monday", to, "water the beans"))
        server.call("forget_nonces")
        await adapter.send(again(Outbound("tuesday", to, "water the beans")))

    assert texts(server, room) == ["water the beans"] * 2


async def test_a_missing_permission_an_unknown_channel_and_closed_messages_are_refusals(
    server: Discord, adapter: DiscordAdapter, alice: Person, guild: Guild, to: Address
) -> None:
    quiet, hidden = guild.channel("quiet"), guild.channel("hidden")
    server.call("denies", channel=quiet, permissions=["send_messages"])
    server.call("denies", channel=hidden, permissions=["view_channel"])
    server.call("closes_direct_messages", user=alice.id)
    direct = Address("discord", adapter.bot, str(alice.direct), ChatKind.PRIVATE)
    places = [replace(to, chat=str(quiet)), replace(to, chat=str(hidden)), replace(to, chat="1"), direct]
    async with online(server, adapter):
        refusals = []
        for place in places:
            with pytest.raises(SendRefused) as caught:
                await adapter.send(Outbound("o1", place, "hello"))
            refusals.append(str(caught.value))

    assert [code in refusal for code, refusal in zip(("50013", "50001", "10003", "50007"), refusals, strict=True)]
    assert "lacks a permission" in refusals[0]
    named = {*refusals[0].partition("Give its role ")[2].rstrip(".").split(", ")}
    assert named
    assert named <= {name.replace("_", " ").title().replace(" In ", " in ") for name in PERMISSIONS}  # the invitation's
    assert "takes no direct messages" in refusals[3]


async def test_without_the_right_to_read_the_history_an_answer_comes_without_reference(
    server: Discord, adapter: DiscordAdapter, alice: Person, room: int
) -> None:
    server.call("denies", channel=room, permissions=["read_message_history"])
    async with online(server, adapter) as door:
        alice.says(room, f"{server.mention} hello")
        (asked,) = await door.until(1)
        await adapter.send(reply(asked, "hello"))

    assert texts(server, room)[1:] == ["hello"]
    assert "message_reference" not in server.history(room)[1]


async def test_a_line_that_cannot_be_opened_is_told_from_one_that_broke(
    server: Discord, adapter: DiscordAdapter, to: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    import discord

    async with online(server, adapter):
        monkeypatch.setattr(discord.http.Route, "BASE", "http://127.0.0.1:9/api/v10")
        with pytest.raises(NotSent):
            await adapter.send(Outbound("o1", to, "hello"))


async def test_before_the_login_nothing_is_sent_and_that_is_said(adapter: DiscordAdapter, to: Address) -> None:
    with pytest.raises(NotSent, match="not logged in"):
        await adapter.send(Outbound("o1", to, "hello"))
    await adapter.typing(to)


async def test_files_are_attached_and_large_or_lost_ones_refused(
    server: Discord, adapter: DiscordAdapter, to: Address, room: int, tmp_path: Path
) -> None:
    small, exact, large = tmp_path / "a.txt", tmp_path / "b.bin", tmp_path / "c.bin"
    small.write_text("hello", encoding="utf-8")
    exact.write_bytes(bytes(MAX_FILE_BYTES))
    large.write_bytes(bytes(MAX_FILE_BYTES + 1))
    async with online(server, adapter):
        await adapter.send(Outbound("o1", to, "two files", files=(str(small), str(exact))))
        await adapter.send(Outbound("o2", to, "", files=(str(small),)))
        for files in [(large,), (tmp_path / "gone",), (small,) * 11]:
            with pytest.raises(SendRefused):
                await adapter.send(Outbound("o3", to, "", files=tuple(map(str, files))))

    shown = [[file["filename"] for file in message["attachments"]] for message in server.history(room)]
    assert shown == [["a.txt", "b.bin"], ["a.txt"]]
    assert server.violations() == []


async def test_buttons_stand_in_rows_of_five_and_too_many_or_too_much_data_is_refused(
    server: Discord, adapter: DiscordAdapter, to: Address, room: int
) -> None:
    buttons = tuple(Button(f"choice {number}", str(number)) for number in range(7))
    async with online(server, adapter):
        await adapter.send(Outbound("o1", to, "choose", buttons=buttons))
        with pytest.raises(SendRefused, match="25 buttons"):
            await adapter.send(Outbound("o2", to, "choose", buttons=buttons * 4))
        with pytest.raises(SendRefused, match="97 characters"):
            await adapter.send(Outbound("o3", to, "choose", buttons=(Button("long", "x" * 98),)))

    (shown,) = server.history(room)
    assert [len(row["components"]) for row in shown["components"]] == [5, 2]


async def test_an_edit_replaces_text_and_buttons_and_may_be_repeated(
    server: Discord, adapter: DiscordAdapter, to: Address, room: int
) -> None:
    draft = Outbound("o1", to, "draft", buttons=(Button("Stop", "stop"),))
    async with online(server, adapter):
        receipt = await adapter.send(draft)
        final = replace(draft, text="final", buttons=())
        await adapter.edit(receipt, final)
        await adapter.edit(receipt, final)
        server.call("deletes", channel=room, message=int(receipt.message))
        with pytest.raises(MessageGone):
            await adapter.edit(receipt, final)

    edited = server.entries("edit")[-1]
    assert edited["text"] == "final"
    assert server.violations() == []


async def test_drafts_keep_their_distance_never_fail_and_the_final_text_always_arrives(
    server: Discord, to: Address, room: int
) -> None:
    clock = Steps()
    adapter = account(server, monotonic=clock)
    out = Outbound("o1", to, "…")
    async with online(server, adapter):
        receipt = await adapter.send(out)
        for second in range(10):
            clock.at = 0.5 * second
            await adapter.edit(receipt, replace(out, text=f"draft {second}", draft=True))
        server.fault(f"PATCH /channels/{room}/messages/*", "status", status=429, seconds=60)
        clock.at = 20
        await adapter.edit(receipt, replace(out, text="silenced", draft=True))
        clock.at = 30
        with pytest.raises(SlowDown) as caught:
            await adapter.edit(receipt, replace(out, text="whole"))
        clock.at = 81
        await adapter.edit(receipt, replace(out, text="whole"))

    drafts = [entry["text"] for entry in server.entries("edit")]
    assert drafts[-1] == "whole"
    assert 2 <= len(drafts[:-1]) <= 4
    assert caught.value.seconds == 50


async def test_the_first_draft_is_shown_at_once(server: Discord, to: Address, room: int) -> None:
    adapter = account(server, monotonic=Steps())
    out = Outbound("o1", to, PLACEHOLDER)
    async with online(server, adapter):
        receipt = await adapter.send(out)
        await adapter.edit(receipt, replace(out, text="It", draft=True))

    assert texts(server, room) == ["It"]


@pytest.mark.parametrize("fault", [{"kind": "reset", "effect": True}, {"kind": "status", "status": 503}])
async def test_an_answer_takes_the_place_of_a_placeholder_whose_fate_was_unclear(
    server: Discord, adapter: DiscordAdapter, alice: Person, room: int, *, fault: dict[str, Any]
) -> None:
    async with online(server, adapter) as door:
        alice.says(room, "hello")
        (asked,) = await door.until(1)
        server.fault(f"POST /channels/{room}/messages", **fault)
        with pytest.raises(Ambiguous):
            await adapter.send(reply(asked, PLACEHOLDER, last=False))
        await adapter.send(reply(asked, "whole"))

    assert texts(server, room) == ["hello", "whole"]


async def test_where_a_placeholder_was_deleted_whose_number_discord_still_knows_the_answer_is_a_new_message(
    server: Discord, adapter: DiscordAdapter, to: Address, room: int
) -> None:
    async with online(server, adapter):
        await adapter.send(Outbound("o1", to, PLACEHOLDER))
        server.fault(f"PATCH /channels/{room}/messages/*", "status", status=404)  # as if it was deleted
        await adapter.send(Outbound("o1", to, "whole"))

    assert texts(server, room)[-1] == "whole"


async def test_a_placeholder_that_all_can_see_does_not_become_an_answer_for_one(
    server: Discord, adapter: DiscordAdapter, alice: Person, room: int
) -> None:
    async with online(server, adapter) as door:
        alice.says(room, "hello")
        (asked,) = await door.until(1)
        receipt = await adapter.send(reply(asked, PLACEHOLDER, last=False))
        with pytest.raises(MessageGone):
            await adapter.edit(receipt, reply(asked, "between us", private=True))
        await adapter.send(reply(asked, "between us", private=True))

    assert texts(server, room) == ["hello", "Only you can see my answer."]
    assert texts(server, alice.direct) == ["between us"]


async def test_typing_is_shown_and_never_fails(
    server: Discord, adapter: DiscordAdapter, to: Address, room: int
) -> None:
    async with online(server, adapter):
        await adapter.typing(to)
        await adapter.typing(replace(to, chat="1"))
        server.fault("POST /channels/*/typing", "reset")
        await adapter.typing(to)

    assert [entry["status"] for entry in server.entries("answer") if entry["name"].endswith("/typing")] == [204, 404]


class Steps:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at
