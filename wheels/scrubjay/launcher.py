"""The `scrubjay` command.

An installation has `adapters`, `bot` and `memory` in the folder `packages`, where they are in nobody's way. In the
repository they lie at the top, where the editable installation finds them, and there is no such folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

PACKAGES = Path(__file__).with_name("packages")


def main() -> int:
    """Run the command line of this process; return its exit code."""
    if PACKAGES.is_dir():
        sys.path.insert(0, str(PACKAGES))
    from bot.cli.main import main as run

    return run()
