"""Brokers of the session, for faults of others than the broker."""

from tests.bus.brokers import shared_brokers  # noqa: F401
