"""The doctor names what is broken, repairs what is safe, and leaves the healthy alone: a quick part of all cases."""

from __future__ import annotations

import pytest

from tests.acceptance import broken_installations as cases
from tests.acceptance.broken_installations import BROKEN, Broken, alarms, examined, name_of

QUICK = {
    cases.disk_full,
    cases.zone_unknown,
    cases.served_elsewhere,
    cases.port_taken,
    cases.two_memories,
    cases.state_shared,
    cases.left_behind,
    cases.password_in_a_note,
}
"""`python -m tests.acceptance.broken_installations` tries all of them."""


@pytest.mark.parametrize("broken", [one for one in BROKEN if one.make in QUICK], ids=lambda one: name_of(one.make))
def test_what_is_broken_is_named_and_repaired_where_that_is_safe(broken: Broken) -> None:
    named, after = examined(broken)

    assert broken.id in named
    assert broken.id not in after or not broken.fixable


def test_what_is_healthy_raises_no_alarm() -> None:
    assert alarms(cases.words_only) == []
