from __future__ import annotations

import pytest

from memory.index.entities import entity_key


@pytest.mark.parametrize("name", ["The-Castle", "the castle", "The_Castle", "THE CASTLE!"])
def test_spellings_of_a_name_have_one_key(name: str) -> None:
    assert entity_key(name) == "the castle"


@pytest.mark.parametrize(("name", "key"), [("Jörg", "jorg"), ("Пётр", "петр"), ("O'Brien", "o brien"), ("---", "")])
def test_case_accents_and_marks_do_not_count(name: str, key: str) -> None:
    assert entity_key(name) == key


def test_a_name_in_han_is_its_own_key() -> None:
    assert entity_key("张伟") == "张伟"
