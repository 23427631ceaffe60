from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory.errors import Error, Unparsable
from memory.files.markdown import BlockKind, blocks
from memory.files.names import MAX_MENTION_CHARS, entity_name, linked_name, mentions
from memory.files.notation import (
    NAMES,
    forgotten_id,
    forgotten_line,
    format_attributes,
    format_fact,
    normal,
    parse_attributes,
    parse_fact,
    parse_typed,
    tags_of,
    title_of,
)
from memory.types import CATEGORIES, Fact, Kind

FACT_KINDS = [kind for kind in Kind if kind.letter]

EXAMPLES = [
    (
        "- W @Peter: Currently in Marrakech (Nov 27–Dec 1, 2025) for Andy’s birthday.",
        Fact("Currently in Marrakech (Nov 27–Dec 1, 2025) for Andy’s birthday.", Kind.WORLD, ("Peter",)),
    ),
    (
        "- B @warelay: I fixed the WS crash by wrapping connection.update handlers (see memory/2025-11-27.md).",
        Fact(
            "I fixed the WS crash by wrapping connection.update handlers (see memory/2025-11-27.md).",
            Kind.EXPERIENCE,
            ("warelay",),
        ),
    ),
    (
        "- O(c=0.95) @Peter: Prefers concise replies (&lt;1500 chars) on WhatsApp; long content goes into files.",
        Fact(
            "Prefers concise replies (&lt;1500 chars) on WhatsApp; long content goes into files.",
            Kind.OPINION,
            ("Peter",),
            attributes=(("c", "0.95"),),
        ),
    ),
    (
        "- O(c=0.95) @Peter: Short answers, please. #preference ^k3f9a2",
        Fact("Short answers, please.", Kind.OPINION, ("Peter",), "preference", "k3f9a2", (("c", "0.95"),)),
    ),
    (
        "- T(due=2026-12-01T09:00) @me: Send Alice the signed offer. #goal ^p8d2m1",
        Fact("Send Alice the signed offer.", Kind.INTENTION, ("me",), "goal", "p8d2m1", (("due", "2026-12-01T09:00"),)),
    ),
    (
        "- W @The-Castle: The boiler of the castle was replaced.",
        Fact("The boiler of the castle was replaced.", Kind.WORLD, ("The-Castle",)),
    ),
    (
        "* P: To restart the pump, hold both buttons. #workflow",
        Fact("To restart the pump, hold both buttons.", Kind.PROCEDURE, category="workflow"),
    ),
]


@pytest.mark.parametrize(("line", "fact"), EXAMPLES)
def test_each_example_of_the_notation_parses(line: str, fact: Fact) -> None:
    assert parse_fact(line) == fact


@pytest.mark.parametrize(
    "prose",
    [
        "I went home",
        "W is a letter",
        "B is the second one",
        "O(n) is faster than O(n log n)",
        "P(A|B) is the posterior",
        "T-shirts are sold out",
        "S",
        "Bob: called about the roof",
        "W(hat a day",
        "T:38 degrees",
        "C:\\temp is full",
        "[ ] buy milk",
        "B @ noon",
        "X(c=0.5) is a call",
        "T (x = 3) in the table",
        "“W” stands for west",
    ],
)
def test_prose_is_an_observation_as_it_stands(prose: str) -> None:
    assert parse_fact(f"- {prose}") == Fact(prose)


