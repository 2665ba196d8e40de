"""The runtime: modules, clocks, the workspace, scenarios, and the run that brings them together."""

from sera.runtime._gate import Dial
from sera.runtime._watch import watch_broker
from sera.runtime.clock import Clock, StalledError, VirtualTimeError
from sera.runtime.module import Module, ModuleContext, Role, on

__all__ = [
    "Clock",
    "Dial",
    "Module",
    "ModuleContext",
    "Role",
    "StalledError",
    "VirtualTimeError",
    "on",
    "watch_broker",
]
