"""What is done once the answers are saved: a test of memory, and the code that makes a person the owner."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from shutil import get_terminal_size
from tempfile import TemporaryDirectory

from bot.account_check import AccountCheck
from bot.backup.restore import OpenMemory
from bot.cli.invocation import Invocation
from bot.cli.state import admin_client
from bot.config.environment import terminal_look
from bot.config.model import Config
from bot.errors import BotError
from bot.texts.catalogue import tr
from memory import OWNER, Origin

FACT = "The jay hid seven acorns under the third oak."
QUESTION = "where are the acorns?"

QR_BORDER = 2
"""Modules of white around a QR code."""


async def self_test(open_memory: OpenMemory, *, beside: Path) -> str:
    """Remember, recall and forget a fact in a temporary folder below `beside`; return where it was found.

    Raises:
        BotError: something that was written was not found, or something forgotten was.
    """
    with TemporaryDirectory(dir=beside, prefix="selftest-") as folder:
        scratch = Path(folder)
        async with open_memory(scratch / "workspace", scratch / "index.sqlite") as memory:
            written = await memory.remember(FACT, origin=Origin.OWNER, scope=OWNER, op_id="selftest:1", actor="owner")
            recalled = await memory.recall(QUESTION, scope=OWNER)
            places = [str(hit.source) for hit in recalled.hits if FACT in hit.content]
            if not places:
                raise _failed(tr("what was written was not found"), recalled.remark)
            preview = await memory.preview_forget(f"^{written.fact.id}", scope=OWNER, actor="owner")
            await memory.forget(preview.token, op_id="selftest:2", scope=OWNER, actor="owner")
            after = await memory.recall(QUESTION, scope=OWNER)
            if any(FACT in hit.content for hit in after.hits):
                raise _failed(tr("what was forgotten was still found"), after.remark)
            return places[0]


def _failed(what: str, why: str) -> BotError:
    message = tr("The memory self-test failed: {what}. {why}", what=what, why=why)
    return BotError(message.rstrip(), hint=tr("Run: scrubjay doctor"))


async def introduce_owner(run: Invocation, config: Config, checks: dict[str, AccountCheck]) -> None:
    """Show a code for each bot account that knows no owner: whoever sends it there first becomes the owner.

    A service that is not there yet takes it when it starts. `checks`: what the platforms said of the accounts.
    """
    known = {identity.partition(":")[0] for identity in config.access.owners}
    accounts = {name: check for name, check in checks.items() if check.bot and name not in known}
    if not accounts:
        return
    try:
        async with admin_client(run) as ask:
            people = (await ask("people"))["people"]
            known = {person["who"].partition(":")[0] for person in people if person["role"] == "owner"}
            codes = {
                name: (await ask("invite", account=check.account))["invitations"][0]["code"]
                for name, check in accounts.items()
                if name not in known
            }
    except BotError as error:
        run.terminal.err(tr("warning: {message}", message=error.message))
        run.terminal.err(tr("To become the owner: scrubjay pair invite, while scrubjay run serves."))
        return
    for name, code in codes.items():
        _show_code(run, accounts[name], code)


def _show_code(run: Invocation, account: AccountCheck, code: str) -> None:
    say = run.terminal.out
    shown = f"{code[: len(code) // 2]}-{code[len(code) // 2 :]}"
    say()
    say(tr("Who you are on {platform}", platform=account.platform.title()), style="bold")
    say()
    say(f"    {' '.join(shown)}", style="bold")
    say()
    if account.platform == "telegram" and account.link:
        link = f"{account.link}?start={code}"
        _draw(run, link)
        say(tr("Open this link, or scan it, and press Start; or send the code to {name}:", name=account.name))
        say(f"  {link}")
    else:
        say(tr("Send this code to {name} in a direct message.", name=account.name or account.platform.title()))
    if account.platform == "discord" and account.link:
        say(tr("First let it into a server of yours; this asks for no more than it uses:"))
        say(f"  {account.link}")
    say(tr("Whoever sends it first is your bot's owner. It waits a week for the bot to start, and holds an hour then."))


def _draw(run: Invocation, link: str) -> None:
    """Draw a link as a QR code, where a person sees it as one."""
    look, encoding = terminal_look(), (sys.stdout.encoding or "").lower()
    if not sys.stdout.isatty() or look.term == "dumb" or "utf" not in encoding:
        return
    import segno

    drawn = io.StringIO()
    segno.make(link, error="l", micro=False).terminal(drawn, border=QR_BORDER, compact=True)
    lines = drawn.getvalue().splitlines()
    if max(map(len, lines)) >= get_terminal_size().columns:
        return
    for line in lines:
        run.terminal.out(line, style="bright_white on black")
