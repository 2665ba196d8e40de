"""Playing: words at their times, stops, drift and sinks that fail, on a virtual clock."""

from __future__ import annotations

import asyncio

import pytest

from sera.messages.speech import SpeechOutcome
from sera.runtime.clock import run
from sera.speech import EspeakVoice, LoopClock, Player, PlayerBusy, Sink, SinkError, Speech, Word

WORDS = (("one", 0.1), ("two", 0.5), ("three", 1.0), ("four", 1.6))
SPEECH = Speech(
    text="one two three four",
    rate_hz=8000,
    duration_s=2.0,
    pcm=bytes(32_000),
    words=tuple(Word(text, 0, 0, start_s, start_s + 0.3) for text, start_s in WORDS),
)


class FakeSink(Sink):
    """Sounds for as long as it is told, and notes when it was cut."""

    name = "fake"

    def __init__(self, *, late_s=0.0, fails_after_s=None, latency_s=0.0, hangs=False) -> None:
        self.latency_s = latency_s
        self.cut_s: float | None = None
        self.sounding = False
        self._late_s = late_s
        self._fails_after_s = fails_after_s
        self._hangs = hangs
        self._duration_s = 0.0

    async def begin(self, speech: Speech) -> None:
        self.sounding = True
        self._duration_s = speech.duration_s

    async def finished(self) -> None:
        if self._fails_after_s is not None:
            await asyncio.sleep(self._fails_after_s)
            raise SinkError("the cable was pulled")
        if self._hangs:
            await asyncio.sleep(1e6)
        await asyncio.sleep(self._duration_s + self.latency_s + self._late_s)
        self.sounding = False

    async def cut(self) -> None:
        if self.sounding:
            self.cut_s = asyncio.get_running_loop().time()
        self.sounding = False


def play(sink, *, speech=SPEECH, stop_at_s=None, politely=False):
    """Result and the words with their times, from the call of play."""

    async def scene():
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        heard: list[tuple[str, float]] = []
        player = Player(sink)
        if stop_at_s is not None:
            loop.call_at(began_s + stop_at_s, lambda: player.stop(politely=politely))
        played = await player.play(
            speech, on_word=lambda _, word: heard.append((word.text, loop.time() - began_s))
        )
        cut_s = None if getattr(sink, "cut_s", None) is None else sink.cut_s - began_s
        assert not player.playing
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}, "nothing is left behind"
        return played, heard, cut_s

    return run(scene(), clock="virtual")


def test_words_come_at_their_times_and_drift_is_nothing_on_time():
    played, heard, cut_s = play(FakeSink())
    assert [text for text, _ in heard] == ["one", "two", "three", "four"]
    assert [time_s for _, time_s in heard] == pytest.approx([0.1, 0.5, 1.0, 1.6])
    assert played.outcome is SpeechOutcome.COMPLETED
    assert played.words == 4
    assert played.duration_s == pytest.approx(2.0)
    assert played.drift_s == pytest.approx(0.0)
    assert cut_s is None


def test_a_late_sink_is_measured_as_drift():
    assert play(FakeSink(late_s=0.25))[0].drift_s == pytest.approx(0.25)


def test_a_sink_that_ends_early_tells_the_rest_at_once():
    played, heard, _ = play(FakeSink(late_s=-0.7))
    assert played.drift_s == pytest.approx(-0.7)
    assert heard[-1] == ("four", pytest.approx(1.3))


def test_words_wait_for_the_latency_of_the_sound_card():
    played, heard, _ = play(FakeSink(latency_s=0.2))
    assert heard[0][1] == pytest.approx(0.3)
    assert played.drift_s == pytest.approx(0.0)


@pytest.mark.parametrize("stop_at_s", [0.0, 0.05, 0.5, 0.75, 1.99])
def test_a_stop_is_silent_within_100_ms(stop_at_s):
    sink = FakeSink()
    played, heard, cut_s = play(sink, stop_at_s=stop_at_s)
    assert played.outcome is SpeechOutcome.STOPPED
    assert played.drift_s is None
    assert stop_at_s <= cut_s + 1e-9 <= stop_at_s + 0.1
    assert not sink.sounding
    assert all(time_s <= stop_at_s + 1e-9 for _, time_s in heard)
    assert played.words == len(heard)


