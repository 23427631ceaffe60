from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.port import Address, ChatKind, Happening, Inbound, Sender
from bot.access.access import Access, AccessRules
from bot.access.chat_settings import ChatRule
from bot.access.routing import Routing
from bot.pipeline.group_context import MAX_CHARS, GroupContext
from bot.pipeline.intake import Intake
from bot.storage.in_memory import InMemoryCoordinator
from bot.storage.keys import Principal
from bot.storage.port import Envelope
from bot.storage.tables.people import AccessStore
from memory.privacy.secrets import MARK
from tests.support.factories import inbound

TEAM = Address("discord", "1", "c", ChatKind.CHANNEL, guild="g")
RULES = AccessRules(owners=frozenset({"discord:7"}), groups=frozenset({"discord:g"}), context=3)


class Group:
    """A listed group whose intake keeps what was said in it."""

    def __init__(self, rules: AccessRules = RULES) -> None:
        self.register = AccessStore()
        access = Access(rules, register=self.register)
        self.context = GroupContext(access)
        self.coordinator = InMemoryCoordinator()
        routing = Routing("personal", ["personal", "work"], register=self.register)
        self.intake = Intake(
            self.coordinator, access=access, routing=routing, register=self.register, context=self.context
        )
        self.updates = 0

    def event(self, text: str, *, to: Address = TEAM, sender: str = "9", addressed: bool = False) -> Inbound:
        self.updates += 1
        return replace(inbound(text, update=str(self.updates), at=to, sender=sender), addressed=addressed)

    async def says(self, *texts: str, to: Address = TEAM, sender: str = "9") -> None:
        for text in texts:
            assert not await self.intake.receive(self.event(text, to=to, sender=sender))

    async def asks(self, text: str = "when?", *, to: Address = TEAM, agent: str = "personal") -> list[str]:
        """What was attached to a question by the owner."""
        question = self.event(text, to=to, sender="7", addressed=True)
        assert await self.intake.receive(question)
        (envelope,) = [one for one in await self.waiting(agent) if one.inbound.text == text]
        return [said.text for said in envelope.before]

    async def waiting(self, agent: str = "personal") -> list[Envelope]:
        (grant,) = await self.coordinator.claim("w", [agent])
        return [one.envelope for one in await self.coordinator.pending(grant, after=0)]


def forget_zebra(text: str) -> str:
    return text.replace("zebra", "…")


async def test_a_question_comes_with_what_was_said_before_it_and_no_message_comes_twice() -> None:
    group = Group()
    await group.says("it moved", "to 15:00", "or 16:00", "no, 15:00")

    assert await group.asks("when?") == ["to 15:00", "or 16:00", "no, 15:00"]
    assert await group.asks("really?") == []
    await group.says("yes")
    assert await group.asks("sure?") == ["yes"]


async def test_what_an_edit_makes_a_question_was_not_said_before_the_next_one() -> None:
    group = Group()
    said = group.event("just talking", sender="7")
    await group.says("it moved")
    assert not await group.intake.receive(said)
    asked = replace(said, update="e", text="@bot where to?", addressed=True, happening=Happening.EDIT)
    assert await group.intake.receive(asked)

    assert await group.asks("when?") == ["it moved"]


async def test_it_is_no_other_chats_and_no_other_threads() -> None:
    group, topic = Group(), replace(TEAM, thread="5")
    await group.says("it moved")
    await group.says("the cake is late", to=topic)

    assert await group.asks("else?", to=replace(TEAM, chat="d")) == []
    assert await group.asks("private?", to=replace(TEAM, kind=ChatKind.PRIVATE, guild=None)) == []
    assert await group.asks("cake?", to=topic) == ["the cake is late"]
    assert await group.asks("when?") == ["it moved"]


async def test_a_thread_that_a_question_begins_gets_what_its_channel_said_each_time() -> None:
    group = Group()
    await group.says("it moved")

    for text in ("when?", "where?"):
        event = group.event(text, sender="7", addressed=True)
        assert await group.intake.receive(replace(event, address=replace(TEAM, thread=event.message)))

    assert [[said.text for said in one.before] for one in await group.waiting()] == [["it moved"], ["it moved"]]


