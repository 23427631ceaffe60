"""What adapters keep in the state file: short texts by name, for each bot account."""

from __future__ import annotations

from collections.abc import Mapping

from bot.storage.database import open_reader
from bot.storage.statements import PUT_MARK, State, StatementStore, execute


class SqlAdapterState(StatementStore):
    """`adapters.port.AdapterState`. A kill or a power cut may take the newest values back, unless they are to last."""

    async def load(self, account: str) -> Mapping[str, str]:
        await self._writer.settle()
        rows = await self._reader.rows("SELECT name, value FROM mark WHERE account = ?", account)
        return {str(name): str(value) for name, value in rows}

    async def save(self, account: str, name: str, value: str, *, lasting: bool = False) -> None:
        if lasting:
            await execute(self._writer, PUT_MARK, account, name, value)
        else:
            await self._writer.execute_later(PUT_MARK, [(account, name, value)])


async def read_adapter_state(state: State, account: str) -> dict[str, str]:
    """Read what an account keeps; nothing from a file of an older version."""
    async with open_reader(state) as reader:
        if not await reader.has("mark"):
            return {}
        rows = await reader.rows("SELECT name, value FROM mark WHERE account = ?", account)
        return {str(name): str(value) for name, value in rows}
