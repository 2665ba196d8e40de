"""Orders of operators: which message belongs to which decision, and which take others back.

OperatorDecided and the order that it tells of arrive in either order; an order counts once both
are there.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sera.messages import Action, UnknownMessageType, find_message_type

WITHIN_S = 2.0
"""How soon an operator takes an order back that was a slip."""
_CANCELS = {
    "CancelUtterance": ("PerformUtterance", "utterance"),
    "ArrangeUtterance": ("PerformUtterance", "utterance"),
    "StopSpeaking": ("Speak", "speech"),
    "StopAnimation": ("PlayAnimation", "animation"),
}
"""What takes back which order, and the field that names it (none: the newest)."""
_ONE_STANDS = frozenset(
    {"GazeAt", "PointAt", "SetPosture", "SetFace", "SetGazePolicy", "SetLayer", "PlayAnimation"}
)
"""Orders of which a newer one takes the place of the older. Dials that are dragged (emotion,
joints, gaze by hand) are not among them: their many orders are one movement."""


@dataclass(slots=True)
class Order:
    """An order that an operator gave."""

    id: str
    type: str
    at_s: float
    by: str
    character: str
    data: dict[str, Any] = field(default_factory=dict)
    corrected: bool = False


@cache
def channel_of(type_name: str) -> str:
    """Channel of an order's type; `other` where it has none or nobody knows the type."""
    try:
        known = find_message_type(type_name)
    except UnknownMessageType:
        return "other"
    if issubclass(known, Action) and known.channel is not None:
        return known.channel.value
    return "other"


class OwnOrders:
    """The newest orders of each operator, and what takes one of them back."""

    def __init__(self) -> None:
        self._of: dict[str, deque[Order]] = {}

    def add(self, order: Order) -> tuple[Order, str] | None:
        """Take an order in; returns the earlier one that it takes back, and how."""
        earlier = self._of.setdefault(order.by, deque(maxlen=50))
        taken_back = self._taken_back(order, earlier)
        earlier.append(order)
        if taken_back is not None:
            taken_back[0].corrected = True
        return taken_back

    def find(self, by: str, order_id: str) -> Order | None:
        """An order of an operator that is remembered."""
        return next((one for one in self._of.get(by, ()) if one.id == order_id), None)

    def _taken_back(self, order: Order, earlier: deque[Order]) -> tuple[Order, str] | None:
        for old in reversed(earlier):
            if order.at_s - old.at_s > WITHIN_S:
                break
            if old.corrected or old.character != order.character:
                continue
            if _cancels(order, old):
                return old, "cancelled"
            if _replaces(order, old):
                return old, "replaced"
        return None


def _cancels(order: Order, old: Order) -> bool:
    known = _CANCELS.get(order.type)
    if known is None or order.data.get("how") in ("release", "first", "earlier"):
        return False
    old_type, key = known
    named = order.data.get(key)
    # Being silent takes back a whole line as well as a plain text.
    types = (old_type, "PerformUtterance") if order.type == "StopSpeaking" else (old_type,)
    if old.type not in types:
        return False
    return named is None or named in (old.id, old.data.get(key))


def _replaces(order: Order, old: Order) -> bool:
    if order.type != old.type or order.data == old.data:
        return False
    if order.type in _ONE_STANDS:
        # Layers are set one by one, and only the same one again is a second thought.
        return order.data.get("layer") == old.data.get("layer")
    if order.type != "PerformUtterance":
        return False
    return _priority(order) > _priority(old)


def _priority(order: Order) -> float:
    value = order.data.get("priority", 0)
    return value if isinstance(value, int | float) else 0
