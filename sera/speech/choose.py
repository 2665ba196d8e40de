"""Which voice a character has: settings that people write, and the voices made of them."""

from __future__ import annotations

import os
import urllib.parse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, Self, TypeVar, get_args

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from sera.speech.best import best_voice
from sera.speech.chain import VoiceChain
from sera.speech.command import CommandVoice
from sera.speech.espeak import EspeakVoice
from sera.speech.http_service import HttpVoice
from sera.speech.pronunciation import PronunciationList, merge_pronunciations
from sera.speech.pronunciation_file import PronunciationError, load_pronunciations
from sera.speech.recorded import RecordedVoice
from sera.speech.silent import SilentVoice
from sera.speech.voice import Voice, VoiceError

VoiceKind = Literal["auto", "espeak", "silent", "recorded", "command", "http"]
ESPEAK_PATIENCE_S = 2.0
Report = Callable[[str], None]
ChoiceType = TypeVar("ChoiceType", bound="VoiceChoice")


class VoiceChoice(BaseModel):
    """Which voice speaks, and how it is reached."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    voice: VoiceKind = "auto"
    """auto and espeak: espeak-ng where it is installed, else silence that keeps time; recorded:
    files of a folder; command: a program; http: a service."""
    fallback: Literal["auto", "silent", "none"] = "auto"
    """Who says what the voice cannot: auto: espeak-ng, else silence that keeps time; none: the
    line fails."""
    language: str | None = Field(default=None, min_length=2)
    """Language tag such as `en` or `pt-PT`; left out: the character's own, else `en`."""
    variants: dict[str, str] = Field(default_factory=dict)
    """Variant of espeak-ng by language, such as `{ en = "f3", pt = "m2" }`; `*`: all others."""
    pronunciations: list[str] = Field(default_factory=list)
    """Files beside the scenario that say how single words are spoken, later ones over earlier."""
    recordings: str | None = None
    """Folder beside the scenario with rendered or recorded lines, for `recorded`."""
    command: list[str] = Field(default_factory=list)
    """Program and arguments, for `command`: `{text}`, `{wav}`, `{language}`, `{rate}`, `{pitch}`
    and `{volume}` are filled in."""
    command_timeout_s: float = Field(default=4.0, gt=0, le=600)
    """How long the program may take for a line."""
    url: str | None = None
    """Address that lines are posted to, for `http`."""
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    """Sent along with each line; `$NAME` is taken from the environment, so that keys need not
    stand in the scenario."""
    http_timeout_s: float = Field(default=4.0, gt=0, le=600)
    """How long the service may take for a line."""

    @field_validator("pronunciations", mode="before")
    @classmethod
    def _one_file_or_several(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value

    @model_validator(mode="after")
    def _has_what_the_voice_needs(self) -> Self:
        needs: dict[str, tuple[str, object, str]] = {
            "recorded": ("recordings", self.recordings, '"recordings/en"'),
            "command": ("command", self.command, '["piper", "--output_file", "{wav}"]'),
            "http": ("url", self.url, '"http://localhost:5002/say"'),
        }
        if self.voice in needs:
            key, value, example = needs[self.voice]
            if not value:
                raise ValueError(f'voice = "{self.voice}" needs {key}, such as {key} = {example}')
        if self.url is not None:
            parts = urllib.parse.urlsplit(self.url)
            if parts.scheme not in ("http", "https") or not parts.hostname:
                raise ValueError(f"url: '{self.url}' is no address such as http://host:port/say")
        if self.command and not self.command[0].strip():
            raise ValueError("command: the first entry is the name of the program")
        for language, variant in self.variants.items():
            if not variant.isalnum():
                raise ValueError(
                    f"variants.{language}: '{variant}' is no variant of espeak-ng (such as f3)"
                )
        return self


def with_character(
    choice: ChoiceType, voice: str | None, language: str | None, report: Report
) -> ChoiceType:
    """The choice with what the character's own table says, where the choice itself is silent.

    Args:
        choice: what was written for the speaker.
        voice: of the character: a kind of voice, or a variant of espeak-ng such as `f3`.
        language: of the character.
        report: is told of a voice that cannot be.
    """
    if language is not None and choice.language is None:
        choice = choice.model_copy(update={"language": language})
    changed: dict[str, object] = {}
    if voice in get_args(VoiceKind) and "voice" not in choice.model_fields_set:
        changed["voice"] = voice
    elif voice is not None and voice not in get_args(VoiceKind) and not choice.variants:
        changed["variants"] = {"*": voice}
    given = {name: getattr(choice, name) for name in choice.model_fields_set}
    try:
        return type(choice).model_validate({**given, **changed})
    except ValidationError as error:
        why = str(error.errors()[0]["msg"]).removeprefix("Value error, ")
        report(f"the character's voice '{voice}' cannot be used: {why}")
        return choice


async def choose_voice(
    choice: VoiceChoice,
    *,
    folder: Path,
    language: str,
    virtual: bool,
    report: Report,
) -> VoiceChain:
    """The voices of a choice, the wanted one first, then what says a line where it cannot.

    Args:
        choice: what was written.
        folder: where its files lie.
        language: what is spoken where neither the choice nor a line says.
        virtual: True: no program and no network, as virtual time wants it. Recordings keep their
            times, everything else is silent.
        report: is told of what cannot be used; the rest goes on without it.
    """
    spoken = choice.language or language
    silent = SilentVoice(language=spoken)
    pronunciations = _pronunciations(choice, folder, report)
    voices: list[Voice] = []
    if choice.voice == "recorded":
        voices.append(recorded_voice(choice, folder, spoken, report))
    elif not virtual and choice.voice in ("command", "http"):
        try:
            voices.append(_outside(choice, spoken, pronunciations))
        except VoiceError as error:
            report(f"{error}; another voice speaks")
    espeak = EspeakVoice(
        language=spoken,
        variants=choice.variants,
        pronunciations=pronunciations,
        report=report,
        patience_s=ESPEAK_PATIENCE_S,
    )
    if not virtual and choice.voice in ("auto", "espeak"):
        best = await best_voice(language=spoken, report=report, espeak=espeak)
        if best is espeak:
            voices.append(espeak)
    elif not virtual and choice.voice != "silent" and choice.fallback == "auto":
        voices.append(espeak)  # started when it is needed
    if not voices or choice.fallback != "none":
        voices.append(silent)
    return VoiceChain(voices, report=report)


async def rendering_voice(choice: VoiceChoice, *, folder: Path, language: str) -> Voice:
    """The one voice that makes the sound of a choice, for files that shall all sound alike.

    Raises:
        VoiceError: it makes no sound, or is not to be had.
        PronunciationError: a list cannot be used.
    """
    spoken = choice.language or language
    pronunciations = merge_pronunciations(
        load_pronunciations(folder / name) for name in choice.pronunciations
    )
    if choice.voice in ("silent", "recorded"):
        raise VoiceError(f"the voice '{choice.voice}' makes no sound of its own: take another one")
    if choice.voice in ("command", "http"):
        return _outside(choice, spoken, pronunciations)
    voice = EspeakVoice(language=spoken, variants=choice.variants, pronunciations=pronunciations)
    await voice.start()
    return voice


def recorded_voice(
    choice: VoiceChoice, folder: Path, language: str, report: Report
) -> RecordedVoice:
    """The recordings of a choice; what cannot be used is reported."""
    place = folder / (choice.recordings or "")
    voice = RecordedVoice(place, language=language)
    for problem in voice.problems:
        report(str(problem))
    if not place.is_dir():
        report(f"{place}: there is no such folder of recordings (sera utterances render makes one)")
    elif not voice.texts:
        report(f"{place}: there is no recording in it (sera utterances render makes them)")
    return voice


def _outside(choice: VoiceChoice, language: str, pronunciations: PronunciationList) -> Voice:
    if choice.voice == "command":
        return CommandVoice(
            "command",
            choice.command,
            language=language,
            pronunciations=pronunciations,
            timeout_s=choice.command_timeout_s,
        )
    return HttpVoice(
        "http",
        choice.url or "",
        language=language,
        headers=_headers(choice.headers),
        pronunciations=pronunciations,
        timeout_s=choice.http_timeout_s,
    )


def _headers(headers: Mapping[str, SecretStr]) -> dict[str, str]:
    filled = {}
    for name, secret in headers.items():
        value = secret.get_secret_value()
        if value.startswith("$"):
            found = os.environ.get(value[1:])
            if found is None:
                raise VoiceError(f"voice 'http': headers.{name} wants {value}, which is not set")
            value = found
        filled[name] = value
    return filled


def _pronunciations(choice: VoiceChoice, folder: Path, report: Report) -> PronunciationList:
    lists = []
    for name in choice.pronunciations:
        try:
            lists.append(load_pronunciations(folder / name))
        except PronunciationError as error:
            report(str(error))
    return merge_pronunciations(lists)