async def test_a_command_takes_nothing_away_from_the_question_after_it() -> None:
    group = Group()
    await group.says("it moved")

    assert await group.asks("/status") == []
    assert await group.asks() == ["it moved"]


async def test_a_repeated_question_takes_nothing_away_either() -> None:
    group = Group()
    first = group.event("hello", sender="7", addressed=True)
    await group.intake.receive(first)
    await group.says("it moved")

    assert not await group.intake.receive(first)
    assert await group.asks() == ["it moved"]


async def test_what_is_said_while_a_question_is_written_down_comes_with_the_next_one() -> None:
    group = Group()
    await group.says("it moved")
    envelope, number = group.context.attach(
        Envelope("personal", Principal("discord:7", "Owner", is_owner=True), group.event("when?", sender="7"))
    )
    await group.says("to 15:00")
    group.context.attached(envelope, number)

    assert await group.asks("sure?") == ["to 15:00"]


async def test_each_agent_gets_it_once() -> None:
    group = Group()
    await group.says("it moved")

    assert await group.asks("when?") == ["it moved"]
    await group.register.choose(TEAM, "work")
    assert await group.asks("when then?", agent="work") == ["it moved"]


@pytest.mark.parametrize(
    ("rules", "to"),
    [
        (replace(RULES, groups=frozenset()), TEAM),
        (replace(RULES, context=0), TEAM),
        (replace(RULES, chats=(ChatRule("discord", "c", {"context": 0}),)), TEAM),
    ],
)
async def test_nothing_is_kept_of_a_group_that_is_not_listed_or_where_it_is_off(
    rules: AccessRules, to: Address
) -> None:
    group = Group(rules)
    await group.says("it moved", to=to)

    assert await group.asks(to=to) == []


async def test_an_edited_message_has_its_new_words_a_long_one_is_cut_and_bots_are_left_out() -> None:
    group = Group()
    moved = group.event("it moved to 14:00")
    await group.intake.receive(moved)
    await group.says("x" * 2000)
    await group.intake.receive(replace(moved, update="e", text="it moved to 15:00", happening=Happening.EDIT))
    await group.intake.receive(replace(group.event("buy coins"), sender=Sender("8", "Ad", is_bot=True)))

    edited, long = await group.asks()

    assert edited == "it moved to 15:00"
    assert len(long) == MAX_CHARS


async def test_a_secret_is_masked_before_it_is_kept() -> None:
    group = Group()
    await group.says("the password of the wifi is Zp4-kkw9!")

    (said,) = await group.asks()

    assert "Zp4" not in said
    assert MARK in said


@pytest.mark.parametrize("is_asked_before", [False, True])
async def test_what_is_forgotten_is_taken_out_of_it_wherever_it_is(*, is_asked_before: bool) -> None:
    group = Group()
    await group.says("the zebra moved")
    if is_asked_before:
        await group.asks("zebra?")

    await group.coordinator.redact("personal", forget_zebra)
    await group.context.redact(
        "personal", forget_zebra, lambda key: key.startswith("agent:personal:discord.1:channel:c")
    )

    if not is_asked_before:
        assert await group.asks("when?") == ["the … moved"]
    else:
        (envelope,) = await group.waiting()
        assert envelope.inbound.text == "zebra?", "what waits is still to be answered"
        assert [said.text for said in envelope.before] == ["the … moved"]


async def test_the_words_of_those_who_may_not_speak_there_are_foreign() -> None:
    group = Group(replace(RULES, chats=(ChatRule("discord", "c", {"speakers": "owner"}),)))
    await group.says("it moved", sender="9")
    await group.says("indeed", sender="7")
    await group.asks()

    (envelope,) = await group.waiting()

    assert [said.is_foreign for said in envelope.before] == [True, False]
