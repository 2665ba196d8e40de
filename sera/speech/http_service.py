"""A service that makes WAV of text over HTTP, as a voice.

Posts `{"text", "language", "rate", "pitch", "volume"}` as JSON. The reply is a WAV file, with
word times in the header `X-Word-Times` where the service knows them, or JSON with `wav` (base64)
and `words`, a list of objects with word, start_s and end_s.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any

from sera.speech._assemble import Rendering
from sera.speech._word_times import TimedWord, parse_word_times, rendering_of
from sera.speech.pronunciation import PronunciationList
from sera.speech.voice import Request, Voice, VoiceError
from sera.speech.wav import read_wav

LARGEST_REPLY = 64 * 1024 * 1024


class HttpVoice(Voice):
    """A speech service as a voice.

    Args:
        name: how messages and files call it.
        url: where lines are posted to, http or https.
        language: what it speaks where a line does not say.
        headers: sent along, an authorisation for one; never logged.
        pronunciations: how single words are said.
        timeout_s: how long one line may take.
    """

    def __init__(
        self,
        name: str,
        url: str,
        *,
        language: str = "en",
        headers: Mapping[str, str] | None = None,
        pronunciations: PronunciationList | None = None,
        timeout_s: float = 10.0,
    ) -> None:
        super().__init__(name, language=language, pronunciations=pronunciations)
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise VoiceError(f"voice '{name}': '{url}' is no address such as http://host:port/say")
        self._url = url
        self._headers = {"Content-Type": "application/json", **(headers or {})}
        self._timeout_s = timeout_s

    def fingerprint(self, _language: str) -> str:
        return self._url

    async def _render(self, request: Request) -> Rendering:
        settings = request.settings
        body = {
            "text": request.text,
            "language": request.language,
            "rate": settings.rate,
            "pitch": settings.pitch,
            "volume": 1.0 if settings.volume is None else settings.volume,
        }
        kind, times, content = await asyncio.to_thread(self._fetch, json.dumps(body).encode())
        try:
            wav, words = _parts(kind, times, content)
            return rendering_of(request.text, read_wav(wav), words)
        except ValueError as error:
            raise VoiceError(
                f"voice '{self.name}': the service's reply ({kind or 'no type'}): {error}"
            ) from None

    def _fetch(self, body: bytes) -> tuple[str, str, bytes]:
        order = urllib.request.Request(  # noqa: S310 - the scheme was checked
            self._url, data=body, headers=self._headers, method="POST"
        )
        # A slow service may send a byte now and then, which no socket's time-out ends.
        until_s = time.monotonic() + self._timeout_s
        try:
            with urllib.request.urlopen(order, timeout=self._timeout_s) as reply:  # noqa: S310
                content = bytearray()
                while part := reply.read1(65536):
                    content += part
                    if len(content) > LARGEST_REPLY:
                        raise self._failure(f"its reply exceeds {LARGEST_REPLY} bytes")
                    if time.monotonic() > until_s:
                        raise self._failure(f"no answer within {self._timeout_s:g} s")
                kind = str(reply.headers.get("Content-Type", ""))
                return kind, str(reply.headers.get("X-Word-Times", "")), bytes(content)
        except urllib.error.HTTPError as error:
            with error:
                raise self._failure(f"it answered {error.code} {error.reason}") from None
        except TimeoutError:
            raise self._failure(f"no answer within {self._timeout_s:g} s") from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise self._failure(f"no answer within {self._timeout_s:g} s") from None
            raise self._failure(f"it cannot be reached ({reason})") from None

    def _failure(self, why: str) -> VoiceError:
        shown = urllib.parse.urlsplit(self._url)
        return VoiceError(f"voice '{self.name}' at {shown.scheme}://{shown.hostname}: {why}")


def _parts(kind: str, times: str, content: bytes) -> tuple[bytes, list[TimedWord]]:
    if "json" not in kind.lower():
        return content, parse_word_times(json.loads(times)) if times else []
    reply: Any = json.loads(content)
    if not isinstance(reply, dict) or not isinstance(reply.get("wav"), str):
        raise ValueError("no 'wav' with base64 in it")  # noqa: TRY004 - of the same kind as the rest
    try:
        wav = base64.b64decode(reply["wav"], validate=True)
    except binascii.Error as error:
        raise ValueError(f"'wav' is not base64 ({error})") from None
    return wav, parse_word_times(reply)
