"""`sera utterances render`: a library becomes sound files beforehand, the same for everybody."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sera.cli._errors import CommandError, as_wrong_input
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.cli._utterances_texts import Texts
    from sera.speech import VoiceChoice

PROGRESS_EVERY_S = 2.0


def render(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Sheets: .xlsx, .ods or .csv.")
    ],
    *,
    folder: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where the sound files go.")
    ],
    voice: Annotated[
        str, typer.Option("--voice", metavar="NAME", help="auto, espeak, command or http.")
    ] = "auto",
    language: Annotated[
        str | None, typer.Option("--language", metavar="TAG", help="Only this one; else all.")
    ] = None,
    variant: Annotated[
        str | None, typer.Option("--variant", metavar="NAME", help="Of espeak-ng, such as f3.")
    ] = None,
    command: Annotated[
        str | None,
        typer.Option("--command", metavar="LINE", help="For --voice command: 'prog {text} {wav}'."),
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", metavar="URL", help="For --voice http.")
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="S", help="How long one line may take.")
    ] = 60.0,
    pronunciations: Annotated[
        list[Path] | None,
        typer.Option("--pronunciations", metavar="FILE", help="How single words are said."),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="NAME=A,B", help="The values of a tag; again for others."),
    ] = None,
    tags_file: Annotated[
        Path | None,
        typer.Option("--tags-file", metavar="FILE", help="Values by tag: .toml lists or .csv."),
    ] = None,
    tags: Annotated[
        str, typer.Option("--tags", metavar="SIGN", help="The sign around tags: / or |.")
    ] = "/",
    as_json: JsonOption = False,
) -> None:
    """Make the sound of every line beforehand, with the times of its words.

    What is there and unchanged is kept. A scenario plays the files with voice = "recorded" and
    recordings = "FOLDER". Exits with 1 where a line could not be rendered.
    """
    import asyncio

    from sera.cli._utterances import _read
    from sera.cli._utterances_texts import read_tags, texts_of
    from sera.cli._wording import syntax_of

    with as_wrong_input():
        values = read_tags(tag or [], tags_file)
        texts = texts_of(_read(files), language, values, syntax_of(None, tags))
    choice = _choice(
        voice=voice,
        language=language,
        variant=variant,
        command=command,
        url=url,
        timeout_s=timeout,
        pronunciations=pronunciations or [],
    )
    result = asyncio.run(_render(texts, choice, folder))
    _tell(result, texts, folder, as_json=as_json)
    if result["not_rendered"]:
        raise typer.Exit(1)


def _choice(
    *,
    voice: str,
    language: str | None,
    variant: str | None,
    command: str | None,
    url: str | None,
    timeout_s: float,
    pronunciations: list[Path],
) -> VoiceChoice:
    import shlex

    from pydantic import ValidationError

    from sera.runtime.located import nearest_name
    from sera.speech import VoiceChoice

    kinds = ("auto", "espeak", "command", "http")
    if voice not in kinds:
        near = nearest_name(voice, kinds)
        hint = f"; did you mean '{near}'?" if near else ""
        raise CommandError(f"--voice {voice}: it is one of {', '.join(kinds)}{hint}")
    written: dict[str, Any] = {
        "voice": voice,
        "language": language,
        "variants": {} if variant is None else {"*": variant},
        "pronunciations": [str(file.absolute()) for file in pronunciations],
        "url": url,
        "command_timeout_s": timeout_s,
        "http_timeout_s": timeout_s,
    }
    with as_wrong_input():
        written["command"] = shlex.split(command or "")
    try:
        return VoiceChoice.model_validate(written)
    except ValidationError as error:
        problems = [str(one["msg"]).removeprefix("Value error, ") for one in error.errors()]
        raise CommandError("; ".join(problems)) from None


async def _render(texts: Texts, choice: VoiceChoice, folder: Path) -> dict[str, Any]:
    from sera.cli._text import note
    from sera.cli._utterances_texts import DEFAULT_LANGUAGE
    from sera.speech import VoiceError, VoiceSettings, render_library, rendering_voice

    try:
        own = choice.language or DEFAULT_LANGUAGE
        voice = await rendering_voice(choice, folder=Path(), language=own)
    except VoiceError as error:
        raise CommandError(str(error)) from None
    groups: dict[tuple[str, float], list[str]] = {}
    for piece in texts.pieces:
        groups.setdefault((piece.language, piece.rate), []).append(piece.text)
    total, done, said_s = len(texts.pieces), 0, time.monotonic()

    def progress(_text: str, _made: bool) -> None:
        nonlocal done, said_s
        done += 1
        if time.monotonic() - said_s >= PROGRESS_EVERY_S:
            said_s = time.monotonic()
            note(f"{done} of {total}")

    counts = {"made": 0, "kept": 0, "replaced": 0}
    sound_s = 0.0
    failed: list[dict[str, str]] = []
    names = {(piece.text, piece.language, piece.rate): name for piece, name in texts.pieces.items()}
    try:
        for (language, rate), group in groups.items():
            settings = VoiceSettings(language=language, rate=rate)
            made = await render_library(group, voice, folder, settings, progress=progress)
            for key in counts:
                counts[key] += getattr(made, key)
            sound_s += made.sound_s
            for text, why in made.failed.items():
                failed.append({"line": names[text, language, rate], "text": text, "why": why})
    finally:
        await voice.close()
    failed += [{"line": name, "text": "", "why": why} for name, why in texts.left_out.items()]
    minutes = round(sound_s / 60, 2)
    return {"lines": texts.lines, **counts, "minutes": minutes, "not_rendered": failed}


def _tell(result: dict[str, Any], texts: Texts, folder: Path, *, as_json: bool) -> None:
    from sera.cli._text import clean, print_json

    if as_json:
        print_json({"folder": str(folder), "files": len(texts.pieces), **result})
        return
    for one in result["not_rendered"]:
        print(clean(f"{one['line']}: {one['why']}"))
    print(
        f"{result['lines']} lines, {result['minutes']:.1f} minutes of sound in {folder}: "
        f"{result['made']} made, {result['kept']} kept, {result['replaced']} replaced, "
        f"{len(result['not_rendered'])} not rendered"
    )
