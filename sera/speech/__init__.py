"""Voices: text becomes sound with the times of its words, behind one interface."""

from __future__ import annotations

from sera.speech._assemble import Mark, Rendering
from sera.speech._word_times import TimedWord
from sera.speech.align import align, can_align
from sera.speech.best import best_voice
from sera.speech.chain import VoiceChain
from sera.speech.choose import VoiceChoice, VoiceKind, choose_voice, rendering_voice, with_character
from sera.speech.command import CommandVoice
from sera.speech.espeak import EspeakVoice
from sera.speech.estimate import syllables
from sera.speech.gain import undistorted_factor, with_gain
from sera.speech.http_service import HttpVoice
from sera.speech.library import Rendered, line_name, render_library
from sera.speech.mouth import thinned_mouth
from sera.speech.player import Played, Player, PlayerBusy
from sera.speech.pronunciation import Pronunciation, PronunciationList, merge_pronunciations
from sera.speech.pronunciation_file import PronunciationError, load_pronunciations
from sera.speech.recorded import RecordedVoice
from sera.speech.reference import PlayedSounds, played_sound
from sera.speech.rests import with_rests
from sera.speech.settings import VoiceSettings
from sera.speech.silent import SilentVoice
from sera.speech.sink import (
    FileSink,
    KeepingSink,
    LoopClock,
    PlayClock,
    SilentSink,
    Sink,
    SinkError,
)
from sera.speech.sound_card import ProgramSink, SoundDeviceSink, best_sink, has_sound_card
from sera.speech.speech import Phoneme, Sentence, Speech, Word
from sera.speech.visemes import MouthCurve, Viseme, mouth_curve, viseme_of
from sera.speech.voice import LONGEST_TEXT, NotRecorded, Request, Voice, VoiceError
from sera.speech.wav import Sound, WavError, read_wav, write_wav

__all__ = [
    "LONGEST_TEXT",
    "CommandVoice",
    "EspeakVoice",
    "FileSink",
    "HttpVoice",
    "KeepingSink",
    "LoopClock",
    "Mark",
    "MouthCurve",
    "NotRecorded",
    "Phoneme",
    "PlayClock",
    "Played",
    "PlayedSounds",
    "Player",
    "PlayerBusy",
    "ProgramSink",
    "Pronunciation",
    "PronunciationError",
    "PronunciationList",
    "RecordedVoice",
    "Rendered",
    "Rendering",
    "Request",
    "Sentence",
    "SilentSink",
    "SilentVoice",
    "Sink",
    "SinkError",
    "Sound",
    "SoundDeviceSink",
    "Speech",
    "TimedWord",
    "Viseme",
    "Voice",
    "VoiceChain",
    "VoiceChoice",
    "VoiceError",
    "VoiceKind",
    "VoiceSettings",
    "WavError",
    "Word",
    "align",
    "best_sink",
    "best_voice",
    "can_align",
    "choose_voice",
    "has_sound_card",
    "line_name",
    "load_pronunciations",
    "merge_pronunciations",
    "mouth_curve",
    "played_sound",
    "read_wav",
    "render_library",
    "rendering_voice",
    "syllables",
    "thinned_mouth",
    "undistorted_factor",
    "viseme_of",
    "with_character",
    "with_gain",
    "with_rests",
    "write_wav",
]
