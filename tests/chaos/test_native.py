from __future__ import annotations

from pathlib import Path

from tests.chaos.native import PARSERS, crashes, hostile


def test_no_hostile_text_ends_what_reads_it() -> None:
    for number in range(40):
        for parse in PARSERS.values():
            parse(hostile(1, number))


def test_a_crash_is_counted_its_text_is_kept_and_the_rest_is_read(tmp_path: Path) -> None:
    assert crashes(6, 7, parsers=("pyromark",), into=tmp_path, abort_at=2) == 1

    (kept,) = tmp_path.iterdir()
    assert kept.name == "native-7-2.txt"
    assert kept.read_bytes() == hostile(7, 2).encode("utf-8", "surrogatepass")
