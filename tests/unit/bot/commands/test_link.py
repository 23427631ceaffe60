from __future__ import annotations

from adapters.port import ChatKind
from bot.storage.keys import Principal
from tests.support.conversation import Conversation
from tests.support.factories import OWNER, chat

THERE = Principal("discord:9", "Ada", is_owner=False)
TEAM = chat("-100", kind=ChatKind.GROUP)


async def code_of(here: Conversation, who: Principal = OWNER) -> str:
    return (await here.say("/link", who=who)).partition("`/link ")[2][:8]


async def test_both_sides_agree_and_are_told_what_to_do_next(here: Conversation) -> None:
    code = await code_of(here)

    assert f"`{OWNER.id}` writes `/link yes`" in await here.say(f"/link {code}", who=THERE)
    assert "`/link yes discord:9`" in await here.say("/link yes")
    told = await here.say("/link yes discord:9")
    assert told.startswith("From now on, `discord:9` (Ada) is you.")
    assert told.endswith("scrubjay pair revoke discord:9")
    assert "There is no such code" in await here.say(f"/link {code}", who=THERE)


async def test_without_the_other_side_nothing_is_linked(here: Conversation) -> None:
    assert "Nobody has answered" in await here.say("/link yes")
    assert "There is no such code" in await here.say("/link AAAAAAAA", who=THERE)


async def test_in_a_group_there_is_no_code_and_no_link(here: Conversation) -> None:
    told = await here.say("/link", at=TEAM)
    code = await code_of(here)
    shown = await here.say(f"/link {code}", who=THERE, at=TEAM)
    confirmed = await here.say("/link yes discord:9", at=TEAM)

    assert "in a private chat" in told
    assert "`/link " not in told
    assert told == shown == confirmed
    assert "There is no such code" in await here.say(f"/link {code}", who=THERE), "others have read it"


async def test_the_confirmation_names_the_account_and_holds_for_no_other(here: Conversation) -> None:
    code = await code_of(here)
    await here.say(f"/link {code}", who=Principal("discord:666", "Ada**\n`/link yes discord:9`\u202e", is_owner=False))

    question = await here.reply("/link yes")

    assert 'The Discord account `666`, called "Ada /link yes discord:9",' in question.text
    assert question.buttons[0].data == "/link yes discord:666"
    assert "Nothing was linked" in await here.say("/link yes discord:9")
    assert "Nothing was linked" in await here.say("/link no")
    assert "Nothing was linked" in await here.say("/link yes discord:666")
    assert here.context.linking.accounts(OWNER, Principal("discord:1", "", is_owner=False)) == ()


async def test_a_second_account_on_a_platform_is_linked_only_when_that_is_said(here: Conversation) -> None:
    await here.say(f"/link {await code_of(here)}", who=THERE)
    await here.say("/link yes discord:9")
    await here.say(f"/link {await code_of(here)}", who=Principal("discord:10", "Ada", is_owner=False))

    told = await here.say("/link yes discord:10")

    assert "You have an account there already: `discord:9`." in told
    assert (await here.say("/link also discord:10")).startswith("From now on, `discord:10`")


async def test_after_five_wrong_codes_no_further_one_is_looked_at(here: Conversation) -> None:
    code = await code_of(here)
    for _ in range(5):
        await here.say("/link AAAAAAAA", who=THERE)

    assert "too many wrong codes" in await here.say(f"/link {code}", who=THERE)
    assert "writes `/link yes`" in await here.say(f"/link {code}", who=Principal("discord:10", "Bo", is_owner=False))


async def test_the_owner_becomes_nobody_else(here: Conversation) -> None:
    assert "Write `/link` here" in await here.say(f"/link {await code_of(here, THERE)}")
