from __future__ import annotations

import base64
import inspect
import logging

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.adapter import RECONNECTING, DiscordOptions, bot_id, edit_logs
from adapters.port import LoginRefused

SECRET = "GTeste." + "x" * 38


def token(number: int) -> str:
    return f"{base64.urlsafe_b64encode(str(number).encode()).decode().rstrip('=')}.{SECRET}"


@given(st.integers(10**16, 2**63 - 1))
def test_a_token_says_whose_it_is(number: int) -> None:
    assert bot_id(token(number)) == str(number)
    assert bot_id(f" {token(number)}\n") == str(number)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "not a token",
        "0123456789abcdef0123456789abcdef",
        f"{base64.urlsafe_b64encode(b'a name, not an id').decode()}.{SECRET}",
        "MTk4NjIyNDgzNDcxOTI1MjQ4",
        "7000000001:AAE-a-token-of-another-platform-entirely",
    ],
)
def test_what_is_not_a_token_is_refused_without_being_repeated(given: str) -> None:
    with pytest.raises(LoginRefused, match="developer portal") as refusal:
        bot_id(given)

    assert not given or given not in str(refusal.value)


def test_options_that_are_printed_keep_the_token_to_themselves() -> None:
    assert SECRET not in repr(DiscordOptions(token(198622483471925248)))


def test_a_connection_that_broke_is_one_line_in_the_log_and_no_error(caplog: pytest.LogCaptureFixture) -> None:
    assert RECONNECTING in inspect.getsource(discord.Client.connect)
    edit_logs()

    try:
        raise ConnectionRefusedError
    except OSError:
        logging.getLogger("discord.client").exception(RECONNECTING, 14.18)

    (record,) = caplog.records
    assert record.getMessage() == "Discord: the connection broke (ConnectionRefusedError). Next try in 14 s."
    assert (record.levelno, record.exc_info) == (logging.WARNING, None)
