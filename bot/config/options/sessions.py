"""Options of conversations."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from bot.config.options.fields import Section, Whole, refuse

DAY_MINUTES = 24 * 60


class ResetOptions(Section):
    """When a conversation ends by itself and the next message begins a new one. Left out: never."""

    daily: Whole | None = Field(default=None, ge=0, le=23, examples=[4])
    """At this hour on your clock, if something was said since."""
    idle_minutes: Whole | None = Field(default=None, ge=1, le=365 * DAY_MINUTES, examples=[8 * 60])
    """When nothing was said for so long. With both, whichever comes first."""


class ResetRule(ResetOptions):
    """What is otherwise for some conversations: those of a platform, of a type, or both."""

    platform: Literal["telegram", "discord", "terminal"] | None = None
    type: Literal["private", "group", "thread"] | None = None

    @model_validator(mode="after")
    def _says_which(self) -> ResetRule:
        if self.platform is None and self.type is None:
            raise refuse("a platform, a type, or both", hint="What holds everywhere stands in session.reset.")
        return self


class PruningOptions(Section):
    """What becomes of old results of tools in a request; the records of the conversation keep them."""

    mode: Literal["off", "cache-ttl"] = Field(default="off", examples=["cache-ttl"])
    """cache-ttl trims them to beginning and end, or takes them out, once the provider's cache of the conversation has
    gone cold: saves tokens in long conversations with many tools."""
    ttl_minutes: Whole = Field(default=5, ge=1, le=24 * 60, examples=[60])
    """How long that cache lives after a request."""


class FlushOptions(Section):
    """Noting what matters in your private conversation before the model does not see it any more."""

    enabled: bool = Field(default=True, examples=[False])
    """Whether that is done: before a conversation is shortened or ended."""
    soft_tokens: Whole | None = Field(default=None, ge=100, le=100_000, examples=[8000])
    """How many tokens before the conversation has to be shortened; left out, a twentieth of the window, at most
    4000."""
    system_prompt: str = Field(
        default="", max_length=4000, examples=["Nobody sees this. The conversation above is about to end."]
    )
    """What the model is told then; left out, that nobody sees its answer."""
    prompt: str = Field(
        default="", max_length=4000, examples=["Call remember for each decision. Then answer NO_REPLY."]
    )
    """What it is asked to do; left out, to note what will still matter in a month."""


class RetentionOptions(Section):
    """How long records are kept. What is in memory stays, and files have an option of their own (`files.keep_days`)."""

    transcripts_days: Whole | None = Field(default=None, ge=1, le=36_500, examples=[365])
    """Days after which a conversation is removed, counted from its last message; left out: never. One that goes on is
    kept whole."""
    delivered_days: Whole = Field(default=365, ge=7, le=36_500, examples=[90])
    """Days after which the copy of a delivered answer is removed from which it was sent. Until then your reply to it in
    the same conversation counts as one to the agent's own words."""
    seen_days: Whole = Field(default=90, ge=30, le=36_500, examples=[365])
    """Days for which the number of each message is kept, so that a platform that hands it over again is not answered
    twice; none does so after more than some days."""


class SessionOptions(Section):
    """How long a conversation goes on. What was said in it stays in memory and in the records."""

    reset: ResetOptions = Field(default_factory=ResetOptions)
    resets: tuple[ResetRule, ...] = Field(default=(), examples=[[{"type": "group", "idle_minutes": 120}]])
    """What is otherwise in some conversations: a list of platform (telegram, discord, terminal), type (private, group,
    thread), and daily or idle_minutes. Of those that fit, the one that names more wins, then the earlier one."""
    note: Literal["model", "rules"] = Field(default="model", examples=["rules"])
    """Who writes down what a conversation came to when it ends: the model, or rules, which ask nobody. Without a model,
    and if it does not answer in 15 seconds, rules do."""
    flush: FlushOptions = Field(default_factory=FlushOptions)
    pruning: PruningOptions = Field(default_factory=PruningOptions)
    retention: RetentionOptions = Field(default_factory=RetentionOptions)

    def reset_of(self, platform: str, type: str) -> ResetOptions:
        """Return what holds for conversations of a platform and a type."""
        fitting = [rule for rule in self.resets if rule.platform in {None, platform} and rule.type in {None, type}]
        named = sorted(fitting, key=lambda rule: (rule.platform is None) + (rule.type is None))
        return named[0] if named else self.reset
