"""`scrubjay config`: show, check and change the configuration."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from cyclopts import Parameter

from bot.cli.help import JSON, Answer, NoInputOption, Run, command, group
from bot.cli.invocation import Invocation
from bot.config.environment import editor
from bot.errors import BotError, ConfigError, Missing, Refused, Unreachable, UsageError
from bot.paths import put, read_value, reason
from bot.texts.catalogue import tr
from bot.texts.formatting import as_json, as_written, flatten

if TYPE_CHECKING:
    from bot.config.draft import Draft
    from bot.config.model import Config
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


@command(app, "set", json=JSON)
async def change(
    key: Annotated[str, Parameter(help="Which option, such as memory.recall.limit.")],
    value: Annotated[str | None, Parameter(help="Its value; left out if it comes from elsewhere.")] = None,
    /,
    *more: Annotated[str, Parameter(help="Further options, each with its value, that change together.")],
    from_file: Annotated[
        Path | None, Parameter(metavar="FILE", help="Take the value from a file: the way for tokens and keys.")
    ] = None,
    stdin: Annotated[bool, Parameter(help="Take the value from standard input, or ask for it unseen.")] = False,
    no_test: Annotated[bool, Parameter(help="Do not ask the model, or the platform, whether it works.")] = False,
    run: Run,
) -> Answer:
    """Set options in config.yaml; its comments and their order stay.

    What it may be is checked before the file is touched. A model is asked for a
    word first, and a token is shown to its platform. The file before is kept.
    A token or key is never given as a value here: it would stay in the shell's
    history. It is kept in a file of its own beside config.yaml.

    Examples:
      scrubjay config set memory.recall.limit 8
      scrubjay config set agents.garden.about "Seeds, and when to sow them."
      scrubjay config set model.name gpt-5-mini model.api_key '${OPENAI_API_KEY}'
      scrubjay config set telegram.token --from-file token.txt
      printf %s "$TOKEN" | scrubjay config set telegram.token --stdin
    """
    from bot.config.draft import Draft, key_of, value_of
    from bot.config.model import Config, secrets_of
    from bot.config.schema import Options, typed

    run.use_owner_language()
    if len(more) % 2:
        raise UsageError(tr("{option} has no value.", option=more[-1]), hint=tr("Write each option with its value."))
    draft, schema = Draft(run.home), Options(Config)
    wanted: dict[Key, str] = {}
    words = {key: value, **dict(zip(more[::2], more[1::2], strict=True))}
    if value is not None and (from_file or stdin):
        raise UsageError(tr("There are two values for {option}.", option=key), hint=tr("Leave one of them out."))
    for dotted, typed_in in words.items():
        option = key_of(dotted)
        text = _value_from_elsewhere(run, key, from_file, stdin=stdin) if typed_in is None else typed_in
        found = schema.option(option)
        is_emptied = found and found.is_section and value_of(option, text) == typed(None)  # with all that stands in it
        if is_emptied or (typed_in is None and not text):
            hint = tr("To take it out: scrubjay config unset")
            raise UsageError(tr("{option} has no value.", option=dotted), hint=hint)
        is_kept_apart = schema.is_secret(option) and not schema.is_list(option)
        if typed_in is None and is_kept_apart and not text.startswith("${"):
            draft.set_secret(option, text)
        else:
            wanted[option] = value_of(option, text)
    draft.set(wanted)
    config = draft.checked()
    known = {*secrets_of(Draft(run.home).examined().config or Config())}
    if any(secret in (text or "") for secret in {*secrets_of(config)} - known for text in words.values()):
        message = tr("That is a secret, and the words of a command stay in the shell's history.")
        raise Refused(message, hint=tr("Name a file (--from-file), or type it unseen (--stdin)."))
    keys = [*wanted, *draft.secrets]
    if not no_test:
        await _test(run, config, keys)
    return _save(run, draft, keys)


@command(app, json=JSON)
async def unset(key: Annotated[str, Parameter(help="Which option or section.")], /, *, run: Run) -> Answer:
    """Take an option or a section out of config.yaml, so that its default holds.

    Examples:
      scrubjay config unset memory.recall.limit
      scrubjay config unset agents.garden
    """
    from bot.config.draft import Draft, key_of

    run.use_owner_language()
    draft = Draft(run.home)
    option = key_of(key)
    if not draft.before or not draft.unset(option):
        message = tr("{option} is not set in {file}.", option=key, file=run.home.config)
        raise Missing(message, hint=tr("Who sets it: scrubjay config explain {option}", option=key))
    draft.checked()
    return _save(run, draft, [option])


@command(app)
async def edit(*, no_input: NoInputOption = False, run: Run) -> None:
    """Open config.yaml in your editor, and check it before it is saved.

    The editor is the one that $VISUAL or $EDITOR names. What you have written
    is kept aside until it can be used: you are asked whether to go on editing,
    or to keep the file as it was.

    Examples:
      scrubjay config edit
      EDITOR="code --wait" scrubjay config edit
    """
    from bot.config.draft import Draft

    run.use_owner_language()
    run.terminal.asks = not no_input
    if not run.terminal.is_interactive:
        raise UsageError(tr("An editor needs a terminal."), hint=tr("Set single options: scrubjay config set"))
    words = editor()
    if not words:
        raise Missing(tr("No editor was found."), hint=tr("Name yours: export EDITOR=nano"))
    draft = Draft(run.home)
    scratch = run.home.config.with_name("config.edit.yaml")
    if scratch.exists() and not run.terminal.confirm(tr("There is an unfinished edit. Go on with it?")):
        scratch.unlink()
    if not scratch.exists():
        put(scratch, draft.text)
    while True:
        await _open(words, scratch)
        if _is_usable(run, draft, scratch):
            break
        if not run.terminal.confirm(tr("It cannot be used like this. Edit again? (n keeps the file as it was)")):
            scratch.unlink(missing_ok=True)
            run.terminal.err(tr("{file} is as it was.", file=run.home.config))
            raise ConfigError(tr("What was edited cannot be used."))
    _save(run, draft, [])
    scratch.unlink()


@command(app, json=JSON)
def check(
    file: Annotated[Path | None, Parameter(help="Which file; the one of this home if left out.")] = None, /, *, run: Run
) -> Answer:
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
    for problem in problems:
        run.terminal.out(str(problem))
    if config is None and file is None and home.config_good.exists():
        run.terminal.note(tr("The last one that could be used is kept: {file}", file=home.config_good))
    there = "" if home.config.exists() else tr(" (no such file; the defaults hold)")
    run.terminal.note(
        tr("{count} found.", count=len(problems))
        if problems
        else tr("No mistakes in {file}{remark}.", file=home.config, remark=there)
    )
    for agent, model in models.items():
        none = tr("none, answers are quotes from memory")
        described = tr("{model} (scrubjay doctor asks it)", model=model) if model else none
        run.terminal.note(tr("Model of {agent}: {model}.", agent=agent, model=described))
    listed = [
        dataclasses.asdict(problem)
        | {"place": None, "line": getattr(problem.place, "line", None)}
        | {"column": getattr(problem.place, "column", None)}
        for problem in problems
    ]
    run.exit_code = ConfigError.exit_code if problems else 0
    return {"file": str(home.config), "ok": not problems, "problems": listed, "models": models}


@command(app, json=JSON)
def show(*, run: Run) -> Answer:
    """Show what holds now, and who set it.

    Secrets are hidden.

    Examples:
      scrubjay config show
      scrubjay config show --json | jq .config.memory
    """
    config, origins = run.config.model_dump(mode="json"), run.loaded.origins
    rows = [(key, origins.get(key, tr("default")), value) for key, value in _written(config).items()]
    run.terminal.table(rows, heads=(tr("option"), tr("set by"), tr("value")))
    return {"config": config, "origins": origins}


KeyArgument: TypeAlias = Annotated[str, Parameter(help="An option or section, such as memory.recall.limit.")]


@command(app, json=JSON)
def get(key: KeyArgument, /, *, run: Run) -> Answer:
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
    if isinstance(value, dict):
        for name, inner in _written(value).items():
            run.terminal.out(f"{name}: {inner}")
    elif isinstance(value, list):
        for entry in value:
            run.terminal.out(as_json(entry) if isinstance(entry, dict) else str(entry))
    else:
        run.terminal.out(as_written(value))
    return {"key": key, "value": value}


@command(app, json=JSON)
def explain(key: KeyArgument, /, *, run: Run) -> Answer:
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
    name, origins = option.dotted, run.loaded.origins
    setters = sorted({origin for set_, origin in origins.items() if set_ == name or set_.startswith(f"{name}.")})
    if option.about:
        run.terminal.out(option.about)
    rows = [(tr("allowed"), option.allowed)]
    if not option.is_section:
        holds = {tr("default"): option.default, tr("now"): value}
        rows += [(name, as_written(one) or tr("nothing")) for name, one in holds.items()]
        if option.example is not None:
            rows.insert(2, (tr("example"), as_written(option.example)))
    rows.append((tr("set by"), ", ".join(setters) or tr("default")))
    run.terminal.table(rows, heads=("", ""))
    run.terminal.note(
        tr("A change holds from the next start of `scrubjay run` and `scrubjay chat`; for commands, at once.")
    )
    return {
        "key": name,
        "about": option.about,
        "allowed": option.allowed,
        "default": option.default,
        "example": option.example,
        "value": value,
        "set_by": setters,
        "needs_restart": True,
    }


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


def _value(run: Invocation, key: Key) -> Any:
    """What holds now for an option or section; secrets are hidden. Raises `Missing` for a part that is not there."""
    from bot.config.yaml_tree import dotted

    value: Any = run.config.model_dump(mode="json")
    for depth, step in enumerate(key):
        if value is None:
            return None
        try:
            value = value[str(step)] if isinstance(value, dict) else value[step]
        except (KeyError, IndexError, TypeError) as error:
            absent, section = (dotted(part) for part in (key[: depth + 1], key[:depth]))
            message = tr("There is no {name}.", name=absent)
            hint = tr("See what there is: scrubjay config get {section}", section=section)
            raise Missing(message, hint=hint) from error
    return value


def _written(values: dict[str, Any]) -> dict[str, str]:
    """Options by their dotted names, as they are written; what holds none is left out."""
    return {name: as_written(value) for name, value in flatten(values) if value != {}}


def _is_usable(run: Invocation, draft: Draft, scratch: Path) -> bool:
    """Take over what an editor has written, and return whether it can be saved; what is wrong with it is said."""
    from bot.config.loader import read_text
    from bot.config.yaml_tree import Unparsed

    try:
        draft.text = read_text(scratch)
    except Unparsed as error:
        run.terminal.err(f"{scratch}: {error.message}. {error.hint}")
        return False
    if not draft.text.strip():  # an editor that failed leaves nothing, too
        run.terminal.err(tr("{file} is empty.", file=scratch))
        return False
    problems = draft.examined().problems
    for problem in problems:
        run.terminal.err(str(problem).replace(str(run.home.config), str(scratch)))
    return not any(problem.fatal for problem in problems)


async def _open(words: tuple[str, ...], file: Path) -> None:
    """Run an editor on a file until it ends."""
    import asyncio

    try:
        process = await asyncio.create_subprocess_exec(*words, str(file))
    except OSError as error:
        message = tr("The editor {editor} cannot be started: {reason}.", editor=words[0], reason=reason(error))
        raise Missing(message, hint=tr("Name another one: export EDITOR=nano")) from error
    if code := await process.wait():
        message = tr("The editor ended with code {code}, and nothing was saved.", code=code)
        raise BotError(message, hint=tr("What was written is kept: {file}", file=file))


def _value_from_elsewhere(run: Invocation, option: str, file: Path | None, *, stdin: bool) -> str:
    """A value that is not one of the command's words, without white space around it; empty if there is none."""
    if file:
        return read_value(file)
    if stdin and run.terminal.is_interactive:
        return run.terminal.ask(tr("{option}? (it stays invisible)", option=option), secret=True)
    return "\n".join(run.terminal.lines()) if stdin else ""


