#!/bin/sh
# Installs the programs that some tests drive, where that is possible: on Debian and its
# relatives, as root. Elsewhere it says what is missing, and those tests are skipped by name.
# Nothing that is installed here is left running, now or at the next start of the machine.
set -eu

programs="mosquitto chromium espeak-ng flite openssl g++ poppler-utils"
policy="/usr/sbin/policy-rc.d"

say() { printf '%s\n' "$*" >&2; }
has() {
    case "$1" in
        chromium) names="chromium chromium-browser google-chrome" ;;
        poppler-utils) names="pdftoppm" ;;
        *) names="$1" ;;
    esac
    for name in $names; do
        PATH="$PATH:/usr/sbin:/usr/local/sbin:/opt/homebrew/sbin" command -v "$name" \
            >/dev/null 2>&1 && return 0
    done
    return 1
}

missing=""
for program in $programs; do
    has "$program" || missing="$missing $program"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    say "sera: not installed here:$missing. The tests that need them are skipped." \
        "(Debian, Ubuntu: sudo apt install$missing)"
    exit 0
fi

# Debian starts a service as it installs it; a mosquitto on port 1883 is nobody's wish here.
made_policy=""
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
    made_policy="yes"
fi
trap '[ -z "$made_policy" ] || rm -f "$policy"' EXIT
trap 'exit 130' INT TERM

say "sera: installing$missing with apt-get"
apt-get update -qq >/dev/null || say "sera: apt-get update failed; trying with what it knows"
install() { DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }

# All at once; one by one only to find out which one cannot be had.
if ! install $missing; then
    for program in $missing; do
        install "$program" ||
            say "sera: apt-get could not install $program: the tests that need it are skipped"
    done
fi
if command -v systemctl >/dev/null 2>&1; then
    systemctl disable --quiet mosquitto >/dev/null 2>&1 || true
fi
