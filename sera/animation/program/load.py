"""Reads a program file into a `Program`, or says everything that is wrong with it.

Design overview: tables first (`_file`), then each controller by its type (`_nodes`), then names
and types of wires, then the order of steps; only a program without any problem is made.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from sera.animation.assets import Animation, Face
from sera.animation.body import Body
from sera.animation.engine import (
    ClearanceStage,
    Controller,
    Making,
    Output,
    Row,
    SecondStage,
    Signal,
    Surroundings,
)
from sera.animation.expression import NullSpaceStage
from sera.animation.frame import ChannelLayout, FrameBlock
from sera.animation.program._file import ProgramFile, StageTable
from sera.animation.program._layers import LayerMaker
from sera.animation.program._nodes import Reader
from sera.animation.program.program import Program
from sera.animation.program.registry import Registry
from sera.animation.program.wiring import Node, WiringCycle, in_order
from sera.emotion import Emotions
from sera.emotion.profile import NullSpaceProfile, Profile
from sera.kinematics.filter import FilterCharacter, Limiter
from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, FileProblems, LocatedToml

EMOTION = "emotion"
"""The second stage that shows emotion in the null space; its profile stands beside the body."""

CLEARANCE = "clearance"
"""The one that keeps the body clear of the ground and of itself; it stands last. With the setting
`moves = false` it only tells."""


class ProgramError(FileProblems):
    """A program file that cannot be used, with everything that is wrong in it."""

    what = "animation program"


def load_program(
    path: Path,
    body: Body,
    *,
    animations: Mapping[str, Animation] | None = None,
    postures: Mapping[str, Mapping[str, float]] | None = None,
    faces: Mapping[str, Face] | None = None,
    registry: Registry | None = None,
    second_stage: str | None = None,
    seed: int = 0,
    profile: Profile | None = None,
    emotions: Emotions | None = None,
    around: Surroundings | None = None,
) -> Program:
    """The program of a file for a body.

    Args:
        path: the file.
        body: whose channels its controllers move.
        animations: what `Animate` may play, by name, fitted to the body.
        postures: what `Posture` may take: value by channel, by name.
        faces: what `Face` may show, by every word for it, fitted to the body.
        registry: the controllers there are; the built-in ones unless given.
        second_stage: a stage in place of what the file has.
        seed: of everything random in it.
        profile: how the body shows what it feels.
        emotions: by name; the built-in ones unless given.
        around: what stands beside the body.

    Raises:
        ProgramError: with every problem, by line.
    """
    try:
        document = LocatedToml.load(path)
    except FileProblem as problem:
        raise ProgramError([problem]) from None
    try:
        file = ProgramFile.model_validate(document.data)
    except ValidationError as error:
        raise ProgramError(problems_of(error, document, ProgramFile, document.data)) from None
    if second_stage is not None:
        stages = [StageTable(type=second_stage), StageTable(type=CLEARANCE)]
        file = file.model_copy(update={"second_stage": stages})
    making = Making(
        body=body,
        animations=animations or {},
        postures=postures or {},
        faces=faces or {},
        seed=seed,
        profile=profile,
    )
    loader = _Loader(document, file, making, registry or Registry(), emotions, around)
    return loader.program()


class _Loader:
    def __init__(
        self,
        document: LocatedToml,
        file: ProgramFile,
        making: Making,
        registry: Registry,
        emotions: Emotions | None,
        around: Surroundings | None,
    ) -> None:
        self._emotions, self._around = emotions, around
        self._document, self._file, self._making = document, file, making
        self._registry = registry
        self._layout = ChannelLayout(tuple(making.body.channels.values()))
        self._problems: list[FileProblem] = []
        self._reader = Reader(document, registry, self._problems)

    def program(self) -> Program:
        """Make everything, or raise with all problems."""
        shared = self._reader.nodes(("signals",), self._file.signals, signals_only=True)
        self._reader.connect(shared, shared)
        tables = self._file.layers
        maker = LayerMaker(self._document, tables, self._making.body, self._problems)
        signals = self._made(shared, "")
        layers = []
        for number, table in enumerate(tables):
            nodes = self._reader.nodes(("layers", number, "controllers"), table.controllers)
            self._reader.connect(nodes, shared)
            maker.check(number, nodes)
            layers.append(maker.layer(number, self._made(nodes, table.name)))
        stages = self._stages()
        level = self._level(len(signals) + sum(len(layer.controllers) for layer in layers))
        if self._problems:
            raise ProgramError(sorted(self._problems, key=lambda problem: problem.line or 0))
        settings = self._file.filter
        return Program(
            path=self._document.path,
            title=self._file.program.title,
            level=level,
            body=self._making.body,
            layers=tuple(layers),
            signals=tuple(each for each in signals if isinstance(each, Signal)),
            stages=tuple(stages),
            character=FilterCharacter(
                smoothness=settings.smoothness,
                responsiveness=settings.responsiveness,
                edge=settings.edge,
                overshoot=settings.overshoot,
                limiter=Limiter(settings.limiter),
                eased=settings.eased,
            ),
            output_rate_hz=self._file.output.rate_hz or self._making.body.rate_hz,
            repeat_unchanged=self._file.output.repeat_unchanged,
            switched={table.name: (table.weight, table.active) for table in tables},
            profile=self._making.profile,
            emotions=self._emotions,
        )

    def _made(self, nodes: list[Node], layer: str) -> list[Controller]:
        """The controllers in the order of their steps, connected."""
        try:
            ordered = in_order(nodes)
        except WiringCycle as cycle:
            self._problem(cycle.nodes[0], str(cycle), fix="take one of these wires away")
            return []
        block = FrameBlock(self._layout, 1)
        for node in ordered:
            self._make(node, layer, Row(block, 0))
        for node in ordered:
            self._reader.check_types(node)
        if self._problems:
            return []
        driving = {source for node in ordered for source in node.sources.values()}
        made = []
        for node in ordered:
            assert node.made is not None
            node.made.pulls = tuple(
                (parameter, source.made) for parameter, source in node.sources.items()
            )
            node.made.off_chain = node in driving and node.made.output is Output.FRAME
            made.append(node.made)
        return made

    def _make(self, node: Node, layer: str, row: Row) -> None:
        parameters = self._reader.parameters(node)
        if parameters is None:
            return
        making = self._making
        # Of names and not of places: adding a controller leaves the others as they were.
        name = f"{layer}/{node.name}"
        own = replace(making, seed=(making.seed * 1_000_003 + zlib.crc32(name.encode())) % 2**32)
        try:
            node.made = node.controller_type.make(parameters, own)
            node.made.name = node.name
            node.made.bind(row)
        except (ValueError, LookupError) as error:
            node.made = None
            self._problem(node, _sentence(error))
        except Exception as error:  # a plug-in may raise anything
            node.made = None
            what = str(error) or type(error).__name__
            self._problem(node, f"the controller cannot be made: {what}")

    def _stages(self) -> list[SecondStage]:
        tables = self._file.second_stage
        if tables is None:
            has_chains = bool(self._making.body.chains)
            usual = [self._registry.stage("erik")(1, {})] if has_chains else []
            usual += self._emotion_stage()
            return [*usual, self._clearance_stage(usual, moves=True)]
        stages: list[SecondStage] = []
        for number, table in enumerate(tables):
            if table.type == EMOTION:
                stages += self._emotion_stage()
                continue
            if table.type == CLEARANCE:
                moves = bool(table.settings.get("moves", True))
                stages.append(self._clearance_stage(stages, moves=moves))
                continue
            try:
                stage = self._registry.stage(table.type)(table.every, dict(table.settings))
                if table.type in self._registry.plug_ins:  # what it finds wrong belongs to a line
                    stage.bind(self._making.body, self._layout)
                stages.append(stage)
            except Exception as error:  # a plug-in may raise anything
                place = ("second_stage", number)
                self._problems.append(self._document.problem(place, _sentence(error)))
        return stages

    def _emotion_stage(self) -> list[SecondStage]:
        """For bodies with hands; a body without a profile for it does without."""
        profile = self._making.profile
        return [NullSpaceStage(profile)] if isinstance(profile, NullSpaceProfile) else []

    def _clearance_stage(self, before: list[SecondStage], *, moves: bool) -> SecondStage:
        """What keeps clear, and the hands that an earlier stage holds to their work."""
        hands = {
            hand.end_point: stage.hands[hand.name]
            for stage in before
            if isinstance(stage, NullSpaceStage)
            for hand in stage.profile.hands
        }
        return ClearanceStage(moves=moves, around=self._around, hands=hands)

    def _level(self, controllers: int) -> int:
        stages = self._file.second_stage
        has_stage = bool(self._making.body.chains) if stages is None else bool(stages)
        layers = len(self._file.layers)
        needed = 3 if has_stage else 2 if layers > 1 else 1 if controllers > 1 else 0
        given = self._file.program.level
        if given is not None and given < needed:
            what = {1: "a chain of controllers", 2: "layers", 3: "a second stage"}[needed]
            fix = f"write level = {needed}" + (
                ", or second_stage = [] at the top of the file" if needed == 3 else ""
            )
            message = f"level {given} has no room for {what}"
            self._problems.append(self._document.problem(("program", "level"), message, fix=fix))
        return needed if given is None else max(given, needed)

    def _problem(self, node: Node, message: str, *, fix: str | None = None) -> None:
        self._problems.append(self._document.problem(node.place, message, fix=fix))


def _sentence(error: Exception) -> str:
    words = str(error.args[0]).rstrip(".") if error.args else ""
    return words or type(error).__name__
