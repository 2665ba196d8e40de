"""Frames to a CSV file."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from sera.animation.output import BridgeLost, CsvBridge, OutputFrame


async def test_each_frame_is_a_row_with_the_whole_pose(tmp_path: Path, specs, clock):
    path = tmp_path / "new" / "frames.csv"
    bridge = CsvBridge(path, specs, clock)
    assert bridge.describe().where == str(path)
    await bridge.connect()
    await bridge.animate(OutputFrame(values={"Body.pan": 0.1}, time_s=0.02, sequence=1))
    await bridge.animate(OutputFrame(values={"Body.light": 1.0}, time_s=0.04, sequence=2))
    assert (await bridge.heartbeat()).joints["Body.pan"] == 0.1
    await bridge.close()
    rows = list(csv.reader(path.read_text().splitlines()))
    assert rows == [
        ["time_s", "sequence", "Body.pan", "Body.tilt", "Body.light"],
        ["0.02", "1", "0.1", "0.1", "0.0"],
        ["0.04", "2", "0.1", "0.1", "1.0"],
    ]


async def test_nothing_is_written_while_stopped_and_a_reconnect_goes_on(
    tmp_path: Path, specs, clock
):
    path = tmp_path / "frames.csv"
    bridge = CsvBridge(path, specs, clock)
    await bridge.connect()
    await bridge.stop("test")
    await bridge.animate(OutputFrame(values={"Body.pan": 0.1}))
    await bridge.release()
    await bridge.close()
    with pytest.raises(BridgeLost):
        await bridge.animate(OutputFrame(values={}))
    await bridge.connect()
    await bridge.animate(OutputFrame(values={"Body.pan": 0.2}))
    await bridge.close()
    assert [line.split(",")[2] for line in path.read_text().splitlines()] == ["Body.pan", "0.2"]


async def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, specs, clock):
    (tmp_path / "frames.csv").mkdir()
    with pytest.raises(BridgeLost, match="cannot be written"):
        await CsvBridge(tmp_path / "frames.csv", specs, clock).connect()


async def test_a_full_disk_is_a_lost_bridge(specs, clock):
    with pytest.raises(BridgeLost, match="cannot be written"):
        await CsvBridge(Path("/dev/full"), specs, clock).connect()
