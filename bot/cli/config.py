"""`scrubjay config` and `scrubjay paths`: the configuration, and where everything lives."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from bot.cli.help import JsonOption, Run, command, group, single
from bot.errors import ConfigError, Missing

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
    from bot.llm.endpoint import endpoint_of

    home = run.home if file is None else dataclasses.replace(run.home, config=file.resolve())
    if file is not None and not file.exists():
        raise Missing(f"There is no file {file}.", hint="Run `scrubjay paths` to see where config.yaml belongs.")
    examined = examine(home)
    problems, config = examined.problems, examined.config
    options = {name: config.model_of(name) for name in config.agents} if config else {}
    models = {name: endpoint_of(own).label if own.is_configured else "" for name, own in options.items()}
    if json:
        listed = [
            dataclasses.asdict(problem)
            | {"place": None, "line": getattr(problem.place, "line", None)}
            | {"column": getattr(problem.place, "column", None)}
            for problem in problems
        ]
        run.terminal.json({"file": str(home.config), "ok": not problems, "problems": listed, "models": models})
    else:
        for problem in problems:
            run.terminal.out(str(problem))
        there = "" if home.config.exists() else " (no such file; the defaults hold)"
        run.terminal.err(f"{len(problems)} found." if problems else f"No mistakes in {home.config}{there}.")
        for agent, model in models.items():
            described = f"{model} (scrubjay doctor asks it)" if model else "none, answers are quotes from memory"
            run.terminal.err(f"Model of {agent}: {described}.")
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


def paths(*, json: JsonOption = False, run: Run) -> None:
    """Show where everything lives.

    Set SCRUBJAY_HOME to keep all of it in one folder.

    Examples:
      scrubjay paths
      SCRUBJAY_HOME=~/scrubjay scrubjay paths
      scrubjay paths --json | jq -r .config
    """
    home = run.home
    places = {
        "config": home.config,
        "workspaces": home.workspaces,
        "state": home.state,
        "database": home.database,
        "cache": home.cache,
        "logs": home.logs,
    }
    if json:
        run.terminal.json({"chosen_by": home.chosen_by} | {name: str(path) for name, path in places.items()})
        return
    run.terminal.table(
        [(name, str(path), "" if path.exists() else "not there yet") for name, path in places.items()],
        heads=("what", "where", ""),
    )
    run.terminal.err(f"Chosen by {home.chosen_by}.")


paths_app = single("paths", paths)


def _flat(values: dict[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", "" if value is None else str(value)
