"""Config: every option with what holds, who has set it and what it is for; changed with the checks of the command."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pydantic import SecretStr

from bot.config.draft import Draft, key_of, value_of
from bot.config.loader import examine
from bot.config.model import Config
from bot.config.schema import Options
from bot.errors import BotError, Refused
from bot.paths import reason
from bot.texts.catalogue import mark, tr
from bot.texts.formatting import as_written, flatten
from bot.web.page import Changed, Group, Page, View

MASK = str(SecretStr("secret"))
"""Stands for a secret in what is shown."""


async def context(view: View) -> Mapping[str, Any]:
    """Collect the options whose name or sentence has the words that are looked for."""
    examined = examine(view.app.home)
    words = view.query.get("q", "").strip().casefold()
    schema, options = Options(Config), []
    runs = _written(view.app.config)
    for key, value in _written(examined.config or view.app.config).items():
        option = schema.option(key_of(key))
        about = option.about if option else ""
        if words in f"{key} {about}".casefold():
            options.append(
                {
                    "key": key,
                    "value": value,
                    "origin": examined.origins.get(key, ""),
                    "about": about,
                    "allowed": option.allowed if option else "",
                    "is_secret": schema.is_secret(key_of(key)) or MASK in value,
                    "waits": runs.get(key) != value,
                }
            )
    problems = [
        {"text": str(problem), "line": problem.place.line if problem.place else None, "fatal": problem.fatal}
        for problem in examined.problems
    ]
    return {"file": view.app.home.config, "options": options, "problems": problems, "q": view.query.get("q", "")}


async def change(view: View, *, is_set: bool) -> Changed:
    """Set one option in config.yaml, or take it out, checked before the file is touched."""
    name, value = view.field("key"), view.field("value") if is_set else None
    key = key_of(name)
    if Options(Config).is_secret(key) or MASK in (value or ""):
        message = tr("Tokens and keys are not changed here: a browser would keep them.")
        raise Refused(message, hint=tr("Run: scrubjay config set {option} --stdin", option=name))
    draft = Draft(view.app.home)
    if value is None:
        draft.unset(key)
    else:
        draft.set({key: value_of(key, value)})
    draft.checked()
    try:
        has_changed = draft.save()
    except OSError as error:
        message = tr("{file} cannot be written: {reason}.", file=view.app.home.config, reason=reason(error))
        raise BotError(message) from error
    if not has_changed:
        return Changed(tr("{file} says so already.", file=view.app.home.config))
    return Changed(
        tr("Saved: {file}", file=view.app.home.config) + "\n" + tr("What runs now goes on as before: start it again.")
    )


def _written(config: Config) -> dict[str, str]:
    """Return options by their dotted names, with their values as they are written, secrets hidden."""
    return {name: as_written(value) for name, value in flatten(config.model_dump(mode="json"))}


PAGE = Page(
    path="/config",
    title=mark("Config"),
    context=context,
    group=Group.SERVICE,
    place=6,
    key="k",
    actions={"set": partial(change, is_set=True), "unset": partial(change, is_set=False)},
    is_shared=True,
)
