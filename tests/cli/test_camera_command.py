"""`sera camera`: list, show, board, calibrate, markers, place, as people call them."""

from __future__ import annotations

import json
import math
import sys
import tomllib
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from sera.behaviour.space import Frame
from sera.cli import app
from sera.cli._camera_calibrate import _collect, _drawn
from sera.cli._camera_list import _tried
from sera.evaluation.perception.printed import Printed, PrintedScene, marker_on_paper
from sera.vision.board import Board
from sera.vision.board_calibration import ShotCollector
from sera.vision.board_paper import as_picture
from sera.vision.board_sheets import board_sheet
from sera.vision.camera import CameraModel
from sera.vision.camera_file import load_camera_file
from sera.vision.markers import MarkerDetector, MarkerId, pattern_of
from sera.vision.pose_from_marker import compose, inverse

TRUE = CameraModel(
    640, 480,
    matrix=((580.0, 0.0, 322.0), (0.0, 580.0, 238.0), (0.0, 0.0, 1.0)),
    distortion=(-0.12, 0.03, 0.0, 0.0, 0.0),
)  # fmt: skip
CAMERA = Frame.from_degrees((0.3, 1.4, 1.6), yaw_deg=190.0, pitch_deg=22.0)
ROBOT = Frame.from_degrees((0.1, 0.75, 0.0), yaw_deg=5.0)
CHEST = Frame.from_degrees((0.0, 0.25, 0.1), yaw_deg=25.0)
SIZE_M = 0.1
SCENARIO = """
# Keep this line.
[scenario]
title = "Play"
[characters.ada]
position_m = [0.1, 0.75, 0.0]  # on the table
yaw_deg = 5
[space.cameras.front]
calibration = "camera.toml"
"""
CAMERA_FILE = """
[camera]
width_px = 640
height_px = 480
matrix = [[580, 0, 322], [0, 580, 238], [0, 0, 1]]
distortion = [-0.12, 0.03, 0, 0, 0]
"""


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("SERA_PATH", "SERA_DEBUG"):
        monkeypatch.delenv(name, raising=False)


def sera(*arguments: object):
    return CliRunner().invoke(app, ["camera", *map(str, arguments)])


