"""What a cluster serves: people on one platform, or on both at once, and what became of what they said."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.chaos.script import Line
from tests.chaos.stages import PLATFORMS, Stage, Verdict, stage
from tests.servers.openai_script import Mishap

BOTH = "both"
LOOK_S = 0.2


@dataclass(frozen=True, slots=True)
class Scene:
    """The stages of a cluster's platforms, as one: their people have one bot, and one memory.

    Attributes:
        stages: one for each platform.
        config: of every process.
        environment: the same.
    """

    stages: Sequence[Stage]
    config: Mapping[str, Any]
    environment: Mapping[str, str]

    @classmethod
    @contextmanager
    def of(cls, platform: str, folder: Path, *, people: int, mishap: Mishap) -> Iterator[Scene]:
        """Set up a platform, or both, with so many people on each."""
        config, environment, owners = dict[str, Any](), dict[str, str](), list[str]()
        with ExitStack() as stack:
            stages = list[Stage]()
            for name in PLATFORMS if platform == BOTH else (platform,):
                one = stack.enter_context(stage(name, folder / name, people=people, unclear=0, mishap=mishap))
                own = YAML(typ="safe").load(one.home / "config.yaml")
                own[name]["token"] = f"${{TOKEN_{name}}}"
                owners += own["access"]["owners"]
                config |= own
                environment |= {**one.environment, f"TOKEN_{name}": one.environment["TOKEN"]}
                stages.append(one)
                one.home = stages[0].home
            config["access"] = {"owners": owners}
            yield cls(stages, config, environment)

    @property
    def home(self) -> Path:
        """Where the verdict looks for the files of workspaces."""
        return self.stages[0].home

    @property
    def command(self) -> list[str]:
        """What starts a process."""
        return self.stages[-1].command  # Discord's address is in it, and Telegram's in the configuration

    @property
    def entries(self) -> int:
        """How much has happened."""
        return sum(len(one.server.entries()) for one in self.stages)

    def wait_for_gateway(self) -> None:
        """Wait until Discord knows a bot; what is said before reaches nobody."""
        for one in self.stages:
            while one.platform == "discord" and not any(one["kind"] == "identify" for one in one.server.entries()):
                threading.Event().wait(LOOK_S)

    def say(self, lines: Sequence[Line], *, between_s: float) -> None:
        """People say it, one after the other, on one platform after the other."""
        for line in lines:
            where, person = line.person % len(self.stages), line.person // len(self.stages)
            self.stages[where].say([replace(line, person=person)], between_s=between_s)

    def verdict(self) -> Verdict:
        """Return what the ledgers and the workspace say; what is in the memory twice is so for all."""
        found = [one.verdict() for one in self.stages]
        return Verdict(
            lost=sum(one.lost for one in found),
            doubled=sum(one.doubled for one in found),
            misordered=sum(one.misordered for one in found),
            memory_lost=sum(one.memory_lost for one in found),
            memory_doubled=max(one.memory_doubled for one in found),
            orphans=sum(one.orphans for one in found),
        )

    def longest_gap(self) -> float:
        """Return the longest time, in seconds, between two things that the bot did."""
        instants = sorted(
            datetime.fromisoformat(entry["at"])
            for one in self.stages
            for entry in one.server.entries()
            if entry.get("by") == "bot" and "at" in entry
        )
        return round(max(((later - one).total_seconds() for one, later in pairwise(instants)), default=0.0), 1)
