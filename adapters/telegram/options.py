"""What a Telegram account is configured with."""

from __future__ import annotations

from dataclasses import dataclass, field

API = "https://api.telegram.org"


@dataclass(frozen=True, slots=True)
class TelegramOptions:
    """One bot account.

    Attributes:
        token: as @BotFather gives it.
        api: the Bot API server.
    """

    token: str = field(repr=False)
    api: str = API
