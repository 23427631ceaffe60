"""Requests of other processes on this machine to a running service: what they can be, its server and its client."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bot.errors import BotError, Locked, Missing, Refused, Unreachable, UsageError
from bot.paths import create
from bot.texts.catalogue import LANGUAGES, current_language, in_language, tr

if TYPE_CHECKING:
    from bot.access.pairing import Pairings
    from bot.jobs.base import JobRunner
    from bot.storage.tables.dead_letters import DeadLetters
    from bot.storage.tables.people import AccessStore

MAX_CONNECTIONS = 32
"""Connections at a time; further ones are closed at once."""

MAX_REQUEST_BYTES = 64 * 1024
REQUEST_TIMEOUT_S = 10

CHAT = "chat"
"""The request that opens a chat instead of being answered."""

REFUSALS: dict[int, type[BotError]] = {kind.exit_code: kind for kind in (UsageError, Missing, Locked, Refused)}
"""What the service may answer with, by exit code."""

Answer = dict[str, Any]

Ask = Callable[..., Awaitable[Answer]]
"""Answers a request of another process, by its name and what it is about; raises `BotError`."""

MakeLink = Callable[[str, str], str]
"""Makes an address that lets a browser in to see one agent, or all if it is empty, and leads to a page, the first if
it is empty; raises `BotError` if the dashboard cannot be served."""

Conversation = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""What goes on over a connection once it was asked for, for as long as it takes."""

Answering = Callable[[asyncio.StreamReader], Awaitable[bytes | Conversation]]
"""Reads one request and gives the answer, or what goes on instead."""

Converse = Callable[..., Conversation]
"""Begins a chat with what the request says about it; raises `BotError`."""


class Clear(Protocol):
    """Carries the forgetting of facts into the records of conversations."""

    def __call__(self, agent: str, *, wholly: bool, scope: str, op_id: str) -> Awaitable[int]:
        """Mask what was forgotten; `wholly`, leave nothing of it, of what was in a scope or by an operation."""


def chat_api(dashboard: MakeLink) -> Ask:
    """Return what a chat in a terminal answers: it serves chats and the dashboard, and nothing else."""

    async def ask(what: str, **about: Any) -> Answer:
        if what != "dashboard":
            message = tr("A chat in a terminal holds this home, and serves chats only.")
            raise UsageError(message, hint=tr("Close it there."))
        return {"url": dashboard(str(about["agent"]), str(about["page"]))}

    return ask


