"""Cuts a stream of sound into utterances, with what came just before so that no word is lost.

Design overview: somebody else's voice activity (`speech`) opens and closes utterances; until the
first of it arrives, loudness against the quietest of late does. While the robot itself speaks
(`muted`) nothing is cut, and an utterance under way is given up.
Units and frames: blocks of `sera.hearing.source`; sound goes out as 16 bit, 16 kHz, one channel.
Threading: one thread; no clock inside, times are those of the blocks.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from sera.hearing.recogniser import RATE_HZ
from sera.hearing.source import Block

PRE_ROLL_S = 0.3
TAIL_S = 0.3
REMEMBERED_S = 1.5
"""A detector tells of speech after it has begun."""
LONGEST_S = 20.0
LOUDER_DB = 9.0
SILENCE_ENDS_S = 0.6
_FLOOR_RISES_DB_PER_S = 1.5
_QUIETEST_DBFS = -65.0


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an utterance."""

    utterance: int
    time_s: float
    """When its sound was captured."""
    begins: bool = False
    ends: bool = False
    given_up: bool = False
    """Whether the utterance is to be forgotten."""
    pcm: bytes = b""


class UtteranceCutter:
    """One stream."""

    def __init__(self, *, pre_roll_s: float = PRE_ROLL_S, tail_s: float = TAIL_S) -> None:
        self._pre_roll_s, self._tail_s = pre_roll_s, tail_s
        self._before: deque[tuple[float, float, bytes]] = deque()
        self._number = 0
        self._open = False
        self._began_s = 0.0
        self._told = False
        self._since_s = math.inf
        self._speaking = False
        self._closes_s = math.inf
        self._floor_db = 0.0
        self._loud_s = -math.inf
        self._loud_run_s = 0.0

    @property
    def is_open(self) -> bool:
        """Whether an utterance is under way."""
        return self._open

    def speech(self, *, speaking: bool, time_s: float) -> None:
        """Voice activity of a detector, at a time of the stream; it counts from now on."""
        if speaking and not self._speaking:
            self._since_s = time_s
        self._told, self._speaking = True, speaking
        self._closes_s = math.inf if speaking else time_s + self._tail_s

    def forget_detector(self) -> None:
        """There is no detector any more: loudness counts again."""
        self._told = self._speaking = False
        self._loud_run_s, self._loud_s, self._floor_db = 0.0, -math.inf, 0.0
        self._closes_s = -math.inf

    def take(self, block: Block, *, muted: bool = False) -> list[Piece]:
        """The next block; what of utterances it makes."""
        pcm = as_pcm(block)
        if muted:
            self._before.clear()
            self._loud_run_s, self._loud_s, self._speaking = 0.0, -math.inf, False
            return self._close(block.end_s, given_up=True) if self._open else []
        if not self._told:
            self._judge(block)
        pieces: list[Piece] = []
        if not self._open:
            self._remember(block, pcm)
            if not self._speaking:
                return []
            self._open, self._number = True, self._number + 1
            reaches_s = min(self._since_s, block.time_s) - self._pre_roll_s
            self._since_s = math.inf
            while len(self._before) > 1 and self._before[0][1] <= reaches_s:
                self._before.popleft()
            self._began_s = self._before[0][0]
            sound = b"".join(each for _, _, each in self._before)
            self._before.clear()
            pieces.append(Piece(self._number, self._began_s, begins=True, pcm=sound))
        else:
            pieces.append(Piece(self._number, block.time_s, pcm=pcm))
        over = not self._speaking and block.end_s >= self._closes_s
        if over or block.end_s - self._began_s > LONGEST_S:
            pieces += self._close(block.end_s)
        return pieces

    def finish(self, time_s: float) -> list[Piece]:
        """The stream is over."""
        return self._close(time_s) if self._open else []

    def _close(self, time_s: float, *, given_up: bool = False) -> list[Piece]:
        self._open = False
        self._closes_s = math.inf
        return [Piece(self._number, time_s, ends=True, given_up=given_up)]

    def _remember(self, block: Block, pcm: bytes) -> None:
        self._before.append((block.time_s, block.end_s, pcm))
        while self._before and self._before[0][1] < block.end_s - REMEMBERED_S:
            self._before.popleft()

    def _judge(self, block: Block) -> None:
        """Whether it is loud against the quietest of late."""
        power = float(np.mean(np.square(block.samples))) if block.samples.size else 0.0
        level_db = max(_QUIETEST_DBFS, 10.0 * math.log10(power + 1e-12))
        risen_db = self._floor_db + _FLOOR_RISES_DB_PER_S * block.duration_s
        self._floor_db = min(level_db, risen_db)
        if level_db > self._floor_db + LOUDER_DB:
            self._loud_run_s += block.duration_s
            self._loud_s = block.end_s
        else:
            self._loud_run_s = 0.0
        if self._loud_run_s >= 2 * block.duration_s:
            self._speaking, self._closes_s = True, math.inf
        elif self._speaking and block.end_s - self._loud_s >= SILENCE_ENDS_S:
            self._speaking, self._closes_s = False, block.end_s


def as_pcm(block: Block) -> bytes:
    """All channels as one, 16 bit at 16 kHz."""
    mono = block.samples.mean(axis=1) if block.samples.ndim > 1 else block.samples
    if block.rate_hz != RATE_HZ and len(mono):
        from scipy.signal import resample_poly

        divisor = math.gcd(RATE_HZ, block.rate_hz)
        mono = resample_poly(mono, RATE_HZ // divisor, block.rate_hz // divisor)
    scaled = np.clip(np.rint(np.nan_to_num(mono) * 32767.0), -32768, 32767)
    return bytes(scaled.astype("<i2").tobytes())


__all__ = ["Piece", "UtteranceCutter", "as_pcm"]
