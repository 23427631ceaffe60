"""`scrubjay config` and `scrubjay paths`: the configuration, and where everything lives."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from bot.cli.commands import config_edit
from bot.cli.help import JsonOption, Run, command, group, single
from bot.errors import ConfigError, Missing
from bot.texts.catalogue import tr
from bot.texts.formatting import as_json

if TYPE_CHECKING:
    from bot.cli.invocation import Invocation
    from bot.config.yaml_tree import Key

PAGE = """
Show, check and change the configuration.

Examples:
  scrubjay config check
  scrubjay config show
  scrubjay config explain memory.recall.limit
  scrubjay config set memory.recall.limit 8
  scrubjay config example > config.yaml
"""

app = group("config", PAGE)
command(app, "set")(config_edit.set_options)
command(app)(config_edit.unset)
command(app)(config_edit.edit)


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

    run.use_owner_language()
    home = run.home if file is None else dataclasses.replace(run.home, config=file.resolve())
    if file is not None and not file.exists():
        message = tr("There is no file {file}.", file=file)
        raise Missing(message, hint=tr("Run `scrubjay paths` to see where config.yaml belongs."))
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
        if config is None and file is None and home.config_good.exists():
            run.terminal.err(tr("The last one that could be used is kept: {file}", file=home.config_good))
        there = "" if home.config.exists() else tr(" (no such file; the defaults hold)")
        run.terminal.err(
            tr("{count} found.", count=len(problems))
            if problems
            else tr("No mistakes in {file}{remark}.", file=home.config, remark=there)
        )
        for agent, model in models.items():
            described = (
                tr("{model} (scrubjay doctor asks it)", model=model)
                if model
                else tr("none, answers are quotes from memory")
            )
            run.terminal.err(tr("Model of {agent}: {model}.", agent=agent, model=described))
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
    rows = [(key, value, origins.get(key, tr("default"))) for key, value in _flat(config)]
    run.terminal.table(rows, heads=(tr("option"), tr("value"), tr("set by")))


KeyArgument: TypeAlias = Annotated[str, Parameter(help="An option or section, such as memory.recall.limit.")]


@command(app)
def get(key: KeyArgument, /, *, json: JsonOption = False, run: Run) -> None:
    """Print the value that holds now; of a section, each of its options.

    Secrets are hidden.

    Examples:
      scrubjay config get memory.recall.limit
      scrubjay config get agents.work
      scrubjay config get model --json | jq -r .value.name
    """
    from bot.config.draft import key_of

    run.use_owner_language()
    value = _value(run, key_of(key))
    if json:
        run.terminal.json({"key": key, "value": value})
    elif isinstance(value, dict):
        for name, inner in _flat(value):
            run.terminal.out(f"{name}: {inner}")
    elif isinstance(value, list):
        for entry in value:
            run.terminal.out(as_json(entry) if isinstance(entry, dict) else str(entry))
    else:
        run.terminal.out(_shown(value))


@command(app)
def explain(key: KeyArgument, /, *, json: JsonOption = False, run: Run) -> None:
    """Say what an option is for, what it may be, what holds now, and who set it.

    Examples:
      scrubjay config explain memory.recall.limit
      scrubjay config explain agents.work.model
      scrubjay config explain telegram.token --json
    """
    from bot.config.draft import key_of
    from bot.config.model import Config
    from bot.config.schema import Options

    run.use_owner_language()
    steps = key_of(key)
    option = Options(Config).option(steps)
    assert option is not None  # or there would be no such key
    try:
        value = _value(run, steps)
    except Missing:  # what would be under a name that is still to be chosen
        value = None
    dotted = ".".join(map(str, steps))
    origins = run.loaded.origins
    setters = sorted({origin for name, origin in origins.items() if name == dotted or name.startswith(f"{dotted}.")})
    fields = {
        "key": dotted,
        "about": option.about,
        "allowed": option.allowed,
        "default": option.default,
        "example": option.example,
        "value": value,
        "set_by": setters,
        "needs_restart": True,
    }
    if json:
        run.terminal.json(fields)
        return
    if option.about:
        run.terminal.out(option.about)
    rows = [(tr("allowed"), option.allowed)]
    if not option.is_section:
        rows += [(tr("default"), _shown(option.default) or tr("nothing")), (tr("now"), _shown(value) or tr("nothing"))]
        if option.example is not None:
            rows.insert(2, (tr("example"), _shown(option.example)))
    rows.append((tr("set by"), ", ".join(setters) or tr("default")))
    run.terminal.table(rows, heads=("", ""))
    run.terminal.err(
        tr("A change holds from the next start of `scrubjay run` and `scrubjay chat`; for commands, at once.")
    )


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
    run.use_owner_language()
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
        [(name, str(path), "" if path.exists() else tr("not there yet")) for name, path in places.items()],
        heads=(tr("what"), tr("where"), ""),
    )
    run.terminal.err(tr("Chosen by {what}.", what=home.chosen_by))


paths_app = single("paths", paths)


def _value(run: Invocation, key: Key) -> Any:
    """What holds now for an option or section; secrets are hidden, and nothing is None.

    Raises:
        Missing: a section, or an entry of a list, that is not there.
    """
    value: Any = run.config.model_dump(mode="json")
    for depth, step in enumerate(key):
        if value is None:
            return None
        try:
            value = value[str(step)] if isinstance(value, dict) else value[step]
        except (KeyError, IndexError, TypeError) as error:
            absent, section = (".".join(map(str, part)) for part in (key[: depth + 1], key[:depth]))
            message = tr("There is no {name}.", name=absent)
            hint = tr("See what there is: scrubjay config get {section}", section=section)
            raise Missing(message, hint=hint) from error
    return value


def _shown(value: object) -> str:
    """A value as it is written in the file, texts without quotes."""
    return value if isinstance(value, str) else "" if value is None else as_json(value)


def _flat(values: dict[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", _shown(value)
