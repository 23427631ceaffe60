from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.agent.window import CHARS_PER_TOKEN, Window


@given(st.integers(2_000, 10_000_000))
def test_every_share_fits_into_the_window(tokens: int) -> None:
    window = Window(tokens)

    assert window.request + window.reserve == tokens
    assert window.bootstrap + window.recalled // CHARS_PER_TOKEN < window.request
    assert 0 < window.bootstrap_file <= window.bootstrap
    assert window.tool_result // CHARS_PER_TOKEN < window.reserve


def test_large_windows_have_fixed_shares() -> None:
    assert (Window(200_000).reserve, Window(2_000_000).reserve) == (20_000, 20_000)
    assert Window(4_096).reserve == 1_024
