"""`scrubjay memory`: look into what an agent remembers, and change it."""

from __future__ import annotations

from bot.cli.help import command, group
from bot.cli.memory_forget import forget
from bot.cli.memory_read import explain, profile, recall, stats, status
from bot.cli.memory_write import index, remember, undo

PAGE = """
Look into what an agent remembers, and change it.

Examples:
  scrubjay memory recall "where is the spare key?"
  scrubjay memory remember "The spare key is under the blue pot."
  scrubjay memory forget ^k3f9a2mq
"""

app = group("memory", PAGE)
for verb in (recall, remember, forget, undo, explain, stats, profile, status, index):
    command(app)(verb)
