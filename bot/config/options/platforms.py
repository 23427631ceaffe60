"""Options of chat platforms: accounts, who is let in, who answers where, behaviour in chats, and limits."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, field_validator, model_validator

from bot.config.options.fields import WEB_ADDRESS, Section, Whole, is_local, refuse, strip_text

TELEGRAM_API = "https://api.telegram.org"
DISCORD_API = "https://discord.com"

IDENTITY = re.compile(r"(telegram|discord):-?[0-9]{1,20}")
DISCORD_TOKEN = re.compile(r"[\w-]{18,}\.[\w-]{4,}\.[\w-]{20,}")
TELEGRAM_TOKEN = re.compile(r"[1-9][0-9]{0,19}:[\w-]{10,}")


def _web_address(given: str) -> str:
    parts = urlsplit(given)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise refuse()
    return given.rstrip("/")


WebAddress = Annotated[str, AfterValidator(_web_address), Field(json_schema_extra={"allowed": WEB_ADDRESS})]
Token = Annotated[SecretStr, BeforeValidator(strip_text)]


def _proxy_address(given: SecretStr) -> SecretStr:
    if given.get_secret_value():
        _web_address(given.get_secret_value())
    return given


Proxy = Annotated[
    SecretStr,
    BeforeValidator(strip_text),
    AfterValidator(_proxy_address),
    Field(json_schema_extra={"allowed": WEB_ADDRESS}),
]
Id = Annotated[
    str,
    # ids are texts, but people write them as the numbers that they are
    BeforeValidator(lambda given: str(given) if isinstance(given, int) and not isinstance(given, bool) else given),
    Field(json_schema_extra={"allowed": "a number, as the platform gives it"}),
]


def _identity(given: str) -> str:
    if not IDENTITY.fullmatch(given):
        message = "a numeric id such as telegram:12345 or discord:80351110224678912"
        raise refuse(message, hint="Names can be changed by anybody, so they grant nothing; /whoami shows the id.")
    return given


Identity = Annotated[str, AfterValidator(_identity)]


class WebhookSection(Section):
    """Lets Telegram post messages to this process, through a proxy of yours, instead of being asked for them."""

    url: Annotated[str, BeforeValidator(strip_text)] = Field(
        default="",
        examples=["https://bot.example.org/telegram"],
        json_schema_extra={"allowed": "an address that begins with https://, without ? and #"},
    )
    """Where Telegram reaches the proxy; it posts to this address, a slash and the bot's id. Empty: Telegram is asked
    for messages, and nothing need be reachable."""
    host: str = Field(default="127.0.0.1", min_length=1, examples=["172.17.0.1"])
    """The address of this machine on which the proxy finds the service."""
    port: Whole = Field(default=8787, ge=1, le=65535, examples=[9000])
    """Its port."""

    @field_validator("url")
    @classmethod
    def _is_safe(cls, given: str) -> str:
        parts = urlsplit(given)
        is_safe = parts.scheme == "https" or (parts.scheme == "http" and is_local(given))
        if given and (not is_safe or not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment):
            raise refuse()
        return given.rstrip("/")


class BotSection(Section):
    """The tokens of a platform's bots; `form` is what each has to look like, `allowed` and `hint` say so in words."""

    form: ClassVar[re.Pattern[str]]
    allowed: ClassVar[str]
    hint: ClassVar[str]
    token: Token
    more_tokens: tuple[Token, ...]

    @field_validator("token", "more_tokens")
    @classmethod
    def _is_token(cls, given: SecretStr | tuple[SecretStr, ...]) -> SecretStr | tuple[SecretStr, ...]:
        for token in given if isinstance(given, tuple) else (given,):
            if token.get_secret_value() and not cls.form.fullmatch(token.get_secret_value()):
                raise refuse(cls.allowed, hint=cls.hint)
        return given

    @property
    def tokens(self) -> tuple[str, ...]:
        """Those of all bots."""
        return tuple(filter(None, (secret.get_secret_value() for secret in (self.token, *self.more_tokens))))


