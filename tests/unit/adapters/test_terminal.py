from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from adapters.line_editor import EditorScreen
from adapters.port import Button, Inbound, Outbound, SendRefused
from adapters.terminal import CHATS, HERE, IDLE_NOTICE, NOT_TAKEN, REMARK, PlainScreen, TerminalAdapter, open_screen
from bot.access.links import readable
from tests.support.factories import NOON
from tests.support.service import NoQuarantine
from tests.support.terminal import Pipes, PseudoTerminal, pipes, pseudo_terminal


@pytest.fixture
def streams() -> Iterator[Pipes]:
    with pipes() as opened:
        yield opened


@pytest.fixture
def console() -> Iterator[PseudoTerminal]:
    with pseudo_terminal() as opened:
        yield opened


class Parrot(NoQuarantine):
    """A door that repeats what it hears, a moment later, as the outbox does."""

    def __init__(self, adapter: TerminalAdapter, group: asyncio.TaskGroup) -> None:
        self.heard: list[Inbound] = []
        self._adapter = adapter
        self._group = group

    async def receive(self, inbound: Inbound) -> bool:
        self.heard.append(inbound)
        self._group.create_task(self._answer(inbound))
        return True

    async def _answer(self, inbound: Inbound) -> None:
        with suppress(SendRefused):
            for number, last in enumerate((False, True)):
                text = f"{inbound.text[:40]} {number}"
                await self._adapter.send(Outbound(f"{inbound.update}/{number}", HERE, text, inbound.message, last=last))


def plain(streams: Pipes, *, run: str = "r") -> TerminalAdapter:
    return TerminalAdapter(PlainScreen(streams.stdin, streams.stdout), run=run, now=lambda: NOON)


async def parrot(adapter: TerminalAdapter) -> list[Inbound]:
    async with asyncio.TaskGroup() as group:
        door = Parrot(adapter, group)
        await adapter.run(door)
    return door.heard


async def test_each_line_is_answered_wholly_before_the_next_is_read(streams: Pipes) -> None:
    streams.type(b"one\ntwo\nthree")
    streams.hang_up()

    heard = await parrot(plain(streams))

    assert [inbound.text for inbound in heard] == ["one", "two", "three"]
    assert streams.seen() == "one 0\none 1\ntwo 0\ntwo 1\nthree 0\nthree 1\n"


async def test_blank_lines_are_not_brought_to_the_door(streams: Pipes) -> None:
    streams.type(b"\n  \n\t\nhello\r\n\n")
    streams.hang_up()

    assert [inbound.text for inbound in await parrot(plain(streams))] == ["hello"]


async def test_bytes_that_are_no_text_become_text(streams: Pipes) -> None:
    streams.type(b"a\x00b\n\xff\xfe caf\xc3\xa9\n\x00\n")
    streams.hang_up()

    assert [inbound.text for inbound in await parrot(plain(streams))] == ["ab", "\ufffd\ufffd café"]


async def test_a_line_of_a_megabyte_is_one_message(streams: Pipes) -> None:
    line = b"x" * 1_000_000
    writing = asyncio.to_thread(streams.type, line + b"\nafter it\n")
    async with asyncio.TaskGroup() as group:
        heard = group.create_task(parrot(plain(streams)))
        await writing
        streams.hang_up()

    assert [len(inbound.text) for inbound in heard.result()] == [1_000_000, len("after it")]


async def test_update_ids_are_the_same_when_the_same_run_is_fed_again_and_differ_between_runs(streams: Pipes) -> None:
    streams.type(b"one\ntwo\n")
    streams.hang_up()
    first = await parrot(plain(streams))
    with pipes() as again, pipes() as later:
        for stream in (again, later):
            stream.type(b"one\ntwo\n")
            stream.hang_up()
        repeated, other = await parrot(plain(again)), await parrot(plain(later, run="s"))

    assert [inbound.update for inbound in repeated] == [inbound.update for inbound in first]
    assert not {inbound.update for inbound in other} & {inbound.update for inbound in first}


async def test_an_answer_to_an_earlier_session_carries_a_remark(streams: Pipes) -> None:
    adapter = plain(streams, run="today")

    await adapter.send(Outbound("o1", HERE, "the late answer", reply_to="yesterday-3"))
    await adapter.send(Outbound("o2", HERE, "a reminder"))

    assert streams.seen() == f"{REMARK}\nthe late answer\na reminder\n"