@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        ("- O(c=abc) @Peter: x", 5, "not a confidence"),
        ("- O(c=1.5) @Peter: x", 5, "not a confidence"),
        ("- O(c=nan) @Peter: x", 5, "not a confidence"),
        ("- O(c=1e-1) @Peter: x", 5, "not a confidence"),
        ("- O(v=-2): x", 5, "not a valence"),
        ("- O(c=0.5, v=7) @Peter: x", 12, "not a valence"),
        ("- W(a=٣) @Peter: x", 5, "not an arousal"),
        ("- O(c=0.9 @Peter: x", 4, "not closed"),
        ("- O(x=1) @Peter: x", 5, "no attribute `x`"),
        ("- O(x=1) likes tea", 5, "no attribute `x`"),
        ("- O(0.9) @Peter: x", 5, "not `name=value`"),
        ("- O(c=0.9, c=0.8): x", 12, "given twice"),
        ("- T(due=tomorrow): x", 5, "not an ISO"),
        ("- T(due=2026-13-01): x", 5, "not an ISO"),
        ("- T(due=2026-02-30T10:00): x", 5, "not an ISO"),
        ("- T(due=20261201): x", 5, "not an ISO"),
        ("- W(since=2025-11-27T10:00): x", 5, "not an ISO day"),
        ("- W(until=2025-02-29): x", 5, "not an ISO day"),
        ("- W(from=nobody): x", 5, "not one of"),
        ("- W (c=2): x", 6, "not a confidence"),
        ("- W @Peter:", 12, "nothing is said"),
        ("- W:", 5, "nothing is said"),
        ("- W: #goal ^abc", 5, "nothing is said"),
        ("-", 2, "nothing is said"),
        ("  - ", 5, "nothing is said"),
        ("plain text", 1, "not a bullet"),
    ],
)
def test_a_malformed_bullet_is_refused_with_its_column_and_reason(line: str, column: int, reason: str) -> None:
    with pytest.raises(Unparsable) as refused:
        parse_fact(line)
    assert refused.value.column == column
    assert reason in refused.value.reason
    assert refused.value.hint
    assert isinstance(refused.value, Error)


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        ("- W @王小明：住在北京。", Fact("住在北京。", Kind.WORLD, ("王小明",))),
        ("- W：北京很冷", Fact("北京很冷", Kind.WORLD)),
        ("- B @Алиса: Купила билет.", Fact("Купила билет.", Kind.EXPERIENCE, ("Алиса",))),
        ("- W @पीटर: दिल्ली में है", Fact("दिल्ली में है", Kind.WORLD, ("पीटर",))),
        ("- W [[Peter]], [[The Castle|castle]]: moved in", Fact("moved in", Kind.WORLD, ("Peter", "The-Castle"))),
        ("- W @Peter is in Rome", Fact("@Peter is in Rome", Kind.WORLD, ("Peter",))),
        ("- W @Peter's dog: barks", Fact("@Peter's dog: barks", Kind.WORLD, ("Peter",))),
        ("- O() @Peter: x", Fact("x", Kind.OPINION, ("Peter",))),
        ("- O(c=.9)@Peter:x", Fact("x", Kind.OPINION, ("Peter",), attributes=(("c", ".9"),))),
        ("- O ( c = 1 , i = 0.5 ) : x", Fact("x", Kind.OPINION, attributes=(("c", "1"), ("i", "0.5")))),
        ("- W(from=guest): x", Fact("x", Kind.WORLD, attributes=(("from", "guest"),))),
        ("12) W: x", Fact("x", Kind.WORLD)),
        ("\t+ W: x", Fact("x", Kind.WORLD)),
        ("- met @Alice and [[Bob]]", Fact("met @Alice and [[Bob]]", entities=("Alice", "Bob"))),
        ("- W @Peter: saw @peter and @Ann", Fact("saw @peter and @Ann", Kind.WORLD, ("Peter", "Ann"))),
        ("- W: a #Goal ^x", Fact("a", Kind.WORLD, category="goal", id="x")),
        ("- W: a #unknown", Fact("a #unknown", Kind.WORLD)),
        ("- W: a #goal b", Fact("a #goal b", Kind.WORLD)),
        ("- W: a #goal #rule", Fact("a #goal", Kind.WORLD, category="rule")),
        ("- W: a^b", Fact("a^b", Kind.WORLD)),
        ("- W: a ^not_an_id", Fact("a ^not_an_id", Kind.WORLD)),
        ("- W: tab\there\x00", Fact("tab\there\ufffd", Kind.WORLD)),
    ],
)
def test_what_people_write_is_understood(line: str, fact: Fact) -> None:
    assert parse_fact(line) == fact


def test_continuation_lines_belong_to_the_statement() -> None:
    assert parse_fact("- W @Peter: one\n  two\r\n\tthree #rule").text == "one two three"


def test_an_id_at_the_end_of_the_first_line_stays_the_id_when_lines_are_added_below() -> None:
    fact = parse_fact("- W: one #rule ^a1\n  two")
    assert (fact.text, fact.category, fact.id) == ("one\ntwo", "rule", "a1")


@pytest.mark.parametrize("text", ["a #goal", "a ^abc", "#goal", "^abc", r"a \#goal", r"a \\^x", "a\n#goal", "#GOAL"])
def test_a_statement_that_ends_like_notation_is_not_taken_for_it(text: str) -> None:
    line = format_fact(Fact(text, id="k3f9a2mq"))
    assert parse_fact(line) == Fact(text, id="k3f9a2mq")


def test_the_escape_is_the_backslash_of_markdown() -> None:
    assert format_fact(Fact("see #goal", Kind.WORLD, id="x1")) == r"- W: see \#goal ^x1"


