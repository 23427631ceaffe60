from __future__ import annotations

import numpy as np
import pytest

from memory.embed import e5
from memory.vectors.calibration import Calibration, Side, gauge_of

NORTH, EAST = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
ZERO = np.zeros(2, np.float32)
PLAIN = Side(ZERO, 0.5, ZERO, np.eye(2, dtype=np.float32))


def test_nearness_is_measured_from_what_is_to_be_expected_of_both() -> None:
    popular = Side(NORTH * np.float32(0.3), 0.5, ZERO, np.eye(2, dtype=np.float32))

    near, _ = Calibration(PLAIN, PLAIN).for_question(NORTH).measured(NORTH)
    less, _ = Calibration(PLAIN, popular).for_question(NORTH).measured(NORTH)

    assert near == pytest.approx(1.0)
    assert less == pytest.approx(0.7)


def test_kinds_are_compared_from_their_centres_whatever_their_lengths() -> None:
    moved = Side(ZERO, 0.5, EAST, 3 * np.eye(2, dtype=np.float32))

    assert Calibration(PLAIN, PLAIN).for_question(NORTH).measured(NORTH)[1] == pytest.approx(1.0)
    assert Calibration(PLAIN, PLAIN).for_question(NORTH).measured(EAST)[1] == pytest.approx(0.0)
    assert Calibration(PLAIN, moved).for_question(NORTH).measured(NORTH)[1] == pytest.approx(0.5**0.5)


def test_a_vector_at_the_centre_has_no_kind() -> None:
    centred = Side(ZERO, 0.5, NORTH, np.eye(2, dtype=np.float32))

    assert Calibration(centred, PLAIN).for_question(NORTH).measured(NORTH)[1] == 0.0


def test_the_built_in_embedder_has_a_gauge_of_its_size_and_others_have_none() -> None:
    gauge = gauge_of(e5.IDENTITY)

    assert gauge is not None
    assert {len(side.centre) for side in (gauge.questions, gauge.texts)} == {e5.DIMS}
    assert gauge_of(f"{e5.IDENTITY}:other") is None
