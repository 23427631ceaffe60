"""`scrubjay mcp`: an agent's memory for other programs, by the Model Context Protocol."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.help import JSON, OWNERS, Answer, Run, Whose, command, group
from bot.cli.invocation import Invocation
from bot.errors import BotError, UsageError, from_extra
from bot.paths import reason
from bot.texts.catalogue import tr
from bot.texts.formatting import with_weekday

if TYPE_CHECKING:
    from bot.mcp.tokens import Access, TokenFile
    from memory import Memory

PAGE = """
Give other programs an agent's memory (MCP).

Programs such as Claude Code, Cursor and OpenClaw start it themselves and talk
to it over its standard input and output: it is the command in their settings.
With --http it waits for programs of this machine that have a token.
It works beside a running service. What a program writes counts as a
stranger's words unless you say --trusted.

Examples:
  scrubjay mcp --agent personal
  scrubjay mcp --read-only
  scrubjay mcp --http --port 8808
  scrubjay mcp token add cursor --read-only
"""

PORT = 8808

app = group("mcp", PAGE, usage="scrubjay mcp [COMMAND] [OPTIONS]")

ReadOnlyOption = Annotated[bool, Parameter(help="Let it look things up, and change nothing.")]
TrustedOption = Annotated[
    bool, Parameter(help="What it writes counts as the agent's own words: you answer for what it has read.")
]


@app.default
async def serve(
    *,
    whose: Whose = OWNERS,
    read_only: ReadOnlyOption = False,
    trusted: TrustedOption = False,
    aliases: Annotated[bool, Parameter(help="List the tools as cortex_remember and so on, too.")] = False,
    http: Annotated[bool, Parameter(help="Wait for HTTP on 127.0.0.1; what a token may do was said with it.")] = False,
    port: Annotated[int | None, Parameter(metavar="N", help=f"With --http: where, instead of {PORT}.")] = None,
    run: Run,
) -> None:
    """Serve one program over standard input and output, or with --http those that have a token."""
    if http and (whose != OWNERS or read_only or trusted):
        message = tr("With --http each token says whose memory it opens and what it may do.")
        raise UsageError(message, hint=tr("Run: scrubjay mcp token add NAME --agent AGENT [--read-only]"))
    if port is not None and not http:
        message = tr("--port means something with --http only.")
        raise UsageError(message, hint=tr("Try: scrubjay mcp --http --port 8808"))
    if http:
        await _serve_http(run, PORT if port is None else port, with_aliases=aliases)
        return
    with from_extra("mcp", "MCP"):
        from bot.mcp.server import serve_stdio

    access = _access(run, whose, read_only=read_only, trusted=trusted)
    async with AsyncExitStack() as stack:
        memory = (await _open(run, stack, [access.agent]))[access.agent]
        if sys.stdin.isatty():
            told = tr("This is for programs: have them start `scrubjay mcp`, in their MCP settings. Ctrl-D ends it.")
            run.terminal.err(told)
        await serve_stdio(memory, access, home=run.home, config=run.config, clock=run.clock, with_aliases=aliases)


async def _serve_http(run: Invocation, port: int, *, with_aliases: bool) -> None:
    import socket

    with from_extra("mcp", "MCP"):
        from bot.mcp.http import HOST, PATH, serve_http

    if not 0 <= port <= 65_535:
        message = tr("{port} is no port.", port=port)
        raise UsageError(message, hint=tr("Give --port a number from 1 to 65535; 0 takes a free one."))
    async with AsyncExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port))
            listening.listen()
        except OSError as error:
            message = tr("Port {port} cannot be used: {why}.", port=port, why=reason(error))
            raise BotError(message, hint=tr("Choose another one with --port.")) from error
        memories = await _open(run, stack, list(run.config.agents))
        url = f"http://{HOST}:{listening.getsockname()[1]}{PATH}"
        run.terminal.err(tr("Serving MCP at {url}; Ctrl-C ends it.", url=url))
        if not _tokens(run).read():
            run.terminal.err(tr("Nobody has a token yet: scrubjay mcp token add NAME"))
        await serve_http(
            memories, listening, home=run.home, config=run.config, clock=run.clock, with_aliases=with_aliases
        )


async def _open(run: Invocation, stack: AsyncExitStack, agents: list[str]) -> dict[str, Memory]:
    """Open memories, and log into the file: on standard output there is nothing but the protocol."""
    from bot.mcp.server import open_memory
    from bot.memories import Memories

    run.home.prepare()
    stack.enter_context(run.logged(run.config))
    memories = await stack.enter_async_context(Memories(run.home, run.config, clock=run.clock, say=run.terminal.err))
    return {name: await stack.enter_async_context(open_memory(memories, name)) for name in agents}


def _access(run: Invocation, whose: Whose, *, read_only: bool, trusted: bool) -> Access:
    from bot.mcp.tokens import Access

    if read_only and trusted:
        raise UsageError(tr("--trusted is about what it writes, and with --read-only it writes nothing."))
    return Access(run.config.agent(whose.agent), whose.scope, writes=not read_only, is_trusted=trusted)


ACCESS_PAGE = """
Say who may come in over HTTP.

