"""The last minutes of the run, for pages that open late: what was said, without streams.

Design overview
    A ring of envelopes, filled from the bus and from what this gateway's own pages say. Streams
    (joints, positions) are left out, and so is the system's talk about itself that nobody looks
    up later.

Units and frames
    Seconds on the clock of the run.

Threading
    The event loop's thread.

Safety
    Bounded in time, number and size. Each visitor is given only what its role may receive.
"""

from __future__ import annotations

import json
from collections import deque

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sera.bus import encode
from sera.console._console import Console
from sera.console._visitor import Denied, Visitor, answering
from sera.messages import Envelope, message_types
from sera.web import may_receive

KEPT_S = 600.0
LIMIT = 6000
_LARGEST_BYTES = 16_384
_NOBODY_LOOKS_UP = frozenset(
    (
        "BlendReport",
        "ClockOffset",
        "ClockProbe",
        "ClockReply",
        "Handled",
        "ModuleCounters",
        "Receipt",
    )
)


class History:
    """What was said in the last minutes."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._kept: deque[Envelope] = deque(maxlen=LIMIT)

    async def begin(self) -> None:
        """Listen from now on."""
        wanted = [
            kind
            for name, kind in message_types().items()
            if not kind.stream and name not in _NOBODY_LOOKS_UP
        ]
        await self._console.hear(wanted, self.keep, characters=None)
        self._console.gateway.hearers.append(self.keep)

    def keep(self, envelope: Envelope) -> None:
        """Remember a message, and forget what is too old."""
        if envelope.message.stream or envelope.type in _NOBODY_LOOKS_UP:
            return
        self._kept.append(envelope)
        oldest_s = self._console.now() - KEPT_S
        while self._kept and self._kept[0].time < oldest_s:
            self._kept.popleft()

    def told(self, visitor: Visitor, seconds: float) -> list[str]:
        """The messages of the last seconds as JSON, the oldest first, each once."""
        since_s = self._console.now() - seconds
        reveal = self._console.gateway.reveal_condition
        texts: dict[str, str] = {}
        for envelope in self._kept:
            kind = type(envelope.message)
            if envelope.time < since_s or envelope.id in texts:
                continue
            if may_receive(visitor.role, kind, reveal_condition=reveal):
                text = encode(envelope._replace(after=None)).decode()
                if len(text) <= _LARGEST_BYTES:
                    texts[envelope.id] = (
                        f'{{"character":{json.dumps(envelope.character)},{text[1:]}'
                    )
        return list(texts.values())


def routes(console: Console) -> list[BaseRoute]:
    """`GET /console/api/history?seconds=300`."""
    history = History(console)
    console.beginnings.append(history.begin)

    @answering(console)
    async def recent(request: Request, visitor: Visitor) -> Response:
        try:
            seconds = min(KEPT_S, max(0.0, float(request.query_params.get("seconds", KEPT_S))))
        except ValueError:
            raise Denied(400, "`seconds` is no number: ask for history?seconds=300") from None
        messages = ",".join(history.told(visitor, seconds))
        content = f'{{"now_s":{console.now()!r},"messages":[{messages}]}}'
        return Response(content, media_type="application/json")

    return [Route("/console/api/history", recent)]
