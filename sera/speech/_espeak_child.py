"""The espeak-ng library in a process of its own: requests come as lines of JSON, sound goes back.

espeak-ng is under the GPL and may crash on odd text, so that it is loaded here by ctypes and
nowhere else; this file imports nothing of the project, and the project never imports this file.
A request is one line `{"text", "language", "variant", "rate_wpm", "pitch", "volume"}`; the reply
one line `{"rate_hz", "bytes", "words", "phonemes"}` or `{"error", "known"}`, then the samples.
The process ends with its standard input.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import sys
from pathlib import Path
from typing import Any

_NAMES = ("libespeak-ng.so.1", "libespeak-ng.1.dylib", "libespeak-ng.dylib", "libespeak-ng.dll")
_SYNCHRONOUS = 2
_PHONEME_EVENTS, _PHONEME_IPA, _DO_NOT_EXIT = 1, 2, 0x8000
_BY_CHARACTER = 1
_UTF8, _PHONEMES_IN_BRACKETS = 1, 0x100
_RATE, _VOLUME, _PITCH = 1, 2, 3
_WORD, _PHONEME = 1, 7


class _Id(ctypes.Union):
    _fields_ = (("number", ctypes.c_int), ("name", ctypes.c_char_p), ("string", ctypes.c_char * 8))


class _Event(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("unique_identifier", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position_ms", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("id", _Id),
    )


class _VoiceEntry(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("languages", ctypes.c_void_p),
        ("identifier", ctypes.c_char_p),
        ("about", ctypes.c_ubyte * 4),
        ("score", ctypes.c_int),
        ("spare", ctypes.c_void_p),
    )


class _Engine:
    """The library, initialised, collecting what its callback brings."""

    def __init__(self) -> None:
        self._library = _load()
        options = _PHONEME_EVENTS | _PHONEME_IPA | _DO_NOT_EXIT
        self.rate_hz = int(self._library.espeak_Initialize(_SYNCHRONOUS, 200, None, options))
        if self.rate_hz <= 0:
            raise OSError("espeak-ng did not start: its data is missing or of another version")
        self._library.espeak_ListVoices.restype = ctypes.POINTER(ctypes.POINTER(_VoiceEntry))
        self._languages = self._list_languages()
        folder = ctypes.c_char_p()
        self._library.espeak_Info.restype = ctypes.c_char_p
        self._library.espeak_Info(ctypes.byref(folder))
        self._data = Path(os.fsdecode(folder.value or b""))
        self._pcm = bytearray()
        self._words: list[tuple[int, int]] = []
        self._phonemes: list[tuple[str, int]] = []
        kind = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(_Event)
        )
        self._callback = kind(self._heard)  # kept: the library holds only its address
        self._library.espeak_SetSynthCallback(self._callback)

    def speak(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """The reply to one request, and its samples."""
        voice = self._voice_for(str(request["language"]))
        if voice is None:
            known = sorted(self._languages)
            return {"error": "language", "known": known}, b""
        variant = request.get("variant")
        # The library passes over a variant that it does not have.
        if variant and not (self._data / "voices" / "!v" / variant).is_file():
            return {"error": "variant", "known": []}, b""
        name = f"{voice}+{variant}" if variant else voice
        if self._library.espeak_SetVoiceByName(name.encode()) != 0:
            return {"error": f"espeak-ng cannot load its voice {name}", "known": []}, b""
        for parameter, key in ((_RATE, "rate_wpm"), (_VOLUME, "volume"), (_PITCH, "pitch")):
            self._library.espeak_SetParameter(parameter, int(request[key]), 0)
        self._pcm, self._words, self._phonemes = bytearray(), [], []
        text = str(request["text"]).replace("\0", " ").encode("utf-8", "replace") + b"\0"
        code = self._library.espeak_Synth(
            text, len(text), 0, _BY_CHARACTER, 0, _UTF8 | _PHONEMES_IN_BRACKETS, None, None
        )
        if code != 0:
            return {"error": f"espeak_Synth gave {code}", "known": []}, b""
        reply = {
            "rate_hz": self.rate_hz,
            "bytes": len(self._pcm),
            "words": self._words,
            "phonemes": self._phonemes,
        }
        return reply, bytes(self._pcm)

    def _heard(self, samples: Any, count: int, events: Any) -> int:
        if count > 0:
            self._pcm += ctypes.string_at(samples, count * 2)
        index = 0
        while events[index].type != 0:
            event = events[index]
            if event.type == _WORD:
                self._words.append((event.text_position - 1, event.sample))
            elif event.type == _PHONEME:
                ipa = bytes(event.id.string).decode("utf-8", "ignore")
                self._phonemes.append((ipa, event.sample))
            index += 1
        return 0

    def _voice_for(self, language: str) -> str | None:
        """The voice of a language tag, of its region where there is one, else without it."""
        parts = language.lower().replace("_", "-").split("-")
        for length in range(len(parts), 0, -1):
            voice = self._languages.get("-".join(parts[:length]))
            if voice is not None:
                return voice
        return None

    def _list_languages(self) -> dict[str, str]:
        """Language tag → voice, the best for each; mbrola voices need files that are not here."""
        best: dict[str, tuple[int, str]] = {}
        voices = self._library.espeak_ListVoices(None)
        index = 0
        while voices[index]:
            entry = voices[index].contents
            index += 1
            identifier = (entry.identifier or b"").decode("utf-8", "ignore")
            if identifier.startswith("mb/"):
                continue
            at = entry.languages
            while at and (priority := ctypes.c_ubyte.from_address(at).value):
                tag = ctypes.string_at(at + 1)
                at += len(tag) + 2
                name = tag.decode("ascii", "ignore").lower()
                if name not in best or priority < best[name][0]:
                    best[name] = (priority, identifier)
        return {name: voice for name, (_, voice) in best.items()}


def _load() -> Any:
    found = ctypes.util.find_library("espeak-ng")
    for name in (os.environ.get("SERA_ESPEAK_LIBRARY"), *_NAMES, found):
        if name:
            try:
                return ctypes.CDLL(name)
            except OSError:
                continue
    raise OSError("the library of espeak-ng is not installed (Debian: apt-get install espeak-ng)")


def main() -> None:
    """Answer requests until standard input ends."""
    # The library may print; only replies go to the pipe.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        engine = _Engine()
    except OSError as error:
        replies.write(json.dumps({"error": str(error), "known": []}).encode() + b"\n")
        replies.flush()
        return
    replies.write(b'{"ready": true}\n')
    replies.flush()
    for line in sys.stdin.buffer:
        reply, samples = engine.speak(json.loads(line))
        replies.write(json.dumps(reply).encode() + b"\n" + samples)
        replies.flush()


if __name__ == "__main__":
    main()
