from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from bot.cli.front import COMMANDS
from bot.cli.main import main

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The script for bash, in a file."""
    assert main(["completion", "bash"]) == 0
    path = tmp_path / "completion.bash"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    return path


def complete(script: Path, *words: str) -> set[str]:
    """What bash itself offers when Tab is pressed behind these words."""
    bash = shutil.which("bash", path=os.defpath)
    if bash is None:
        pytest.skip("there is no bash here")
    program = f"""source {shlex.quote(str(script))}
COMP_WORDS=(scrubjay {shlex.join(words)}); COMP_CWORD={len(words)}
$(complete -p scrubjay | sed 's/.*-F \\([^ ]*\\).*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(
        [bash, "--norc", "-c", program], env={"PATH": os.defpath}, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return set(done.stdout.split())


def test_bash_completes_commands_also_of_groups_and_options(script: Path) -> None:
    assert complete(script, "ch") == {"chat"}
    assert {"recall", "remember"} <= complete(script, "memory", "re")
    assert {"--plain", "--json", "--agent"} <= complete(script, "chat", "--")
    assert complete(script, "completion", "z") == {"zsh"}


def test_every_shell_is_offered_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    for shell in SHELLS:
        assert main(["completion", shell]) == 0
        printed = capsys.readouterr().out
        assert all(name in printed for name in COMMANDS)


def test_another_shell_is_refused_with_the_names_of_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "tcsh"]) == 2
    assert "bash" in capsys.readouterr().err
