"""What is forgotten is gone: canary facts are forgotten in twelve ways, and looked for everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.paths import Home
from bot.service import control
from bot.service.control import AdminApi
from bot.system import instance
from memory import FrozenClock
from tests.acceptance.forgotten import KEPT, OPTIONS, WAYS, Canary, Scene, command, forgotten, found, talk, undocumented
from tests.support.factories import NOON


@pytest.mark.parametrize("way", WAYS)
async def test_a_fact_that_is_forgotten_is_found_nowhere_and_after_a_purge_not_even_in_the_journal(
    way: str, tmp_path: Path
) -> None:
    outcome = await forgotten(way, tmp_path)

    assert outcome.before > 2
    assert (outcome.shown, outcome.sent, outcome.exported) == ([], 0, 0)
    assert outcome.left == []
    assert outcome.purged == []
    assert not outcome.lost


@pytest.mark.parametrize("purge", [False, True])
async def test_the_command_line_reaches_the_records_of_a_running_service(tmp_path: Path, *, purge: bool) -> None:
    scene = begun(tmp_path)
    async with scene.running():
        built = scene.built
        assert built
        core = built.coordinator
        api = AdminApi(core.register, built.context.pairings, core.dead_letters, dict, built.clear)
        with instance.hold(scene.home, command="run", clock=scene.clock):
            async with control.listening(scene.home.control, api.ask):
                await scene.note()
                await talk(scene)
                more = ["--purge"] if purge else []
                await command(scene, "memory", "forget", scene.canary.word, "--yes", *more)

                left = found(scene.home, scene.canary) if purge else undocumented(scene)
                assert left == []
                assert scene.noticed > 2
                assert "Okafor" in await scene.ask("/recall who waters the plants?")


@pytest.mark.parametrize("days", [0, 2], ids=["purged", "a day later"])
async def test_what_was_shown_of_it_after_it_was_forgotten_goes_with_the_journals_texts(
    tmp_path: Path, days: int
) -> None:
    scene = begun(tmp_path)
    async with scene.running():
        await scene.note()
        await talk(scene)
        await scene.forget(scene.canary.word)
        assert scene.canary.is_in(await scene.ask("/journal"))
        assert scene.canary.is_in(await scene.ask("/forget --purge"))

        scene.clock.advance(days=days)
        await scene.ask("Hello" if days else "/forget --purge yes")
        await scene.ask("Hello again")  # the transcript's file is written out after the turn's end

        assert found(scene.home, scene.canary) == []
        assert "Okafor" in await scene.ask("/recall who waters the plants?")


@pytest.mark.parametrize("days", [0, 2], ids=["another is purged", "a day later"])
async def test_what_a_person_says_since_stays_when_the_journals_texts_go(tmp_path: Path, days: int) -> None:
    scene = begun(tmp_path)
    said = f"Who has box {scene.canary.number} now?"
    async with scene.running():
        await scene.ask(f"/remember {KEPT}")
        await scene.forget(await scene.note())
        await scene.ask(said)

        scene.clock.advance(days=days)
        await (scene.ask("Hello") if days else scene.forget("--purge Okafor"))
        await scene.ask("Hello again")

        assert said in await command(scene, "sessions", "export")


async def test_what_was_forgotten_beside_a_chat_is_masked_with_its_next_turn(tmp_path: Path) -> None:
    scene = begun(tmp_path)
    async with scene.running():
        with instance.hold(scene.home, command="chat", clock=scene.clock):
            await scene.note()
            await talk(scene)
            await command(scene, "memory", "forget", scene.canary.word, "--yes")
            assert undocumented(scene) != []

            await scene.ask("Hello")
            await scene.ask("Hello again")  # the transcript's file is written out after the turn's end

            assert undocumented(scene) == []


def begun(folder: Path) -> Scene:
    """A scene in a home with a configuration, and a canary."""
    home = Home.find({"SCRUBJAY_HOME": str(folder)})
    home.prepare()
    home.config.write_text(json.dumps(OPTIONS), encoding="utf-8")
    return Scene(home, Canary("sadinatuneko", "48219977"), FrozenClock(NOON))
