from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.errors import BadAnswer, Truncated
from bot.llm.stream import MAX_ANSWER_CHARS, StreamParser, ThinkTags, ToolCallParser
from bot.llm.types import Finished, Message, Reason, Role, TextDelta, Thinking, ToolCall, Usage
from bot.texts.formatting import well_formed
from tests.servers.odd import delta

SPOKEN = Role.ASSISTANT


def assembled(*chunks: object) -> tuple[list[TextDelta | Thinking], Finished]:
    assembly = StreamParser("m at host")
    events = [event for chunk in chunks for event in assembly.feed(chunk)] + list(assembly.rest())
    return events, assembly.finish()


def end_of(*chunks: object) -> Finished:
    return assembled(*chunks)[1]


def call(arguments: str = "{}", **more: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "add", "arguments": arguments}, **more}]}


def test_text_comes_in_pieces_and_whole_at_the_end() -> None:
    events, end = assembled(delta({"content": "Hel"}), delta({"content": "lo"}), delta({}, "stop"))

    assert events == [TextDelta("Hel"), TextDelta("lo")]
    assert end == Finished(Reason.STOP, Message(SPOKEN, "Hello"))


@pytest.mark.parametrize("end", ["stop", None])
def test_thoughts_whose_opening_tag_stood_in_the_prompt_are_no_part_of_the_answer(end: str | None) -> None:
    chunks = ("Two and two", " make 4.\n</th", "ink>\n\nFour", ".")
    parser = StreamParser("model")
    for chunk in chunks:
        list(parser.feed(delta({"content": chunk}, end if chunk == chunks[-1] else None)))
    list(parser.rest())

    assert (parser.finish() if end else parser.truncate(BadAnswer("Cut off."))).message.text == "Four."


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_thoughts_in_a_field_of_their_own_are_no_part_of_the_answer(name: str) -> None:
    events, end = assembled(delta({name: "Hm."}), delta({"content": "Yes."}, "stop"))

    assert events == [Thinking("Hm."), TextDelta("Yes.")]
    assert end.message == Message(SPOKEN, "Yes.")


def test_thoughts_that_come_under_two_names_are_told_once() -> None:
    events, _ = assembled(delta({"reasoning_content": "Hm.", "reasoning": "Hm."}))

    assert events == [Thinking("Hm.")]


def test_thoughts_in_tags_and_in_typed_parts_are_told_apart_too() -> None:
    events, _ = assembled(delta({"content": "<think>Hm.</think>\nYes."}))
    parts, _ = assembled(
        delta({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]}),
        delta({"content": [{"type": "text", "text": "Yes."}]}),
    )

    assert events == parts == [Thinking("Hm."), TextDelta("Yes.")]


def test_thoughts_go_back_with_a_message_that_calls_tools_and_only_with_one() -> None:
    thought = [delta({"reasoning_content": "H"}), delta({"reasoning_content": "m."})]
    details = delta({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]})

    assert end_of(*thought, details, delta(call()), delta({}, "tool_calls")).message.extra == {
        "reasoning_content": "Hm.",
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}],
    }
    assert end_of(delta({"reasoning_content": ""}), delta(call(), "tool_calls")).message.extra == {
        "reasoning_content": ""
    }
    assert end_of(*thought, delta({"content": "Yes."}, "stop")).message.extra == {}
    assert end_of(delta({"reasoning": "Hm."}), delta(call(), "tool_calls")).message.extra == {}


