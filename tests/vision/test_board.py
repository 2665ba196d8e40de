"""The printed board, sheets of markers, and cameras found from pictures of the board."""

from __future__ import annotations

import re
import struct
import subprocess
import zlib

import cv2
import numpy as np
import pytest

from sera.behaviour.space import Frame
from sera.evaluation.perception.printed import Printed, PrintedScene
from sera.runtime.located import FileProblem
from sera.vision.board import Board, BoardError, BoardFinder
from sera.vision.board_calibration import (
    CalibrationProblem,
    ShotCollector,
    advice_for,
    calibrate,
    empty_parts,
)
from sera.vision.board_paper import A4_MM, PAPERS_MM, as_pdf, as_picture, as_png
from sera.vision.board_sheets import board_sheet, marker_sheets, paper_named
from sera.vision.camera import CameraModel
from sera.vision.camera_file import camera_file_text, load_camera_file
from sera.vision.markers import MarkerDetector, parse_numbers

BOARD = Board()
TRUE = CameraModel(
    640, 480,
    matrix=((610.0, 0.0, 327.0), (0.0, 613.0, 233.0), (0.0, 0.0, 1.0)),
    distortion=(-0.21, 0.06, 0.0008, -0.0006, 0.0),
)  # fmt: skip


def board_in_front(frame: Frame) -> Printed:
    sheet = board_sheet(BOARD)
    return Printed(as_picture(sheet, 110), sheet.width_mm / 1000, frame)


