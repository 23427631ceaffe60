from __future__ import annotations

from datetime import timedelta

from discord.utils import snowflake_time
from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.ticket import Asked, Ticket

INTERACTION = "1300000000000000000"
BEGAN = snowflake_time(int(INTERACTION))

tickets = st.builds(
    Ticket,
    user=st.text(),
    asked=st.sampled_from(Asked),
    interaction=st.just(INTERACTION),
    token=st.text(),
    private=st.booleans(),
)


@given(tickets)
def test_a_ticket_is_the_same_after_it_was_written_down(ticket: Ticket) -> None:
    assert Ticket.parse(str(ticket)) == ticket


def test_no_ticket_leads_nowhere() -> None:
    assert Ticket.parse("") == Ticket()
    assert not Ticket.parse("").is_open(BEGAN)


def test_the_right_to_answer_ends_before_discord_ends_it() -> None:
    ticket = Ticket("7", Asked.COMMAND, INTERACTION, "right")

    assert ticket.is_open(BEGAN + timedelta(minutes=14))
    assert not ticket.is_open(BEGAN + timedelta(minutes=14, seconds=31))


def test_a_message_gives_no_right_to_answer_an_interaction() -> None:
    assert not Ticket("7").is_open(BEGAN)
