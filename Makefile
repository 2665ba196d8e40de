# Everything a newcomer needs is `make run` and `make test`; plain `make` lists the rest.
# The paths are relative on purpose: the checkout may stand in a folder with spaces in its name.

PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
RUN_STAMP := $(VENV)/.installed-run
DEV_STAMP := $(VENV)/.installed-dev
BENCH_STAMP := $(VENV)/.installed-bench
INSTALL_INPUTS := pyproject.toml hatch_build.py tools/setup.sh
LAB_SOURCES := $(foreach folder,modules robots scenarios,$(if $(wildcard $(folder)/*/*.py),$(folder)))
# Names of tests, or other words for pytest: `make test PYTEST_ARGUMENTS="tests/bus -x"`.
PYTEST_ARGUMENTS ?=
# What `make test-quick` compares the checkout with.
SINCE ?= HEAD
BENCH_ARGUMENTS ?=
# Compiles the inner loops once, so that no first run waits for it. Runs work without, only later.
WARM := $(BIN)/sera doctor --warm || echo "sera: inner loops are compiled when first used" >&2

.DEFAULT_GOAL := help
.PHONY: help run senses setup programs test test-quick test-full test-coverage test-mutants test-steady lint format docs-schema bench-bus bench-delivery bench-recording bench-faults bench-hello bench-kinematics bench-evaluation bench-animation bench-behaviour bench-perception bench-console bench-console-hour bench-emotion bench-alive bench-study bench-study-seeds figures wheel clean

help: ## list what can be made
	@echo "make WHAT, where WHAT is one of"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 20

$(RUN_STAMP): $(INSTALL_INPUTS)
	@PYTHON="$(PYTHON)" sh tools/setup.sh run
	@$(WARM)
	@touch "$@"

$(DEV_STAMP): $(INSTALL_INPUTS)
	@PYTHON="$(PYTHON)" sh tools/setup.sh dev
	@$(WARM)
	@touch "$@" "$(RUN_STAMP)"

$(BENCH_STAMP): $(DEV_STAMP)
	@PYTHON="$(PYTHON)" sh tools/setup.sh bench
	@touch "$@"

run: $(RUN_STAMP) ## set up everything and run the demonstration scenario
	@$(BIN)/sera demo

senses: $(RUN_STAMP) ## install what cameras and microphones need
	@PYTHON="$(PYTHON)" sh tools/setup.sh senses

setup: $(DEV_STAMP) ## set up everything that developing and testing need
	@:

programs: ## install the Debian programs that tests use (root and apt-get; elsewhere it says so)
	@sh tools/install_programs.sh

test: ## set up everything, check style and types, run all tests
	@sh tools/test.sh $(PYTEST_ARGUMENTS)

test-quick: setup ## style, types and engines' tests of what changed since SINCE (a revision), in a minute
	@$(BIN)/python tools/test_quick.py $(SINCE)

test-full: programs setup ## all tests with all their cases, where `make test` draws some by a seed
	@SERA_TEST_FULL=1 sh tools/test.sh

test-coverage: programs setup ## all tests; lines and branches of sera/ and modules/ that they reach
	@$(BIN)/python -m pytest -n auto --cov --cov-report= $(PYTEST_ARGUMENTS)
	@$(BIN)/python -m coverage report --skip-covered --sort=cover | tail -n 30

test-mutants: setup ## try 80 small faults in the core: do the tests notice?
	@$(BIN)/python tools/test_mutants.py $(PYTEST_ARGUMENTS)

test-steady: ## `make test` in fresh copies, three times idle and twice beside busy loops, as a table
	@$(BIN)/python tools/test_steady.py

lint: setup ## check style and types
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m ruff format --check .
	@$(BIN)/python -m mypy --strict sera
	@$(if $(LAB_SOURCES),$(BIN)/python -m mypy $(LAB_SOURCES),:)

format: setup ## format the sources and mend what can be mended
	@$(BIN)/python -m ruff check --fix .
	@$(BIN)/python -m ruff format .

docs-schema: $(RUN_STAMP) ## write what is generated from the messages again: docs/, types for pages
	@$(BIN)/sera messages --schema
	@$(BIN)/python -c "from sera.web import write_typedefs; write_typedefs()"

bench-bus: setup ## measure the bus against bare MQTT clients and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.bus --write $(BENCH_ARGUMENTS)

bench-delivery: setup ## measure what receipts cost and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.delivery --write $(BENCH_ARGUMENTS)

bench-recording: setup ## measure the log beside MCAP and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.recording --write $(BENCH_ARGUMENTS)

bench-faults: setup ## measure how soon stops, kills and lost brokers are answered and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.faults --write $(BENCH_ARGUMENTS)

bench-hello: setup ## measure memory and start of the scenario hello and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.hello --write $(BENCH_ARGUMENTS)

bench-kinematics: setup $(BENCH_STAMP) ## measure ERIK, inverse kinematics, motion filter and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.kinematics --write $(BENCH_ARGUMENTS)

bench-evaluation: setup ## run 1 % of ERIK's published evaluation and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.evaluation --write $(BENCH_ARGUMENTS)

bench-animation: setup ## measure frames, end to end, motion, limits, memory and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.animation --write $(BENCH_ARGUMENTS)

bench-behaviour: setup ## measure words, gestures, sheets, gaze, markup and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.behaviour --write $(BENCH_ARGUMENTS)

bench-perception: setup ## measure faces, head directions, voices and the own voice and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.perception --write $(BENCH_ARGUMENTS)

bench-console: setup ## measure the console: keys, joints, sound, 3-D view, memory and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.console --write $(BENCH_ARGUMENTS)

bench-emotion: setup $(BENCH_STAMP) ## measure the null-space controller and emotion in motion and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.emotion --write $(BENCH_ARGUMENTS)

bench-alive: setup ## measure looks, rest, contacts, seams and strokes in frames and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.alive --write $(BENCH_ARGUMENTS)

bench-study: setup ## simulate a study of 57 participants, time it and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.study --write $(BENCH_ARGUMENTS)
	@$(BIN)/python -m benchmarks.study_review --write

bench-study-seeds: setup ## simulate twenty studies and their controls (an hour) and write docs/benchmarks.md
	@$(BIN)/python -m benchmarks.study --seeds 20 --write $(BENCH_ARGUMENTS)

bench-console-hour: setup ## measure the memory of the console's server over an hour, in real time
	@$(BIN)/python -m benchmarks.console_hour --write $(BENCH_ARGUMENTS)

figures: setup ## draw the figures of the motion filter and of ERIK's sweeps into docs/figures
	@$(BIN)/sera evaluate filter --folder docs/figures
	@$(BIN)/sera evaluate sweeps --folder docs/figures

wheel: setup ## build a wheel into dist/
	@$(BIN)/python -m build --wheel --no-isolation

clean: ## remove the environment, caches and builds
	rm -rf "$(VENV)" build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
