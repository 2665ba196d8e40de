"""The engine: layers of controllers compiled for one body, stepped frame by frame."""

from sera.animation.engine.aiming import Aiming, facing
from sera.animation.engine.engine import QUICK, Engine, FaultReport
from sera.animation.engine.enslaving import CompiledRules, compile_rules
from sera.animation.engine.layers import Controller, Layer, Row

__all__ = [
    "QUICK",
    "Aiming",
    "CompiledRules",
    "Controller",
    "Engine",
    "FaultReport",
    "Layer",
    "Row",
    "compile_rules",
    "facing",
]
