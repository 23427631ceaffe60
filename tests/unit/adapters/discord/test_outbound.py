from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from discord.utils import snowflake_time
from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.outbound import (
    EPHEMERAL,
    MAX_FILE_BYTES,
    SUPPRESS_EMBEDS,
    Asked,
    InteractionToken,
    message_fields,
    new_message_fields,
)
from adapters.port import Address, Button, ChatKind, Outbound, SendRefused

ROOM = Address("discord", "1", "10", ChatKind.CHANNEL, guild="100")


def out(text: str = "hello", *, files: tuple[str, ...] = (), buttons: tuple[Button, ...] = ()) -> Outbound:
    return Outbound("abcdefghijklmnopqrstuvwx", ROOM, text, files=files, buttons=buttons)


def test_nobody_is_notified_and_links_stay_links() -> None:
    fields = message_fields(out("@everyone <@7> https://example.org"))

    assert fields["allowed_mentions"] == {"parse": [], "replied_user": False, "users": [], "roles": []}
    assert fields["flags"] == SUPPRESS_EMBEDS


def test_what_is_for_one_person_is_ephemeral() -> None:
    assert message_fields(out(), is_hidden=True)["flags"] & EPHEMERAL
    assert not message_fields(out())["flags"] & EPHEMERAL


def test_a_new_message_carries_the_outbox_id_as_its_nonce_and_has_it_enforced() -> None:
    fields = new_message_fields(out(), channel=10, reply_to=None)

    assert (fields["nonce"], fields["enforce_nonce"]) == ("abcdefghijklmnopqrstuvwx", True)
    assert "message_reference" not in fields


def test_a_reply_arrives_even_if_its_question_is_gone() -> None:
    fields = new_message_fields(out(), channel=10, reply_to="55")

    assert fields["message_reference"] == {"message_id": "55", "channel_id": "10", "fail_if_not_exists": False}


def test_an_edit_takes_buttons_and_files_away_that_are_no_longer_there() -> None:
    fields = message_fields(out())

    assert fields["components"] == []
    assert fields["attachments"] == []


def test_buttons_stand_in_rows_of_five_and_are_known_as_ours() -> None:
    rows = message_fields(out(buttons=tuple(Button(str(n), f"b{n}") for n in range(7))))["components"]

    assert [len(row["components"]) for row in rows] == [5, 2]
    assert rows[1]["components"][0]["custom_id"] == "sj:b5"


def test_a_long_label_is_cut() -> None:
    (row,) = message_fields(out(buttons=(Button("x" * 90, "b"),)))["components"]

    assert row["components"][0]["label"] == "x" * 80


@pytest.mark.parametrize(
    "buttons",
    [tuple(Button(str(n), str(n)) for n in range(26)), (Button("x", "d" * 98),)],
    ids=["too many", "too much data"],
)
def test_buttons_that_discord_would_not_take_are_refused_before_they_are_sent(buttons: tuple[Button, ...]) -> None:
    with pytest.raises(SendRefused, match="button"):
        message_fields(out(buttons=buttons))


def test_files_are_named_in_order(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("b.txt", "a.txt")]
    for path in paths:
        path.write_text("x")

    fields = message_fields(out(files=tuple(map(str, paths))))

    assert fields["attachments"] == [{"id": 0, "filename": "b.txt"}, {"id": 1, "filename": "a.txt"}]


def test_files_that_discord_would_not_take_are_refused_before_they_are_sent(tmp_path: Path) -> None:
    large = tmp_path / "large.bin"
    with large.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)

    for files, reason in [
        ((str(large),), "up to 10 MiB"),
        ((str(tmp_path / "gone.txt"),), "no longer there"),
        ((str(large),) * 11, "takes 10 files"),
    ]:
        with pytest.raises(SendRefused, match=reason):
            message_fields(out(files=files))


INTERACTION = "1300000000000000000"
BEGAN = snowflake_time(int(INTERACTION))

reply_tokens = st.builds(
    InteractionToken,
    user=st.text(),
    asked=st.sampled_from(Asked),
    interaction=st.just(INTERACTION),
    token=st.text(),
    private=st.booleans(),
)


@given(reply_tokens)
def test_a_reply_token_is_the_same_after_it_was_written_down(reply_token: InteractionToken) -> None:
    assert InteractionToken.parse(str(reply_token)) == reply_token


def test_no_reply_token_leads_nowhere() -> None:
    assert InteractionToken.parse("") == InteractionToken()
    assert not InteractionToken.parse("").is_open(BEGAN)


def test_the_right_to_answer_ends_before_discord_ends_it() -> None:
    reply_token = InteractionToken("7", Asked.COMMAND, INTERACTION, "right")

    assert reply_token.is_open(BEGAN + timedelta(minutes=14))
    assert not reply_token.is_open(BEGAN + timedelta(minutes=14, seconds=31))


def test_a_message_gives_no_right_to_answer_an_interaction() -> None:
    assert not InteractionToken("7").is_open(BEGAN)
