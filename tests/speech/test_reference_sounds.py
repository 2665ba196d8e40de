"""What a speaker plays is found by whoever listens on the same machine, bounded and tidy."""

from __future__ import annotations

import os
import tempfile

import pytest

from sera.speech import PlayedSounds, Speech, played_sound
from sera.speech.reference import KEPT, OLD_AFTER_S


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def speech(level=1):
    return Speech("hello", 16_000, 0.1, bytes([level, 0]) * 1600)


def test_a_line_is_found_by_run_and_id_and_gone_after_the_end():
    kept = PlayedSounds("run-1")
    assert kept.put("ada.director-1-7", speech())
    found = played_sound("run-1", "ada.director-1-7")
    assert (found.pcm, found.rate_hz) == (speech().pcm, 16_000)
    assert played_sound("run-2", "ada.director-1-7") is None
    assert played_sound("run-1", "ada.director-1-8") is None
    kept.close()
    assert played_sound("run-1", "ada.director-1-7") is None
    assert not kept.folder.exists()


def test_only_a_few_lines_are_kept():
    kept = PlayedSounds("run")
    for number in range(KEPT + 3):
        kept.put(f"line {number}", speech())
    assert len(list(kept.folder.iterdir())) == KEPT
    assert played_sound("run", "line 2") is None
    assert played_sound("run", f"line {KEPT + 2}") is not None


def test_names_never_lead_outside(tmp_path):
    kept = PlayedSounds("../../run")
    assert kept.put("../../../x", speech())
    assert [path.suffix for path in tmp_path.rglob("*.wav")] == [".wav"]
    assert played_sound("../../run", "../../../x") is not None


def test_silence_is_not_kept_and_a_full_disk_is_no_fault(monkeypatch):
    kept = PlayedSounds("run")
    assert not kept.put("silent", Speech("hello", 16_000, 1.0))

    def refuse(*_args, **_kwargs):
        raise OSError("no space left")

    monkeypatch.setattr("pathlib.Path.write_bytes", refuse)
    assert not kept.put("line", speech())


def test_runs_that_were_killed_are_swept_away_after_a_day():
    old, new = PlayedSounds("old"), PlayedSounds("new")
    old.put("line", speech())
    then_s = old.folder.stat().st_mtime - OLD_AFTER_S - 10
    os.utime(old.folder, (then_s, then_s))
    new.put("line", speech())
    assert not old.folder.exists()
    assert played_sound("new", "line") is not None


def test_virtual_runs_of_the_same_name_do_not_meet():
    PlayedSounds("run", virtual=True).put("line", speech())
    assert played_sound("run", "line") is None
    assert played_sound("run", "line", virtual=True) is not None
