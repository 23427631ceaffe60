from pathlib import Path

import pytest

from memory import OWNER, Memory

PAGE = """# Procedures

- P: How to bleed the radiator:
  1. Switch the pump off.
  2. Open the valve with the key.
  3. Close it when water comes.
- P @Tea: How to make green tea ^tea00001
  1. Boil the water.
  2. Wait five minutes.
"""


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        ("How do I bleed the radiator?", ["Switch the pump off", "Open the valve", "Close it"]),
        ("open the valve", ["Switch the pump off", "Open the valve", "Close it"]),
        ("How do I make green tea?", ["Boil the water", "Wait five minutes"]),
    ],
)
async def test_a_procedure_is_handed_over_with_all_of_its_steps_in_order(
    tmp_path: Path, question: str, steps: list[str]
) -> None:
    (tmp_path / "w" / "bank").mkdir(parents=True)
    (tmp_path / "w" / "bank" / "procedures.md").write_text(PAGE, encoding="utf-8")
    async with await Memory.open(tmp_path / "w", index=tmp_path / "i.sqlite") as memory:
        found = await memory.recall(question, scope=OWNER)
        assert await memory.problems() == ()

    told = found.answers[0].content.split("\n")[1:]
    assert [line.split(". ", 1)[1][: len(step)] for line, step in zip(told, steps, strict=True)] == steps
