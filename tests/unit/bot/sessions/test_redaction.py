"""An exact string is taken out of everything that is kept of conversations."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter

from adapters.port import Address
from bot.agent.context.context_log import Context, ContextLog, Piece
from bot.sessions.files import ChangedSessions, Projection
from bot.sessions.redaction import ConversationRecords, TypedHistory
from bot.storage.port import Effects
from bot.storage.sqlite import SqliteCoordinator
from memory import FrozenClock
from memory.privacy.secrets import MARK, mask_values
from tests.support.conversation import TranscriptBuilder
from tests.support.factories import HOME, NOON, chat, envelope, outbound, session

SECRET = "hunter2-Geheim"
SAID = f"my password is {SECRET}, ok?"
TYPED = f"\n# 2026-11-21 12:00:00\n+{SAID}\n+and more\n\n# 2026-11-21 12:01:00\n+hello\n"


async def recorded(core: SqliteCoordinator, at: Address = HOME) -> None:
    """A turn in which it was said and answered."""
    (grant,) = await core.claim("test", ["personal"])
    await core.publish(envelope(SAID, update=f"u{at.chat}", at=at))
    *_, message = await core.pending(grant, after=0)
    entries = tuple(one.entry for one in TranscriptBuilder().turn(SAID, f"Noted: {SECRET}").recorded)
    await core.commit(grant, Effects(session(at=at), (message.seq,), (outbound("p", SECRET, to=at),), entries))


def masked(text: str) -> str:
    return mask_values(text, [SECRET])


def left(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


async def test_a_string_is_masked_in_the_state_file_and_in_all_that_follows_from_it(tmp_path: Path) -> None:
    changed = ChangedSessions()
    sessions, contexts = tmp_path / "sessions", ContextLog(tmp_path / "sessions")
    history = tmp_path / "history"
    history.write_text(TYPED)
    seen = Context(str(session()), "t", NOON.isoformat(), "m", 100, 1, 1.0, 0, (), (Piece("user", 1, SAID),))
    (sessions / "personal").mkdir(parents=True)
    (sessions / "personal" / "0.context.json").write_bytes(TypeAdapter(Context).dump_json(seen))
    async with SqliteCoordinator.open(tmp_path / "s.sqlite", clock=FrozenClock(NOON), ended=changed.add) as core:
        projection = Projection(core, changed, folder=lambda agent: sessions / agent)
        await recorded(core)
        (grant,) = await core.claim("test", ["personal"])
        await projection.finish(grant)
        (file,) = sessions.glob("personal/*.jsonl")
        lines = file.read_text().splitlines()
        assert len(left(tmp_path)) == 4

        assert (
            await ConversationRecords(core, [projection, contexts, TypedHistory(history)]).redact("personal", masked)
            == 2
        )

        assert left(tmp_path) == []
        assert len(file.read_text().splitlines()) == len(lines)
        await recorded(core, chat("elsewhere"))
        await projection.finish(grant)
        assert len(list(sessions.glob("personal/*.jsonl"))) == 2
    assert history.read_text() == TYPED.replace(SECRET, MARK)
    assert f"my password is {MARK}, ok?" in file.read_text()


async def test_backups_of_the_state_file_go_only_when_nothing_at_all_is_to_be_left(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    backup = tmp_path / "s.sqlite.v5.bak"
    backup.write_text(SECRET)
    async with SqliteCoordinator.open(path, clock=FrozenClock(NOON)) as core:
        records = ConversationRecords(core, backups=path)
        await recorded(core)
        await records.redact("personal", masked)
        assert left(tmp_path) == [backup.name]

        await records.redact("personal", str, compact=True)

        assert left(tmp_path) == []
