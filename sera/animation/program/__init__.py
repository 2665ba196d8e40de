"""Animation programs: files that say what a body does, layer by layer.

from sera.animation.program import load_program

program = load_program(Path("program.toml"), body, animations=…, postures=…)
engine = program.engine()
"""

from sera.animation.program.load import ProgramError, load_program
from sera.animation.program.program import Program
from sera.animation.program.registry import Registry
from sera.animation.program.wiring import WiringCycle

__all__ = ["Program", "ProgramError", "Registry", "WiringCycle", "load_program"]
