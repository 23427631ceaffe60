"""A configuration as it would be: options set and taken out, checked, compared, and saved with the one before kept."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from bot.config.edit import parse, with_options, without_option
from bot.config.loader import Examined, examine, parse_value, read_text
from bot.config.model import Config, secrets_of, standard_agents
from bot.config.retired import current
from bot.config.schema import Options, example, typed, written
from bot.config.yaml_tree import Key, Unparsed, dotted
from bot.errors import ConfigError, UsageError
from bot.paths import PRIVATE_FILE, Home, put
from bot.texts.catalogue import tr
from bot.texts.formatting import did_you_mean

HIDDEN = "***"
"""Stands for a secret in what is shown."""

_SECRET = re.compile(
    r"""\b(?P<name>token|more_tokens|api_key|proxy)(?P<colon>["']?:\s*)(?P<value>\[.*\]|"[^"]*"|'[^']*'|[^\s,}]+)"""
)


class Draft:
    """The text of a home's configuration, to be changed; the file stays as it is until `save`.

    Attributes:
        before: the text of the file; empty if there is none.
        text: as it would be. Without a file it begins as the example, in which every option is explained.
        secrets: values that are going to stand in files of their own, by option.

    Raises:
        ConfigError: there is a file, and it cannot be read as text.
    """

    def __init__(self, home: Home) -> None:
        self.home = home
        try:
            self.before = read_text(home.config)
        except Unparsed as error:
            raise ConfigError(f"{home.config}: {error.message}.", hint=error.hint) from error
        self.text = self.before or example()
        self.secrets: dict[Key, str] = {}
        self._examined: tuple[str, Examined] | None = None

    def set(self, options: Mapping[Key, str]) -> None:
        """Set options, each to a value as YAML on one line; raises `ConfigError` if no such edit can be made."""
        wanted = dict(options)
        if any(key[0] == "agents" for key in wanted) and not parse(self.text).get(("agents",)):
            # what stands there replaces the standard agents, which are to stay
            standard: dict[Key, str] = {
                ("agents", name, "about"): typed(agent.about) for name, agent in standard_agents().items()
            }
            wanted = standard | wanted
        self.text = with_options(self.text, wanted)

    def set_secret(self, key: Key, value: str) -> None:
        """Set an option to what is going to stand in a file beside the configuration, which refers to it."""
        self.secrets[key] = value
        self.set({key: typed(f"${{file:{dotted(key)}}}")})

    @contextmanager
    def trial(self, *, keep: bool = True) -> Iterator[None]:
        """Undo what the block sets if it raises an error or cannot be used, or in any case unless it is to be kept.

        Raises:
            UsageError: what was set is wrong.
            ConfigError: something else in the file is.
        """
        text, secrets = self.text, dict(self.secrets)
        try:
            yield
            self.checked()
        except BaseException:
            keep = False
            raise
        finally:
            if not keep:
                self.text, self.secrets = text, secrets

    def unset(self, key: Key) -> bool:
        """Take an option or section out, so that its default holds; False if it is not there."""
        option = Options(Config).option(key)
        shown = ""
        if option and not option.is_section:
            shown = typed(option.example if option.default is None else option.default)
        after = without_option(self.text, key, default=shown)
        has_changed, self.text = after != self.text, after
        return has_changed

    def examined(self) -> Examined:
        """What the draft says, and what is wrong with it."""
        # the files with the secrets are not there yet
        text = with_options(self.text, {key: written(value) for key, value in self.secrets.items()})
        if self._examined is None or self._examined[0] != text:
            self._examined = text, examine(self.home, draft=text)
        return self._examined[1]

    def checked(self) -> Config:
        """What the draft says.

        Raises:
            UsageError: what was set is wrong.
            ConfigError: something else in the file is.
        """
        examined = self.examined()
        if examined.config is not None:
            return examined.config
        fatal = [problem for problem in examined.problems if problem.fatal]
        wrong_before = {problem.key for problem in examine(self.home, draft=self.before).problems if problem.fatal}
        new = [problem for problem in fatal if problem.key not in wrong_before]
        if new:
            raise UsageError(f"{new[0].key}: {new[0].message}.", hint=new[0].hint)
        message = tr("The configuration cannot be used.") + "\n" + "\n".join(map(str, fatal))
        raise ConfigError(message, hint=tr("Nothing was saved. Mend it in an editor: scrubjay config edit"))

    @property
    def diff(self) -> str:
        """The lines that would change, with those beside them; secrets are hidden."""

        def hide(option: re.Match[str]) -> str:
            value = option["value"]
            is_reference = value.strip("\"'").startswith("${") and ":-" not in value  # a default may be the secret
            is_harmless = is_reference or value in {'""', "''", "[]"}
            return option[0] if is_harmless else f"{option['name']}{option['colon']}{HIDDEN}"

        lines = difflib.unified_diff(self.before.splitlines(), self.text.splitlines(), lineterm="", n=1)
        text = "\n".join([*lines][2:])
        for config in (examine(self.home, draft=self.before).config, self.examined().config):
            for secret in secrets_of(config) if config else ():
                text = text.replace(secret, HIDDEN)
        return _SECRET.sub(hide, text)

    def save(self) -> bool:
        """Write the file at once, and keep the one before; False if there is nothing to change.

        Raises:
            ConfigError: the file was changed meanwhile by somebody else.
            OSError: the system refuses; the old file stays.
        """
        files = {self.home.config.with_name(dotted(key)): f"{value}\n" for key, value in self.secrets.items()}
        files = {path: value for path, value in files.items() if read_text(path) != value}
        if self.text == self.before and not files:
            return False
        if read_text(self.home.config) != self.before:
            message = tr("{file} was changed meanwhile, and nothing of this was saved.", file=self.home.config)
            raise ConfigError(message, hint=tr("Try again."))
        for path, value in files.items():  # first: a text that refers to a file that is not there cannot be used
            old = read_text(path)
            if old:
                put(path.with_name(f"{path.name}.previous"), old)
            put(path, value)
            path.chmod(PRIVATE_FILE)
        if self.before:
            put(self.home.config_previous, self.before)
        place = self.home.config.resolve()  # what a link leads to is changed, and the link stays
        put(place, self.text)
        if not self.before:
            place.chmod(PRIVATE_FILE)
        keep_good(self.home)
        self.before = self.text
        return True


def keep_good(home: Home) -> None:
    """Keep a copy of a home's configuration, which can be used."""
    text = read_text(home.config)
    if text:
        put(home.config_good, text)


def key_of(typed_in: str) -> Key:
    """The key that was typed, `agents.work.model.name`, or the new one of a retired name; raises `UsageError`."""
    options = Options(Config)
    key = current(tuple(int(step) if step.isdecimal() else step for step in typed_in.split(".")))
    for length in range(1, len(key) + 1):
        if options.option(key[:length]) is None:
            section = dotted(key[: length - 1])
            known = options.names(key[: length - 1])
            everywhere = [option.dotted for option in options if option.key[-1] == key[-1] and length == 1]
            guess = (
                tr('Did you mean "{option}"?', option=everywhere[0])
                if len(everywhere) == 1
                else did_you_mean(str(key[length - 1]), known)
            )
            here = tr("{section} has: {names}.", section=section or "config.yaml", names=", ".join(known))
            message = tr('There is no option "{option}".', option=typed_in)
            raise UsageError(message, hint=guess or (here if known else tr("See: scrubjay config example")))
    return key


def value_of(key: Key, typed_in: str) -> str:
    """What was typed for an option, as YAML.

    Text need not be in quotes, and a list may be words with commas between. What it may be is checked later.
    """
    options = Options(Config)
    return typed(typed_in if options.is_text(key) else parse_value(typed_in, is_list=options.is_list(key)))
