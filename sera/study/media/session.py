"""What the module `media_recorder` is told in a session of a study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sera.study.data import Kind
from sera.study.plan import StudyPlan

MODULE = "media_recorder"


def media_settings(
    plan: StudyPlan, session: str, folder: Path, kind: Kind
) -> dict[str, Any] | None:
    """Settings of the module for a session; None where the study records nothing.

    Args:
        plan: of the study.
        session: its id.
        folder: of the session.
        kind: in a rehearsal nobody takes part who would have to be asked.
    """
    media = plan.media
    if not (media.cameras or media.microphones):
        return None
    return {
        "cameras": list(media.cameras),
        "microphones": list(media.microphones),
        "consent_item": media.consent_item,
        "consent": "rehearsal" if kind == "rehearsal" else "asked",
        "session": session,
        "folder": str(folder / "media"),
        "records": str(folder),
    }
