"""The hash by which contents are compared and journal records are chained."""

from __future__ import annotations

from hashlib import blake2b


def digest(data: bytes | str) -> str:
    """BLAKE2b with 160 bits, in hex; text is hashed as UTF-8, lone surrogates included."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return blake2b(raw, digest_size=20).hexdigest()


def state(content: bytes | None) -> str:
    """What a file is, for comparing: the digest of its content; empty if there is no file."""
    return "" if content is None else digest(content)