class TelegramSection(BotSection):
    """The bot on Telegram. @BotFather makes one and gives its token."""

    form = TELEGRAM_TOKEN
    allowed = "a token such as 123456789:AAE..."
    hint = "Ask @BotFather: /mybots, API Token."
    token: Token = Field(default=SecretStr(""), examples=["${TELEGRAM_TOKEN}"])
    """The token, better as a reference than as itself. Empty: no bot on Telegram."""
    more_tokens: tuple[Token, ...] = Field(default=(), examples=[["${TELEGRAM_TOKEN_2}"]])
    """Further bots that run in the same process."""
    agent: str | None = Field(
        default=None, examples=["personal"], json_schema_extra={"allowed": "the name of an agent"}
    )
    """Who answers on Telegram where no route says otherwise; the default agent if left out."""
    api: WebAddress = Field(default=TELEGRAM_API, examples=["http://localhost:8081"])
    """The Bot API server, if it is one of your own."""
    proxy: Proxy = Field(default=SecretStr(""), examples=["http://user:${PROXY_PASSWORD}@localhost:3128"])
    """An HTTP proxy through which Telegram is reached. Empty: the one of the environment, if any."""
    webhook: WebhookSection = WebhookSection()


class DiscordSection(BotSection):
    """The bot on Discord. The developer portal makes one and gives its token."""

    form = DISCORD_TOKEN
    allowed = "a token of three parts with dots between"
    hint = "Get it in the developer portal: Bot."
    token: Token = Field(default=SecretStr(""), examples=["${DISCORD_TOKEN}"])
    """The token, better as a reference than as itself. Empty: no bot on Discord."""
    more_tokens: tuple[Token, ...] = Field(default=(), examples=[["${DISCORD_TOKEN_2}"]])
    """Further bots that run in the same process."""
    agent: str | None = Field(default=None, examples=["work"], json_schema_extra={"allowed": "the name of an agent"})
    """Who answers on Discord where no route says otherwise; the default agent if left out."""
    message_content: bool = Field(default=True, examples=[False])
    """Ask for the privileged intent of that name. Without it, only direct messages, mentions and replies to the bot
    carry text."""
    threads: bool = Field(default=False, examples=[True])
    """Give each conversation that begins in a server's channel a thread of its own."""
    backfill: Whole = Field(default=500, ge=0, le=5000, examples=[100])
    """How many messages of one channel that were meant for the bot, and missed while it was away, are answered."""
    requests_per_s: Whole = Field(default=40, ge=1, le=1000, examples=[400])
    """How many requests are made in a second. Discord takes 50 from a bot, unless it has allowed yours more; above that
    it refuses, and bans who goes on."""
    presence: str = Field(default="", max_length=128, examples=["asks its memory"])
    """What stands under the bot's name, in a few words."""
    api: WebAddress = Field(default=DISCORD_API, examples=["http://localhost:8082"])
    """The API server, if it is one of your own; it names the gateway."""
    proxy: Proxy = Field(default=SecretStr(""), examples=["http://user:${PROXY_PASSWORD}@localhost:3128"])
    """An HTTP proxy through which Discord is reached. Empty: none."""


class AccessSection(Section):
    """Who is let in: known by the platform's numeric id. Nobody listed and nobody paired: nobody is let in."""

    owners: tuple[Identity, ...] = Field(default=(), examples=[["telegram:12345", "discord:80351110224678912"]])
    """You, on each platform. `scrubjay run` shows a code with which you make yourself known instead."""
    guests: tuple[Identity, ...] = Field(default=(), examples=[["telegram:67890"]])
    """Who else may talk to the agents. They see nothing of yours."""
    groups: tuple[Identity, ...] = Field(
        default=(), examples=[["telegram:-1001234567890", "discord:81384788765712384"]]
    )
    """Groups, channels or whole servers in which everybody may, by the id of the chat or server."""
    only_addressed: bool = Field(default=True, examples=[False])
    """In groups, listen only to what is said to the bot: mentions, replies, commands."""


class RouteSection(Section):
    """Sends what fits to an agent."""

    agent: str
    platform: str | None = None
    account: Id | None = None
    guild: Id | None = None
    chat: Id | None = None
    thread: Id | None = None
    role: Id | None = None
    user: Id | None = None
    shares: Literal["workspace"] | None = None

    @model_validator(mode="after")
    def _says_when(self) -> RouteSection:
        if self.shares and (self.role or self.user):
            raise refuse(
                "shares with platform, account, guild, chat or thread",
                hint="Everybody in a chat sees the same answers, so a role or a person cannot have more than the rest.",
                at="shares",
            )
        if len(self.model_dump(exclude_none=True, exclude={"shares"})) == 1:
            message = "at least one condition: platform, account, guild, chat, thread, role or user"
            raise refuse(message, hint="For an agent that answers everywhere, set chat.agent.")
        return self


