from __future__ import annotations

import secrets
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import Refused
from bot.web.logins import LINK_LIFETIME, MAX_LINKS, MAX_SECRET_CHARS, SESSION_LIFETIME, Logins, Session, signing_key
from memory import FrozenClock
from tests.support.factories import NOON

KEY = bytes(range(32))
TOKEN = "correct horse battery staple"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock(NOON)


@pytest.fixture
def logins(clock: FrozenClock) -> Logins:
    return Logins(KEY, token=TOKEN, clock=clock)


def let_in(logins: Logins, agent: str = "") -> Session:
    session = logins.redeem(logins.link(agent))
    assert session is not None
    return session


def test_a_link_lets_in_once_to_see_what_it_was_made_for(logins: Logins) -> None:
    secret = logins.link("work")
    session = logins.redeem(secret)

    assert session is not None
    assert session.agent == "work"
    assert logins.redeem(secret) is None
    assert let_in(logins).agent == ""


def test_a_link_is_good_for_ten_minutes_and_no_longer(logins: Logins, clock: FrozenClock) -> None:
    early, late = logins.link(), logins.link()
    clock.advance(seconds=LINK_LIFETIME.total_seconds())

    assert logins.redeem(early) is not None
    clock.advance(seconds=1)
    assert logins.redeem(late) is None
    assert logins.redeem(late) is None


def test_of_very_many_links_the_oldest_are_worthless(logins: Logins) -> None:
    links = [logins.link() for _ in range(MAX_LINKS + 1)]

    assert logins.redeem(links[0]) is None
    assert logins.redeem(links[1]) is not None


def test_no_two_sessions_and_no_two_links_are_alike(logins: Logins) -> None:
    assert len({logins.link() for _ in range(50)}) == 50
    assert len({let_in(logins).id for _ in range(50)}) == 50


@given(st.text())
def test_a_link_cannot_be_guessed(text: str) -> None:
    logins = Logins(KEY, token="", clock=FrozenClock(NOON))
    logins.link()

    assert logins.redeem(text) is None


def test_the_token_of_the_configuration_lets_in_to_everything(logins: Logins) -> None:
    session = logins.enter(TOKEN)

    assert session is not None
    assert session.agent == ""
    assert [logins.enter(wrong) for wrong in ("", TOKEN.upper(), f"{TOKEN} ", TOKEN[:-1], "\ud800", "ü" * 5000)] == [
        None
    ] * 6


def test_without_a_token_no_text_lets_in(clock: FrozenClock) -> None:
    logins = Logins(KEY, token="", clock=clock)

    assert logins.enter("") is None
    assert logins.enter("anything") is None


def test_a_cookie_is_known_again_after_a_restart_until_it_is_too_old(logins: Logins, clock: FrozenClock) -> None:
    session = let_in(logins, "work")
    cookie = logins.cookie(session)
    clock.advance(seconds=SESSION_LIFETIME.total_seconds())

    assert Logins(KEY, token="", clock=clock).read(cookie) == session
    clock.advance(seconds=1)
    assert logins.read(cookie) is None


def test_a_cookie_of_another_key_is_none(logins: Logins, clock: FrozenClock) -> None:
    cookie = logins.cookie(let_in(logins))

    assert Logins(bytes(32), token=TOKEN, clock=clock).read(cookie) is None


def test_a_session_that_was_ended_is_not_known_again(logins: Logins) -> None:
    ended, other = let_in(logins), let_in(logins)
    logins.end(ended)

    assert logins.read(logins.cookie(ended)) is None
    assert logins.read(logins.cookie(other)) == other


@given(st.data())
def test_an_altered_cookie_is_none(data: st.DataObject) -> None:
    logins = Logins(KEY, token="", clock=FrozenClock(NOON))
    cookie = logins.cookie(Session("a1b2c3", "work", (NOON + SESSION_LIFETIME).isoformat()))
    at = data.draw(st.integers(0, len(cookie) - 1))
    sign = data.draw(st.characters().filter(lambda one: one != cookie[at]))
    altered = cookie[:at] + sign + cookie[at + 1 :]
    read = logins.read(altered)

    assert read is None or read == logins.read(cookie), "the last sign of base64 may stand for the same bytes"


@given(st.text())
def test_a_text_that_is_no_cookie_is_none(text: str) -> None:
    assert Logins(KEY, token="", clock=FrozenClock(NOON)).read(text) is None


def test_what_is_signed_and_no_session_is_none(logins: Logins, clock: FrozenClock) -> None:
    make = logins._serializer.dumps
    until = (clock.now() + timedelta(days=1)).isoformat()

    assert logins.read(make({"id": "a", "agent": "", "until": until})) == Session("a", "", until)
    wrongs: list[object] = [
        {},
        [],
        "text",
        None,
        {"id": "a", "agent": "", "until": "tomorrow"},
        {"id": "a", "agent": "", "until": 5},
        {"id": "a", "agent": "", "until": "2099-01-01"},
        {"id": "a", "agent": "", "until": until, "is_admin": True},
    ]
    assert [logins.read(make(wrong)) for wrong in wrongs] == [None] * len(wrongs)
    assert logins.read(make({"id": random_text(2 * MAX_SECRET_CHARS), "agent": "", "until": until})) is None


def random_text(length: int) -> str:
    """A text that cannot be compressed."""
    return secrets.token_hex(length // 2)


def test_a_form_belongs_to_one_session(logins: Logins) -> None:
    mine, other = let_in(logins), let_in(logins)
    token = logins.form_token(mine)

    assert logins.is_own_form(mine, token)
    assert not logins.is_own_form(other, token)
    assert not any(logins.is_own_form(mine, wrong) for wrong in ("", token[:-1], token.upper(), f"{token} ", "ü" * 64))


def test_the_key_is_made_once_and_for_the_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "dashboard.key"
    key = signing_key(path)

    assert len(key) == 32
    assert signing_key(path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_that_others_can_read_signs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "dashboard.key"
    signing_key(path)
    path.chmod(0o644)

    with pytest.raises(Refused, match="0644") as refused:
        signing_key(path)
    assert f'rm "{path}"' in refused.value.hint
