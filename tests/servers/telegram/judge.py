"""Whether a request or an answer is what Bot API 10.3 allows: the verdict of aiogram's models.

Importing aiogram takes some three seconds, so that it happens once, when the first judge is made.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from types import UnionType
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError

if TYPE_CHECKING:
    from aiogram.methods import TelegramMethod

INTEGER = re.compile(r"-?\d+")


class Judge:
    """Reads requests as the Bot API would, and lists what is wrong with them."""

    def __init__(self) -> None:
        import aiogram.methods
        import aiogram.types

        methods = [
            method
            for method in (getattr(aiogram.methods, name) for name in aiogram.methods.__all__)
            if isinstance(method.__dict__.get("__api_method__"), str)
        ]
        self._methods: dict[str, type[TelegramMethod[Any]]] = {
            method.__api_method__.lower(): method for method in methods
        }
        self._spellings = {method.__api_method__.lower(): str(method.__api_method__) for method in methods}
        self._update: type[BaseModel] = aiogram.types.Update
        self._answers: dict[str, TypeAdapter[Any]] = {}

    def knows(self, method: str) -> bool:
        """Whether the Bot API has this method; case does not matter."""
        return method.lower() in self._methods

    def spelling(self, method: str) -> str:
        """The method's name as documented."""
        return self._spellings.get(method.lower(), method)

    def arguments(self, method: str, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as JSON values: what came as text in a form is decoded by the type that it should have."""
        fields = self._methods[method.lower()].model_fields
        return {name: _decode(value, fields[name].annotation if name in fields else str) for name, value in raw.items()}

    def faults_of_request(self, method: str, arguments: Mapping[str, Any]) -> list[str]:
        """Unknown, missing, ill-typed and deprecated fields of a decoded request."""
        model = self._methods[method.lower()]
        deprecated = [
            f"{name} is deprecated"
            for name, field in model.model_fields.items()
            if name in arguments
            and isinstance(field.json_schema_extra, dict)
            and field.json_schema_extra.get("deprecated")
        ]
        return deprecated + _faults(model, arguments)

    def faults_of_answer(self, method: str, result: object) -> list[str]:
        """What is wrong with a result of this server itself."""
        if method not in self._answers:
            self._answers[method] = TypeAdapter(self._methods[method.lower()].__returning__)
        try:
            return list(_extras(self._answers[method].validate_python(result), "result"))
        except ValidationError as error:
            return _sentences(error)

    def faults_of_update(self, update: Mapping[str, Any]) -> list[str]:
        """What is wrong with an update that this server is about to hand out."""
        return _faults(self._update, update)


def _faults(model: type[BaseModel], data: Mapping[str, Any]) -> list[str]:
    try:
        return list(_extras(model.model_validate(dict(data)), model.__name__))
    except ValidationError as error:
        return _sentences(error)


def _sentences(error: ValidationError) -> list[str]:
    return [f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}" for fault in error.errors()]


def _extras(value: object, where: str) -> Iterator[str]:
    """Fields that the model accepted without knowing them, at any depth."""
    if isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _extras(item, f"{where}[{index}]")
    if isinstance(value, BaseModel):
        for name in value.model_extra or ():
            yield f"{where}.{name}: unknown field"
        for name in value.model_fields_set:
            yield from _extras(getattr(value, name, None), f"{where}.{name}")


def _decode(value: object, annotation: object) -> object:
    if not isinstance(value, str):
        return value
    expected = set(_members(annotation))
    if str in expected:
        return int(value) if int in expected and INTEGER.fullmatch(value) else value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _members(annotation: object) -> Iterator[object]:
    """The types that a union is made of."""
    if get_origin(annotation) in {Union, UnionType}:
        for member in get_args(annotation):
            yield from _members(member)
    else:
        yield annotation