def poses(count: int, seed: int = 2) -> list[Frame]:
    random = np.random.default_rng(seed)
    found = []
    for k in range(count):
        away_m = random.uniform(0.32, 0.6)
        x, y = ((k % 3) - 1) * 0.22 * away_m, ((k // 3 % 3) - 1) * 0.16 * away_m
        yaw, pitch = random.uniform(-38, 38, 2)
        found.append(Frame.from_degrees((x, y, away_m), 180 + yaw, pitch, random.uniform(-25, 25)))
    return found


@pytest.fixture(scope="module")
def pictures() -> list[np.ndarray]:
    scene, random = PrintedScene(TRUE, rays=2), np.random.default_rng(4)
    return [
        scene.draw([board_in_front(frame)], blur_px=0.6, noise=3.0, random=random)
        for frame in poses(16)
    ]


def collected(pictures: list[np.ndarray]) -> ShotCollector:
    collector = ShotCollector(BOARD, 30, must_be_still=False)
    for picture in pictures:
        collector.offer(picture)
    return collector


def test_a_camera_of_known_focal_length_and_distortion_is_found_again(pictures):
    collector = collected(pictures)
    assert len(collector.shots) >= 10
    found = calibrate(BOARD, collector.shots, (640, 480))
    assert found.model.focal_x_px == pytest.approx(610.0, rel=0.01)
    assert found.model.focal_y_px == pytest.approx(613.0, rel=0.01)
    assert found.model.centre_px == pytest.approx((327.0, 233.0), abs=4.0)
    assert found.rms_px < 0.4
    for pixel in ((20, 20), (620, 460), (320, 30)):  # what the lens does, rather than its numbers
        assert found.model.ray(*pixel) == pytest.approx(TRUE.ray(*pixel), abs=0.006)
    across_deg, up_deg = found.fov_deg
    edges = np.clip(np.dot(TRUE.ray(-0.5, 233), TRUE.ray(639.5, 233)), -1, 1)
    assert across_deg == pytest.approx(np.degrees(np.arccos(edges)), rel=0.01)
    assert 40 < up_deg < across_deg
    assert advice_for(found, collector.shots, (640, 480)) == []


def test_the_file_that_is_written_is_the_camera_that_is_read(pictures, tmp_path):
    collector = collected(pictures)
    found = calibrate(BOARD, collector.shots, (640, 480))
    path = tmp_path / "camera.toml"
    facts = {"rms_px": 0.2, "board": 'a "board"\n\\'}
    path.write_text(camera_file_text(found.model, facts), encoding="utf-8")
    again = load_camera_file(path)
    assert again.width_px == 640
    assert again.ray(10, 20) == pytest.approx(found.model.ray(10, 20), abs=1e-7)


def test_blurred_or_bent_pictures_are_left_out(pictures):
    shots = collected(pictures).shots
    random = np.random.default_rng(9)
    bent = shots[3].places_px + random.normal(0, 4, shots[3].places_px.shape).astype(np.float32)
    spoiled = [*shots[:3], type(shots[3])(shots[3].numbers, bent), *shots[4:]]
    found = calibrate(BOARD, spoiled, (640, 480))
    assert found.left_out == (3,)
    assert found.model.focal_x_px == pytest.approx(610.0, rel=0.01)


def test_too_few_pictures_and_pictures_without_tilt_say_what_is_missing(pictures):
    shots = collected(pictures).shots
    with pytest.raises(CalibrationProblem, match="found in 2 useful pictures; at least 5"):
        calibrate(BOARD, shots[:2], (640, 480))
    scene = PrintedScene(TRUE, rays=1)
    flat = [
        scene.draw([board_in_front(Frame.from_degrees((0.03 * k, 0.0, 0.5), 180.0))])
        for k in range(-3, 4)
    ]
    collector = collected(flat)
    try:
        advice = advice_for(
            calibrate(BOARD, collector.shots, (640, 480)), collector.shots, (640, 480)
        )
    except CalibrationProblem as problem:
        advice = [str(problem)]
    assert "tilt" in " ".join(advice)


def test_moving_pictures_are_taken_when_the_board_is_still_and_somewhere_new(pictures):
    collector = ShotCollector(BOARD, 3)
    assert collector.offer(np.full((480, 640, 3), 90, np.uint8)).sentence == "no board in view"
    assert collector.offer(pictures[0]).sentence == "hold the board still"
    assert collector.offer(pictures[0]).taken
    assert "taken already" in collector.offer(pictures[0]).sentence
    assert not collector.offer(pictures[4]).taken
    offer = collector.offer(pictures[4])
    assert offer.taken
    assert "tilt the board" in offer.sentence
    collector.offer(pictures[8])
    collector.offer(pictures[8])
    assert collector.enough


def test_pictures_of_two_sizes_are_not_mixed(pictures):
    collector = ShotCollector(BOARD)
    collector.offer(pictures[0])
    with pytest.raises(CalibrationProblem, match="320x240 pixels among those of 640x480"):
        collector.offer(pictures[0][::2, ::2])


def test_empty_parts_of_the_picture_are_named(pictures):
    shots = collected(pictures).shots
    assert empty_parts(shots, (640, 480)) == []
    left = [type(shot)(shot.numbers, shot.places_px * 0.3) for shot in shots]
    assert "at the right of the lower part" in empty_parts(left, (640, 480))


def test_half_a_board_counts_and_a_line_of_corners_does_not():
    picture = as_picture(board_sheet(BOARD), 100)
    finder = BoardFinder(BOARD)
    assert len(finder.find(picture).numbers) == BOARD.corners
    half = picture[:, : picture.shape[1] // 2]
    assert 8 <= len(finder.find(half).numbers) < BOARD.corners
    assert finder.find(picture[:200]) is None


@pytest.mark.parametrize("paper", PAPERS_MM)
@pytest.mark.parametrize("squares", ["9x6", "5x7"])
def test_boards_are_drawn_as_opencv_has_them_on_any_paper(paper, squares):
    board = Board.parse(squares, 25.0)
    picture = as_picture(board_sheet(board, paper_named(paper)), 60)
    assert len(BoardFinder(board).find(picture).numbers) == board.corners


@pytest.mark.parametrize("family", ["aruco_4x4", "aruco_7x7", "apriltag_36h11", "apriltag_16h5"])
def test_every_marker_of_a_sheet_is_found_even_on_a_black_table(family):
    markers = parse_numbers("0-19", family)
    sheets = marker_sheets(markers, 40.0)
    found = []
    for sheet in sheets:
        picture = as_picture(sheet, 100)
        left, top, wide, high = sheet.hairlines[0]
        first = picture[: round((top + high) * 4), : round((left + wide) * 4)]
        on_black = np.pad(first[41:, 41:], 30)
        assert MarkerDetector([family]).find(on_black)[0].marker == markers[len(found)]
        found += [each.marker for each in MarkerDetector([family]).find(picture)]
    assert found == markers


def test_sizes_on_paper_are_true(tmp_path):
    (sheet,) = marker_sheets(parse_numbers("7", "aruco_4x4"), 50.0)
    png = as_png(sheet)
    at = png.index(b"pHYs")
    per_metre, _, unit = struct.unpack(">IIB", png[at + 4 : at + 13])
    assert (per_metre, unit) == (11811, 1)
    assert struct.unpack(">I", png[at + 13 : at + 17])[0] == zlib.crc32(png[at : at + 13])
    picture = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_GRAYSCALE)
    (found,) = MarkerDetector().find(picture)
    assert found.side_px / per_metre == pytest.approx(0.050, abs=0.0002)
    assert picture.shape == (3508, 2480)


@pytest.mark.needs_program("pdftoppm")
def test_the_pdf_shows_what_the_png_shows(tmp_path):
    sheets = [board_sheet(BOARD), *marker_sheets(parse_numbers("0-11", "aruco_4x4"), 50.0)]
    (tmp_path / "sheets.pdf").write_bytes(as_pdf(sheets, "a (title) \\ with é"))
    subprocess.run(
        ["pdftoppm", "-r", "100", "-gray", "-png", "sheets.pdf", "page"], cwd=tmp_path, check=True
    )
    drawn = [cv2.imread(str(p), cv2.IMREAD_GRAYSCALE) for p in sorted(tmp_path.glob("page*.png"))]
    assert len(drawn) == 3
    assert len(BoardFinder(BOARD).find(drawn[0]).numbers) == BOARD.corners
    numbers = [each.marker.number for page in drawn[1:] for each in MarkerDetector().find(page)]
    assert numbers == list(range(12))
    side_mm = MarkerDetector().find(drawn[1])[0].side_px * 25.4 / 100
    assert side_mm == pytest.approx(50.0, abs=0.3)


def test_a_pdf_has_true_offsets_and_asks_not_to_be_scaled():
    content = as_pdf([board_sheet(BOARD)], "board")
    assert b"/PrintScaling /None" in content
    offsets = re.findall(rb"^(\d{10}) 00000 n", content, re.MULTILINE)
    for number, offset in enumerate(offsets, start=1):
        assert content[int(offset) :].startswith(f"{number} 0 obj".encode())
    start = int(re.search(rb"startxref\n(\d+)", content)[1])
    assert content[start:].startswith(b"xref")
    box = re.search(rb"MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", content)
    assert float(box[1]) / 72 * 25.4 == pytest.approx(max(A4_MM), abs=0.01)


@pytest.mark.parametrize(
    ("squares", "square_mm", "told"),
    [
        ("9", 28, "write 9x6"),
        ("nine x six", 28, "write 9x6"),
        ("2x6", 28, "3 to 40 fields"),
        ("999x6", 28, "3 to 40 fields"),
        ("9x6", 0, "2 to 1000 mm"),
        ("9x6", -28, "2 to 1000 mm"),
        ("9x6", float("nan"), "2 to 1000 mm"),
        ("9x6", 0.028, "sizes are in millimetres"),
        ("40x40", 5, "take fewer fields"),
    ],
)
def test_a_board_that_cannot_be_gets_a_sentence(squares, square_mm, told):
    with pytest.raises(BoardError, match=told):
        Board.parse(squares, square_mm)


def test_what_does_not_fit_on_paper_says_what_would():
    with pytest.raises(BoardError, match="fields of at most 29 mm"):
        board_sheet(Board.parse("9x6", 40))
    board_sheet(Board.parse("9x6", 29))
    with pytest.raises(BoardError, match="do not fit"):
        marker_sheets(parse_numbers("0", "aruco_4x4"), 250)
    for size_mm in (0, -5, float("nan"), float("inf"), 1e9):
        with pytest.raises(BoardError, match="5 to 1000 mm"):
            marker_sheets(parse_numbers("0", "aruco_4x4"), size_mm)
    with pytest.raises(BoardError, match="did you mean 'letter'"):
        paper_named("leter")


GOOD = """
[camera]
width_px = 640
height_px = 480
matrix = [[600.0, 0, 320.0], [0, 600.0, 240.0], [0, 0, 1]]
distortion = [0.1, 0.0, 0.0, 0.0]
"""


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("[camera]", "[kamera]", "no table [camera]"),
        ("width_px = 640", "", "'width_px' is missing"),
        ("width_px = 640", "widht_px = 640", "did you mean 'width_px'"),
        ("640", "-640", "16 to 20000"),
        ("640", "true", "16 to 20000"),
        ("640", "1e9", "16 to 20000"),
        ("600.0, 0,", "inf, 0,", "three rows of three numbers"),
        ("600.0, 0,", "-600.0, 0,", "[fx, 0, cx]"),
        ("[0, 0, 1]]", "[0, 0, 0]]", "[fx, 0, cx]"),
        (", [0, 0, 1]]", "]", "three rows"),
        ("[0.1, 0.0,", "[nan, 0.0,", "4, 5 or 8 numbers"),
        ("[0.1, 0.0,", "[0.1,", "4, 5 or 8 numbers"),
        ("480", '"480"', "16 to 20000"),
        ("[camera]", "[camera", "not valid TOML"),
    ],
)
def test_a_camera_file_with_a_mistake_says_where(tmp_path, before, after, told):
    path = tmp_path / "camera.toml"
    path.write_text(GOOD, encoding="utf-8")
    assert load_camera_file(path).focal_x_px == 600.0
    path.write_text(GOOD.replace(before, after), encoding="utf-8")
    with pytest.raises(FileProblem) as caught:
        load_camera_file(path)
    assert told in str(caught.value)
    assert caught.value.line is not None


def test_a_camera_file_that_is_not_there_or_no_text_says_so(tmp_path):
    with pytest.raises(FileProblem, match="no such file"):
        load_camera_file(tmp_path / "camera.toml")
    (tmp_path / "camera.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileProblem, match="not UTF-8"):
        load_camera_file(tmp_path / "camera.toml")
