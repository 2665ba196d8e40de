"""An animation program as people read it: layers, controllers, wires, stages, filter, messages.

The file is read once more beside the program that was made from it, because a controller that was
made no longer knows what was written and what was left to its defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sera.animation.animator import ORDERS
from sera.animation.controllers import (
    Animate,
    Expression,
    EyesLight,
    FaceController,
    Gaze,
    Message,
    Point,
    Posture,
    SpeechController,
)
from sera.animation.engine import Controller
from sera.animation.expression import NullSpaceStage
from sera.animation.frame import BlendMode
from sera.animation.program import Program, Registry
from sera.animation.program._file import FilterTable, ProgramFile
from sera.animation.program._nodes import Reader
from sera.animation.program.wiring import Node
from sera.animation.stage_set import StageSet
from sera.cli._controller_facts import ANY, in_toml
from sera.cli._text import clean
from sera.messages import (
    EmotionState,
    MoveHand,
    PlayAnimation,
    SetEmotion,
    SetEyesLight,
    SetFace,
    SetMood,
    SetPosture,
    SpeechFinished,
    SpeechStarted,
    SpeechWord,
    StopAnimation,
)
from sera.messages import Gaze as GazeOrder
from sera.messages import Message as BusMessage
from sera.messages import Point as PointOrder
from sera.runtime.located import FileProblem, LocatedToml, shown_path

_LEVELS = {
    0: "one controller",
    1: "a chain of controllers",
    2: "layers",
    3: "layers and a second stage",
}
_NEEDS: dict[type[BusMessage], type[Controller]] = {
    GazeOrder: Gaze,
    PointOrder: Point,
    PlayAnimation: Animate,
    StopAnimation: Animate,
    SetPosture: Posture,
    SetFace: FaceController,
    SetEyesLight: EyesLight,
    SpeechStarted: SpeechController,
    SpeechWord: SpeechController,
    SpeechFinished: SpeechController,
}
"""Orders that are followed only where a controller of that type is in the program."""
_FELT = (SetEmotion, SetMood, EmotionState)
"""Followed by every body that has a way to show what it feels."""


@dataclass(frozen=True, slots=True)
class ControllerPicture:
    """One controller of the file."""

    name: str
    type: str
    output: str
    line: int | None
    parameters: dict[str, Any]
    """Those that differ from the default."""
    wires: dict[str, str]
    """Parameter to what drives it."""


@dataclass(frozen=True, slots=True)
class LayerPicture:
    """One layer of the file."""

    name: str
    mode: str
    weight: float
    active: bool
    fade_s: float
    inside: str | None
    only: list[str] | None
    controllers: list[ControllerPicture]


@dataclass(frozen=True, slots=True)
class ProgramPicture:
    """The whole program."""

    title: str
    robot: str
    file: Path
    level: int
    signals: list[ControllerPicture]
    layers: list[LayerPicture]
    second_stage: list[str]
    filter: dict[str, Any]
    """What differs from the default."""
    rate_hz: float
    hears: list[str]
    """Messages that drive parameters."""
    follows: list[str]
    """Orders that some controller follows."""
    plug_ins: dict[str, str] = field(default_factory=dict)
    """File by type, for those in use that are not built in."""

    def as_data(self) -> dict[str, Any]:
        """The same for `--json`."""
        return {**asdict(self), "file": str(self.file), "problems": []}

    def lines(self) -> Iterator[str]:
        """The same for people."""
        yield f"“{clean(self.title)}” for {self.robot}: {shown_path(self.file)}"
        yield f"level {self.level}: {_LEVELS[self.level]}; {self.rate_hz:g} frames a second"
        if self.signals:
            yield ""
            yield "shared signals"
            for signal in self.signals:
                yield from _controller_lines(signal)
        yield ""
        yield "layers, the first at the bottom"
        depths: dict[str, int] = {}
        for layer in self.layers:
            depth = 0 if layer.inside is None else depths[layer.inside] + 1
            depths[layer.name] = depth
            yield from (f"{'  ' * depth}{line}" for line in _layer_lines(layer))
        yield ""
        yield f"second stage: {', '.join(self.second_stage) or 'none'}"
        said = ", ".join(f"{key} = {in_toml(value)}" for key, value in self.filter.items())
        yield f"filter: {said or 'limits alone, no character of its own'}"
        yield f"follows: {', '.join(self.follows) or 'no orders'}"
        yield f"hears: {', '.join(self.hears) or 'no other messages'}"
        for kind, place in self.plug_ins.items():
            yield f"plug-in: {kind} from {place}"


def picture_of(program: Program, stage_set: StageSet) -> ProgramPicture:
    """What a program that was loaded without a problem looks like."""
    document = LocatedToml.load(program.path)
    file = ProgramFile.model_validate(document.data)
    registry = Registry()
    registry.load_plug_ins(stage_set.plug_in_roots)
    problems: list[FileProblem] = []
    reader = Reader(document, registry, problems)
    made = {each.name: each for each in program.signals}
    signals = _pictures(document, reader.nodes(("signals",), file.signals), made)
    layers = []
    for number, (table, layer) in enumerate(zip(file.layers, program.layers, strict=True)):
        nodes = reader.nodes(("layers", number, "controllers"), table.controllers)
        layers.append(
            LayerPicture(
                name=layer.name,
                mode="add" if layer.mode is BlendMode.ADD else "override",
                weight=table.weight,
                active=table.active,
                fade_s=table.fade_s,
                inside=table.inside,
                only=table.only,
                controllers=_pictures(document, nodes, {c.name: c for c in layer.controllers}),
            )
        )
    used = {each.type for each in signals} | {c.type for each in layers for c in each.controllers}
    used |= {stage.type for stage in file.second_stage or ()}
    return ProgramPicture(
        title=program.title,
        robot=program.body.name,
        file=program.path,
        level=program.level,
        signals=signals,
        layers=layers,
        second_stage=[stage.name or type(stage).__name__ for stage in program.stages],
        filter=_changed(file.filter, FilterTable()),
        rate_hz=program.output_rate_hz,
        hears=[kind.__name__ for kind in program.hears],
        follows=[kind.__name__ for kind in ORDERS if _is_followed(kind, program)],
        plug_ins={k: shown_path(f) for k, f in registry.plug_ins.items() if k in used},
    )


def _is_followed(order: type[BusMessage], program: Program) -> bool:
    if order is MoveHand:
        return any(isinstance(stage, NullSpaceStage) for stage in program.stages)
    if order in _FELT:
        return program.profile is not None
    needed = _NEEDS.get(order)
    return needed is None or bool(program.find(needed))


def _pictures(
    document: LocatedToml, nodes: list[Node], made: Mapping[str, Controller]
) -> list[ControllerPicture]:
    implied = {node.name: node for node in nodes if node.implied}
    return [
        ControllerPicture(
            name=node.name,
            type=node.controller_type.__name__ if kind is None else kind,
            output=made[node.name].output.value if node.name in made else ANY,
            line=document.problem(node.place, "").line,
            parameters=_written(node),
            wires={
                parameter.removeprefix("in_")
                if node.controller_type is Expression
                else parameter: _source(implied[source]) if source in implied else source
                for parameter, source in node.wires.items()
            },
        )
        for node in nodes
        if not node.implied
        for kind in [_type_in_file(document, node)]
    ]


def _type_in_file(document: LocatedToml, node: Node) -> str | None:
    table: Any = document.data
    for part in node.place:
        table = table[part]
    kind = table.get("type")
    return kind if isinstance(kind, str) else None


def _written(node: Node) -> dict[str, Any]:
    """What the file gives and the default does not."""
    fields = node.controller_type.Parameters.model_fields
    return {
        key: value
        for key, value in node.constants.items()
        if key not in fields or fields[key].is_required() or fields[key].get_default() != value
    }


def _source(implied: Node) -> str:
    """What stands behind a wire that is written on the spot."""
    constants = implied.constants
    if implied.controller_type is Expression:
        return str(constants["text"])
    if implied.controller_type is Message:
        return f"{constants['message']}.{constants['field']}"
    return f"{constants['message']} arrives"


def _changed(table: FilterTable, usual: FilterTable) -> dict[str, Any]:
    before = usual.model_dump()
    return {key: value for key, value in table.model_dump().items() if value != before[key]}


def _layer_lines(layer: LayerPicture) -> Iterator[str]:
    words = [layer.mode]
    if layer.weight != 1.0:
        words.append(f"weight {layer.weight:g}")
    if not layer.active:
        words.append("off at first")
    if layer.inside is not None:
        words.append(f"inside {layer.inside}")
    if layer.only is not None:
        words.append(f"only {', '.join(layer.only)}")
    yield f"  {layer.name} ({'; '.join(words)})"
    for controller in layer.controllers:
        yield from (f"  {line}" for line in _controller_lines(controller))


def _controller_lines(controller: ControllerPicture) -> Iterator[str]:
    kind = controller.type
    gives = "" if controller.output == "frame" else f" → {controller.output}"
    yield f"  {clean(controller.name)}: {kind}{gives}"
    for name, value in controller.parameters.items():
        yield f"      {name} = {clean(in_toml(value))}"
    for name, source in controller.wires.items():
        yield f"      {name} ← {clean(source)}"
