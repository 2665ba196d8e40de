#!/bin/sh
# `make test`: everything from nothing, stage by stage, each with its minutes. Words given to it are
# for pytest, which then runs only what they name.
set -eu

cd "$(dirname "$0")/.."
python=".venv/bin/python"

stage() {
    name="$1"
    shift
    began="$(date +%s)"
    printf -- '-- %s\n' "$name"
    # Nothing is printed after a failure: its own output comes last.
    "$@"
    spent="$(($(date +%s) - began))"
    printf -- '-- %s: %d.%d minutes\n' "$name" "$((spent / 60))" "$((spent % 60 / 6))"
}

# Programs and packages come from different places: side by side.
stage "set-up" make --no-print-directory -j2 programs setup
stage "style and types" make --no-print-directory lint
if [ "$#" -gt 0 ]; then
    stage "tests" "$python" -m pytest --durations=10 "$@"
else
    # One worker more than cores, since many tests wait for processes. Neighbours stay together as
    # long as there is work for all: they share browsers and runs.
    workers="$("$python" -c 'import os; print(1 + (os.cpu_count() or 1))')"
    stage "tests" "$python" -m pytest -n "$workers" --dist worksteal --durations=10
fi
