"""Lines rehearsed in virtual time: the real behaviour manager and voice, and what they said.

Design overview: a director places targets where a seed says, has one line after the other performed
and waits for its end. Virtual time refuses processes, so that a voice that is to be heard as it is
(espeak-ng) is rendered beforehand and played from its recordings, with its own word times.

Units and frames: seconds of the run; degrees. Threading: one event loop of its own.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field

from sera.behaviour.markup import ParsedLine, parse
from sera.behaviour.performing import PlainLine, cut
from sera.behaviour.targets import BUILT_IN_NAMES
from sera.messages import (
    Direction,
    Envelope,
    PerformUtterance,
    PersonDetected,
    Position,
    TargetUpdated,
    UtteranceCancelled,
    UtteranceFinished,
)
from sera.runtime.clock import run as run_with_clock
from sera.runtime.launcher import Run, RunOptions
from sera.runtime.module import Module, Role, on
from sera.runtime.scenario import ModulePlan, load_scenario
from sera.runtime.workspace import Workspace
from sera.speech import Voice, VoiceSettings, render_library

BETWEEN_LINES_S = 3.5
"""Until the gestures of a line are over."""


class Director(Module):
    """Has lines performed, one after the other."""

    role = Role.WIZARD

    class Settings(Module.Settings):
        """Which lines, about what."""

        lines: list[str] = Field(default_factory=list)
        places_deg: dict[str, tuple[float, float]] = Field(default_factory=dict)
        language: str = "en"

    async def start(self) -> None:
        self._over = asyncio.Event()

    async def run(self) -> None:
        place = Position(x_m=0.3, y_m=0.3, z_m=1.5)
        await self.publish(PersonDetected(person="listener", position=place))
        for name, (horizontal_deg, vertical_deg) in self.settings.places_deg.items():
            where = Direction(horizontal_deg=horizontal_deg, vertical_deg=vertical_deg)
            await self.publish(TargetUpdated(target=name, direction=where))
        await self.clock.sleep(1.0)
        for line in self.settings.lines:
            self._over.clear()
            await self.publish(PerformUtterance(text=line, language=self.settings.language))
            await self._over.wait()
            await self.clock.sleep(BETWEEN_LINES_S)
        await self.end_run("all lines are said")

    @on(UtteranceFinished, UtteranceCancelled)
    async def end_line(self, _message: UtteranceFinished | UtteranceCancelled) -> None:
        self._over.set()


def filled(text: str) -> str:
    """A line as it is rehearsed: each tag's own name stands for it, as a word or as a target."""
    for tag in parse(text).tags:
        text = text.replace(f"/{tag}/", str(tag).replace("_", ""))
    return text


def rehearse(
    robot: str,
    lines: Sequence[str],
    *,
    root: Path,
    seed: int = 1,
    language: str = "en",
    recordings: Path | None = None,
    waits: bool = True,
) -> list[Envelope]:
    """Have lines performed on a body; everything that was said on the bus comes back.

    Args:
        robot: name of the body.
        lines: with markup, tags filled in.
        root: of the workspace.
        seed: where targets are, and everything else of chance.
        language: of the lines.
        recordings: of the voice; None: it is silent and keeps time.
        waits: whether words may wait for gestures.
    """
    chance = random.Random(seed)  # no secret
    names = {step.target for line in lines for step in parse(line).steps if step.target}
    places = {
        name: (chance.uniform(-45.0, 45.0), chance.uniform(-20.0, 8.0))
        for name in sorted(names - set(BUILT_IN_NAMES) - {"listener"})
    }
    seen: list[Envelope] = []
    voice = {"voice": "silent"}
    if recordings is not None:
        voice = {"voice": "recorded", "recordings": str(recordings), "fallback": "none"}
    changes: dict[str, tuple[Any, dict[str, Any]]] = {
        "behaviour_manager": (None, {"language": language, "wait_for_gestures": waits}),
        "speaker": (None, {"language": language, **voice}),
        "director": (
            Director,
            {"lines": list(lines), "places_deg": places, "language": language},
        ),
    }
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "play"
        place.mkdir()
        text = f'[scenario]\ntitle = "Play"\nseed = {seed}\n\n[characters.ada]\nrobot = "{robot}"\n'
        (place / "scenario.toml").write_text(text, encoding="utf-8")
        workspace = Workspace.discover(root)
        workspace.activate()
        scenario = load_scenario(place, workspace)
        plans = []
        for name, (own, settings) in changes.items():
            module_class = own or workspace.load_module_class(name)
            given = module_class.Settings.model_validate(settings)
            plans.append(ModulePlan("ada", name, name, "shared", module_class, given))

        async def main() -> None:
            run = Run(replace(scenario, plans=tuple(plans)), workspace, RunOptions(record=False))
            run.observe(seen.append)
            await run.execute()

        run_with_clock(main(), clock="virtual")
    return seen


async def record(lines: Sequence[str], voice: Voice, folder: Path) -> None:
    """Render what a voice will be asked to say of these lines, as the performer cuts them."""
    by_rate: dict[float, list[str]] = {}
    for line in lines:
        for segment in cut(performable(parse(line))).segments:
            by_rate.setdefault(segment.rate, []).append(segment.text)
    for rate, texts in by_rate.items():
        await render_library(texts, voice, folder, VoiceSettings(rate=rate))


def performable(line: ParsedLine) -> PlainLine:
    """A line as the performer has it, whatever the body can."""
    return PlainLine(line.text, tuple(line.steps), tuple(line.pauses), tuple(line.rates))