async def test_a_later_process_prints_again_what_is_sent_again_and_the_terminal_says_so(streams: Pipes) -> None:
    printed, unrecorded = plain(streams, run="killed"), Outbound("o1", HERE, "the answer")

    await printed.send(unrecorded)
    later = plain(streams, run="next")
    await later.send(unrecorded)

    assert streams.seen() == "the answer\nthe answer\n"
    assert later.capabilities.at_least_once
    assert not later.capabilities.idempotent


async def test_choices_are_shown_as_what_to_type(streams: Pipes) -> None:
    buttons = (Button("Yes", "/forget yes abc"), Button("No", "/forget no"))
    await plain(streams).send(Outbound("o1", HERE, "Forget it?", buttons=buttons))

    assert streams.seen() == "Forget it?\n- Yes: `y`\n- No: `n`\n"


async def test_of_choices_that_answer_no_question_the_number_is_typed(streams: Pipes) -> None:
    buttons = (Button("✗ call mum", "/reminders cancel a"), Button("✗ feed the cat", "/reminders cancel b"))
    await plain(streams).send(Outbound("o1", HERE, "Set:", buttons=buttons[:1]))
    await plain(streams).send(Outbound("o2", HERE, "Two:", buttons=buttons))

    assert streams.seen() == "Set:\n- ✗ call mum: `1`\nTwo:\n- ✗ call mum: `1`\n- ✗ feed the cat: `2`\n"


async def test_of_more_than_two_choices_the_number_is_typed(streams: Pipes) -> None:
    buttons = tuple(Button(label, f"/forget yes abc {label}") for label in ("One", "Two", "Keep"))
    await plain(streams).send(Outbound("o1", HERE, "Which?", buttons=buttons))

    assert streams.seen() == "Which?\n- One: `1`\n- Two: `2`\n- Keep: `3`\n"


async def test_text_cannot_move_the_cursor_or_turn_the_writing_direction(streams: Pipes) -> None:
    await plain(streams).send(Outbound("o1", HERE, "a\x1b[2Jb\u202ec\x07\x9b31m\td"))

    assert streams.seen() == "a\ufffd[2Jb\ufffdc\ufffd\ufffd31m\td\n"


async def test_when_nobody_reads_any_more_the_chat_ends_and_the_answer_is_refused(streams: Pipes) -> None:
    adapter = plain(streams)
    streams.type(b"one\ntwo\n")
    streams.stop_reading()

    heard = await parrot(adapter)

    assert [inbound.text for inbound in heard] == ["one"]
    with pytest.raises(SendRefused, match="cannot be printed"):
        await adapter.send(Outbound("o", HERE, "anybody?"))


async def test_characters_that_the_output_cannot_show_are_replaced(streams: Pipes) -> None:
    streams.stdout.reconfigure(encoding="ascii")

    await plain(streams).send(Outbound("o", HERE, "für 雪"))

    assert streams.seen() == "f?r ?\n"


async def test_a_repeated_update_is_not_waited_for(streams: Pipes) -> None:
    class Bored(NoQuarantine):
        async def receive(self, inbound: Inbound) -> bool:
            return not inbound.text

    streams.type(b"said before\n")
    streams.hang_up()

    await plain(streams).run(Bored())

    assert streams.seen() == ""


def test_a_terminal_that_no_test_looks_at_lets_no_writer_wait(console: PseudoTerminal) -> None:
    console.stdout.write("much\n" * 20_000)
    console.stdout.flush()


def test_the_screen_fits_the_streams(streams: Pipes, console: PseudoTerminal) -> None:
    assert isinstance(open_screen(streams.stdin, streams.stdout), PlainScreen)
    assert isinstance(open_screen(console.stdin, streams.stdout), PlainScreen)
    assert isinstance(open_screen(console.stdin, console.stdout, term="dumb"), PlainScreen)
    assert isinstance(open_screen(console.stdin, console.stdout, term="xterm"), EditorScreen)


def editor(console: PseudoTerminal, *, history: Path | None = None, color: bool = True) -> TerminalAdapter:
    screen = open_screen(
        console.stdin, console.stdout, term="xterm", color=color, commands=["remember", "recall"], history=history
    )
    return TerminalAdapter(screen, run="r", now=lambda: NOON)


