"""Which language model a home gets: the ways to one, the questions about it, and the proof that it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from bot.cli.init import BACK
from bot.cli.invocation import Invocation
from bot.config.edit import with_options
from bot.config.loader import detected, examine
from bot.config.model import Config
from bot.config.providers import CLOUD, Found, ModelOptions
from bot.config.schema import typed, written
from bot.config.yaml_tree import Key
from bot.errors import BotError, UsageError
from bot.formatting import plural
from bot.llm.detection import models_of, servers, try_completion
from bot.llm.endpoint import Endpoint, endpoint_of
from bot.llm.errors import ModelError, Unauthorised, Unavailable

NONE = "0"
"""What is typed for no model."""

LISTED = 8
"""How many names of models are shown."""

LIST_S = 10.0
"""Seconds to wait for a list of models."""

FOUND_NONE = "No language model was found: nothing answers on this machine, and no provider's key is set."


@dataclass(frozen=True, slots=True)
class Choice:
    """A model as it will stand in the configuration.

    Attributes:
        name: what it is called where it runs; empty while that is not known.
        base_url: where that is; empty for the address that holds anyway.
        reference: `${VARIABLE}`, where its key is kept outside of the file.
        key: the key itself, where it is not.
    """

    name: str
    base_url: str = ""
    reference: str = ""
    key: str = ""

    def written_into(self, text: str) -> str:
        """A configuration's text with this model in it."""
        options: dict[Key, str] = {("model", "name"): written(self.name)}
        if self.base_url:
            options["model", "base_url"] = written(self.base_url)
        if self.key or self.reference:
            options["model", "api_key"] = written(self.key) if self.key else typed(self.reference)
        return with_options(text, options)


@dataclass(frozen=True, slots=True)
class ProvedModel:
    """A configuration with a model that has answered.

    Attributes:
        text: of the file.
        config: what it says.
        told: how the model did, in a sentence.
    """

    text: str
    config: Config
    told: str


def from_options(name: str, base_url: str | None, key_from: str | None) -> Choice:
    """What the options of `scrubjay init` say; a known provider whose key is set needs no `--key-from`."""
    wanted = base_url or ""
    if key_from:
        return Choice(name, wanted, f"${{{key_from}}}")
    for way in detected():
        if wanted and _host(wanted) == _host(way.provider.base_url):
            return Choice(name, wanted, way.api_key)
        if not wanted and way.provider.variable == CLOUD[0].variable:
            return Choice(name, way.provider.base_url, way.api_key)
    return Choice(name, wanted)


async def prove(run: Invocation, choice: Choice, text: str) -> ProvedModel:
    """Ask the model for a word, with the configuration as it would be saved.

    Raises:
        UsageError: what was chosen is not possible.
        ModelError: the model does not answer.
    """
    draft = choice.written_into(text)
    config = _checked(run, draft)
    return ProvedModel(draft, config, await ask(run, config.model))


async def ask(run: Invocation, options: ModelOptions) -> str:
    """Ask a model for a word and for a call; how it did, in a sentence.

    Raises:
        ModelError: it does not answer.
    """
    endpoint = endpoint_of(options)
    run.terminal.err(f"Asking {endpoint.label} for a word …")
    trial = await try_completion(endpoint, clock=run.clock)
    tools = {
        True: "and calls tools",
        False: "but called no tool when asked to, so it will not look into memory by itself; choose another if you can",
        None: "and whether it calls tools could not be found out",
    }[trial.calls_tools]
    return f"Model works: {endpoint.label} answered in {trial.ms / 1000:.1f} s {tools}."


async def choose(run: Invocation, text: str) -> ProvedModel | None:
    """Ask the person until a model answers, or none is wanted.

    Args:
        run: who asks.
        text: the configuration that the model would be added to.
    """
    run.terminal.err("\nLooking for language models …")
    ways = (*await servers(clock=run.clock), *detected())
    while True:
        wanted = _menu(run, ways)
        if wanted is None:
            return None
        try:
            choice = await _details(run, wanted)
            if choice.name != BACK:
                return await prove(run, choice, text)
        except BotError as error:
            run.terminal.err(f"error: {error.message}")
            run.terminal.err(error.hint)


def _menu(run: Invocation, ways: Sequence[Found]) -> Found | Choice | None:
    """The way that was chosen: one that was found, an address that was typed, or none."""
    say = run.terminal.err
    say("A language model turns memory into conversation; memory works without one, too." if ways else FOUND_NONE)
    for number, way in enumerate(ways, 1):
        say(f"  {number}  {_describe(way)}")
    say(f"  {len(ways) + 1}  another address")
    say(f"  {NONE}  none: answers are quotes from memory")
    local = NONE  # proposed is only a model to which what is said stays on this machine
    for number, way in reversed([*enumerate(ways, 1)]):
        if Endpoint(model="", base_url=way.provider.base_url).is_local:
            local = str(number)
    allowed = [str(number) for number in range(len(ways) + 2)]
    while (typed_in := run.terminal.ask("Which one?", default=local)) not in allowed:
        say(f"A number from 0 to {len(ways) + 1}, please.")
    if typed_in == NONE:
        return None
    number = int(typed_in)
    if number <= len(ways):
        return ways[number - 1]
    address = run.terminal.ask("Its address?", default="http://localhost:11434/v1")
    key = run.terminal.ask("Its key? (it stays invisible; Enter for none)", secret=True)
    return Choice("", address, key=key)


async def _details(run: Invocation, way: Found | Choice) -> Choice:
    """The choice with the model's name, of those that the endpoint offers.

    Raises:
        UsageError: the address is none.
        ModelError: nothing is there, or the key is refused.
    """
    choice = way if isinstance(way, Choice) else Choice("", way.provider.base_url, way.api_key)
    endpoint = endpoint_of(_checked(run, choice.written_into("")).model)
    offered = way.models if isinstance(way, Found) and way.models else await _offered(run, endpoint)
    if offered:
        more = f" and {len(offered) - LISTED} more" if len(offered) > LISTED else ""
        run.terminal.err(f"It offers {', '.join(offered[:LISTED])}{more}.")
    proposed = replace(way, models=offered).proposal if isinstance(way, Found) else ""
    if not proposed and endpoint.is_local:
        proposed = next(iter(offered), "")
    name = ""
    while not name:
        name = run.terminal.ask(f"Which model? ({BACK} goes back)", default=proposed)
    return replace(choice, name=name)


async def _offered(run: Invocation, endpoint: Endpoint) -> tuple[str, ...]:
    """What an endpoint offers; nothing where it does not tell, since a completion can work all the same."""
    try:
        return await models_of(replace(endpoint, model="", read_s=LIST_S), clock=run.clock)
    except (Unauthorised, Unavailable):
        raise
    except ModelError:
        return ()


def _checked(run: Invocation, draft: str) -> Config:
    """What a configuration says that has not been saved yet."""
    found = examine(run.home, draft=draft)
    for problem in found.problems:
        if problem.fatal:
            raise UsageError(f"{problem.key}: {problem.message}.", hint=problem.hint)
    return found.config or Config()


def _describe(way: Found) -> str:
    if way.provider.variable:
        host = _host(way.provider.base_url)
        return f"{way.provider.name}, with the key in {way.provider.variable} (what you say goes to {host})"
    return f"{way.provider.name} on this machine, {plural(len(way.models), 'model')}"


def _host(address: str) -> str:
    return urlsplit(address).netloc
