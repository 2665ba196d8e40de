"""Face files: what they say, what is wrong with them, and which one counts."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sera.animation.assets import read_face
from sera.animation.assets.repertoire import RepertoireError, load_repertoire
from sera.animation.body import load_body
from sera.animation.stage_set import StageSet

ROBOTS = Path(__file__).parents[3] / "robots"
NAMES = sorted(file.parent.name for file in ROBOTS.glob("*/body.toml"))
SHARED = sorted(file.stem for file in (ROBOTS / "shared" / "faces").glob("*.toml"))
GRIN = '[face]\nalso = ["smirk"]\n[values]\n"Face.Smile" = 0.7\n'


def write(folder: Path, name: str, text: str) -> Path:
    (folder / "faces").mkdir(parents=True, exist_ok=True)
    path = folder / "faces" / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", NAMES)
def test_every_body_reads_all_shared_faces_and_their_words(name):
    faces = load_repertoire(load_body(ROBOTS / name), ROBOTS / "shared").faces
    assert set(SHARED) <= set(faces)
    for word, face in (("happy", "joy"), ("smile", "joy"), ("sad", "sadness"), ("angry", "anger")):
        assert faces[word].name == face
    assert faces["neutral"].can_be_shown
    assert not faces["neutral"].values


def test_emys_shows_every_face_in_a_way_of_its_own_and_within_its_range():
    body = load_body(ROBOTS / "emys")
    faces = load_repertoire(body, ROBOTS / "shared").faces
    poses = {name: body.resolve(dict(faces[name].values)) for name in SHARED}
    for one in SHARED:
        for other in SHARED:
            apart = max(abs(poses[one][joint] - poses[other][joint]) for joint in poses[one])
            assert one == other or apart > 0.1, (one, other)
        for channel, value in faces[one].values.items():
            assert body.channels[channel].lower <= value <= body.channels[channel].upper


@pytest.mark.parametrize("name", ["adelino", "nao", "pepper"])
def test_a_body_without_a_face_shows_faces_by_its_lights(name):
    faces = load_repertoire(load_body(ROBOTS / name), ROBOTS / "shared").faces
    for each in SHARED:
        assert each == "neutral" or "Lights.Left" in faces[each].values
    assert not any(channel.startswith("Face.") for channel in faces["joy"].values)
    assert faces["joy"].values["Lights.Left"] > 0.6 > faces["sadness"].values["Lights.Left"]


def test_a_body_with_nothing_to_show_a_face_with_says_what_it_lacks():
    joy = load_repertoire(load_body(ROBOTS / "mybot_ksr"), ROBOTS / "shared").face("joy")
    assert not joy.can_be_shown
    assert "Lights.Left" in joy.lacking


def test_the_more_particular_face_counts_and_keeps_the_words_for_it(tmp_path):
    robot, scenario = tmp_path / "robots" / "emys", tmp_path / "tea"
    robot.mkdir(parents=True)
    shutil.copy(ROBOTS / "emys" / "body.toml", robot)
    write(robot, "joy", '[values]\n"Face.Smile" = 0.4\n')
    write(scenario, "smile", '[values]\n"Face.Smile" = 0.2\n')
    body = load_body(robot)
    own = load_repertoire(body, ROBOTS / "shared").faces
    assert own["happy"].values == {"Face.Smile": 0.4}
    staged = load_repertoire(body, ROBOTS / "shared", also=(scenario,)).faces
    assert staged["smile"].values == {"Face.Smile": 0.2}
    assert staged["happy"].values == {"Face.Smile": 0.4}


def test_an_unknown_face_is_answered_with_the_nearest():
    repertoire = load_repertoire(load_body(ROBOTS / "emys"), ROBOTS / "shared")
    assert repertoire.face("Happy").name == "joy"
    with pytest.raises(LookupError, match="there is no face 'suprise'; did you mean 'surprise'"):
        repertoire.face("suprise")


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ('[values]\n"Face.Smlie" = 1\n', 2, "did you mean 'Face.Smile'"),
        ('[values]\n"Face.Smile" = "wide"\n', 2, "must be a number"),
        ('[face]\nalso = "happy"\n[values]\n"Face.Smile" = 1\n', 2, "list of words"),
        ('[face]\ntitel = "Joy"\n[values]\n"Face.Smile" = 1\n', 2, "did you mean 'title'"),
        ("[face]\n", None, "has no values"),
        ("[face\n", 1, ""),
    ],
)
def test_a_mistake_is_named_by_line(tmp_path, text, line, sentence):
    reading = read_face(tmp_path / "grin.toml", None, text)
    assert reading.face is None
    assert any(sentence in str(problem) for problem in reading.problems)
    assert line is None or reading.problems[0].line == line


def test_one_word_for_two_faces_is_refused(tmp_path):
    write(tmp_path, "grin", GRIN)
    write(tmp_path, "sneer", GRIN)
    with pytest.raises(RepertoireError, match="'smirk' is a word for the face 'grin' already"):
        load_repertoire(load_body(ROBOTS / "emys"), tmp_path)


def test_a_face_that_was_saved_changes_the_fingerprint(tmp_path):
    found = StageSet.find(ROBOTS / "emys", (ROBOTS.parent,), scenario=tmp_path)
    before = found.fingerprint()
    write(tmp_path, "grin", GRIN)
    assert found.fingerprint() != before
    assert found.repertoire().faces["smirk"].name == "grin"


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused_without_an_exception(text):
    reading = read_face(Path("grin.toml"), None, text)
    assert (reading.face is None) == bool(reading.problems)