@pytest.mark.parametrize(
    ("chunk", "finish", "reason"),
    [
        ({"content": "Yes."}, "stop", Reason.STOP),
        ({"content": "Yes."}, "eos", Reason.STOP),
        ({"content": "Yes."}, "tool_calls", Reason.STOP),
        ({"content": "Yes"}, "length", Reason.LENGTH),
        ({"content": "Yes"}, "max_tokens", Reason.LENGTH),
        ({}, "length", Reason.LENGTH),
        ({"content": "Yes"}, "content_filter", Reason.FILTERED),
        ({}, "content_filter", Reason.FILTERED),
        ({"content": "Yes"}, "SAFETY", Reason.FILTERED),
        ({}, "RECITATION", Reason.FILTERED),
        ({}, "PROHIBITED_CONTENT", Reason.FILTERED),
        ({"content": "Yes"}, "MAX_TOKENS", Reason.LENGTH),
        ({"refusal": "No."}, "stop", Reason.REFUSAL),
        ({}, "stop", Reason.EMPTY),
        ({"content": " \n"}, "stop", Reason.EMPTY),
        ({}, "tool_calls", Reason.EMPTY),
        (call(), "stop", Reason.TOOL_CALLS),
        (call(), "length", Reason.TOOL_CALLS),
        (call(), "content_filter", Reason.FILTERED),
    ],
)
def test_the_reason_follows_from_what_came_first(chunk: dict[str, Any], finish: str, reason: Reason) -> None:
    assert end_of(delta(chunk), delta({}, finish)).reason is reason


def test_a_refusal_brings_its_words_and_no_calls() -> None:
    end = end_of(delta(call()), delta({"refusal": "I will "}), delta({"refusal": "not."}, "stop"))

    assert end.message == Message(SPOKEN, "I will not.")


def test_a_refusal_stands_below_what_was_said_before_it() -> None:
    end = end_of(delta({"content": "First you"}), delta({"refusal": "I will not."}, "stop"))

    assert end.message == Message(SPOKEN, "First you\n\nI will not.")


def test_a_refusal_that_is_empty_is_none() -> None:
    assert end_of(delta({"content": "Yes.", "refusal": ""}, "stop")).reason is Reason.STOP


def test_a_truncated_answer_keeps_its_text_and_loses_its_calls() -> None:
    assembly = StreamParser("m")
    for chunk in (delta({"content": "Let me see."}), delta(call('{"a'))):
        list(assembly.feed(chunk))
    error = Truncated("cut")

    assert assembly.truncate(error) == Finished(Reason.TRUNCATED, Message(SPOKEN, "Let me see."), None, error)


def test_it_knows_whether_text_was_shown_and_whether_the_end_was_announced() -> None:
    assembly = StreamParser("m")
    assert not assembly.has_text
    list(assembly.feed(delta({"content": "Yes."}, "")))
    assert (assembly.has_text, assembly.is_over) == (True, False)
    list(assembly.feed(delta({}, "error")))
    assert not assembly.is_over
    list(assembly.feed(delta({}, "stop")))
    assert assembly.is_over


def test_usage_is_the_last_one_told() -> None:
    first = {"prompt_tokens": 5, "completion_tokens": 1}
    last = {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}
    end = end_of(
        delta({"content": "x"}, usage=first), delta({}, "stop"), {"choices": [], "usage": last}, {"usage": None}
    )

    assert end.usage == Usage(7, 3, 4)
    assert Usage(7, 3, 4).total == 10


@pytest.mark.parametrize(
    "usage", [None, {}, 7, {"prompt_tokens": "7"}, {"prompt_tokens": -7}, {"prompt_tokens": True}, {"prompt_tokens": 0}]
)
def test_usage_that_tells_nothing_is_none(usage: object) -> None:
    assert end_of(delta({"content": "x"}, "stop", usage=usage)).usage is None


def test_the_halves_of_a_character_that_was_cut_in_two_are_joined() -> None:
    events, end = assembled(
        delta({"content": "a\ud83d"}), delta({"content": "\ude00b"}), delta({"content": "\ud83d"}, "stop")
    )

    assert events == [TextDelta("a"), TextDelta("😀b"), TextDelta("\ufffd")]
    assert end.message.text == "a😀b\ufffd"


def test_an_answer_without_end_is_given_up() -> None:
    assembly = StreamParser("m")
    with pytest.raises(BadAnswer, match="went on"):
        list(assembly.feed(delta(call("x" * (MAX_ANSWER_CHARS + 1)))))


@given(st.lists(st.text()))
def test_the_text_is_that_of_its_pieces(pieces: list[str]) -> None:
    events, end = assembled(*(delta({"content": piece}) for piece in ["Answer: ", *pieces]), delta({}, "stop"))

    assert end.message.text == "".join(event.text for event in events) == well_formed("".join(["Answer: ", *pieces]))


