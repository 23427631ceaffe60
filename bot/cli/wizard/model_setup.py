"""Which language model a home gets: the ways to one, the questions about it, and the proof that it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from bot.cli.invocation import Invocation
from bot.cli.wizard.questions import BACK, GoBack
from bot.config.draft import Draft
from bot.config.options.providers import CLOUD, ModelOptions, ModelSource, with_keys
from bot.config.schema import typed, written
from bot.config.yaml_tree import Key
from bot.errors import BotError
from bot.llm.detection import models_of, servers, try_completion
from bot.llm.endpoint import Endpoint, endpoint_of
from bot.llm.errors import ModelError, Unauthorised, Unavailable
from bot.texts.catalogue import tr, trn

NONE = "0"
"""What is typed for no model."""

LISTED = 8
"""How many names of models are shown."""

LIST_S = 10.0
"""Seconds to wait for a list of models."""


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

    def put_into(self, draft: Draft) -> None:
        """Set this model in a configuration that is not saved yet; a key goes into a file of its own."""
        options: dict[Key, str] = {("model", "name"): written(self.name)}
        if self.base_url:
            options["model", "base_url"] = written(self.base_url)
        if self.reference:
            options["model", "api_key"] = typed(self.reference)
        draft.set(options)
        if self.key:
            draft.set_secret(("model", "api_key"), self.key)


def from_options(name: str, base_url: str | None, key_from: str | None) -> Choice:
    """What the options of `scrubjay init` say; a known provider whose key is set needs no `--key-from`."""
    wanted = base_url or ""
    if key_from:
        return Choice(name, wanted, f"${{{key_from}}}")
    for way in with_keys():
        if wanted and _host(wanted) == _host(way.provider.base_url):
            return Choice(name, wanted, way.api_key)
        if not wanted and way.provider.variable == CLOUD[0].variable:
            return Choice(name, way.provider.base_url, way.api_key)
    return Choice(name, wanted)


async def prove(run: Invocation, choice: Choice, draft: Draft) -> str:
    """Set a model in a draft, and ask it for a word as it would be saved; the draft is as it was if that fails.

    Returns:
        How the model did, in a sentence.

    Raises:
        UsageError: what was chosen is not possible.
        ModelError: the model does not answer.
    """
    with draft.trial():
        choice.put_into(draft)
        return await ask(run, draft.checked().model)


async def ask(run: Invocation, options: ModelOptions) -> str:
    """Ask a model for a word and a call; how it did, in a sentence. Raises `ModelError` if it does not answer."""
    endpoint = endpoint_of(options)
    run.terminal.err(tr("Asking {model} for a word …", model=endpoint.label))
    trial = await try_completion(endpoint, clock=run.clock)
    works = tr("Model works: {model} answered in {seconds} s", model=endpoint.label, seconds=f"{trial.ms / 1000:.1f}")
    tools = {
        True: tr("and calls tools"),
        False: tr(
            "but called no tool when asked to, so it will not look into memory by itself; choose another if you can"
        ),
        None: tr("and whether it calls tools could not be found out"),
    }[trial.calls_tools]
    return f"{works} {tools}."


async def choose(run: Invocation, draft: Draft) -> str:
    """Ask until a model answers and is in the draft, or none is wanted; how it did, in a sentence, empty without one.

    Raises:
        GoBack: they want to go back to the question before.
    """
    run.terminal.err(tr("Looking for language models …"))
    ways = (*await servers(clock=run.clock), *with_keys())
    while True:
        wanted = _menu(run, ways)
        if wanted is None:
            return ""
        try:
            choice = await _details(run, draft, wanted)
            if choice.name != BACK:
                return await prove(run, choice, draft)
        except BotError as error:
            run.terminal.err(tr("error: {message}", message=error.message))
            run.terminal.err(error.hint)


def _menu(run: Invocation, ways: Sequence[ModelSource]) -> ModelSource | Choice | None:
    """The way that was chosen: one that was found, an address that was typed, or none."""
    say = run.terminal.err
    if ways:
        say(tr("A language model turns memory into conversation; memory works without one, too."))
    else:
        say(tr("No language model was found: nothing answers on this machine, and no provider's key is set."))
    for number, label in enumerate([*map(_describe, ways), tr("another address")], 1):
        say(f"  {number}  {label}")
    none = tr("none: answers are quotes from memory")
    say(f"  {NONE}  {none}")
    # proposed is only a model to which what is said stays on this machine
    near = (n for n, way in enumerate(ways, 1) if Endpoint(model="", base_url=way.provider.base_url).is_local)
    local = str(next(near, NONE))
    allowed = [str(number) for number in range(len(ways) + 2)]
    while (typed_in := run.terminal.ask(tr("Which one?"), default=local)) not in allowed:
        if typed_in == BACK:
            raise GoBack
        say(tr("A number from 0 to {most}, please.", most=len(ways) + 1))
    if typed_in == NONE:
        return None
    number = int(typed_in)
    if number <= len(ways):
        return ways[number - 1]
    address = run.terminal.ask(tr("Its address?"), default="http://localhost:11434/v1")
    key = run.terminal.ask(tr("Its key? (it stays invisible; Enter for none)"), secret=True)
    return Choice("", address, key=key)


async def _details(run: Invocation, draft: Draft, way: ModelSource | Choice) -> Choice:
    """The choice with the model's name, of those that the endpoint offers.

    Raises:
        UsageError: the address is none.
        ModelError: nothing is there, or the key is refused.
    """
    choice = way if isinstance(way, Choice) else Choice("", way.provider.base_url, way.api_key)
    with draft.trial(keep=False):
        choice.put_into(draft)
        endpoint = endpoint_of(draft.checked().model)
    offered = way.models if isinstance(way, ModelSource) and way.models else await _offered(run, endpoint)
    if offered:
        names, count = ", ".join(offered[:LISTED]), len(offered) - LISTED
        more = trn("It offers {names} and {count} more.", "It offers {names} and {count} more.", count, names=names)
        run.terminal.err(more if count > 0 else tr("It offers {names}.", names=names))
    proposed = replace(way, models=offered).proposal if isinstance(way, ModelSource) else ""
    if not proposed and endpoint.is_local:
        proposed = next(iter(offered), "")
    name = ""
    while not name:
        name = run.terminal.ask(tr("Which model? ({back} goes back)", back=BACK), default=proposed)
    return replace(choice, name=name)


async def _offered(run: Invocation, endpoint: Endpoint) -> tuple[str, ...]:
    """What an endpoint offers; nothing where it does not tell, since a completion can work all the same."""
    try:
        return await models_of(replace(endpoint, model="", read_s=LIST_S), clock=run.clock)
    except (Unauthorised, Unavailable):
        raise
    except ModelError:
        return ()


def _describe(way: ModelSource) -> str:
    if way.provider.variable:
        return tr(
            "{provider}, with the key in {variable} (what you say goes to {host})",
            provider=way.provider.name,
            variable=way.provider.variable,
            host=_host(way.provider.base_url),
        )
    return trn(
        "{provider} on this machine, {count} model",
        "{provider} on this machine, {count} models",
        len(way.models),
        provider=way.provider.name,
    )


def _host(address: str) -> str:
    return urlsplit(address).netloc
