"""Nobody is shown another agent's or another chat's memory, whatever they ask; and the test would notice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any

from adapters.in_memory import InMemoryAdapter
from adapters.port import ChatKind, Outbound, Receipt
from bot.access.access import AccessRules
from bot.app import HouseRules, build
from bot.config.model import Config
from bot.paths import Home
from memory import OWNER, FrozenClock, Memory, Preview, Recall, Scope
from tests.acceptance.canaries import ANYBODY, RULES, Ask, Audit, Mint, Secret, Viewer, planted
from tests.rooms import room
from tests.samples import HOME, NOON, chat

OWNERS = (Viewer("personal", "personal"), Viewer("work", "work"))
GROUPS = (
    Viewer("family", "personal", "-100"),
    Viewer("club", "personal", "-200"),
    Viewer("office", "work", "-300"),
)
GUEST_LOG = "memory/guests/2026-11-21.md"


class Chats(InMemoryAdapter):
    """A platform on which one waits for the answer."""

    def __init__(self, clock: FrozenClock) -> None:
        super().__init__(now=clock.now)
        self._answers: asyncio.Queue[str] = asyncio.Queue()

    async def send(self, out: Outbound) -> Receipt:
        choices = " ".join(button.data for button in out.buttons)
        self._answers.put_nowait(f"{out.text} {choices}")
        return await super().send(out)

    async def ask(self, viewer: Viewer, text: str) -> str:
        """Say something as somebody; the owner has one private chat for each agent."""
        if viewer.group:
            self.say(text, chat=viewer.group, sender="friend", kind=ChatKind.GROUP)
        else:
            self.say(text, chat=viewer.name)
        return await self._answers.get()


@asynccontextmanager
async def service(home: Home, chats: Chats, clock: FrozenClock) -> AsyncIterator[Ask]:
    """One life of the real service over real files, everybody with their agent."""
    rules = HouseRules("personal", AccessRules(owners=frozenset({"volatile:owner", "volatile:friend"})))
    async with (
        build(home, Config(), clock=clock, opening=lambda _: nullcontext([chats]), rules=rules) as built,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(built.service.run(("personal", "work"), owner="test"))
        for viewer in (*OWNERS, *GROUPS):
            await chats.ask(viewer, f"/agent {viewer.agent}")
        yield chats.ask
        built.service.stop()


def edited_by_hand(workspace: Path, secret: Secret) -> None:
    """The owner writes into the groups' log, above the groups' lines, between them and behind: nobody is shown it."""
    log = workspace / GUEST_LOG
    first, *rest = log.read_text(encoding="utf-8").splitlines(keepends=True)
    note = f"- W @Ingrid: {secret.statement} ^{secret.id}\n"
    log.write_text("".join([first, "\n", secret.statement, "\n", *rest[:-1], note, *rest[-1:]]), encoding="utf-8")


async def told(ask: Ask, mint: Mint) -> list[Secret]:
    """Everybody tells three secrets; in a group they are kept for the group."""
    secrets = [mint.secret(viewer.name) for viewer in (*OWNERS, *GROUPS) for _ in range(3)]
    viewers = {viewer.name: viewer for viewer in (*OWNERS, *GROUPS)}
    for secret in secrets:
        prefix = "/remember " if viewers[secret.holder].group else ""
        assert "Noted in" in await ask(viewers[secret.holder], prefix + secret.statement)
    return secrets


async def test_no_secret_crosses_from_one_agent_or_chat_to_another(tmp_path: Path) -> None:
    home, clock, mint = Home.at(tmp_path / "home"), FrozenClock(NOON), Mint(7)
    chats = Chats(clock)
    home.prepare()
    secrets = [secret for one in OWNERS for secret in planted(home.workspace(one.agent), one.name, mint)]
    async with service(home, chats, clock) as ask:
        secrets += await told(ask, mint)
    for one in OWNERS:
        secrets.append(mint.secret(one.name, GUEST_LOG))
        edited_by_hand(home.workspace(one.agent), secrets[-1])
    audit = Audit(secrets)

    async with service(home, chats, clock) as ask:
        await audit.run((*OWNERS, *GROUPS), ask)
        await taken_from_each_other(audit, ask)
        clock.advance(hours=24)
        await audit.try_all(GROUPS, ask, ANYBODY)

    print(audit)
    assert audit.crossings == []
    assert {secret.path for secret in audit.hidden()} == {*RULES, GUEST_LOG}


async def taken_from_each_other(audit: Audit, ask: Ask) -> None:
    """Confirmations and undoing reach nobody else's lines either."""
    viewers = (*OWNERS, *GROUPS)
    for victim in viewers:
        preview = await ask(victim, "/forget watchword")
        confirmation = preview[preview.rindex("/forget yes") :].split(" /forget no")[0]
        for viewer in viewers:
            if viewer != victim:
                audit.judge(viewer, confirmation, await ask(viewer, confirmation))
    await audit.try_all(viewers, ask, ["/undo 20"])
    await audit.try_all(GROUPS, ask, [f"/recall {secret.handle}" for secret in audit.secrets])


class ScopeBlind(Memory):
    """A memory with the defect that this is about: it looks at everything, whoever asks."""

    async def recall(self, query: str, *, scope: Scope, **how: Any) -> Recall:
        return await super().recall(query, scope=OWNER, **how)

    async def preview_forget(self, wanted: str, *, scope: Scope, **how: Any) -> Preview:
        return await super().preview_forget(wanted, scope=OWNER, **how)


async def found_in(folder: Path, memory: type[Memory], viewers: Sequence[Viewer]) -> Audit:
    """The audit of a room with such memories, in which a group asks for the owner's secrets."""
    secrets = planted(folder / "personal", "personal", Mint(7))
    audit = Audit(secrets)
    async with room(folder, memory=memory) as here:

        async def ask(viewer: Viewer, text: str) -> str:
            return await here.say(text, at=chat(viewer.group, kind=ChatKind.GROUP) if viewer.group else HOME)

        await audit.run(viewers, ask)
    return audit


async def test_a_memory_that_ignores_who_asks_is_noticed(tmp_path: Path) -> None:
    blind = await found_in(tmp_path / "blind", ScopeBlind, GROUPS[:1])
    sound = await found_in(tmp_path / "sound", Memory, GROUPS[:1])

    assert {said.split()[0] for _, said, _ in blind.crossings} >= {"What", "/recall", "/forget"}
    assert sound.crossings == []


async def test_an_agent_that_is_given_another_one_s_memory_is_noticed(tmp_path: Path) -> None:
    impostor = Viewer("work", "work")

    audit = await found_in(tmp_path, Memory, [impostor])

    assert len({said for _, said, _ in audit.crossings}) > len(audit.secrets)
