from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.mentions import LONGEST_MENTION, entity_name, linked_name, mentions


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("met @Peter, @Ann.", ("Peter", "Ann")),
        ("@The-Castle and @node.js.", ("The-Castle", "node.js")),
        ("[[Peter]] and [[The Castle#Roof|it]]", ("Peter", "The-Castle")),
        ("[[bank/entities/Ann.md]] [[people/Bob]]", ("Ann", "Bob")),
        ("@peter and @Peter", ("peter",)),
        ("@Jose\u0301 and [[José]]", ("José",)),
        ("@O’Brien and @Peter’s and @Peter's", ("O’Brien", "Peter")),
        ("我见了@王小明，他好", ("王小明",)),
        ("@مریم‌بانو آمد", ("مریم‌بانو",)),
        ("mail a.b@example.com or https://x.org/@user", ()),
        ("`@decorator` and \\@Nobody and @", ()),
        ("![[image.png]] \\[[No]] [[]] [[ ]] [[2025-11-27]] [[memory/2025-11-27|then]]", ()),
        ("@" + "很" * (LONGEST_MENTION + 1), ()),
        ("nothing", ()),
    ],
)
def test_a_text_mentions(text: str, names: tuple[str, ...]) -> None:
    assert mentions(text) == names


@pytest.mark.parametrize(
    ("raw", "name"),
    [("John Smith", "John-Smith"), ("  a/b\\c ", "a-b-c"), ("@Peter", "Peter"), ("!?", ""), ("", ""), ("-x-", "x")],
)
def test_a_name_is_made_writable(raw: str, name: str) -> None:
    assert entity_name(raw) == name


@given(st.text())
def test_a_writable_name_is_read_back_whole(raw: str) -> None:
    name = entity_name(raw)
    assert entity_name(name) == name
    if 0 < len(name) <= LONGEST_MENTION:
        assert mentions(f"with @{name}: x") == (name,)


@given(st.text())
def test_any_link_target_has_a_writable_name_or_none(target: str) -> None:
    name = linked_name(target)
    assert entity_name(name) == name
