"""What a scenario file may say about a behaviour manager."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from sera import Module
from sera.behaviour.targets import PeopleSettings, TargetSettings
from sera.recording import runs_folder

_PERFORMER = (
    "politeness",
    "question_window_s",
    "backchannel_category",
    "pause_after_speech_s",
    "queue_limit",
    "longest_wait_s",
)


class BehaviourSettings(Module.Settings):
    """Which sheets, and how it behaves by itself."""

    libraries: list[str] = Field(default_factory=list)
    """Files beside the scenario: .xlsx, .ods or .csv."""
    reload: bool = True
    """Whether files that are saved are read again; in a study they wait for the next session."""
    language: str | None = None
    """Language of the lines where the sheet has several; None: the character's."""
    tag_sign: str = "/"
    """The sign around tags: `/name/` or `|name|`."""

    politeness: bool = True
    """Whether lines wait while somebody speaks."""
    question_window_s: float = Field(default=7.0, ge=0)
    """How long an answer is waited for; longer while somebody is answering."""
    backchannel_category: str | None = "backchannel"
    """Of which one line follows an answer."""
    pause_after_speech_s: float = Field(default=0.0, ge=0)
    """How long people must be silent before the robot speaks."""
    queue_limit: int = Field(default=16, ge=1)
    """How many lines may wait."""
    longest_wait_s: float = Field(default=30.0, ge=0)
    """When a line that waits is no longer worth saying."""

    wait_for_gestures: bool = True
    """Whether words wait, at most 0.8 s, until a gesture that begins with them is ready. A sheet
    says it for one line: `no` in a column WAIT."""

    gaze_policy: str = "mutual"
    """random, mutual, mutual_joint, speaker or one of policies.toml; SetGazePolicy changes it."""
    targets: TargetSettings = TargetSettings(person_raised_deg=0.0)
    """Figures of looks. People are looked at where their trackers say that the head is; the
    original looked 10° above the point that its camera gave: person_raised_deg = 10."""
    people: PeopleSettings = PeopleSettings()
    """Figures against ping-pong between people."""
    people_from: list[str] = Field(default_factory=list)
    """Trackers whose people count, such as `world.camera`, where two see the same people; all
    unless given."""
    eye_m: tuple[float, float, float] | None = None
    """Where the eyes are on the robot: to its left, up, forwards; None: as its body file says."""

    participant: str | None = None
    """Pseudonym of who hears the lines, so that `once and for ever` counts; a study says it."""
    memories: str | None = None
    """Folder, beside the scenario, that keeps what participants have heard; None: with the runs."""

    def performer_figures(self) -> dict[str, Any]:
        """The figures of the performer, by name."""
        return {name: getattr(self, name) for name in _PERFORMER}

    def memory_folder(self, scenario: Path | None) -> Path:
        """Where memories are kept."""
        if self.memories is None:
            return runs_folder() / "memories"
        return (scenario or Path()) / self.memories
