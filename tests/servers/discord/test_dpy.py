"""The real discord.py against the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import discord
import pytest
from discord import app_commands

from tests.servers.discord.client import Discord, Person, pointed, spawned
from tests.servers.ledger import bot_message


@pytest.fixture(autouse=True)
def _pointed(server: Discord) -> Iterator[None]:
    with pointed(server):
        yield


class Bot(discord.Client):
    """Echoes; knows a slash command, a message command and a button."""

    def __init__(self, **options: Any) -> None:
        intents = discord.Intents(guilds=True, messages=True, message_content=True)
        super().__init__(intents=intents, guild_ready_timeout=0.02, **options)
        self.heard: list[str] = []
        self.is_online = asyncio.Event()
        self.tree = app_commands.CommandTree(self)
        self.tree.command(name="ask", description="Ask a question")(ask)
        self.tree.context_menu(name="Remember this")(remember)

    async def setup_hook(self) -> None:
        await self.tree.sync()
        self.add_view(Buttons())

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Discord wants five seconds between two identifies; this server does not."""

    async def on_ready(self) -> None:
        self.is_online.set()

    async def on_message(self, message: discord.Message) -> None:
        if message.author == self.user:
            return
        self.heard.append(message.content)
        async with message.channel.typing():
            reply = await message.reply("…", nonce=str(message.id), view=Buttons())
        for text in ("echo", f"echo {message.content}"):
            await reply.edit(content=text)
        if message.attachments:
            data = await message.attachments[0].read()
            await message.add_reaction("👀")
            await message.channel.send(file=discord.File(fp=__file__, filename=f"{len(data)}.py"))


class Buttons(discord.ui.View):
    def __init__(self) -> None:
        super().__init__(timeout=None)

    @discord.ui.button(label="Thanks", custom_id="thanks")
    async def thanks(self, interaction: discord.Interaction, _: discord.ui.Button[Buttons]) -> None:
        await interaction.response.edit_message(content="You are welcome.", view=None)


async def ask(interaction: discord.Interaction, q: str, times: int = 1) -> None:
    await interaction.response.defer(thinking=True, ephemeral=True)
    await interaction.followup.send(f"answer to {q * times}", ephemeral=True)


async def remember(interaction: discord.Interaction, message: discord.Message) -> None:
    await interaction.response.send_message(f"remembered: {message.content}", ephemeral=True)


@asynccontextmanager
async def online(server: Discord, bot: Bot) -> AsyncIterator[None]:
    """The bot is logged in and ready."""
    async with asyncio.TaskGroup() as group:
        running = group.create_task(bot.start(server.token))
        await bot.is_online.wait()
        try:
            yield
        finally:
            await bot.close()
            with suppress(asyncio.CancelledError):
                await running


def place(server: Discord) -> tuple[Person, int]:
    alice = server.user("alice")
    return alice, server.guild("Team", [alice]).channel("general")


async def test_a_message_is_answered_by_a_placeholder_that_is_edited_and_a_button_is_pressed(server: Discord) -> None:
    alice, room = place(server)
    async with online(server, Bot()):
        asked = alice.says(room, "hello")
        final = await server.until(bot_message(chat=room, text="echo hello", kind="edit"))
        pressed = await alice.clicks(room, int(final["id"]), "Thanks")

    assert final["reply_to"] == str(asked)
    assert pressed["kind"] == "update"
    assert server.history(room)[-1]["content"] == "You are welcome."
    assert server.violations() == []


async def test_commands_are_deferred_answered_and_seen_by_one_person(server: Discord) -> None:
    alice, room = place(server)
    async with online(server, Bot()):
        quiet = await alice.slash(room, "ask", q="why")
        thrice = await alice.slash(alice.direct, "ask", q="why", times=3)
        remembered = await alice.message_command(room, "Remember this", alice.says(room, "tea at five"))

    assert (quiet["kind"], quiet["ephemeral"]) == ("message", True)
    assert [message["content"] for message in quiet["messages"]] == ["answer to why"]
    assert thrice["messages"][0]["content"] == "answer to whywhywhy"
    assert remembered["messages"][0]["content"] == "remembered: tea at five"
    assert {command["name"] for command in server.call("commands")} == {"ask", "Remember this"}
    assert server.violations() == []


