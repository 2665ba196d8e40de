"""Films and sound of a session: on the log's clock, and only where consent allows it."""

from __future__ import annotations

import json
import wave
from pathlib import Path

import cv2
import numpy as np
import pytest

from sera.messages import Envelope, ModuleFault, SessionMark
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace
from sera.study.export import media_of
from sera.study.measures import SessionLog
from sera.study.media import read_sidecars, recording

ROOT = Path(__file__).parents[2]
BAR_S = 0.040
FLASH_S, BRIGHTEST, FADED = 2.0, 250, 100
SCENE = """
[scenario]
title = "Filmed"
[modules.room]
module = "./room.py"
{room}
[modules.media]
module = "media_recorder"
cameras = ["room"]
microphones = ["./room.py"]
{media}
"""
ROOM = '''
"""A camera and a microphone that are drawn: a flash and a beep at the same moment.

The flash fades evenly, so that the level of any picture of it tells when it began.
"""
import asyncio
import numpy as np
from sera import Module
from sera.feeds.for_modules import offer_picture, offer_sound
from sera.messages import QuestionnaireAnswered, SessionMark
from sera.runtime import Role
from tests.helpers import until

RATE_HZ = 16_000
BLOCK_S = 0.02
FRAME_S = 1 / 30
FLASH_S, BRIGHTEST, FADED, DARK = 2.0, 250, 100, 20
BRIGHT_PICTURES = 15


class Room(Module):
    role = Role.PERCEPTION

    class Settings(Module.Settings):
        asks: bool = True
        """Whether consent is given, and withdrawn in the end."""
        recorded: bool = True
        """Whether it is to be recorded at all."""
        session: str = "p01"

    async def run(self):
        self.flash_s, self.bright = float("inf"), 0
        self.picture = await offer_picture(self, "a drawn camera", 7)
        self.sound = await offer_sound(self, "a drawn microphone", 8)
        shown = asyncio.gather(self.show(), self.make_sound())
        if self.settings.asks or not self.settings.recorded:
            await self.clock.sleep(0.3)  # nothing happens, so that nothing can be waited for
        else:
            await until(self.all_read)
        await self.mark("read" if self.is_read else "unread")
        if self.settings.asks:
            await self.answer("someone_else", True)
            await self.clock.sleep(0.3)
            await self.mark("read" if self.is_read else "unread")
            await self.answer(self.settings.session, True)
        if self.settings.recorded:
            await until(self.all_read)
        await self.clock.sleep(0.2)
        self.flash_s = self.clock.now() + 0.213
        await self.publish(SessionMark(label="flash"), time_s=self.flash_s)
        await until(lambda: self.bright >= BRIGHT_PICTURES)
        if self.settings.asks:
            await self.answer(self.settings.session, None)
            await until(lambda: not self.is_read)
            await self.mark("unread")
        shown.cancel()
        await self.end_run("done")

    @property
    def is_read(self):
        return self.picture.server.read or self.sound.server.read

    def all_read(self):
        return self.picture.server.read and self.sound.server.read

    async def stop(self):
        await self.picture.stop()
        await self.sound.stop()

    async def mark(self, label):
        await self.publish(SessionMark(label=label))

    async def answer(self, session, recording):
        answers = {"taking_part": True, "recording": recording}
        await self.publish(
            QuestionnaireAnswered(
                questionnaire="consent", participant="p01", session=session, answers=answers
            )
        )

    async def show(self):
        due_s = self.clock.now()
        while True:
            due_s += FRAME_S
            await self.clock.sleep_until(due_s)
            now_s = self.clock.now()
            since_s = now_s - self.flash_s
            level = BRIGHTEST - (BRIGHTEST - FADED) * since_s / FLASH_S
            level = round(max(level, FADED)) if since_s >= 0 else DARK
            self.bright += level > DARK
            self.picture.show(np.full((120, 160, 3), level, np.uint8), now_s)

    async def make_sound(self):
        began_s = self.clock.now()
        count = round(BLOCK_S * RATE_HZ)
        number = 0
        while True:
            start_s = began_s + number * BLOCK_S
            await self.clock.sleep_until(start_s + BLOCK_S)
            times_s = start_s + np.arange(count) / RATE_HZ
            beeps = times_s >= self.flash_s
            tone = 0.5 * np.cos(2 * np.pi * 1000 * (times_s - start_s)) * beeps
            self.sound.hear(tone.astype(np.float32)[:, None], start_s, RATE_HZ)
            number += 1
'''