async def test_answers_are_drawn_above_the_prompt_as_markdown(console: PseudoTerminal) -> None:
    async with asyncio.TaskGroup() as group:
        adapter = editor(console)
        running = group.create_task(adapter.run(Parrot(adapter, group)))
        await console.until(">")
        await adapter.send(Outbound("o", HERE, "# Found\n\n- **one**\n- two\n\n`three`\nfour"))
        lines = await console.until("four\n>")
        console.type("\x04")
        await running

    assert "**" not in lines
    assert "`" not in lines
    assert lines.endswith("three\nfour\n>")


async def test_what_is_typed_is_answered_and_ctrl_d_leaves(console: PseudoTerminal) -> None:
    async with asyncio.TaskGroup() as group:
        adapter = editor(console)
        door = Parrot(adapter, group)
        running = group.create_task(adapter.run(door))
        await console.until(">")
        console.type("hello there\r")
        await console.until("hello there 1\n>")
        console.type("\x04")
        await running

    assert [inbound.text for inbound in door.heard] == ["hello there"]


@pytest.mark.parametrize(("typed", "heard"), [(("one\ntwo\n",), ["one", "two"]), (("one", "\ntwo\r"), ["one\ntwo"])])
async def test_lines_typed_before_the_prompt_are_messages_however_late_it_comes_and_ctrl_j_begins_a_line(
    console: PseudoTerminal, monkeypatch: pytest.MonkeyPatch, typed: tuple[str, ...], heard: list[str]
) -> None:
    loop, clock = asyncio.get_running_loop(), asyncio.get_running_loop().time
    async with asyncio.TaskGroup() as group:
        adapter = editor(console)
        door = Parrot(adapter, group)
        running = group.create_task(adapter.run(door))
        await console.until(">")
        for number, keys in enumerate(typed, 1):
            monkeypatch.setattr(loop, "time", lambda late=number: clock() + 60 * late)
            console.type(keys)
            await console.until(keys.split()[-1])
        await console.until("two 1\n>")
        console.type("\x04")
        await running

    assert [inbound.text for inbound in door.heard] == heard


@pytest.mark.parametrize("word", ["exit", "Quit", "/exit"])
async def test_the_usual_words_leave_too_at_a_prompt(console: PseudoTerminal, word: str) -> None:
    async with asyncio.TaskGroup() as group:
        adapter = editor(console)
        door = Parrot(adapter, group)
        running = group.create_task(adapter.run(door))
        await console.until(">")
        console.type(f"{word}\r")
        await running

    assert door.heard == []


async def test_through_a_pipe_they_are_lines_like_any_other(streams: Pipes) -> None:
    streams.type(b"exit\nquit\n")
    streams.hang_up()

    assert [inbound.text for inbound in await parrot(plain(streams))] == ["exit", "quit"]


async def test_whoever_sits_at_a_prompt_is_greeted_and_a_pipe_is_not(console: PseudoTerminal, streams: Pipes) -> None:
    for screen in (
        open_screen(console.stdin, console.stdout, term="xterm"),
        open_screen(streams.stdin, streams.stdout),
    ):
        adapter = TerminalAdapter(screen, run="r", now=lambda: NOON, greeting="Welcome.")
        async with asyncio.TaskGroup() as group:
            running = group.create_task(adapter.run(Parrot(adapter, group)))
            if not screen.waits:
                assert (await console.until(">")).startswith("Welcome.")
                console.type("\x04")
            streams.hang_up()
            await running

    assert streams.seen() == ""


async def test_ctrl_c_drops_what_is_typed_and_leaves_neither_the_chat_nor_the_line(console: PseudoTerminal) -> None:
    async with asyncio.TaskGroup() as group:
        adapter = editor(console)
        door = Parrot(adapter, group)
        running = group.create_task(adapter.run(door))
        await console.until(">")
        console.type("half a tho")
        await console.until("half a tho")
        console.type("\x03")
        await console.until(IDLE_NOTICE)
        console.type("whole\r")
        await console.until("whole 1\n>")
        console.type("\x04")
        await running

    assert [inbound.text for inbound in door.heard] == ["whole"]


