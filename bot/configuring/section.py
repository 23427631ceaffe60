"""What every section of the configuration is made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError


class Section(BaseModel):
    """Options that belong together. An option without a value (`limit:`) counts as left out."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_empty(cls, given: object) -> object:
        if isinstance(given, dict):
            return {key: value for key, value in given.items() if value is not None or key not in cls.model_fields}
        return {} if given is None else given


def refuse(allowed: str = "", *, hint: str = "", at: str = "") -> PydanticCustomError:
    """An error of ours as pydantic wants it.

    Args:
        allowed: completes "found X, allowed ..."; what the option declares if left out.
        hint: what to do.
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
