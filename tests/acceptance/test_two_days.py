"""Two days with an agent that has a model: it notes what matters by tool, and finds it by tool the next day."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from tests.fakes.scrubjay import MORNING
from tests.servers.openai_script import Call, Received, Step
from tests.servers.openai_server import KEY, MODEL, OpenAIServer
from tests.support.cli_process import TerminalProcess, collapse_whitespace

NEXT_DAY = MORNING + timedelta(days=1)
DAY_ONE = "memory/2026-11-21.md"
CTRL_D = "\x04"

STATEMENT = "My sister Miriam cannot eat walnuts, they make her ill."
FACT = "@Miriam: The owner's sister; is allergic to walnuts."
QUESTION = "What must I leave out of the cake for my sister?"


def answer(received: Received) -> Step:
    """A model with simple habits: statements are noted, questions are looked up."""
    said = received.user_text
    if received.tool_results:
        return after_tools(received)
    if said.endswith(STATEMENT):
        return Step(text="Let me write that down.", calls=(Call("remember", {"text": FACT}),))
    if said.endswith(QUESTION):
        return Step(calls=(Call("memory_search", {"query": "sister allergic food"}),))
    return Step(text="I am here.")


def after_tools(received: Received) -> Step:
    """What a tool has found is told with its place; what it has written is not repeated."""
    result = received.tool_results[-1]
    if result.startswith("Written to"):
        return Step(text="No walnuts, then.")
    best = json.loads(result)["results"][0]
    return Step(text=f"Leave them out: {best['snippet']} I have it from {best['citation']}.")


def furnished(home: Path, server: OpenAIServer) -> Path:
    """A home that names the model and searches by words, and whose owner has written something about themselves."""
    workspace = home / "workspaces" / "personal"
    workspace.mkdir(parents=True)
    (workspace / "USER.md").write_text("The owner plays the cello.\n", encoding="utf-8")
    model = {"name": MODEL, "base_url": server.base_url, "api_key": KEY}
    config = {"model": model, "memory": {"embedder": {"kind": "none"}}}
    (home / "config.yaml").write_text(json.dumps(config), encoding="utf-8")
    return home


def leave(window: TerminalProcess) -> None:
    window.press(CTRL_D)
    assert window.ended() == 0


def test_what_is_noted_by_tool_on_one_day_is_found_by_tool_on_the_next(tmp_path: Path) -> None:
    with OpenAIServer(answer) as server:
        home = furnished(tmp_path / "home", server)
        with TerminalProcess(home, "chat") as window:
            shown = collapse_whitespace(window.ask(STATEMENT, until="Noted in"))
            assert "No walnuts, then." in shown
            assert f"Noted in {DAY_ONE}:4" in shown
            assert "offline" not in shown
            window.ask("/new", until="A new conversation begins")
            leave(window)
        first = server.received[0]
        today = (home / "workspaces" / "personal" / DAY_ONE).read_text(encoding="utf-8")
        assert today.count("allergic to walnuts") == 1

        server.received.clear()
        with TerminalProcess(home, "chat", at=NEXT_DAY) as window:
            shown = collapse_whitespace(window.ask(QUESTION, until="I have it from"))
            assert "allergic to walnuts" in shown
            assert f"{DAY_ONE}#L4" in shown
            assert "memory_search" in collapse_whitespace(window.ask("/context full", until="memory_search"))
            leave(window)
        asked, told = server.received

    assert "plays the cello" in first.messages[0]["content"]
    assert {"remember", "memory_search", "memory_get", "forget", "now"} <= set(first.tools)
    assert STATEMENT not in json.dumps(asked.messages[1:-1]), "the conversation of the day before has ended"
    assert "allergic to walnuts" in told.tool_results[0]
