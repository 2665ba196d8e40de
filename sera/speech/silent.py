"""A voice without sound that keeps the time a line would take."""

from __future__ import annotations

from sera.speech._assemble import Rendering
from sera.speech.estimate import natural_times
from sera.speech.voice import Request, Voice


class SilentVoice(Voice):
    """Makes no sound; every word has its estimated time. Works in virtual time."""

    def __init__(self, name: str = "silent", *, language: str = "en") -> None:
        super().__init__(name, language=language)

    async def _render(self, request: Request) -> Rendering:
        _, natural_s = natural_times(request.text, request.language)
        return Rendering(pcm=b"", rate_hz=16_000, duration_s=natural_s / request.settings.rate)
