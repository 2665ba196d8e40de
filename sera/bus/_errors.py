"""What can go wrong between a module and its broker, each with what to do."""

from __future__ import annotations


class BusError(Exception):
    """Base of all errors of the bus."""


class BrokerUnreachable(BusError):
    """Nobody answers at the address."""

    def __init__(self, where: str, why: str) -> None:
        self.why = why
        super().__init__(
            f"no MQTT broker answers at {where} ({why}): start one, correct the address "
            "(--broker, SERA_BROKER or [broker] url), or leave it out to use the embedded broker"
        )


class BrokerRefused(BusError):
    """The broker is there and says no."""

    def __init__(self, where: str, why: str, *, has_user: bool) -> None:
        self.why = why
        fix = (
            "check user name and password"
            if has_user
            else "this broker wants a user name and password: put them into the broker address "
            "(mqtt://user:password@host) or into SERA_BROKER"
        )
        super().__init__(f"the MQTT broker at {where} refused the connection ({why}): {fix}")


class NotConnected(BusError):
    """Something was asked of a bus that is not connected."""


class ReplyTimeout(BusError, TimeoutError):
    """Nobody replied to a request in time."""