async def test_what_was_answered_together_is_not_under_way_any_more(console: PseudoTerminal) -> None:
    heard = asyncio.Queue[str]()

    class Taking(NoQuarantine):
        async def receive(self, inbound: Inbound) -> bool:
            await heard.put(inbound.text)
            return True

    async with asyncio.TaskGroup() as group:
        adapter = editor(console)
        running = group.create_task(adapter.run(Taking()))
        await console.until(">")
        for text in ("one", "two"):
            console.type(f"{text}\r")
            assert await heard.get() == text
        await adapter.send(Outbound("o1", HERE, "to both", reply_to="r-2"))
        await console.until("to both\n>")
        console.type("\x03")
        await console.until(IDLE_NOTICE)
        console.type("\x04")
        await running

    assert heard.empty()


class Refusing(NoQuarantine):
    """A door at which everything is given up."""

    async def receive(self, inbound: Inbound) -> bool:
        return False


async def test_a_chat_does_not_wait_for_what_was_given_up(streams: Pipes) -> None:
    adapter = TerminalAdapter(None, run="r", now=lambda: NOON)
    streams.type(b"one\ntwo\n")
    streams.hang_up()

    async with asyncio.TaskGroup() as group, asyncio.timeout(20):
        serving = group.create_task(adapter.run(Refusing()))
        with adapter.opened(PlainScreen(streams.stdin, streams.stdout), CHATS[1], run="s") as chat:
            await adapter.serve(chat)
        serving.cancel()

    assert not chat.is_answering
    assert streams.seen() == ""


async def test_who_sits_at_a_prompt_is_told_that_it_was_given_up(console: PseudoTerminal) -> None:
    async with asyncio.TaskGroup() as group:
        running = group.create_task(editor(console).run(Refusing()))
        await console.until(">")
        console.type("hello\r")
        await console.until(f"{NOT_TAKEN}\n>")
        console.type("\x04")
        await running


async def test_ctrl_c_stops_the_answer_that_is_under_way(console: PseudoTerminal) -> None:
    class Waiting(NoQuarantine):
        def __init__(self) -> None:
            self.heard: asyncio.Queue[str] = asyncio.Queue()

        async def receive(self, inbound: Inbound) -> bool:
            await self.heard.put(inbound.text)
            return True

    door = Waiting()
    async with asyncio.TaskGroup() as group:
        adapter = editor(console)
        running = group.create_task(adapter.run(door))
        await console.until(">")
        console.type("tell me everything\r")
        assert await door.heard.get() == "tell me everything"
        await adapter.progress(HERE, lambda: "It began", "searching memory")
        await console.until("searching memory…")
        console.type("\x03")
        assert await door.heard.get() == "/stop"
        await adapter.send(Outbound("o1", HERE, "(Stopped.)", reply_to="r-1"))
        await adapter.send(Outbound("o2", HERE, "(Nothing to stop.)", reply_to="r-2"))
        lines = await console.until("(Stopped.)\n>")
        assert "searching" not in lines
        assert "Nothing to stop" not in lines
        console.type("\x03")
        await console.until(IDLE_NOTICE)
        console.type("\x04")
        await running

    assert door.heard.empty()


async def test_tab_completes_a_command(console: PseudoTerminal) -> None:
    async with asyncio.TaskGroup() as group:
        adapter = editor(console)
        door = Parrot(adapter, group)
        running = group.create_task(adapter.run(door))
        await console.until(">")
        console.type("/rem\t")
        await console.until("/remember")
        console.type(" it\r")
        await console.until("/remember it 1\n>")
        console.type("\x04")
        await running

    assert [inbound.text for inbound in door.heard] == ["/remember it"]


async def test_the_next_session_remembers_what_was_typed(tmp_path: Path) -> None:
    history = tmp_path / "state" / "history"

    async def session(typed: str) -> list[str]:
        with pseudo_terminal() as console:
            async with asyncio.TaskGroup() as group:
                adapter = editor(console, history=history)
                door = Parrot(adapter, group)
                running = group.create_task(adapter.run(door))
                await console.until(">")
                console.type(typed)
                await running
        return [inbound.text for inbound in door.heard]

    arrow_up = "\x1b[A"
    assert await session("what I typed\r\x04") == ["what I typed"]
    assert await session(f"{arrow_up}\r\x04") == ["what I typed"]
    assert history.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("enter", ["\r", "\n"])
