"""Run the Bot API server as a process: `python -m tests.servers.telegram --port 0 --ledger telegram.jsonl`."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.servers.serving import serve_process
from tests.servers.telegram.client import TOKEN
from tests.servers.telegram.server import BotApi
from tests.servers.telegram.updates import PATIENCE_S


def main() -> None:
    parser = argparse.ArgumentParser(description="A strict Bot API server on 127.0.0.1.")
    parser.add_argument("--ledger", type=Path, help="write everything that happens to this file")
    parser.add_argument("--token", default=TOKEN)
    parser.add_argument("--patience", type=float, default=PATIENCE_S, help="seconds; see updates.py")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    api = BotApi(token=options.token, ledger=options.ledger, patience_s=options.patience)
    serve_process(api.application(), options.port)


if __name__ == "__main__":
    main()
