from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.config.model import Config
from bot.memories import LOOK_EVERY_S, Memories
from bot.paths import Home
from memory import OWNER, FrozenClock, Mode, Origin
from memory.errors import EmbedderUnavailable
from tests.support.factories import NOON
from tests.unit.memory.embed.scripted import ScriptedEndpoint, serving

CLOCK = FrozenClock(NOON)
KEY = "The spare key is under the blue pot."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.at(tmp_path / "home")
    home.prepare()
    return home


@pytest.fixture
async def server() -> AsyncIterator[ScriptedEndpoint]:
    async with serving() as scripted:
        yield scripted


def configured(memory: dict[str, object], **agents: object) -> Config:
    return Config.model_validate({"agents": agents or {"a": {}}, "memory": memory})


def endpoint(server: ScriptedEndpoint, model: str = "letters") -> dict[str, str]:
    return {"kind": "endpoint", "model": model, "base_url": server.url, "api_key": "sk-1"}


async def test_weights_of_ones_own_take_the_place_of_those_of_the_ranking(home: Home) -> None:
    own = {"memory": {"weights": {"words": 1, "min_score": 0.9}}}
    config = configured({"embedder": {"kind": "none"}}, a={}, b=own, c={"memory": {"ranking": "openclaw"}})
    found: dict[str, list[float]] = {}
    async with Memories(home, config, clock=CLOCK) as memories:
        for name in "abc":
            workspace = config.workspaces(home)[name]
            workspace.mkdir(parents=True)
            for number, text in enumerate(("The red key hangs here.", "The key.", "The red bin.")):
                (workspace / f"{number}.md").write_text(text)
            async with memories.open(name) as memory:
                found[name] = [hit.score for hit in (await memory.recall("red key", scope=OWNER)).hits]

    assert min(found["a"]) < 0.9 <= min(found["b"])
    assert min(found["c"]) >= 0.35


@pytest.mark.parametrize(
    ("memory", "passages"),
    [
        ({}, 100),
        ({"chunks": {"tokens": 100}}, 7),
        ({"chunks": {"tokens": 50, "overlap": 0}}, 12),
        ({"chunks": {"overlap": 10}}, 2),
        ({"ranking": "openclaw"}, 2),
        ({"ranking": "openclaw", "chunks": {"overlap": 10}}, 2),
        ({"ranking": "openclaw", "chunks": {"tokens": 0}}, 100),
    ],
)
async def test_notes_are_cut_into_chunks_where_that_is_wanted_or_done_by_openclaw(
    home: Home, memory: dict[str, object], passages: int
) -> None:
    config = configured({"embedder": {"kind": "none"}, **memory})
    workspace = config.workspaces(home)["a"]
    workspace.mkdir(parents=True)
    (workspace / "notes.md").write_text("\n\n".join(f"Paragraph number {number:02}." for number in range(100)))
    async with Memories(home, config, clock=CLOCK) as memories, memories.open("a") as opened:
        assert (await opened.status()).units == passages


async def test_agents_that_want_the_same_embedder_share_one(home: Home) -> None:
    own = {"memory": {"embedder": {"kind": "endpoint", "model": "other"}}}
    config = configured({}, a={}, b={"memory": {"ranking": "openclaw"}}, c=own, d={"memory": {"embedder": None}})

    async with Memories(home, config, clock=CLOCK) as memories:
        first, second, third, fourth = map(memories.embedding, "abcd")

    assert first
    assert second
    assert third
    assert fourth
    assert first.embedder is second.embedder is fourth.embedder
    assert third.embedder is not first.embedder
    assert first.cache == third.cache == home.cache / "vectors.sqlite"


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="tells of open files in another way")
async def test_the_built_in_model_leaves_when_nobody_has_asked_it_for_the_idle_time(
    home: Home, model_cache: Path
) -> None:
    from memory.embed.model_file import find_weights

    clock = FrozenClock(NOON)
    shutil.copytree(model_cache, home.cache, dirs_exist_ok=True)
    opened: list[int] = []

    async def look(seconds: float) -> None:
        weights = find_weights().resolve()
        opened.append(sum(link.resolve() == weights for link in Path("/proc/self/fd").iterdir()))
        if len(opened) == 3:
            raise asyncio.CancelledError
        clock.advance(minutes=3, seconds=seconds - LOOK_EVERY_S)

    async with Memories(home, configured({"embedder": {"idle_minutes": 5}}), clock=clock) as memories:
        embedding = memories.embedding("a")
        assert embedding
        await embedding.embedder.embed_query("where is the key?")
        with pytest.raises(asyncio.CancelledError):
            await memories.watch_embedders(look)

    assert opened == [opened[2] + 1, opened[2] + 1, opened[2]]


