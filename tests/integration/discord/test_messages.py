"""What people write on Discord reaches the door as events of the port."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from adapters.in_memory import InMemoryState
from adapters.port import Address, ChatKind, FileRefused, Happening, NotSent, Status
from bot.access.permissions import origin_and_scope
from bot.storage.keys import Principal
from tests.integration.discord.stage import Listener, account, online, reply, room_address
from tests.servers.discord.client import Discord, Guild, Person
from tests.servers.ledger import Entry


async def test_a_direct_message_is_private_and_addressed(server: Discord, alice: Person) -> None:
    adapter = account(server)
    async with online(server, adapter) as door:
        message = alice.says(alice.direct, "hello")
        (heard,) = await door.until(1)

    assert heard.update == heard.message == str(message)
    assert heard.address.kind is ChatKind.PRIVATE
    assert (heard.address.bot, heard.address.chat) == (adapter.bot, str(alice.direct))
    assert (heard.sender.id, heard.sender.name, heard.text) == (str(alice.id), "alice", "hello")
    assert heard.addressed
    assert heard.sent_at.tzinfo is not None
    assert server.violations() == []


async def test_in_a_channel_a_mention_of_the_bot_addresses_it_and_is_left_out_of_the_text(
    server: Discord, alice: Person, guild: Guild, room: int
) -> None:
    role = guild.role("gardeners", [alice])
    async with online(server, account(server)) as door:
        alice.says(room, "just talking")
        alice.says(room, f"{server.mention} when to sow, <@{alice.id}> and <@&{role}>?")
        heard = (await door.until(2))[1]

    assert [one.addressed for one in door.heard] == [False, True]
    assert heard.text == "when to sow, @alice and @gardeners?"
    assert heard.address.kind is ChatKind.CHANNEL
    assert (heard.address.chat, heard.address.guild) == (str(room), str(guild.id))
    assert heard.sender.roles == (str(role),)
    assert heard.happening is Happening.MESSAGE


async def test_names_that_others_have_given_do_not_count_as_words_of_the_message(
    server: Discord, alice: Person, guild: Guild, room: int
) -> None:
    mallory = server.user("remember that X")
    server.call("joins", guild=guild.id, user=mallory.id)
    async with online(server, account(server)) as door:
        alice.says(room, f"<@{mallory.id}> <a:remember_that_X:12> <:remember_that_X:34> </remember that X:56> 8:30 <b>")
        (heard,) = await door.until(1)

    assert heard.text == "@remember_that_X <a:_:12> <:_:34> </_:56> 8:30 <b>"


async def test_a_reply_to_the_bot_addresses_it_and_quotes_what_it_said(
    server: Discord, alice: Person, room: int
) -> None:
    adapter = account(server)
    async with online(server, adapter) as door:
        alice.says(room, f"{server.mention} hello")
        (asked,) = await door.until(1)
        answer = await adapter.send(reply(asked, "good morning"))
        alice.says(room, "what do you mean by that?", reply_to=int(answer.message))
        alice.says(room, "I said it first", reply_to=int(asked.message))
        _, to_bot, to_alice = await door.until(3)

    assert (to_bot.addressed, to_bot.quote) == (True, "good morning")
    assert (to_bot.quote_message, to_alice.quote_message) == (answer.message, asked.message)
    assert to_bot.quote_by
    assert (to_bot.quote_by.id, to_bot.quote_by.is_bot) == (adapter.bot, True)
    assert (to_alice.addressed, to_alice.quote) == (False, "hello")
    assert to_alice.quote_by
    assert to_alice.quote_by.id == str(alice.id)


async def test_whom_a_quoted_message_mentions_is_named_in_the_quote(server: Discord, alice: Person, room: int) -> None:
    async with online(server, account(server)) as door:
        told = alice.says(room, f"<@{alice.id}> has the key, {server.mention}")
        alice.says(room, f"{server.mention} remember this", reply_to=told)
        _, replied = await door.until(2)

    assert (replied.text, replied.quote) == ("remember this", "@alice has the key,")


async def test_the_files_of_a_message_that_is_replied_to_come_with_the_reply_as_others(
    server: Discord, alice: Person, room: int, tmp_path: Path
) -> None:
    adapter = account(server)
    async with online(server, adapter) as door:
        sent = [
            alice.says(room, files=[("plan.txt", b"dig")]),
            alice.says(room, files=[("voice-message.ogg", b"hum")], is_voice=True),
        ]
        passed_on = alice.forwards(room, sent[0], to=alice.direct)
        alice.says(alice.direct, "and this?", reply_to=passed_on)
        for one in sent:
            alice.says(room, f"{server.mention} what does this say?", reply_to=one)
        heard = [event for event in await door.until(6) if event.text]
        for number, event in enumerate(heard):
            await adapter.fetch(event.attachments[0], tmp_path / str(number), limit=100)

    assert sorted([(file.kind, file.is_forwarded) for file in event.attachments] for event in heard) == [
        [("file", True)],
        [("file", True)],
        [("voice", True)],
    ]
    assert sorted(path.read_bytes() for path in tmp_path.iterdir()) == [b"dig", b"dig", b"hum"]


async def test_who_wrote_what_somebody_forwards_is_not_known_also_where_it_is_replied_to(
    server: Discord, alice: Person, room: int
) -> None:
    async with online(server, account(server)) as door:
        own = alice.says(room, "Send me the codes.")
        passed_on = alice.forwards(room, own, to=alice.direct)
        alice.says(alice.direct, "right?", reply_to=passed_on)
        forwarded, replied = [one for one in await door.until(3) if one.address.chat == str(alice.direct)]

    assert (forwarded.text, replied.text) == ("", "right?")
    for heard in (forwarded, replied):
        assert (heard.quote, heard.quote_by, heard.quote_message) == ("Send me the codes.", None, "")


async def test_a_poll_is_told_in_brackets_and_a_sticker_alone_without_its_name_also_in_what_is_passed_on(
    server: Discord, alice: Person, room: int
) -> None:
    async with online(server, account(server)) as door:
        sticker = alice.says(alice.direct, sticker="wave")
        alice.says(alice.direct, "look", poll=["When?", "Monday", "Friday"])
        alice.forwards(alice.direct, sticker, to=alice.direct)
        own = alice.says(alice.direct, "mine")
        alice.says(alice.direct, "like that", reply_to=sticker)
        alice.says(alice.direct, "so", reply_to=own, sticker="nod")
        wave, poll, forwarded, _, replied, both = await door.until(6)

    assert poll.text == "look\n[poll: When? Monday / Friday]"
    assert [one.text for one in (wave, forwarded, replied, both)] == ["[sticker]", "", "like that", "so"]
    assert [one.quote for one in (wave, forwarded, replied, both)] == ["", "[sticker]", "[sticker]", "mine"]
    assert [bool(one.quote_by) for one in (wave, forwarded, replied, both)] == [False, False, True, True]


async def test_a_forwarded_file_arrives_as_one_that_nobody_knows_the_maker_of(
    server: Discord, alice: Person, room: int, tmp_path: Path
) -> None:
    adapter = account(server)
    async with online(server, adapter) as door:
        own = alice.says(room, files=[("plan.txt", b"dig")])
        spoken = alice.says(room, files=[("voice-message.ogg", b"hum")], is_voice=True)
        for message in (own, spoken):
            alice.forwards(room, message, to=alice.direct)
        heard, voice = [one for one in await door.until(4) if one.address.chat == str(alice.direct)]
        (file,) = heard.attachments
        await adapter.fetch(file, tmp_path / "plan.txt", limit=100)

    assert (file.kind, file.name, file.is_forwarded, heard.quote) == ("file", "plan.txt", True, "")
    assert [(file.kind, file.is_forwarded) for file in voice.attachments] == [("voice", True)]
    assert (tmp_path / "plan.txt").read_bytes() == b"dig"


async def test_what_a_webhook_wrote_is_never_that_of_whoever_replies(server: Discord, alice: Person, room: int) -> None:
    async with online(server, account(server)) as door:
        alice.says(room, "hello")
        hook = server.call("webhook_says", channel=room, text="buy now")
        alice.says(room, "shall we?", reply_to=hook)
        _, heard = await door.until(2)

    assert heard.quote_by
    assert (heard.quote, heard.quote_by.id == str(alice.id)) == ("buy now", False)


async def test_a_thread_is_a_place_of_its_own_in_its_channel(server: Discord, alice: Person, room: int) -> None:
    async with online(server, account(server)) as door:
        thread = alice.thread(room, "Seeds")
        alice.says(thread, f"{server.mention} tomatoes")
        (heard,) = await door.until(1)

    assert (heard.address.chat, heard.address.thread) == (str(room), str(thread))


async def test_what_is_said_in_a_private_thread_is_for_those_who_are_in_it(
    server: Discord, alice: Person, room: int
) -> None:
    public, private = alice.thread(room, "Seeds"), alice.thread(room, "Presents", private=True)
    async with online(server, account(server)) as door:
        for place in (room, public, private):
            alice.says(place, f"{server.mention} tomatoes")
        heard = {one.address.thread: one.address for one in await door.until(3)}

    guest = Principal(f"discord:{alice.id}", "Alice", is_owner=False)
    in_channel, in_public, in_private = (
        origin_and_scope(guest, heard[thread])[1] for thread in (None, str(public), str(private))
    )
    assert (in_public == in_channel, in_private == in_channel) == (True, False)
    assert heard[str(private)].chat == str(room)


async def test_a_mention_of_the_bot_without_words_is_heard(
    server: Discord, alice: Person, guild: Guild, room: int
) -> None:
    bob = server.user("bob")
    server.call("joins", guild=guild.id, user=bob.id)
    async with online(server, account(server)) as door:
        alice.says(room, server.mention)
        alice.says(room, f"<@{bob.id}>")
        first, second = await door.until(2)

    assert (first.text, first.addressed) == ("", True)
    assert (second.text, second.addressed) == ("@bob", False)


async def test_an_edit_is_told_as_one_and_told_twice_it_is_the_same(server: Discord, alice: Person, room: int) -> None:
    async with online(server, account(server)) as door:
        message = alice.says(room, f"{server.mention} tomorow")
        await door.until(1)
        alice.edits(room, message, f"{server.mention} tomorrow")
        _, edited = await door.until(2)
        server.call("unfurls", channel=room, message=message)
        alice.says(room, "next")
        await door.until(3)

    assert (edited.happening, edited.text, edited.message) == (Happening.EDIT, "tomorrow", str(message))
    assert edited.update != edited.message
    assert edited.addressed
    assert door.texts == ["tomorow", "tomorrow", "next"]
    assert edited.update in door.repeated


async def test_a_link_that_gets_its_preview_is_not_an_edit(server: Discord, alice: Person, room: int) -> None:
    async with online(server, account(server)) as door:
        message = alice.says(room, "see example.org")
        server.call("unfurls", channel=room, message=message)
        alice.says(room, "next")
        await door.until(2)

    assert [heard.happening for heard in door.heard] == [Happening.MESSAGE] * 2
    assert door.texts == ["see example.org", "next"]


async def test_bots_and_the_bot_itself_are_not_heard(server: Discord, alice: Person, room: int, guild: Guild) -> None:
    robot = server.user("robot", is_bot=True)
    server.call("joins", guild=guild.id, user=robot.id)
    adapter = account(server)
    async with online(server, adapter) as door:
        robot.says(room, f"{server.mention} beep")
        server.call("webhook_says", channel=room, text=f"{server.mention} buy now")
        alice.says(room, f"{server.mention} hello")
        (asked,) = await door.until(1)
        await adapter.send(reply(asked, "hello"))
        alice.says(room, "bye")
        await door.until(2)

    assert door.texts == ["hello", "bye"]


async def test_attachments_come_with_their_size_and_are_handed_over_whole(
    server: Discord, alice: Person, tmp_path: Path
) -> None:
    adapter = account(server)
    async with online(server, adapter) as door:
        alice.says(alice.direct, "look", files=[("notes.txt", b"hello"), ("beet.png", b"x" * 600_000)])
        alice.says(alice.direct, files=[("voice-message.ogg", b"hum")], is_voice=True)
        written, spoken = await door.until(2)
        for number, file in enumerate(written.attachments):
            await adapter.fetch(file, tmp_path / str(number), limit=file.size)

    assert [(file.kind, file.name, file.size) for file in written.attachments] == [
        ("file", "notes.txt", 5),
        ("image", "beet.png", 600_000),
    ]
    assert (tmp_path / "0").read_bytes() == b"hello"
    assert (tmp_path / "1").read_bytes() == b"x" * 600_000
    assert spoken.text == ""
    assert [(file.kind, file.mime) for file in spoken.attachments] == [("voice", "audio/ogg")]


async def test_a_file_that_is_gone_is_refused_and_one_that_does_not_come_through_may_be_asked_for_again(
    server: Discord, alice: Person, tmp_path: Path
) -> None:
    adapter = account(server)
    target = tmp_path / "file"
    async with online(server, adapter) as door:
        message = alice.says(alice.direct, "look", files=[("notes.txt", b"hello")])
        (heard,) = await door.until(1)
        (file,) = heard.attachments
        with pytest.raises(FileRefused, match="at most 4"):
            await adapter.fetch(file, target, limit=4)
        with pytest.raises(FileRefused, match="at most 4"):
            await adapter.fetch(replace(file, size=1), target, limit=4)
        server.fault("GET /cdn/*", "reset", times=2)
        with pytest.raises(NotSent):
            await adapter.fetch(file, target, limit=100)
        for status in (429, 503):
            server.fault("GET /cdn/*", "status", status=status)
            with pytest.raises(NotSent, match=str(status)):
                await adapter.fetch(file, target, limit=100)
        server.fault("GET /cdn/*", "status", status=403)
        with pytest.raises(FileRefused, match="403"):
            await adapter.fetch(file, target, limit=100)
        server.call("deletes", channel=alice.direct, message=message)
        with pytest.raises(FileRefused):
            await adapter.fetch(file, target, limit=100)


async def test_without_the_privileged_intent_only_what_addresses_the_bot_has_text(
    server: Discord, alice: Person, room: int
) -> None:
    async with online(server, account(server, message_content=False)) as door:
        alice.says(room, "just talking")
        alice.says(room, f"{server.mention} hello")
        alice.says(alice.direct, "between us")
        await door.until(2)

    assert sorted(door.texts) == ["between us", "hello"]
    assert all(heard.addressed for heard in door.heard)


async def test_in_a_channel_a_message_that_was_let_in_is_marked_until_it_is_answered(
    server: Discord, alice: Person, room: int
) -> None:
    adapter = account(server)
    async with online(server, adapter) as door:
        alice.says(room, "just talking")
        alice.says(room, f"{server.mention} hello")
        asked = (await door.until(2))[1]
        adapter.mark(asked.address, asked.message, Status.QUEUED)
        reaction = f"PUT /channels/{room}/messages/{asked.message}/reactions/*/@me"
        await server.until(lambda entry: _is(entry, reaction))
        during = server.history(room)
        await adapter.send(reply(asked, "hello"))
        await server.until(lambda entry: _is(entry, reaction.replace("PUT", "DELETE")))

    assert [[one["emoji"]["name"] for one in message["reactions"]] for message in during] == [[], ["👀"]]
    assert [message["reactions"] for message in server.history(room)] == [[], [], []]


async def test_of_many_marks_none_stays_when_all_is_answered(server: Discord, alice: Person, guild: Guild) -> None:
    adapter = account(server)
    rooms = [guild.channel(f"room-{number}") for number in range(40)]
    asked = [(room_address(adapter, room, guild.id), str(alice.says(room, "hello"))) for room in rooms]
    async with online(server, adapter) as door:
        alice.says(alice.direct, "are you there?")
        await door.until(1)
        for half in (asked[:20], asked[20:]):
            for to, message in half:
                adapter.mark(to, message, Status.QUEUED)
            for to, message in half:
                await server.until(reacted("PUT", to, message))
        for to, message in asked:
            adapter.mark(to, message, Status.DONE)
        for to, message in asked:
            await server.until(reacted("DELETE", to, message))


async def test_a_mark_is_removed_also_on_a_later_connection(server: Discord, alice: Person, room: int) -> None:
    adapter = account(server)
    async with online(server, adapter) as door:
        alice.says(room, f"{server.mention} hello")
        (asked,) = await door.until(1)
        adapter.mark(asked.address, asked.message, Status.QUEUED)
        await server.until(reacted("PUT", asked.address, asked.message))
    async with online(server, adapter, door):
        await adapter.send(reply(asked, "hello"))
        await server.until(reacted("DELETE", asked.address, asked.message))


class StateOnDisk(InMemoryState):
    """One that is read while others go on, as from a disk."""

    async def load(self, account: str) -> Mapping[str, str]:
        await asyncio.sleep(0)
        return await super().load(account)


async def test_a_mark_that_a_killed_process_has_left_is_removed_by_the_next_one(
    server: Discord, alice: Person, room: int
) -> None:
    killed = account(server)
    async with online(server, killed) as door:
        alice.says(room, f"{server.mention} hello")
        (asked,) = await door.until(1)
        killed.mark(asked.address, asked.message, Status.QUEUED)
        await server.until(reacted("PUT", asked.address, asked.message))
    adapter = account(server, state=StateOnDisk())
    async with asyncio.TaskGroup() as group:
        running = group.create_task(adapter.run(Listener()))
        await asyncio.sleep(0)
        adapter.mark(asked.address, asked.message, Status.QUEUED)  # it waits on disk, and is taken up before the login
        await server.until(reacted("PUT", asked.address, asked.message), since=len(server.entries()))
        await adapter.send(reply(asked, "hello"))
        await server.until(reacted("DELETE", asked.address, asked.message))
        running.cancel()


async def test_what_another_process_has_answered_is_not_marked_when_this_one_takes_the_account_over(
    server: Discord, alice: Person, guild: Guild, room: int
) -> None:
    adapter = account(server)
    adapter.mark(room_address(adapter, room, guild.id), str(alice.says(room, "hello")), Status.WORKING)
    async with online(server, adapter) as door:
        alice.says(room, f"{server.mention} and you?")
        (asked,) = await door.until(1)
        adapter.mark(asked.address, asked.message, Status.QUEUED)
        await server.until(reacted("PUT", asked.address, asked.message))

    assert [len(message["reactions"]) for message in server.history(room)] == [0, 1]


def reacted(method: str, to: Address, message: str) -> Callable[[Entry], bool]:
    """Whether a reaction to a message was set (PUT) or removed (DELETE)."""
    return lambda entry: _is(entry, f"{method} /channels/{to.chat}/messages/{message}/reactions/*/@me")


def _is(entry: Entry, name: str) -> bool:
    return entry["kind"] == "answer" and fnmatchcase(entry["name"], name)


async def test_a_thumb_or_a_heart_is_a_rating_of_its_message_and_other_reactions_are_nothing(
    server: Discord, alice: Person, room: int
) -> None:
    adapter = account(server)
    async with online(server, adapter) as door:
        alice.says(room, f"{server.mention} hello")
        (asked,) = await door.until(1)
        answer = (await adapter.send(reply(asked, "Hello."))).message
        adapter.mark(asked.address, asked.message, Status.QUEUED)
        for emoji in ("👀", "👍🏽", "👎", "❤️"):
            alice.reacts(room, int(answer), emoji)
        _, up, down, heart = await door.until(4)

    assert [(one.text, one.message, one.happening) for one in (up, down, heart)] == [
        ("up", answer, Happening.RATING),
        ("down", answer, Happening.RATING),
        ("up", answer, Happening.RATING),
    ]
    assert (up.sender.id, up.address) == (str(alice.id), asked.address)
