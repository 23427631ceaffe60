from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from bot.access.pairing import Pairings
from bot.errors import Missing, Refused, Unreachable, UsageError
from bot.service import control
from bot.service.control import AdminApi
from bot.storage.port import PartState
from bot.storage.sqlite import SqliteCoordinator
from bot.texts.catalogue import in_language
from memory import FrozenClock
from tests.support.factories import HOME, NOON, effects, envelope, inbound, outbound


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[tuple[SqliteCoordinator, AdminApi]]:
    clock = FrozenClock(NOON)
    async with SqliteCoordinator.open(folder / "s", clock=clock) as core:
        pairings = Pairings(core.register, clock=clock, marks=core.marks, draw=lambda: "ACDEFGHJ")
        accounts, troubles = {"telegram.1": "running"}, {"state file": "full"}
        yield core, AdminApi(core.register, pairings, core.dead_letters, lambda: accounts, troubles=lambda: troubles)


async def test_people_are_approved_listed_and_put_out_through_the_socket(tmp_path: Path) -> None:
    card = tmp_path / "card"
    async with opened(tmp_path) as (_, api), control.listening(card, api.ask):
        await api.pairings.ask(inbound("hello", update="1", sender="9"))
        (waiting,) = (await control.ask(card, "people"))["waiting"]
        approved = await control.ask(card, "approve", code="acdefghj", role="guest")
        people = (await control.ask(card, "people"))["people"]

        assert (waiting["code"], waiting["who"]) == ("ACDEFGHJ", "terminal:9")
        assert approved == {"who": "terminal:9", "role": "guest", "name": "9"}
        assert [person["who"] for person in people] == ["terminal:9"]
        assert await control.ask(card, "accounts") == {"accounts": {"telegram.1": "running", "state file": "full"}}
        assert await control.ask(card, "invite") == {"invitations": [{"account": "telegram.1", "code": "ACDEFGHJ"}]}
        await control.ask(card, "revoke", who="terminal:9")
        with pytest.raises(Missing, match="pair list"):
            await control.ask(card, "revoke", who="terminal:9")


async def test_what_makes_no_sense_is_refused_and_the_service_goes_on(tmp_path: Path) -> None:
    card = tmp_path / "card"
    async with opened(tmp_path) as (_, api), control.listening(card, api.ask):
        told = json.loads(card.read_text())
        with pytest.raises(UsageError):
            await control.ask(card, "dance")
        with pytest.raises(UsageError):
            await control.ask(card, "approve", cod="x")
        card.write_text(json.dumps(told | {"key": "guessed"}))
        with pytest.raises(Refused):
            await control.ask(card, "people")
        card.write_text(json.dumps(told))
        assert await control.ask(card, "people") == {"waiting": [], "people": []}


@pytest.mark.parametrize(
    ("language", "said"), [("de", "Niemand wurde"), ("zh", "没有人"), ("en", "Nobody was"), ("xx/..", "Nobody was")]
)
async def test_what_is_refused_is_said_in_the_language_of_whoever_asks(
    tmp_path: Path, language: str, said: str
) -> None:
    card = tmp_path / "card"
    async with opened(tmp_path) as (_, api), control.listening(card, api.ask):
        with in_language(language), pytest.raises(Missing) as refused:
            await control.ask(card, "revoke", who="terminal:9")

        assert said.casefold() in refused.value.message.casefold()


async def test_only_the_owner_of_the_files_can_read_the_key(tmp_path: Path) -> None:
    card = tmp_path / "card"
    async with opened(tmp_path) as (_, api), control.listening(card, api.ask):
        assert card.stat().st_mode & 0o777 == 0o600

    assert not card.exists()


async def test_a_service_that_has_gone_is_said_to_be(tmp_path: Path) -> None:
    card = tmp_path / "card"
    with pytest.raises(Unreachable):
        await control.ask(card, "people")
    card.write_text('{"port": 1, "key": "k"}')
    with pytest.raises(Unreachable):
        await control.ask(card, "people")


async def test_what_was_given_up_is_listed_and_tried_again_with_its_earlier_attempts_known(tmp_path: Path) -> None:
    async with opened(tmp_path) as (core, api):
        (grant,) = await core.claim("w", ["personal"])
        for number in (1, 2):
            await core.publish(envelope(f"question {number}", update=str(number)))
        one, two = await core.pending(grant, after=0)
        await core.begin(grant, [one.seq], attempt=3)
        await core.commit(grant, effects(one, set_aside="it broke"))
        await core.commit(grant, effects(two, parts=(outbound("p"),)))
        (part,) = await core.outgoing(grant, {HOME.account}, after=0)
        await core.move(grant, part.seq, PartState.DEAD, note="the chat is gone")

        letters = (await api.ask("dead"))["dead"]
        assert [(one["kind"], one["reason"]) for one in letters] == [
            ("message", "it broke"),
            ("part", "the chat is gone"),
        ]
        with pytest.raises(Missing):
            await api.ask("retry", wanted="personal:99")
        assert (await api.ask("retry", wanted="all"))["retried"] == [one["id"] for one in letters]

        (again,) = await core.pending(grant, after=two.seq)
        (part,) = await core.outgoing(grant, {HOME.account}, after=part.seq)
        assert (again.envelope.inbound.text, again.attempts, again.turn) == ("question 1", 3, None)
        assert part.out.id == "p"
        await core.move(grant, part.seq, PartState.DELIVERED, note="m")
        assert (await api.ask("dead"))["dead"] == []


async def test_what_another_process_has_forgotten_is_cleared_by_the_service(tmp_path: Path) -> None:
    asked = []

    async def clear(agent: str, *, wholly: bool, scope: str, op_id: str) -> int:
        asked.append((agent, wholly, scope, op_id))
        return 3

    card = tmp_path / "card"
    async with opened(tmp_path) as (_, api), control.listening(card, replace(api, clear=clear).ask):
        assert await control.ask(card, "forgotten", agent="personal", wholly=False) == {"count": 3}
        await control.ask(card, "forgotten", agent="work", wholly=True, scope="owner", op_id="cli:1")
        with pytest.raises(UsageError):
            await api.ask("forgotten", agent="personal", wholly=False)

    assert asked == [("personal", False, "", ""), ("work", True, "owner", "cli:1")]
