from __future__ import annotations

from memory.files.digest import digest, state


def test_text_and_its_bytes_have_one_digest_of_forty_digits() -> None:
    assert digest("héllo") == digest("héllo".encode())
    assert len(digest(b"")) == 40
    assert digest("\udcff") != digest("?")


def test_a_missing_file_is_told_from_an_empty_one() -> None:
    assert state(None) == ""
    assert state(b"") == digest(b"")