@pytest.fixture(scope="module")
def board_pictures() -> list[np.ndarray]:
    sheet = board_sheet(Board())
    printed = as_picture(sheet, 110)
    scene, random = PrintedScene(TRUE, rays=2), np.random.default_rng(1)
    pictures = []
    for k in range(12):
        away_m = random.uniform(0.35, 0.55)
        x, y = ((k % 3) - 1) * 0.2 * away_m, ((k // 3 % 3) - 1) * 0.15 * away_m
        yaw, pitch = random.uniform(-35, 35, 2)
        frame = Frame.from_degrees((x, y, away_m), 180 + yaw, pitch, random.uniform(-20, 20))
        thing = Printed(printed, sheet.width_mm / 1000, frame)
        pictures.append(scene.draw([thing], blur_px=0.5, noise=2, random=random))
    return pictures


def write_video(path: Path, pictures: list[np.ndarray]) -> None:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 15, (640, 480))
    for picture in pictures:
        writer.write(picture)
    writer.release()


def test_a_folder_of_pictures_becomes_a_camera_file_that_loads(tmp_path, board_pictures):
    folder = tmp_path / "shots"
    folder.mkdir()
    for number, picture in enumerate(board_pictures):
        cv2.imwrite(str(folder / f"{number:02}.png"), picture)
    (folder / "broken.png").write_bytes(b"no picture")
    (folder / "notes.txt").write_text("left out")
    result = sera("calibrate", folder, "-o", "front.toml")
    assert result.exit_code == 0, result.output
    assert "reprojection error: 0." in result.stdout
    assert "field of view: 5" in result.stdout
    assert 'calibration = "front.toml"' in result.stdout
    assert "broken.png is no picture" in result.stderr
    model = load_camera_file(tmp_path / "front.toml")
    assert model.focal_x_px == pytest.approx(580, rel=0.01)
    facts = tomllib.loads((tmp_path / "front.toml").read_text(encoding="utf-8"))["calibration"]
    assert facts["rms_px"] < 0.4
    assert facts["fov_deg"] == pytest.approx(58.4, abs=1.5)


def test_a_video_is_enough_where_the_board_is_held_still_and_json_is_for_scripts(
    tmp_path, board_pictures
):
    blank = np.full((480, 640, 3), 100, np.uint8)
    write_video(tmp_path / "b.avi", [f for p in board_pictures for f in (p, p, blank)])
    result = sera("calibrate", "b.avi", "--shots", 8, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["focal_px"] == pytest.approx(580, rel=0.01)
    assert found["pictures"] + found["left_out"] == 8
    assert (tmp_path / "camera.toml").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("calibrate", "nowhere.mp4"), "There is no video file"),
        (("calibrate", "empty"), "holds no pictures"),
        (("calibrate", "text.mp4"), "cannot be played"),
        (("calibrate", "blank"), "found in 0 useful pictures"),
        (("calibrate", "0", "--squares", "big"), "write 9x6"),
        (("calibrate", "0", "--square-mm", "0.028"), "sizes are in millimetres"),
        (("calibrate", "blank", "-o", "no/where.toml"), "there is no such folder"),
        (("board", "-o", "board.doc"), "ends with .pdf or .png"),
        (("board", "-o", "no/board.pdf"), "there is no folder"),
        (("board", "--paper", "a44"), "did you mean 'a4'"),
        (("markers", "--ids", "0-99"), "numbers 0 to 49"),
        (("markers", "--ids", "9-0"), "counts backwards"),
        (("markers", "--ids", ""), "write ids such as"),
        (("markers", "--size-mm", "nan"), "5 to 1000 mm"),
        (("markers", "--family", "apriltag"), "no family of markers"),
        (("markers", "--ids", "0-40", "-o", "m.png"), "write a .pdf"),
        (("place", "play", "--marker", "card"), "write its family and number"),
        (("place", "play", "--at", "1,2"), "three numbers"),
        (("place", "play", "--at", "1,2,inf"), "three numbers"),
        (("place", "play", "--solve", "both"), "camera or robot"),
        (("place", "play", "--camera", "frond"), "did you mean 'front'"),
        (("place", "play", "--source", "nowhere.avi"), "There is no video file"),
        (("show", "nowhere.avi"), "There is no video file"),
        (("show", "0", "--family", "x"), "no family of markers"),
        (("show", "0", "--calibration", "none.toml"), "no such file"),
    ],
)
def test_what_cannot_be_done_gets_a_sentence(tmp_path, arguments, told):
    (tmp_path / "empty").mkdir()
    (tmp_path / "blank").mkdir()
    cv2.imwrite(str(tmp_path / "blank" / "a.png"), np.full((480, 640), 90, np.uint8))
    (tmp_path / "text.mp4").write_text("this is no video")
    put_scenario(tmp_path)
    result = sera(*arguments)
    assert result.exit_code == 2, result.output
    assert told in result.stderr
    assert "Traceback" not in result.output
    assert not (tmp_path / "camera.toml").exists()


def test_without_opencv_the_commands_say_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    result = sera("board")
    assert result.exit_code == 2
    assert "pip install 'sera-hri[vision]'" in result.stderr


def test_boards_and_sheets_are_written_as_their_names_say(tmp_path):
    result = sera("board", "-o", "board.pdf", "--squares", "7x5", "--square-mm", 35)
    assert "sera camera calibrate 0 --squares 7x5 --square-mm 35" in result.stdout
    assert (tmp_path / "board.pdf").read_bytes().startswith(b"%PDF-1.4")
    result = sera("markers", "-o", "sheet.png", "--ids", "0-5", "--size-mm", 50)
    assert result.exit_code == 0
    assert 'marker = "aruco_4x4:0"' in result.stdout
    picture = cv2.imread(str(tmp_path / "sheet.png"), cv2.IMREAD_GRAYSCALE)
    assert [m.marker.number for m in MarkerDetector().find(picture)] == list(range(6))


def put_scenario(folder: Path) -> Path:
    place = folder / "scenarios" / "play"
    place.mkdir(parents=True)
    (place / "scenario.toml").write_text(SCENARIO, encoding="utf-8")
    (place / "camera.toml").write_text(CAMERA_FILE, encoding="utf-8")
    return place / "scenario.toml"


@pytest.fixture
def scene_video(tmp_path) -> Path:
    printed, share = marker_on_paper(pattern_of(MarkerId("aruco_4x4", 3)))
    there = compose(inverse(CAMERA), compose(ROBOT, CHEST))
    scene, random = PrintedScene(TRUE, rays=3), np.random.default_rng(2)
    pictures = [
        scene.draw([Printed(printed, SIZE_M * share, there)], blur_px=0.5, noise=2, random=random)
        for _ in range(8)
    ]
    write_video(tmp_path / "robot.avi", pictures)
    return tmp_path / "robot.avi"


