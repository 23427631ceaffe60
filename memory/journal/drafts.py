"""Records of changes, drafted from what the files hold at this moment: each function returns `begun`, completed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from memory.errors import Conflict, Unparsable
from memory.files.markdown import split_lines
from memory.files.notation import forgotten_line
from memory.files.origins import Part, declared_origin, join_parts, own_lines, with_property
from memory.files.workspace import decode_text, state
from memory.journal.edits import decode, encode, find_lines, line_start
from memory.journal.placement import RETAIN_HEADING, Placement, is_log
from memory.journal.records import Record
from memory.types import Fact, Line, Origin

ReadFacts = Callable[[str, str], Iterable[Fact]]
"""Reads the facts of a page (its path, its text) as recall does, in order."""
SHORT = 100_000
"""Bytes of a page that is surely read to its end."""


def bare_id(line: Line) -> str:
    """Return the id of a line without `^`."""
    return line.id.removeprefix("^")


def find_shown(line: Line, content: bytes | None) -> tuple[int, int]:
    """Return the first and last byte (excluded) of a line that was shown.

    Raises:
        Conflict: it is not what it was.
    """
    span = find_lines(content, encode(line.text), line_start(content, line.number)) if content is not None else None
    if span is None and content is not None:  # what is no UTF-8 was shown in other bytes
        start, after = (line_start(content, line.number + n) for n in (0, line.text.count("\n") + 1))
        end = start + len(content[start:after].rstrip(b"\r\n"))
        shown, _ = decode_text(content[start:end], line.path)
        span = (start, end) if shown.replace("\r\n", "\n") == line.text else None
    if span is None:
        raise Conflict(f"{line.path}:{line.number} is not what it was when it was shown.", hint="Ask for it again.")
    return span


def forget_record(begun: Record, line: Line, content: bytes | None) -> Record:
    """Put a comment in the place of each line of the fact; raises as `find_shown` does."""
    start, end = find_shown(line, content)
    before = decode((content or b"")[start:end])
    marks = [forgotten_line(bare_id(line))] * (before.count("\n") + 1)
    return replace(
        begun,
        target=bare_id(line),
        path=line.path,
        offset=start,
        before=before,
        after="\n".join(marks),
        base=state(content),
    )


def append_record(begun: Record, path: str, text: str, content: bytes | None) -> Record:
    """Add a text at the end of the file, on lines of its own."""
    is_torn = content and not content.endswith(b"\n") and not text.startswith("\n")
    after = f"\n{text}" if is_torn else text
    return replace(begun, path=path, offset=len(content or b""), after=after, base=state(content))


def append_parts_record(begun: Record, path: str, parts: Sequence[Part], content: bytes | None) -> Record:
    """Add pieces of several origins at the end of the file; a new file with words of others declares it.

    Raises:
        Conflict: words of others would come into a file that is the owner's.
    """
    body = join_parts(parts)
    declares = declared_origin(split_lines(decode(content or b""))) is not None
    if begun.origin.is_foreign and not declares:
        if content:
            message = f"{path} exists already, and words of others are kept in files of their own."
            raise Conflict(message, hint="Choose another name.")
        body, declares = with_property(body), True
    return append_record(replace(begun, lines=own_lines(parts) if declares else ()), path, body, content)


def replace_record(begun: Record, path: str, text: str, expected: str, content: bytes | None) -> Record:
    """Give the whole file another content. Only the owner can take away that it declares to have words of others.

    Raises:
        Conflict: the file is not in the `state` from which the new content was made.
    """
    if state(content) != expected:
        raise Conflict(f"{path} has been changed meanwhile.", hint="Read it again and make the change anew.")
    before = None if content is None else decode(content)
    is_foreign = begun.origin.is_foreign or (
        begun.origin is not Origin.OWNER and declared_origin(split_lines(before or "")) is not None
    )
    if is_foreign and declared_origin(split_lines(text)) is None:
        text = with_property(text)
    return replace(begun, path=path, before=before, after=text, base=state(content))


class FactDrafts:
    """Drafts records of new facts, each at the end of a page: only what recall would read back to the letter.

    A page that is as the last fact has left it need not be read again: a further bullet of one line stands in the same
    section, and nothing above can be read in another way because of it, unless it ends a comment.
    """

    def __init__(self, read_facts: ReadFacts) -> None:
        self._read_facts = read_facts
        self._ending: tuple[str, bytes] | None = None

    def keep_ending(self, path: str, content: bytes | None) -> None:
        """Note that a page, if its content is known, ends with the fact that was drafted last."""
        self._ending = (path, content) if content is not None else None

    def draft(self, begun: Record, fact: Fact, lines: str, place: Placement, content: bytes | None) -> Record:
        """Return a record that appends a fact, as these lines, to a page with this content; None for no page yet.

        Raises:
            Unparsable: it could not be read back.
        """
        path = place.path
        is_plain = is_log(path) and not any(sign in lines for sign in ("\n", "\r", "-->"))
        if is_plain and len(content or b"") < SHORT and self._ending == (path, content):
            page = RETAIN_HEADING
            record = append_record(begun, path, f"{lines}\n", content)
        else:
            page, _ = decode_text(content or b"", path)
            entry = place.format_entry(lines, None if content is None else page, id=fact.id)
            record = append_record(begun, path, entry, content)
        read = [*self._read_facts(path, page + (record.after or ""))]
        if not read or (read[-1].text, read[-1].id) != (fact.text, fact.id):
            message = f"this text could not be read back to the letter from {path}; nothing was noted."
            raise Unparsable(message, hint="Save it as a file of the workspace instead.")
        return record
