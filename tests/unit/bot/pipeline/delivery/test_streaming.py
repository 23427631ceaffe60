from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

import pytest

from adapters.in_memory import InMemoryAdapter
from adapters.port import (
    PLACEHOLDER,
    Address,
    Capabilities,
    ChatKind,
    Growing,
    MessageGone,
    NotSent,
    Outbound,
    Receipt,
    SlowDown,
)
from bot.access.chat_settings import ChatRule
from bot.errors import BotError
from bot.pipeline.delivery.rendering import STOP
from bot.pipeline.delivery.streaming import StreamBuffer
from bot.storage.port import part_id
from bot.texts.catalogue import in_language
from bot.texts.receipts import own_words
from bot.turn import AdapterSink, Reply, Responder, Turn
from tests.support.factories import HOME, NOON
from tests.support.service import ACCESS_RULES, ServiceHarness

CHAT = Capabilities(text_limit=40, edits=True, typing_s=5)
RECOGNISING = replace(CHAT, idempotent=True)


class Screen(InMemoryAdapter):
    """Notes all that was written into it, and waits for what a test wants to see."""

    def __init__(self, capabilities: Capabilities = CHAT) -> None:
        super().__init__(now=lambda: NOON, capabilities=capabilities)
        self.written: list[Outbound] = []
        self.typed = 0
        self.is_typing_on = asyncio.Event()
        self._changed = asyncio.Event()

    async def send(self, out: Outbound) -> Receipt:
        self._note(out)
        return await super().send(out)

    async def edit(self, receipt: Receipt, out: Outbound) -> None:
        self._note(out)
        await super().edit(receipt, out)

    async def typing(self, to: Address) -> None:
        self.typed += 1
        if self.typed == 3:
            self.is_typing_on.set()
        await asyncio.sleep(0)

    async def until(self, text: str) -> None:
        async with asyncio.timeout(10):
            while not any(text in out.text for out in self.written):
                self._changed.clear()
                await self._changed.wait()

    @property
    def drafts(self) -> list[str]:
        return [out.text for out in self.written if out.draft]

    def _note(self, out: Outbound) -> None:
        self.written.append(out)
        self._changed.set()


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.pipeline.delivery.streaming.OFFER_S", 0.01)
    monkeypatch.setattr("bot.pipeline.delivery.streaming.FIRST_OFFER_S", 0)  # also where a test holds the clock


def growing(screen: Screen, *texts: str, doing: str = "") -> Responder:
    """Says each text when the one before it has been seen, and at the end all of it."""

    async def respond(turn: Turn) -> Reply:
        if doing:
            await turn.live.doing(doing)
            await screen.until(doing)
            await turn.live.doing("")
        for text in texts:
            await turn.live.text(partial(str, text))
            await screen.until(text[:30])
        return Reply(texts[-1] + " The end.")

    return respond


@pytest.mark.parametrize(("able", "first"), [(CHAT, PLACEHOLDER), (RECOGNISING, "Once upon")])
async def test_an_answer_grows_in_the_message_that_it_ends_in(able: Capabilities, first: str) -> None:
    screen = Screen(able)
    shown = await ServiceHarness(growing(screen, "Once upon", "Once upon a time"), adapter=screen).run("tell")

    assert shown == ["Once upon a time The end."]
    assert [out.text for out in screen.written] == [first, *screen.drafts, shown[0]]
    assert screen.written[1 if first == PLACEHOLDER else 0].text == "Once upon"


async def test_an_answer_that_is_ready_soon_takes_the_place_of_its_placeholder_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bot.pipeline.delivery.streaming.FIRST_OFFER_S", 60)
    screen = Screen()

    async def respond(turn: Turn) -> Reply:
        await turn.live.text(lambda: "Once")
        await screen.until(PLACEHOLDER)
        await turn.live.text(lambda: "Once upon")
        return Reply("Once upon a time.")

    assert await ServiceHarness(respond, adapter=screen).run("tell") == ["Once upon a time."]
    assert [out.text for out in screen.written] == [PLACEHOLDER, "Once upon a time."]