@dataclass(frozen=True, slots=True)
class AdminApi:
    """Answers requests about a whole service: its people, accounts, jobs, dead letters, dashboard.

    Attributes:
        clear: masks what was forgotten; None where no service has the memories open.
        troubles: what else is not well.
        jobs: what comes again and again; None where nothing runs that could do it.
        dashboard: makes an address that lets a browser in; None where there is no dashboard.
        serves: messages are answered meanwhile.
    """

    register: AccessStore
    pairings: Pairings
    dead_letters: DeadLetters
    accounts: Callable[[], Mapping[str, str]]
    clear: Clear | None = None
    troubles: Callable[[], Mapping[str, str]] = dict
    jobs: JobRunner | None = None
    dashboard: MakeLink | None = None
    serves: bool = True

    async def ask(self, what: str, **about: Any) -> Answer:
        """Answer one request.

        Raises:
            UsageError: there is no such request.
            Missing: nobody, or nothing, is meant by it.
        """
        requests: dict[str, Callable[..., Awaitable[Answer]]] = {
            "accounts": self.list_accounts,
            "people": self.list_people,
            "approve": self.approve,
            "revoke": self.revoke,
            "invite": self.invite,
            "dead": self.list_dead,
            "retry": self.retry,
            "forgotten": self.clear_forgotten,
            "jobs": self.list_jobs,
            "job_log": self.list_runs,
            "run_job": self.run_job,
            "dashboard": self.link_dashboard,
        }
        if what not in requests:
            message = tr("The service knows no request {name!r}.", name=what)
            raise UsageError(message, hint=tr("Is it of another version? Restart it."))
        return await requests[what](**about)

    async def list_accounts(self) -> Answer:
        return {"accounts": {**self.accounts(), **self.troubles()}}

    async def list_people(self) -> Answer:
        from bot.access.pairing import PAIRING_LIFETIME  # and half of the service, which who only asks need not load

        waiting = [
            {"code": pairing.code, "who": pairing.identity, "name": pairing.name, "account": pairing.account}
            | {"until": (pairing.at + PAIRING_LIFETIME).isoformat()}
            for pairing in self.pairings.open
        ]
        people = [
            {"who": person.identity, "role": person.role.value, "name": person.name, "since": person.at.isoformat()}
            for person in self.register.people
        ]
        return {"waiting": waiting, "people": people}

    async def approve(self, code: str, role: str) -> Answer:
        from bot.storage.tables.people import Role

        person = await self.pairings.approve(code, Role(role))
        return {"who": person.identity, "role": person.role.value, "name": person.name}

    async def revoke(self, who: str) -> Answer:
        if not await self.register.revoke(who):
            raise Missing(tr("Nobody was let in as {who} by a code.", who=who), hint=tr("See: scrubjay pair list"))
        return {"who": who}

    async def invite(self, account: str = "") -> Answer:
        """New codes for all accounts that run; or one for an account that may not run yet."""
        if account:
            return {"invitations": [{"account": account, "code": await self.pairings.prepare(account)}]}
        accounts = list(self.accounts())
        if not accounts:
            message = tr("No bot account runs, so there is nobody to send a code to.")
            raise Missing(message, hint=tr("Start: scrubjay run"))
        codes = [{"account": account, "code": self.pairings.invite(account)} for account in accounts]
        return {"invitations": codes}

    async def list_dead(self) -> Answer:
        letters = [
            {"id": letter.id, "kind": letter.kind, "agent": letter.agent, "at": letter.at.isoformat()}
            | {"where": letter.where, "reason": letter.reason}
            for letter in await self.dead_letters.list()
        ]
        return {"dead": letters}

    async def clear_forgotten(self, agent: str, *, wholly: bool, scope: str = "", op_id: str = "") -> Answer:
        if self.clear is None:
            raise UsageError(tr("No service has this memory open."))
        return {"count": await self.clear(agent, wholly=wholly, scope=scope, op_id=op_id)}

    @property
    def _runner(self) -> JobRunner:
        if self.jobs is None:
            raise UsageError(tr("No service is there to carry out jobs."))
        return self.jobs

    async def list_jobs(self, agent: str) -> Answer:
        return {"jobs": [state.as_json() for state in await self._runner.states(agent)]}

    async def list_runs(self, agent: str, name: str) -> Answer:
        return {"runs": [asdict(entry) for entry in await self._runner.log(name, agent)]}

    async def run_job(self, agent: str, name: str, *, is_dry: bool, id: str) -> Answer:
        """Carry a job out; a service that runs queues it instead, unless it is a dry run."""
        if self.serves and not is_dry:
            await self._runner.request(name, agent)
            return {"run": None}
        return {"run": asdict(await self._runner.run(name, agent, id=id, is_dry=is_dry))}

    async def link_dashboard(self, agent: str, page: str) -> Answer:
        if self.dashboard is None:
            raise UsageError(tr("No dashboard can be served there."))
        return {"url": self.dashboard(agent, page)}

    async def retry(self, wanted: str) -> Answer:
        retried = await self.dead_letters.retry(wanted)
        if not retried and wanted != "all":
            message = tr("Nothing given up has the id {id}.", id=wanted)
            raise Missing(message, hint=tr("See: scrubjay sessions dead list"))
        return {"retried": list(retried)}


