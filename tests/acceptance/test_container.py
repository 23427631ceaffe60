"""The container's files, read as a builder would: there is no builder here."""

import re

import pytest
from ruamel.yaml import YAML

from tests.support.cli_process import ROOT


@pytest.fixture
def steps() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile, each with its arguments."""
    joined = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in joined.splitlines() if line and not line.startswith("#")]
    return [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in lines)]


def test_it_does_not_run_as_root_and_says_whether_it_is_well(steps: list[tuple[str, str]]) -> None:
    last = steps[max(at for at, step in enumerate(steps) if step[0] == "FROM") :]
    told = dict(last)
    assert int(told["USER"]) > 0
    assert told["VOLUME"] == "/data"
    assert "SCRUBJAY_HOME=/data" in told["ENV"]
    (port,) = re.findall(r"HEALTH__PORT=(\d+)", told["ENV"])
    assert f"127.0.0.1:{port}/readyz" in told["HEALTHCHECK"]
    assert "EXPOSE" not in told
    assert (told["ENTRYPOINT"], told["CMD"]) == ('["scrubjay"]', '["run"]')


def test_what_it_copies_is_there_and_let_through(steps: list[tuple[str, str]]) -> None:
    let_through = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    sources = [one for name, rest in steps if name == "COPY" and "--from" not in rest for one in rest.split()[:-1]]
    assert {*sources} == let_through
    assert [one for one in sources if not (ROOT / one).exists()] == []


def test_composed_its_own_files_are_read_only_and_no_port_is_open() -> None:
    composed = YAML(typ="safe").load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    service = composed["services"]["scrubjay"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["volumes"] == ["data:/data"]
    assert "ports" not in service
    assert "data" in composed["volumes"]
