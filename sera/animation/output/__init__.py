"""Bridges: how frames reach a body, and how the body is kept safe.

`Bridge` is the seam, `GuardedBridge` the safety around any bridge, `run_contract` the trial that
every bridge passes. Bodies: simulated, JSON lines over TCP, Arduino on a serial line, CSV file.
"""

from __future__ import annotations

from sera.animation.output._limiter import GuardCounts
from sera.animation.output.arduino import ArduinoBridge
from sera.animation.output.bridge import (
    BodyReading,
    Bridge,
    BridgeDescription,
    BridgeLost,
    BridgeUnavailable,
    Clock,
    OutputFrame,
    StopMeans,
)
from sera.animation.output.calibration import (
    CalibrationError,
    calibration_file,
    load_calibration,
    save_calibration,
)
from sera.animation.output.choice import (
    Output,
    OutputChoice,
    bridge_for,
    calibrated_layout,
    checked_unit,
    model_layout,
    own_specs,
    rest_pose,
    thresholds_of,
)
from sera.animation.output.contract import ContractResult, ContractSubject, run_contract
from sera.animation.output.csv_file import CsvBridge
from sera.animation.output.filters import (
    SMOOTH_RATE_HZ,
    Choker,
    DirtyFilter,
    OutputFilters,
    RepeatedValueFilter,
)
from sera.animation.output.guard import GuardedBridge
from sera.animation.output.guard_report import GuardReport, GuardState
from sera.animation.output.health import (
    HealthLevel,
    HealthMonitor,
    HealthThresholds,
    Thresholds,
)
from sera.animation.output.jogging import JogAnswer, JogSession
from sera.animation.output.last_life import LastLife, last_life_file, sweep_old_lives
from sera.animation.output.robot_bridge import (
    ContainedBridge,
    load_robot_bridge,
    robot_bridge_file,
)
from sera.animation.output.serial_board import (
    BoardState,
    FrameDecoder,
    FrameKind,
    SerialFrame,
    crc8,
    encode,
    pack_move,
    pack_positions,
    unpack_positions,
)
from sera.animation.output.servo_map import ADELINO, KEEPON, LAYOUTS, BoardLayout, ServoMap
from sera.animation.output.simulated import HeatModel, SimulatedBridge
from sera.animation.output.tcp_stream import TcpStreamBridge
from sera.animation.output.transport import DeviceTransport, PyserialTransport, Transport

__all__ = [
    "ADELINO",
    "KEEPON",
    "LAYOUTS",
    "SMOOTH_RATE_HZ",
    "ArduinoBridge",
    "BoardLayout",
    "BoardState",
    "BodyReading",
    "Bridge",
    "BridgeDescription",
    "BridgeLost",
    "BridgeUnavailable",
    "CalibrationError",
    "Choker",
    "Clock",
    "ContainedBridge",
    "ContractResult",
    "ContractSubject",
    "CsvBridge",
    "DeviceTransport",
    "DirtyFilter",
    "FrameDecoder",
    "FrameKind",
    "GuardCounts",
    "GuardReport",
    "GuardState",
    "GuardedBridge",
    "HealthLevel",
    "HealthMonitor",
    "HealthThresholds",
    "HeatModel",
    "JogAnswer",
    "JogSession",
    "LastLife",
    "Output",
    "OutputChoice",
    "OutputFilters",
    "OutputFrame",
    "PyserialTransport",
    "RepeatedValueFilter",
    "SerialFrame",
    "ServoMap",
    "SimulatedBridge",
    "StopMeans",
    "TcpStreamBridge",
    "Thresholds",
    "Transport",
    "bridge_for",
    "calibrated_layout",
    "calibration_file",
    "checked_unit",
    "crc8",
    "encode",
    "last_life_file",
    "load_calibration",
    "load_robot_bridge",
    "model_layout",
    "own_specs",
    "pack_move",
    "pack_positions",
    "rest_pose",
    "robot_bridge_file",
    "run_contract",
    "save_calibration",
    "sweep_old_lives",
    "thresholds_of",
    "unpack_positions",
]
