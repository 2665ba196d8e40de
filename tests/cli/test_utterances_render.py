"""`sera utterances render`: files for every line, and a scenario that plays exactly these."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from sera.behaviour.library import read_library
from sera.behaviour.markup import DEFAULT_SYNTAX
from sera.cli import app
from sera.cli._utterances_texts import MOST_FILLINGS, Piece, read_tags, texts_of
from sera.messages import Envelope, SpeechFinished, SpeechStarted
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.located import FileProblem
from sera.runtime.scenario import load_scenario
from sera.runtime.workspace import Workspace
from sera.speech import RecordedVoice, VoiceSettings, read_wav

LINES = (
    "TEXT;CATEGORY;ID\n"
    "<GAZE(/who/)> Hello /name/, \\pau=200\\ how are \\rspd=80\\ you?;greeting;g1\n"
    "Good bye.;end;e1\n"
    "<ANIMATE(nod)>;end;n1\n"
)
MAKER = """
import sys, wave
with wave.open(sys.argv[2], "wb") as f:
    f.setnchannels(1); f.setsampwidth(2); f.setframerate(8000)
    f.writeframes(bytes([len(sys.argv[1]), 16]) * 400 * len(sys.argv[1]))
"""


def render(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["utterances", "render", *map(str, arguments)])


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    file = tmp_path / "lines.csv"
    file.write_text(LINES, encoding="utf-8")
    return file


@pytest.fixture
def maker(tmp_path: Path) -> str:
    script = tmp_path / "maker.py"
    script.write_text(MAKER)
    return shlex.join([sys.executable, str(script), "{text}", "{wav}"])


def test_texts_are_cut_where_the_performer_cuts_them_and_tags_that_are_not_heard_do_not_count(
    sheet,
):
    library = read_library(sheet).library
    texts = texts_of(library, None, {"NAME": ["Ada", "Bo"]}, DEFAULT_SYNTAX)
    assert set(texts.pieces) == {
        Piece("Hello Ada,", 1.0, "en"),
        Piece("Hello Bo,", 1.0, "en"),
        Piece("how are", 1.0, "en"),
        Piece("you?", 0.8, "en"),
        Piece("Good bye.", 1.0, "en"),
    }
    assert (texts.lines, texts.left_out) == (2, {})
    bare = texts_of(library, "pt", {}, DEFAULT_SYNTAX)
    assert "no values are listed for /name/" in bare.left_out["g1"]
    assert {piece.language for piece in bare.pieces} == {"pt"}
    many = texts_of(library, None, {"name": [str(n) for n in range(2000)]}, DEFAULT_SYNTAX)
    assert f"more than {MOST_FILLINGS}" in many.left_out["g1"]


def test_values_of_tags_come_from_options_and_files(tmp_path):
    toml, table = tmp_path / "tags.toml", tmp_path / "tags.csv"
    toml.write_text('name = ["Ada", "Bo"]\nround = 3\n')
    table.write_text("name,day\nAda,Monday\nBo,\n")
    assert read_tags(["name = Cy, Di"], toml) == {"name": ["Ada", "Bo", "Cy", "Di"], "round": ["3"]}
    assert read_tags([], table) == {"name": ["Ada", "Bo"], "day": ["Monday"]}
    for wrong in ("name", "=x", "name=", "name= ,"):
        with pytest.raises(ValueError, match="write a name and its values"):
            read_tags([wrong], None)
    toml.write_text("name = [[1]]\n")
    with pytest.raises(FileProblem, match="a list of texts"):
        read_tags([], toml)
    table.write_text("")
    with pytest.raises(FileProblem, match="names no tag"):
        read_tags([], table)


def test_only_what_is_missing_or_changed_is_made_again_and_old_files_go(sheet, maker, tmp_path):
    out = tmp_path / "sound"
    how = ("--voice", "command", "--command", maker, "-o", out, "--tag", "name=Ada,Bo", "--json")
    first = render(sheet, *how)
    assert first.exit_code == 0, first.output
    told = json.loads(first.stdout)
    assert (told["lines"], told["files"], told["made"], told["kept"]) == (2, 5, 5, 0)
    assert told["not_rendered"] == []
    assert len(list(out.glob("*.wav"))) == 5
    second = json.loads(render(sheet, *how).stdout)
    assert (second["made"], second["kept"]) == (0, 5)
    next(out.glob("*.wav")).write_bytes(b"broken")
    assert json.loads(render(sheet, *how).stdout)["made"] == 1
    # Another way to say the same lines takes their place; an actor's recording stays.
    (out / "actor.wav").write_bytes(next(out.glob("*.wav")).read_bytes())
    (out / "actor.txt").write_text("Good bye.")
    words = tmp_path / "words.toml"
    words.write_text('[en]\nbye = "by"\n')
    third = json.loads(render(sheet, *how, "--pronunciations", words).stdout)
    assert (third["made"], third["replaced"]) == (5, 5)
    assert len(list(out.glob("*.wav"))) == 6


def test_what_cannot_be_rendered_is_told_by_line_and_ends_with_one(sheet, tmp_path):
    failing = shlex.join([sys.executable, "-c", "import sys; sys.exit('no voice today')"])
    done = render(sheet, "--voice", "command", "--command", failing, "-o", tmp_path / "s")
    assert done.exit_code == 1
    assert "e1: voice 'command'" in done.stdout
    assert "no voice today" in done.stdout
    assert "g1: no values are listed for /name/" in done.stdout
    assert "2 lines, 0.0 minutes of sound" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--voice", "espeek"), "did you mean 'espeak'?"),
        (("--voice", "command"), 'voice = "command" needs command'),
        (("--voice", "http", "--url", "ftp://x"), "is no address such as"),
        (("--variant", "f 3"), "no variant of espeak-ng"),
        (("--tag", "name"), "write a name and its values"),
        (("--tags-file", "/no/such.toml"), "/no/such.toml"),
        (("--pronunciations", "/no/such.toml"), "/no/such.toml"),
    ],
)
def test_wrong_wishes_are_one_sentence(sheet, tmp_path, arguments, sentence):
    done = render(sheet, *arguments, "-o", tmp_path / "s")
    assert done.exit_code == 2, done.output
    assert sentence in done.output


SCENARIO = """
[scenario]
title = "Play"
duration_s = 20
[characters.ada]
robot = "adelino"
[characters.ada.modules.behaviour_manager]
libraries = ["lines.csv"]
[characters.ada.modules.speaker]
voice = "recorded"
recordings = "sound"
[characters.ada.modules.actor]
module = "./actor.py:Actor"
"""
ACTOR = """
from sera import Module
from sera.messages import PerformUtterance
from sera.runtime import Role