async def test_where_meaning_is_switched_off_there_is_no_embedder(home: Home) -> None:
    config = configured({"embedder": {"kind": "none"}}, a={}, b={"memory": {"embedder": {"kind": "built-in"}}})

    async with Memories(home, config, clock=CLOCK) as memories:
        assert memories.embedding("a") is None
        assert memories.embedding("b")
        async with memories.open("a") as memory:
            assert (await memory.status()).mode == "words"


async def test_an_embedder_is_closed_with_the_memories_that_share_it(home: Home) -> None:
    async with Memories(home, configured({}), clock=CLOCK) as memories:
        embedding = memories.embedding("a")

    assert embedding
    with pytest.raises(EmbedderUnavailable):
        await embedding.embedder.embed_query("anything")


async def test_an_endpoint_is_asked_with_its_key_and_what_it_embeds_is_found(
    home: Home, server: ScriptedEndpoint
) -> None:
    async with (
        Memories(home, configured({"embedder": endpoint(server)}), clock=CLOCK) as memories,
        memories.open("a") as memory,
    ):
        await memory.remember(KEY, origin=Origin.OWNER, scope=OWNER, op_id="1", actor="owner")
        await memory.embed()
        found = await memory.recall("where are the keys?", scope=OWNER)
        stands = await memory.status()

    assert set(server.keys) == {"Bearer sk-1"}
    assert (found.mode, [hit.content for hit in found.hits]) == ("hybrid", [KEY])
    assert (stands.mode, stands.embedded, stands.unembedded) == ("hybrid", 1, 0)


async def test_by_words_nothing_is_asked(home: Home, server: ScriptedEndpoint) -> None:
    config = configured({"embedder": endpoint(server)})
    async with Memories(home, config, clock=CLOCK) as memories, memories.open("a") as memory:
        await memory.remember(KEY, origin=Origin.OWNER, scope=OWNER, op_id="1", actor="owner")
        await memory.embed()
    asked = len(server.requests)

    async with (
        Memories(home, config, clock=CLOCK) as memories,
        memories.open("a", mode=Mode.READ_ONLY, by_words=True) as memory,
    ):
        found = await memory.recall("where is the spare key?", scope=OWNER)

    assert (found.mode, [hit.content for hit in found.hits]) == ("words", [KEY])
    assert len(server.requests) == asked


async def test_an_extra_folder_is_found_under_its_name_up_to_its_quota(home: Home, tmp_path: Path) -> None:
    folder = home.config.parent / "handbook"
    folder.mkdir()
    for age, topic in enumerate(("holidays", "travel", "expenses")):
        (folder / f"{topic}.md").write_text(f"Rules about {topic}.\n")
        os.utime(folder / f"{topic}.md", (1_000_000 - age, 1_000_000 - age))
    memory_options = {"embedder": {"kind": "none"}, "extra_paths": {"handbook": "handbook"}, "extra_quota": 2}

    async with Memories(home, configured(memory_options), clock=CLOCK) as memories, memories.open("a") as memory:
        sources = [
            str(hit.source)
            for topic in ("holidays", "travel", "expenses")
            for hit in (await memory.recall(topic, scope=OWNER)).hits
        ]

    assert sources == ["extra/handbook/holidays.md#L1", "extra/handbook/travel.md#L1"]
    assert memories.folders("a") == (home.workspace("a"), folder)


async def test_an_extra_folder_is_foreign_unless_it_is_trusted_by_name(home: Home) -> None:
    for name in ("vault", "handbook"):
        folder = home.config.parent / name
        folder.mkdir()
        (folder / "a.md").write_text(f"Rules of the {name}.\n")
    folders = {"extra_paths": {"vault": "vault", "handbook": "handbook"}, "extra_trusted": ["handbook"]}

    async with (
        Memories(home, configured({"embedder": {"kind": "none"}, **folders}), clock=CLOCK) as memories,
        memories.open("a") as memory,
    ):
        origins = {hit.source.path: hit.origin for hit in (await memory.recall("rules", scope=OWNER)).hits}
        read = await memory.get("extra/vault/a.md", scope=OWNER)

    assert origins == {"extra/vault/a.md": Origin.UNTRUSTED, "extra/handbook/a.md": Origin.OWNER}
    assert read.origins == {Origin.UNTRUSTED}
