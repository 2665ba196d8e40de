"""What the gateway's engine is given: a way to speak, a way to listen, a link to each page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from sera.messages import Envelope, Message


class Publish(Protocol):
    """Publishes a message and returns its id; None where it was withheld."""

    def __call__(
        self, message: Message, *, character: str, time_s: float
    ) -> Awaitable[str | None]: ...


Kept = Callable[[str], Awaitable[None]]
"""Waits until a study record, by its id, is on the disk of whoever records the run."""


async def kept_at_once(_message_id: str) -> None:
    """Where nothing is recorded there is nothing to wait for."""


class Closeable(Protocol):
    """What a subscription is, as far as the engine cares."""

    def close(self) -> None: ...


class Hear(Protocol):
    """Subscribes to types (None: all) under these characters and `world` (None: everybody's)."""

    def __call__(
        self,
        types: Sequence[type[Message]] | None,
        deliver: Callable[[Envelope], None],
        *,
        characters: Sequence[str] | None,
    ) -> Awaitable[Closeable]: ...


class Link(Protocol):
    """The connection to one page."""

    close_code: int | None
    """Why the page is gone, after `receive` returned None."""

    async def receive(self) -> str | bytes | None:
        """Wait for the next frame; None when the page is gone."""

    async def send(self, text: str) -> None:
        """Send a frame; waits while the page takes none. Raises when the page is gone."""

    async def close(self, code: int, reason: str) -> None:
        """Say goodbye."""

    def abort(self) -> None:
        """End the connection at once, whatever was still to be sent."""