NAMES = [
    "choices",
    "delta",
    "message",
    "content",
    "tool_calls",
    "finish_reason",
    "usage",
    "refusal",
    "text",
    "thinking",
]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*NAMES, "reasoning_content", "x"]), inner),
)


@given(st.lists(json_values | st.builds(delta, json_values, json_values)))
def test_nothing_that_an_endpoint_sends_breaks_it(chunks: list[object]) -> None:
    events, end = assembled(*chunks)
    shown = "".join(event.text for event in events if isinstance(event, TextDelta))

    assert all(event.text for event in events)
    assert end.reason is Reason.REFUSAL or end.message.text == shown


def piece(arguments: object = "", *, index: object = 0, id: object = None, name: object = None, **more: Any) -> Any:
    return {"index": index, "id": id, "function": {"name": name, "arguments": arguments}, **more}


def joined(*deltas: object, cut: bool = False) -> tuple[ToolCall, ...]:
    calls = ToolCallParser()
    for fed in deltas:
        calls.feed([fed])
    return calls.calls(cut=cut)


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


@pytest.mark.parametrize("index", [0, None])
@pytest.mark.parametrize("id", ["", None])
def test_calls_that_have_neither_an_index_of_their_own_nor_an_id_are_told_apart(index: object, id: object) -> None:
    pieces = [piece('{"x": 1}', index=index, id=id, name="add"), piece('{"x": 2}', index=index, id=id, name="add")]

    assert joined(*pieces) == (ToolCall("call_1", "add", {"x": 1}), ToolCall("call_2", "add", {"x": 2}))


def test_a_server_that_repeats_the_name_with_every_piece_and_has_no_ids_is_understood() -> None:
    pieces = (piece('{"x": {"y"', name="add"), piece(': {"z": 1', name="add"), piece("}}}", name="add"))

    assert joined(*pieces, piece("", name="add")) == (ToolCall("call_1", "add", {"x": {"y": {"z": 1}}}),)


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


json_values_calls = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["index", "id", "function", "name", "arguments"]), inner)
    ),
)


@given(st.lists(json_values_calls))
def test_nothing_that_a_server_sends_breaks_it(deltas: list[object]) -> None:
    calls = ToolCallParser()
    for fed in deltas:
        assert calls.feed(fed) >= 0
    whole = calls.calls(cut=False)

    assert len({call.id for call in whole}) == len(whole)


def split(*pieces: str) -> tuple[str, str]:
    """The thoughts and the answer."""
    tags = ThinkTags()
    events = [event for piece in pieces for event in tags.feed(piece)] + list(tags.end())
    assert all(event.text for event in events)
    return (
        "".join(event.text for event in events if isinstance(event, Thinking)),
        "".join(event.text for event in events if isinstance(event, TextDelta)),
    )


@pytest.mark.parametrize(
    ("text", "thoughts", "answer"),
    [
        ("<think>Hm.</think>\n\nYes.", "Hm.", "Yes."),
        ("\n<think>\nHm.\n</think>Yes.", "\nHm.\n", "Yes."),
        ("<think></think>Yes.", "", "Yes."),
        ("<think>Hm.", "Hm.", ""),
        ("<think>a </th b</think>Yes.", "a </th b", "Yes."),
        ("Yes.", "", "Yes."),
        ("<thin", "", "<thin"),
        ("<b>Yes</b>", "", "<b>Yes</b>"),
        ("Write <think>x</think> so.", "", "Write <think>x</think> so."),
        ("<think>a</think>Yes. <think>b</think>", "a", "Yes. <think>b</think>"),
        ("  ", "", "  "),
        ("", "", ""),
    ],
)
def test_thoughts_stand_between_tags_at_the_very_beginning(text: str, thoughts: str, answer: str) -> None:
    assert split(text) == (thoughts, answer)
    assert split(*text) == (thoughts, answer)


@given(st.text(alphabet="<think>/ a\n"), st.data())
def test_how_a_text_is_cut_into_pieces_changes_nothing(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))

    assert split(text[:at], text[at:]) == split(text) == split(*text)
