"""Which bridge a body gets, chosen by settings.

Design overview: the module on the bus, `sera robot check` and `sera robot calibrate` all say what
they want as an `OutputChoice`; `bridge_for` makes the bridge, unconnected. A real robot is never
chosen by itself: without an output the body is simulated.

Units and frames: as the body's channels.
Threading: none.
Safety: what cannot work is said before anything is connected (`BridgeUnavailable`). A unit that
was named and never calibrated is refused, because its servos would be driven by another's zero.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from sera.animation.body import Body
from sera.animation.channels import OWN_SET, ChannelSpec, Kind
from sera.animation.output.arduino import ArduinoBridge
from sera.animation.output.bridge import Bridge, BridgeUnavailable, Clock
from sera.animation.output.calibration import calibration_file, load_calibration
from sera.animation.output.csv_file import CsvBridge
from sera.animation.output.health import HealthThresholds, Thresholds
from sera.animation.output.robot_bridge import load_robot_bridge
from sera.animation.output.servo_map import LAYOUTS, BoardLayout, ServoMap
from sera.animation.output.simulated import HeatModel, SimulatedBridge
from sera.animation.output.tcp_stream import TcpStreamBridge
from sera.animation.output.transport import PyserialTransport

Output = Literal["auto", "simulated", "tcp", "serial", "csv", "robot"]

DEFAULT_UNIT = "default"
_UNIT_NAME = re.compile(r"[A-Za-z0-9_-]+")
_CALM_SHARE = 0.5
"""Where motion is calmed: half-way between the warning and rest."""
_TEMPERATURE_HYSTERESIS_C = 5.0
_BATTERY_HYSTERESIS = 0.03


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputChoice:
    """What somebody wants a body's frames to go to."""

    output: Output = "auto"
    """`auto` is simulated."""
    device: str | None = None
    """Serial port, such as `/dev/ttyACM0` or `COM3`."""
    baud: int = 115_200
    host: str = "127.0.0.1"
    port: int = 0
    body_expected: bool = False
    """TCP: a client is the body and measures itself."""
    path: Path | None = None
    """CSV: the file."""
    unit: str = DEFAULT_UNIT
    """Which unit of the model, for its calibration."""
    robot: Mapping[str, Any] = field(default_factory=dict)
    """Settings for the robot's own bridge.py."""
    start: Mapping[str, float] = field(default_factory=dict)
    """Where a simulated body stands at the beginning, by channel."""
    heat: HeatModel | None = None
    """How a simulated body heats up; None: it has no temperatures."""
    rigid: bool = False
    """Whether a simulated body is where it is told at once."""


def bridge_for(body: Body, choice: OutputChoice, clock: Clock) -> Bridge:
    """The bridge to a body, not yet connected.

    Raises:
        BridgeUnavailable: the choice makes no sense for this body; the message says why.
        CalibrationError: the unit's calibration file is wrong.
    """
    specs = own_specs(body)
    if choice.output == "serial":
        if not choice.device:
            raise BridgeUnavailable("output 'serial' needs a device, such as /dev/ttyACM0 or COM3")
        transport = PyserialTransport(choice.device, baud=choice.baud)
        return ArduinoBridge(calibrated_layout(body, choice.unit), transport, clock)
    if choice.output == "tcp":
        return TcpStreamBridge(
            specs, clock, host=choice.host, port=choice.port, body_expected=choice.body_expected
        )
    if choice.output == "csv":
        if choice.path is None:
            raise BridgeUnavailable("output 'csv' needs the path of a file")
        return CsvBridge(choice.path, specs, clock)
    if choice.output == "robot":
        return load_robot_bridge(body, robot_settings(choice), clock)
    lags_s = {f"{OWN_SET}.{joint}": lag_s for joint, lag_s in body.lag_s.items()}
    return SimulatedBridge(
        specs,
        clock,
        start=choice.start,
        time_constants_s=lags_s,
        rigid=choice.rigid,
        heat=choice.heat,
    )


def own_specs(body: Body) -> tuple[ChannelSpec, ...]:
    """The channels that a bridge of this body has."""
    return tuple(body.own.values())


def rest_pose(body: Body) -> dict[str, float]:
    """The body's rest pose, by full channel name."""
    return {f"{OWN_SET}.{name}": value for name, value in body.rest.items()}


def thresholds_of(body: Body) -> HealthThresholds:
    """When this body warns, calms down and rests; the file names the first and the last."""
    health = body.health

    def graded(warn: float, rest: float, hysteresis: float) -> Thresholds:
        calm = warn + _CALM_SHARE * (rest - warn)
        return Thresholds(warn=warn, calm=calm, rest=rest, hysteresis=hysteresis)

    return HealthThresholds(
        temperature_c=graded(
            health.warn_temperature_c, health.rest_temperature_c, _TEMPERATURE_HYSTERESIS_C
        ),
        battery=graded(health.warn_battery, health.rest_battery, _BATTERY_HYSTERESIS),
    )


def robot_settings(choice: OutputChoice) -> dict[str, Any]:
    """What a robot's own bridge is told: the common settings, and its own over them."""
    common = {
        "device": choice.device,
        "baud": choice.baud,
        "host": choice.host,
        "port": choice.port,
        "path": choice.path,
        "unit": choice.unit,
    }
    return common | dict(choice.robot)


def model_layout(body: Body) -> BoardLayout:
    """Servos and lights of a model in its board's order, not calibrated.

    A body of one's own that says `kind = "serial"` under [connection] has its joints and lights on
    the board in the order of its file.

    Raises:
        BridgeUnavailable: the body has no serial board.
    """
    if body.name in LAYOUTS:
        return LAYOUTS[body.name]
    if body.connection.get("kind") != "serial":
        known = ", ".join(sorted(LAYOUTS))
        raise BridgeUnavailable(
            f"robot '{body.name}' has no serial board; known are {known}, and bodies whose file "
            'says kind = "serial" under [connection]'
        )
    lights = [name for name, spec in body.own.items() if spec.kind is Kind.DISPLAY]
    return BoardLayout(
        body.name,
        tuple(ServoMap(channel=f"{OWN_SET}.{joint}") for joint in body.joints),
        tuple(f"{OWN_SET}.{light}" for light in lights),
    )


def calibrated_layout(body: Body, unit: str = DEFAULT_UNIT) -> BoardLayout:
    """The layout of one unit; without a calibration the default unit is as the model says.

    Raises:
        BridgeUnavailable: the body has no serial board, or the unit was never calibrated.
        CalibrationError: its file is wrong.
    """
    layout = model_layout(body)
    path = calibration_file(body.name, checked_unit(unit))
    if path.is_file():
        return load_calibration(path, layout)
    if unit != DEFAULT_UNIT:
        raise BridgeUnavailable(
            f"unit '{unit}' of '{body.name}' was never calibrated (there is no {path}); do so "
            f"with `sera robot calibrate {body.name} --unit {unit}`"
        )
    return layout


def checked_unit(unit: str) -> str:
    """The unit's name, if it can be part of a file's name.

    Raises:
        BridgeUnavailable: it cannot.
    """
    if not _UNIT_NAME.fullmatch(unit):
        raise BridgeUnavailable(
            f"the unit {unit!r}: use letters, digits, '-' and '_', for example 'desk'"
        )
    return unit
