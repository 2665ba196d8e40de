"""The engine: layers of controllers compiled for one body, stepped frame by frame."""

from sera.animation.engine._turns import FACES
from sera.animation.engine._watch import FaultReport
from sera.animation.engine.affect import Affect
from sera.animation.engine.aiming import Aiming, facing
from sera.animation.engine.clearance import ClearanceStage, Surroundings
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
from sera.animation.engine.sight import Pursuit, Sight, Sights
from sera.animation.engine.temper import MannerOf, Temper

__all__ = [
    "FACES",
    "QUICK",
    "Affect",
    "Aiming",
    "ClearanceStage",
    "CompiledRules",
    "Controller",
    "ControllerParameters",
    "Engine",
    "ErikStage",
    "FaultReport",
    "FrameWire",
    "Layer",
    "Making",
    "MannerOf",
    "Output",
    "Pursuit",
    "Row",
    "SecondStage",
    "Sight",
    "Sights",
    "Signal",
    "StageFrame",
    "Surroundings",
    "Temper",
    "compile_rules",
    "facing",
]
