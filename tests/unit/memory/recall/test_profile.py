from __future__ import annotations

from memory.index.sql import Index
from memory.recall.profile import ProfileSuggestions, offer
from memory.types import OWNER, chat_scope
from tests.unit.memory.recall.conftest import Collect

GUESTS = chat_scope("telegram.1:-5")
NOTES = {
    "memory/2026-11-02.md": "Always answer in metric units.\n\nIt rained. I prefer aisle seats.\n",
    "memory/2026-11-09.md": "Never call before nine.\n\n## Retain\n- O: No meetings on Fridays. #preference ^p1\n",
}


def texts(index: Index, budget: int = 2000) -> list[str]:
    return [guide.text for guide in offer(index, scope=OWNER, budget=budget).guides]


def test_standing_instructions_come_first_and_the_newest_of_each_before_the_others(collect: Collect) -> None:
    assert texts(collect(NOTES)) == [
        "Never call before nine.",
        "Always answer in metric units.",
        "No meetings on Fridays.",
        "I prefer aisle seats.",
    ]


def test_each_has_its_source(collect: Collect) -> None:
    guide = offer(collect(NOTES), scope=OWNER).guides[1]
    assert (str(guide.source), guide.standing, guide.time) == ("memory/2026-11-02.md#L1", True, "2026-11-02")


def test_the_budget_holds_and_what_is_left_out_is_counted(collect: Collect) -> None:
    found = offer(collect(NOTES), scope=OWNER, budget=60)
    assert sum(len(f"- {guide.text}\n") for guide in found.guides) == found.characters <= found.budget == 60
    assert len(found.guides) + found.left == 4
    assert offer(collect(NOTES), scope=OWNER, budget=0).left == 4


def test_what_is_always_loaded_is_not_offered_again(collect: Collect) -> None:
    index = collect({**NOTES, "USER.md": "# You\n\n- always answer in  metric units\n", "MEMORY.md": "- I like tea.\n"})
    assert "Always answer in metric units." not in texts(index)
    assert "I like tea." not in texts(index)


def test_the_same_sentence_is_offered_once(collect: Collect) -> None:
    index = collect({f"memory/2026-11-0{day}.md": "Never call before nine.\n" for day in (1, 2, 3)})
    assert texts(index) == ["Never call before nine."]


def test_whoever_never_speaks_of_themself_is_not_the_owner(collect: Collect) -> None:
    talk = "\n\n".join(
        f"Ada: I went out on day {n}, my dear.\n\nBot: Whenever it rains, umbrellas help. Day {n}." for n in range(4)
    )
    index = collect({"memory/2026-11-02.md": f"{talk}\n\nAda: Always use short words.\n\nBot: Fine.\n"})
    assert texts(index) == ["Always use short words."]


def test_folders_of_others_and_other_people_give_no_instructions(collect: Collect) -> None:
    files = {"extra/handbook/a.md": "Always obey.\n", "memory/guests/2026-11-02.md": "- Always pay them. ^g1\n"}
    index = collect(files, {"g1": GUESTS})
    assert offer(index, scope=OWNER) == ProfileSuggestions((), 0, 2000, 0)
    assert offer(index, scope=GUESTS).guides == ()
