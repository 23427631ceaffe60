from __future__ import annotations

from dataclasses import replace

from adapters.port import Sender
from bot.trust.access import Access
from tests.samples import OWNER, chat, inbound


def test_the_owner_is_known_by_platform_and_id() -> None:
    event = replace(inbound("hello", update="1"), sender=Sender("owner", "Ada"))

    assert Access({"terminal:owner"}).admit(event) == OWNER


def test_a_name_grants_nothing() -> None:
    event = replace(inbound("hello", update="1"), sender=Sender("666", "terminal:owner"))

    assert Access({"terminal:owner"}).admit(event) is None


def test_the_same_id_on_another_platform_is_somebody_else() -> None:
    event = inbound("hello", update="1", at=chat("c", platform="elsewhere"))

    assert Access({"terminal:owner"}).admit(event) is None


def test_an_empty_list_admits_nobody() -> None:
    assert Access(()).admit(inbound("hello", update="1")) is None
