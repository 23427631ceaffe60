from __future__ import annotations

from bot.doctor import secrets
from bot.doctor.base import Severity
from bot.paths import Home, put
from tests.unit.bot.doctor.conftest import Look, wrong

TOKEN = "7000000001:test-token-of-the-scrubjay-bot"


async def test_notes_without_secrets_are_noted(look: Look, home: Home) -> None:
    home.workspace("personal").mkdir(parents=True)
    (home.workspace("personal") / "a.md").write_text("Nothing to see.\n")

    (finding,) = await look(secrets.CHECK)

    assert (finding.id, finding.severity) == ("secrets.none", Severity.NOTE)


async def test_a_token_of_the_configuration_and_a_password_are_told_by_line_and_never_shown(
    look: Look, home: Home
) -> None:
    put(home.config, f'telegram:\n  token: "{TOKEN}"\n')
    folder = home.workspace("personal")
    folder.mkdir(parents=True)
    (folder / "a.md").write_text(f"# Bot\n\nIts token: {TOKEN}\n")
    (folder / "b.md").write_text("The wifi password is kR7#mQ2vXp9!\n")

    found = sorted(wrong(await look(secrets.CHECK)), key=lambda finding: finding.place)

    assert [(finding.id, finding.severity, finding.place) for finding in found] == [
        ("secrets.configured", Severity.ERROR, f"{folder / 'a.md'}:3"),
        ("secrets.found", Severity.WARNING, f"{folder / 'b.md'}:1"),
    ]
    assert not any(TOKEN in repr(finding) or "kR7" in repr(finding) for finding in found)


async def test_a_fact_that_was_kept_on_purpose_and_what_is_hidden_are_let_be(look: Look, home: Home) -> None:
    folder = home.workspace("personal")
    (folder / ".memory").mkdir(parents=True)
    (folder / "a.md").write_text("- W: The wifi password is kR7#mQ2vXp9! ^abc12345\n")
    (folder / ".memory" / "b.md").write_text("The wifi password is kR7#mQ2vXp9!\n")

    assert wrong(await look(secrets.CHECK)) == []
