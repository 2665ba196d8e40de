"""A gaze that proposes: one look at a time, calmly, for an operator to accept.

Design overview: while the autonomy dial says *suggest*, the machine asks its own rules as ever, and
what they want becomes a proposal in place of a look. One stands at a time; a look anywhere gives
way to a better one. After it ended there is a pause, and what was turned down or let pass is not
proposed again for a while.

Units and frames: seconds of the caller's clock.
Threading: one thread.
"""

from __future__ import annotations

from sera.behaviour.gaze._orders import GazeProposal

PAUSE_S = 3.0
"""How long nothing is proposed after a proposal ended."""
NOT_AGAIN_S = 20.0
"""How long a target is not proposed that was turned down or let pass."""


class Proposing:
    """The proposal that stands, and when the next one may come."""

    def __init__(self) -> None:
        self.standing: GazeProposal | None = None
        self._quiet_until_s = 0.0
        self._unwanted: dict[str, float] = {}

    def may_ask(self, now_s: float) -> bool:
        """Whether another one may come."""
        return self.standing is None and now_s >= self._quiet_until_s

    def is_unwanted(self, wanted: GazeProposal, now_s: float) -> bool:
        """Whether the same was turned down or let pass not long ago."""
        self._unwanted = {name: at_s for name, at_s in self._unwanted.items() if at_s > now_s}
        return wanted.target in self._unwanted

    def end(self, now_s: float, *, wanted: bool) -> GazeProposal | None:
        """The proposal stands no more; returns it.

        Args:
            now_s: when.
            wanted: False where it was turned down or let pass.
        """
        ended, self.standing = self.standing, None
        if ended is not None:
            self._quiet_until_s = now_s + PAUSE_S
            if not wanted:
                self._unwanted[ended.target] = now_s + NOT_AGAIN_S
        return ended