class Actor(Module):
    role = Role.WIZARD
    async def run(self):
        for line, name in (("g1", "Ada"), ("g1", "Bo"), ("e1", "Bo")):
            await self.publish(PerformUtterance(line=line, tags={"name": name, "who": "left"}))
            await self.clock.sleep(6)
        await self.end_run("done")
"""


def test_a_scenario_plays_the_rendered_files_for_lines_with_tags(maker, tmp_path):
    place = tmp_path / "scenarios" / "play"
    place.mkdir(parents=True)
    sheet = place / "lines.csv"
    sheet.write_text(LINES, encoding="utf-8")
    (place / "scenario.toml").write_text(SCENARIO)
    (place / "actor.py").write_text(ACTOR)
    sound = place / "sound"
    how = ("--voice", "command", "--command", maker, "-o", sound, "--tag", "name=Ada,Bo")
    assert render(sheet, *how).exit_code == 0
    workspace = Workspace.discover(tmp_path)
    workspace.activate()
    seen: list[Envelope] = []

    async def main() -> None:
        started = Run(load_scenario(place, workspace), workspace, RunOptions(record=False))
        started.observe(seen.append)
        await started.execute()

    run_with_clock(main(), clock="virtual")
    spoken = [each.message for each in seen if isinstance(each.message, SpeechStarted)]
    assert [one.text for one in spoken] == [
        *("Hello Ada,", "how are", "you?", "Hello Bo,", "how are", "you?", "Good bye.")
    ]
    assert {one.voice for one in spoken} == {"recorded"}
    ends = [each.message for each in seen if isinstance(each.message, SpeechFinished)]
    assert all(end.problem is None and end.outcome == "completed" for end in ends)
    # Every participant hears the bytes of the file.
    for text, rate in (("Hello Ada,", 1.0), ("you?", 0.8)):
        heard = {
            run_with_clock(
                RecordedVoice(sound).synthesise(text, VoiceSettings(rate=rate)), clock="virtual"
            ).pcm
            for _ in range(2)
        }
        files = [
            read_wav(file.with_suffix(".wav").read_bytes()).pcm
            for file in sound.glob("*.json")
            if json.loads(file.read_text())["text"] == text
        ]
        assert list(heard) == files
