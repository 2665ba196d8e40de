"""A speech service on the loopback address: replies of both kinds, and all that goes wrong."""

from __future__ import annotations

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sera.speech import HttpVoice, Sound, VoiceError, VoiceSettings, write_wav
from tests.helpers import PATIENCE_S

WAV = write_wav(Sound(bytes(2000) + b"\x00\x20" * 14_000 + bytes(2000), 16_000))
WORDS = [{"word": "hello", "start_s": 0.1, "end_s": 0.3}, {"word": "robot", "start_s": 0.4}]


class Service(BaseHTTPRequestHandler):
    """Answers by the path."""

    heard: list[dict] = []  # noqa: RUF012
    over = threading.Event()

    def do_POST(self):
        self.heard.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        both = json.dumps({"wav": base64.b64encode(WAV).decode(), "words": WORDS}).encode()
        replies = {
            "/wav": (200, {"Content-Type": "audio/wav"}, WAV),
            "/times": (200, {"X-Word-Times": json.dumps(WORDS)}, WAV),
            "/json": (200, {"Content-Type": "application/json"}, both),
            "/nobody": (500, {}, b""),
            "/page": (200, {"Content-Type": "text/html"}, b"<html>log in</html>"),
            "/half": (200, {"Content-Type": "application/json"}, b'{"wav": '),
            "/base": (200, {"Content-Type": "application/json"}, b'{"wav": "%%%"}'),
        }
        if self.path == "/slow":
            self.over.wait(PATIENCE_S)
        if self.path == "/trickle":
            self.send_response(200)
            self.end_headers()
            while not self.over.wait(0.05):
                self.wfile.write(b"R")
            return
        code, headers, body = replies.get(self.path, (404, {}, b""))
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args):
        """Say nothing."""

    def handle_error(self, *_args):
        """A client that hung up is no news."""


@pytest.fixture
def service():
    Service.heard.clear()
    Service.over.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    server.handle_error = lambda *_: None
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    Service.over.set()
    server.shutdown()
    server.server_close()
    thread.join()


async def test_a_wav_reply_gets_estimated_words(service):
    voice = HttpVoice("cloud", f"{service}/wav")
    speech = await voice.synthesise("hello robot", VoiceSettings(language="pt", rate=1.2))
    assert speech.duration_s == pytest.approx(1.0)
    assert all(word.estimated for word in speech.words)
    assert Service.heard == [
        {"text": "hello robot", "language": "pt", "rate": 1.2, "pitch": 1.0, "volume": 1.0}
    ]


@pytest.mark.parametrize("path", ["times", "json"])
async def test_word_times_of_the_service_are_used(service, path):
    speech = await HttpVoice("cloud", f"{service}/{path}").synthesise("Hello robot.")
    assert [word.start_s for word in speech.words] == pytest.approx([0.1, 0.4])
    assert not speech.estimated


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("nobody", "it answered 500"),
        ("missing", "it answered 404"),
        ("page", "text/html.*not a WAV file"),
        ("half", "reply .application/json"),
        ("base", "'wav' is not base64"),
        ("slow", "no answer within 0.3 s"),
        ("trickle", "no answer within 0.3 s"),
    ],
)
async def test_what_goes_wrong_is_said_in_one_sentence(service, path, sentence):
    with pytest.raises(VoiceError, match=f"voice 'cloud'.*{sentence}"):
        await HttpVoice(
            "cloud", f"{service}/{path}", timeout_s=0.3 if "0.3" in sentence else PATIENCE_S
        ).synthesise("hello")


async def test_a_service_that_is_not_there_and_an_address_that_is_none():
    with pytest.raises(VoiceError, match="cannot be reached"):
        await HttpVoice("cloud", "http://127.0.0.1:9/say").synthesise("hello")
    for address in ("file:///etc/passwd", "say", "http://"):
        with pytest.raises(VoiceError, match="is no address such as"):
            HttpVoice("cloud", address)