async def test_a_growing_answer_is_put_together_when_it_is_shown_and_not_with_each_piece() -> None:
    buffer, pieces, shown = StreamBuffer(), list[str](), list[str]()

    def so_far() -> str:
        shown.append("".join(pieces))
        return shown[-1]

    for piece in (" ", "Once ", "upon ", "a ", "time"):
        pieces.append(piece)
        await buffer.text(so_far)

    assert shown == [" ", " Once "]  # until there is something to show
    assert buffer.shown == "Once upon a time"


async def test_what_looks_like_a_receipt_is_told_apart_in_the_language_of_the_turn() -> None:
    class Watched(InMemoryAdapter):
        async def progress(self, to: Address, text: Growing, doing: str) -> None:
            seen.append(text)

    seen = list[Growing]()
    sink = AdapterSink(Watched(now=lambda: NOON), HOME)
    with in_language("de"):
        await sink.text(lambda: "Noted in memory/x.md:3")
        expected = own_words("Noted in memory/x.md:3")

    assert [text() for text in seen] == [expected]
    assert expected != own_words("Noted in memory/x.md:3")


async def test_an_answer_can_be_stopped_by_a_button_as_long_as_it_grows() -> None:
    screen = Screen()
    await ServiceHarness(growing(screen, "Once upon"), adapter=screen).run("tell")

    *growing_ones, complete = screen.written
    assert len(growing_ones) > 1
    assert {out.buttons for out in growing_ones} == {(STOP,)}
    assert complete.buttons == ()


async def test_what_the_agent_does_is_shown_until_it_speaks() -> None:
    screen = Screen()
    await ServiceHarness(growing(screen, "Found it.", doing="searching memory"), adapter=screen).run("where")

    assert screen.drafts[0] == "_searching memory …_"
    assert "Found it." in screen.drafts


async def test_of_an_answer_longer_than_a_message_the_first_part_is_shown_and_the_rest_follows() -> None:
    screen = Screen()
    text = " ".join(f"word{number}" for number in range(12))
    shown = await ServiceHarness(growing(screen, text), adapter=screen).run("tell")

    assert len(shown) == 3
    assert " ".join(shown) == f"{text} The end."
    assert all(draft == shown[0] for draft in screen.drafts)


async def test_a_turn_that_begins_anew_goes_on_in_the_same_message() -> None:
    screen, attempts = Screen(), []

    async def broken(turn: Turn) -> Reply:
        attempts.append(turn)
        await turn.live.text(lambda: f"attempt {len(attempts)}")
        if len(attempts) == 1:
            await screen.until("attempt 1")
            raise RuntimeError("a mistake of ours")
        return Reply("done")

    assert await ServiceHarness(broken, adapter=screen).run("go") == ["done"]
    assert screen.drafts == ["attempt 1"]


async def test_a_failure_with_a_remedy_replaces_what_was_shown() -> None:
    screen = Screen()

    async def refused(turn: Turn) -> Reply:
        await turn.live.text(lambda: "I think")
        await screen.until("I think")
        raise BotError("No model answers.", hint="Try later.")

    (shown,) = await ServiceHarness(refused, adapter=screen).run("go")
    assert "No model answers." in shown


async def test_while_an_earlier_answer_is_on_its_way_the_next_one_does_not_overtake_it() -> None:
    screen = Screen()
    screen.faults += [NotSent("no network")] * 2  # the placeholder's, and the first try of the outbox
    is_back = asyncio.Event()

    async def wait(seconds: float) -> None:
        await is_back.wait()

    async def respond(turn: Turn) -> Reply:
        await turn.live.text(lambda: "so far")
        for _ in range(20):
            await asyncio.sleep(0)
        if turn.text == "two":
            is_back.set()
        return Reply(turn.text)

    assert await ServiceHarness(respond, adapter=screen, burst=1, pause=wait).run("one", "two") == ["one", "two"]
    assert screen.drafts == []


async def test_once_the_earlier_answer_has_arrived_the_next_one_is_shown_whatever_the_clock_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop = asyncio.get_running_loop()
    now = loop.time()
    monkeypatch.setattr(loop, "time", lambda: now)
    screen = Screen()
    screen.faults += [NotSent("no network")] * 2
    is_back = asyncio.Event()

    async def wait(seconds: float) -> None:
        await is_back.wait()

    async def respond(turn: Turn) -> Reply:
        await turn.live.text(lambda: f"so far {turn.text}")
        if turn.text == "two":
            is_back.set()
            await screen.until("so far two")
        else:
            await screen.until(PLACEHOLDER)
        return Reply(turn.text)

    assert await ServiceHarness(respond, adapter=screen, burst=1, pause=wait).run("one", "two") == ["one", "two"]
    assert screen.drafts == ["so far two"]


