"""In memory: a chat without a network, and adapter state; for tests, benchmarks and the demo home."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from adapters.port import (
    Address,
    Ambiguous,
    Attachment,
    Capabilities,
    ChatKind,
    FileRefused,
    Inbound,
    InboundHandler,
    Outbound,
    Receipt,
    Sender,
    SendRefused,
)

PLAIN = Capabilities(text_limit=4096, file_limit=2**20)


class InMemoryAdapter:
    """A chat in memory: people `say` things, `shown` is what they see.

    Attributes:
        shown: delivered messages in order, after edits.
        faults: raised by the next sends and edits, one each; None lets one pass. An `Ambiguous` is raised after the
            message was shown.
        files: what fetches hand over, by the attachments' `ref`.
        fetched: the refs that were asked for.
        repeat: hands an event over, also a second time.
    """

    platform = "volatile"
    bot = "bot"

    def __init__(self, *, now: Callable[[], datetime], capabilities: Capabilities = PLAIN) -> None:
        self._now = now
        self.capabilities = capabilities
        self._said: asyncio.Queue[Inbound | None] = asyncio.Queue()
        self.repeat: Callable[[Inbound], None] = self._said.put_nowait
        self._count = 0
        self.shown: list[Outbound] = []
        self.faults: deque[Exception | None] = deque()
        self.files: dict[str, bytes] = {}
        self.fetched: list[str] = []

    def say(
        self,
        text: str,
        *files: Attachment,
        chat: str = "chat",
        sender: str = "owner",
        kind: ChatKind = ChatKind.PRIVATE,
        addressed: bool = True,
    ) -> Inbound:
        """Have a person write; returns the event, as the handler will get it."""
        self._count += 1
        to = Address(self.platform, self.bot, chat, kind)
        who = Sender(sender, sender.title())
        now, name = self._now(), f"in-{self._count}"
        inbound = Inbound(str(self._count), to, who, text, name, now, addressed=addressed, attachments=files)
        self.repeat(inbound)
        return inbound

    def leave(self) -> None:
        """Let `run` end when everything that was said has been handled."""
        self._said.put_nowait(None)

    async def run(self, handler: InboundHandler) -> None:
        while inbound := await self._said.get():
            await handler.receive(inbound)

    async def send(self, out: Outbound) -> Receipt:
        with self._failing():
            place = next((place for place, shown in enumerate(self.shown) if shown.id == out.id), None)
            if place is not None and self.capabilities.idempotent:
                if self.capabilities.edits:
                    self.shown[place] = out
                return Receipt(str(place))
            self.shown.append(out)
            return Receipt(str(len(self.shown) - 1))

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        if not self.capabilities.edits:
            raise SendRefused(f"{self.platform} cannot edit {receipt.message}.")
        with self._failing():
            self.shown[int(receipt.message)] = out

    async def fetch(self, attachment: Attachment, into: Path, *, limit: int) -> None:
        """Write a file that `files` holds; raises `FileRefused` for others and larger ones."""
        self.fetched.append(attachment.ref)
        with self._failing():
            content = self.files.get(attachment.ref)
            if content is None or len(content) > limit:
                raise FileRefused(f"{attachment.name} is not there, or has more than {limit} bytes.")
            into.write_bytes(content)

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Raise the next fault: an ambiguous one after the block, any other one instead of it."""
        fault = self.faults.popleft() if self.faults else None
        if fault and not isinstance(fault, Ambiguous):
            raise fault
        yield
        if fault:
            raise fault

    async def typing(self, to: Address) -> None:
        """Show nothing."""


class InMemoryState:
    """Adapter state (`adapters.port.AdapterState`): give the same object to the adapter before and after a restart."""

    def __init__(self) -> None:
        self._values: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._on_disk: dict[str, dict[str, str]] = {}

    async def load(self, account: str) -> Mapping[str, str]:
        return dict(self._values[account])

    async def save(self, account: str, name: str, value: str, *, lasting: bool = False) -> None:
        self._values[account][name] = value
        if lasting:
            self._on_disk = {account: dict(values) for account, values in self._values.items()}

    def lose(self) -> None:
        """Undo what a power cut may undo."""
        self._values = defaultdict(dict, {account: dict(values) for account, values in self._on_disk.items()})
