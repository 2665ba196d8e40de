"""One connected page: who it is, what it wants, what waits for it, how it behaves."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from sera.messages import WORLD, Envelope
from sera.web._answers import Answers
from sera.web._frames import EVERY_TYPE, AnswerSheet, Send
from sera.web._limits import Allowance, Limits
from sera.web._outgoing import Outgoing
from sera.web._ports import Closeable
from sera.web._roles import RIGHTS, SECRETS, PageRole
from sera.web._sight import Sight

_REMEMBERED_IDS = 1024
_SPOKEN_AHEAD = 64

GOING_AWAY = 1001
TRY_AGAIN = 1013
TOO_SLOW = 4408
TOO_MANY_REFUSED = 4429


@dataclass(frozen=True, slots=True)
class Farewell:
    """Why a page is sent away. Codes from 4400 to 4499 tell it not to come back by itself."""

    code: int
    why: str
    abrupt: bool = False
    """True where the page takes nothing any more: no goodbye is tried."""


class Page:
    """A page while it is connected."""

    def __init__(
        self,
        *,
        name: str,
        role: PageRole,
        character: str | None,
        answers: Answers,
        now: Callable[[], float],
        text_of: Callable[[Envelope], str | None],
        on_drop: Callable[[], None],
        limits: Limits,
        restricted: bool = False,
        reveal_condition: bool = False,
    ) -> None:
        """Make a page that wants nothing yet.

        Args:
            name: what to call it in sentences.
            role: decides what it may do.
            character: whose page it is; it hears this character and `world`. None: everybody.
            answers: what its session was answered before.
            now: the clock, seconds.
            text_of: the frame for an envelope.
            on_drop: told of every value of a stream that the page was too slow for.
            limits: how much it may ask.
            restricted: whether its operator sees only what the robot perceives.
            reveal_condition: whether it may learn the condition of the study.
        """
        self.name = name
        self.role = role
        self.rights = RIGHTS[role]
        self.character = character
        self.restricted = restricted
        self.reveal_condition = reveal_condition
        self.desk: str | None = None
        self.operator: str | None = None
        """What the operator at the page is called; None: it is nobody's desk."""
        self.grips: dict[str, None] = {}
        """Characters whose joints it holds by hand."""
        self.sight = Sight()
        """What the operator has before the eyes."""
        self.answers = answers
        self.outgoing = Outgoing(
            now=now,
            on_drop=on_drop,
            limit=limits.outgoing,
            limit_characters=limits.outgoing_characters,
            stream_limit=limits.stream,
        )
        self.spoken: asyncio.Queue[Send | AnswerSheet] = asyncio.Queue(_SPOKEN_AHEAD)
        """What the page said and is still to be published, in order."""
        self.wanted: dict[str, None] = {}
        self.subscriptions: dict[str, Closeable] = {}
        self.gone: asyncio.Future[Farewell] = asyncio.get_running_loop().create_future()
        now_s = now()
        self.sends = Allowance(limits.sends_per_s, limits.burst, now_s)
        self.offences = Allowance(limits.offences / limits.offence_window_s, limits.offences, now_s)
        self._text_of = text_of
        self._recent: OrderedDict[str, None] = OrderedDict()

    def __str__(self) -> str:
        return f"page {self.name} ({self.role})"

    def wants(self, envelope: Envelope) -> bool:
        if envelope.type not in self.wanted and EVERY_TYPE not in self.wanted:
            return False
        return self.character is None or envelope.character in (self.character, WORLD)

    def performs(self, envelope: Envelope) -> bool:
        """Whether the Action is addressed to this page."""
        return isinstance(envelope.message, self.rights.performs) and self.wants(envelope)

    def hears(self, envelope: Envelope) -> bool:
        """Whether the page looks on at this message."""
        if isinstance(envelope.message, SECRETS) and not self.reveal_condition:
            return False
        return isinstance(envelope.message, self.rights.hears) and self.wants(envelope)

    def hear(self, envelope: Envelope) -> None:
        """Take what the bus brings; never waits."""
        if self.hears(envelope):
            self.offer(envelope)

    def offer(self, envelope: Envelope, *, expires_at_s: float | None = None) -> None:
        """Queue a message for the page, once."""
        # Overlapping subscriptions and repeats of Actions bring the same message again.
        if self.gone.done() or envelope.id in self._recent:
            return
        text = self._text_of(envelope)
        if text is None:
            return
        self._recent[envelope.id] = None
        if len(self._recent) > _REMEMBERED_IDS:
            self._recent.popitem(last=False)
        if self.operator is not None:
            self.sight.see(envelope)
        stream = (envelope.type, envelope.source) if envelope.message.stream else None
        self._put(text, stream, expires_at_s)

    def answer(self, text: str) -> None:
        """Queue an answer to one of the page's own frames."""
        if not self.gone.done():
            self._put(text, None, None)

    @property
    def farewell(self) -> Farewell | None:
        """Why the page was sent away; None where it is there or went by itself."""
        if self.gone.done() and not self.gone.cancelled():
            return self.gone.result()
        return None

    def send_away(self, farewell: Farewell) -> None:
        """Ask whoever serves the page to end the connection."""
        if not self.gone.done():
            self.gone.set_result(farewell)

    def _put(self, text: str, stream: tuple[str, str] | None, expires_at_s: float | None) -> None:
        if not self.outgoing.put(text, stream=stream, expires_at_s=expires_at_s):
            self.send_away(
                Farewell(
                    TOO_SLOW,
                    "the page takes messages more slowly than they come and was disconnected",
                    abrupt=True,
                )
            )