def test_a_polite_stop_ends_where_the_next_word_would_begin():
    played, heard, cut_s = play(FakeSink(), stop_at_s=0.6, politely=True)
    assert [text for text, _ in heard] == ["one", "two"]
    assert cut_s == pytest.approx(1.0)
    assert played.outcome is SpeechOutcome.STOPPED
    assert played.duration_s == pytest.approx(1.0)


def test_a_polite_stop_in_the_last_word_lets_it_end():
    played, heard, cut_s = play(FakeSink(), stop_at_s=1.7, politely=True)
    assert len(heard) == 4
    assert cut_s is None
    assert played.outcome is SpeechOutcome.COMPLETED


def test_a_sink_that_breaks_off_fails_with_its_reason():
    played, heard, _ = play(FakeSink(fails_after_s=0.7))
    assert played.outcome is SpeechOutcome.FAILED
    assert played.problem == "the cable was pulled"
    assert len(heard) == played.words == 2


def test_a_sink_that_never_ends_is_cut_after_its_time():
    sink = FakeSink(hangs=True)
    played, _, cut_s = play(sink)
    assert played.outcome is SpeechOutcome.FAILED
    assert "did not end 2 s after its time" in played.problem
    assert cut_s == pytest.approx(4.0)


def test_a_speech_without_sound_keeps_its_time_on_any_sink():
    silent = Speech("one", 8000, 1.5, words=(Word("one", 0, 3, 0.0, 1.5, estimated=True),))
    sink = FakeSink()
    played, heard, _ = play(sink, speech=silent)
    assert played.duration_s == pytest.approx(1.5)
    assert heard == [("one", 0.0)]
    assert not sink.sounding


def test_a_callback_that_fails_leaves_silence():
    async def scene():
        sink = FakeSink()

        def fall(_number, _word):
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await Player(sink).play(SPEECH, on_word=fall)
        assert not sink.sounding

    run(scene(), clock="virtual")


def test_cancelling_the_task_leaves_silence_and_a_free_player():
    async def scene():
        sink = FakeSink()
        player = Player(sink)
        playing = asyncio.create_task(player.play(SPEECH))
        await asyncio.sleep(0.2)
        assert player.playing
        with pytest.raises(PlayerBusy, match="stop it first"):
            await player.play(SPEECH)
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
        assert not sink.sounding
        assert not player.playing
        assert (await player.play(SPEECH)).outcome is SpeechOutcome.COMPLETED

    run(scene(), clock="virtual")


def test_the_first_sound_is_told_before_the_first_word():
    async def scene():
        order: list[str] = []
        await Player(FakeSink()).play(
            SPEECH,
            on_start=lambda: order.append("start"),
            on_word=lambda number, _: order.append(str(number)),
        )
        assert order == ["start", "0", "1", "2", "3"]

    run(scene(), clock="virtual")


def test_a_stop_when_nothing_is_said_does_not_stop_the_next_speech():
    async def scene():
        player = Player(FakeSink())
        player.stop()
        player.stop(politely=True)
        assert (await player.play(SPEECH)).outcome is SpeechOutcome.COMPLETED

    run(scene(), clock="virtual")


def test_an_injected_clock_gives_the_time():
    class HalfSpeed(LoopClock):
        def now_s(self) -> float:
            return super().now_s() / 2

        async def sleep_until_s(self, time_s: float) -> None:
            await asyncio.sleep(max(0.0, 2 * (time_s - self.now_s())))

    async def scene():
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        silent = Speech("one", 8000, 1.0)
        played = await Player(FakeSink(), HalfSpeed()).play(silent)
        assert played.duration_s == pytest.approx(1.0)
        assert loop.time() - began_s == pytest.approx(2.0)

    run(scene(), clock="virtual")


@pytest.mark.needs_program("espeak-ng")
def test_a_line_of_espeak_ng_is_played_word_by_word_at_the_times_of_its_voice():
    async def spoken():
        voice = EspeakVoice()
        speech = await voice.synthesise("Look at the red box, then at me.")
        await voice.close()
        return speech

    speech = run(spoken())
    played, heard, _ = play(FakeSink(), speech=speech)
    assert [text for text, _ in heard] == ["Look", "at", "the", "red", "box", "then", "at", "me"]
    for (_, time_s), word in zip(heard, speech.words, strict=True):
        assert time_s == pytest.approx(word.start_s, abs=1e-6)
    assert played.drift_s == pytest.approx(0.0, abs=1e-6)