async def test_files_direct_messages_and_reactions_go_through(server: Discord) -> None:
    alice, _ = place(server)
    async with online(server, Bot()):
        asked = alice.says(alice.direct, "look", files=[("notes.txt", b"hello")])
        await server.until(lambda entry: entry["kind"] == "message" and entry["files"] == ["5.py"])

    history = server.history(alice.direct)
    assert history[0]["id"] == str(asked)
    assert history[0]["reactions"][0]["emoji"]["name"] == "👀"
    assert server.violations() == []


async def test_a_cut_connection_is_resumed_and_nothing_is_missed(server: Discord) -> None:
    alice, room = place(server)
    bot = Bot()
    async with online(server, bot):
        server.call("drop")
        alice.says(room, "while the line was down")
        await server.until(bot_message(chat=room, text="echo while", kind="edit"), timeout_s=15)
        server.call("drop", reconnect=True)
        await server.until(lambda entry: entry["kind"] == "resume", since=server.entries("resume")[0]["n"])
        alice.says(room, "after op 7")
        await server.until(bot_message(chat=room, text="echo after", kind="edit"))

    assert bot.heard == ["while the line was down", "after op 7"]
    assert len(server.entries("identify")) == 1


async def test_a_session_that_is_gone_means_a_gap_that_history_fills(server: Discord) -> None:
    alice, room = place(server)
    bot = Bot()
    async with online(server, bot):
        before = alice.says(room, "before")
        await server.until(bot_message(chat=room, text="echo before", kind="edit"))
        server.call("drop", reconnect=True, forget=True)
        for number in range(120):
            alice.says(room, f"missed {number}")
        await server.until(lambda entry: entry["kind"] == "identify", since=server.entries("identify")[0]["n"])
        channel = bot.get_partial_messageable(room)
        missed = [m async for m in channel.history(after=discord.Object(before), oldest_first=True, limit=None)]

    said = [message.content for message in missed if message.author.id == alice.id]
    assert said == [f"missed {number}" for number in range(120)]
    assert server.entries("resume_refused")


async def test_a_limit_that_is_announced_is_kept_and_a_429_is_waited_for(server: Discord) -> None:
    _, room = place(server)
    server.call("limit", on="POST /channels/*/messages", count=2, window_s=0.2)
    server.fault("POST /channels/*/messages", "status", status=429, seconds=0.05, skip=5)
    bot = Bot()
    async with online(server, bot):
        channel = bot.get_partial_messageable(room)
        for number in range(6):
            await channel.send(str(number))

    assert [message["content"] for message in server.history(room)] == list("012345")
    assert [entry["status"] for entry in server.entries("answer") if entry["status"] == 429] == []


async def test_a_send_whose_answer_was_lost_is_repeated_under_its_nonce(server: Discord) -> None:
    _, room = place(server)
    server.fault("POST /channels/*/messages", "reset", effect=True)
    bot = Bot()
    async with online(server, bot):
        channel = bot.get_partial_messageable(room)
        with pytest.raises((discord.DiscordException, OSError)):
            await channel.send("once", nonce="41")
        again = await channel.send("once", nonce="41")

    assert [message["id"] for message in server.history(room)] == [str(again.id)]


async def test_wrong_tokens_and_intents_end_the_client(server: Discord) -> None:
    server.call("approve", message_content=False)
    async with Bot() as bot:
        with pytest.raises(discord.PrivilegedIntentsRequired):
            await bot.start(server.token)
    async with Bot() as bot:
        with pytest.raises(discord.LoginFailure):
            await bot.start("stolen")
    assert server.entries("gateway_closed")[0]["code"] == 4014


async def test_a_revoked_token_closes_the_gateway_with_4004(server: Discord) -> None:
    async def revoked() -> None:
        async with online(server, Bot()):
            server.call("close", code=4004)
            await server.until(lambda entry: entry["kind"] == "never")

    place(server)
    with pytest.raises(ExceptionGroup) as caught:
        await revoked()

    closed = caught.value.exceptions[0]
    assert isinstance(closed, discord.ConnectionClosed)
    assert closed.code == 4004


async def test_it_runs_as_a_process_of_its_own() -> None:
    with spawned() as server, pointed(server):
        alice, room = place(server)
        missed = alice.says(room, "said while the bot was away")
        bot = Bot()
        async with online(server, bot):
            channel = bot.get_partial_messageable(room)
            seen = [message.id async for message in channel.history()]

    assert seen == [missed]