PLACE = ("place", "play", "--marker", "3", "--size-mm", 100, "--source", "robot.avi",
         "--at", "0,0.25,0.1", "--turned", "25,0,0", "--shots", 8)  # fmt: skip


def test_one_marker_on_the_robot_places_the_camera_in_the_file(tmp_path, scene_video):
    path = put_scenario(tmp_path)
    result = sera(*PLACE, "--write")
    assert result.exit_code == 0, result.output
    assert "residual: 0." in result.stdout
    assert "[space.cameras.front]" in result.stdout
    text = path.read_text(encoding="utf-8")
    assert "# Keep this line." in text
    assert "position_m = [0.1, 0.75, 0.0]  # on the table" in text
    table = tomllib.loads(text)["space"]["cameras"]["front"]
    assert math.dist(table["position_m"], CAMERA.position_m) < 0.02
    assert table["yaw_deg"] % 360 == pytest.approx(190.0, abs=1.0)
    assert table["pitch_deg"] == pytest.approx(22.0, abs=1.0)
    assert table["roll_deg"] == pytest.approx(0.0, abs=1.0)
    assert table["calibration"] == "camera.toml"
    assert path.with_name("scenario.toml.bak").read_text(encoding="utf-8") == SCENARIO


def test_or_the_robot_where_the_camera_is_known_and_without_write_nothing_changes(
    tmp_path, scene_video
):
    path = put_scenario(tmp_path)
    x, y, z = CAMERA.position_m
    moved = SCENARIO + f"position_m = [{x}, {y}, {z}]\nyaw_deg = 190\npitch_deg = 22\n"
    path.write_text(moved.replace("yaw_deg = 5\n", "yaw_deg = 40\n"), encoding="utf-8")
    result = sera(*PLACE, "--solve", "robot", "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    pose = found["poses"]["characters.ada"]
    assert math.dist(pose["position_m"], ROBOT.position_m) < 0.015
    assert pose["yaw_deg"] == pytest.approx(5.0, abs=1.0)
    assert found["pictures"] == 8
    assert "yaw_deg = 40" in path.read_text(encoding="utf-8")


def test_a_marker_that_is_not_there_places_nothing(tmp_path, scene_video):
    path = put_scenario(tmp_path)
    result = sera(*PLACE[:3], "7", *PLACE[4:], "--write")
    assert result.exit_code == 2
    assert "aruco_4x4:7: the marker was not seen" in result.stderr
    assert path.read_text(encoding="utf-8") == SCENARIO


def test_show_tells_which_markers_a_video_has(scene_video):
    result = sera("show", "robot.avi", "--size-mm", 100, "--frames", 6)
    assert result.exit_code == 0, result.output
    assert "aruco_4x4:3 seen:" in result.stdout
    assert "http://127.0.0.1:" in result.stderr


class Capture:
    def __init__(self, *, opens: bool = True, picture: np.ndarray | None = None) -> None:
        self._opens, self._picture, self.released = opens, picture, False

    def isOpened(self) -> bool:  # noqa: N802  # OpenCV's name
        return self._opens

    def read(self):
        return self._picture is not None, self._picture

    def get(self, _what: int) -> float:
        return 30.0

    def release(self) -> None:
        self.released = True


def test_a_camera_is_listed_with_its_size_or_what_is_wrong():
    works = Capture(picture=np.zeros((720, 1280, 3), np.uint8))
    assert _tried(0, lambda _: works) == {
        "number": 0, "width_px": 1280, "height_px": 720, "fps": 30.0, "problem": None,
    }  # fmt: skip
    assert works.released
    assert _tried(1, lambda _: Capture())["problem"] == "gives no pictures"
    assert "another program" in _tried(2, lambda _: Capture(opens=False))["problem"]


def test_list_ends_well_with_and_without_cameras():
    result = sera("list", "--json")
    assert result.exit_code == 0
    assert isinstance(json.loads(result.stdout), list)


async def test_while_it_collects_a_page_shows_the_board_and_the_next_wish(
    tmp_path, board_pictures, capsys
):
    write_video(tmp_path / "b.avi", [picture for p in board_pictures[:2] for picture in (p, p)])
    collector = ShotCollector(Board(), 5)
    await _collect("b.avi", collector, show=True, tell=True)
    told = capsys.readouterr().err
    assert "http://127.0.0.1:" in told
    assert "shot 2 of 5" in told
    assert "tilt the board" in told
    drawn = _drawn(board_pictures[0], collector.shots[0], "hold it still")
    x, y = (round(float(value)) for value in collector.shots[0].places_px[0])
    assert tuple(drawn[y, x]) == (90, 220, 90)
