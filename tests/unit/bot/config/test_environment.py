from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import certifi
import pytest

from bot.config.environment import no_plugins, one_thread_for_products, trusted_certificates
from tests.support.cli_process import ROOT

END = "-----END CERTIFICATE-----\n"


def test_products_have_one_thread_unless_the_person_has_chosen() -> None:
    environment = {"OPENBLAS_NUM_THREADS": "4"}

    one_thread_for_products(environment)

    assert environment == {"OPENBLAS_NUM_THREADS": "4", "VECLIB_MAXIMUM_THREADS": "1"}


@pytest.mark.parametrize(("chosen", "expected"), [({}, "1"), ({"PYDANTIC_DISABLE_PLUGINS": "logfire"}, "logfire")])
def test_plugins_are_looked_for_if_the_person_wants_some(chosen: dict[str, str], expected: str) -> None:
    no_plugins(chosen)

    assert chosen == {"PYDANTIC_DISABLE_PLUGINS": expected}


HELD = """
import re, threading
from pathlib import Path
from bot.config.environment import one_heap_for_threads

one_heap_for_threads()
held, ends = [], threading.Event()

def work(ready):
    texts = [bytes(1000) for _ in range(20_000)]
    held.append(texts.pop())  # at the end of the heap, which can be given back only from there
    del texts
    ready.set()
    ends.wait()

for _ in range(6):
    ready = threading.Event()
    threading.Thread(target=work, args=(ready,)).start()
    ready.wait()
print(re.search(r"VmRSS:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
ends.set()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc gives each thread a heap of its own")
def test_threads_give_what_they_took_back_to_each_other_unless_the_person_has_chosen() -> None:
    def held(**environment: str) -> int:
        command = [sys.executable, "-c", HELD]
        said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        return int(said.stdout)

    assert held() < 0.7 * held(MALLOC_ARENA_MAX="16")


def test_a_connection_trusts_what_the_environment_names_and_else_a_list_of_its_own(tmp_path: Path) -> None:
    listed = Path(certifi.where()).read_text(encoding="utf-8")
    (tmp_path / "one.pem").write_text(listed[: listed.index(END) + len(END)], encoding="utf-8")
    (tmp_path / "none").mkdir()
    file, folder = str(tmp_path / "one.pem"), str(tmp_path / "none")

    assert len(trusted_certificates({}).get_ca_certs()) > 50
    assert len(trusted_certificates({"SSL_CERT_FILE": file}).get_ca_certs()) == 1
    assert len(trusted_certificates({"SSL_CERT_FILE": file, "SSL_CERT_DIR": folder}).get_ca_certs()) == 1
    assert trusted_certificates({"SSL_CERT_DIR": folder}).get_ca_certs() == []
