"""Who may see the dashboard: links that work once, the token of the configuration, and the cookie that either leads to.

Nothing of it is kept on the server but the key that signs cookies, and, until it ends, which links were not used yet
and who has logged out.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from itsdangerous import BadData, URLSafeSerializer

from adapters.support import LimitedDict
from bot.errors import Refused
from bot.paths import create, readable_by_others
from bot.texts.catalogue import tr
from memory import Clock

LINK_LIFETIME = timedelta(minutes=10)
SESSION_LIFETIME = timedelta(days=30)
MAX_LINKS = 100
"""Links that wait to be used; a further one makes the oldest worthless."""
MAX_ENDED = 10_000
"""Sessions that were ended and are remembered for it."""
KEY_BYTES = 32
MAX_SECRET_CHARS = 4096
"""Characters of a cookie or a link's secret that are looked at at all."""


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that was let in: its random id, the only agent it may see (empty: all), and until when (ISO)."""

    id: str
    agent: str
    until: str


class Logins:
    """Lets browsers in; `key` signs cookies and form tokens, `token` is the configuration's, empty if it has none."""

    def __init__(self, key: bytes, *, token: str, clock: Clock) -> None:
        self._key = key
        self._token = token
        self._clock = clock
        self._serializer = URLSafeSerializer(key, salt="scrubjay dashboard", signer_kwargs={"digest_method": sha256})
        self._links = LimitedDict[str, tuple[str, datetime]](MAX_LINKS)
        self._ended = LimitedDict[str, None](MAX_ENDED)

    def link(self, agent: str = "") -> str:
        """Return a secret that lets one browser in, once, within ten minutes; to see all agents or only one."""
        secret = secrets.token_urlsafe(KEY_BYTES)
        self._links[_digest(secret)] = (agent, self._clock.now() + LINK_LIFETIME)
        return secret

    def redeem(self, secret: str) -> Session | None:
        """Return the session that a link leads to; None if it was used, is too old, or never was one."""
        agent, until = self._links.pop(_digest(secret), ("", None))
        return self._session(agent) if until and self._clock.now() <= until else None

    def enter(self, token: str) -> Session | None:
        """Return the session that the configuration's token leads to; None for any other text."""
        is_right = hmac.compare_digest(_digest(token), _digest(self._token))
        return self._session("") if self._token and is_right else None

    def cookie(self, session: Session) -> str:
        """Return the value of the cookie by which a session is known again, also after a restart."""
        return str(self._serializer.dumps(asdict(session)))

    def read(self, cookie: str) -> Session | None:
        """Return the session of a cookie; None if it was not made here, or is too old."""
        if not cookie or len(cookie) > MAX_SECRET_CHARS:
            return None
        try:
            session = Session(**self._serializer.loads(cookie))
            is_alive = self._clock.now() <= datetime.fromisoformat(session.until)
        except (BadData, TypeError, ValueError):
            return None
        return session if is_alive and session.id not in self._ended else None

    def end(self, session: Session) -> None:
        """Know a session no more, until the service is started again."""
        self._ended[session.id] = None

    def form_token(self, session: Session) -> str:
        """Return what every form of a session carries, so that no other site can send one."""
        return hmac.new(self._key, f"form {session.id}".encode(), sha256).hexdigest()

    def is_own_form(self, session: Session, token: str) -> bool:
        return hmac.compare_digest(self.form_token(session).encode(), token.encode("utf-8", "surrogatepass"))

    def _session(self, agent: str) -> Session:
        until = self._clock.now() + SESSION_LIFETIME
        return Session(secrets.token_urlsafe(16), agent, until.isoformat(timespec="seconds"))


def signing_key(path: Path) -> bytes:
    """Return the key in a file, which is made if it is missing; whoever removes it logs every browser out.

    Raises:
        Refused: others on this machine may read or change it.
        OSError: it cannot be read or written.
    """
    if not path.exists():
        create(path, secrets.token_hex(KEY_BYTES))
    if (mode := readable_by_others(path)) is not None:
        message = tr("Others on this machine can read {path} (mode {mode}).", path=path, mode=f"{mode:04o}")
        raise Refused(message, hint=tr('Run: rm "{path}"  (all browsers have to log in again)', path=path))
    return bytes.fromhex(path.read_text(encoding="ascii").strip())


def _digest(secret: str) -> str:
    return sha256(secret[:MAX_SECRET_CHARS].encode("utf-8", "surrogatepass")).hexdigest()
