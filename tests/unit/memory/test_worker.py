from __future__ import annotations

from collections.abc import Generator

import pytest

from memory.worker import WorkThread


async def test_an_errand_after_the_end_is_refused_instead_of_never_ending() -> None:
    def steps() -> Generator[None, None, None]:
        yield

    thread = WorkThread("test")
    await thread.close()

    with pytest.raises(RuntimeError, match="has been closed"):
        thread.start_job(steps())
