"""Usage: what models took, in tables that sort, and the caps."""

from __future__ import annotations

from pathlib import Path

from bot.llm.types import Payer, Usage
from bot.storage.keys import Principal, SessionKey
from tests.support.dashboard import OpenSite, configured, open_site
from tests.support.factories import HOME, OWNER

PRICES = [{"model": "small", "as_of": "2026-11-01", "input": 1.0, "output": 10.0}]
GUEST = Principal("telegram:7", "Bo", is_owner=False)


async def ask(site: OpenSite, agent: str, model: str, who: Principal, tokens: int) -> None:
    """Count an answer of a model."""
    payer = Payer(f"t{tokens}", SessionKey(agent, HOME), who)
    await site.app.context.usage.add(agent, model, payer, Usage(tokens, tokens), estimate=0)


async def test_it_is_counted_by_day_agent_model_and_person_and_sorted(tmp_path: Path) -> None:
    options = configured(usage={"prices": PRICES, "tokens_day": 4000})
    async with open_site(tmp_path, options) as site:
        assert "No model has answered in these thirty days" in await site.page("/usage")
        await ask(site, "personal", "small", OWNER, 1000)
        await ask(site, "work", "large", GUEST, 700)

        data = await site.data("/usage", order="name")
        tables = {title: [row["name"] for row in rows] for title, rows in data["tables"].items()}
        upwards = await site.data("/usage", order="tokens")

        assert tables == {
            "By agent": ["personal", "work"],
            "By model": ["large", "small"],
            "By person": ["telegram:7", "you"],
        }
        assert [row["tokens"] for row in upwards["tables"]["By model"]] == [1400, 2000]
        assert (data["days"][-1], data["today"]["tokens"]) == (["21", 3400], 3400)
        assert [(one["option"], one["share"]) for one in data["caps"]] == [("usage.tokens_day", 0.85)]
        assert "3,400 tokens of 4,000 tokens" in await site.page("/usage")


async def test_who_may_see_one_agent_sees_what_that_one_took(tmp_path: Path) -> None:
    async with open_site(tmp_path, configured(usage={"tokens_day": 4000}), only="work") as site:
        await ask(site, "personal", "small", OWNER, 1000)
        await ask(site, "work", "large", GUEST, 700)

        data = await site.data("/usage")

        assert [row["name"] for row in data["tables"]["By agent"]] == ["work"]
        assert (data["all"]["tokens"], data["caps"]) == (1400, [])
