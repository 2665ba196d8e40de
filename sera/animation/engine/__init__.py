"""The engine: layers of controllers compiled for one body, stepped frame by frame."""

from sera.animation.engine._watch import FaultReport
from sera.animation.engine.aiming import Aiming, facing
from sera.animation.engine.controller import (
    Controller,
    ControllerParameters,
    FrameWire,
    Making,
    Output,
    Row,
    Signal,
)
from sera.animation.engine.engine import QUICK, Engine
from sera.animation.engine.enslaving import CompiledRules, compile_rules
from sera.animation.engine.layers import Layer
from sera.animation.engine.second_stage import ErikStage, SecondStage, StageFrame

__all__ = [
    "QUICK",
    "Aiming",
    "CompiledRules",
    "Controller",
    "ControllerParameters",
    "Engine",
    "ErikStage",
    "FaultReport",
    "FrameWire",
    "Layer",
    "Making",
    "Output",
    "Row",
    "SecondStage",
    "Signal",
    "StageFrame",
    "compile_rules",
    "facing",
]
