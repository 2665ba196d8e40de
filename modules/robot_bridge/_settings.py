"""Settings of the bridge: which body, and how it is watched."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import Field, model_validator

from sera import Module
from sera.animation.output import HeatModel, Output, OutputChoice


class BridgeSettings(Module.Settings):
    """Which body, and how it is watched."""

    output: Output = "auto"
    """`simulated`, `tcp`, `serial`, `csv`, or `robot` for the robot's own bridge.py; `auto` is
    simulated, so that no robot moves unless somebody says so."""
    device: str | None = None
    """Serial port, such as `/dev/ttyACM0` or `COM3`."""
    baud: int = Field(default=115_200, gt=0)
    host: str = "127.0.0.1"
    """Address on which frames are streamed."""
    port: int = Field(default=0, ge=0, le=65535)
    """Port on which frames are streamed; 0: a free one."""
    body_expected: bool = False
    """A client of the stream is the body and measures itself."""
    path: Path | None = None
    """File into which frames are written."""
    unit: str = "default"
    """Which unit of the model: its calibration is used."""
    robot: dict[str, Any] = Field(default_factory=dict)
    """Settings for the robot's own bridge.py."""
    frame_timeout_s: float = Field(default=0.5, gt=0, le=5)
    """How long without a frame leads to the safe state."""
    rate_hz: float | None = Field(default=None, ge=5, le=200)
    """How often the guard looks after the body; the body's own rate unless given. Less is for long
    simulations: a stop is carried out at once in any case."""
    heartbeat_hz: float = Field(default=5.0, gt=0, le=50)
    simulated_rigid: bool = False
    """Whether a simulated body is where it is told at once, without servos; for long simulations,
    in which nobody looks at the motion."""
    simulated_heat_rise_c: float | None = Field(default=None, ge=0)
    """How much warmer simulated motors get at full speed; left out: no temperatures."""
    simulated_heat_time_s: float = Field(default=120.0, gt=0)
    """Time constant with which they do."""

    @model_validator(mode="after")
    def _output_has_its_place(self) -> Self:
        if self.output == "serial" and not self.device:
            raise ValueError('output = "serial" needs a device, such as "/dev/ttyACM0"')
        if self.output == "csv" and self.path is None:
            raise ValueError('output = "csv" needs a path, such as "frames.csv"')
        return self

    def choice(self, start: Mapping[str, float]) -> OutputChoice:
        """What these settings want; a simulated body begins in the pose `start`."""
        heat = None
        if self.simulated_heat_rise_c is not None:
            heat = HeatModel(
                rise_c=self.simulated_heat_rise_c, time_constant_s=self.simulated_heat_time_s
            )
        return OutputChoice(
            output=self.output,
            device=self.device,
            baud=self.baud,
            host=self.host,
            port=self.port,
            body_expected=self.body_expected,
            path=self.path,
            unit=self.unit,
            robot=self.robot,
            start=start,
            heat=heat,
            rigid=self.simulated_rigid,
        )
