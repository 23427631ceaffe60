"""Options of memory."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, model_validator

from bot.config.options.fields import Address, FilePath, Key, Name, Section, Whole, refuse

MIN_CHUNK, OPENCLAW_CHUNK = 50, 400
"""Tokens."""

Share = Annotated[float, Field(ge=0, le=1)]


class RecallOptions(Section):
    """How much is handed over when memory is asked."""

    limit: Whole = Field(default=6, ge=1, le=50, examples=[10])
    """How many passages one question may bring back."""
    budget_chars: Whole = Field(default=8000, ge=500, le=200_000, examples=[20_000])
    """How many characters they may have together; what does not fit is left out, worst first."""


class ChunkOptions(Section):
    """How notes are cut for searching. Facts are not concerned: each is found by itself."""

    tokens: Whole | None = Field(
        default=None,
        ge=0,
        le=2000,
        examples=[400],
        json_schema_extra={"allowed": "0, or a whole number from 50 to 2000"},
    )
    """How long a chunk of paragraphs that stand side by side may be; with 0 each paragraph stands by itself. Left out,
    400 with ranking: openclaw or an overlap, else 0. The index follows at the next start."""
    overlap: Whole | None = Field(
        default=None, ge=0, le=1000, examples=[80], json_schema_extra={"allowed": "a whole number from 0 to 1000"}
    )
    """How many tokens of a chunk the next one may repeat, in whole lines; left out, a fifth of a chunk."""

    @model_validator(mode="after")
    def _sizes_fit(self) -> Self:
        if self.tokens is not None and 0 < self.tokens < MIN_CHUNK:
            raise refuse(f"0, or at least {MIN_CHUNK}", at="tokens")
        if self.overlap and self.overlap * 2 > (OPENCLAW_CHUNK if self.tokens is None else self.tokens):
            raise refuse("at most half of a chunk", hint="A fifth is usual.", at="overlap")
        return self


class EmbedderOptions(Section):
    """What turns text into vectors, so that memory is found by meaning and not by its words alone."""

    kind: Literal["built-in", "endpoint", "none"] = Field(default="built-in", examples=["none"])
    """ "built-in" works on this machine, without a key and without a network; "endpoint" sends what is remembered to
    the address below; with none, words are searched alone."""
    model: str = Field(default="", max_length=200, examples=["nomic-embed-text"])
    """For an endpoint: the name of the embedding model there."""
    base_url: Address = Field(default="https://api.openai.com/v1", examples=["http://localhost:11434/v1"])
    """For an endpoint: where it is reached; anything that speaks the OpenAI protocol, on this machine too."""
    api_key: Key = Field(default=SecretStr(""), examples=["${OPENAI_API_KEY}"])
    """For an endpoint: its key. Better a reference than the key itself; local servers need none."""
    idle_minutes: Whole = Field(default=15, ge=0, le=10_080, examples=[60])
    """For the built-in one: minutes without a question after which it leaves the memory, which gives some 30 MB back;
    the next question loads it again, in a fifth of a second. With 0 it stays."""

    @model_validator(mode="after")
    def _model_goes_with_endpoint(self) -> Self:
        if self.kind == "endpoint" and not self.model.strip():
            raise refuse("the name of an embedding model", hint="For example text-embedding-3-small.", at="model")
        if self.kind != "endpoint" and self.model:
            allowed = "endpoint, where a model is named"
            raise refuse(allowed, hint="Write kind: endpoint, or take model: away.", at="kind")
        return self


class AutoRecallOptions(Section):
    """What a model is given from memory with every message, before it asks for anything."""

    enabled: bool = Field(default=True, examples=[False])
    """Whether it is given anything; without it, a model finds only what it searches for."""
    max_chars: Whole | None = Field(default=None, ge=100, le=100_000, examples=[1000])
    """How many characters that may have; left out, a fifth of the window's tokens, at most 2400."""


class SessionSourceOptions(Section):
    """Finding what you told in your private conversations, beside what was noted."""

    index: bool = Field(default=False, examples=[True])
    """Whether it is found by search and recall. Questions, commands and answers are left out; groups and guests never
    see any of it."""
    quota: Whole = Field(default=2, ge=1, le=20, examples=[4])
    """How many passages of it are handed over at most, behind those of notes, which lose no place to them."""


class RetainOptions(Section):
    """Once a night, what you told and wrote and nobody noted becomes a few facts of that day."""

    enabled: bool = Field(default=True, examples=[False])
    """Whether it does by itself; `scrubjay memory retain` does it at any time. The agent's model is asked, if it has
    one."""
    at: Whole = Field(default=3, ge=0, le=23, examples=[2])
    """The hour at which it happens, in the owner's time zone."""


class ReflectOptions(Section):
    """Once a night, pages in `bank/` and the confidence of opinions follow what was said."""

    enabled: bool = Field(default=True, examples=[False])
    """Whether they do by themselves; `scrubjay memory reflect` does it at any time."""
    at: Whole = Field(default=4, ge=0, le=23, examples=[2])
    """The hour at which it happens, in the owner's time zone."""


class StrengthOptions(Section):
    """How facts fade that are of no use, and what counts as use. Nothing is ever removed from the files."""

    policy: Literal["fsrs", "linear"] = Field(default="fsrs", examples=["linear"])
    """How a fact that is not used ages: by the power law of FSRS-6, slower with each use, or by .02 a day (.01 for
    emotional ones) from 1."""
    faded: float | None = Field(default=None, ge=0, le=0.95, examples=[0.3], json_schema_extra={"allowed": "0 to 0.95"})
    """The strength under which a fact has faded: it is found by its own words, its day and `--faded`, and no longer by
    its meaning or a name alone. Left out, .5 for fsrs (an ordinary fact after seven months without use, a trifle after
    four weeks) and .1 for linear (after 45 days); with 0 nothing fades."""
    review_on: Literal["citation", "recall"] = Field(default="citation", examples=["recall"])
    """What counts as use: that an answer cited the fact, and the next message did not correct it, or already that it
    was shown, which keeps alive whatever is searched for."""


