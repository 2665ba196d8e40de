"""What a bridge leaves for its next life."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from sera.animation.output import LastLife, last_life_file, sweep_old_lives


def test_what_is_remembered_is_recalled(tmp_path: Path):
    life = LastLife("emergency stop", {"Body.pan": 0.25})
    life.remember(tmp_path / "new" / "x.body")
    assert LastLife.recall(tmp_path / "new" / "x.body") == life


@pytest.mark.parametrize(
    "text", ["", "{", "3", "[]", '{"stopped": null}', '{"stopped": null, "pose": {"a": "b"}}']
)
def test_a_file_that_cannot_be_read_counts_as_none(tmp_path: Path, text: str):
    (tmp_path / "x.body").write_text(text)
    assert LastLife.recall(tmp_path / "x.body") == LastLife()
    assert LastLife.recall(tmp_path / "missing.body") == LastLife()


def test_values_that_are_no_numbers_are_left_out(tmp_path: Path):
    (tmp_path / "x.body").write_text('{"stopped": "why", "pose": {"a": NaN, "b": 1}}')
    assert LastLife.recall(tmp_path / "x.body") == LastLife("why", {"b": 1.0})


def test_runs_and_sources_have_files_of_their_own_whatever_they_are_called():
    files = {last_life_file(run, source) for run in ("a", "b") for source in ("x.y", "x.z")}
    assert len(files) == 4
    assert last_life_file("../../etc", "x").parents[1] == last_life_file("a", "b").parents[1]


def test_only_what_is_long_over_is_swept_away(tmp_path: Path):
    ages_s = {"a.notes/x.body": 90_000.0, "b.notes/x.body": 10.0, "old.txt": 90_000.0}
    for name, age_s in ages_s.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
        then_s = time.time() - age_s
        os.utime(tmp_path / name, (then_s, then_s))
    sweep_old_lives(tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["b.notes", "old.txt"]