@pytest.mark.parametrize(
    "text",
    ["W @Eve: x", "a\n- W @Eve: x", "O(c=1): x", "<!-- scrubjay:forgotten ^a -->", "a\u2028- B: b", "```\r\n# x"],
)
def test_a_statement_cannot_forge_a_head_or_a_line(text: str) -> None:
    line = format_fact(Fact(text, id="a1"))
    fact = parse_fact(line)
    assert fact == normal(Fact(text, id="a1"))
    assert line.startswith("- S")
    [block] = blocks(line)
    assert block.text == line


@pytest.mark.parametrize(
    "fact",
    [
        Fact(""),
        Fact(" \n\t"),
        Fact("a\x00b"),
        Fact("a\ud800b"),
        Fact("one\ntwo"),
        Fact("x", Kind.NOTE),
        Fact("x", category="nonsense"),
        Fact("x", id="a b"),
        Fact("x", attributes=(("c", "0.5): @Eve"),)),
        Fact("x", attributes=(("c", "1"), ("c", "1"))),
        Fact("x", attributes=(("due", "2026-12-01\n- W: y"),)),
    ],
)
def test_what_could_not_be_read_back_is_not_written(fact: Fact) -> None:
    with pytest.raises(Unparsable):
        format_fact(fact)


MARKS = ["```", "~~~~", "\n```\n", "\n- ", "\n  ", "\n# x\n", "\n\n", "<!--", "-->"]
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1) | st.lists(
    st.sampled_from([*MARKS, *"ab -#^@[]():\\\n\u3000\x85：WOS*\t\r", "#goal", "^abc", "@Ann", "[[Bob|b]]", "c=1", " "])
).map("".join)
NAME = st.text(min_size=1, max_size=12) | st.sampled_from(["Peter", "The-Castle", "O'Brien", "约翰·史密斯", "a b"])
NUMBER = st.floats(0, 1, width=16).map(lambda x: f"{x:.3f}")
VALUES = {
    "c": NUMBER,
    "v": NUMBER.map(lambda x: f"-{x}"),
    "a": NUMBER,
    "i": NUMBER,
    "due": st.datetimes().map(lambda at: at.isoformat(timespec="minutes")),
    "every": st.sampled_from(["0 9 * * 1-5", "*/15 * * * *", "0 18 1,15 * 2,4"]),
    "when": st.sampled_from(["Ana", "the car", "花园"]),
    "since": st.dates().map(str),
    "until": st.dates().map(str),
    "from": st.sampled_from(["owner", "guest"]),
}
FACTS = st.builds(
    Fact,
    text=TEXT,
    kind=st.sampled_from(FACT_KINDS),
    entities=st.lists(NAME, max_size=3).map(tuple),
    category=st.none() | st.sampled_from(sorted(CATEGORIES)),
    id=st.none() | st.from_regex(r"[a-z0-9-]{1,8}", fullmatch=True),
    attributes=st.lists(st.sampled_from(NAMES), unique=True, max_size=3).flatmap(
        lambda names: st.tuples(*(st.tuples(st.just(name), VALUES[name]) for name in names))
    ),
).filter(lambda fact: fact.text.strip())
OF_ONE_LINE = FACTS.filter(lambda fact: fact.id is not None or "\n" not in normal(fact).text)


@given(OF_ONE_LINE)
@example(Fact("a", entities=("\u0301",)))
@example(Fact("@Eve: x", Kind.WORLD))
@example(Fact("shopping:\n\n- milk\n  - oat\n```\n# no heading ^abc\n```\n", id="a1"))
@example(Fact("```\nnever closed\n# heading\n<!-- comment", id="a1"))
@example(Fact("\\\n \\ \n\\# x\n\\^abc\n", id="a1"))
def test_every_fact_comes_back_to_the_letter(fact: Fact) -> None:
    lines = format_fact(fact)
    assert parse_fact(lines) == normal(fact)
    lines.encode()


@given(st.lists(FACTS, min_size=1, max_size=4))
def test_facts_below_each_other_stay_apart(facts: list[Fact]) -> None:
    facts = [replace(fact, id=f"k3f9a2m{number}") for number, fact in enumerate(facts)]
    page = "# 2026-11-21\n\n## Retain\n" + "".join(f"{format_fact(fact)}\n" for fact in facts) + "\nA paragraph.\n"
    read = [parse_fact(block.text) for block in blocks(page) if block.kind is BlockKind.BULLET]
    assert read == [normal(fact) for fact in facts]


def test_reading_a_long_fact_takes_time_in_proportion_to_its_length() -> None:
    for line in ("```x", "<!--", "\\", "^a ^a", "# x", "  "):
        fact = Fact("a\n" + f"{line}\n" * 40_000 + "b", id="a1")
        assert parse_fact(format_fact(fact)).text == fact.text