async def test_enter_takes_what_ctrl_r_has_found_and_then_sends_it(console: PseudoTerminal, enter: str) -> None:
    async with asyncio.TaskGroup() as group:
        adapter = editor(console)
        door = Parrot(adapter, group)
        running = group.create_task(adapter.run(door))
        await console.until(">")
        console.type("where is the key?\r")
        await console.until("where is the key? 1\n>")
        console.type(f"\x12the k{enter}\r")
        await console.until("where is the key? 1\n> where is the key?\nwhere is the key? 0\nwhere is the key? 1\n>")
        console.type("\x04")
        await running

    assert [inbound.text for inbound in door.heard] == ["where is the key?"] * 2


async def test_an_answer_that_comes_after_leaving_is_still_shown(console: PseudoTerminal) -> None:
    adapter = editor(console)

    await adapter.send(Outbound("o", HERE, "*late*"))

    assert await console.until("late") == "late"


async def test_what_looks_like_a_tag_or_a_comment_is_shown_as_it_is(console: PseudoTerminal) -> None:
    adapter = editor(console)

    await adapter.send(
        Outbound("o", HERE, "Use List<String>, <b>not</b> List.\n\n<!-- scrubjay:forgotten ^k3f9a2mq -->")
    )
    await console.until("k3f9a2mq")

    assert "Use List<String>, <b>not</b> List." in console.lines()
    assert "<!-- scrubjay:forgotten ^k3f9a2mq -->" in console.lines()


async def test_without_colour_there_is_no_colour(console: PseudoTerminal) -> None:
    adapter = editor(console, color=False)

    await adapter.send(Outbound("o", HERE, "`code` and [a link](https://example.org)\n\n```py\nx = 1\n```"))
    await console.until("x = 1")

    assert not any(b"\x1b[%d" % code in console.raw for code in (31, 32, 33, 34, 35, 36, 38, 40, 48))
    assert "https://example.org" in console.lines()


async def test_what_answers_nothing_is_shown_at_a_prompt_and_never_in_a_pipe(
    streams: Pipes, console: PseudoTerminal
) -> None:
    piped = plain(streams)
    sitting = TerminalAdapter(EditorScreen(console.stdin, console.stdout), run="r", now=lambda: NOON)

    await piped.announce("Preparing something ...")
    await sitting.announce("Preparing something ...")

    assert streams.seen() == ""
    assert "Preparing something ..." in await console.until("something")


@pytest.mark.parametrize("named", ["app.py:12", "example.org:8080", "README.md", "127.0.0.1:80", "[x](https://a.org)"])
async def test_an_answer_that_names_a_file_or_host_is_printed_once(console: PseudoTerminal, named: str) -> None:
    begun = f"First look at {named} there.\n\nThen at"
    answer = readable(f"{begun} the rest.", known=frozenset(), is_foreign=True)
    async with asyncio.TaskGroup() as group:
        adapter = editor(console)
        running = group.create_task(adapter.run(Parrot(adapter, group)))
        await console.until(">")
        await adapter.progress(HERE, lambda: begun, "")
        await adapter.send(Outbound("o", HERE, answer))
        lines = await console.until("the rest.\n>")
        console.type("\x04")
        await running

    assert not answer.startswith(begun)
    assert lines.count("First look at") == 1


async def test_an_answer_that_grows_fast_is_looked_at_seldom_and_shown_to_its_end(console: PseudoTerminal) -> None:
    looked_at = []

    def grown(n: int) -> str:
        looked_at.append(n)
        return "\n".join(f"line {number}" for number in range(n + 1))

    async with asyncio.TaskGroup() as group:
        adapter = editor(console)
        running = group.create_task(adapter.run(Parrot(adapter, group)))
        await console.until(">")
        for n in range(200):
            await adapter.progress(HERE, partial(grown, n), "")
        assert len(looked_at) < 10
        assert "line 187" not in await console.until("line 199")
        console.type("\x04")
        await running


async def test_a_growing_answer_is_shown_by_its_last_lines_until_it_is_there(console: PseudoTerminal) -> None:
    async with asyncio.TaskGroup() as group:
        adapter = editor(console)
        running = group.create_task(adapter.run(Parrot(adapter, group)))
        await console.until(">")
        await adapter.progress(HERE, lambda: "\n".join(f"line {n}\x1b[2J" for n in range(40)), "")
        lines = await console.until("line 39")
        await adapter.send(Outbound("o", HERE, "the answer"))
        after = await console.until("the answer\n>")
        console.type("\x04")
        await running

    assert "line 27" not in lines
    assert "line 28" in lines
    assert "line 39" not in after
