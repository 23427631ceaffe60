"""People who know each other's secrets by name only, and a service over real files that they all talk to.

    python -m tests.acceptance.crossings --json

prints one JSON object as its last line: {"asked", "secrets", "seen", "withheld", "missing", "crossings"}. Everybody
tries every way to see every secret; `seen` counts those that their holders were shown, `withheld` those that stand
where nobody is shown anything (`WITHHELD`), `missing` further ones that their holders were not shown, `crossings`
answers that gave one to somebody else. It fails if there are any of the last two, or if one that is withheld was seen.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

from adapters.in_memory import InMemoryAdapter
from adapters.port import ChatKind, Outbound, Receipt
from bot.access.access import AccessRules
from bot.app import build
from bot.config.model import Config
from bot.paths import Home
from memory import FrozenClock
from tests.acceptance.canaries import ANYBODY, RULES, Ask, Audit, Mint, Secret, Viewer, planted
from tests.support.factories import NOON

OWNERS = (Viewer("personal", "personal"), Viewer("work", "work"))
GROUPS = (Viewer("family", "personal", "-100"), Viewer("club", "personal", "-200"), Viewer("office", "work", "-300"))
GUEST_LOG = "memory/guests/2026-11-21.md"
WITHHELD = {*RULES, GUEST_LOG}
"""Files of which nobody is shown what the owner wrote there: rules, and a log of groups, by lines without a record."""


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
    access = AccessRules(owners=frozenset({"volatile:owner", "volatile:friend"}))
    async with (
        build(
            home, Config(), clock=clock, opening=lambda _: nullcontext([chats]), default_agent="personal", access=access
        ) as built,
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


async def audited(folder: Path, *, share: float, chance: random.Random) -> Audit:
    """Let everybody try to see the others' secrets, or a share of them, in two lives of the service."""
    home, clock, mint = Home.at(folder), FrozenClock(NOON), Mint(7)
    chats = Chats(clock)
    home.prepare()
    secrets = [secret for one in OWNERS for secret in planted(home.workspace(one.agent), one.name, mint)]
    async with service(home, chats, clock) as ask:
        secrets += await told(ask, mint)
    for one in OWNERS:
        secrets.append(mint.secret(one.name, GUEST_LOG))
        edited_by_hand(home.workspace(one.agent), secrets[-1])
    audit = Audit(secrets, share, chance)

    async with service(home, chats, clock) as ask:
        await audit.run((*OWNERS, *GROUPS), ask)
        await taken_from_each_other(audit, ask)
        clock.advance(hours=24)
        await audit.try_all(GROUPS if share == 1 else [chance.choice(GROUPS)], ask, ANYBODY)
    return audit


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
    for viewer in GROUPS:
        await audit.try_all([viewer], ask, [f"/recall {secret.handle}" for secret in audit.targets(viewer)])


def main() -> None:
    """Try everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        audit = asyncio.run(audited(Path(folder) / "home", share=1, chance=random.Random()))
    withheld = {secret for secret in audit.secrets if secret.path in WITHHELD}
    figures = {"asked": audit.asked, "secrets": len(audit.secrets), "seen": len(audit.seen), "withheld": len(withheld)}
    missing = len(audit.hidden() - withheld)
    print(json.dumps(figures | {"missing": missing, "crossings": len(audit.crossings)}))
    sys.exit(bool(audit.crossings) or audit.hidden() != withheld)


if __name__ == "__main__":
    main()
