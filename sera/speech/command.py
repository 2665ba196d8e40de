"""Any program that makes WAV of text, as a voice.

The program is a list of arguments, never a shell line. `{text}`, `{wav}`, `{language}`, `{rate}`,
`{pitch}` and `{volume}` in it are filled in. Without `{text}` the text goes to standard input;
without `{wav}` the WAV comes from standard output. With `{wav}`, standard output may hold word
times as JSON: a list of objects with word, start_s and end_s.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sera.speech._assemble import Rendering
from sera.speech._word_times import parse_word_times, rendering_of
from sera.speech.pronunciation import PronunciationList
from sera.speech.voice import Request, Voice, VoiceError
from sera.speech.wav import WavError, read_wav


class CommandVoice(Voice):
    """A program as a voice.

    Args:
        name: how messages and files call it.
        command: program and arguments.
        language: what it speaks where a line does not say.
        pronunciations: how single words are said.
        timeout_s: how long one line may take.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        language: str = "en",
        pronunciations: PronunciationList | None = None,
        timeout_s: float = 30.0,
    ) -> None:
        super().__init__(name, language=language, pronunciations=pronunciations)
        if isinstance(command, str) or not command:
            raise VoiceError(f"voice '{name}': the command is a list: program, then arguments")
        self.command = tuple(command)
        self._timeout_s = timeout_s

    def fingerprint(self, _language: str) -> str:
        return "\0".join(self.command)

    async def _render(self, request: Request) -> Rendering:
        to_file = any("{wav}" in part for part in self.command)
        with tempfile.TemporaryDirectory(prefix="sera-voice-") as folder:
            wav = Path(folder) / "speech.wav"
            printed = await self._run(self._arguments(request, wav), request.text)
            try:
                content = wav.read_bytes() if to_file else printed
            except OSError:
                raise VoiceError(f"voice '{self.name}': {self.command[0]} wrote no WAV") from None
        try:
            sound = read_wav(content)
            text = printed.decode("utf-8", "replace").strip() if to_file else ""
            words = parse_word_times(json.loads(text)) if text.startswith(("[", "{")) else []
        except WavError as error:
            raise VoiceError(f"voice '{self.name}': {self.command[0]} gave {error}") from None
        except ValueError as error:
            raise VoiceError(
                f"voice '{self.name}': {self.command[0]} printed word times that cannot be "
                f"read ({error})"
            ) from None
        return rendering_of(request.text, sound, words)

    def _arguments(self, request: Request, wav: Path) -> list[str]:
        settings = request.settings
        text = request.text
        values = {
            # A text is never an option of the program.
            "{text}": f" {text}" if text.startswith("-") else text,
            "{wav}": str(wav),
            "{language}": request.language,
            "{rate}": f"{settings.rate:g}",
            "{pitch}": f"{settings.pitch:g}",
            "{volume}": f"{1.0 if settings.volume is None else settings.volume:g}",
        }
        arguments = []
        for part in self.command:
            filled = part
            # The text is last, so that braces in it stay what they are.
            for key in (*(key for key in values if key != "{text}"), "{text}"):
                filled = filled.replace(key, values[key])
            arguments.append(filled)
        return arguments

    async def _run(self, arguments: list[str], text: str) -> bytes:
        program = arguments[0]
        on_stdin = not any("{text}" in part for part in self.command)
        # A file, since a pipe breaks if the program ends without having read it.
        with tempfile.TemporaryFile() as given:
            given.write(text.encode() if on_stdin else b"")
            given.seek(0)
            try:
                process = await asyncio.create_subprocess_exec(
                    *arguments,
                    stdin=given,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                )
            except (OSError, ValueError) as error:
                raise VoiceError(
                    f"voice '{self.name}': {program} cannot be started ({error}); is it installed?"
                ) from None
        try:
            async with asyncio.timeout(self._timeout_s):
                out, errors = await process.communicate()
        except TimeoutError:
            raise VoiceError(
                f"voice '{self.name}': {program} took longer than {self._timeout_s:g} s"
            ) from None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode != 0:
            lines = errors.decode("utf-8", "replace").strip().splitlines()
            why = f": {lines[-1]}" if lines else ""
            raise VoiceError(
                f"voice '{self.name}': {program} ended with code {process.returncode}{why}"
            )
        return out