def play(place: Path, room: str = "", media: str = "") -> tuple[str, Path, list[Envelope]]:
    """Play the scene in real time; its run, its log and what was said come back."""
    folder = place / "play"
    folder.mkdir()
    (folder / "scenario.toml").write_text(SCENE.format(room=room, media=media))
    (folder / "room.py").write_text(ROOM)
    log = place / "sessions" / "p01" / "runs" / "1" / "log.jsonl"
    log.parent.mkdir(parents=True)
    said: list[Envelope] = []

    async def main() -> str:
        workspace = Workspace.discover(ROOT)
        loaded = load_scenario(folder, workspace)
        workspace.activate()
        run = Run(loaded, workspace, RunOptions(log=log))
        run.observe(said.append)
        await run.execute()
        return run.run_id

    live = place / "live"
    live.mkdir(mode=0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(live))
        patch.setattr(recording, "LOOK_EVERY_S", 0.02)
        return run_with_clock(main(), clock="real"), log, said


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory):
    """A session with consent that is withdrawn: its media, run, log and what was said."""
    place = tmp_path_factory.mktemp("filmed")
    media = place / "sessions" / "p01" / "media"
    return media, *play(place, media=f'folder = "{media}"\nsession = "p01"')


def marks(said):
    return [one.message.label for one in said if isinstance(one.message, SessionMark)]


def files_in(folder: Path) -> list[str]:
    return sorted(path.suffix for path in folder.glob("*") if path.suffix in (".mkv", ".wav"))


def film_times(path: Path) -> list[tuple[float, float]]:
    capture = cv2.VideoCapture(str(path))
    found = []
    while True:
        there, picture = capture.read()
        if not there:
            return found
        found.append((capture.get(cv2.CAP_PROP_POS_MSEC) / 1000, float(picture.mean())))


def test_a_flash_and_a_beep_are_found_where_the_log_says(filmed):
    media, run_id, log_path, said = filmed
    # Neither before consent, nor by another session's, nor after it was withdrawn.
    assert marks(said) == ["unread", "unread", "flash", "unread"]
    log = SessionLog.from_file(log_path)
    (flash,) = log.messages("SessionMark", where={"label": "flash"})

    files = media_of(media, log_path, [run_id])
    film = next(one for one in files if one.about.kind == "picture")
    sound = next(one for one in files if one.about.kind == "sound")
    assert len(files) == 2
    for one in files:
        assert one.about.start_offset_s == pytest.approx(one.offset_s, abs=1e-3)
        assert one.about.ended == "consent was withdrawn"
        assert one.about.consent == "consent.recording, answered with yes"
        assert one.about.session == "p01"

    shown = film_times(film.path)
    bright = next(place for place, (_, level) in enumerate(shown) if level > 60)
    before_s, after_s = (film.offset_s + shown[place][0] for place in (bright - 1, bright))
    # It began between two pictures, and the level of the second one tells when.
    assert before_s - 0.002 < flash.time_s < after_s + 0.002
    flash_s = after_s - FLASH_S * (BRIGHTEST - shown[bright][1]) / (BRIGHTEST - FADED)
    assert abs(flash_s - flash.time_s) <= BAR_S

    with wave.open(str(sound.path), "rb") as file:
        rate_hz = file.getframerate()
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    beep_s = sound.offset_s + np.flatnonzero(np.abs(samples) > 3000)[0] / rate_hz
    assert abs(beep_s - flash.time_s) <= BAR_S

    lines = (media / film.about.index).read_text().splitlines()[1:]
    assert len(lines) == len(shown) == film.about.frames
    index_s = [float(line.split(",")[1]) - film.about.started_s for line in lines]
    assert index_s == pytest.approx([time_s for time_s, _ in shown], abs=0.001)


NOBODY_ASKS = "asks = false\n"


def test_without_consent_nothing_is_ever_written(tmp_path):
    media = tmp_path / "media"
    _, _, said = play(tmp_path, NOBODY_ASKS + "recorded = false", f'folder = "{media}"')
    assert marks(said)[0] == "unread"
    assert not media.exists()


def test_a_rehearsal_records_at_once_and_says_so(tmp_path):
    _, log_path, said = play(tmp_path, NOBODY_ASKS, 'consent = "rehearsal"')
    assert marks(said)[0] == "read"
    folder = log_path.parent / "media"
    assert files_in(folder) == [".mkv", ".wav"]
    assert {one.consent for one in read_sidecars(folder)} == {"a rehearsal: nobody was asked"}
    assert {one.ended for one in read_sidecars(folder)} == {"the run is over"}
    assert all(one.start_offset_s >= 0 for one in read_sidecars(folder))


def test_a_session_that_goes_on_needs_no_second_consent(tmp_path):
    records = tmp_path / "kept"
    records.mkdir()
    (records / "consent.json").write_text(json.dumps({"recording_allowed": True}))
    media = tmp_path / "media"
    settings = f'records = "{records}"\nfolder = "{media}"'
    _, _, said = play(tmp_path, NOBODY_ASKS, settings)
    assert marks(said)[0] == "read"
    assert files_in(media) == [".mkv", ".wav"]


def test_a_withdrawal_is_told_to_the_operators(filmed):
    media, _, _, said = filmed
    told = [one.message.summary for one in said if isinstance(one.message, ModuleFault)]
    assert any("consent to recording was withdrawn" in sentence for sentence in told)
    assert files_in(media) == [".mkv", ".wav"]
