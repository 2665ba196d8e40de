"""The engine: a program of layers compiled for one body, stepped frame by frame."""

from sera.animation.engine.aiming import Aiming, facing
from sera.animation.engine.enslaving import CompiledRules, compile_rules

__all__ = ["Aiming", "CompiledRules", "compile_rules", "facing"]
