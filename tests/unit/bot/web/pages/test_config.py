"""Config: options are changed here, and secrets are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.paths import Home
from tests.support.dashboard import configured, open_site

KEY, TOKEN = "key-of-the-other-model", "7000000001:" + "A" * 35
WITH_SECRETS = {
    "model": {"fallbacks": [{"name": "small", "base_url": "http://localhost:1/v1", "api_key": KEY}]},
    "telegram": {"more_tokens": [TOKEN]},
}
WRITTEN = f"""\
model:
  fallbacks: [{{name: small, base_url: "http://localhost:1/v1", api_key: {KEY}}}]
telegram:
  more_tokens: ["{TOKEN}"]
"""


@pytest.mark.parametrize("option", ["model.fallbacks", "telegram.more_tokens"])
async def test_a_list_with_secrets_is_not_saved_as_it_is_shown(tmp_path: Path, option: str) -> None:
    home = Home.at(tmp_path)
    async with open_site(tmp_path, configured(**WITH_SECRETS)) as site:
        home.config.write_text(WRITTEN)
        shown = {one["key"]: one for one in (await site.data("/config"))["options"]}[option]
        answer = await site.change("/config/set", key=option, value=shown["value"].replace("small", "large"))

        assert shown["is_secret"]
        assert answer.status_code == 403
        assert home.config.read_text() == WRITTEN
        assert (await site.change("/config/set", key="telegram.more_tokens", value=f'["{TOKEN}"]')).status_code == 403


async def test_a_list_without_secrets_is_saved(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        sent = await site.change("/config/set", key="memory.extra_trusted", value="[]")

        assert sent.status_code == 303
