"""`scrubjay chat` as a person sees it: answers that grow, narrow and plain terminals, a service beside."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.servers.openai_script import Fault, Received, Step, hangs
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.servers.telegram import client as telegram
from tests.support.cli_process import PROMPT, TerminalProcess, collapse_whitespace, command, environment, run

CTRL_C, CTRL_D, ALT_ENTER, CTRL_J = "\x03", "\x04", "\x1b\r", "\n"
COLOR = re.compile(rb"\x1b\[[0-9;]*\b(3[0-7]|38|4[0-8])\b[0-9;]*m")
CURSOR = re.compile(rb"\x1b\[\d*[A-KJ]")
STORY = ("# Jays\n\n", "They **hide** acorns.\n\n", "Then ", "they ", "forget.")


def answer(received: Received) -> Step:
    """Tells a story, or repeats what was said."""
    return Step(text=STORY if "story" in received.user_text else f"You said: {received.user_text!r}.")


def stalls(received: Received) -> Fault | None:
    """The story stops before its end."""
    return hangs(4) if "story" in received.user_text else None


def furnished(home: Path, server: OpenAIServer) -> Path:
    """A home with a model, and whose memory is searched by words."""
    home.mkdir()
    model = {"name": MODEL, "base_url": server.base_url, "api_key": KEY}
    config = {"model": model, "memory": {"embedder": {"kind": "none"}}}
    (home / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    return home


def test_in_forty_columns_an_answer_grows_in_place_and_ctrl_c_keeps_its_half(tmp_path: Path) -> None:
    with (
        OpenAIServer(answer, stalls) as server,
        TerminalProcess(furnished(tmp_path / "home", server), "chat", columns=40, NO_COLOR="1") as window,
    ):
        window.until(lambda lines: lines[-1:] == [PROMPT])
        window.press("A story please.\r")
        growing = window.until(lambda lines: "Then" in lines and "writing…" in lines[-2] and lines[-1] == PROMPT)
        assert any("They hide acorns." in line for line in growing)
        window.press(CTRL_C)
        shown = "\n".join(window.until(lambda lines: "(Stopped.)" in "\n".join(lines) and lines[-1] == PROMPT))
        assert window.status() == ""
        assert "under way" not in shown
        assert [shown.count(words) for words in ("Jays", "They hide acorns.", "Then", "tokens")] == [1, 1, 1, 0]
        assert re.search(rf"{PROMPT} A story please\.\npersonal\n +Jays\n\nThey hide acorns\.\n\nThen\s", shown)

        several = f"one{ALT_ENTER}two\x1b[200~ three{CTRL_J}four\x1b[201~"
        window.press(several)
        window.until(lambda lines: lines[-1].endswith("four"))
        window.press("\r")
        said = window.until(lambda lines: "four'" in collapse_whitespace("".join(lines)) and lines[-1] == PROMPT)
        assert "one\\ntwo three\\nfour'" in "".join(said)
        window.press(CTRL_D)
        assert window.ended() == 0
        assert not COLOR.search(window.raw)


def test_a_plain_pipe_is_answered_and_a_plain_terminal_moves_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("memory:\n  embedder:\n    kind: none\n", encoding="utf-8")
    piped = run(home, "chat", "--plain", stdin="hi\n")
    assert (piped.code, piped.err) == (0, "")
    assert piped.out.startswith("personal: Hello.")

    with TerminalProcess(home, "chat", "--plain") as window:
        window.until(lambda lines: lines[-1:] == [PROMPT])
        window.press("The tent is green.\r")
        shown = window.until(lambda lines: lines[-1] == PROMPT and "Noted in" in "\n".join(lines))
        assert any(line.startswith(f"{PROMPT} personal: Noted in memory/") for line in shown)
        window.press("exit\r")
        assert window.ended() == 0
        assert not CURSOR.search(window.raw)


@contextmanager
def serving(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`scrubjay run` with a bot on Telegram."""
    home.mkdir()
    with telegram.running(patience_s=0.2) as platform:
        config = {"telegram": {"token": platform.token, "api": platform.url}, "memory": {"embedder": {"kind": "none"}}}
        (home / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
        with subprocess.Popen(command("run"), env=environment(home), stderr=subprocess.PIPE) as process:
            assert process.stderr
            assert any(b"service.started" in line for line in process.stderr)
            try:
                yield process
            finally:
                process.send_signal(signal.SIGTERM)


def test_chats_and_single_questions_go_through_the_running_service_and_are_told_when_it_ends(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with (
        serving(home) as service,
        TerminalProcess(home, "chat") as one,
        TerminalProcess(home, "chat", "-a", "work") as two,
    ):
        one.ask("The tent is green.", until="Noted in")
        assert "nothing about that" in two.ask("Where is the tent?", until="nothing")
        asked = run(home, "chat", "--json", "Where is the tent?")
        told = json.loads(asked.out)
        assert (asked.code, told["agent"]) == (0, "personal")
        assert "The tent is green." in told["text"]
        assert told["session"].startswith("agent:personal:terminal.local:private:owner:")
        preview = one.ask("/forget tent", until="Keep: n")
        assert "The tent is green." in preview
        assert "Forgotten" in one.ask("y", until="Forgotten")

        service.send_signal(signal.SIGTERM)
        assert (one.ended(), two.ended()) == (6, 6)
        assert "scrubjay run, or scrubjay chat" in collapse_whitespace("\n".join(one.lines()))


@pytest.mark.parametrize("words", [("",), ("-p",), ("--json", " ")])
def test_a_question_without_words_does_not_wait_for_a_terminal_to_end(tmp_path: Path, words: tuple[str, ...]) -> None:
    with TerminalProcess(tmp_path / "home", "chat", *words) as window:
        assert window.ended() == 2

        assert window.lines()[0] == "error: Nothing was asked."


def test_a_piped_document_is_what_the_question_is_about(tmp_path: Path) -> None:
    with OpenAIServer(answer) as server:
        home = furnished(tmp_path / "home", server)
        ended = run(home, "chat", "what is in this?", stdin="the pin is 4711\n")
        too_much = run(home, "chat", "what is in this?", stdin="x" * 1_100_000)
        nothing = run(home, "chat", "-p", stdin=" \n")
    (request,) = server.received

    assert ended.code == 0
    assert "You said:" in ended.out
    assert "the pin is 4711" in request.messages[-1]["content"]
    assert (too_much.code, nothing.code) == (2, 2)
    assert "workspace" in too_much.err
