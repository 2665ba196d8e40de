"""Films and sounds of a session: on the run's clock, and readable however they ended."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import wave
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.study.media import (
    MatroskaFilm,
    MediaDiskFull,
    Sidecar,
    WaveSound,
    media_problems,
    read_sidecars,
)
from sera.study.media import tapes as tapes_module
from sera.study.media._jpeg import jpeg_size
from sera.study.media.consent import ConsentWatch, is_yes, kept_consent
from sera.study.media.sounds import DRIFT_S
from sera.study.media.tapes import FilmTape, SoundTape

START_S = 1_700_000_000.25


def jpeg(level: int, width: int = 64, height: int = 48) -> bytes:
    _, coded = cv2.imencode(".jpg", np.full((height, width, 3), level, np.uint8))
    return bytes(coded.tobytes())


def film_of(path: Path) -> list[tuple[float, float]]:
    """Seconds from the start and brightness of each picture, as a player shows it."""
    capture = cv2.VideoCapture(str(path))
    shown = []
    while True:
        there, picture = capture.read()
        if not there:
            return shown
        shown.append((capture.get(cv2.CAP_PROP_POS_MSEC) / 1000, float(picture.mean())))


def sound_of(path: Path) -> tuple[int, np.ndarray]:
    with wave.open(str(path), "rb") as file:
        data = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        return file.getframerate(), data


def about(kind: str) -> Sidecar:
    return Sidecar("", kind, "world.eyes", "camera 0", "run_1", "p01", 0.0)


def test_pictures_of_a_stuttering_camera_keep_their_times(tmp_path):
    times_s = [0.0, 0.033, 0.071, 0.4, 0.45, 2.9, 2.95]
    film = MatroskaFilm(tmp_path / "a.mkv", 64, 48, START_S)
    for place, time_s in enumerate(times_s):
        assert film.add(jpeg(30 * place), START_S + time_s) == round(1000 * time_s)
    assert film.add(jpeg(0), START_S + 2.95) is None  # time does not stand still
    film.close()
    shown = film_of(tmp_path / "a.mkv")
    assert [time_s for time_s, _ in shown] == pytest.approx(times_s, abs=0.001)
    assert [level for _, level in shown] == pytest.approx([30 * p for p in range(7)], abs=2)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(1, 70_000), min_size=1, max_size=12))
def test_any_gaps_between_pictures_come_back(tmp_path_factory, gaps_ms):
    path = tmp_path_factory.mktemp("film") / "a.mkv"
    film = MatroskaFilm(path, 64, 48, START_S)
    times_ms = [sum(gaps_ms[:count]) for count in range(len(gaps_ms) + 1)]
    for time_ms in times_ms:
        film.add(jpeg(99), START_S + time_ms / 1000)
    film.close()
    assert [round(1000 * time_s) for time_s, _ in film_of(path)] == times_ms


def test_sound_lies_where_its_time_says_whatever_is_lost(tmp_path):
    rate = 16_000
    sound = WaveSound(tmp_path / "a.wav", rate, START_S)
    block = np.full(320, 1000, "<i2").tobytes()
    sound.add(block, START_S)
    sound.add(block, START_S + 0.02)
    sound.add(np.full(320, 9000, "<i2").tobytes(), START_S + 1.0)  # much was lost
    sound.close()
    found_rate, samples = sound_of(tmp_path / "a.wav")
    assert found_rate == rate
    assert np.flatnonzero(samples == 9000)[0] == rate
    assert not samples[640:rate].any()
    assert sound.filled == rate - 640


@pytest.mark.parametrize("drift", [1.004, 0.996])
def test_a_microphone_whose_clock_is_wrong_is_kept_in_step(tmp_path, drift):
    rate, seconds = 8000, 60
    sound = WaveSound(tmp_path / "a.wav", rate, START_S)
    time_s = START_S
    for number in range(int(seconds / 0.02)):
        jitter_s = 0.004 * ((number * 7919) % 11 - 5) / 5
        sound.add(np.full(160, number % 3000, "<i2").tobytes(), time_s + jitter_s)
        assert abs(sound.end_s - (time_s + 0.02 * drift)) < DRIFT_S + 0.02
        time_s += 0.02 * drift
    sound.close()
    assert (sound.filled > 0) == (drift > 1)
    assert (sound.left_out > 0) == (drift < 1)
    _, samples = sound_of(tmp_path / "a.wav")
    assert len(samples) / rate == pytest.approx(seconds * drift, abs=0.03)


def test_a_late_block_or_two_is_no_drift(tmp_path):
    sound = WaveSound(tmp_path / "a.wav", 8000, START_S)
    for number in range(100):
        late_s = 0.06 if number % 10 == 0 else 0.0
        sound.add(bytes(320), START_S + 0.02 * number + late_s)
    assert (sound.filled, sound.left_out, sound.samples) == (0, 0, 16_000)
    sound.close()


def test_a_tape_keeps_file_index_and_sidecar_together(tmp_path):
    tape = FilmTape(tmp_path, "eyes", about("picture"), log_origin_s=lambda: START_S - 12.5)
    for number in range(40):
        tape.take(jpeg(100), START_S + number / 15)
    tape.take(b"no picture", START_S + 3)
    tape.take(jpeg(100), START_S + 5)
    tape.close("the run is over")
    (told,) = read_sidecars(tmp_path)
    assert (told.file, told.started_s, told.start_offset_s) == ("eyes.mkv", START_S, 12.5)
    assert (told.frames, told.dropped, told.holes) == (41, 1, 1)
    assert told.ended == "the run is over"
    lines = (tmp_path / told.index).read_text().splitlines()
    assert (lines[0], len(lines)) == ("frame,time_s", 42)
    assert float(lines[2].split(",")[1]) == pytest.approx(START_S + 1 / 15)
    assert len(film_of(tmp_path / "eyes.mkv")) == 41


def test_another_size_or_rate_begins_another_file(tmp_path):
    film = FilmTape(tmp_path, "eyes", about("picture"))
    film.take(jpeg(50), START_S)
    film.take(jpeg(50, 80, 60), START_S + 1)
    film.close("over")
    sound = SoundTape(tmp_path, "ears", about("sound"))
    sound.take(bytes(640), START_S, 16_000)
    sound.take(bytes(640), START_S + 0.02, 8000)
    sound.take(bytes(640), START_S + 0.06, None)
    sound.close("over")
    told = {one.file: one for one in read_sidecars(tmp_path)}
    assert set(told) == {"eyes.mkv", "eyes_2.mkv", "ears.wav", "ears_2.wav"}
    assert told["eyes_2.mkv"].started_s == START_S + 1
    assert (told["ears.wav"].rate_hz, told["ears_2.wav"].rate_hz) == (16_000, 8000)
    assert told["ears_2.wav"].dropped == 1
    again = FilmTape(tmp_path, "eyes", about("picture"))  # never over what is there
    again.take(jpeg(50), START_S + 9)
    again.close("over")
    assert (tmp_path / "eyes_3.mkv").exists()


WRITER = """
import sys, time
from pathlib import Path
from sera.study.media.sidecar import Sidecar
from sera.study.media.tapes import FilmTape, SoundTape
folder, picture = Path(sys.argv[1]), Path(sys.argv[2]).read_bytes()
film = FilmTape(folder, "eyes", Sidecar("", "picture", "w.e", "c", "r", None, 0.0))
sound = SoundTape(folder, "ears", Sidecar("", "sound", "w.m", "m", "r", None, 0.0))
for number in range(100_000):
    at_s = 1000 + number / 15
    film.take(picture, at_s)
    sound.take(b"\\x01\\x10" * 1067, at_s, 16_000)
    print(number, flush=True)
    if number > 60:
        time.sleep(600)
