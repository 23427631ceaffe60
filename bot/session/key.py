"""Session keys: which conversation a message belongs to."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.port import Address


@dataclass(frozen=True, slots=True)
class SessionKey:
    """`agent:<a>:<platform>.<bot>:<chat kind>:<chat>[:<thread>]`.

    A group shares one session; threads and topics have their own.
    """

    agent: str
    address: Address

    def __str__(self) -> str:
        to = self.address
        thread = f":{to.thread}" if to.thread else ""
        return f"agent:{self.agent}:{to.account}:{to.kind.value}:{to.lasting}{thread}"
