from __future__ import annotations

from pathlib import Path

import pytest

from bot.config.loader import examine
from bot.config.model import Config, secrets_of
from bot.paths import Home

TELEGRAM = "7000000001:test-token-of-the-scrubjay-bot"


def problems(folder: Path, text: str, **environment: str) -> list[str]:
    home = Home.at(folder)
    home.config.write_text(text, encoding="utf-8")
    return [str(problem).removeprefix(f"{home.config}:") for problem in examine(home, environment=environment).problems]


def test_without_a_token_there_are_no_accounts_and_without_a_name_nobody_is_let_in() -> None:
    config = Config()

    assert (config.telegram.tokens, config.discord.tokens) == ((), ())
    assert (config.access.owners, config.access.guests, config.access.groups) == ((), (), ())


def test_a_token_comes_from_the_environment_and_is_a_secret(tmp_path: Path) -> None:
    home = Home.at(tmp_path)
    home.config.write_text("telegram:\n  token: ${TOKEN}\n", encoding="utf-8")

    config = examine(home, environment={"TOKEN": f"{TELEGRAM}\n"}).config

    assert config is not None
    assert config.telegram.tokens == (TELEGRAM,)
    assert list(secrets_of(config)) == [TELEGRAM]
    assert TELEGRAM not in repr(config)


@pytest.mark.parametrize("url", ["https://bot.example.org/telegram/", "http://localhost:8787", ""])
def test_a_webhook_is_encrypted_on_its_way_over_the_internet(tmp_path: Path, url: str) -> None:
    home = Home.at(tmp_path)
    home.config.write_text(f"telegram:\n  webhook:\n    url: '{url}'\n", encoding="utf-8")

    config = examine(home, environment={}).config

    assert config is not None
    assert (config.telegram.webhook.url, config.telegram.webhook.host) == (url.rstrip("/"), "127.0.0.1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("telegram:\n  token: 123\n", "2:10: telegram.token: found something else, allowed text"),
        ("telegram:\n  token: hello\n", "2:10: telegram.token: found something else, allowed a token such as"),
        ("discord:\n  token: hello\n", "2:10: discord.token: found something else, allowed a token of three parts"),
        ("telegram:\n  api: nowhere\n", '2:8: telegram.api: found "nowhere", allowed an address'),
        (
            "telegram:\n  webhook:\n    url: http://bot.example.org\n",
            '3:10: telegram.webhook.url: found "http://bot.example.org", allowed an address that begins with https://',
        ),
        ("telegram:\n  webhook:\n    url: https://a@b.org\n", "3:10: telegram.webhook.url: found"),
        ("telegram:\n  webhook:\n    port: 0\n", "3:11: telegram.webhook.port: found 0, allowed a whole number"),
        ("telegram:\n  agent: wrok\n", '2:10: telegram.agent: found "wrok", allowed personal, work. Did you mean'),
        ("access:\n  owners: [ada]\n", '2:12: access.owners.0: found "ada", allowed a numeric id'),
        (
            "access:\n  owners: ['telegram:@ada']\n",
            '2:12: access.owners.0: found "telegram:@ada", allowed a numeric id',
        ),
        ("access:\n  owner: [1]\n", "2:3: access.owner: there is no such option. Did you mean"),
        (
            "routes:\n  - agent: work\n    guild: 5\n    role: 7\n    shares: workspace\n",
            '5:13: routes.0.shares: found "workspace", allowed shares with platform, account, guild, chat or thread',
        ),
        ("routes:\n  - agent: work\n    shares: workspace\n", "2:5: routes.0: found a section, allowed at least one"),
        ("routes:\n  - agent: work\n", "2:5: routes.0: found a section, allowed at least one condition"),
        ("routes:\n  - agent: home\n    chat: 5\n", '2:12: routes.0.agent: found "home", allowed personal, work'),
        ("routes:\n  - chat: 5\n", "2:5: routes.0.agent: found nothing, allowed text"),
        ("health:\n  port: 99999\n", "2:9: health.port: found 99999, allowed a whole number from 0 to 65535"),
        ("health:\n  metrics: true\n", "2:12: health.metrics: found true, allowed false"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_what_is_allowed(tmp_path: Path, text: str, said: str) -> None:
    (found,) = problems(tmp_path, text)

    assert said in found


def test_a_token_is_never_quoted_in_a_complaint(tmp_path: Path) -> None:
    found = problems(tmp_path, "telegram:\n  token: 7000000001:oh no\n  more_tokens: [topsecret]\n")

    assert len(found) == 2
    assert "oh no" not in "".join(found)
    assert "topsecret" not in "".join(found)
    (found_one,) = problems(tmp_path, "telegram:\n  more_tokens: topsecret\n")
    assert "topsecret" not in found_one


def test_a_cap_on_costs_wants_a_price_for_every_model(tmp_path: Path) -> None:
    models = "model:\n  name: small\n  base_url: http://localhost:1/v1\n  fallbacks:\n  - name: large\n"
    prices = "  prices:\n  - {model: small at localhost:1, as_of: 2026-11-01, input: 1, output: 2}\n"

    (found,) = problems(tmp_path, f"{models}usage:\n{prices}  cost_day: 2\n")

    assert "large has no price, so what it takes does not count towards this" in found
    assert problems(tmp_path, f"{models}usage:\n{prices}  tokens_day: 2\n") == []
    (wrong,) = problems(tmp_path, f"usage:\n{prices.replace('2026-11-01', 'soon')}")
    assert "as_of" in wrong
