"""Trigger: a yes/no parameter that acts as a button.

Design overview: parameter and `active` begin as False. When the parameter becomes True, `active`
is toggled and the parameter goes back to False at once; the next True toggles it back. A wired
input acts when it rises: held at True for several frames, it presses once.
Threading: one owner.
"""

from __future__ import annotations


class Trigger:
    """The button and the state that it toggles."""

    __slots__ = ("_wire", "active", "parameter")

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.parameter = False
        self.active = False
        self._wire = False

    def press(self) -> None:
        """As if the button were pressed in an editor; takes effect with the next step."""
        self.parameter = True

    @property
    def stirs(self) -> bool:
        """Whether a step without a wire could change anything, or give True."""
        return self.parameter or self.active or self._wire

    def step(self, dt_s: float, wire: bool = False) -> bool:  # noqa: ARG002
        """Whether the trigger is active now."""
        if wire and not self._wire:
            self.parameter = True
        self._wire = wire
        if self.parameter:
            self.parameter = False
            self.active = not self.active
        return self.active