class ConsolidateOptions(Section):
    """What was observed several times becomes one fact, and what is used again and again comes into `bank/`."""

    enabled: bool = Field(default=True, examples=[False])
    """Whether it does by itself; `scrubjay memory consolidate` does it at any time."""
    every_hours: Whole = Field(default=12, ge=1, le=168, examples=[6])
    """How many hours lie between two times; observations that are no facts are kept for 24 hours."""
    min_entries: Whole = Field(default=8, ge=1, le=1000, examples=[20])
    """How many statements must have come together since the last time; with fewer it waits."""
    idle_minutes: Whole = Field(default=20, ge=0, le=1440, examples=[60])
    """For how many minutes nothing may have been said; it works between conversations."""
    max_calls: Whole = Field(default=4, ge=0, le=100, examples=[0])
    """How often the agent's model may be asked each time, and twice as often in a day; with 0, or without a model,
    statements are counted."""
    report: Literal["off", "on"] = Field(default="off", examples=["on"])
    """Whether the owner is told in the chat what was done, and how it is taken back."""


class MemoryOptions(Section):
    """What the agents remember, and how it is found."""

    recall: RecallOptions = Field(default_factory=RecallOptions)
    auto_recall: AutoRecallOptions = Field(default_factory=AutoRecallOptions)
    auto_capture: Literal["off", "review", "on"] = Field(default="off", examples=["review"])
    """What you tell the agent in your private chat is noted without being asked for (on), or proposed (review): after
    each answer the model is asked once more what of your own words is worth remembering."""
    sessions: SessionSourceOptions = Field(default_factory=SessionSourceOptions)
    strength: StrengthOptions = Field(default_factory=StrengthOptions)
    retain: RetainOptions = Field(default_factory=RetainOptions)
    reflect: ReflectOptions = Field(default_factory=ReflectOptions)
    consolidate: ConsolidateOptions = Field(default_factory=ConsolidateOptions)
    embedder: EmbedderOptions = Field(default_factory=EmbedderOptions)
    ranking: Literal["scrubjay", "openclaw", "cortex"] = Field(default="scrubjay", examples=["openclaw"])
    """How what was found by words and by meaning is put in order: by what suits the question, with OpenClaw's fixed
    weights, or as Cortex does: .3 strength, .2 recency, .1 use, .4 meaning."""
    weights: dict[Literal["words", "meaning", "freshness", "min_score"], Share] = Field(
        default_factory=dict,
        examples=[{"meaning": 0.6, "words": 0.4, "min_score": 0.2}],
        json_schema_extra={"allowed": "a number from 0 to 1 for each of words, meaning, freshness and min_score"},
    )
    """Other weights than the ranking's: of words, of meaning, of freshness (the share of a score that what is new gains
    and what is very old loses), and the score below which nothing is handed over."""
    chunks: ChunkOptions = Field(default_factory=ChunkOptions)
    hyde: Literal["off", "on"] = Field(default="off", examples=["on"])
    """With a model: before it answers, it is asked what an answer might say, and memory is searched for the meaning of
    that, too. It costs a short request for each message, and waits three seconds at most."""
    wander: Literal["off", "start"] = Field(default="off", examples=["start"])
    """Whether a model is shown a fact by chance when a session starts, if possible one that nobody has come back to for
    long; `/wander` shows some at any time."""
    salient_above: Share = Field(default=0.7, examples=[0.6], json_schema_extra={"allowed": "a number from 0 to 1"})
    """What an observation that is like nothing known must exceed to become a fact at once, by its importance times how
    new it is; what does not is kept for a day. With 0.6 an ordinary one does, too."""
    low_memory: bool = Field(default=False, examples=[True])
    """Keep the vectors on disk instead of in memory: slower, for small machines with much to remember."""
    watch: Literal["auto", "poll", "off"] = Field(default="auto", examples=["poll"])
    """How edits by hand are noticed at once: auto asks the system, poll looks through the folder again and again
    (network drives need it), off leaves it to the next question."""
    extra_paths: dict[Name, FilePath] = Field(
        default_factory=dict,
        examples=[{"handbook": "~/handbook"}],
        json_schema_extra={"allowed": "a folder each, under a name of your choice"},
    )
    """Further folders of Markdown to find things in, read and never written; relative to this file."""
    extra_trusted: tuple[Name, ...] = Field(
        default=(), examples=[["handbook"]], json_schema_extra={"allowed": "names of folders in extra_paths"}
    )
    """Which of these folders hold your own words alone. What stands in the others counts as foreign: it is found and
    shown, and an agent that has read it writes nothing down by itself until `/new`."""
    extra_quota: Whole = Field(default=5000, ge=1, le=1_000_000, examples=[500])
    """How many files of one such folder are taken in, the newest first, so that it does not drown memory."""

    @property
    def chunk_size(self) -> tuple[int, int] | None:
        """Tokens of a chunk of notes, and of what the next may repeat; None where each paragraph stands by itself."""
        by_default = OPENCLAW_CHUNK if self.ranking == "openclaw" or self.chunks.overlap else 0
        tokens = by_default if self.chunks.tokens is None else self.chunks.tokens
        overlap = tokens // 5 if self.chunks.overlap is None else self.chunks.overlap
        return (tokens, overlap) if tokens else None
