"""Pages over TLS: with a certificate that is made, or one that is named."""

from __future__ import annotations

import ssl
import stat
from pathlib import Path

import httpx
import pytest

from sera.web import CertificateError, PageRole, own_certificate
from tests.browser import connect
from tests.helpers import PATIENCE_S

pytestmark = pytest.mark.needs_program("openssl")


async def test_pages_and_sockets_are_served_over_tls(make_running, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    running = await make_running(tls=True)
    url = running.server.url_for(PageRole.WIZARD, "/console/")
    assert url.startswith("https://127.0.0.1:")
    certificate = tmp_path / "sera" / "tls" / "certificate.pem"
    trust = ssl.create_default_context(cafile=certificate)
    async with httpx.AsyncClient(verify=trust, timeout=PATIENCE_S) as client:
        answer = await client.get(url)
        assert answer.status_code == 200
        assert "SERA console" in answer.text
    socket = f"wss://127.0.0.1:{running.server.port}/ws?role=observer"
    async with connect(socket, ssl=trust) as page:
        assert '"hello"' in str(await page.recv())
    with pytest.raises(httpx.HTTPError):
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            await client.get(url.replace("https", "http"))


def test_a_certificate_is_made_once_and_its_key_is_the_users_alone(tmp_path: Path):
    made = own_certificate(tmp_path / "tls", ["lab.local", "192.0.2.7"])
    before = made.certificate.read_bytes()
    assert own_certificate(tmp_path / "tls", ["other"]).certificate.read_bytes() == before
    assert stat.S_IMODE(made.key.stat().st_mode) == 0o600
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made.certificate, made.key)


def test_without_openssl_one_is_told_what_to_do(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CertificateError, match="tls_certificate and tls_key"):
        own_certificate(tmp_path / "tls", ["localhost"])


async def test_a_certificate_without_its_key_is_refused_in_words(make_running):
    with pytest.raises(ValueError, match="belong together"):
        await make_running(tls_certificate="certificate.pem")