"""


def test_a_killed_process_leaves_files_that_open(tmp_path):
    (tmp_path / "p.jpg").write_bytes(jpeg(120))
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path), str(tmp_path / "p.jpg")],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) > 60:
            break
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    shown = film_of(tmp_path / "eyes.mkv")
    assert len(shown) >= 45  # no more than a second is lost
    assert shown[30][0] == pytest.approx(2.0, abs=0.001)
    _, samples = sound_of(tmp_path / "ears.wav")
    assert len(samples) / 16_000 >= 3.0
    told = {one.kind: one for one in read_sidecars(tmp_path)}
    assert (told["picture"].started_s, told["picture"].ended) == (1000.0, None)
    assert told["picture"].frames >= 45
    assert len((tmp_path / told["picture"].index).read_text().splitlines()) >= 46


def test_a_disk_that_fills_up_is_one_sentence_and_the_film_opens(tmp_path, monkeypatch):
    tape = FilmTape(tmp_path, "eyes", about("picture"))
    for number in range(30):
        tape.take(jpeg(80), START_S + number / 15)
    monkeypatch.setattr(tapes_module, "free_bytes", lambda _: 1000)
    with pytest.raises(MediaDiskFull, match="nothing more of camera 0 is recorded"):
        tape.take(jpeg(80), START_S + 3.02)
    tape.close("the disk was full")
    assert len(film_of(tmp_path / "eyes.mkv")) >= 30
    assert read_sidecars(tmp_path)[0].ended == "the disk was full"


def test_a_write_that_fails_for_want_of_space_is_the_same(tmp_path, monkeypatch):
    tape = SoundTape(tmp_path, "ears", about("sound"))
    tape.take(bytes(640), START_S, 16_000)

    def full(*_args):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(WaveSound, "add", full)
    with pytest.raises(MediaDiskFull):
        tape.take(bytes(640), START_S + 0.02, 16_000)
    tape.close("the disk was full")


def test_sidecars_that_make_no_sense_are_passed_over(tmp_path):
    sound = {"kind": "picture", "source": "", "name": "", "run": "", "session": None}
    wrong = [{}, [], {**sound, "file": "../../x", "started_s": 1}, {**sound, "file": "x"}]
    wrong += [{**sound, "file": "x", "started_s": float("nan")}]
    for number, text in enumerate(["", "{half", *map(json.dumps, wrong)]):
        (tmp_path / f"{number}.media.json").write_text(text)
    assert read_sidecars(tmp_path) == []


@given(st.binary(max_size=60))
def test_what_is_no_picture_has_no_size(data):
    assert jpeg_size(data) is None
    assert jpeg_size(b"\xff\xd8" + data) is None or len(data) > 8


def test_the_size_of_a_picture_is_read_from_its_header():
    assert jpeg_size(jpeg(0, 321, 123)) == (321, 123)


# -- consent --------------------------------------------------------------------------------------


def test_only_a_yes_to_the_item_of_this_session_allows():
    watch = ConsentWatch("consent.recording", "p01")
    assert watch.answered("ios", {"recording": True}, "p01") is None
    assert watch.answered("consent", {"recording": True}, "p02") is None
    assert not watch.allowed
    assert watch.answered("consent", {"taking_part": True}, "p01") is False
    assert watch.answered("consent", {"recording": True}, "p01") is True
    assert watch.answered("consent", {"recording": None}, "p01") is False
    assert not watch.allowed


@pytest.mark.parametrize("answer", [False, None, 0, 1, "no", "", "não", [], 2.0])
def test_anything_else_is_no(answer):
    assert not is_yes(answer)


def test_what_was_agreed_to_before_counts_by_its_last_word(tmp_path):
    assert not kept_consent(tmp_path)
    (tmp_path / "consent.json").write_text(json.dumps({"recording_allowed": True}))
    assert kept_consent(tmp_path)
    (tmp_path / "consent_2.json").write_text(json.dumps({"recording_allowed": False}))
    assert not kept_consent(tmp_path)
    (tmp_path / "consent_2.json").write_text("{half")
    assert not kept_consent(tmp_path)


# -- the study file -------------------------------------------------------------------------------


def problems_in(tmp_path: Path, text: str) -> list[str]:
    from sera.runtime.located import LocatedToml
    from sera.study.form_wish import study_form

    path = tmp_path / "study.toml"
    path.write_text(text)
    forms = {"consent": study_form("consent", None), "ios": study_form("ios", None)}
    known = {"face_tracker", "eyes", "world.eyes"}
    return [str(one) for one in media_problems(LocatedToml.load(path), forms, known)]


def test_a_sound_media_table_has_no_problems(tmp_path):
    assert problems_in(tmp_path, '[media]\ncameras = ["face_tracker"]') == []
    assert problems_in(tmp_path, '[study]\ntitle = "x"') == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[media]\ncameras = ["face_traker"]', "did you mean 'face_tracker'"),
        ('[media]\ncameras = ["eyes"]\nconsent_item = "consent.recoding"', "'recording'"),
        ('[media]\nmicrophones = ["eyes"]\nconsent_item = "consnt.recording"', "'consent'"),
        ('[media]\ncameras = ["eyes"]\nconsent_item = "recording"', "questionnaire.item"),
        ('[media]\ncameras = ["eyes"]\nconsent_item = "ios.closeness"', "does not ask"),
    ],
)
def test_a_media_table_that_would_record_nothing_is_told_by_line(tmp_path, text, told):
    (problem,) = problems_in(tmp_path, text)
    assert told in problem
    assert "study.toml:" in problem
