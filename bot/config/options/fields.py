"""Sections of the configuration, and kinds of values with rules of their own."""

from __future__ import annotations

import ast
import inspect
import sys
from collections import defaultdict
from functools import cache
from ipaddress import ip_address
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from bot.texts.formatting import did_you_mean

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema


class Section(BaseModel):
    """Options that belong together. An option without a value (`limit:`) counts as left out.

    What stands as a text below an option is its description in the JSON schema.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, given: object) -> object:
        if isinstance(given, dict):
            return {key: value for key, value in given.items() if value is not None or key not in cls.model_fields}
        return {} if given is None else given

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe the options; pydantic's `use_attribute_docstrings` would read all sources at every start."""
        schema = handler.resolve_ref_schema(handler(core_schema))
        sections = [section for section in reversed(cls.__mro__) if issubclass(section, Section)]
        for section in sections:
            for option, text in _descriptions(section.__module__).get(section.__name__, {}).items():
                schema["properties"][option]["description"] = text
        return schema


@cache
def _descriptions(module: str) -> dict[str, dict[str, str]]:
    """Return the texts below the attributes of a module's classes, by class and attribute."""
    found = defaultdict[str, dict[str, str]](dict)
    for node in ast.parse(inspect.getsource(sys.modules[module])).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for statements in pairwise(node.body):
            match statements:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    found[node.name][name] = " ".join(text.split())
    return found


S = TypeVar("S", bound=Section)


def merged(common: S, own: S | None) -> S:
    """Return the options of all with those in their place that one has of its own."""
    return common.model_copy(update={name: getattr(own, name) for name in own.model_fields_set}) if own else common


def refuse(allowed: str = "", *, hint: str = "", at: str = "") -> PydanticCustomError:
    """An error of ours as pydantic wants it.

    Args:
        allowed: completes "found X, allowed ..."; what the option declares if left out.
        at: the option that is meant, dotted, where a check over several of them finds one wrong.
    """
    return PydanticCustomError("refused", "{allowed}", {"allowed": allowed, "hint": hint, "at": at})


def _not_a_switch(given: object) -> object:
    if isinstance(given, bool):
        raise refuse()
    return given


Whole = Annotated[int, BeforeValidator(_not_a_switch)]
"""A whole number; `true` is not one."""

Seconds = Annotated[float, BeforeValidator(_not_a_switch), Field(gt=0, le=3600)]
"""A span of time; `true` is not one."""


WEB_ADDRESS = "an address that begins with http:// or https://"


def is_local(address: str) -> bool:
    """Whether an address is one of this machine."""
    name = urlsplit(address).hostname or ""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")


def strip_text(given: object) -> object:
    """Take away the white space around what was pasted, such as the line break behind a key."""
    return given.strip() if isinstance(given, str) else given


def _address(given: str) -> str:
    allowed = "an address such as https://api.openai.com/v1 or http://localhost:11434/v1"
    try:
        parts = urlsplit(given)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise refuse(allowed, hint=str(error)) from error
    if parts.scheme not in {"http", "https"} or not host or any(sign.isspace() for sign in given):
        # what runs on this machine is seldom encrypted
        guess = f"{'http' if is_local(f'http://{given}') else 'https'}://{given}"
        raise refuse(allowed, hint=f"Did you mean {guess} ?" if given and "://" not in given else "")
    if "@" in parts.netloc:
        raise refuse(f"{allowed}, without a password in it", hint="Put the key into api_key.")
    if parts.query or parts.fragment:
        raise refuse(f"{allowed}, without ? and #")
    return given.rstrip("/")


def _key(given: SecretStr) -> SecretStr:
    key = given.get_secret_value()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise refuse("a key without spaces, line breaks and special signs", hint="Copy it again from the provider.")
    return given


def zone_called(name: str) -> ZoneInfo:
    """Return a time zone; raises what `refuse` makes if none has the name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise refuse(hint=did_you_mean(name.replace(" ", "_"), available_timezones())) from error


def _path(given: Path) -> Path:
    try:
        given.expanduser().resolve()
    except (RuntimeError, ValueError) as error:
        raise refuse("a path", hint=f"{error}") from error
    return given


Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,31}$")]
"""What an agent or an extra folder is called, and a folder on the disk with it."""

FilePath = Annotated[Path, AfterValidator(_path)]
"""A path of which it can be said where it leads: that of a `~name` needs a user of that name."""

Address = Annotated[
    str,
    BeforeValidator(strip_text),
    AfterValidator(_address),
    WithJsonSchema({"type": "string", "allowed": WEB_ADDRESS}),
]
"""Where an endpoint is reached, without a slash at the end."""

Key = Annotated[SecretStr, BeforeValidator(strip_text), AfterValidator(_key)]
"""What an endpoint lets one in with; empty for those that want none."""
