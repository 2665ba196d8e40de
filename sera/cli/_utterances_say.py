"""`sera utterances say`: one line on a simulated robot, told word by word."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sera.cli._errors import FAILED, CommandError

if TYPE_CHECKING:
    from sera.behaviour.library import Library
    from sera.cli._utterances_stage import Wanted
    from sera.runtime.scenario import Scenario
    from sera.runtime.workspace import Workspace


def say(
    what: Annotated[
        str, typer.Argument(metavar="ID|TEXT", help="The id of a line, or a text with markup.")
    ],
    *,
    files: Annotated[
        list[Path] | None,
        typer.Option("--file", metavar="FILE", help="A sheet to speak from; again for others."),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option("--scenario", metavar="NAME", help="Its sheets, voice, robot and places."),
    ] = None,
    robot: Annotated[
        str | None,
        typer.Option("--robot", metavar="NAME", help="Who performs; else the scenario's, adelino."),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="TAG", help="Such as en or pt-PT.")
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="NAME=VALUE", help="What replaces a tag; again for others."),
    ] = None,
    tags: Annotated[
        str | None, typer.Option("--tags", metavar="SIGN", help="The sign around tags: / or |.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the sound here, .wav.")
    ] = None,
    silent: Annotated[
        bool, typer.Option("--silent", help="Without sound, in no time at all.")
    ] = False,
) -> None:
    """Perform one line on a simulated robot and tell what happens at which word.

    Exits with 1 where the line was not performed to its end.
    """
    import tempfile

    from sera.cli._utterances_stage import Wanted, scenario_of, sheets_of, staged
    from sera.cli._workspace import workspace_around

    if out is not None and silent:
        raise CommandError("--out and --silent exclude each other: silence needs no file")
    if out is not None and out.suffix.lower() != ".wav":
        raise CommandError(f"--out {out}: a sound file ends in .wav")
    if not what.strip():
        raise CommandError("there is nothing to say: give the id of a line, or a text")
    workspace = workspace_around(scenario)
    workspace.activate()
    with tempfile.TemporaryDirectory(prefix="sera-say-") as place:
        loaded = scenario_of(scenario, Path(place), robot, workspace)
        sheets = tuple(files or ()) or sheets_of(loaded)
        line, text = _line_or_text(what, sheets)
        values = _tags(tag or [])
        _note_missing_tags(text or _text_of(line, sheets, language), values, tags)
        wanted = Wanted(
            sheets=sheets,
            robot=robot,
            language=language,
            line=line,
            text=text,
            tags=values,
            tag_sign=tags,
            sound_folder=Path(place) / "sound",
            silent=silent,
        )
        _perform(staged(loaded, wanted, workspace), workspace, wanted, out)


def _perform(scenario: Scenario, workspace: Workspace, wanted: Wanted, out: Path | None) -> None:
    import logging

    from sera.cli._logs import showing_logs
    from sera.cli._utterances_told import Told
    from sera.runtime.clock import run as run_in_loop
    from sera.runtime.launcher import Run, RunOptions

    told = Told()

    async def main() -> None:
        run = Run(scenario, workspace, RunOptions(record=False))
        run.observe(told.hear)
        await run.execute()

    with showing_logs(logging.NullHandler(), {"sera": logging.WARNING}):
        run_in_loop(main(), clock="virtual" if wanted.silent else "real")
    if out is not None:
        _write_sound(told.parts_s, wanted.sound_folder or Path(), out)
    elif not wanted.silent and told.parts_s:
        from sera.speech import has_sound_card

        if not has_sound_card():
            print("there is no sound card here: --out FILE.wav writes what would be heard")
    problem = told.problem
    if problem is not None:
        from sera.cli._text import note

        note(f"sera: {problem}", style="bold red")
        raise typer.Exit(FAILED)


def _line_or_text(what: str, sheets: tuple[Path, ...]) -> tuple[str | None, str | None]:
    """An id of the sheets, else a text; a single word that is no id is taken for a mistake."""
    if not sheets:
        return None, what
    from sera.cli._utterances import _read
    from sera.runtime.located import nearest_name

    library: Library = _read(list(sheets))
    if what in library.by_id:
        return what, None
    by_folded = {name.casefold(): name for name in library.by_id}
    if what.casefold() in by_folded:
        return by_folded[what.casefold()], None
    if len(what.split()) > 1 or any(sign in what for sign in "<\\.!?"):
        return None, what
    near = nearest_name(what, library.by_id)
    hint = f"; did you mean '{near}'?" if near else ""
    names = ", ".join(sheet.name for sheet in sheets)
    raise CommandError(
        f"no line has the id '{what}' in {names}{hint} (a text of one word ends with a full stop)"
    )


def _text_of(line: str | None, sheets: tuple[Path, ...], language: str | None) -> str:
    from sera.cli._utterances import _read

    found = _read(list(sheets)).by_id.get(line or "")
    return "" if found is None else found.text_in(language) or ""


def _note_missing_tags(text: str, values: dict[str, str], sign: str | None) -> None:
    from sera.behaviour.markup import fill
    from sera.cli._text import note
    from sera.cli._wording import syntax_of

    for use in fill(text, values, syntax_of(None, sign)).line.tags:
        note(f"the tag '{use}' has no value and is said by its name (--tag {use}=VALUE)")


def _tags(written: list[str]) -> dict[str, str]:
    values = {}
    for option in written:
        name, equals, value = option.partition("=")
        if not (equals and name.strip()):
            raise CommandError(f"--tag {option}: write a name and its value, such as --tag day=one")
        values[name.strip()] = value
    return values


def _write_sound(parts_s: list[float], folder: Path, out: Path) -> None:
    """The parts of the line in one file, each at its time."""
    from sera.speech import Sound, read_wav, write_wav

    sounds = [read_wav(file.read_bytes()) for file in sorted(folder.glob("*.wav"))]
    if not sounds:
        print("there is no sound to write: the voice was silent")
        return
    rate_hz = sounds[0].rate_hz
    whole = bytearray()
    for at_s, sound in zip(parts_s, sounds, strict=False):
        start = 2 * round(max(0.0, at_s) * rate_hz)
        whole.extend(bytes(max(0, start - len(whole))))
        whole.extend(sound.pcm)
    out.write_bytes(write_wav(Sound(bytes(whole), rate_hz)))
    print(f"sound: {out}")
