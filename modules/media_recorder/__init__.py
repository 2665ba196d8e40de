"""The media recorder: films and sound of a session beside its log, where consent allows it.

Design overview
    `sera.study.media` has the engine; this module hears what participants answer and begins or ends
    the recording. Cameras and microphones stay with the modules that have them: what they offer to
    the console is what is recorded.

Units and frames
    Seconds on the run's clock, the moment of capture.

Threading
    The event loop; files are written in threads.

Safety
    Nothing is recorded before the item of `consent_item` was answered with yes in this session, and
    nothing after it was answered otherwise. In virtual time there is nothing to record.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from sera import Module, on
from sera.messages import QuestionnaireAnswered
from sera.recording import LogReader, runs_folder
from sera.runtime import Role
from sera.study.media import ConsentWatch, MediaRecording, MediaWanted, kept_consent

WITHDRAWN = "consent was withdrawn"


class MediaRecorder(Module):
    """Records chosen cameras and microphones."""

    role = Role.RECORDER
    hears_everyone = True

    class Settings(Module.Settings):
        """What, where, and by whose leave."""

        cameras: list[str] = Field(default_factory=list)
        """Modules with a camera: name in the scenario file, `character.name`, or the module that
        it is, such as `face_tracker`."""
        microphones: list[str] = Field(default_factory=list)
        """Modules with a microphone."""
        consent_item: str = Field(default="consent.recording", pattern=r"^[^.]+\.[^.]+$")
        """`questionnaire.item` that must be answered with yes."""
        consent: Literal["asked", "rehearsal"] = "asked"
        """`rehearsal`: record at once, since nobody takes part who would have to be asked."""
        session: str | None = None
        """Id of the session; answers of another one do not count."""
        folder: str | None = None
        """Where files go; left out, `media` beside the log."""
        records: str | None = None
        """Folder of a session that may go on: what was agreed to before still counts."""

    _recording: MediaRecording | None = None

    async def start(self) -> None:
        settings = self.settings
        self._watch = ConsentWatch(settings.consent_item, settings.session)
        wanted = list(self._wanted())
        if self.clock.kind == "virtual" or not wanted:
            return
        log = self.context.options.get("log")
        beside = Path(log).parent if log is not None else runs_folder() / self.bus.identity.run
        self._log = None if log is None else Path(log)
        self._recording = MediaRecording(
            self.bus.identity.run,
            wanted,
            Path(settings.folder) if settings.folder is not None else beside / "media",
            session=settings.session,
            log_origin_s=self._log_origin_s,
            tell=lambda sentence: self.fault(sentence, warning=True),
        )
        if settings.consent == "rehearsal":
            self._recording.begin("a rehearsal: nobody was asked")
        elif settings.records is not None and await self.blocking(
            kept_consent, Path(settings.records)
        ):
            self._recording.begin(f"{settings.consent_item}, answered before in this session")

    async def stop(self) -> None:
        if self._recording is not None:
            await self._recording.end("the run is over")

    @on(QuestionnaireAnswered)
    async def hear_answer(self, message: QuestionnaireAnswered) -> None:
        allowed = self._watch.answered(
            message.questionnaire, dict(message.answers), message.session
        )
        if allowed is None or self._recording is None:
            return
        if allowed:
            self._recording.begin(f"{self.settings.consent_item}, answered with yes")
        elif self._recording.goes_on:
            await self._recording.end(WITHDRAWN)
            self.fault(
                "consent to recording was withdrawn: nothing more is recorded; what was recorded "
                "before is still there, and `sera study erase` takes it away",
                warning=True,
            )

    def _wanted(self) -> Iterator[MediaWanted]:
        kinds: tuple[tuple[str, list[str]], ...] = (
            ("picture", self.settings.cameras),
            ("sound", self.settings.microphones),
        )
        for kind, names in kinds:
            for name in dict.fromkeys(names):
                yield MediaWanted(kind, name, frozenset(self._sources(name)))

    def _sources(self, name: str) -> Iterator[str]:
        yield name
        scenario = self.context.scenario
        for plan in () if scenario is None else scenario.plans:
            if name in (plan.name, plan.implementation):
                yield plan.source

    def _log_origin_s(self) -> float | None:
        if self._log is None or not self._log.is_file():
            return None
        reader = LogReader(self._log)
        next(iter(reader), None)
        return None if reader.header is None else reader.header.started


__all__ = ["MediaRecorder"]
