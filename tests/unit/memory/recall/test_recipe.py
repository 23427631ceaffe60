from __future__ import annotations

from dataclasses import replace

import pytest

from memory.model import Profile
from memory.recall.recipe import OPENCLAW, SCRUBJAY, recipe_of


@pytest.mark.parametrize(("profile", "recipe"), [(Profile.SCRUBJAY, SCRUBJAY), (Profile.OPENCLAW, OPENCLAW)])
def test_every_profile_has_its_weights(profile: Profile, recipe: object) -> None:
    assert recipe_of(profile) == recipe


def test_weights_of_ones_own_are_taken_as_they_are() -> None:
    own = replace(SCRUBJAY, time=0.0)
    assert recipe_of(own) is own