async def listen(
    answer: Answering, port: int, *, longest: int, patience_s: float, host: str = "127.0.0.1"
) -> asyncio.Server:
    """Return a server that answers one request on each connection and closes it.

    Args:
        answer: may raise ValueError, ConnectionError or IncompleteReadError, which end the connection.
        port: 0 for one that the system chooses.
        longest: bytes that are held of a request.
        patience_s: how long a connection may last.
        host: the address of this machine to listen on.

    Raises:
        OSError: the port is taken.
    """
    serving: set[asyncio.StreamWriter] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(serving) >= MAX_CONNECTIONS:
            writer.close()
            return
        serving.add(writer)
        try:
            async with asyncio.timeout(patience_s):
                answered = await answer(reader)
                if isinstance(answered, bytes):
                    writer.write(answered)
                    await writer.drain()
            if not isinstance(answered, bytes):
                await answered(reader, writer)
        except (TimeoutError, ConnectionError, ValueError, asyncio.IncompleteReadError):
            return  # whoever asked has gone, is too slow, or sends what is no request
        finally:
            serving.discard(writer)
            writer.close()

    return await asyncio.start_server(serve, host, port, limit=longest)


@asynccontextmanager
async def listening(card: Path, api: Ask, converse: Converse | None = None) -> AsyncIterator[None]:
    """Answer requests until the block ends; the `card` is the file with port and key, `converse` begins chats."""
    key = secrets.token_hex(16)

    async def answer(reader: asyncio.StreamReader) -> bytes | Conversation:
        answered = await _answer_request(api, converse, key, await reader.readline())
        return json.dumps(answered).encode() + b"\n" if isinstance(answered, dict) else answered

    server = await listen(answer, 0, longest=MAX_REQUEST_BYTES, patience_s=REQUEST_TIMEOUT_S)
    port = server.sockets[0].getsockname()[1]
    card.unlink(missing_ok=True)
    create(card, json.dumps({"port": port, "key": key}))
    try:
        yield
    finally:
        card.unlink(missing_ok=True)
        server.close()


async def ask(card: Path, what: str, **about: Any) -> Answer:
    """Ask a running service.

    Raises:
        Unreachable: none answers.
        BotError: it refuses; code and words are its own.
    """
    silent = tr("The running service does not answer.")
    answer, _, writer = await request(card, what, about, limit=MAX_REQUEST_BYTES * 64, silent=silent)
    writer.close()
    return answer


async def request(
    card: Path, what: str, about: Mapping[str, Any], *, limit: int, silent: str
) -> tuple[Answer, asyncio.StreamReader, asyncio.StreamWriter]:
    """Ask a running process, and return its answer and the connection, which stays open.

    Args:
        card: the file with its port and key.
        limit: bytes of the longest line that may come.
        silent: the message if nobody answers.

    Raises:
        Unreachable: nobody answers.
        BotError: the process refuses; code and words are its own.
    """
    try:
        access = json.loads(card.read_text(encoding="utf-8"))
        async with asyncio.timeout(REQUEST_TIMEOUT_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", access["port"], limit=limit)
            question = {"key": access["key"], "what": what, "about": about, "language": current_language()}
            writer.write(json.dumps(question).encode() + b"\n")
            answer = json.loads(await reader.readline())
    except (OSError, ValueError, KeyError, TypeError, RecursionError, TimeoutError) as error:
        raise Unreachable(silent, hint=tr("Starting, or the disk full? See: scrubjay status, scrubjay logs")) from error
    if "refused" in answer:
        writer.close()
        raise REFUSALS.get(answer["code"], BotError)(answer["refused"], hint=answer["hint"])
    return dict(answer["told"]), reader, writer


async def _answer_request(api: Ask, converse: Converse | None, key: str, line: bytes) -> Answer | Conversation:
    try:
        request = json.loads(line)
        if not compare_digest(str(request.get("key")), key):
            raise Refused(tr("This is not the key of the running service."))
        what, about = str(request["what"]), dict(request["about"])
        if what == CHAT and converse:
            return converse(**about)
        language = str(request.get("language"))
        with in_language(language if language in LANGUAGES else "en"):
            return {"told": await api(what, **about)}
    except BotError as error:
        return {"refused": error.message, "hint": error.hint, "code": error.exit_code}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        refusal = tr("The service does not understand this request.")
        return {"refused": refusal, "hint": "", "code": UsageError.exit_code}
