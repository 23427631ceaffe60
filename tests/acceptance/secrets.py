"""How many secrets are found, and how often something else is taken for one.

    python -m tests.acceptance.secrets --half held-out --json

Prints per kind how many of the messages with a secret would be asked about, and how many look-alikes were taken for
that kind; as the last line with `--json` one object: {"half", "asked", "secrets", "alarms", "lookalikes", "kinds"}.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.privacy.secrets import SecretKind, find_secrets

DATA = Path(__file__).parents[1] / "data" / "secrets"
HALVES = {"seen": slice(1, None, 2), "held-out": slice(0, None, 2), "all": slice(None)}
"""Lines counted from 1: rules were mended by the even ones alone."""


@dataclass(frozen=True, slots=True)
class Example:
    """A message of the data.

    Attributes:
        text: what is told.
        kind: the kind of the secret in it, or nothing.
        value: the secret.
    """

    text: str
    kind: SecretKind | None = None
    value: str = ""


def examples(name: str, half: str = "all") -> list[Example]:
    """The messages of a file, in their order."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()[HALVES[half]]
    return [_example(json.loads(line)) for line in lines]


def _example(row: dict[str, Any]) -> Example:
    if "kind" not in row:
        return Example(row["text"])
    value = "".join(row["parts"])
    return Example(row["text"].replace("{0}", value), SecretKind(row["kind"]), value)


def found_exactly(example: Example) -> bool:
    """Whether the secret of a message is found, to the character and as what it is, and nothing else with it."""
    return [(secret.kind, example.text[secret.start : secret.end]) for secret in find_secrets(example.text)] == [
        (example.kind, example.value)
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, default="all")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--show", action="store_true", help="print what is missed and what alarms (never held-out lines)"
    )
    given = parser.parse_args()
    secrets, lookalikes = examples("secrets.jsonl", given.half), examples("lookalikes.jsonl", given.half)
    asked = Counter(example.kind for example in secrets if find_secrets(example.text))
    exact = Counter(example.kind for example in secrets if found_exactly(example))
    total = Counter(example.kind for example in secrets)
    taken = {example.text: find_secrets(example.text) for example in lookalikes}
    alarms = Counter(secret.kind for found in taken.values() for secret in found)
    print(f"{'kind':<14}{'asked':>9}{'exact':>9}{'false alarms':>16}")
    for kind in SecretKind:
        of = total[kind]
        print(
            f"{kind:<14}{f'{asked[kind]}/{of}':>9}{f'{exact[kind]}/{of}':>9}{f'{alarms[kind]}/{len(lookalikes)}':>16}"
        )
    if given.show and given.half == "seen":
        print(*(f"missed: {example.text!r}" for example in secrets if not found_exactly(example)), sep="\n")
        print(*(f"alarm: {text!r} {found}" for text, found in taken.items() if found), sep="\n")
    result = {
        "half": given.half,
        "asked": asked.total(),
        "exact": exact.total(),
        "secrets": len(secrets),
        "alarms": sum(bool(found) for found in taken.values()),
        "lookalikes": len(lookalikes),
        "kinds": {kind: {"asked": asked[kind], "secrets": total[kind], "alarms": alarms[kind]} for kind in SecretKind},
    }
    print(json.dumps(result) if given.json else f"asked {asked.total()}/{len(secrets)}, alarms {result['alarms']}")


if __name__ == "__main__":
    main()
