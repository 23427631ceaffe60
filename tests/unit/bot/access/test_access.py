from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.port import Address, ChatKind, Happening, Inbound, Sender
from bot.access.access import Access, AccessRules
from bot.access.chat_settings import Listen, Speakers
from bot.storage.tables.people import AccessStore, Person, Role
from tests.support.factories import NOON, OWNER, chat, inbound

TEAM = Address("discord", "1", "c", ChatKind.CHANNEL, guild="g")


def event(sender: str, *, at: Address = TEAM, addressed: bool = True) -> Inbound:
    return replace(inbound("hello", update="1", at=at, sender=sender), addressed=addressed)


def test_the_owner_is_known_by_platform_and_id() -> None:
    event = replace(inbound("hello", update="1"), sender=Sender("owner", "Ada"))

    assert Access({"terminal:owner"}, register=AccessStore()).admit(event) == OWNER


def test_a_name_grants_nothing() -> None:
    event = replace(inbound("hello", update="1"), sender=Sender("666", "terminal:owner"))

    assert Access({"terminal:owner"}, register=AccessStore()).admit(event) is None


def test_the_same_id_on_another_platform_is_somebody_else() -> None:
    event = inbound("hello", update="1", at=chat("c", platform="elsewhere"))

    assert Access({"terminal:owner"}, register=AccessStore()).admit(event) is None


@pytest.mark.parametrize("at", [chat("c"), TEAM, replace(TEAM, kind=ChatKind.GROUP)])
def test_an_empty_list_admits_nobody(at: Address) -> None:
    assert Access((), register=AccessStore()).admit(event("owner", at=at)) is None


def test_somebody_on_the_list_is_a_guest() -> None:
    admitted = Access(AccessRules(guests=frozenset({"discord:9"})), register=AccessStore()).admit(event("9"))

    assert admitted is not None
    assert not admitted.is_owner


@pytest.mark.parametrize("group", ["discord:c", "discord:g"])
def test_in_a_listed_group_or_server_everybody_is_a_guest_and_the_owner_stays_the_owner(group: str) -> None:
    access = Access(AccessRules(owners=frozenset({"discord:7"}), groups=frozenset({group})), register=AccessStore())

    stranger, owner = access.admit(event("9")), access.admit(event("7"))

    assert stranger is not None
    assert not stranger.is_owner
    assert owner is not None
    assert owner.is_owner
    assert access.admit(event("9", at=replace(TEAM, kind=ChatKind.PRIVATE))) is None


def test_in_groups_only_what_is_said_to_the_bot_is_heard() -> None:
    rules = AccessRules(owners=frozenset({"discord:7"}))

    assert Access(rules, register=AccessStore()).admit(event("7", addressed=False)) is None
    assert (
        Access(rules, register=AccessStore()).admit(replace(event("7", addressed=False), happening=Happening.BUTTON))
        is not None
    )
    assert (
        Access(replace(rules, listen=Listen.ALL), register=AccessStore()).admit(event("7", addressed=False)) is not None
    )


def test_another_bot_is_never_let_in_even_if_it_is_listed() -> None:
    rules = AccessRules(owners=frozenset({"discord:7"}), groups=frozenset({"discord:g"}))
    bot = replace(event("7"), sender=Sender("7", "Bot", is_bot=True))

    assert Access(rules, register=AccessStore()).admit(bot) is None


async def test_whoever_was_let_in_is_known_until_they_are_put_out() -> None:
    register = AccessStore()
    access = Access(AccessRules(), register=register)
    await register.grant(Person("discord:7", Role.OWNER, "Ada", NOON))
    await register.grant(Person("discord:9", Role.GUEST, "Bob", NOON))

    assert access.owners("discord") == ("7",)
    assert access.people("discord") == ("7", "9")
    assert access.people("telegram") == ()
    assert await register.revoke("discord:9")
    assert access.admit(event("9")) is None


async def test_linked_identities_are_one_person_with_the_rights_of_the_other() -> None:
    register = AccessStore()
    access = Access(AccessRules(owners=frozenset({"telegram:5"})), register=register)
    await register.link("discord:7", "telegram:5", at=NOON)

    admitted = access.admit(event("7"))

    assert admitted is not None
    assert admitted.id == "telegram:5"
    assert admitted.is_owner


async def test_who_is_let_in_on_a_platform_is_so_by_what_is_theirs_there() -> None:
    register = AccessStore()
    for who in ("telegram:5", "telegram:6"):
        await register.grant(Person(who, Role.GUEST, "", NOON))
    access = Access(AccessRules(owners=frozenset({"discord:9"})), register=register)
    await register.link("discord:7", "telegram:5", at=NOON)
    await register.link("discord:9", "telegram:8", at=NOON)
    people = ("telegram:5", "discord:7", "telegram:6", "telegram:8")

    before = [[access.knows_on(who, platform) for platform in ("telegram", "discord")] for who in people]
    await register.revoke("discord:7")
    after = access.knows_on("telegram:5", "telegram"), access.knows_on("telegram:5", "discord")

    assert before == [[True, True], [False, True], [True, False], [False, True]]
    assert after == (True, False)


async def test_a_setting_of_a_newer_version_leaves_the_others_as_they_were_set() -> None:
    register = AccessStore()
    access = Access(AccessRules(groups=frozenset({"discord:c"})), register=register)
    for name, value in (("listen", "whispers"), ("speakers", "owner"), ("mood", "gentle")):
        await register.set(TEAM, name, value)

    settings = access.settings(TEAM)

    assert (settings.speakers, settings.listen) == (Speakers.OWNER, Listen.ADDRESSED)


async def test_where_only_the_owner_may_speak_a_guest_is_not_heard() -> None:
    register = AccessStore()
    people = AccessRules(owners=frozenset({"discord:7"}), guests=frozenset({"discord:9"}))
    access = Access(people, register=register)
    assert access.admit(event("9")) is not None

    await register.set(TEAM, "speakers", "owner")

    assert access.admit(event("9")) is None
    assert access.admit(event("7")) is not None
