"""Telegram, through python-telegram-bot, which any import from here loads: `adapter` is the way in."""

from adapters.support import not_imported

# The SDK takes along what it finds: ciphers for passports, and the command line of httpx. Nobody here uses either, and
# they would take 13 MB and a tenth of a second.
with not_imported("cryptography", "httpx._main"):
    import telegram as telegram
