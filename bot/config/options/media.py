"""Options of speech and of the files that are kept."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr, model_validator

from bot.config.options.fields import Address, Key, Section, Whole, refuse


class TranscriptionOptions(Section):
    """What turns voice messages into text: an endpoint with /audio/transcriptions, as OpenAI's."""

    model: str = Field(default="", max_length=200, examples=["whisper-1"])
    """Its model. Empty: voice messages are kept and not understood."""
    base_url: Address = Field(default="https://api.openai.com/v1", examples=["http://localhost:8000/v1"])
    """Where it is reached; a server on this machine will do."""
    api_key: Key = Field(default=SecretStr(""), examples=["${OPENAI_API_KEY}"])
    """Its key. Better a reference than the key itself; local servers need none."""
    max_seconds: Whole = Field(default=600, ge=1, le=7200, examples=[120])
    """How long a voice message may be; a longer one is kept and not understood."""


class SpeechOptions(Section):
    """What speaks answers: an endpoint with /audio/speech, as OpenAI's."""

    model: str = Field(default="", max_length=200, examples=["gpt-4o-mini-tts"])
    """Its model. Empty: nothing is spoken."""
    base_url: Address = Field(default="https://api.openai.com/v1", examples=["http://localhost:8880/v1"])
    """Where it is reached; a server on this machine will do."""
    api_key: Key = Field(default=SecretStr(""), examples=["${OPENAI_API_KEY}"])
    """Its key. Better a reference than the key itself; local servers need none."""
    voice: str = Field(default="alloy", max_length=200, examples=["nova"])
    """Who speaks."""


class VoiceSection(Section):
    """Voice messages, understood and answered. What is said in them goes to the endpoints that you name here."""

    transcribe: TranscriptionOptions = Field(default_factory=TranscriptionOptions)
    speak: Literal["never", "when_spoken_to"] = Field(default="never", examples=["when_spoken_to"])
    """Whether the answer to a voice message comes as speech, too; the text is always there."""
    speech: SpeechOptions = Field(default_factory=SpeechOptions)

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> VoiceSection:
        if self.speak != "never" and not (self.speech.model and self.transcribe.model):
            raise refuse("never, as long as voice.transcribe.model and voice.speech.model name no models", at="speak")
        return self


class FilesSection(Section):
    """Files that came with messages or were sent with answers, in `state/files/`."""

    keep_days: Whole = Field(default=90, ge=1, le=36_500, examples=[365])
    """How long they are kept."""
    quota_mb: Whole = Field(default=2000, ge=100, le=10_000_000, examples=[500])
    """How many megabytes they may take up together; what is oldest goes first."""
