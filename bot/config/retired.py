"""Options that have another name now: understood when a configuration is read, and rewritten in its text."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass, replace

from bot.config.edit import parse, with_moved
from bot.config.schema import ANY_NAME
from bot.config.yaml_tree import Key, Tree, dotted


@dataclass(frozen=True, slots=True)
class Move:
    """A retired option that was found, under its old key; `is_set`: the new key is set as well, and counts."""

    old: Key
    new: Key
    is_set: bool = False


SINCE = "0.1.0"
"""The version from which the new names hold."""

_MODEL_NAMES = """
model -> name
model_name -> name
url -> base_url
baseUrl -> base_url
endpoint -> base_url
key -> api_key
apiKey -> api_key
context_window -> context_tokens
contextWindow -> context_tokens
max_tokens -> output_tokens
maxTokens -> output_tokens
"""
"""Within the section of a model."""

_IN_MODELS = "\n".join(
    f"{section}.{line.replace(' -> ', f' -> {section}.')}"
    for line in _MODEL_NAMES.strip().splitlines()
    for section in ("model", f"agents.{ANY_NAME}.model")
)

_NAMES = f"""
platforms.telegram -> telegram
platforms.discord -> discord
channels.telegram -> telegram
channels.discord -> discord
telegram.bot_token -> telegram.token
telegram.botToken -> telegram.token
discord.bot_token -> discord.token
discord.botToken -> discord.token
models.default -> model
llm -> model
{_IN_MODELS}
schedule -> jobs
logging -> log
log_level -> log.level
timezone -> owner.timezone
language -> owner.language
owner.zone -> owner.timezone
owner.tz -> owner.timezone
default_agent -> chat.agent
quiet_hours -> reminders.quiet
reminders.quiet_hours -> reminders.quiet
agents.{ANY_NAME}.description -> agents.{ANY_NAME}.about
agents.{ANY_NAME}.folder -> agents.{ANY_NAME}.workspace
agents.{ANY_NAME}.top_k -> agents.{ANY_NAME}.memory.recall.limit
memory.top_k -> memory.recall.limit
memory.embedding -> memory.embedder
memory.embeddings -> memory.embedder
memory.autoRecall -> memory.auto_recall.enabled
memory.autoCapture -> memory.auto_capture
session.reset.atHour -> session.reset.daily
session.reset.idleMinutes -> session.reset.idle_minutes
session.reset.at_hour -> session.reset.daily
"""
"""How drafts of this program, and programs that people come from, call what is here."""

RETIRED = tuple(
    (tuple(old.split(".")), tuple(new.split(".")))
    for old, new in (line.split(" -> ") for line in _NAMES.strip().splitlines())
)
"""Old and new keys, in the order in which they are looked for: a section that moves is in its new place before its
options are. `<name>` stands for a name of the user's choice, which the new key has, too."""


def rewritten(text: str) -> tuple[str, list[str]]:
    """Return the text with the new names, comments and order kept; raises `ConfigError` as `edit.with_options` does.

    Beside it a line for each change: `memory.top_k -> memory.recall.limit`.
    """
    changes = []
    for move in take_over(parse(text), {}):
        text = with_moved(text, move.old, move.new)
        changes.append(f"{dotted(move.old)} -> {dotted(move.new)}")
    return text, changes


def current(key: Key) -> Key:
    """The name that an option has now; the same if it is not retired."""
    for old, new in RETIRED:
        length = len(old)
        if len(key) < length or any(step not in (ANY_NAME, key[at]) for at, step in enumerate(old)):
            continue
        names = iter(key[at] for at, step in enumerate(old) if step == ANY_NAME)
        key = (*(next(names) if step == ANY_NAME else step for step in new), *key[length:])
    return key


def take_over(tree: Tree, variables: MutableMapping[Key, str]) -> Iterator[Move]:
    """Put what stands under retired names under the new ones, with the places where it was written.

    Args:
        tree: what the configuration says; changed.
        variables: which environment variable set which option; changed in the same way.

    Yields:
        Each move before it is made.
    """
    for pattern, target in RETIRED:
        for name, old in [*_matches(tree.root, pattern)]:
            new = tuple(name if step == ANY_NAME else step for step in target)
            yield from _moved(tree, variables, Move(old, new))
            for length in range(len(old) - 1, 0, -1):
                if tree.get(old[:length]) == {}:
                    tree.drop(old[:length])


def _matches(root: object, pattern: tuple[str, ...]) -> Iterator[tuple[str, Key]]:
    """The keys that fit, each with the name that stands in it where the user chooses one."""
    if not isinstance(root, dict):
        return
    step, rest = pattern[0], pattern[1:]
    for name in [*root] if step == ANY_NAME else [step]:
        if name not in root:
            continue
        if not rest:
            yield "", (name,)
        for inner, key in _matches(root[name], rest) if rest else ():
            yield (name if step == ANY_NAME else inner), (name, *key)


def _moved(tree: Tree, variables: MutableMapping[Key, str], move: Move) -> Iterator[Move]:
    """Move one option, or each of a section whose new place is not empty."""
    value, there = tree.get(move.old), tree.get(move.new)
    if isinstance(value, dict) and isinstance(there, dict):
        for name in [*value]:
            yield from _moved(tree, variables, replace(move, old=(*move.old, name), new=(*move.new, name)))
        tree.drop(move.old)
        return
    by_variable = move.old in variables and move.new not in variables  # a variable wins over the file
    is_set = there is not None and not by_variable
    yield replace(move, is_set=is_set)
    tree.drop(move.old)
    if is_set:
        return
    tree.put(move.new, value)
    length = len(move.old)
    for places in (tree.names, tree.values):
        places |= {(*move.new, *key[length:]): place for key, place in places.items() if key[:length] == move.old}
    for key in [key for key in variables if key[:length] == move.old]:
        variables[*move.new, *key[length:]] = variables.pop(key)