Context = Annotated[Whole, Field(ge=0, le=100)]
"""Messages of a group that a model is given besides the one that it answers."""


class ChatSection(Section):
    """What is otherwise in one chat; for Discord also in a whole server."""

    platform: Literal["telegram", "discord"]
    chat: Id
    listen: Literal["addressed", "all"] | None = None
    speakers: Literal["everybody", "known", "owner"] | None = None
    silence: bool | None = None
    context: Context | None = None
    streaming: bool | None = None
    reactions: bool | None = None

    @property
    def given(self) -> dict[str, object]:
        """What it says."""
        return self.model_dump(exclude={"platform", "chat"}, exclude_none=True)

    @model_validator(mode="after")
    def _says_something(self) -> ChatSection:
        if not self.given:
            raise refuse("at least one of listen, speakers, silence, context, streaming and reactions")
        return self


Queue = Literal["collect", "follow_up", "steer", "interrupt"]


class QueueSection(Section):
    """What becomes of a message that comes while the one before it is answered. In a chat, `/queue` changes it."""

    mode: Queue = Field(default="collect", examples=["steer"])
    """collect: all that wait are answered together. follow_up: each for itself. steer: the model that is at work gets
    it at its next step, if the same person wrote both. interrupt: the answer is stopped, as /stop does it, and the new
    message is answered."""
    telegram: Queue | None = Field(default=None, examples=["steer"])
    """The same on Telegram only."""
    discord: Queue | None = Field(default=None, examples=["follow_up"])
    """On Discord only."""
    terminal: Queue | None = Field(default=None, examples=["interrupt"])
    """In `scrubjay chat` only."""

    @property
    def modes(self) -> dict[str, str]:
        """What it says of each platform."""
        given = {"telegram": self.telegram, "discord": self.discord, "terminal": self.terminal}
        return {platform: mode or self.mode for platform, mode in given.items()}


class ChatsSection(Section):
    """How the bot behaves in chats. In a chat itself, `/settings` changes it, and wins."""

    context: Context = Field(default=20, examples=[50])
    """In listed groups: how many of the messages before one to the bot a model is given with it, to understand it. They
    are kept in memory only. 0: none."""
    reactions: Literal["everywhere", "groups", "nowhere"] = Field(default="groups", examples=["everywhere"])
    """Where a message is marked with how far its answer has come: 👀 taken, ✍ begun after others, 💔 given up."""
    queue: QueueSection = Field(default_factory=QueueSection)
    settings: tuple[ChatSection, ...] = Field(
        default=(), examples=[[{"platform": "telegram", "chat": "-1001234567890", "listen": "all", "silence": True}]]
    )
    """What is otherwise in single chats: a list of platform, chat (or Discord's server) and any of listen (addressed,
    all), speakers (everybody, known, owner), silence, context, streaming, reactions."""


Limit = Annotated[
    Whole,
    BeforeValidator(lambda given: 0 if given == "none" else given),
    Field(ge=0, json_schema_extra={"allowed": "a whole number; 0 or none for no limit"}),
]


class LimitsSection(Section):
    """How much people may ask. What is above a limit is not answered; its sender is told once. You begin with none."""

    guest_turns: Limit = Field(default=20, examples=[5])
    """Messages of one guest in ten minutes."""
    guest_turns_day: Limit = Field(default=200, examples=[50])
    """Messages of one guest in a day on your clock."""
    guest_tokens_day: Limit = Field(default=1_000_000, examples=[200_000])
    """Tokens that models take for one guest in a day."""
    chat_turns: Limit = Field(default=60, examples=[30])
    """Messages of all guests of one group or channel in ten minutes."""
    chat_turns_day: Limit = Field(default=600, examples=[300])
    """The same in a day."""
    chat_tokens_day: Limit = Field(default=3_000_000, examples=[500_000])
    """Tokens for all guests of one group or channel in a day."""
    guests_tokens_day: Limit = Field(default=5_000_000, examples=[1_000_000])
    """Tokens for all guests together in a day."""
    guests_at_once: Limit = Field(default=4, examples=[1])
    """How many guests are answered at the same time, so that you need not wait for them."""
    owner_tokens_day: Limit = Field(default=0, examples=[2_000_000])
    """Tokens for yourself in a day. Commands go on working above it."""
