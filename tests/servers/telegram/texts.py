"""Message texts as Telegram takes them: TDLib's own parser decides, offline, and gives the official error sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.servers.telegram.refusals import bad_request

TEXT_LIMIT = 4096
CAPTION_LIMIT = 1024
BYTES_LIMIT = 2**15

PARSE_MODES = {
    "markdown": {"@type": "textParseModeMarkdown", "version": 1},
    "markdownv2": {"@type": "textParseModeMarkdown", "version": 2},
    "html": {"@type": "textParseModeHTML"},
}
SPELLED_DIFFERENTLY = {
    "text_link": "TextUrl",
    "text_mention": "MentionName",
    "email": "EmailAddress",
    "blockquote": "BlockQuote",
    "expandable_blockquote": "ExpandableBlockQuote",
}


@dataclass(frozen=True, slots=True)
class FormattedText:
    """A text and its entities, both as the Bot API shows them; offsets are in UTF-16 units."""

    text: str
    entities: tuple[dict[str, Any], ...] = ()

    def as_content(self, name: str = "text") -> dict[str, Any]:
        """The message's fields: `text` and `entities`, or `caption` and `caption_entities`."""
        entities_name = "entities" if name == "text" else f"{name}_entities"
        return ({name: self.text} if self.text else {}) | (
            {entities_name: list(self.entities)} if self.entities else {}
        )


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


class Texts:
    """TDLib's parser. It keeps no state; one may serve many tests."""

    def __init__(self) -> None:
        import tdjson

        self._execute = tdjson.td_execute
        self._ask("setLogVerbosityLevel", new_verbosity_level=0)

    def formatted(self, text: str, parse_mode: str = "", entities: Sequence[Mapping[str, Any]] = ()) -> FormattedText:
        """What becomes of a bot's text: parsed, checked, stripped, links and commands found.

        Raises:
            Refused: TDLib does not take it.
        """
        if len(text.encode()) > BYTES_LIMIT:
            raise bad_request("Text is too long")
        mode = parse_mode.lower()
        if mode in {"", "none"}:
            known = [entity for entity in map(_to_tdlib, entities) if entity]
            self._ask("getMarkdownText", text={"@type": "formattedText", "text": text, "entities": known})
        elif mode in PARSE_MODES:
            parsed = self._ask("parseTextEntities", text=text, parse_mode=PARSE_MODES[mode])
            text, known = parsed["text"], parsed["entities"]
        else:
            raise bad_request("Unsupported parse_mode")
        return self._tidy(text, [_from_tdlib(entity) for entity in known if entity["length"] > 0])

    def message(self, text: str, parse_mode: str = "", entities: Sequence[Mapping[str, Any]] = ()) -> FormattedText:
        """As `formatted`, for a message's text: neither empty nor too long."""
        if not text:
            raise bad_request("Message text is empty")
        formatted = self.formatted(text, parse_mode, entities)
        if not formatted.text:
            raise bad_request("text must be non-empty")
        if utf16_length(formatted.text) > TEXT_LIMIT:
            raise bad_request("message is too long")
        return formatted

    def caption(self, text: str, parse_mode: str = "", entities: Sequence[Mapping[str, Any]] = ()) -> FormattedText:
        """As `formatted`, for a caption: not too long."""
        formatted = self.formatted(text, parse_mode, entities)
        if utf16_length(formatted.text) > CAPTION_LIMIT:
            raise bad_request("message caption is too long")
        return formatted

    def _tidy(self, text: str, entities: list[dict[str, Any]]) -> FormattedText:
        """White space goes from both ends, in front only up to the first entity; then what shows itself is found."""
        first = min((entity["offset"] for entity in entities), default=utf16_length(text))
        cut = min(len(text) - len(text.lstrip(" \n")), first)
        text = text[cut:].rstrip()
        length = utf16_length(text)
        moved = [{**entity, "offset": entity["offset"] - cut} for entity in entities if entity["offset"] - cut < length]
        kept = [{**entity, "length": min(entity["length"], length - entity["offset"])} for entity in moved]
        found = [entity for entity in self._found(text) if not _overlaps(entity, kept)]
        return FormattedText(
            text, tuple(sorted([*kept, *found], key=lambda entity: (entity["offset"], -entity["length"])))
        )

    def _found(self, text: str) -> list[dict[str, Any]]:
        """Links, mentions, commands, hashtags: what Telegram marks by itself."""
        return [_from_tdlib(entity) for entity in self._ask("getTextEntities", text=text)["entities"]]

    def _ask(self, function: str, **arguments: Any) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(
            self._execute(json.dumps({"@type": function, **arguments}).encode()) or b"{}"
        )
        if answer["@type"] == "error":
            raise bad_request(answer["message"])
        return answer


def _overlaps(entity: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> bool:
    end = entity["offset"] + entity["length"]
    return any(other["offset"] < end and entity["offset"] < other["offset"] + other["length"] for other in others)


def _to_tdlib(entity: Mapping[str, Any]) -> dict[str, Any] | None:
    name = entity["type"]
    tdlib: dict[str, Any] = {"@type": f"textEntityType{SPELLED_DIFFERENTLY.get(name) or _camel(name)}"}
    if name == "text_link":
        tdlib["url"] = entity.get("url", "")
    elif name == "text_mention":
        tdlib["user_id"] = entity.get("user", {}).get("id", 0)
    elif name == "custom_emoji":
        tdlib["custom_emoji_id"] = entity.get("custom_emoji_id", "0")
    elif name == "pre" and entity.get("language"):
        tdlib |= {"@type": "textEntityTypePreCode", "language": entity["language"]}
    elif name in {"mention", "hashtag", "cashtag", "bot_command", "url", "email", "phone_number"}:
        return None  # found by the server, whatever the bot says
    return {"@type": "textEntity", "offset": entity["offset"], "length": entity["length"], "type": tdlib}


def _from_tdlib(entity: Mapping[str, Any]) -> dict[str, Any]:
    kind = dict(entity["type"])
    name = kind.pop("@type").removeprefix("textEntityType")
    spelled = {theirs: ours for ours, theirs in SPELLED_DIFFERENTLY.items()} | {"PreCode": "pre"}
    shown: dict[str, Any] = {
        "type": spelled.get(name) or _snake(name),
        "offset": entity["offset"],
        "length": entity["length"],
    }
    if name == "MentionName":
        shown["user"] = {"id": kind["user_id"], "is_bot": False, "first_name": f"User {kind['user_id']}"}
    for key in ("url", "language", "custom_emoji_id"):
        if key in kind:
            shown[key] = kind[key]
    return shown


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
