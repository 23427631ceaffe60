"""Speech: voice messages become text at an endpoint with OpenAI's protocol, and answers become speech."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from bot.config.options.media import SpeechOptions, TranscriptionOptions, VoiceSection
from bot.llm.connection import HttpConnection, read_json
from bot.llm.endpoint import Endpoint
from bot.llm.errors import BadAnswer, ModelError, Rejected, Unavailable, WrongAddress
from bot.llm.retry import ask_again
from bot.texts.catalogue import tr
from bot.texts.formatting import well_formed
from bot.turn import File, words_of
from bot.waiting import Pause
from memory import Clock

if TYPE_CHECKING:
    from aiohttp import ClientResponse

TIMEOUT_S = 120.0
"""For one voice message, each try."""
SPEAK_S = 30.0
"""For one answer, all tries: the text waits for it."""
MAX_CHARS = 20_000
"""Of a transcript; nobody says as much in ten minutes."""
MAX_SPOKEN_CHARS = 4_000
"""Of an answer that is spoken; OpenAI takes 4,096."""
MAX_SPEECH_BYTES = 20 * 2**20
TEXTS = (b"<", b"{")  # how web pages and JSON begin, and no sound does

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Heard:
    """What was understood: the files, voice messages with their transcripts, and why others have none."""

    files: tuple[File, ...]
    failures: tuple[str, ...] = ()


class SpeechService(AsyncExitStack):
    """Understands voice messages, and speaks, as far as it is configured; an answer may take `speak_s` to be spoken."""

    def __init__(self, options: VoiceSection, *, clock: Clock, pause: Pause, speak_s: float = SPEAK_S) -> None:
        super().__init__()
        self._options = options
        self._speak_s = speak_s
        self._pause = pause
        self._speaks_at = _endpoint(options.speech)
        self._transcriber = HttpConnection(_endpoint(options.transcribe), clock=clock)
        self._speaker = HttpConnection(self._speaks_at, clock=clock)
        self.push_async_callback(self._transcriber.close)
        self.push_async_callback(self._speaker.close)

    async def hear(self, files: Sequence[File]) -> Heard:
        """Transcribe the voice messages among files that have been fetched; whatever goes wrong is a sentence."""
        heard, failures = [], []
        for file in files:
            said = ""
            if file.kind == "voice" and file.path and self._options.transcribe.model:
                try:
                    said = await self._transcribe(file, file.path)
                except ModelError as error:
                    log.warning("voice.not_understood", reason=error.message)
                    failures.append(str(error))
                except OSError as error:
                    log.warning("voice.not_read", error=type(error).__name__)
                    failures.append(tr("It cannot be read from disk any more. Send it again."))
            heard.append(replace(file, said=said))
        return Heard(tuple(heard), tuple(failures))

    def speaks_to(self, heard: Heard) -> bool:
        """Whether the answer to these messages is spoken as well."""
        return self._options.speak == "when_spoken_to" and bool(words_of(heard.files))

    async def speak(self, text: str, into: Path) -> None:
        """Write a text, or its beginning, as speech into a file, which appears when it is whole.

        Raises:
            ModelError: the endpoint does not do it, or not in time.
            OSError: the file cannot be written.
        """
        options = self._options.speech

        async def save(response: ClientResponse) -> None:
            with part.open("wb") as file:
                size, is_sound = 0, False
                async for chunk in response.content.iter_any():
                    if not size:  # what servers say of its type cannot be relied upon
                        is_sound = not chunk.lstrip().startswith(TEXTS)
                    size += len(chunk)
                    if size > MAX_SPEECH_BYTES:
                        message = tr("{model} does not stop speaking.", model=options.model)
                        raise BadAnswer(message, hint=tr("Ask again; it may pass."))
                    await asyncio.to_thread(file.write, chunk)
            if not is_sound:
                message = tr("{model} sent no speech.", model=self._speaks_at.label)
                raise WrongAddress(message, hint=tr("Check the model's base_url in config.yaml."))

        async def post() -> None:
            from aiohttp import JsonPayload

            wanted = {"input": text[:MAX_SPOKEN_CHARS], "model": options.model, "voice": options.voice}
            data = JsonPayload(wanted | {"response_format": "opus"})
            await self._speaker.ask("/audio/speech", save, data=data, seconds=TIMEOUT_S)

        part = into.with_name(f".{into.name}")
        into.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            async with asyncio.timeout(self._speak_s):
                await ask_again(post, pause=self._pause)
            part.replace(into)
        except TimeoutError:
            hint = tr("Ask for a shorter answer, or name a faster endpoint in voice.speech.")
            message = tr("{model} took longer than {speak_s:g} s.", model=options.model, speak_s=self._speak_s)
            raise Unavailable(message, hint=hint) from None
        finally:
            part.unlink(missing_ok=True)

    async def _transcribe(self, file: File, path: Path) -> str:
        """Return what is said in a voice message, on one line; raises `ModelError` if it cannot be understood."""
        options = self._options.transcribe
        is_header = file.mime.isascii() and file.mime.isprintable()  # the sender writes what he likes
        if file.seconds > options.max_seconds:
            message = tr("It is longer than {max_seconds} s.", max_seconds=options.max_seconds)
            raise Rejected(message, hint=tr("Say it in two messages."))

        async def post() -> object:
            from aiohttp import FormData

            form = FormData({"model": options.model, "response_format": "json"})
            with path.open("rb") as audio:  # the client reads it in pieces, as it sends them
                form.add_field("file", audio, filename=path.name, content_type=file.mime if is_header else "")
                return await self._transcriber.ask("/audio/transcriptions", read_json, data=form, seconds=TIMEOUT_S)

        answer = await ask_again(post, pause=self._pause)
        text = answer.get("text") if isinstance(answer, Mapping) else None
        if not isinstance(text, str):
            message = tr("{model} sent no transcript.", model=options.model)
            raise BadAnswer(message, hint=tr("Check voice.transcribe in config.yaml."))
        words = " ".join(well_formed(text).split())[:MAX_CHARS]
        if not words:
            raise BadAnswer(tr("Nothing is said in it."), hint="")
        return words


def _endpoint(options: TranscriptionOptions | SpeechOptions) -> Endpoint:
    return Endpoint(model=options.model, base_url=options.base_url, api_key=options.api_key, read_s=TIMEOUT_S)
