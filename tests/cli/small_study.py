"""A small study in a workspace, with sessions or simulated participants, for its commands."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sera.runtime.workspace import Workspace
from sera.study import load_plan
from sera.study.data import Participation
from sera.study.sessions import KeptSession, StudyFolder, Wish
from sera.study.simulation.results import save_simulation

SCENARIO = """
[scenario]
title = "Small"
[modules.clock]
[conditions.a.modules.clock]
[conditions.b.modules.clock]
"""
STUDY = """
[study]
title = "Small"
[design]
[[design.conditions]]
name = "a"
title = "Quiet"
[[design.conditions]]
name = "b"
title = "Lively"
[[phases]]
name = "one"
[[phases.steps]]
name = "play"
title = "Play"
form = "ios"
[[measures]]
name = "Marks"
how = "count"
message = "SessionMark"
[[analysis.hypotheses]]
name = "H1"
text = "Lively robots get more marks."
measures = ["Marks"]
groups = ["b", "a"]
expects = "higher"
"""
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Lab:
    """A workspace with the study, and what is kept of it."""

    def __init__(self, place: Any) -> None:
        self.place = place
        self._scenario = place.write("scenarios/small/scenario.toml", SCENARIO)
        self.plan = load_plan(place.write("scenarios/small/study.toml", STUDY))
        self.folder = StudyFolder(Path(place.environment["SERA_RUNS"]) / "studies" / "small")

    def study(self, command: str, *arguments: object) -> Any:
        return self.place.sera("study", command, *arguments)

    def begin(self, hours: int = 0) -> KeptSession:
        """A session of a person."""
        return self.folder.begin(
            self.plan,
            Wish(kind="study"),
            scenario_file=self._scenario,
            workspace=Workspace.discover(self.place.folder),
            now=NOON + timedelta(hours=hours),
        )

    def end(self, session: KeptSession, fate: Any, reason: str | None = None) -> None:
        self.folder.end(session, fate, reason, NOON)

    def simulated(self, count: int) -> Path:
        """So many simulated participants, of whom the lively robot gets more marks."""
        rows = [
            Participation(
                participant=f"sim{number:02d}",
                session=f"sim{number:02d}",
                kind="simulated",
                fate="completed",
                condition="ab"[number % 2],
                seed=number,
                measures={"Marks": number % 7 + 9 * (number % 2)},
                answers={"ios": {"closeness": number % 7 + 1}},
            )
            for number in range(count)
        ]
        folder = self.folder.path / "simulated" / "latest"
        return save_simulation(folder, rows, {"scenario": "small", "seed": 7})
