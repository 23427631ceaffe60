"""A program to be killed: `scrubjay run` against the servers of the tests.

    python -m tests.chaos.program URL [BUG]

The home and the tokens stand in the environment. Waits for a platform's sake are short here; nothing else is changed,
unless a bug is to be planted.
"""

from __future__ import annotations

import sys

from bot.cli.main import main


def run(url: str, bug: str = "") -> int:
    """One life; the exit code."""
    import discord
    import yarl

    discord.http.Route.BASE = f"{url}/api/v10"
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(f"{url.replace('http', 'ws', 1)}/gateway")
    if bug:
        from tests.chaos.bugs import BUGS

        BUGS[bug]()
    return main(["run"])


if __name__ == "__main__":
    sys.exit(run(*sys.argv[1:]))
