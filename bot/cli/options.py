"""The arguments that many commands share, and how what was typed is understood."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

from cyclopts import Parameter

from bot.cli.invocation import Invocation
from bot.errors import UsageError

if TYPE_CHECKING:
    from memory import Scope

Run: TypeAlias = Annotated[Invocation, Parameter(parse=False)]
"""How a command asks for its invocation."""

AgentOption: TypeAlias = Annotated[
    str | None, Parameter(name=("--agent", "-a"), metavar="NAME", help="Whose memory; the default agent if left out.")
]
JsonOption: TypeAlias = Annotated[bool, Parameter(help="Print one JSON object instead of text.")]
ScopeOption: TypeAlias = Annotated[
    str, Parameter(metavar="SCOPE", help="Whose facts: owner, or chat:<id> for one group or guest.")
]
LimitOption: TypeAlias = Annotated[
    int | None, Parameter(name=("--limit", "-n"), metavar="N", help="How many passages at most, 1 to 50.")
]
WordsOption: TypeAlias = Annotated[
    bool, Parameter(help="Search words alone: nothing that meaning needs is loaded, which is faster.")
]
NoInputOption: TypeAlias = Annotated[bool, Parameter(help="Never ask; fail where an answer would be needed.")]
YesOption: TypeAlias = Annotated[bool, Parameter(name=("--yes", "-y"), help="Do it without asking.")]


def scope_of(written: str) -> Scope:
    """A scope as typed.

    Raises:
        UsageError: it is neither `owner` nor `chat:<id>`.
    """
    from memory import OWNER, chat_scope

    if written == OWNER:
        return OWNER
    kind, _, chat = written.partition(":")
    if kind != "chat" or not chat:
        raise UsageError(f'"{written}" is not a scope.', hint="Write owner, or chat:<id> (see /whoami in the chat).")
    return chat_scope(chat)


def joined(words: Sequence[str]) -> str:
    """The words of a question or statement, which need no quotes.

    Raises:
        UsageError: bytes that are not UTF-8 text.
    """
    text = " ".join(words).strip()
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError("What was typed is not UTF-8 text.", hint="Check the terminal's character set.") from error
    return text
