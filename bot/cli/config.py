"""`scrubjay config`: check and show the configuration."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from bot.cli.help import JsonOption, Run, command, group
from bot.errors import ConfigError, Missing

if TYPE_CHECKING:
    from bot.config.model import Config

PAGE = """
Check and show the configuration.

Examples:
  scrubjay config check
  scrubjay config show
  scrubjay config example > config.yaml
"""

app = group("config", PAGE)


@command(app)
def check(
    file: Annotated[Path | None, Parameter(help="Which file; the one of this home if left out.")] = None,
    /,
    *,
    json: JsonOption = False,
    run: Run,
) -> int:
    """Look for mistakes, and name the line of each.

    Stricter than a start: there, options that nothing knows are left out with a
    warning; here they are mistakes. Exit code 0: none; 3: some.

    Examples:
      scrubjay config check
      scrubjay config check ./config.yaml --json | jq '.problems[].line'
    """
    from bot.config.loader import examine

    home = run.home if file is None else dataclasses.replace(run.home, config=file.resolve())
    if file is not None and not file.exists():
        raise Missing(f"There is no file {file}.", hint="Run `scrubjay paths` to see where config.yaml belongs.")
    examined = examine(home)
    problems, models = examined.problems, _models(examined.config)
    if json:
        told = [dataclasses.asdict(problem) | {"place": None} | _line(problem.place) for problem in problems]
        run.terminal.json({"file": str(home.config), "ok": not problems, "problems": told, "models": models})
    else:
        for problem in problems:
            run.terminal.out(str(problem))
        there = "" if home.config.exists() else " (no such file; the defaults hold)"
        run.terminal.err(f"{len(problems)} found." if problems else f"No mistakes in {home.config}{there}.")
        for agent, model in models.items():
            told_model = f"{model} (scrubjay doctor asks it)" if model else "none, answers are quotes from memory"
            run.terminal.err(f"Model of {agent}: {told_model}.")
    return ConfigError.exit_code if problems else 0


@command(app)
def show(*, json: JsonOption = False, run: Run) -> None:
    """Show what holds now, and who set it.

    Secrets are hidden.

    Examples:
      scrubjay config show
      scrubjay config show --json | jq .config.memory
    """
    config, origins = run.config.model_dump(mode="json"), run.loaded.origins
    if json:
        run.terminal.json({"config": config, "origins": origins})
        return
    rows = [(key, value, origins.get(key, "default")) for key, value in _flat(config)]
    run.terminal.table(rows, heads=("option", "value", "set by"))


@command(app)
def example(*, run: Run) -> None:
    """Print a configuration with every option, its default and a sentence.

    Examples:
      scrubjay config example
      scrubjay config example > config.yaml
    """
    from bot.config.schema import example as text

    run.terminal.out(text().rstrip())


@command(app)
def schema(*, run: Run) -> None:
    """Print the JSON schema, for editors that complete and check while you type.

    Examples:
      scrubjay config schema > config.schema.json
    """
    from bot.config.model import Config

    run.terminal.json(Config.model_json_schema())


def _models(config: Config | None) -> dict[str, str]:
    """Each agent's model and where it runs; empty for none."""
    options = {name: config.model_of(name) for name in config.agents} if config else {}
    return {name: own.endpoint.label if own.is_configured else "" for name, own in options.items()}


def _line(place: object) -> dict[str, Any]:
    return {"line": getattr(place, "line", None), "column": getattr(place, "column", None)}


def _flat(values: dict[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", "" if value is None else str(value)
