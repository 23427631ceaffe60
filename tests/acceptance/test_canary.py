"""Nobody is shown another agent's or another chat's memory, whatever they ask; and the test would notice."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from secrets import randbits
from typing import Any

from adapters.port import ChatKind
from memory import OWNER, Memory, Preview, Recall, Scope
from tests.acceptance.canaries import Audit, Mint, Viewer, planted
from tests.acceptance.crossings import GROUPS, WITHHELD, audited
from tests.support.conversation import conversation
from tests.support.factories import HOME, chat

SHARE = 0.1
"""Other ones in each run; `python -m tests.acceptance.crossings` tries them all."""


async def test_no_secret_crosses_from_one_agent_or_chat_to_another(tmp_path: Path) -> None:
    seed = randbits(32)
    print(f"seed {seed}")

    audit = await audited(tmp_path / "home", share=SHARE, chance=random.Random(seed))

    print(audit)
    assert audit.crossings == []
    assert audit.hidden() == {secret for secret in audit.secrets if secret.path in WITHHELD}


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
    async with conversation(folder, memory=memory) as here:

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
