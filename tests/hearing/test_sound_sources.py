"""Where sound comes from: files of every format at their own pace, devices that come and go."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.io import wavfile

from sera.hearing import Block, SoundLost, SoundMissing, SoundProblem, sound_source
from sera.hearing import steady as steady_module
from sera.hearing.device_source import KEPT_BLOCKS, DeviceSource
from sera.hearing.steady import SteadySound
from sera.hearing.wav_source import WavSource
from sera.runtime import Clock
from sera.runtime.clock import run as run_with_clock
from tests.helpers import until


def in_virtual_time(scene):
    return run_with_clock(scene(), clock="virtual")


async def read_all(source):
    await source.open()
    blocks = []
    while (block := await source.read()) is not None:
        blocks.append((block, source._clock.now()))
    return blocks


def wave(count=4000, channels=2):
    steps = np.arange(count)[:, None] * (0.01 + 0.01 * np.arange(channels))
    return 0.5 * np.sin(steps)


@pytest.mark.parametrize(
    ("dtype", "scale", "error"),
    [
        ("uint8", 127, 0.02),
        ("int16", 32767, 1e-4),
        ("int32", 2**31 - 1, 1e-6),
        ("float32", 1, 1e-6),
    ],
)
def test_a_file_of_any_format_gives_its_samples_at_the_times_of_its_recording(
    tmp_path, dtype, scale, error
):
    whole = wave()
    stored = whole * scale + (128 if dtype == "uint8" else 0)
    wavfile.write(
        tmp_path / "a.wav",
        8000,
        np.rint(stored).astype(dtype) if scale > 1 else stored.astype(dtype),
    )

    async def scene():
        return await read_all(WavSource(tmp_path / "a.wav", Clock.for_running_loop()))

    blocks = in_virtual_time(scene)
    assert np.allclose(np.concatenate([block.samples for block, _ in blocks]), whole, atol=error)
    assert all(block.samples.dtype == np.float32 for block, _ in blocks)
    assert [block.time_s for block, _ in blocks] == pytest.approx(
        [0.032 * number for number in range(len(blocks))]
    )
    for block, heard_s in blocks:
        assert heard_s == pytest.approx(block.end_s, abs=1e-6)


def test_twenty_four_bits_and_a_repeated_file(tmp_path):
    numbers = np.arange(-300, 300) * 20_000
    data = b"".join(int(n).to_bytes(3, "little", signed=True) for n in numbers)
    head = b"fmt " + (16).to_bytes(4, "little") + b"\x01\x00\x01\x00"
    head += (6000).to_bytes(4, "little") + (18_000).to_bytes(4, "little") + b"\x03\x00\x18\x00"
    body = b"WAVE" + head + b"data" + len(data).to_bytes(4, "little") + data
    (tmp_path / "a.wav").write_bytes(b"RIFF" + len(body).to_bytes(4, "little") + body)

    async def scene():
        source = WavSource(tmp_path / "a.wav", Clock.for_running_loop(), repeat=True, block_s=0.05)
        await source.open()
        return [await source.read() for _ in range(4)]

    blocks = in_virtual_time(scene)
    whole = np.concatenate([block.samples[:, 0] for block in blocks[:2]])
    assert np.allclose(whole, numbers / 2**23, atol=1e-6)
    assert np.array_equal(blocks[2].samples, blocks[0].samples)
    assert blocks[2].time_s == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no sound file"),
        (b"", "no WAV file"),
        (b"RIFF\x00\x00", "no WAV file"),
        (b"hello, I am a text" * 9, "no WAV file"),
    ],
)
def test_a_bad_file_is_one_sentence_with_its_name(tmp_path, content, words):
    path = tmp_path / "room.wav"
    if content is not None:
        path.write_bytes(content)

    async def scene():
        with pytest.raises(SoundMissing, match=words) as caught:
            await WavSource(path, Clock.for_running_loop()).open()
        assert "room.wav" in str(caught.value)

    in_virtual_time(scene)


def test_floats_that_are_no_numbers_become_silence(tmp_path):
    wavfile.write(tmp_path / "a.wav", 16_000, np.array([0.5, np.nan, 9.0, -np.inf], "float32"))

    async def scene():
        return await read_all(WavSource(tmp_path / "a.wav", Clock.for_running_loop()))

    [(block, _)] = in_virtual_time(scene)
    assert block.samples[:, 0].tolist() == [0.5, 0.0, 1.0, -1.0]


class FakeDevices:
    """A sounddevice whose only microphone can be unplugged."""

    def __init__(self, channels=2):
        self.plugged = True
        self.channels = channels
        self.streams = []
        self.restarts = 0

    def query_devices(self, device=None, kind=None):
        devices = (
            [
                {
                    "name": "USB pair",
                    "index": 3,
                    "max_input_channels": self.channels,
                    "default_samplerate": 48_000.0,
                }
            ]
            if self.plugged
            else []
        )
        if kind is None:
            return devices
        if not devices or (isinstance(device, str) and device not in "USB pair"):
            raise ValueError("no device")
        return devices[0]

    def _terminate(self):
        self.restarts += 1

    def _initialize(self):
        pass

    def InputStream(self, **given):  # noqa: N802  # the library's name
        stream = SimpleNamespace(
            given=given, start=lambda: None, abort=lambda: None, close=lambda: None
        )
        self.streams.append(stream)
        return stream

    def hear(self, count=1536, *, age_s=0.05):
        timing = SimpleNamespace(currentTime=10.0, inputBufferAdcTime=10.0 - age_s)
        data = np.full((count, self.channels), 0.25, np.float32)
        self.streams[-1].given["callback"](data, count, timing, None)


async def test_a_device_gives_blocks_with_the_time_of_their_capture():
    devices, clock = FakeDevices(), Clock.for_running_loop()
    source = DeviceSource("USB", clock, sounddevice=devices)
    await source.open()
    assert devices.streams[0].given["channels"] == 2
    assert devices.streams[0].given["samplerate"] == 48_000
    before_s = clock.now()
    devices.hear(age_s=0.05)
    block = await source.read()
    assert before_s - 0.08 < block.time_s < clock.now() - 0.02
    assert block.samples.shape == (1536, 2)
    assert source.describe() == "microphone 'USB pair'"
    source.close()


async def test_nobody_reads_and_the_oldest_blocks_are_dropped():
    devices = FakeDevices()
    source = DeviceSource(None, Clock.for_running_loop(), sounddevice=devices)
    await source.open()
    for _ in range(KEPT_BLOCKS + 5):
        devices.hear()
    await until(lambda: source.dropped == 5)
    source.close()


async def test_a_device_that_is_unplugged_is_lost_and_found_again(monkeypatch):
    monkeypatch.setattr(steady_module, "WAITS_S", (0.05,))

    async def hear(opened: int) -> None:
        await until(lambda: len(devices.streams) >= opened)
        devices.hear()

    devices, clock = FakeDevices(), Clock.for_running_loop()
    steady = SteadySound(DeviceSource(None, clock, sounddevice=devices), clock)
    news = steady.listen()
    first, _ = await asyncio.gather(anext(news), hear(1))
    assert (first.condition, first.problem) == ("ok", None)
    assert isinstance(first.block, Block)
    devices.plugged = False
    devices.streams[-1].given["finished_callback"]()
    second = await anext(news)
    assert second.condition == "lost"
    assert "is gone: plug it in again" in second.problem
    third = await anext(news)
    assert third.condition == "lost"
    assert "there is no microphone" in third.problem
    assert devices.restarts > 0, "PortAudio must be asked anew, or it never sees a new device"
    devices.plugged = True
    fourth, _ = await asyncio.gather(anext(news), hear(len(devices.streams) + 1))
    assert fourth.condition == "ok"
    assert steady.losses == 1
    await news.aclose()
    steady.close()


async def test_what_cannot_be_had_is_said_in_one_sentence():
    clock, devices = Clock.for_running_loop(), FakeDevices()
    with pytest.raises(SoundMissing, match="no microphone 'Lapel'; there is 'USB pair'"):
        await DeviceSource("Lapel", clock, sounddevice=devices).open()
    with pytest.raises(SoundMissing, match="has 2 channels and the settings ask for 6"):
        await DeviceSource(None, clock, channels=6, sounddevice=devices).open()
    with pytest.raises(SoundLost, match="not open"):
        await DeviceSource(None, clock, sounddevice=devices).read()


def test_microphones_need_real_time():
    async def scene():
        source = sound_source(2, Clock.for_running_loop())
        with pytest.raises(SoundProblem, match="needs real time: give a WAV file"):
            await source.open()

    in_virtual_time(scene)


def test_a_setting_names_a_file_or_a_device(tmp_path):
    async def scene():
        clock = Clock.for_running_loop()
        assert sound_source("room.WAV", clock, folder=tmp_path).describe() == "file room.WAV"
        assert sound_source("3", clock).device == 3
        assert sound_source(None, clock).describe() == "the system's microphone"

    in_virtual_time(scene)


def test_a_file_that_is_missing_is_tried_again_until_it_is_there(tmp_path):
    async def scene():
        clock = Clock.for_running_loop()
        path = tmp_path / "late.wav"
        seen = []
        async for news in SteadySound(WavSource(path, clock), clock).listen():
            seen.append(news.condition)
            if clock.now() > 3 and not path.exists():
                wavfile.write(path, 16_000, np.zeros(600, "int16"))
        return seen

    seen = in_virtual_time(scene)
    assert seen[0] == "missing"
    assert seen[-3:] == ["ok", "ok", "over"]
