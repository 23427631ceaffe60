"""Run Discord as a process: `python -m tests.servers.discord --port 0 --ledger discord.jsonl`."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.servers.discord.server import application
from tests.servers.serving import serve_process


def main() -> None:
    parser = argparse.ArgumentParser(description="Discord's REST API, gateway and CDN on 127.0.0.1.")
    parser.add_argument("--ledger", type=Path, help="write everything that happens to this file")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    serve_process(application(ledger=options.ledger), options.port)


if __name__ == "__main__":
    main()
