"""From mark to mark: the operator's orders become looks of the robot and accepted marks."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from sera.behaviour.space import Angles, Marking, shown_angles
from sera.cli._space_keys import KEYS_HELP, LINES_HELP, Keys, Kind, Order

if TYPE_CHECKING:
    from sera.cli._space_robot import Look


class Talk:
    """Goes from mark to mark as the operator says."""

    def __init__(self, marking: Marking, *, quiet: bool = False) -> None:
        self.marking = marking
        self.quit = False
        self.keys: Keys | None = None
        self._out = sys.stderr if quiet else sys.stdout

    async def go(self, orders: AsyncIterator[Order], look: Look) -> None:
        """Until all marks are done, somebody quits, or there are no more orders."""
        marking = self.marking
        self._say(KEYS_HELP if self.keys is not None else LINES_HELP)
        await self._begin(look)
        async for order in orders:
            number = marking.number
            if order.kind is Kind.QUIT:
                self.quit = True
                break
            answer = self._obey(order)
            if answer:
                self._say(answer)
            if marking.is_over:
                break
            if marking.number != number:
                await self._begin(look)
            elif order.kind in (Kind.NUDGE, Kind.TURN_TO):
                await self._look(look)
            elif self.keys is not None:
                self._show()
        left = 0 if marking.is_over else len(marking.marks) - marking.number + 1
        if self.keys is not None:
            print(file=self._out)
        if left:
            self._say(f"{left} of {len(marking.marks)} marks were left out")

    def _obey(self, order: Order) -> str:
        marking = self.marking
        if order.kind is Kind.NUDGE:
            return marking.nudge(order.right_deg, order.up_deg)
        if order.kind is Kind.TURN_TO:
            return marking.turn_to(Angles(order.right_deg, order.up_deg))
        if order.kind is Kind.HELP:
            return KEYS_HELP if self.keys is not None else LINES_HELP
        if order.kind is Kind.STEP:
            return ""
        step = {Kind.ACCEPT: marking.accept, Kind.SKIP: marking.skip, Kind.BACK: marking.back}
        return step[order.kind]()

    async def _begin(self, look: Look) -> None:
        if self.keys is not None and self.marking.number > 1:
            print(file=self._out)
        introduction = self.marking.introduction()
        if introduction:
            self._say(introduction)
        await self._look(look)

    async def _look(self, look: Look) -> None:
        self._show()
        assert self.marking.mark is not None
        await look(self.marking.look, self.marking.mark.name)

    def _show(self) -> None:
        """Which mark it is and where the robot looks; in a terminal always in the same line."""
        marking = self.marking
        assert marking.mark is not None
        line = (
            f"{marking.number}/{len(marking.marks)} {marking.mark.name}: "
            f"{shown_angles(marking.look)}"
        )
        if self.keys is not None:
            print(f"\r\x1b[K{line} (step {self.keys.step_deg:g}°) ", end="", file=self._out)
            self._out.flush()
        else:
            self._say(line)

    def _say(self, sentence: str) -> None:
        start = "\r\x1b[K" if self.keys is not None else ""
        print(f"{start}{sentence}", file=self._out, flush=True)
