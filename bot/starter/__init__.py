"""The files that a workspace starts with: an agent's rules, its voice, its person, and an empty core memory."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from string import Template

from bot.config.model import Config, OwnerOptions
from bot.paths import Home, create, make_private

FILES = ("AGENTS.md", "SOUL.md", "USER.md", "MEMORY.md")
"""Rules, voice, person, core memory."""

FOR_ALL = "other"
"""The folder of texts for agents that have none of their own."""


def write_all(home: Home, config: Config) -> None:
    """Write the starter files of every agent that has none yet; not into a folder that is gone or can only be read."""
    for name, options in config.agents.items():
        workspace = home.workspace(name, options.workspace)
        if os.access(workspace, os.W_OK) or not (workspace.exists() or home.index(name).exists()):
            write_templates(workspace, name, about=options.about, owner=config.owner)


def write_templates(workspace: Path, agent: str, *, about: str, owner: OwnerOptions) -> tuple[str, ...]:
    """Put the starter files that are missing into a workspace, and return their names; none that exists is touched.

    Raises `BotError` if the folder or a file cannot be written.
    """
    make_private(workspace)
    there = {path.name.lower() for path in workspace.iterdir()}
    missing = [name for name in FILES if name.lower() not in there]
    return tuple(name for name in missing if create(workspace / name, text(agent, name, about=about, owner=owner)))


def text(agent: str, name: str, *, about: str, owner: OwnerOptions) -> str:
    """The starter text of one file for one agent."""
    texts = resources.files(__name__)
    own = texts / agent / name
    template = own if own.is_file() else texts / FOR_ALL / name
    return Template(template.read_text(encoding="utf-8")).substitute(
        agent=agent,
        about=about or "whatever comes up",
        owner=owner.name or "your owner",
        # without a name nothing: a page that says nothing must not come up as an answer
        person=f"# The person you work for\n\nName: {owner.name}\n\nTime zone: {owner.zone.key}\n\n"
        if owner.name
        else "",
    )
