"""`python -m bot` is the `scrubjay` command."""

from __future__ import annotations

import sys

from bot.cli.main import main

sys.exit(main())
