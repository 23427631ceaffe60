"""A test's hold on the Bot API server: people who write to the bot, groups, and levers on the platform.

with running() as telegram:                       # in a thread; `spawned()` runs it as a process of its own
    app = ApplicationBuilder().token(telegram.token).base_url(telegram.base_url)...
    alice = telegram.user(7, "Alice")
    asked = alice.says("hello")
    reply = await telegram.until(bot_message(chat=7))
    alice.taps(int(reply["id"]), "Yes")
    assert telegram.violations() == []
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.servers.control import Remote, ServerProcess
from tests.servers.serving import ServingThread
from tests.servers.telegram.updates import PATIENCE_S

TOKEN = "7000000001:test-token-of-the-scrubjay-bot"


@dataclass(frozen=True, slots=True)
class File:
    """A file that somebody sends; `kind` is document, photo, voice, audio or video.

    `size` may claim more than there is.
    """

    name: str
    data: bytes = b"x"
    kind: str = "document"
    size: int | None = None
    duration: int | None = None

    @property
    def wire(self) -> dict[str, Any]:
        fields = {"kind": self.kind, "name": self.name, "data": base64.b64encode(self.data).decode()}
        return fields | {"size": self.size, "duration": self.duration}


class Telegram(Remote):
    """The server as a test sees it; see `levers.py` for what `call` can do beyond the methods here."""

    token = TOKEN

    @property
    def base_url(self) -> str:
        """For python-telegram-bot's `base_url`."""
        return f"{self.url}/bot"

    @property
    def base_file_url(self) -> str:
        return f"{self.url}/file/bot"

    def user(self, id: int, name: str = "", username: str = "", *, started: bool = True) -> Person:
        return Person(self, self.call("user", id=id, name=name, username=username, started=started))

    def group(self, title: str, members: Sequence[Person], *, kind: str = "supergroup", bot: str = "member") -> Group:
        """`kind` is group, supergroup or forum; `bot` its status there (member, administrator, left)."""
        ids = [member.id for member in members]
        return Group(self, self.call("group", title=title, members=ids, kind=kind, bot=bot), members[0])

    def fault(self, on: str, kind: str, **fault: Any) -> None:
        """Let requests fail: `fault("sendMessage", "reset", effect=True)`; fields as in `faults.Fault`."""
        self.call("fault", on=on, kind=kind, **fault)

    def history(self, chat: int) -> list[dict[str, Any]]:
        """The chat's messages as they are now, in the Bot API's shape."""
        messages: list[dict[str, Any]] = self.call("history", chat=chat)
        return messages

    def violations(self) -> list[str]:
        found: list[str] = self.call("violations")
        return found


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody on Telegram. Without `chat` the words go to the private chat with the bot."""

    telegram: Telegram
    id: int

    def says(self, text: str, *, chat: int = 0, topic: int = 0, **context: Any) -> int:
        """Write; `reply_to=`, `quote=`, `forwarded_from=` give context, `people.py` has more. Gives the id."""
        message: int = self.telegram.call("says", user=self.id, text=text, chat=chat, topic=topic, **context)
        return message

    def edits(self, message: int, text: str, *, chat: int = 0) -> None:
        self.telegram.call("edits", user=self.id, message=message, text=text, chat=chat)

    def sends(self, *files: File, caption: str = "", chat: int = 0, topic: int = 0, **context: Any) -> list[int]:
        """Send files, several as an album; the caption goes with the first, the context (as in `says`) with all."""
        wire = [file.wire for file in files]
        ids: list[int] = self.telegram.call(
            "sends", user=self.id, files=wire, caption=caption, chat=chat, topic=topic, **context
        )
        return ids

    def taps(self, message: int, button: str, *, chat: int = 0) -> str:
        """Tap the button with that label or data. The result is the callback's id, for `call("callback", id=...)`."""
        callback: str = self.telegram.call("taps", user=self.id, message=message, wanted=button, chat=chat)
        return callback

    def reacts(self, message: int, emoji: str, *, chat: int = 0) -> None:
        self.telegram.call("reacts", user=self.id, message=message, emoji=emoji, chat=chat)

    def blocks(self) -> None:
        self.telegram.call("blocks", user=self.id)

    def unblocks(self) -> None:
        self.telegram.call("unblocks", user=self.id)


@dataclass(frozen=True, slots=True)
class Group:
    """A group with the bot in it, and the person who looks after it."""

    telegram: Telegram
    id: int
    owner: Person

    def topic(self, name: str) -> int:
        topic: int = self.telegram.call("topic", chat=self.id, name=name)
        return topic

    def bot_becomes(self, status: str) -> None:
        """member, administrator, left (removed) or kicked (banned)."""
        self.telegram.call("bot_becomes", chat=self.id, status=status, by=self.owner.id)

    def upgrades(self) -> Group:
        """The group becomes a supergroup; the result is that."""
        return Group(self.telegram, self.telegram.call("upgrades", chat=self.id, by=self.owner.id), self.owner)


@contextmanager
def running(*, ledger: Path | None = None, patience_s: float = PATIENCE_S) -> Iterator[Telegram]:
    """The server in a thread of this process.

    With its usual patience of three seconds, python-telegram-bot takes three seconds to stop; less is untrue but quick.
    """
    from tests.servers.telegram.server import BotApi

    with ServingThread(BotApi(token=TOKEN, ledger=ledger, patience_s=patience_s).application()) as thread:
        yield Telegram(thread.url)


@contextmanager
def spawned(*, ledger: Path | None = None, patience_s: float = PATIENCE_S) -> Iterator[Telegram]:
    """The server as a process of its own: it outlives a bot that is killed, and shares no interpreter with it."""
    arguments = ["--ledger", str(ledger)] if ledger else []
    with ServerProcess("tests.servers.telegram", *arguments, "--patience", str(patience_s)) as process:
        yield Telegram(process.url)
