"""What can go wrong with the embedded broker, each with what to do."""

from __future__ import annotations

from collections.abc import Sequence

from sera.bus._errors import BusError


class EmbeddedBrokerError(BusError):
    """Base of the errors of the embedded broker."""


class PortInUse(EmbeddedBrokerError):
    """Somebody else listens on the port that was asked for."""

    def __init__(self, port: int, user: str | None, what: str = "is in use") -> None:
        self.port = port
        self.user = user
        by = f" (by {user})" if user else ""
        super().__init__(
            f"port {port} {what}{by}: end that program, give another port, or leave the port out "
            "and a free one is chosen; if it is a broker that you want to share, give its "
            f"address instead (--broker mqtt://127.0.0.1:{port})"
        )


class BrokerMissing(EmbeddedBrokerError):
    """The kind of broker that was asked for is not installed."""


class BrokerStartFailed(EmbeddedBrokerError):
    """The broker's process ended, or did not answer, before it was ready."""

    def __init__(self, kind: str, why: str, log: Sequence[str] = ()) -> None:
        self.log = tuple(log)
        said = f"; it said: {' / '.join(self.log[-3:])}" if self.log else ""
        super().__init__(
            f"the embedded broker ({kind}) did not start: {why}{said}. `sera doctor` checks what "
            "is missing; --broker URL uses a broker that runs already"
        )
