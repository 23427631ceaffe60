"""Heavy libraries are loaded by what needs them, and by nothing before it."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

from tests.house.measures import nodes
from tests.house.tree import PACKAGES, PROJECT, ROOT, packages
from tests.support.cli_process import TerminalProcess

HEAVY = {
    "apsw",
    "asyncio",
    "numpy",
    "onnxruntime",
    "openai",
    "prompt_toolkit",
    "pydantic",
    "rich",
    "ruamel",
    "simsimd",
    "Stemmer",
    "structlog",
    "telegram",
    "discord",
    "tzlocal",
    "watchfiles",
    "mcp",
    "starlette",
    "uvicorn",
}

PRINT = (
    "\nimport sys, json; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})), file=sys.stderr)"
)


def loaded(code: str, home: Path) -> set[str]:
    """The top-level packages in a new process after running some code."""
    environment = {"PATH": "/usr/bin:/bin", "SCRUBJAY_HOME": str(home), "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "-c", code + PRINT], env=environment, capture_output=True, text=True, check=True
    )
    names = json.loads(ran.stderr.splitlines()[-1])
    return set(names)


def test_the_command_line_itself_is_light(tmp_path: Path) -> None:
    assert loaded("import bot.cli.main", tmp_path) & (HEAVY | {"memory", "adapters", "cyclopts"}) == set()


def test_help_needs_only_what_draws_it(tmp_path: Path) -> None:
    code = "from bot.cli.main import main; assert main(['--help']) == 0"

    assert loaded(code, tmp_path) & (HEAVY | {"memory", "adapters", "cyclopts"}) == {"rich"}


def test_the_help_of_a_group_of_commands_loads_nothing_that_they_work_with(tmp_path: Path) -> None:
    code = "from bot.cli.main import main; assert main(['store', '--help']) == 0"

    assert "asyncio" not in loaded(code, tmp_path)


def test_the_memory_library_needs_neither_the_bot_nor_the_adapters_nor_anything_heavy(tmp_path: Path) -> None:
    allowed = {"apsw", "asyncio"}  # the index is nothing without them, and they are quick to load

    assert loaded("import memory", tmp_path) & (HEAVY | {"bot", "adapters", "cyclopts"}) <= allowed


def test_the_adapters_need_neither_the_bot_nor_the_memory(tmp_path: Path) -> None:
    assert loaded("import adapters.port", tmp_path) & (HEAVY | {"bot", "memory", "cyclopts"}) == set()


def test_a_look_into_memory_does_not_load_what_only_a_conversation_needs(tmp_path: Path) -> None:
    code = (
        "from bot.cli.main import main\n"
        "from memory import SystemClock\n"
        "for words in ['memory', 'recall', 'key'], ['memory', 'stats'], ['agents', 'list']:\n"
        "    assert main(words, clock=SystemClock()) == 0"
    )

    unwanted = {"prompt_toolkit", "structlog", "numpy", "onnxruntime", "openai", "telegram", "discord"}
    assert loaded(code, tmp_path) & unwanted == set()


def test_a_conversation_without_a_model_does_not_load_what_asks_one(tmp_path: Path) -> None:
    unwanted = ("bot.agent.loop", "bot.agent.responder", "bot.llm.client", "bot.tools", "docstring_parser")
    code = (
        "import sys; from bot.cli.main import main; assert main(['chat', '-p', 'hello']) == 0\n"
        f"assert not [name for name in {unwanted} if name in sys.modules]"
    )

    assert "structlog" in loaded(code, tmp_path)


def test_the_service_loads_nothing_that_draws_tracebacks_and_reads_no_sources_of_its_options(tmp_path: Path) -> None:
    code = (
        "import linecache, bot.cli.commands.serve, bot.log, bot.service.run, bot.config.draft\n"
        "assert not [name for name in linecache.cache if 'options' in name]"
    )

    assert loaded(code, tmp_path) & {"rich", "pygments", "structlog"} == {"structlog"}


def test_the_status_of_a_home_at_rest_does_not_load_what_asks_a_running_service(tmp_path: Path) -> None:
    code = (
        "import sys; from bot.cli.main import main; main(['status']); assert 'bot.service.control' not in sys.modules"
    )

    assert "memory" in loaded(code, tmp_path)


def test_a_question_to_a_running_service_does_not_load_what_would_answer_it_here(tmp_path: Path) -> None:
    code = "from bot.cli.main import main; assert main(['chat', '-p', 'hello']) == 0"
    with TerminalProcess(tmp_path, "chat") as holder:
        holder.ask("hello", until="offline mode")

        assert loaded(code, tmp_path) & {"memory", "structlog", "apsw", "numpy", "prompt_toolkit", "rich"} <= {"rich"}


def test_every_library_that_is_imported_is_declared() -> None:
    project = PROJECT["project"]
    lines = [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]
    declared = {re.split(r"[<>=~!;\[ ]", line)[0].lower() for line in lines} - {"scrubjay"}
    trees = packages().trees.values()
    imported = {name for tree in trees for name in imports(tree)} - sys.stdlib_module_names - {*PACKAGES}
    distributions = packages_distributions()

    undeclared = [
        name
        for name in sorted(imported)
        if not declared & {one.lower().replace("_", "-") for one in distributions[name]}
    ]

    assert undeclared == []
    assert {"aiohttp", "pydantic", "pyromark"} <= imported
    assert len(trees) > 200


def imports(tree: ast.Module) -> Iterator[str]:
    """The top-level packages that a module imports, anywhere in it."""
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
