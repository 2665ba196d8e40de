"""The password file of the embedded broker, in mosquitto's own form, so that both can read it.

A line is `user:$7$iterations$salt$hash`: PBKDF2 with HMAC-SHA-512, salt and hash in base 64.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
from pathlib import Path

# Enough to make guessing slow, little enough (some 5 ms) not to hold up a broker with one thread.
ITERATIONS = 10_000
SALT_BYTES = 12
HASH_BYTES = 64


def password_line(username: str, password: str, *, salt: bytes | None = None) -> str:
    """Give the line of one user.

    Raises:
        ValueError: when the file could not hold the name, or nothing is there to protect it.
    """
    if not username or any(character in username for character in ":\r\n\0"):
        raise ValueError(f"broker user name {username!r}: it must not be empty nor contain ':'")
    if not password:
        raise ValueError(f"broker user {username!r} has no password: give one")
    chosen = os.urandom(SALT_BYTES) if salt is None else salt
    return (
        f"{username}:$7${ITERATIONS}${_text(chosen)}${_text(_hash(password, chosen, ITERATIONS))}"
    )


def read_password_file(path: Path) -> dict[str, str]:
    """Give each user's hash."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split(":", 1) for line in lines if line.strip())


def password_fits(password: str, stored: str) -> bool:
    """Tell whether the password belongs to the stored hash; a hash of another form fits none."""
    parts = stored.split("$")
    if len(parts) != 5 or parts[:2] != ["", "7"]:
        return False
    try:
        salt, expected = (base64.b64decode(part, validate=True) for part in parts[3:])
        hashed = _hash(password, salt, int(parts[2]))
    except (ValueError, OverflowError):
        return False
    return hmac.compare_digest(hashed, expected)


def _hash(password: str, salt: bytes, iterations: int) -> bytes:
    secret = password.encode("utf-8")
    return hashlib.pbkdf2_hmac("sha512", secret, salt, iterations, HASH_BYTES)


def _text(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
