"""What a Telegram account is configured with."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

API = "https://api.telegram.org"


@dataclass(frozen=True, slots=True)
class TelegramOptions:
    """One bot account.

    Attributes:
        token: as @BotFather gives it.
        unreadable: a folder for updates that nothing can be made of; they are kept there as they came.
        api: the Bot API server.
    """

    token: str = field(repr=False)
    unreadable: Path
    api: str = API