A token opens one agent's memory, of one scope, to read or to write. It is
shown once; only its hash is kept. A removed one is refused from then on.

Examples:
  scrubjay mcp token add cursor --agent work
  scrubjay mcp token list
  scrubjay mcp token remove cursor
"""

token_app = group("token", ACCESS_PAGE)
app.command(token_app)


@command(token_app, above="scrubjay mcp", json=JSON)
async def add(
    name: Annotated[str, Parameter(help="What it is called: the program that gets it.")],
    /,
    *,
    whose: Whose = OWNERS,
    read_only: ReadOnlyOption = False,
    trusted: TrustedOption = False,
    run: Run,
) -> Answer:
    """Make a token, and show it this once.

    Examples:
      scrubjay mcp token add cursor --agent work
      scrubjay mcp token add wiki --read-only --scope chat:telegram.123:-100456
    """
    access = _access(run, whose, read_only=read_only, trusted=trusted)
    run.home.prepare()
    token = _tokens(run).add(name, access, clock=run.clock)
    run.terminal.out(token)
    told = tr(
        "It {does}. It is shown this once: put it into the program's MCP settings now. The address is {url} while "
        "`scrubjay mcp --http` runs, the header `Authorization: Bearer TOKEN`.",
        does=_may(access),
        url=f"http://127.0.0.1:{PORT}/mcp",
    )
    run.terminal.note(told)
    return {"name": name, "token": token}


@command(token_app, "list", above="scrubjay mcp", json=JSON)
async def listing(*, run: Run) -> Answer:
    """List who has a token, and what for.

    Examples:
      scrubjay mcp token list
      scrubjay mcp token list --json | jq -r '.tokens[].name'
    """
    records = _tokens(run).read()
    tokens = [{"name": record.name, "at": record.at, **asdict(record.access)} for record in records]
    zone = run.use_owner_language().owner.zone
    rows = [(record.name, _may(record.access), with_weekday(record.at, zone)) for record in records]
    heads, lack = (tr("name"), "", tr("since")), tr("Nobody has a token.")
    run.terminal.table(rows, heads=heads, lack=lack)
    return {"tokens": tokens}


@command(token_app, above="scrubjay mcp")
async def remove(name: Annotated[str, Parameter(help="Which one.")], /, *, run: Run) -> None:
    """Remove a token: it is refused from now on, also by a server that runs.

    Examples:
      scrubjay mcp token remove cursor
    """
    _tokens(run).remove(name)
    run.terminal.out(tr("The token {name} is refused from now on.", name=name))


def _tokens(run: Invocation) -> TokenFile:
    from bot.mcp.tokens import TokenFile

    run.use_owner_language()
    return TokenFile(run.home.mcp_tokens)


def _may(access: Access) -> str:
    """What somebody may do, in a line."""
    agent = access.agent
    does = tr("reads and writes {agent}", agent=agent) if access.writes else tr("reads {agent}", agent=agent)
    whose = "" if access.is_owners else tr(", {scope} alone", scope=access.scope)
    return f"{does}{whose}{tr(', trusted') if access.is_trusted else ''}"
