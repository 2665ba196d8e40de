"""Contact sheets: a picture of the right size, and sentences where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from sera.animation.assets.repertoire import load_repertoire
from sera.animation.body import load_body
from sera.animation.sheets import contact_sheet
from sera.cli import app

REPOSITORY = Path(__file__).parents[3]
ROBOTS = REPOSITORY / "robots"
NAMES = sorted(file.parent.name for file in ROBOTS.glob("*/body.toml"))


def invoke(*words: str):
    return CliRunner().invoke(app, ["robot", "sheet", *words])


def test_a_sheet_has_two_rows_of_postures_and_one_for_each_animation(tmp_path):
    body = load_body(ROBOTS / "keepon")
    repertoire = load_repertoire(body, ROBOTS / "shared")
    two = contact_sheet(body, repertoire, tmp_path / "two.png", postures=["hot"], animations=[])
    three = contact_sheet(
        body, repertoire, tmp_path / "three.png", postures=["hot"], animations=["nod"]
    )
    with Image.open(two) as short, Image.open(three) as tall:
        assert short.width == tall.width
        assert (tall.height - short.height) == pytest.approx(short.height / 2.29, rel=0.05)


def test_a_frame_of_a_nod_differs_from_the_one_before_it(tmp_path):
    body = load_body(ROBOTS / "emys")
    repertoire = load_repertoire(body, ROBOTS / "shared")
    path = contact_sheet(
        body, repertoire, tmp_path / "nod.png", postures=[], animations=["nod"], frames=4
    )
    with Image.open(path) as picture:
        grey = picture.convert("L")
    left, cell = 1.2 * 90, 1.5 * 90
    cells = [
        grey.crop((int(left + n * cell), 90, int(left + (n + 1) * cell), grey.height - 25))
        for n in range(4)
    ]
    assert cells[0].tobytes() != cells[1].tobytes()


def test_the_command_writes_the_file_and_prints_its_name(tmp_path):
    path = tmp_path / "keepon.png"
    answer = invoke("keepon", "--out", str(path), "--posture", "cold")
    assert answer.exit_code == 0, answer.output
    assert str(path) in answer.output.replace("\n", "")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_an_unknown_posture_or_animation_gets_the_nearest_name(tmp_path):
    out = ("--out", str(tmp_path / "x.png"))
    answer = invoke("keepon", *out, "--animation", "wafe")
    assert answer.exit_code != 0
    assert "did you mean 'wave'" in answer.output
    answer = invoke("keepon", *out, "--posture", "colt")
    assert answer.exit_code != 0
    assert "did you mean 'cold'" in answer.output


def test_a_folder_that_is_not_there_is_named(tmp_path):
    answer = invoke("keepon", "--out", str(tmp_path / "no" / "x.png"), "--posture", "hot")
    assert answer.exit_code != 0
    assert "cannot be written" in answer.output


@pytest.mark.parametrize("name", NAMES)
def test_every_body_has_its_sheet_in_the_documents(name):
    picture = REPOSITORY / "docs" / "sheets" / f"{name}.png"
    assert 20_000 < picture.stat().st_size < 600_000
    assert f"sheets/{name}.png" in (REPOSITORY / "docs" / "sheets.md").read_text(encoding="utf-8")


def test_faces_are_drawn_and_an_unknown_one_is_named_with_the_nearest(tmp_path):
    body = load_body(ROBOTS / "emys")
    repertoire = load_repertoire(body, ROBOTS / "shared")
    drawn = {"postures": [], "animations": []}
    path = contact_sheet(body, repertoire, tmp_path / "faces.png", faces=["joy", "sad"], **drawn)
    assert path.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(LookupError, match="there is no face 'joi'; did you mean 'joy'"):
        contact_sheet(body, repertoire, tmp_path / "none.png", faces=["joi"], **drawn)
