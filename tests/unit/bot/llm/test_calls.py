from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.calls import Calls
from bot.llm.port import ToolCall


def piece(arguments: object = "", *, index: object = 0, id: object = None, name: object = None, **more: Any) -> Any:
    return {"index": index, "id": id, "function": {"name": name, "arguments": arguments}, **more}


def joined(*deltas: object, cut: bool = False) -> tuple[ToolCall, ...]:
    calls = Calls()
    for delta in deltas:
        calls.feed([delta])
    return calls.whole(cut=cut)


def test_parallel_calls_whose_pieces_are_mixed_are_joined_by_index() -> None:
    calls = joined(
        piece(index=0, id="a", name="add"),
        piece(index=1, id="b", name="sub"),
        piece('{"x"', index=0),
        piece('{"y": 2}', index=1),
        piece(": 1}", index=0),
    )

    assert calls == (ToolCall("a", "add", {"x": 1}), ToolCall("b", "sub", {"y": 2}))


def test_a_server_that_numbers_every_call_zero_is_understood() -> None:
    calls = joined(piece("{}", id="a", name="add"), piece('{"y": 2}', id="b", name="sub"))

    assert [(call.id, call.name, call.arguments) for call in calls] == [("a", "add", {}), ("b", "sub", {"y": 2})]


def test_a_server_that_repeats_id_and_name_with_every_piece_is_understood() -> None:
    calls = joined(piece('{"x"', id="a", name="add"), piece(": 1}", id="a", name="add"))

    assert calls == (ToolCall("a", "add", {"x": 1}),)


def test_calls_without_an_index_are_told_apart_by_their_ids() -> None:
    calls = joined(piece("{}", index=None, id="a", name="add"), piece("{}", index=None, id="b", name="add"))

    assert [call.id for call in calls] == ["a", "b"]


def test_missing_and_repeated_ids_become_unique() -> None:
    calls = joined(
        piece("{}", index=0, name="add"),
        piece("{}", index=1, name="add"),
        piece("{}", index=2, id="x", name="add"),
        piece("{}", index=3, id="x", name="add"),
    )

    assert [call.id for call in calls] == ["call_1", "call_2", "x", "x_1"]


@pytest.mark.parametrize("arguments", ["", "  ", "null", "{}"])
def test_no_arguments_are_an_empty_object(arguments: str) -> None:
    assert joined(piece(arguments, id="a", name="now")) == (ToolCall("a", "now"),)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ('{"a": ', "not valid JSON: Expecting value at character 5"),
        ('{"a": 1} {"b": 2}', "not valid JSON: Extra data"),
        ("[1]", "are a list"),
        ('"x"', "are a text"),
        ("7", "are a number"),
        ("true", "are true or false"),
        ('{"a": NaN}', "out of bounds"),
        ("[" * 100_000, "The arguments"),
        ('{"a": ' + "9" * 5000 + "}", "out of bounds"),
    ],
)
def test_broken_arguments_come_with_words_for_the_model(arguments: str, fault: str) -> None:
    (call,) = joined(piece(arguments, id="a", name="add"))

    assert fault in call.fault
    assert call.arguments == {}


def test_arguments_that_the_output_limit_cut_off_say_so_even_if_they_had_not_begun() -> None:
    whole, begun, not_begun = joined(
        piece('{"a": 1}', index=0, name="add"),
        piece('{"a": "on', index=1, name="add"),
        piece(index=2, name="add"),
        cut=True,
    )

    assert (whole.fault, whole.arguments) == ("", {"a": 1})
    assert "cut off at the output limit" in begun.fault
    assert "cut off at the output limit" in not_begun.fault


def test_a_call_without_a_name_has_a_fault() -> None:
    (call,) = joined(piece('{"a": 1}', id="a"))

    assert "names no tool" in call.fault


def test_what_the_provider_sends_beside_a_call_is_kept() -> None:
    signature = {"google": {"thought_signature": "abc"}}
    (call,) = joined(piece("{}", id="a", name="add", type="function", extra_content=signature), piece(""))

    assert call.extra == {"extra_content": signature}


def test_texts_can_be_written_to_files_whatever_the_model_escaped() -> None:
    (call,) = joined(piece(r'{"a\ud800": ["\ud83d\ude00", {"b": "\udc00"}]}', id="a", name="add"))

    assert call.arguments == {"a\ufffd": ["😀", {"b": "\ufffd"}]}


storable = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@given(st.dictionaries(storable, st.integers() | storable | st.lists(st.booleans())), st.data())
def test_arguments_survive_any_cutting_into_pieces(arguments: dict[str, object], data: st.DataObject) -> None:
    text = json.dumps(arguments)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    (call,) = joined(piece(id="a", name="add"), *(piece(part) for part in pieces))

    assert (call.arguments, call.fault) == (arguments, "")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["index", "id", "function", "name", "arguments"]), inner)
    ),
)


@given(st.lists(json_values))
def test_nothing_that_a_server_sends_breaks_it(deltas: list[object]) -> None:
    calls = Calls()
    for delta in deltas:
        assert calls.feed(delta) >= 0
    whole = calls.whole(cut=False)

    assert len({call.id for call in whole}) == len(whole)
