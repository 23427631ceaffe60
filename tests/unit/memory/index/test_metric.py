"""Nearness is measured from what a collection has in common, and is known for all of it beforehand."""

from __future__ import annotations

import numpy as np
import pytest

from memory.index.metric import Metric
from tests.unit.memory.index.corpora import narrow

ROWS = narrow(2000, 48)


@pytest.mark.parametrize("metric", [Metric.fitted(ROWS), Metric.plain(ROWS)], ids=["fitted", "plain"])
def test_mean_and_deviation_are_those_of_all_similarities(metric: Metric) -> None:
    direction = metric.direction(metric.shifted(ROWS[7][None])[0])
    found = direction.similarities(ROWS @ direction.toward, metric.inverse(ROWS))

    assert direction.mean == pytest.approx(float(found.mean()), abs=1e-4)
    assert direction.deviation == pytest.approx(float(found.std()), abs=1e-4)


def test_the_plain_metric_is_the_cosine() -> None:
    metric = Metric.plain(ROWS)
    direction = metric.direction(ROWS[7])

    found = direction.similarities(ROWS @ direction.toward, metric.inverse(ROWS))

    assert np.allclose(found, ROWS @ ROWS[7], atol=1e-5)


def test_a_similarity_is_the_cosine_of_what_sets_texts_apart() -> None:
    metric = Metric.fitted(ROWS, ridge=1e4)  # so strong a ridge leaves the directions as they are
    direction = metric.direction(metric.shifted(ROWS[7][None])[0])

    found = direction.similarities(ROWS @ direction.toward, metric.inverse(ROWS))

    apart = ROWS - ROWS.mean(axis=0)
    apart /= np.linalg.norm(apart, axis=1, keepdims=True)
    assert np.allclose(found, apart @ apart[7], atol=1e-3)


def test_unrelated_texts_are_not_near_although_all_look_alike() -> None:
    plain, fitted = Metric.plain(ROWS), Metric.fitted(ROWS)

    assert plain.direction(ROWS[7]).mean > 0.7
    assert abs(fitted.direction(fitted.shifted(ROWS[7][None])[0]).mean) < 0.05


@pytest.mark.parametrize("count", [1, 2, 7])
def test_a_few_texts_are_measured_by_their_cosine(count: int) -> None:
    metric = Metric.fitted(ROWS[:count])

    assert not metric.centre.any()
    assert np.isfinite(metric.direction(ROWS[0]).toward).all()


def test_a_text_in_the_very_centre_has_a_finite_similarity() -> None:
    metric = Metric.fitted(np.repeat(ROWS[:1], 20, axis=0))
    direction = metric.direction(metric.shifted(ROWS[:1])[0])

    assert np.isfinite(direction.similarities(ROWS[:1] @ direction.toward, metric.inverse(ROWS[:1]))).all()
