"""A certificate of one's own, for pages on other devices where the laboratory has none.

It is made once by the program `openssl` and kept in a folder of the user's alone. Browsers warn of
it the first time, because nobody vouches for it; what it gives is that nobody else reads along.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

_DAYS = 397
"""Browsers take no certificate that is valid for longer."""


class CertificateError(RuntimeError):
    """No certificate could be made; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """Two files that a server with TLS needs."""

    certificate: Path
    key: Path


def own_certificate(folder: Path, names: list[str]) -> Certificate:
    """The certificate in the folder; made where there is none.

    Args:
        folder: where it is kept; made for this user alone.
        names: names and addresses under which browsers reach this machine.

    Raises:
        CertificateError: `openssl` is missing or fails.
    """
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    if made.certificate.is_file() and made.key.is_file():
        return made
    program = shutil.which("openssl")
    if program is None:
        raise CertificateError(
            "TLS needs a certificate, and the program openssl, which makes one, is not installed: "
            "install it, or name your own with the gateway's settings tls_certificate and tls_key"
        )
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    known = ",".join(dict.fromkeys(_named(name) for name in names if name))
    unfinished = made.key.with_suffix(".new")
    unfinished.unlink(missing_ok=True)
    os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    about = ("-days", str(_DAYS), "-subj", "/CN=SERA console", "-addext", f"subjectAltName={known}")
    files = ("-keyout", str(unfinished), "-out", str(made.certificate))
    done = subprocess.run(
        [program, "req", "-x509", *curve, *about, *files],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise CertificateError(f"openssl could not make a certificate: {last[0]}")
    unfinished.replace(made.key)
    return made


def _named(name: str) -> str:
    import ipaddress

    try:
        return f"IP:{ipaddress.ip_address(name)}"
    except ValueError:
        return f"DNS:{name}"
