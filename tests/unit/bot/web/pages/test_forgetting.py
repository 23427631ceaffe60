"""Forgetting: what fades, and how to keep it."""

from __future__ import annotations

from pathlib import Path

from memory import OWNER
from tests.support.dashboard import open_site
from tests.support.facts import MARTA, note


async def test_a_fact_is_pinned_and_let_fade_again_from_here(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        (name,) = await note(site.app.context.agents, MARTA[0])

        for shown, action, told in (("fading", "pin", "pinned"), ("pinned", "unpin", "Now: strength")):
            assert f'action="/fact/{name}/{action}"' in await site.page("/forgetting", show=shown)
            assert told in await site.changed(f"/fact/{name}/{action}", back=f"/forgetting?show={shown}")


async def test_what_is_gone_meanwhile_is_not_said_to_be_kept(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        (name,) = await note(site.app.context.agents, MARTA[0])
        memory = site.app.context.agents["personal"].memory
        assert "Kept: it is as strong as new." in await site.changed("/forgetting/keep", id=name, back="/forgetting")
        await memory.forget_facts([name], op_id="gone", scope=OWNER, actor="terminal:owner")

        answer = await site.change("/forgetting/keep", id=name, back="/forgetting")

        assert answer.status_code == 404
        assert answer.json()["error"] == f"personal has no fact ^{name}."
