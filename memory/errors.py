"""What can go wrong in the memory library, one class per cause."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self


class Error(Exception):
    """A message in three parts: what happened, where, and (as `hint`) what to do about it."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class PathRefused(Error):
    """A name outside the grammar, a path that leaves the workspace, a link, or something that is not a regular file."""


class NotFound(Error):
    """No file, fact or record by that name."""


class Unreadable(Error):
    """A file whose bytes are not the UTF-8 text that Markdown is made of, or that the system will not open."""


class Unparsable(Error):
    """A fact that is malformed or says nothing; `column` is the 1-based place in its line, 0 where there is none."""

    def __init__(self, reason: str, *, column: int = 0, hint: str = "") -> None:
        super().__init__(f"Column {column}: {reason}" if column else reason[:1].upper() + reason[1:], hint=hint)
        self.reason = reason
        self.column = column


class FilterRefused(Error):
    """An option that narrows a question is misspelt, has no value, or one that it does not take."""


class TooLarge(Error):
    """A file or a text above its limit."""


class SecretFound(Error):
    """A text that holds what looks like a secret, which nobody has agreed to keep; nothing was written.

    Attributes:
        kinds: what it looks like: `password`, `key`, `card`, `account`, `seed`.
        values: the secrets themselves, to be masked wherever the text was recorded; never shown or logged.
        is_registered: one of them is a secret of the configuration, which is never kept.
    """

    kinds: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    is_registered: bool = False

    @classmethod
    def of(cls, kinds: Iterable[str], values: Iterable[str]) -> Self:
        """Return the error for secrets of these kinds; without a kind they are the configuration's own."""
        error = cls("Nothing was noted.")
        error.kinds, error.values = tuple(kinds), tuple(values)
        error.is_registered = not error.kinds
        error.hint = "Leave it out." if error.is_registered else "Leave it out, or say that it is to be kept."
        error.message = f"Nothing was noted: this looks like it holds {error.what}."
        return error

    @property
    def what(self) -> str:
        """What it looks like, in words for a person."""
        return " and ".join(_SECRETS[kind] for kind in self.kinds) or "a secret of your configuration"


_SECRETS = {
    "password": "a password",
    "key": "a key or token",
    "card": "a card number",
    "account": "a bank account number",
    "seed": "the words of a wallet",
}


class Conflict(Error):
    """The file is no longer what it was when its new content was computed; nothing was written."""


class WriteFailed(Error):
    """The system refused to write: disk full, read-only folder, failing device. Nothing was acknowledged."""


class JournalBroken(Error):
    """A record in the middle of the journal is missing, altered or unreadable."""


class IndexBroken(Error):
    """The derived index is damaged. It holds nothing of its own and is rebuilt from the files."""


class Busy(Error):
    """Another process holds the workspace's lock."""


class NotYours(Error):
    """A fact that somebody else wrote: in a chat of several people each takes away their own."""


class NotUndoable(Error):
    """There is nothing to undo, or the text that would be put back has been changed by hand."""


class Expired(Error):
    """A preview was confirmed too late, by somebody else, or after the lines had changed."""


class Undecided(Error):
    """Words found several facts, and a confirmation did not say which of them are to be forgotten."""


class EmbedderUnavailable(Error):
    """Weights, a package or the converted model are missing, changed or unreadable, so nothing can be embedded here."""


class EmbedderBroken(Error):
    """The embedder failed its self-test: its vectors are not what they must be, so none of them may be used."""


class EmbeddingFailed(Error):
    """The endpoint did not answer with vectors within the deadline. What was yielded before stands; try again later.

    `retry_after_s` is the wait in seconds that the endpoint asked for; None when it named none.
    """

    def __init__(self, message: str, *, hint: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s


class TextRefused(Error):
    """The endpoint refuses the text at the resume point, whenever it is asked. Leave that text to the words."""


class VectorRefused(Error):
    """A vector with a NaN or an infinity, without a direction, or of another size than its neighbours."""


class BackendUnavailable(Error):
    """A way of searching vectors was asked for by name, and its library or extension cannot be loaded."""


class WriterFailed(Error):
    """The language model did not answer; what rules can do without it still holds."""
