"""The documents that rendering is measured with."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.rendering import PLATFORMS, ShownLine, Writer, faults, measure


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_structure_of_random_documents_is_kept(platform: str) -> None:
    assert measure(platform, documents=200, seed=1) == (0, "")


def test_what_is_lost_is_noticed() -> None:
    writer = Writer(Random(3))
    document = next(one for one in iter(writer.write, None) if one.items and one.code)
    lines = list(PLATFORMS["telegram"](document.text))

    def lost(shown: list[ShownLine]) -> bool:
        return any(faults(document, shown))

    assert not lost(lines)
    assert lost([ShownLine(" ".join(line.text for line in lines), is_code=False)])
    assert lost([ShownLine(line.text, is_code=False) for line in lines])
    assert lost([ShownLine(line.text.lstrip("•☑☐0123456789. "), line.is_code) for line in lines])
    assert lost(lines[1:])