async def test_a_placeholder_of_which_a_crash_has_left_no_record_becomes_the_answer_where_ids_are_recognised() -> None:
    screen = Screen(RECOGNISING)

    async def respond(turn: Turn) -> Reply:
        await screen.send(Outbound(part_id(turn.id, 0), turn.session.address, PLACEHOLDER))
        return Reply("all of it")

    assert await ServiceHarness(respond, adapter=screen).run("go") == ["all of it"]


@pytest.mark.parametrize("able", [CHAT, RECOGNISING])
async def test_a_placeholder_that_was_deleted_is_replaced_by_a_message_of_its_own(able: Capabilities) -> None:
    screen = Screen(able)

    async def respond(turn: Turn) -> Reply:
        await turn.live.text(lambda: "so far")
        await screen.until("so far")
        screen.shown.clear()
        screen.faults.append(MessageGone("a moderator was here"))
        return Reply("all of it")

    assert await ServiceHarness(respond, adapter=screen).run("go") == ["all of it"]


@pytest.mark.parametrize("able", [CHAT, RECOGNISING])
@pytest.mark.parametrize("fault", [SlowDown("wait", seconds=60), NotSent("no network")], ids=str)
async def test_where_no_placeholder_can_be_sent_the_answer_arrives_all_the_same(
    fault: Exception, able: Capabilities
) -> None:
    screen = Screen(able)
    screen.faults.append(fault)

    async def respond(turn: Turn) -> Reply:
        await turn.live.text(lambda: "so far")
        await screen.until("so far" if able.idempotent else PLACEHOLDER)
        return Reply("all of it")

    assert await ServiceHarness(respond, adapter=screen).run("go") == ["all of it"]
    assert screen.drafts == []


async def test_typing_is_shown_until_there_is_something_to_read() -> None:
    screen = Screen()

    async def slow(turn: Turn) -> Reply:
        await screen.is_typing_on.wait()
        await turn.live.text(lambda: "so far")
        await screen.until("so far")
        typed = screen.typed
        for _ in range(20):
            await asyncio.sleep(0)
        return Reply(f"typed {screen.typed - typed} times since")

    stand = ServiceHarness(slow, adapter=screen)
    assert await stand.run("go") == ["typed 0 times since"]
    assert stand.pause.waited[:3] == [0.3, 4.0, 4.0]


async def test_where_messages_cannot_be_edited_answers_come_whole() -> None:
    screen = Screen(Capabilities(text_limit=40))

    async def respond(turn: Turn) -> Reply:
        await turn.live.text(lambda: "so far")
        return Reply("all of it")

    assert await ServiceHarness(respond, adapter=screen).run("go") == ["all of it"]
    assert len(screen.written) == 1


async def test_where_streaming_is_off_the_answer_comes_when_it_is_whole() -> None:
    screen = Screen()

    async def respond(turn: Turn) -> Reply:
        await turn.live.text(lambda: "Once upon a time")
        await asyncio.wait_for(screen.is_typing_on.wait(), 10)
        return Reply("Once upon a time.")

    rules = replace(ACCESS_RULES, chats=(ChatRule("volatile", "chat", {"streaming": False}),))

    assert await ServiceHarness(respond, adapter=screen, rules=rules).run("tell") == ["Once upon a time."]
    assert not screen.drafts


async def test_of_a_turn_that_may_end_in_silence_nothing_is_shown() -> None:
    screen = Screen()

    async def respond(turn: Turn) -> Reply:
        await turn.live.text(lambda: "NO_REP")
        return Reply("NO_REPLY", is_silent=turn.may_be_silent)

    rules = replace(ACCESS_RULES, chats=(ChatRule("volatile", "chat", {"listen": "all", "silence": True}),))
    harness = ServiceHarness(respond, adapter=screen, rules=rules)
    screen.say("See you at three.", kind=ChatKind.GROUP, sender="owner", addressed=False)

    assert await harness.run() == []
    assert screen.typed == 0
