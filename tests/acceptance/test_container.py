"""The rules that the container's files keep: no rights, nothing writable but one volume, nothing reachable."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]


@pytest.fixture
def steps() -> list[tuple[str, str]]:
    """The Dockerfile's instructions with what follows them, comments left out and continued lines joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


@pytest.fixture
def service() -> dict[str, Any]:
    """The one service of the compose file."""
    (found,) = YAML(typ="safe").load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"].values()
    assert isinstance(found, dict)
    return found


@pytest.fixture
def last(steps: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The instructions of the last stage, which is what runs."""
    starts = [number for number, (name, _) in enumerate(steps) if name == "FROM"]
    assert len(starts) == 2, "what builds does not come along"
    return steps[starts[-1] :]


def test_what_runs_is_no_root_and_has_one_volume(last: list[tuple[str, str]]) -> None:
    said = dict(last)
    names = [name for name, _ in last]

    assert re.fullmatch(r"[1-9]\d*", said["USER"]), "a number, so that a cluster can see that it is not root"
    assert names.index("USER") > max(number for number, name in enumerate(names) if name == "RUN")
    assert [value for name, value in last if name == "VOLUME"] == ["/data"]
    assert "SCRUBJAY_HOME=/data" in said["ENV"]
    assert "EXPOSE" not in names


def test_it_says_whether_it_is_well_and_starts_the_program_itself(last: list[tuple[str, str]]) -> None:
    said = dict(last)
    asked = re.search(r"127\.0\.0\.1:(\d+)/livez", said["HEALTHCHECK"])

    assert asked
    assert f"SCRUBJAY__HEALTH__PORT={asked[1]}" in said["ENV"]
    assert (said["ENTRYPOINT"], said["CMD"]) == ('["scrubjay"]', '["run"]'), "no shell between it and its signals"


def test_no_secret_and_nothing_unneeded_is_taken_in(steps: list[tuple[str, str]]) -> None:
    sources = [word for name, value in steps if name == "COPY" and "--from" not in value for word in value.split()[:-1]]
    allowed = {
        line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")
    }

    assert set(sources) == allowed
    assert all((ROOT / source).exists() for source in sources)
    assert any("--require-hashes" in value for name, value in steps if name == "RUN")
    assert not [value for name, value in steps if name in {"ENV", "ARG"} and re.search("TOKEN|SECRET|PASSWORD", value)]


def test_compose_gives_it_no_more_than_it_needs(service: dict[str, Any]) -> None:
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "ports" not in service
    assert "privileged" not in service
    assert service["volumes"] == ["data:/data"]


def test_the_token_is_a_secret_and_no_variable(service: dict[str, Any]) -> None:
    whole = YAML(typ="safe").load((ROOT / "compose.yaml").read_text(encoding="utf-8"))

    assert service["secrets"] == list(whole["secrets"]) == ["telegram_token"]
    assert not [name for name in service["environment"] if "TOKEN" in name]
    assert "secrets/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
