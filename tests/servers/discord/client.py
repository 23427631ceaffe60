"""A test's hold on the Discord server: servers, channels, people, and levers on the platform.

with running() as discord, pointed(discord):          # in a thread; `spawned()` runs it as a process of its own
    client = Client(intents=..., guild_ready_timeout=0.05)
    alice = discord.user("alice")
    room = discord.guild("Team", [alice]).channel("general")
    asked = alice.says(room, "hello")
    reply = await discord.until(bot_message(chat=room))
    answer = await alice.slash(room, "ask", q="why")
    assert discord.violations() == []
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.servers.control import Remote, ServerProcess
from tests.servers.serving import ServingThread


class Discord(Remote):
    """The server as a test sees it; see `levers.py` for what `call` can do beyond the methods here."""

    @cached_property
    def token(self) -> str:
        """The bot's."""
        token: str = self.call("token")
        return token

    @property
    def api_url(self) -> str:
        """For discord.py's `Route.BASE`."""
        return f"{self.url}/api/v10"

    @property
    def gateway_url(self) -> str:
        return f"{self.url.replace('http', 'ws', 1)}/gateway"

    def user(self, name: str, *, is_bot: bool = False) -> Person:
        return Person(self, self.call("user", name=name, is_bot=is_bot))

    def guild(self, name: str, members: Sequence[Person]) -> Guild:
        """A server with these people and the bot."""
        return Guild(self, self.call("guild", name=name, members=[member.id for member in members]))

    @property
    def mention(self) -> str:
        """How people address the bot."""
        return f"<@{self.call('bot')}>"

    def fault(self, on: str, kind: str, **fault: Any) -> None:
        """Let requests fail: `fault("POST /channels/*/messages", "reset")`; fields as in `faults.Fault`."""
        self.call("fault", on=on, kind=kind, **fault)

    def history(self, channel: int) -> list[dict[str, Any]]:
        """The channel's messages as they are now, oldest first."""
        messages: list[dict[str, Any]] = self.call("history", channel=channel)
        return messages

    def violations(self) -> list[str]:
        found: list[str] = self.call("violations")
        return found


@dataclass(frozen=True, slots=True)
class Guild:
    """A server."""

    discord: Discord
    id: int

    def channel(self, name: str) -> int:
        channel: int = self.discord.call("channel", guild=self.id, name=name)
        return channel

    def role(self, name: str, members: Sequence[Person], **more: Any) -> int:
        ids = [member.id for member in members]
        role: int = self.discord.call("role", guild=self.id, name=name, members=ids, **more)
        return role

    def loses_bot(self) -> None:
        self.discord.call("bot_leaves", guild=self.id)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody on Discord."""

    discord: Discord
    id: int

    @property
    def direct(self) -> int:
        """The channel for direct messages with the bot."""
        channel: int = self.discord.call("direct", user=self.id)
        return channel

    def says(
        self, channel: int, text: str = "", *, reply_to: int = 0, files: Sequence[tuple[str, bytes]] = (),
        is_voice: bool = False, **more: Any,
    ) -> int:  # fmt: skip
        """Write, with files as (name, bytes), a sticker's name, a poll. The result is the message's id."""
        wire = [{"name": name, "data": base64.b64encode(data).decode()} for name, data in files]
        message: int = self.discord.call(
            "says", user=self.id, channel=channel, text=text, reply_to=reply_to, files=wire, is_voice=is_voice, **more
        )
        return message

    def forwards(self, channel: int, message: int, *, to: int) -> int:
        """Pass a message on. The result is its id there."""
        passed_on: int = self.discord.call("forwards", user=self.id, channel=channel, message=message, to=to)
        return passed_on

    def edits(self, channel: int, message: int, text: str) -> None:
        self.discord.call("edits", user=self.id, channel=channel, message=message, text=text)

    def reacts(self, channel: int, message: int, emoji: str) -> None:
        self.discord.call("reacts", user=self.id, channel=channel, message=message, emoji=emoji)

    def thread(self, channel: int, name: str, message: int | None = None, *, private: bool = False) -> int:
        """Open a thread, on a message or on its own. The result is its channel id."""
        opened = {"channel": channel, "name": name, "by": self.id, "message": message, "private": private}
        thread: int = self.discord.call("thread", **opened)
        return thread

    async def slash(self, channel: int, command: str, **options: Any) -> dict[str, Any]:
        """Run a slash command and wait until it is answered; the result is as of `interaction`."""
        return await self._answered(
            self.discord.call("slash", user=self.id, channel=channel, command=command, options=options)
        )

    async def foreign_command(self, channel: int, data: dict[str, Any]) -> dict[str, Any]:
        """Run a command that the bot has not registered and wait until it is answered."""
        return await self._answered(self.discord.call("foreign_command", user=self.id, channel=channel, data=data))

    async def types(self, channel: int, command: str, option: str, text: str) -> list[tuple[str, str]]:
        """Type into an option of a slash command; what is suggested, as labels and values."""
        typed = self.discord.call("types", user=self.id, channel=channel, command=command, option=option, text=text)
        answer = await self._answered(typed)
        return [(one["name"], one["value"]) for one in answer["suggested"]]

    async def slash_and_fill_in(self, channel: int, command: str, text: str) -> dict[str, Any]:
        """Run a slash command that opens a form, fill that in, and wait until it is answered."""
        opened = self.discord.call("slash", user=self.id, channel=channel, command=command, options={})
        await self._answered(opened)
        return await self._answered(self.discord.call("fills_in", user=self.id, opened=opened, text=text))

    async def message_command(self, channel: int, command: str, message: int) -> dict[str, Any]:
        """Choose an entry of a message's context menu and wait until it is answered."""
        return await self._answered(
            self.discord.call("message_command", user=self.id, channel=channel, command=command, message=message)
        )

    async def clicks(self, channel: int, message: int, button: str) -> dict[str, Any]:
        """Press the button with that label or custom id and wait until it is answered."""
        return await self._answered(
            self.discord.call("clicks", user=self.id, channel=channel, message=message, wanted=button)
        )

    async def _answered(self, interaction: int) -> dict[str, Any]:
        """`kind`, `ephemeral` and `messages`; a deferred answer counts once its text is there."""
        since = 0
        while True:
            answer: dict[str, Any] = self.discord.call("interaction", id=interaction)
            if answer["kind"] not in {None, "deferred"}:
                return answer
            entry = await self.discord.until(lambda entry: entry["kind"] == "answer", since=since)
            since = entry["n"]


@contextmanager
def pointed(server: Discord) -> Iterator[None]:
    """discord.py of this process talks to the server."""
    import discord
    import yarl

    route, socket = discord.http.Route, discord.gateway.DiscordWebSocket
    before = route.BASE, socket.DEFAULT_GATEWAY
    route.BASE, socket.DEFAULT_GATEWAY = server.api_url, yarl.URL(server.gateway_url)
    try:
        yield
    finally:
        route.BASE, socket.DEFAULT_GATEWAY = before


@contextmanager
def running(*, ledger: Path | None = None) -> Iterator[Discord]:
    """The server in a thread of this process."""
    from tests.servers.discord.server import application

    with ServingThread(application(ledger=ledger)) as thread:
        yield Discord(thread.url)


@contextmanager
def spawned(*, ledger: Path | None = None) -> Iterator[Discord]:
    """The server as a process of its own: it outlives a bot that is killed, and shares no interpreter with it."""
    arguments = ["--ledger", str(ledger)] if ledger else []
    with ServerProcess("tests.servers.discord", *arguments) as process:
        yield Discord(process.url)
