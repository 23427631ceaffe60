from __future__ import annotations

from pathlib import Path

from tests.acceptance import mcp_access


def test_nobody_comes_in_over_http_without_the_right_to_it(tmp_path: Path) -> None:
    found = mcp_access.run(tmp_path, tries=55, seed=7)

    assert found["how"] == []
    assert found["files changed"] == []
    assert found["controls answered"] == found["controls"] == 6
