from __future__ import annotations

from pathlib import Path

from tests.acceptance import dashboard_requests


def test_nobody_comes_into_the_dashboard_without_the_right_to_it(tmp_path: Path) -> None:
    found = dashboard_requests.run(tmp_path / "home")

    assert found["how"] == []
    assert not found["files changed"]
    assert found["the right request was answered"]
    assert int(str(found["requests"])) >= 60
