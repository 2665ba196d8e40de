"""The bus: typed messages between modules, over MQTT or in memory."""

from sera.bus._address import BrokerAddress
from sera.bus._broker import BrokerFailed, BrokerRestarted, EmbeddedBroker
from sera.bus._broker_errors import (
    BrokerMissing,
    BrokerStartFailed,
    EmbeddedBrokerError,
    PortInUse,
)
from sera.bus._codec import PAYLOAD_LIMIT_BYTES, Malformed, PayloadTooLarge, decode, encode
from sera.bus._counters import Counters
from sera.bus._errors import (
    BrokerRefused,
    BrokerUnreachable,
    BusError,
    NotConnected,
    ReplyTimeout,
)
from sera.bus._identity import Identity
from sera.bus._listener import Listener
from sera.bus._memory import MemoryBroker, MemoryBus
from sera.bus._mqtt import MqttBus
from sera.bus._port import Bus, Subscription
from sera.bus._topics import Topic

__all__ = [
    "PAYLOAD_LIMIT_BYTES",
    "BrokerAddress",
    "BrokerFailed",
    "BrokerMissing",
    "BrokerRefused",
    "BrokerRestarted",
    "BrokerStartFailed",
    "BrokerUnreachable",
    "Bus",
    "BusError",
    "Counters",
    "EmbeddedBroker",
    "EmbeddedBrokerError",
    "Identity",
    "Listener",
    "Malformed",
    "MemoryBroker",
    "MemoryBus",
    "MqttBus",
    "NotConnected",
    "PayloadTooLarge",
    "PortInUse",
    "ReplyTimeout",
    "Subscription",
    "Topic",
    "decode",
    "encode",
]
