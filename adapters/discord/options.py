"""What can be set about a Discord account."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DiscordOptions:
    """One bot account.

    Attributes:
        token: of the bot.
        message_content: ask for the privileged intent of that name. Without it, only direct messages, mentions and
            replies to the bot carry text.
        threads: give each conversation that begins in a server's channel a thread of its own.
        people: numeric ids of the people whose direct messages are looked for after a restart even if they never
            wrote before; the owner's and those on the allow-list.
        backfill: up to so many missed messages of one channel are answered after a gap; of many more, the newest.
        receipt: the reaction that tells in a server's channel that a message was accepted; none if empty.
        settle_s: how long to wait for another server's data before the list is taken as complete.
    """

    token: str = field(repr=False)
    message_content: bool = True
    threads: bool = False
    people: tuple[str, ...] = ()
    backfill: int = 500
    receipt: str = "👀"
    settle_s: float = 1.0
