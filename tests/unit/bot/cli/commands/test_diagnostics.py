from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
import structlog

from bot import log
from bot.cli.commands.diagnostics import masked
from bot.log import Mask
from bot.paths import Home, put
from memory import FrozenClock
from tests.unit.bot.cli.conftest import Scrubjay

TOKEN = "123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bQ"
KEY = "sk-canary-0123456789abcdef"
CANARIES = {
    "token": TOKEN,
    "key": KEY,
    "agent": "vasilisa",
    "owner": "Quenby Oakapple",
    "person": "Xanthippe",
    "number": "80351110224678912",
    "message": "heliotrope umbrella",
    "note": "the marzipan hides behind the samovar",
    "file": "thimblerig",
    "folder": "brackenfold",
    "host": "zephyrhost.example",
    "id": "40027182",
}
"""What must not be in the bundle, by what it is."""

CONFIG = f"""
agents:
  vasilisa: {{about: "Knows Xanthippe."}}
  work: {{workspace: ~/brackenfold}}
owner: {{name: Quenby Oakapple, timezone: Europe/Berlin}}
model: {{name: "", base_url: https://zephyrhost.example/v1, api_key: {KEY}}}
memory:
  embedder: {{kind: none}}
  extra_paths: {{thimblerig: ~/brackenfold2}}
telegram: {{token: "{TOKEN}", api: http://127.0.0.1:1}}
access: {{owners: ["telegram:40027182"], guests: ["discord:80351110224678912"]}}
usage: {{tokens_day: 5000}}
log: {{level: debug}}
chats: {{context: 7}}
"""


@pytest.fixture
def used(scrubjay: Scrubjay, home: Home, clock: FrozenClock) -> Home:
    """A home that was lived in, with something to find in every corner."""
    put(home.config, CONFIG.replace("usage: {tokens_day: 5000}\n", ""))
    scrubjay("memory", "remember", "Xanthippe said the marzipan hides behind the samovar.")
    workspace = home.workspace("vasilisa")
    (workspace / "thimblerig.md").write_bytes("heliotrope umbrella".encode("utf-16"))
    (workspace / "bank").mkdir()
    (workspace / "bank" / "Xanthippe.md").write_text(
        "## Retain\n\n- W(since=2026-99-99) @Xanthippe: heliotrope umbrella\n"
    )
    logger = structlog.get_logger("bot.pipeline.worker")
    with log.to_file(home.log_file, level="debug", clock=clock, mask=Mask()):
        logger.info(
            "turn.finished", agent="vasilisa", ms=12, chat="40027182", sender=40027182, reason="heliotrope umbrella"
        )
        logger.warning(
            "adapter.refused", reason=f"https://zephyrhost.example/bot{TOKEN}", names=["Xanthippe"], status=401
        )
        structlog.get_logger("aiohttp").warning("heliotrope umbrella from Xanthippe at brackenfold")
        try:
            int("the marzipan hides behind the samovar")
        except ValueError:
            logger.exception("turn.failed", text="heliotrope umbrella", error_id="3f9a2c71")
    with home.log_file.open("a") as file:
        file.write(
            "Xanthippe: heliotrope umbrella\n" + json.dumps({"event": "Quenby Oakapple", "level": "Xanthippe"}) + "\n"
        )
    return home


def test_nothing_of_what_was_told_and_of_who_told_it_is_in_the_bundle(
    scrubjay: Scrubjay, used: Home, tmp_path: Path
) -> None:
    target = tmp_path / "bundle.zip"

    result = scrubjay("diagnostics", "--output", str(target))

    assert result.code == 0, result.err
    with zipfile.ZipFile(target) as bundle:
        parts = {name: bundle.read(name).decode() for name in bundle.namelist()}
    everything = "\n".join([*parts, *parts.values()]).lower()
    assert {what: word for what, word in CANARIES.items() if word.lower() in everything} == {}
    assert str(used.state) not in everything
    assert target.stat().st_mode & 0o077 == 0


def test_what_helps_is_in_it(scrubjay: Scrubjay, used: Home, tmp_path: Path) -> None:
    target = tmp_path / "bundle.zip"
    shown = scrubjay("diagnostics", "--offline", "--json", "--output", str(target))

    with zipfile.ZipFile(target) as bundle:
        parts = {name: bundle.read(name).decode() for name in bundle.namelist()}
    assert set(shown.json["contains"]) == set(parts)
    options = json.loads(parts["config.json"])["set"]
    assert options["chats.context"] == 7
    assert (options["log.level"], options["memory.embedder.kind"]) == ("debug", "none")
    assert (options["telegram.token"], options["owner.name"]) == ("(SecretStr)", "(str)")
    findings = {one["id"]: one["count"] for one in json.loads(parts["doctor.json"])["findings"]}
    assert findings["workspaces.line"] == 2
    assert json.loads(parts["status.json"])["agents"][0]["index"]["facts"] >= 1
    events = [json.loads(line) for line in parts["log.jsonl"].splitlines()]
    assert [one["event"] for one in events] == [
        "turn.finished",
        "adapter.refused",
        "(text)",
        "turn.failed",
        "(text)",
        "(text)",
    ]
    assert (events[0]["ms"], events[1]["status"], events[3]["exception"]["kinds"]) == (12, 401, ["ValueError"])


def test_a_file_that_is_there_is_not_written_over(scrubjay: Scrubjay, home: Home, tmp_path: Path) -> None:
    put(home.config, "memory: {embedder: {kind: none}}\n")
    target = tmp_path / "mine.zip"
    target.write_text("mine")

    result = scrubjay("diagnostics", "--offline", "-o", str(target))

    assert result.code == 7
    assert target.read_text() == "mine"
    assert scrubjay("diagnostics", "--offline", "-o", str(tmp_path / "no" / "x.zip")).code == 1


def test_a_configuration_and_a_state_file_that_cannot_be_used_are_no_hindrance(
    scrubjay: Scrubjay, home: Home, tmp_path: Path
) -> None:
    put(home.config, "model: [\n")
    home.prepare()
    home.database.write_bytes(b"no database" * 100)

    result = scrubjay("diagnostics", "--offline", "-o", str(tmp_path / "x.zip"))

    assert result.code == 0, result.err
    with zipfile.ZipFile(tmp_path / "x.zip") as bundle:
        assert json.loads(bundle.read("status.json")) == {"unusable": "ConfigError"}
        assert json.loads(bundle.read("config.json"))["usable"] is False


def test_the_places_of_a_fault_in_the_program_are_kept_and_its_words_are_not() -> None:
    trace = (
        'Traceback (most recent call last):\n  File "/srv/quenby/x/bot/service/run.py", line 12, in _serve\n'
        "    await run(secret)\nbot.errors.StateError: heliotrope\n"
    )

    kept = masked({"event": "turn.failed", "logger": "bot.x", "exception": trace, "port": 8080, "chat": 7})

    assert kept == {
        "event": "turn.failed",
        "logger": "bot.x",
        "port": 8080,
        "exception": {"kinds": ["StateError"], "places": ["bot/service/run.py:12 _serve"]},
    }
