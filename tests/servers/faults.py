"""What goes wrong with requests to a chat platform: a list of faults, each of which strikes some requests."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from tests.servers.ledger import Ledger


class Kind(StrEnum):
    """What goes wrong."""

    STATUS = "status"  # an error answer
    RESET = "reset"  # the connection is torn down without an answer
    HANG = "hang"  # no answer, the connection stays open
    DELAY = "delay"  # the right answer, late


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that goes wrong.

    Attributes:
        on: which requests, a shell pattern over their name (`sendMessage`, `POST /channels/*/messages`).
        kind: what goes wrong.
        effect: whether the request has taken effect by then; an answer that fails after the effect is ambiguous.
        status: of a `STATUS`; 429 tells to wait for `seconds`.
        seconds: of a `DELAY`, or until a 429 is over.
        message: of a `STATUS`, if not the platform's usual words.
        times: how many requests it strikes; None: all.
        skip: how many it lets pass first.
        rate: how often it strikes, 0 to 1, drawn from `seed`.
    """

    on: str
    kind: Kind
    effect: bool = False
    status: int = 500
    seconds: float = 0.0
    message: str = ""
    times: int | None = 1
    skip: int = 0
    rate: float = 1.0
    seed: int = 0

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Fault:
        return cls(**{**data, "kind": Kind(data["kind"])})


@dataclass(slots=True)
class _Pending:
    fault: Fault
    matched: int = 0
    struck: int = 0
    dice: random.Random = field(default_factory=random.Random)

    def strikes(self, name: str) -> bool:
        if not fnmatchcase(name, self.fault.on):
            return False
        self.matched += 1
        if self.matched <= self.fault.skip or self.is_spent or self.dice.random() >= self.fault.rate:
            return False
        self.struck += 1
        return True

    @property
    def is_spent(self) -> bool:
        return self.fault.times is not None and self.struck >= self.fault.times


class Faults:
    """The faults that a server was told to have, in order; the first that fits strikes."""

    def __init__(self, ledger: Ledger) -> None:
        self._pending: list[_Pending] = []
        self._ledger = ledger

    def add(self, fault: Fault) -> None:
        self._pending.append(_Pending(fault, dice=random.Random(fault.seed)))

    def clear(self) -> None:
        self._pending.clear()

    def strike(self, name: str) -> Fault | None:
        """The fault that befalls this request."""
        for pending in self._pending:
            if pending.strikes(name):
                kind, effect = pending.fault.kind, pending.fault.effect
                self._ledger.record("fault", on=name, fault=kind, effect=effect, status=pending.fault.status)
                return pending.fault
        return None

    @property
    def unused(self) -> list[str]:
        """The faults that have not struck as often as they should."""
        return [repr(pending.fault) for pending in self._pending if pending.fault.times and not pending.is_spent]
