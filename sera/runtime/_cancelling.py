"""Ends tasks without waiting long for them."""

from __future__ import annotations

import asyncio
from typing import Any

CANCEL_TIMEOUT_S = 0.2


async def cancel_all(tasks: list[asyncio.Task[Any]]) -> None:
    """Cancel tasks and wait until they have ended, but not for long."""
    unfinished = [task for task in tasks if not task.done()]
    for task in unfinished:
        task.cancel()
    if unfinished:
        await asyncio.wait(unfinished, timeout=CANCEL_TIMEOUT_S)


def is_being_cancelled(error: BaseException) -> bool:
    """Whether an error says that this task itself is to end, not one that it waited for."""
    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and (task is None or bool(task.cancelling()))
