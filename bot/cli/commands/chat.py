"""`scrubjay chat`: talk to an agent in this terminal, or ask it one thing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.help import AgentOption, Answer, Run, single
from bot.cli.invocation import Invocation
from bot.cli.terminal import clean
from bot.config.environment import terminal_look
from bot.errors import BotError, UsageError
from bot.texts.catalogue import tr

if TYPE_CHECKING:
    from adapters.terminal import Shown, Typed

MAX_INPUT_BYTES = 1024 * 1024
"""What may be piped in beside a question; far more than a model reads."""


async def chat(
    *question: str,
    agent: Annotated[AgentOption, Parameter(help="Who; the default agent if left out.")] = None,
    print_: Annotated[
        bool, Parameter(alias="-p", help="Ask one thing and exit; without words, all of standard input.")
    ] = False,
    plain: Annotated[
        bool, Parameter(help="Plain lines that begin with who speaks, for screen readers; nothing moves.")
    ] = False,
    run: Run,
) -> Answer | None:
    """Talk to an agent in this terminal, or ask it one thing.

    Tell it something and it is noted; ask, and it answers from memory with the
    source. /help lists what else it understands, Ctrl-D leaves. Lines that come
    through a pipe are answered one by one; beside a question, what comes through
    a pipe is a document that the question is about. While `scrubjay run`, or
    another chat, holds the home, this one goes through it.

    Examples:
      scrubjay chat
      scrubjay chat --agent work
      scrubjay chat "where is the spare key?"
      cat notes.txt | scrubjay chat "what is in this?"
      printf 'where is the spare key?\\n' | scrubjay chat --agent personal
      scrubjay chat -p --json "where is the spare key?"
    """
    import bot.commands
    from adapters.terminal import open_screen
    from bot import plugins
    from bot.chat.chat import Chat
    from bot.web.dashboard import open_dashboard

    name = run.config.agent(agent)
    run.home.prepare()
    if question or print_ or run.terminal.as_json:
        return await _ask(run, name, _question(" ".join(question)), plain=plain)
    look = terminal_look()
    screen = open_screen(
        sys.stdin,
        sys.stdout,
        term=look.term,
        color=look.color,
        plain=plain,
        agents=tuple(run.config.agents),
        commands=plugins.names(bot.commands),
        history=run.home.history,
    )
    await Chat(run.home, run.config, lambda: run.clock, name, screen, open_dashboard).run()
    return None


async def _ask(run: Invocation, agent: str, question: Typed, *, plain: bool) -> Answer:
    """Ask one thing, and print the answer."""
    from bot.chat.chat import Chat, OneQuestion
    from bot.web.dashboard import open_dashboard

    parts: list[Shown] = []

    def show(shown: Shown) -> None:
        parts.append(shown)
        if run.terminal.as_json:
            return
        look, text = terminal_look(), clean(shown.markdown)
        if not plain and sys.stdout.isatty() and look.term != "dumb":
            from adapters.line_editor import render_markdown

            text = render_markdown(text, width=run.terminal.console.width, color=look.color).rstrip("\n")
        print(text, flush=True)

    screen = OneQuestion(question, show=show, report=run.terminal.err)
    session = await Chat(run.home, run.config, lambda: run.clock, agent, screen, open_dashboard).run()
    if not parts:
        raise BotError(tr("No answer came."), hint=tr("See the log: scrubjay paths"))
    return {
        "agent": parts[0].agent or agent,
        "session": session,
        "text": "\n\n".join(part.text for part in parts),
        "choices": [{"key": key, "label": label} for part in parts for key, label in part.choices],
        "files": [path for part in parts for path in part.files],
    }


def _question(words: str) -> Typed:
    """Return what is asked: the words, and what comes through a pipe beside them; without words, that alone.

    Raises:
        UsageError: nothing is asked, or too much comes.
    """
    from adapters.terminal import Typed

    words, piped = words.strip(), ""
    if not sys.stdin.isatty():
        given = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
        if len(given) > MAX_INPUT_BYTES:
            message = tr("More than {size:,} bytes came through the pipe.", size=MAX_INPUT_BYTES)
            raise UsageError(message, hint=tr("Put it into a file of the agent's workspace, and ask about that."))
        piped = given.decode(errors="replace").replace("\x00", "").strip()
    if not words and not piped:
        raise UsageError(tr("Nothing was asked."), hint=tr('For example: scrubjay chat "where is the spare key?"'))
    return Typed(words, piped) if words else Typed(piped)


app = single("chat", chat, json="Ask one thing, and print the answer as one JSON object.")
