"""What a client may do, and the tokens that say so over HTTP: kept as hashes in a file that is the owner's alone."""

from __future__ import annotations

import hmac
import json
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from bot.errors import BotError, Missing, Refused, UsageError
from bot.paths import not_written, put, readable_by_others, reason
from bot.texts.catalogue import tr
from memory import OWNER, Clock, Origin, Scope

PREFIX = "scrubjay_"
"""Begins every token, so that whoever finds one knows what it is."""
RANDOM_BYTES = 32
MAX_TOKEN_CHARS = 200
"""Characters of a token that is looked at at all."""

_Given = Annotated[str, Field(min_length=1)]
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


@dataclass(frozen=True, slots=True)
class Access:
    """What one client may do; if it `is_trusted`, what it writes counts as the agent's own words, not a stranger's."""

    agent: _Given
    scope: Annotated[Scope, Field(min_length=1)]
    writes: bool
    is_trusted: bool = False

    @property
    def origin(self) -> Origin:
        """Where its texts come from: never the owner, since nobody knows what the client has read."""
        return Origin.AGENT if self.is_trusted else Origin.UNTRUSTED

    @property
    def is_owners(self) -> bool:
        """Whether it sees what the owner sees: whole files, pages, the journal."""
        return self.scope == OWNER


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A token as it is kept: never itself, only its SHA-256 in hexadecimal digits; `at` is the ISO instant it was made.

    A token has 256 random bits: a slow hash would protect nothing that can be guessed.
    """

    name: _Given
    access: Access
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    at: _Given


_KEPT = TypeAdapter(dict[Literal["tokens"], tuple[TokenRecord, ...]])


class TokenFile:
    """The tokens of one home, in a file that exists once one was added.

    They are read anew at every request: a removed one is refused from then on.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> tuple[TokenRecord, ...]:
        """Return all tokens, oldest first.

        Raises:
            BotError: the file cannot be read, or is not what this program wrote.
            Refused: others on this machine may read or change it.
        """
        try:
            mode = readable_by_others(self._path)
            records = _KEPT.validate_json(self._path.read_bytes(), strict=True)["tokens"]
        except FileNotFoundError:
            return ()
        except OSError as error:
            message = tr("{path} cannot be read: {why}.", path=self._path, why=reason(error))
            raise BotError(message, hint=tr("Run: scrubjay doctor")) from error
        except (ValueError, KeyError) as error:
            message = tr("{path} is not what Scrubjay wrote, so no token is accepted.", path=self._path)
            hint = tr("Remove the file, and make new tokens: scrubjay mcp token add NAME")
            raise BotError(message, hint=hint) from error
        if mode is not None:
            known = {"path": self._path, "mode": mode}
            message = tr("Others on this machine can read {path} (mode {mode:04o}), so no token is accepted.", **known)
            raise Refused(message, hint=tr('Run: chmod 600 "{path}"', path=self._path))
        return records

    def find(self, token: str) -> TokenRecord | None:
        """Return what a token stands for, None for nothing, and as fast for any wrong one; raises as `read` does."""
        digest = _digest(token) if len(token) <= MAX_TOKEN_CHARS else ""
        found = [record for record in self.read() if hmac.compare_digest(record.digest, digest)]
        return found[-1] if found else None

    def add(self, name: str, access: Access, *, clock: Clock) -> str:
        """Make a token, and return it: it is in no file, and cannot be shown again.

        Raises:
            UsageError: the name is none, or taken.
            BotError: as `read` does, or the file cannot be written.
        """
        if not _NAME.fullmatch(name):
            message = tr('"{name}" is no name for a token.', name=name)
            hint = tr("Use up to 40 small letters, digits, dots, dashes and underscores, such as claude-code.")
            raise UsageError(message, hint=hint)
        token = f"{PREFIX}{secrets.token_urlsafe(RANDOM_BYTES)}"
        with self._changed() as records:
            if any(record.name == name for record in records):
                message = tr("There is a token {name} already.", name=name)
                raise UsageError(message, hint=tr("Run: scrubjay mcp token remove {name}", name=name))
            records.append(TokenRecord(name, access, _digest(token), clock.now().isoformat(timespec="seconds")))
        return token

    def remove(self, name: str) -> None:
        """Remove a token; it is refused from now on.

        Raises:
            Missing: there is none of that name.
            BotError: as `add` does.
        """
        with self._changed() as records:
            kept = [record for record in records if record.name != name]
            if len(kept) == len(records):
                raise Missing(tr("There is no token {name}.", name=name), hint=tr("See: scrubjay mcp token list"))
            records[:] = kept

    @contextmanager
    def _changed(self) -> Iterator[list[TokenRecord]]:
        """Yield the tokens to be changed, and write them when the block ends well; one process at a time does it."""
        from filelock import FileLock

        try:
            with FileLock(self._path.with_suffix(".lock"), timeout=10, thread_local=False):
                records = list(self.read())
                yield records
                put(self._path, json.dumps({"tokens": [asdict(record) for record in records]}, indent=2) + "\n")
        except OSError as error:
            raise not_written(self._path, error) from error


def _digest(token: str) -> str:
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