@pytest.mark.parametrize("text", ["T: 030 1234567", "W: nothing", "- milk\n- eggs", "O(n) is fast", "* W said so"])
def test_what_only_looks_a_little_like_notation_is_not_typed_notation(text: str) -> None:
    assert parse_typed(text) is None


def test_typed_notation_has_attributes_or_an_entity() -> None:
    assert parse_typed("- O(c=0.9) @Peter: Prefers tea. #preference ^a1") == Fact(
        "Prefers tea.", Kind.OPINION, ("Peter",), "preference", "a1", (("c", "0.9"),)
    )
    assert parse_typed("W @Peter: in Bonn") == Fact("in Bonn", Kind.WORLD, ("Peter",))


@given(FACTS)
def test_normal_form_is_final(fact: Fact) -> None:
    assert normal(normal(fact)) == normal(fact)


@given(TEXT | st.from_regex(r"\A[WBO](\(.*)?( @\w+)?:? .*( #goal)?( \^a1)?\Z"))
def test_any_bullet_is_read_or_refused_and_what_is_read_is_stable(body: str) -> None:
    try:
        fact = parse_fact(f"- {body}")
    except Unparsable:
        return
    assert fact == normal(fact)
    if fact.id or "\n" not in fact.text:
        assert parse_fact(format_fact(fact)) == fact


def test_a_forgotten_line_names_its_id_and_nothing_else_does() -> None:
    assert forgotten_id(f"  {forgotten_line('k3f9a2mq')} ") == "k3f9a2mq"
    assert forgotten_id("<!-- scrubjay:forgotten -->") is None
    assert forgotten_id("- S: <!-- scrubjay:forgotten ^a -->") is None


def test_all_attributes_are_read_as_written() -> None:
    text = "c=0.95, v=-1, a=1., i=.7, due=2026-12-01T09:00:30+01:00, since=2025-11-27, until=2025-12-01, from=import"
    pairs = parse_attributes(text, 1)
    assert dict(pairs)["due"] == "2026-12-01T09:00:30+01:00"
    assert format_attributes(pairs) == f"({text})"


@pytest.mark.parametrize("due", ["2026-12-01", "2026-12-01T09:00", "2026-12-01T09:00:00", "2026-12-01T09:00Z"])
def test_due_is_a_day_or_an_instant(due: str) -> None:
    assert parse_attributes(f"due={due}", 1) == (("due", due),)


def test_the_column_is_that_of_the_offending_pair() -> None:
    with pytest.raises(Unparsable) as refused:
        parse_attributes("c=1,  v=9", 10)
    assert refused.value.column == 16


def test_no_attributes_make_no_parenthesis() -> None:
    assert parse_attributes("  ", 1) == ()
    assert format_attributes(()) == ""


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
        ("@" + "很" * (MAX_MENTION_CHARS + 1), ()),
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
    if 0 < len(name) <= MAX_MENTION_CHARS:
        assert mentions(f"with @{name}: x") == (name,)


@given(st.text())
def test_any_link_target_has_a_writable_name_or_none(target: str) -> None:
    name = linked_name(target)
    assert entity_name(name) == name


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("**Offer:** sent on Monday.", "Offer"),
        ("**Offer** sent on Monday.", "Offer"),
        ("**报价**：星期一已发送。", "报价"),
        ("__Tea__: twice a day.", "Tea"),
        ("**Never deploy on Fridays.**", ""),
        ("Deploy **never** on Fridays.", ""),
        ("** not bold ** at all", ""),
    ],
)
def test_a_title_is_the_bold_words_that_more_follows(text: str, title: str) -> None:
    assert title_of(text) == title


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("Paint the shed #garden/shed, then the fence (#garden).", ("garden/shed", "garden")),
        ("#Garden work and #garden work", ("Garden",)),
        ("Room #12, `#code`, https://example.org/#part, [[Peter#Home]], [a](b.md#c), C# and a\\#b", ()),
        ("```\n#comment\n```\n#项目 begins", ("项目",)),
    ],
)
def test_tags_are_the_hashtags_in_a_text(text: str, tags: tuple[str, ...]) -> None:
    assert tags_of(text) == tags


@given(OF_ONE_LINE, st.sampled_from(["**A title:** ", "__A title__ ", ""]), st.sampled_from([" #tag/x", ""]))
def test_titles_and_tags_are_a_part_of_the_text_and_come_back_with_it(fact: Fact, title: str, tag: str) -> None:
    tagged = replace(fact, text=f"{title}said {fact.text}{tag}")
    assert parse_fact(format_fact(tagged)) == normal(tagged)
    assert title_of(normal(tagged).text) == title.strip("*_: ")