async def _test(run: Invocation, config: Config, keys: Sequence[Key]) -> None:
    """Ask the models, and the platforms of the tokens, that were changed.

    Raises:
        ModelError: a model does not answer.
        Unreachable: a platform does not take a token.
    """
    from bot.cli.wizard.model_setup import ask
    from bot.llm.errors import ModelError

    for model in {
        config.model if key[0] == "model" else config.model_of(str(key[1]))
        for key in keys
        if key[0] == "model" or (key[0] == "agents" and key[2:3] == ("model",))
    }:
        if model.is_configured:
            try:
                run.terminal.err(await ask(run, model))
            except ModelError:
                run.terminal.err(tr("Nothing was saved. To save it all the same: --no-test"))
                raise
    for platform, token in (("telegram", config.telegram.token), ("discord", config.discord.token)):
        if (platform, "token") not in keys or not token.get_secret_value():
            continue
        from bot.account_check import TokenStatus, check_account

        check = await check_account(platform, token.get_secret_value(), config)
        if check.status is TokenStatus.REFUSED:
            raise Unreachable(check.told, hint=tr("Nothing was saved. To save it all the same: --no-test"))
        for line in (check.told, *check.notes):
            run.terminal.err(line)


def _save(run: Invocation, draft: Draft, keys: Sequence[Key]) -> Answer:
    """Save a draft, and say what has changed and how to take it back."""
    from bot.config.yaml_tree import dotted
    from bot.system import instance

    diff, existed = draft.diff, bool(draft.before)
    run.home.prepare()
    has_changed = draft.save()
    changed = [dotted(key) for key in keys] if has_changed else []
    answer = {"file": str(run.home.config), "changed": changed, "diff": diff}
    if not has_changed:
        run.terminal.note(tr("{file} says so already.", file=run.home.config))
        return answer
    if existed:
        for line in diff.splitlines():
            run.terminal.out(line, style={"+": "green", "-": "red"}.get(line[:1]))
    run.terminal.note(tr("Saved: {file}", file=run.home.config))
    if existed:
        run.terminal.note(tr("The one before is kept: {file}", file=run.home.config_previous))
    if instance.holder(run.home):
        run.terminal.note(tr("What runs now goes on as before: start it again."))
    return answer
