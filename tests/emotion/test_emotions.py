from __future__ import annotations

from pathlib import Path

import pytest

from sera.emotion import PAD, EmotionsError, Octant, load_emotions
from sera.emotion.emotions import built_in

OWN = """
[emotions.fear]
pad = [-0.5, 0.8, -0.9]
also = ["terror"]

[emotions.awe]
pad = [0.3, 0.4, -0.7]
source = "our pilot"
"""


def written(folder: Path, text: str) -> Path:
    (folder / "emotions.toml").write_text(text, encoding="utf-8")
    return folder


def refused(folder: Path, text: str) -> str:
    with pytest.raises(EmotionsError) as caught:
        load_emotions([written(folder, text)])
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "octant"),
    [
        ("happiness", Octant.EXUBERANT),
        ("sadness", Octant.BORED),
        ("fear", Octant.ANXIOUS),
        ("calm", Octant.RELAXED),
        ("anger", Octant.HOSTILE),
        ("boredom", Octant.BORED),
        ("relief", Octant.RELAXED),
        ("pride", Octant.EXUBERANT),
        ("neutral", Octant.NEUTRAL),
    ],
)
def test_named_emotions_lie_in_the_octants_of_the_literature(name: str, octant: Octant) -> None:
    assert PAD.named(name).octant is octant


def test_every_built_in_emotion_tells_its_source_and_octant() -> None:
    emotions = built_in()
    for name in emotions.names:
        emotion = emotions.emotion(name)
        assert emotion.source
        if name != "neutral":
            assert emotion.pad.octant.lower() in emotion.source


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("joy", "happiness"),
        ("happy", "happiness"),
        ("Sad", "sadness"),
        (" afraid ", "fear"),
        ("SCARED", "fear"),
    ],
)
def test_other_words_mean_the_same_emotion(word: str, name: str) -> None:
    assert PAD.named(word) == PAD.named(name)


def test_an_unknown_name_suggests_the_nearest_and_lists_all() -> None:
    with pytest.raises(LookupError) as caught:
        PAD.named("hapiness")
    assert "did you mean 'happiness'?" in str(caught.value)
    assert all(name in str(caught.value) for name in built_in().names)
    with pytest.raises(LookupError, match=r"no emotion 'xyzzy' \(known"):
        PAD.named("xyzzy")


def test_each_emotion_is_nearest_to_itself() -> None:
    emotions = built_in()
    assert all(emotions.nearest(emotions.named(name)) == name for name in emotions.names)
    assert PAD.named_nearest(PAD(0.85, 0.5, 0.5)) == "happiness"
    assert PAD.named_nearest(PAD(0.01, 0.0, 0.02)) == "neutral"


def test_a_folder_adds_emotions_and_changes_those_of_the_same_name(tmp_path: Path) -> None:
    emotions = load_emotions([tmp_path / "nowhere", written(tmp_path, OWN)])
    assert emotions.named("fear") == PAD(-0.5, 0.8, -0.9)
    assert emotions.named("terror") == emotions.named("fear")
    assert emotions.named("awe") == PAD(0.3, 0.4, -0.7)
    assert emotions.emotion("awe").source == "our pilot"
    assert emotions.named("happiness") == PAD.named("happiness")
    assert PAD.named("fear") != emotions.named("fear")
    assert emotions.synonyms["joy"] == "happiness"
    assert "happiness" not in emotions.synonyms


def test_a_name_of_ones_own_wins_over_a_built_in_word(tmp_path: Path) -> None:
    folder = written(tmp_path, "[emotions.joy]\npad = [0.4, 0.2, 0.1]\n")
    emotions = load_emotions([folder])
    assert emotions.named("joy") == PAD(0.4, 0.2, 0.1)
    assert emotions.named("happy") == PAD.named("happiness")


def test_the_last_folder_wins(tmp_path: Path) -> None:
    first, second = tmp_path / "workspace", tmp_path / "scenario"
    first.mkdir()
    second.mkdir()
    written(first, "[emotions.awe]\npad = [0.1, 0.1, 0.1]\n")
    written(second, "[emotions.awe]\npad = [0.2, 0.2, 0.2]\n")
    assert load_emotions([first, second]).named("awe") == PAD(0.2, 0.2, 0.2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[emotions.awe]\npad = [0.3, 1.4, -0.7]\n", "emotions.toml:2: emotions.awe.pad"),
        ("[emotions.awe]\npd = [0.3, 0.4, -0.7]\n", "did you mean 'pad'?"),
        ("[emotions.awe]\npad = [0.3, 0.4]\n", "emotions.toml:2"),
        ("[emotion.awe]\npad = [0.3, 0.4, 0.1]\n", "did you mean 'emotions'?"),
        (OWN.replace('"terror"', '"awe"'), "'awe' stands for 'awe' already"),
        ("[emotions.awe\n", "not valid TOML"),
    ],
)
def test_mistakes_are_told_by_line(tmp_path: Path, text: str, said: str) -> None:
    assert said in refused(tmp_path, text)
