"""What a tool is: a typed function with a docstring, from which its schema is made."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

from docstring_parser import parse
from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.fields import FieldInfo

from bot.llm import types
from bot.storage.coordinator import Coordinator
from bot.turn import Turn
from memory import Origin
from memory.errors import Conflict, FilterRefused, NotFound, PathRefused, SecretFound, TooLarge, Unparsable, Unreadable
from memory.privacy.secrets import mask_values, values_in

ASK_FOR_SECRETS = "Only the person may decide that: ask them to type it after `/remember`, which asks them back."

OWNERS_OWN = frozenset({"agents.md", "soul.md", "identity.md"})
"""The agent's rules and persona: edited by the owner, by hand."""

ON_REQUEST = frozenset({"memory.md", "user.md"})
"""What stands before every private conversation: the agent writes there only what it is asked to."""

MISTAKES = (Conflict, FilterRefused, NotFound, SecretFound, TooLarge, Unparsable)
"""What memory refuses because of what it was given: the model alone is told, and can do it in another way."""

OF_PATHS = (*MISTAKES, PathRefused, Unreadable)
"""The same where a path was given. A log that cannot be written, which no call has named, is for the person to mend."""

_LOG = re.compile(r"memory/(?:guests/)?\d{4}-\d\d-\d\d[^/]*\.md", re.IGNORECASE)


class ToolError(Exception):
    """The tool cannot do that; the message says why and what would work, in words for the model."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool call came to.

    Attributes:
        text: for the model.
        origins: where the texts in it come from; foreign ones taint the turn.
        told: lines that the person is shown, printed by code after the fact.
        files: what goes out with the answer.
    """

    text: str
    origins: frozenset[Origin] = frozenset()
    told: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """One tool call being carried out: in which turn, and under which id its writes are known."""

    turn: Turn
    op_id: str

    @property
    def actor(self) -> str:
        """Who writes, for the journal."""
        return self.turn.delegate

    def check_secrets(self, text: str) -> None:
        """Refuse to write what repeats a secret that was told in this turn, in whatever words; raises `ToolError`."""
        if mask_values(text, values_in(self.turn.text)) != text:
            raise ToolError(f"Nothing was written: the person has just told this as a secret. {ASK_FOR_SECRETS}")


Run = Callable[..., Awaitable[Result]]


@dataclass(frozen=True, slots=True)
class Signature:
    """What may be given to a function, without its first parameter.

    Attributes:
        arguments: checks and converts what a model sends.
        offer: the function as a request offers it: name, help and schema.
    """

    arguments: type[BaseModel]
    offer: types.Tool

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments as the function takes them; raises `ToolError` if they do not fit.

        `null` is how some models leave an argument out.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            checked = self.arguments.model_validate(given)
        except ValidationError as error:
            faults = [f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}" for one in error.errors()]
            raise ToolError(f"The arguments do not fit: {'; '.join(faults)}.") from error
        return {name: getattr(checked, name) for name in type(checked).model_fields}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool.

    Attributes:
        name: as the model calls it.
        run: carries it out, given `Work` and the arguments.
        changes: it writes something; then it is journalled before and after.
        only_adds: what it changes undoes no other call.
        doing: what a person is told while it runs.
        not_done: what they are told, whatever the model says, if nothing came of it; empty where nothing need come.
    """

    name: str
    run: Run
    changes: bool
    only_adds: bool
    doing: str
    not_done: str
    signature: Signature

    async def call(self, work: Work, arguments: Mapping[str, Any]) -> Result:
        """Check the arguments and run; raises `ToolError` if they do not fit, or the tool or memory says so."""
        mistakes = OF_PATHS if "path" in arguments else MISTAKES
        try:
            return await self.run(work, **self.signature.check(arguments))
        except mistakes as error:
            raise ToolError(str(error)) from error


def tool(run: Run, *, doing: str, changes: bool = False, only_adds: bool = False, not_done: str = "") -> Tool:
    """Make a tool of a function: its name, its schema and its help come from signature and docstring."""
    return Tool(run.__name__, run, changes, only_adds, doing, not_done, read_signature(run))


def read_signature(run: Callable[..., object]) -> Signature:
    """Read name, schema and help of a function from its signature and docstring.

    A parameter is renamed for the model by `Annotated[..., Field(alias="maxResults")]`.
    """
    documented = parse(inspect.getdoc(run) or "")
    help_of = {parameter.arg_name: parameter.description or "" for parameter in documented.params}
    hints = get_type_hints(run, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in list(inspect.signature(run).parameters.items())[1:]:
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[name] = (hints[name], FieldInfo(default=default, description=" ".join(help_of.get(name, "").split())))
    arguments = create_model(run.__name__, __config__=ConfigDict(extra="forbid", populate_by_name=True), **fields)
    parts = (documented.short_description, documented.long_description)
    description = " ".join(" ".join(filter(None, parts)).split())
    schema = arguments.model_json_schema(by_alias=True)
    for titled in (schema, *schema.get("properties", {}).values()):
        titled.pop("title", None)
    return Signature(arguments, types.Tool(run.__name__, description, schema))


def as_json(value: object) -> str:
    """Return a result as JSON that keeps its characters."""
    return json.dumps(value, ensure_ascii=False)


def transcripts_of(turn: Turn) -> Coordinator:
    """Return where the conversations of a turn's agent are; raises `ToolError` if they cannot be read here."""
    if turn.agent.transcripts is None or not turn.is_owners:
        raise ToolError("Conversations cannot be read here.")
    return turn.agent.transcripts


def check_writable(turn: Turn, path: str, *, adds: bool) -> None:
    """Refuse to write a file that agents must not write, or not in this turn.

    Raises:
        ToolError: the file is the owner's own, is changed only when they name it, is only added to, or no Markdown.
    """
    name = path.casefold()
    if name in OWNERS_OWN:
        raise ToolError(f"{path} is edited by the owner alone. Propose the change in your answer.")
    if name in ON_REQUEST and not (turn.principal.is_owner and name in turn.text.casefold()):
        raise ToolError(
            f"{path} is changed only when the owner's own message names it. Use remember, or propose the change in "
            f'your answer: they can say "put it into {path}".'
        )
    if not adds and _LOG.fullmatch(path):
        raise ToolError(f"{path} is a log: it is only added to. To take a fact out, use forget.")
    if not path.endswith(".md"):
        raise ToolError(f"{path} is no Markdown file. Only files that end in .md are written.")
