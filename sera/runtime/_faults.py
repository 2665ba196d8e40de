"""How a module says that something is wrong: ModuleFaults, at a rate that people can read."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable

from sera.bus import Bus
from sera.messages import Envelope, ModuleFault, Severity

FAULTS_PER_SECOND = 20
SUMMARY_LIMIT = 600
DETAIL_LIMIT = 20_000


SENT_TOO = "sent_too"
"""Attribute of log records: whether the same was sent as a ModuleFault."""


class Faults:
    """The faults of one module, published and logged."""

    def __init__(self, bus: Bus, log: logging.Logger, now: Callable[[], float]) -> None:
        self._bus = bus
        self._log = log
        self._now = now
        self._source = bus.identity.source
        self._second = 0
        self._count = 0

    def report_exception(
        self, where: str, error: BaseException, envelope: Envelope | None = None
    ) -> None:
        """Report an exception of the module with its traceback."""
        about = f" while handling {envelope.type}" if envelope is not None else ""
        self.report(
            f"{self._source}: {where}{about}: {type(error).__name__}: {error}",
            detail="".join(traceback.format_exception(error)),
            about=None if envelope is None else envelope.id,
            sender=None if envelope is None else envelope.source,
        )

    def report(
        self,
        summary: str,
        *,
        detail: str | None = None,
        warning: bool = False,
        about: str | None = None,
        sender: str | None = None,
        module: str | None = None,
    ) -> None:
        """Publish a ModuleFault; a flood of them is cut, and what is cut is counted."""
        self._bus.counters.faults += 1
        second = int(self._now())
        self._count = self._count + 1 if second == self._second else 1
        self._second = second
        if self._count == FAULTS_PER_SECOND + 1:
            module = detail = about = sender = None
            summary = (
                f"{self._source}: more than {FAULTS_PER_SECOND} faults within a second; "
                "the others are only counted"
            )
        elif self._count > FAULTS_PER_SECOND:
            return
        summary = _sendable(summary)[:SUMMARY_LIMIT] or "a fault without words"
        fault = ModuleFault(
            module=_sendable(module or "") or self._source,
            severity=Severity.WARNING if warning else Severity.ERROR,
            summary=summary,
            detail=None if detail is None else _sendable(detail)[-DETAIL_LIMIT:],
            about=about,
            sender=None if sender is None else _sendable(sender),
        )
        is_sent = bool(self._bus.counters.connections)
        # Whoever shows messages and logs would show it twice.
        level = logging.WARNING if warning else logging.ERROR
        self._log.log(level, "%s", summary, extra={SENT_TOO: is_sent})
        if is_sent:
            self._bus.publish(fault, cause=about)


def _sendable(text: str) -> str:
    """Exceptions may quote what no encoding has a place for."""
    return text.encode(errors="replace").decode().strip()
